//! `maxpool2d`, `avgpool2d`.
use super::{activation::InOut, argument::Each, dtypes::FLOATS_AND_BYTES, function, lowering::Lowering};
use crate::{
    base::Result,
    graph::{Operand, Tensor},
    ops,
    quant::RoundMode,
};

function! {
    set PoolWindow {
        "Height and width of the window; by default the whole input." kernel: Each<2>,
        "Vertical and horizontal step." stride: Each<2> = 1,
        "Padding: top, left, bottom, right." pad: Each<4> = 0,
        "Rounds the number of windows up instead of down." ceil_mode: bool = false,
    }
}

function! {
    MaxPool2d -> Tensor {
        "n x c x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "How quantized results are rounded." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..window: PoolWindow { kernel: Each<2>, stride: Each<2>, pad: Each<4>, ceil_mode: bool },
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    maxpool2d: "The largest value of each window. Padding never wins.",
        example |g, x, i| {
            let y = g.maxpool2d(x).kernel(2).stride(2).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 4, 4]);
        },
        => |args, to| args.lower(to);
}

function! {
    AvgPool2d -> Tensor {
        "n x c x h x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Whether padding, which is 0, counts in the mean." count_include_pad: bool = false,
        "How quantized results are rounded." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        "How the sum is rounded." first_round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..window: PoolWindow { kernel: Each<2>, stride: Each<2>, pad: Each<4>, ceil_mode: bool },
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    avgpool2d: "The mean of each window.",
        example |g, x, i| {
            let y = g.avgpool2d(x).kernel([3, 3]).pad(1).count_include_pad(true).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl PoolWindow {
    /// An absent kernel is an empty one: the window is the whole input.
    fn kernel_shape(&self) -> Vec<i64> {
        self.kernel.map_or(Vec::new(), |k| k.0.into())
    }
}

impl MaxPool2d {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let w = &self.window;
        let (input, strides, pads) = (to.tensor(&self.input)?, w.stride().0.into(), w.pad().0.into());
        let outputs = to.emit(ops::MaxPool {
            ceil_mode: Some(w.ceil_mode()),
            round_mode: self.round_mode(),
            ..ops::MaxPool::new(input, w.kernel_shape(), strides, pads)
        })?;
        self.quant.set(to, &self.input, outputs[0])?;
        Ok(outputs)
    }
}

impl AvgPool2d {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let w = &self.window;
        let (input, strides, pads) = (to.tensor(&self.input)?, w.stride().0.into(), w.pad().0.into());
        let outputs = to.emit(ops::AvgPool {
            ceil_mode: Some(w.ceil_mode()),
            count_include_pad: self.count_include_pad(),
            round_mode: self.round_mode(),
            first_round_mode: self.first_round_mode(),
            ..ops::AvgPool::new(input, w.kernel_shape(), strides, pads)
        })?;
        self.quant.set(to, &self.input, outputs[0])?;
        Ok(outputs)
    }
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
    fn bad_calls_are_told() {
        bad_calls(
            "pool",
            &[
                r#"{"op": "maxpool2d", "args": {"input": "x", "kernel": [9, 1]}, "out": "y"}"#,
                r#"{"op": "avgpool2d", "args": {"input": "v"}, "out": "y"}"#,
                r#"{"op": "avgpool2d", "args": {"input": "x", "kernel": 2, "stride": 0}, "out": "y"}"#,
            ],
        );
    }
}
