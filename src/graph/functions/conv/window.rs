//! The window of a convolution, and checks that its functions share.
use super::{ConvWindow, ConvWindow3d};
use crate::{
    Operand, Tensor,
    base::{Dtype, OneOrMany, Result, WarningKind, argument, misfit, shape_text},
    functions::{dtypes::BYTES, lowering::Lowering},
    ops,
};

/// Attributes of the ops and the arguments that set them.
const ARGUMENT_NAMES: &[(&str, &str)] =
    &[("kernel_shape", "weight"), ("strides", "stride"), ("dilations", "dilation"), ("pads", "pad")];

/// Sizes of kernels beyond this are rather numbers of channels.
const MAX_KERNEL: usize = 15;

/// The window of a convolution or transposed convolution with any number of axes.
pub(in crate::functions) struct Window {
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    /// Padding before each axis, then after each.
    pub pads: Vec<i64>,
    pub group: i64,
    /// Set for a transposed convolution only.
    pub output_padding: Option<Vec<i64>>,
}

impl From<&ConvWindow> for Window {
    fn from(w: &ConvWindow) -> Self {
        let (strides, dilations, pads) = (w.stride().0.into(), w.dilation().0.into(), w.pad().0.into());
        Window { strides, dilations, pads, group: w.group(), output_padding: None }
    }
}

impl From<&ConvWindow3d> for Window {
    fn from(w: &ConvWindow3d) -> Self {
        let (strides, dilations, pads) = (w.stride().0.into(), w.dilation().0.into(), w.pad().0.into());
        Window { strides, dilations, pads, group: w.group(), output_padding: None }
    }
}

impl Window {
    /// Reorders pads that were given as before and after the first axis, then the second.
    pub fn axis_by_axis(mut self) -> Self {
        let (before, after): (Vec<_>, Vec<_>) = self.pads.chunks_exact(2).map(|p| (p[0], p[1])).unzip();
        self.pads = [before, after].concat();
        self
    }
    /// Builds the operator; its errors are reported in terms of the function's arguments.
    pub(super) fn op(
        &self,
        to: &mut Lowering,
        [input, weight]: [&Operand; 2],
        bias: &Option<Operand>,
    ) -> Result<ops::Op<Tensor>> {
        if let (2, &[n, c, l], &[oc, ic, k]) =
            (self.strides.len(), to.info(input)?.shape.as_slice(), to.info(weight)?.shape.as_slice())
        {
            let remedy = format!("reshape input to {n}x{c}x1x{l} and weight to {oc}x{ic}x1x{k}");
            return Err(misfit("input", format!("has 3 dimensions; expected 4; for a 1-d convolution, {remedy}")));
        }
        let kernel = to.info(weight)?.shape.iter().skip(2).map(|&k| k as i64).collect();
        let (input, weight, bias) = (to.tensor(input)?, to.tensor(weight)?, to.optional(bias)?);
        let (strides, pads, dilations) = (self.strides.clone(), self.pads.clone(), Some(self.dilations.clone()));
        to.rename_in_errors(ARGUMENT_NAMES);
        Ok(match self.output_padding.clone() {
            None => {
                self.warn_of_tensorflow_order(to, [input, weight])?;
                let op = ops::Conv::new(input, weight, kernel, strides, pads);
                ops::Conv { bias, group: self.group, dilations, ..op }.into()
            }
            output_padding => {
                warn_of_order(to, weight)?;
                let op = ops::Deconv::new(input, weight, kernel, pads, strides);
                ops::Deconv { bias, group: self.group, dilations, output_padding, ..op }.into()
            }
        })
    }
    /// Warns of a constant filter that is valid, but whose axes rather seem to be in TensorFlow's order: high as wide, then
    /// the input's channels, then many outputs.
    fn warn_of_tensorflow_order(&self, to: &mut Lowering, [input, weight]: [Tensor; 2]) -> Result<()> {
        let channels = to.info(&input.into())?.shape.get(1).copied().unwrap_or_default();
        let info = to.info(&weight.into())?;
        if let [height, width, inputs, outputs] = *info.shape
            && info.is_coefficient()
            && height == width
            && (inputs, self.group) == (channels, 1)
            && outputs > inputs.max(MAX_KERNEL)
        {
            let found = shape_text(&info.shape);
            let usual = format!(
                "it seems to be in TensorFlow's order (HWIO): permute it by [3, 2, 0, 1] to {}",
                shape_text(&[outputs, inputs, height, width])
            );
            to.warn_of_value("weight", found, usual);
        }
        Ok(())
    }
    pub(super) fn emit(
        &self,
        to: &mut Lowering,
        operands: [&Operand; 2],
        bias: &Option<Operand>,
        dtype: Dtype,
    ) -> Result<Vec<Tensor>> {
        let op = self.op(to, operands, bias)?;
        to.emit_as(op, dtype)
    }
    /// Checks that a list of the weight's zero points or scales has one value per output channel.
    pub(super) fn check_per_output<T: Clone>(
        &self,
        to: &Lowering,
        name: &str,
        values: Option<&OneOrMany<T>>,
        weight: &Operand,
    ) -> Result<()> {
        if self.output_padding.is_some() && self.group != 1 {
            return one_only(name, values);
        }
        to.check_per_channel(name, values, weight, &[(0, "output channel")])
    }
    /// Checks that the input has one scale and zero point, and the weight one or one per output channel. Both may have been
    /// set on the tensors, where a list could as well belong to another axis.
    pub(super) fn check_scales(&self, to: &Lowering, input: &Operand, weight: &Operand) -> Result<()> {
        let is_grouped = self.output_padding.is_some() && self.group != 1;
        let channels = to.info(weight)?.shape.first().copied().filter(|_| !is_grouped);
        to.check_scales(input, None)?;
        to.check_scales(weight, channels)
    }
    /// Checks that a list of the weight's zero points has one value per output channel or one per input channel. Types of
    /// tensors do not record which, so a list that could be either must not depend on it.
    pub(super) fn check_per_output_or_input(
        &self,
        to: &Lowering,
        name: &str,
        values: Option<&OneOrMany<i64>>,
        weight: &Operand,
    ) -> Result<()> {
        if self.output_padding.is_some() && self.group != 1 {
            return one_only(name, values);
        }
        to.check_per_channel(name, values, weight, &[(0, "output channel"), (1, "input channel")])?;
        let (Some(OneOrMany::Many(values)), [outputs, inputs, ..]) = (values, to.info(weight)?.shape.as_slice()) else {
            return Ok(());
        };
        if outputs == inputs && values.len() == *outputs && values.iter().any(|v| *v != values[0]) {
            let expected = format!(
                "the weight has {outputs} output and {inputs} input channels, and it may be for either; expected one value here, or one per output channel in conv_int"
            );
            return Err(argument(name, format!("a list of {}", values.len()), expected));
        }
        Ok(())
    }
}

pub(super) fn one_only<T>(name: &str, value: Option<&OneOrMany<T>>) -> Result<()> {
    match value {
        Some(OneOrMany::Many(v)) => {
            Err(argument(name, format!("a list of {}", v.len()), "the tool chain accepts one value per tensor here"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_int(
    to: &Lowering,
    input: (&str, &Operand),
    weight: &Operand,
    bias: &Option<Operand>,
) -> Result<Dtype> {
    let dtype = to.dtype(input.0, input.1, BYTES)?;
    to.dtype("weight", weight, BYTES)?;
    to.optional_dtype("bias", bias, &[Dtype::Int32])?;
    Ok(dtype)
}

/// Warns of a constant filter of a transposed convolution that would also be valid with its first axes exchanged, which is
/// PyTorch's order.
fn warn_of_order(to: &mut Lowering, weight: Tensor) -> Result<()> {
    let info = to.info(&Operand::Tensor(weight))?;
    if let [channels, inputs, ..] = *info.shape
        && info.is_coefficient()
        && channels > 1
        && channels == inputs
    {
        to.warn(WarningKind::FilterOrder { channels });
    }
    Ok(())
}
