//! The attributes of `top.Weight` and `top.Input` for which graphs have no place.
use crate::{
    base::{Result, truncated},
    ops::{Attribute, Attributes, Input, OpDef, operator_error},
};

/// Checks the attributes of a `top.Weight`. Those by which the coefficient is not the array in the weight file are
/// rejected; tpuc-opt sets them in modules that it has lowered for a chip. The others are for the chip's memory or for
/// adapters (LoRA), and are dropped.
///
/// # Errors
/// Returns an error if an attribute is unknown, of the wrong kind, or changes the data.
pub(super) fn check_weight(def: &OpDef, attributes: Vec<(String, Attribute)>) -> Result<()> {
    let is_neutral = |name: &str, value: &Attribute| match (name, value) {
        ("scale", Attribute::Floats(scales)) => scales.iter().all(|s| *s == 1.0),
        ("store_mode", Attribute::Str(mode)) => mode == "1N",
        ("do_compress", Attribute::Bool(is_compressed)) => !is_compressed,
        ("inline_bytes", Attribute::Str(bytes)) => bytes.is_empty(),
        ("indices_idx" | "indices_slice", Attribute::Ints(indices)) => indices.is_empty(),
        _ => true,
    };
    let attributes = Attributes::new(def, attributes)?;
    match attributes.iter().find(|(name, value)| !is_neutral(name, value)) {
        None => Ok(()),
        Some((name, value)) => {
            let found = truncated(&value.to_string());
            let expected = "expected a coefficient that is the array in the weight file, without this attribute";
            Err(operator_error(def, format!("the attribute {name} is {found}; {expected}")))
        }
    }
}

/// Checks the attributes of a `top.Input`: the format of its images is that of its preprocessing. `shape_tensor`, the
/// values by which tpuc-opt infers shapes, is dropped, since shapes are written already.
///
/// # Errors
/// Returns an error if the input is in a format of the chip's own.
pub(super) fn check_input(def: &OpDef, input: &Input<()>) -> Result<()> {
    let formats = [("customization_format", &input.customization_format), ("yuv_type", &input.yuv_type)];
    // model_transform writes an empty yuv_type.
    let is_set = |format: &&String| !format.is_empty();
    match formats.into_iter().find_map(|(name, format)| Some((name, format.as_ref().filter(is_set)?))) {
        None => Ok(()),
        Some((name, format)) => {
            let problem =
                format!("the attribute {name} is {:?}; images in such formats are not supported", truncated(format));
            Err(operator_error(def, problem))
        }
    }
}
