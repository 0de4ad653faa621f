//! The preprocessing of images that a `top.Input` describes.
use crate::{
    base::{Cause, Error, Result, pluralized, truncated},
    graph::{ChannelFormat, KeepRatioMode, PadType, PixelFormat, Preprocess},
    ops::Input,
};

/// Returns the preprocessing that a `top.Input` of this shape declares, if it does.
///
/// model_transform declares images of three channels for all inputs of three or more dimensions. If that changes no numbers, and the
/// input has another number of channels, it means nothing.
///
/// # Errors
/// Returns an error if its attributes have a value that no image has.
pub(super) fn preprocess(input: Input<()>, shape: &[usize]) -> Result<Option<Preprocess>> {
    if !input.do_preprocess {
        return Ok(None);
    }
    let how = described(input)?;
    let changes = how.mean.iter().any(|mean| *mean != 0.0) || how.scale.iter().any(|scale| *scale != 1.0);
    let fits = how.channels_of(shape).is_none_or(|channels| channels == how.pixel_format.channels());
    Ok((changes || fits).then_some(how))
}

fn described(input: Input<()>) -> Result<Preprocess> {
    let default = Preprocess::default();
    let wrong = |problem: String| Error::from(Cause::Operator { op: "Input".into(), problem });
    let Some(pixel_format) = input.pixel_format.and_then(|f| PixelFormat::from_name(f.name())) else {
        return match of_images(&input) {
            // An input that is no image has none of these attributes.
            None => Ok(default),
            Some(name) => Err(wrong(format!("it has {name}, but no pixel_format; expected both, or neither"))),
        };
    };
    let channel_format = input.channel_format.and_then(|f| ChannelFormat::from_name(f.name()));
    let keep_ratio_mode = input.keep_ratio_mode.map(|mode| {
        let expected = "expected letterbox or short_side_scale";
        let unknown = || wrong(format!("keep_ratio_mode is {:?}; {expected}", truncated(&mode)));
        KeepRatioMode::from_name(&mode).ok_or_else(unknown)
    });
    let resize_dims = input.resize_dims.map(|dims| {
        let two = <[i64; 2]>::try_from(dims);
        two.map_err(|dims| {
            wrong(format!("resize_dims has {}; expected height and width", pluralized(dims.len(), "number")))
        })
    });
    Ok(Preprocess {
        mean: input.mean.unwrap_or(default.mean),
        scale: input.scale.unwrap_or(default.scale),
        pixel_format,
        channel_format: channel_format.unwrap_or(default.channel_format),
        resize_dims: resize_dims.transpose()?,
        keep_aspect_ratio: input.keep_aspect_ratio.unwrap_or_default(),
        keep_ratio_mode: keep_ratio_mode.transpose()?.unwrap_or(default.keep_ratio_mode),
        pad_value: input.pad_value.unwrap_or_default(),
        pad_type: input.pad_type.and_then(|t| PadType::from_name(t.name())).unwrap_or(default.pad_type),
    })
}

/// Returns the first attribute that only images have.
fn of_images(input: &Input<()>) -> Option<&'static str> {
    let present = [
        ("channel_format", input.channel_format.is_some()),
        ("resize_dims", input.resize_dims.is_some()),
        ("keep_aspect_ratio", input.keep_aspect_ratio.is_some()),
        ("keep_ratio_mode", input.keep_ratio_mode.is_some()),
        ("pad_value", input.pad_value.is_some()),
        ("pad_type", input.pad_type.is_some()),
        ("mean", input.mean.is_some()),
        ("scale", input.scale.is_some()),
    ];
    present.into_iter().find(|(_, is_present)| *is_present).map(|(name, _)| name)
}
