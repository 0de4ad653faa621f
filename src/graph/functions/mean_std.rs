//! The normalization of images: `mean_std_scale`.
use super::{
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result, argument},
    ops,
    quant::RoundMode,
};

const INPUTS: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Uint8, Dtype::Int8];
const OUTPUTS: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Int8];

function! {
    MeanStdScale -> Tensor {
        "Images, n x c x h x w or n x c x d x h x w, of at most 9 channels; float32, float16, uint8 or int8." input: Operand,
        "The standard deviation of each channel; not 0." std: Vec<f64>,
        "The mean of each channel." mean: Vec<f64>,
        ;
        "Scales of input and output, positive; used if the output is int8. Default: 1 and 1." scale: Vec<f64>,
        "Zero points of input and output; used if a float becomes int8. Default: 0 and 0." zero_points: Vec<i64>,
        "int8, float16 or float32." odtype: Dtype = Dtype::Float16,
        "Rounding mode of an int8 result. A float16 result of float32, uint8 or int8 is always rounded half_to_even." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    mean_std_scale: "Normalizes images by channel: `(x - mean) / std`; for int8 `saturate(round((x - mean) / std * scale[0] / scale[1]))`, for float inputs also `- zero_points[0] + zero_points[1]`. For uint8 and int8 inputs the factor is a 16-bit multiplier and a shift.",
        example |g, x, i| {
            let y = x.mean_std_scale(vec![58.4, 57.1, 57.4], vec![123.7, 116.3, 103.5]).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x8 float16");
        },
        => |args, to| args.lower(to);
}

impl MeanStdScale {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, INPUTS)?;
        let out = one_of("odtype", self.odtype(), OUTPUTS)?;
        let scale = self.scale.clone().unwrap_or(vec![1.0, 1.0]);
        let zero_points = self.zero_points.clone().unwrap_or(vec![0, 0]);
        let refuse =
            |name: &str, bad: Option<&f64>, expected: &str| bad.map_or(Ok(()), |v| Err(argument(name, v, expected)));
        refuse("std", self.std.iter().find(|v| **v == 0.0 || !v.is_finite()), "expected finite numbers other than 0")?;
        refuse("mean", self.mean.iter().find(|v| !v.is_finite()), "expected finite numbers")?;
        refuse("scale", scale.iter().find(|v| **v <= 0.0 || !v.is_finite()), "expected positive finite numbers")?;
        let rounding = match (dtype, out) {
            (Dtype::Float32 | Dtype::Uint8 | Dtype::Int8, Dtype::Float16) => RoundMode::HalfToEven,
            _ => self.round_mode(),
        };
        let size = to.info(&self.input)?.shape.iter().skip(2).take(2).map(|d| *d as i64).collect();
        let [order, format, mode] = ["nchw", "RGB", "MultiplierShift"].map(str::to_owned);
        let zero_points = zero_points.into_iter().map(|z| z as f64).collect();
        let (input, mean, std) = (to.tensor(&self.input)?, self.mean.clone(), self.std.clone());
        let op = ops::MeanStdScale::new(input, order, format, mean, mode, size, rounding, scale, std, zero_points);
        to.emit_as(op, out)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, functions::testing::bad_calls, ops::Op, quant::RoundMode};

    #[test]
    fn types_and_round_modes() {
        let mut g = Graph::new("g").unwrap();
        for (input, out, mode) in [
            (Dtype::Float32, Dtype::Float16, RoundMode::HalfToEven),
            (Dtype::Uint8, Dtype::Float16, RoundMode::HalfToEven),
            (Dtype::Float16, Dtype::Float16, RoundMode::Up),
            (Dtype::Int8, Dtype::Int8, RoundMode::Up),
            (Dtype::Float32, Dtype::Float32, RoundMode::Up),
        ] {
            let x = g.input(&format!("{input}_{out}"), input, [2, 1, 3, 4, 5]).unwrap();
            let y = g.mean_std_scale(x, vec![2.0], vec![1.0]).odtype(out).round_mode(RoundMode::Up).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().type_text(), format!("2x1x3x4x5 {out}"));
            let Op::MeanStdScale(op) = &g.operators().last().unwrap().op else { panic!("another op") };
            assert_eq!((op.rounding_mode, op.resize_dims.as_slice()), (mode, &[3, 4][..]));
        }
    }

    #[test]
    fn mistakes_are_told() {
        bad_calls(
            "mean_std",
            &[
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 1], "mean": [0, 0, 0]}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 1, 1], "mean": [0]}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 0, 1], "mean": [0, 0, 0]}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 1, 1], "mean": [0, 0, 0], "scale": [1]}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 1, 1], "mean": [0, 0, 0], "scale": [1, -1]}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 1, 1], "mean": [0, 0, 0], "zero_points": [0, 0, 0]}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "x", "std": [1, 1, 1], "mean": [0, 0, 0], "odtype": "uint8"}, "out": "y"}"#,
                r#"{"op": "mean_std_scale", "args": {"input": "v", "std": [1, 1, 1], "mean": [0, 0, 0]}, "out": "y"}"#,
            ],
        );
    }
}
