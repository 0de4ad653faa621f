//! `maxpool2d`, `avgpool2d`.
use super::{
    activation::{quantize_in_out, round_mode},
    dtypes::FLOATS_AND_BYTES,
    function,
    shape::{Inference, Window},
};
use crate::graph::{Lowering, Operand, Result, Shape, Tensor, invalid};

function! {
    "The largest value of each window. Padding never wins.";
    example "let y = g.maxpool2d(x).kernel([2, 2]).stride([2, 2]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 4, 4]);";
    maxpool2d => MaxPool2d -> Tensor {
        "n x c x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Height and width of the window; by default the whole input." kernel: [i64; 2],
        "Vertical and horizontal step." stride: [i64; 2] = [1, 1],
        "Padding: top, left, bottom, right." pad: [i64; 4] = [0, 0, 0, 0],
        "Rounds the number of windows up instead of down." ceil_mode: bool = false,
        "Scales of input and output, for quantized tensors." scale: [f64; 2],
        "Zero points of input and output; used with scale." zero_point: [i64; 2] = [0, 0],
        "How quantized results are rounded: half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
    }
}

function! {
    "The mean of each window.";
    example "let y = g.avgpool2d(x).kernel([3, 3]).pad([1, 1, 1, 1]).count_include_pad(true).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    avgpool2d => AvgPool2d -> Tensor {
        "n x c x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Height and width of the window; by default the whole input." kernel: [i64; 2],
        "Vertical and horizontal step." stride: [i64; 2] = [1, 1],
        "Padding with 0: top, left, bottom, right." pad: [i64; 4] = [0, 0, 0, 0],
        "Rounds the number of windows up instead of down." ceil_mode: bool = false,
        "Scales of input and output, for quantized tensors." scale: [f64; 2],
        "Zero points of input and output; used with scale." zero_point: [i64; 2] = [0, 0],
        "Whether padding counts in the mean." count_include_pad: bool = false,
        "How quantized results are rounded: half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
        "How the sum is rounded, as round_mode." first_round_mode: String = "half_away_from_zero",
    }
}

/// An absent kernel is an empty one: the window is the whole input.
fn kernel(given: Option<[i64; 2]>) -> Vec<i64> {
    given.map_or(Vec::new(), Vec::from)
}

impl MaxPool2d {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let attributes = [
            ("kernel_shape", kernel(self.kernel).into()),
            ("strides", self.stride().into()),
            ("pads", self.pad().into()),
            ("ceil_mode", self.ceil_mode().into()),
            ("round_mode", round_mode("round_mode", &self.round_mode())?),
        ];
        let outputs = to.emit("MaxPool", &[Some(&self.input)], attributes, dtype)?;
        quantize_in_out(to, &self.input, outputs[0], self.scale, self.zero_point())?;
        Ok(outputs)
    }
}

impl AvgPool2d {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let attributes = [
            ("kernel_shape", kernel(self.kernel).into()),
            ("strides", self.stride().into()),
            ("pads", self.pad().into()),
            ("ceil_mode", self.ceil_mode().into()),
            ("count_include_pad", self.count_include_pad().into()),
            ("round_mode", round_mode("round_mode", &self.round_mode())?),
            ("first_round_mode", round_mode("first_round_mode", &self.first_round_mode())?),
        ];
        let outputs = to.emit("AvgPool", &[Some(&self.input)], attributes, dtype)?;
        quantize_in_out(to, &self.input, outputs[0], self.scale, self.zero_point())?;
        Ok(outputs)
    }
}

/// What `ceil_mode` adds to the padding after an axis, so that rounding down gives the number of windows. The tool chain
/// counts the padding before the axis twice, and not that after it; only where the two differ does it matter.
fn ceil_padding(input: usize, kernel: i64, stride: i64, before: i64) -> i64 {
    let room = (input as i128) + 2 * i128::from(before) - i128::from(kernel);
    let rest = if stride > 0 { room.rem_euclid(i128::from(stride)) as i64 } else { 0 };
    if rest > 0 { stride - rest } else { 0 }
}

/// The windows of a pooling op, one a spatial axis; an empty kernel covers the input.
pub(crate) fn windows(input: &[usize], attributes: &crate::graph::Attributes) -> Result<Vec<Window>> {
    let spatial = input.len().saturating_sub(2);
    let (mut kernel, mut strides, mut pads) =
        (attributes.ints("kernel_shape"), attributes.ints("strides"), attributes.ints("pads"));
    if kernel.is_empty() {
        kernel = input.iter().skip(2).map(|&d| d as i64).collect();
        strides = vec![1; spatial];
        pads = vec![0; 2 * spatial];
    }
    if !(1..=3).contains(&spatial) || kernel.len() != spatial || strides.len() != spatial || pads.len() != 2 * spatial {
        return Err(invalid(format!(
            "input has {} dimensions, kernel {kernel:?}, stride {strides:?}, pad {pads:?}; expected n x c x 1 to 3 spatial axes, and for each a kernel, a stride and two pads",
            input.len()
        )));
    }
    if attributes.bool("ceil_mode") {
        (0..spatial).for_each(|i| {
            pads[i + spatial] =
                pads[i + spatial].saturating_add(ceil_padding(input[2 + i], kernel[i], strides[i], pads[i]))
        });
    }
    let window = |i: usize| Window {
        input: input[2 + i],
        kernel: kernel[i],
        stride: strides[i],
        dilation: 1,
        pads: [pads[i], pads[i + spatial]],
    };
    Ok((0..spatial).map(window).collect())
}

/// n x c, then the number of windows along each spatial axis.
pub(super) fn pool_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let mut shape = input.get(..2).unwrap_or_default().to_vec();
    for window in windows(input, of.attributes)? {
        shape.push(window.positions()?);
    }
    if !of.attributes.bool("keepdims") {
        while shape.len() > 2 && shape.last() == Some(&1) {
            shape.pop();
        }
    }
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph};

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2, 7, 8]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.maxpool2d(x).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 1, 1]);
        let y = g.maxpool2d(x).kernel([2, 3]).stride([2, 2]).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 3, 3]);
        let y = g.avgpool2d(x).kernel([2, 3]).stride([2, 2]).ceil_mode(true).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 4, 4]);
        let error = g.avgpool2d(x).kernel([9, 3]).call().unwrap_err();
        assert!(error.to_string().contains("a kernel of 9 (dilation included) does not fit an input of 7"), "{error}");
    }
}
