//! `maxpool2d`, `avgpool2d`, `maxpool3d`, `avgpool3d`, `maxpool2d_with_mask`.
use super::{activation::InOut, argument::Each, dtypes::FLOATS_AND_BYTES, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result, argument, misfit},
    ops,
    quant::RoundMode,
};

function! {
    set PoolWindow {
        "Height and width of the window; by default the whole input." kernel: Each<2>,
        "Vertical and horizontal step of the window." stride: Each<2> = 1,
        "Padding: top, left, bottom, right." pad: Each<4> = 0,
        "Rounds the number of windows up instead of down." ceil_mode: bool = false,
    }
}

function! {
    set PoolWindow3d {
        "Depth, height and width of the window; by default the whole input." kernel: Each<3>,
        "Step of the window along depth, height and width." stride: Each<3> = 1,
        "Padding: front, top, left, back, bottom, right." pad: Each<6> = 0,
        "Rounds the number of windows up instead of down." ceil_mode: bool = false,
    }
}

function! {
    set Averaging {
        "Whether the mean includes the padding, which is 0." count_include_pad: bool = false,
        "Rounding mode of the sum." first_round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
}

function! {
    MaxPool2d -> Tensor {
        "n x c x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..window: PoolWindow { kernel: Each<2>, stride: Each<2>, pad: Each<4>, ceil_mode: bool },
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    maxpool2d: "The largest value of each window, ignoring padding.",
        example |g, x, i| {
            let y = x.maxpool2d().kernel(2).stride(2).call()?;
            assert_eq!(y.shape()?, [1, 3, 4, 4]);
        },
        => |args, to| max(to, &args.input, (&args.window).into(), &args.quant, args.round_mode());
}

function! {
    MaxPool3d -> Tensor {
        "n x c x d x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..window: PoolWindow3d { kernel: Each<3>, stride: Each<3>, pad: Each<6>, ceil_mode: bool },
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    maxpool3d: "The largest value of each window of depth, height and width, ignoring padding.",
        example |g, x, i| {
            let v = x.reshape([1, 1, 3, 8, 8]).call()?;
            let y = v.maxpool3d().kernel([3, 2, 2]).stride(2).call()?;
            assert_eq!(y.shape()?, [1, 1, 1, 4, 4]);
        },
        => |args, to| max(to, &args.input, (&args.window).into(), &args.quant, args.round_mode());
}

function! {
    AvgPool2d -> Tensor {
        "n x c x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..averaging: Averaging { count_include_pad: bool, first_round_mode: RoundMode },
        ..window: PoolWindow { kernel: Each<2>, stride: Each<2>, pad: Each<4>, ceil_mode: bool },
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    avgpool2d: "The mean of each window.",
        example |g, x, i| {
            let y = x.avgpool2d().kernel([3, 3]).pad(1).count_include_pad(true).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.averaging.lower(to, &args.input, (&args.window).into(), &args.quant, args.round_mode());
}

function! {
    AvgPool3d -> Tensor {
        "n x c x d x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..averaging: Averaging { count_include_pad: bool, first_round_mode: RoundMode },
        ..window: PoolWindow3d { kernel: Each<3>, stride: Each<3>, pad: Each<6>, ceil_mode: bool },
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    avgpool3d: "The mean of each window of depth, height and width.",
        example |g, x, i| {
            let v = x.reshape([1, 1, 3, 8, 8]).call()?;
            let y = v.avgpool3d().kernel(3).pad(1).call()?;
            assert_eq!(y.shape()?, [1, 1, 3, 8, 8]);
        },
        => |args, to| args.averaging.lower(to, &args.input, (&args.window).into(), &args.quant, args.round_mode());
}

function! {
    MaxPoolWithMask -> [Tensor; 2] as ["output", "mask"] {
        "n x c x h x w, float32." input: Operand,
        ;
        ..window: PoolWindow { kernel: Each<2>, stride: Each<2>, pad: Each<4>, ceil_mode: bool },
    }
    maxpool2d_with_mask: "The largest value of each window, and its int32 index `h * width + w` in the plane; ties go to the first.",
        example |g, x, i| {
            let [y, places] = x.maxpool2d_with_mask().kernel(2).stride(2).call()?;
            assert_eq!(places.info()?.type_text(), "1x3x4x4 int32");
        },
        => |args, to| args.lower(to);
}

/// Names of the ops' attributes and of the functions' arguments for the same values.
const ARGUMENT_NAMES: &[(&str, &str)] = &[("kernel_shape", "kernel"), ("strides", "stride"), ("pads", "pad")];

/// Larger paddings are rejected by the type rule.
const MAX_PAD: i64 = 1 << 32;

/// The window of a pool with any number of axes.
struct Window {
    /// `None` for the whole input, which is emitted as an empty kernel.
    kernel: Vec<i64>,
    strides: Vec<i64>,
    pads: Vec<i64>,
    ceil_mode: bool,
    has_stride: bool,
}

impl From<&PoolWindow> for Window {
    fn from(w: &PoolWindow) -> Self {
        let (kernel, has_stride) = (w.kernel.map_or(Vec::new(), |k| k.0.into()), w.stride.is_some());
        Window { kernel, strides: w.stride().0.into(), pads: w.pad().0.into(), ceil_mode: w.ceil_mode(), has_stride }
    }
}

impl From<&PoolWindow3d> for Window {
    fn from(w: &PoolWindow3d) -> Self {
        let (kernel, has_stride) = (w.kernel.map_or(Vec::new(), |k| k.0.into()), w.stride.is_some());
        Window { kernel, strides: w.stride().0.into(), pads: w.pad().0.into(), ceil_mode: w.ceil_mode(), has_stride }
    }
}

impl Window {
    /// Warns of windows that overlap because no stride was given.
    fn warn_of_stride(&self, to: &mut Lowering) {
        if !self.has_stride && self.kernel.iter().any(|k| *k > 1) {
            let kernel = self.kernel.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
            to.warn_of_default("stride", 1, format!("PyTorch's default is the size of the window, {kernel}"));
        }
    }
    /// Checks that no window lies in the padding alone, where there is no largest value and no mean.
    fn check_padding(&self, to: &Lowering, input: &Operand) -> Result<()> {
        let shape = &to.info(input)?.shape;
        let axes = self.kernel.len();
        for (i, size) in shape.iter().skip(2).take(axes).enumerate() {
            let (kernel, [before, after]) = (self.kernel[i], [self.pads[i], self.pads[i + axes]]);
            let room = *size as i64 + before.min(MAX_PAD) + after.min(MAX_PAD) - kernel;
            let last = if self.strides[i] > 0 { room - room.rem_euclid(self.strides[i]) } else { room };
            if kernel > 0 && room >= 0 && (before >= kernel || last >= *size as i64 + before) {
                let problem = format!(
                    "is {:?}; the kernel is {kernel} along axis {}, so a window would lie in the padding alone; \
                     PyTorch pads by at most half the kernel",
                    self.pads,
                    2 + i
                );
                return Err(misfit("pad", problem));
            }
        }
        Ok(())
    }
}

fn max(to: &mut Lowering, input: &Operand, w: Window, quant: &InOut, round_mode: RoundMode) -> Result<Vec<Tensor>> {
    to.dtype("input", input, FLOATS_AND_BYTES)?;
    w.warn_of_stride(to);
    w.check_padding(to, input)?;
    let op = ops::MaxPool::new(to.tensor(input)?, w.kernel, w.strides, w.pads);
    to.rename_in_errors(ARGUMENT_NAMES);
    let outputs = to.emit(ops::MaxPool { ceil_mode: Some(w.ceil_mode), round_mode, ..op })?;
    quant.set(to, input, outputs[0])?;
    Ok(outputs)
}

impl Averaging {
    fn lower(
        &self,
        to: &mut Lowering,
        input: &Operand,
        w: Window,
        quant: &InOut,
        round_mode: RoundMode,
    ) -> Result<Vec<Tensor>> {
        to.dtype("input", input, FLOATS_AND_BYTES)?;
        w.warn_of_stride(to);
        w.check_padding(to, input)?;
        if self.count_include_pad.is_none() && w.pads.iter().any(|p| *p > 0) {
            to.warn_of_default("count_include_pad", false, "PyTorch includes the padding in the mean by default");
        }
        to.rename_in_errors(ARGUMENT_NAMES);
        let outputs = to.emit(ops::AvgPool {
            ceil_mode: Some(w.ceil_mode),
            count_include_pad: self.count_include_pad(),
            round_mode,
            first_round_mode: self.first_round_mode(),
            ..ops::AvgPool::new(to.tensor(input)?, w.kernel, w.strides, w.pads)
        })?;
        quant.set(to, input, outputs[0])?;
        Ok(outputs)
    }
}

impl MaxPoolWithMask {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, &[Dtype::Float32])?;
        let w = Window::from(&self.window);
        w.warn_of_stride(to);
        w.check_padding(to, &self.input)?;
        // The tool chain ignores the op's ceil_mode, counts the padding before an axis twice, and ignores that after it.
        if !w.kernel.is_empty() {
            let shape = &to.info(&self.input)?.shape;
            for i in 0..w.kernel.len().min(shape.len().saturating_sub(2)) {
                let (input, kernel, stride, before) = (shape[2 + i] as i64, w.kernel[i], w.strides[i], w.pads[i]);
                let wanted = windows(input, kernel, stride, [before, w.pads[i + 2]], w.ceil_mode);
                let counted = windows(input, kernel, stride, [before, before], false);
                let text = |n: Option<i128>| n.map_or("no".into(), |n| n.to_string());
                if wanted != counted {
                    let found = format!("{:?} with ceil_mode {}", w.pads, w.ceil_mode);
                    let expected = format!(
                        "{} windows along axis {}; the tool chain makes {}, since it uses the padding before an axis for both ends and rounds down",
                        text(wanted),
                        2 + i,
                        text(counted)
                    );
                    return Err(argument("pad", found, expected));
                }
            }
        }
        let op = ops::MaxPoolWithMask::new(to.tensor(&self.input)?, w.kernel, w.strides, w.pads);
        to.rename_in_errors(ARGUMENT_NAMES);
        to.emit_each(ops::MaxPoolWithMask { ceil_mode: Some(w.ceil_mode), ..op }, &[Dtype::Float32, Dtype::Int32])
    }
}

/// Returns the number of windows along an axis; with `ceil_mode` rounded up, unless the last one would begin in the padding
/// after the axis. Returns `None` if the op's type rule rejects the sizes.
fn windows(input: i64, kernel: i64, stride: i64, [before, after]: [i64; 2], ceil_mode: bool) -> Option<i128> {
    let room = i128::from(input) + i128::from(before) + i128::from(after) - i128::from(kernel);
    if stride < 1 || room < 0 {
        return None;
    }
    let (stride, count) = (i128::from(stride), room / i128::from(stride) + 1);
    let more = ceil_mode && room % stride != 0 && count * stride < i128::from(input) + i128::from(before);
    Some(count + i128::from(more))
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, functions::testing::bad_calls};

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

    #[test]
    fn shapes_in_three_dimensions() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2, 5, 7, 8]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.avgpool3d(x).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 1, 1, 1]);
        let y = g.maxpool3d(x).kernel([2, 3, 3]).stride([1, 2, 3]).pad([1, 0, 1, 0, 1, 0]).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 5, 3, 3]);
        let y = g.maxpool3d(x).kernel(2).stride(2).ceil_mode(true).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 3, 4, 4]);
    }

    #[test]
    fn a_mask_has_the_windows_that_the_tool_chain_makes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2, 7, 8]).unwrap();
        let [_, mask] = g.maxpool2d_with_mask(x).kernel(2).stride([1, 2]).pad(1).ceil_mode(true).call().unwrap();
        assert_eq!(g.tensor(mask).unwrap().type_text(), "1x2x8x5 int32");
        let error = g.maxpool2d_with_mask(x).kernel(2).stride(3).ceil_mode(true).call().unwrap_err().to_string();
        assert!(error.contains("3 windows along axis 2; the tool chain makes 2"), "{error}");
        let error = g.maxpool2d_with_mask(x).kernel(2).pad([0, 0, 0, 1]).call().unwrap_err().to_string();
        assert!(error.contains("pad is [0, 0, 0, 1] with ceil_mode false"), "{error}");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "pool",
            &[
                r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": [9, 1]}, "out": "y"}"#,
                r#"{"op": "avgpool2d", "args": {"input": "v"}, "out": "y"}"#,
                r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": 2, "stride": 0}, "out": "y"}"#,
                r#"{"op": "maxpool3d", "args": {"input": "x", "kernel": 2}, "out": "y"}"#,
                r#"{"op": "avgpool3d", "args": {"input": "x", "kernel": [2, 2]}, "out": "y"}"#,
                r#"{"op": "maxpool2d_with_mask", "args": {"input": "i"}, "out": "y"}"#,
                r#"{"op": "maxpool2d_with_mask", "args": {"input": "x", "kernel": 2, "stride": -1, "ceil_mode": true}, "out": "y"}"#,
            ],
        );
    }
}
