//! Type rules of convolutions.
use super::{
    AutoPad, Conv, Deconv, DeformConv2D,
    types::{Types, Value, computed, of_dtype, one},
    window::{Window, in_range},
};
use crate::base::{Result, argument, invalid, misfit, pluralized, shape_text};

/// The attributes that convolutions share.
#[allow(missing_docs, reason = "the ops document them")]
pub struct Convolution<'a> {
    pub kernel_shape: &'a [i64],
    pub strides: &'a [i64],
    pub pads: &'a [i64],
    /// One per spatial axis; empty if all are 1.
    pub dilations: &'a [i64],
    pub auto_pad: Option<AutoPad>,
}

impl<'a, V> From<&'a Conv<V>> for Convolution<'a> {
    fn from(op: &'a Conv<V>) -> Self {
        let Conv { kernel_shape, strides, pads, dilations, auto_pad, .. } = op;
        Convolution {
            kernel_shape,
            strides,
            pads,
            dilations: dilations.as_deref().unwrap_or_default(),
            auto_pad: *auto_pad,
        }
    }
}
impl<'a, V> From<&'a Deconv<V>> for Convolution<'a> {
    fn from(op: &'a Deconv<V>) -> Self {
        let Deconv { kernel_shape, strides, pads, dilations, .. } = op;
        Convolution { kernel_shape, strides, pads, dilations: dilations.as_deref().unwrap_or_default(), auto_pad: None }
    }
}
impl<'a, V> From<&'a DeformConv2D<V>> for Convolution<'a> {
    fn from(op: &'a DeformConv2D<V>) -> Self {
        let DeformConv2D { kernel_shape, strides, pads, dilations, .. } = op;
        Convolution { kernel_shape, strides, pads, dilations: dilations.as_deref().unwrap_or_default(), auto_pad: None }
    }
}

impl Convolution<'_> {
    /// Returns one window per spatial axis of an input of the given shape.
    ///
    /// # Errors
    /// Returns an error if a list has the wrong length or a value is out of range.
    pub fn windows(&self, input: &[usize]) -> Result<Vec<Window>> {
        let spatial = input.len().saturating_sub(2);
        let (kernel, strides, pads) = (self.kernel_shape, self.strides, self.pads);
        let ones = vec![1; spatial];
        let dilations = if self.dilations.is_empty() { &ones } else { self.dilations };
        let lists = [kernel.len(), strides.len(), dilations.len()];
        if lists != [spatial; 3] || pads.len() != 2 * spatial {
            return Err(invalid(format!(
                "an input of {} dimensions has {spatial} spatial axes: kernel_shape {kernel:?}, strides {strides:?} and dilations {dilations:?} must have {spatial} values, and pads {pads:?} {}",
                input.len(),
                2 * spatial
            )));
        }
        in_range("kernel_shape", kernel, 1)?;
        in_range("strides", strides, 1)?;
        in_range("dilations", dilations, 1)?;
        in_range("pads", pads, 0)?;
        let window = |i: usize| Window {
            input: input[2 + i],
            kernel: kernel[i],
            stride: strides[i],
            dilation: dilations[i],
            pads: [pads[i], pads[i + spatial]],
        };
        Ok((0..spatial).map(|i| window(i).padded(self.auto_pad)).collect())
    }
    /// Returns the shape of the result: n x c, then the number of positions along each spatial axis.
    fn shape(&self, input: &[usize], channels: usize) -> Result<Vec<usize>> {
        let mut shape = vec![input[0], channels];
        for window in self.windows(input)? {
            shape.push(window.positions()?);
        }
        Ok(shape)
    }
}

pub(super) fn conv(op: &Conv<Value>) -> Types {
    check_rank(&op.input, &op.filter, "oc x ic/group")?;
    check_channels(op.group, &op.input, &op.filter)?;
    check_order(op.group, &op.input, &op.filter, op.bias.as_ref())?;
    check_bias(&op.bias, op.filter.shape[0])?;
    check_kernel(&op.kernel_shape, &op.filter)?;
    if let Some(inserts) = op.inserts.as_ref().filter(|all| all.iter().any(|v| *v != 0)) {
        return Err(misfit("inserts", format!("is {inserts:?}; the tool chain computes with zeros alone")));
    }
    one(Convolution::from(op).shape(op.input.shape, op.filter.shape[0])?, computed(&op.input))
}

/// Type rule of `top.Deconv`. A coefficient or reordered filter has its output channels first, any other filter its input
/// channels.
pub(super) fn deconv(op: &Deconv<Value>) -> Types {
    let (input, filter) = (&op.input, &op.filter);
    let reordered = filter.coefficient || op.dynweight_reorderd;
    check_rank(input, filter, if reordered { "oc/group x ic" } else { "ic x oc" })?;
    let (group, ic) = (op.group, input.shape[1]);
    if group < 1 || ic as i64 % group != 0 {
        return Err(argument("group", group, format!("it must divide the {ic} channels of {}", input.display_name)));
    }
    if group > 1 && !filter.coefficient {
        let problem = format!(
            "is computed, and group is {group}; the tool chain mixes up the groups of a weight that is not a coefficient"
        );
        return Err(misfit(filter.display_name, problem));
    }
    let (oc, found) = if reordered { (filter.shape[0], filter.shape[1]) } else { (filter.shape[1], filter.shape[0]) };
    if found != ic {
        let at = if reordered { "axis 1" } else { "axis 0, as it is computed" };
        let problem = format!("has {found} input channels ({at}); the {} has {ic}", input.display_name);
        return Err(misfit(filter.display_name, problem));
    }
    let Some(oc) = oc.checked_mul(group as usize) else {
        return Err(argument("group", group, "too many output channels"));
    };
    check_bias(&op.bias, oc)?;
    check_kernel(&op.kernel_shape, filter)?;
    let windows = Convolution::from(op).windows(input.shape)?;
    let more = op.output_padding.clone().filter(|p| !p.is_empty()).unwrap_or_else(|| vec![0; windows.len()]);
    if more.len() != windows.len() {
        return Err(argument("output_padding", format!("{more:?}"), format!("expected {} values", windows.len())));
    }
    in_range("output_padding", &more, 0)?;
    let mut shape = vec![input.shape[0], oc];
    for (window, more) in windows.iter().zip(more) {
        shape.push(window.transposed_output(more)?);
    }
    one(shape, computed(input))
}

pub(super) fn deform_conv2d(op: &DeformConv2D<Value>) -> Types {
    let (input, filter) = (&op.input, &op.filter);
    check_rank(input, filter, "oc x ic/group")?;
    if input.shape.len() != 4 {
        return Err(misfit(input.display_name, format!("is {}; expected n x c x h x w", shape_text(input.shape))));
    }
    check_channels(op.group, input, filter)?;
    check_bias(&op.bias, filter.shape[0])?;
    check_kernel(&op.kernel_shape, filter)?;
    let (ic, groups) = (input.shape[1], op.deform_group);
    if groups < 1 || ic as i64 % groups != 0 {
        return Err(argument(
            "deform_group",
            groups,
            format!("it must divide the {ic} channels of {}", input.display_name),
        ));
    }
    let shape = Convolution::from(op).shape(input.shape, filter.shape[0])?;
    // The cast is lossless: `groups` divides the number of channels.
    let taps = (groups as usize).saturating_mul(filter.shape[2].saturating_mul(filter.shape[3]));
    let sampled = |of: &Value, channels: usize| {
        let expected = [shape[0], channels, shape[2], shape[3]];
        let problem = format!("is {}; expected {}", shape_text(of.shape), shape_text(&expected));
        if of.shape == expected { Ok(()) } else { Err(misfit(of.display_name, problem)) }
    };
    sampled(&op.offset, taps.saturating_mul(2))?;
    match &op.mask {
        Some(mask) if op.use_mask => sampled(mask, taps)?,
        None if op.use_mask => return Err(misfit("mask", "is absent, and use_mask is true")),
        _ => {}
    }
    of_dtype(shape, input)
}

fn check_rank(input: &Value, filter: &Value, filters: &str) -> Result<()> {
    let (rank, found) = (input.shape.len(), filter.shape.len());
    if rank >= 3 && found == rank {
        return Ok(());
    }
    let (name, filter) = (input.display_name, filter.display_name);
    if rank >= 2 && rank + 1 == found {
        let batched = shape_text(&[&[1], input.shape].concat());
        let problem =
            format!("is {}, and {filter} has {found} dimensions; is the batch missing? ", shape_text(input.shape));
        return Err(misfit(name, format!("{problem}Reshape it to {batched}")));
    }
    Err(invalid(format!(
        "{name} has {}, {filter} {found}; expected n x ic x spatial.. and {filters} x kernel.., equally many",
        pluralized(rank, "dimension"),
    )))
}

fn check_kernel(kernel_shape: &[i64], filter: &Value) -> Result<()> {
    let kernel = &filter.shape[2..];
    if kernel_shape.iter().map(|&k| k as usize).ne(kernel.iter().copied()) {
        return Err(misfit("kernel_shape", format!("is {kernel_shape:?}; the filter's kernel is {kernel:?}")));
    }
    Ok(())
}

fn check_channels(group: i64, input: &Value, filter: &Value) -> Result<()> {
    let (ic, oc) = (input.shape[1], filter.shape[0]);
    if group < 1 || ic as i64 % group != 0 || oc as i64 % group != 0 {
        let (input, filter) = (input.display_name, filter.display_name);
        let expected = format!("it must divide the {ic} channels of {input} and the {oc} of {filter}");
        return Err(argument("group", group, expected));
    }
    let (found, expected) = (filter.shape[1], ic / group as usize);
    if found != expected {
        let per_group = if group == 1 {
            format!("; the {} has {ic}", input.display_name)
        } else {
            format!("; expected {expected}, the {ic} of {} in {group} groups", input.display_name)
        };
        let problem = format!(
            "has {}{per_group}{}",
            pluralized(found, "input channel"),
            channels_hint(group as usize, input.shape, filter.shape)
        );
        return Err(misfit(filter.display_name, problem));
    }
    Ok(())
}

/// Returns what may be wrong if a filter has too many or too few input channels.
fn channels_hint(group: usize, input: &[usize], filter: &[usize]) -> String {
    let (ic, outputs, found) = (input[1], filter[0], filter[1]);
    if input.last() == Some(&found.saturating_mul(group)) {
        return "; the input seems to be NHWC: permute it to NCHW".to_owned();
    }
    if let [height, width, channels, multiplier] = *filter
        && channels == ic
        && group == ic
        && height.max(width) <= MAX_KERNEL
    {
        let reshaped = match multiplier {
            1 => String::new(),
            _ => format!(", reshaped to {}x1x{height}x{width}", ic.saturating_mul(multiplier)),
        };
        return format!("; it seems to be Keras's depthwise kernel: permute it by [2, 3, 0, 1]{reshaped}");
    }
    let is_grouped = group == 1 && ic.is_multiple_of(found) && outputs.is_multiple_of(ic / found);
    let has_square_kernel = matches!(filter, [_, _, height, width] if height == width);
    let hint = order_hint(filter, ic / group);
    if is_grouped && (has_square_kernel || hint.is_empty()) {
        let kind = if found == 1 { "a depthwise" } else { "a grouped" };
        return format!("; for {kind} convolution, set group to {}", ic / found);
    }
    hint
}

/// Checks the bias of a filter in TensorFlow's order that is valid in the other.
fn check_order(group: i64, input: &Value, filter: &Value, bias: Option<&Value>) -> Result<()> {
    let bias = bias.map_or(filter.shape[0], |bias| bias.shape.iter().product());
    // Most kernels are as high as wide.
    if !matches!(*filter.shape, [a, b, c, d] if a == b && c != d) {
        return Ok(());
    }
    let hint = order_hint(filter.shape, input.shape[1] / group as usize);
    if bias == filter.shape[0] || filter.shape.last() != Some(&bias) || hint.is_empty() {
        return Ok(());
    }
    let problem = format!("has {} output channels; the bias has {bias} elements{hint}", filter.shape[0]);
    Err(misfit(filter.display_name, problem))
}

/// Size of the largest kernel that is recognized by its order of axes; more is rather a number of channels.
const MAX_KERNEL: usize = 64;

/// Recognizes a filter whose axes are in TensorFlow's order.
fn order_hint(filter: &[usize], channels: usize) -> String {
    let (spatial, rest) = filter.split_at(filter.len() - 2);
    if rest[0] != channels || spatial.iter().any(|k| *k > MAX_KERNEL) {
        return String::new();
    }
    let last = filter.len();
    let order: Vec<usize> = [last - 1, last - 2].into_iter().chain(0..last - 2).collect();
    let expected: Vec<usize> = order.iter().map(|axis| filter[*axis]).collect();
    format!(
        "; its axes seem to be in TensorFlow's order (HWIO): permute them by {order:?} to {}",
        shape_text(&expected)
    )
}

fn check_bias(bias: &Option<Value>, oc: usize) -> Result<()> {
    let Some(bias) = bias else {
        return Ok(());
    };
    bias.expect_elements(oc, "one per output channel")?;
    // Only the channels' axis (axis 1, or the only one) may be longer than 1.
    let axis = usize::from(bias.shape.len() > 1);
    if bias.shape.get(axis) != Some(&oc) {
        let problem =
            format!("is {}; expected {oc} elements along one axis, as {oc} or 1x{oc}x1x1", shape_text(bias.shape));
        return Err(misfit(bias.display_name, problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_another_rank_is_named() {
        let c = Convolution { kernel_shape: &[3], strides: &[1, 1], pads: &[0; 4], dilations: &[], auto_pad: None };
        let error = c.windows(&[1, 3, 8, 8]).err().unwrap().to_string();
        assert!(error.contains("kernel_shape [3], strides [1, 1] and dilations [1, 1] must have 2 values"), "{error}");
    }
}
