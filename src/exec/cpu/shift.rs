use super::{OpKernel, Operand};
use crate::{
    ValueType,
    base::Dtype,
    ops::{BinaryConstShift, BinaryShift, BinaryShiftMode},
    quant::{RoundMode, shifted, shifted_wrapping},
    semantics,
};

pub(super) fn binary_shift(op: BinaryShift<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let result = t.result(0)?;
        let [left, right] = [t.source(&op.input1, &result.shape)?, t.source(&op.input2, &result.shape)?];
        let finish =
            ShiftRounding::new(op.saturation, op.shift, op.round_mode, &[&op.input1.ty, &op.input2.ty], result.dtype);
        t.fill_ints(0, |first, out| {
            let mut other = vec![0; out.len()];
            left.ints(first, out);
            right.ints(first, &mut other);
            out.iter_mut().zip(&other).for_each(|(a, b)| *a = finish.of(op.mode, op.is_reverse, *a, *b));
        })
    })
}

pub(super) fn binary_const_shift(op: BinaryConstShift<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let result = t.result(0)?;
        let source = t.source(&op.input, &result.shape)?;
        let finish = ShiftRounding::new(op.saturation, op.shift, op.round_mode, &[&op.input.ty], result.dtype);
        t.fill_ints(0, |first, out| {
            source.ints(first, out);
            out.iter_mut().for_each(|v| *v = finish.of(op.mode, op.is_reverse, *v, op.scale));
        })
    })
}

/// How a sum, difference or product is shifted, rounded and stored.
struct ShiftRounding {
    saturates: bool,
    shift: i64,
    round: RoundMode,
    dtype: Dtype,
}

impl ShiftRounding {
    fn new(saturation: bool, shift: i64, round: RoundMode, operands: &[&ValueType], dtype: Dtype) -> ShiftRounding {
        ShiftRounding { saturates: semantics::saturates(saturation, operands, dtype), shift, round, dtype }
    }
    fn of(&self, mode: BinaryShiftMode, is_reverse: bool, a: i64, b: i64) -> i64 {
        let (a, b) = (i128::from(a), i128::from(b));
        let x = match mode {
            BinaryShiftMode::Add => a + b,
            BinaryShiftMode::Sub if is_reverse => b - a,
            BinaryShiftMode::Sub => a - b,
            BinaryShiftMode::Mul => a * b,
        };
        match self.saturates {
            true => shifted(x, self.shift, self.round),
            false => shifted_wrapping(x, self.shift, self.round, self.dtype),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Tensor, quant::RoundMode, run};

    fn result(g: &mut Graph, y: Tensor, feeds: &[(&str, Array)]) -> Vec<f64> {
        g.set_outputs(&[y]).unwrap();
        run(g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap()
    }

    /// Checks every pair of bytes with every round mode against real arithmetic, which is exact below 2^53.
    #[test]
    fn bytes_are_the_definition() {
        let bytes: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        let column = Array::from_vec([256, 1], bytes.clone()).unwrap();
        let row = Array::from_vec([1, 256], bytes.clone()).unwrap();
        for (mode, _) in RoundMode::arguments() {
            for (op, shift) in [("add", -1), ("sub", -3), ("mul", -7), ("mul", -15), ("add", 4), ("sub", 0)] {
                let mut g = Graph::new("g").unwrap();
                let [a, b] = [("a", [256, 1]), ("b", [1, 256])].map(|(n, s)| g.input(n, Dtype::Int8, s).unwrap());
                let call = match op {
                    "add" => g.add_shift(a, b, shift, Dtype::Int8),
                    "sub" => g.sub_shift(a, b, shift, Dtype::Int8),
                    _ => g.mul_shift(a, b, shift, Dtype::Int8),
                };
                let y = call.round_mode(mode).call().unwrap();
                let got = result(&mut g, y, &[("a", column.clone()), ("b", row.clone())]);
                for (i, got) in got.into_iter().enumerate() {
                    let (a, b) = (f64::from(bytes[i / 256]), f64::from(bytes[i % 256]));
                    let x = if op == "add" {
                        a + b
                    } else if op == "sub" {
                        a - b
                    } else {
                        a * b
                    };
                    let want = mode.round(x * f64::from(shift).exp2()).clamp(-128.0, 127.0);
                    assert_eq!(got, want, "{op} {a} {b} shift {shift} {mode:?}");
                }
            }
        }
    }

    #[test]
    fn corners_of_wide_integers() {
        let (low, high) = (i32::MIN, i32::MAX);
        let all = [low, low + 1, -65536, -1, 0, 1, 65535, high - 1, high];
        let wide = |f: &dyn Fn(i128, i128) -> i128| -> Vec<f64> {
            let pairs = all.iter().flat_map(|a| all.map(|b| (i128::from(*a), i128::from(b))));
            pairs.map(|(a, b)| f(a, b).clamp(low.into(), high.into()) as f64).collect()
        };
        let floor = |x: i128, bits: u32| x.div_euclid(1 << bits);
        let run = |op: &str, shift: i64| {
            let mut g = Graph::new("g").unwrap();
            let [a, b] = [("a", [9, 1]), ("b", [1, 9])].map(|(n, s)| g.input(n, Dtype::Int32, s).unwrap());
            let call = match op {
                "add" => g.add_shift(a, b, shift, Dtype::Int32),
                "sub" => g.sub_shift(a, b, shift, Dtype::Int32),
                _ => g.mul_shift(a, b, shift, Dtype::Int32),
            };
            let y = call.round_mode(RoundMode::Down).call().unwrap();
            let [column, row] = [[9, 1], [1, 9]].map(|s| Array::from_vec(s, all.to_vec()).unwrap());
            result(&mut g, y, &[("a", column), ("b", row)])
        };
        assert_eq!(run("add", 0), wide(&|a, b| a + b));
        assert_eq!(run("sub", 5), wide(&|a, b| (a - b) << 5));
        assert_eq!(run("mul", -31), wide(&|a, b| floor(a * b, 31)));
        assert_eq!(run("mul", 63), wide(&|a, b| (a * b) << 63));
        assert_eq!(run("add", -63), wide(&|a, b| floor(a + b, 63)));
    }

    #[test]
    fn without_saturation_the_low_bits_are_kept() {
        let x = || Array::from([100i16, -100, 127, -128]);
        let mut g = Graph::new("g").unwrap();
        let a = g.input("a", Dtype::Int16, [4]).unwrap();
        let y = g.add_shift(a, 100, 0, Dtype::Int8).is_saturate(false).call().unwrap();
        assert_eq!(result(&mut g, y, &[("a", x())]), [-56.0, 0.0, -29.0, -28.0]);
        let y = g.mul_shift(a, a, 30, Dtype::Int16).is_saturate(false).call().unwrap();
        assert_eq!(result(&mut g, y, &[("a", x())]), [0.0; 4]);
        // Signed operands, unsigned output.
        let y = g.add_shift(a, 200, 0, Dtype::Uint8).is_saturate(false).call().unwrap();
        assert_eq!(result(&mut g, y, &[("a", x())]), [255.0, 100.0, 255.0, 72.0]);
    }
}
