use super::{
    OpKernel, Operand,
    chunks::{CHUNK, blocks},
    convert::Linear,
    task::PostOp,
    unary::map,
};
use crate::{
    ValueType,
    base::Dtype,
    ops::{Cast, DequantInt, DequantMode, DequantizeLinear, QuantizeLinear, RequantFp, RequantInt, RequantMode},
    quant::{RoundMode, multiplier_shift, tflite, tflite_wider},
    semantics::zero_points,
};
use rayon::prelude::*;
use std::ops::Range;

pub(super) fn cast(op: Cast<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let plain = |ty: &ValueType| ty.buffer_dtype() != Dtype::Float32 && ty.quantization.is_none();
        if plain(&op.input.ty) && plain(t.result(0)?) {
            let source = t.source(&op.input, &op.input.ty.shape)?;
            return t.fill_ints(0, |first, out| source.ints(first, out));
        }
        if t.array(&op.input)?.dtype() == Dtype::Float32 && t.result(0)?.buffer_dtype() != Dtype::Float32 {
            return t.write_reals(0, &t.reals(&op.input)?, op.round_mode);
        }
        let source = t.source(&op.input, &op.input.ty.shape)?;
        t.fill(0, 1, PostOp::round(op.round_mode), |first, out| {
            source.reals(first, out);
            Ok(())
        })
    })
}

/// Returns `None` for the modes that the tool chain's executor does not support either.
pub(super) fn requant_int(op: RequantInt<Operand>) -> Option<OpKernel> {
    let is_tflite = match op.quant_mode {
        RequantMode::TFLite | RequantMode::TFLiteLShift => true,
        RequantMode::MultiplierShift => false,
        RequantMode::OnlyShift | RequantMode::QDM | RequantMode::OnlyScale => return None,
    };
    Some(OpKernel::new(move |t| {
        let channels = Channels::new(&op.input.ty.shape, op.rq_axis);
        let (zero_points, input_zero) = (zero_points(t.result(0)?), zero_points(&op.input.ty)[0]);
        let source = t.source(&op.input, &op.input.ty.shape)?;
        t.fill_ints(0, |first, out| {
            source.ints(first, out);
            channels.runs(first, out, |c, run| {
                let (m, s, z) = (of(&op.multiplier, c), of(&op.rshift, c), of(&zero_points, c));
                for v in run {
                    let (x, left) = (v.saturating_sub(input_zero), s.saturating_neg());
                    let scaled = match is_tflite {
                        true => tflite(x, m, left, op.round_mode),
                        false => multiplier_shift(x, m, s, op.round_mode),
                    };
                    *v = scaled.saturating_add(z);
                }
            });
        })
    }))
}

/// Computed in float32, like in the tool chain's executor. Returns `None` for the modes that it does not support either.
pub(super) fn requant_fp(op: RequantFp<Operand>) -> Option<OpKernel> {
    let adds_zero_point = match op.quant_mode {
        RequantMode::TFLite | RequantMode::TFLiteLShift => true,
        RequantMode::MultiplierShift => false,
        RequantMode::OnlyShift | RequantMode::QDM | RequantMode::OnlyScale => return None,
    };
    Some(OpKernel::new(move |t| {
        let channels = Channels::new(&op.input.ty.shape, 1);
        let zero_points = zero_points(t.result(0)?);
        let source = t.source(&op.input, &op.input.ty.shape)?;
        let is_float = op.input.ty.dtype.is_float();
        t.fill_ints(0, |first, out| {
            if is_float {
                let mut reals = vec![0.0; out.len()];
                source.reals(first, &mut reals);
                let whole = |x: f32| op.first_round_mode.round(x.into()) as i64;
                out.iter_mut().zip(&reals).for_each(|(v, x)| *v = whole(*x));
            } else {
                source.ints(first, out);
            }
            channels.runs(first, out, |c, run| {
                let (scale, offset) = (of(&op.scale, c) as f32, of(&op.offset, c) as f32);
                let (offset, zero) = if adds_zero_point { (0.0, of(&zero_points, c)) } else { (offset, 0) };
                let scaled = |v: i64| op.round_mode.round((v as f32 * scale + offset).into()) as i64;
                run.iter_mut().for_each(|v| *v = scaled(*v).saturating_add(zero));
            });
        })
    }))
}

pub(super) fn dequant_int(op: DequantInt<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let channels = Channels::new(&op.input.ty.shape, 1);
        let zero_points = zero_points(&op.input.ty);
        let source = t.source(&op.input, &op.input.ty.shape)?;
        t.fill_ints(0, |first, out| {
            source.ints(first, out);
            channels.runs(first, out, |c, run| {
                let (m, s, z) = (of(&op.multiplier, c), of(&op.shift, c), of(&zero_points, c));
                for v in run {
                    let x = v.saturating_sub(z);
                    *v = match op.quant_mode {
                        DequantMode::Normal => multiplier_shift(x, m, s.saturating_neg(), op.round_mode),
                        DequantMode::TFLite => tflite_wider(x, m, op.lshift, s, op.round_mode),
                    };
                }
            });
        })
    })
}

/// Like ONNX's operator: halves are rounded to even.
pub(super) fn quantize_linear(op: QuantizeLinear<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let channels = Channels::new(&op.input.ty.shape, op.axis);
        let dtype = t.result(0)?.buffer_dtype();
        let scales = LinearChannels::new(&channels, dtype, &op.y_scale, &op.y_zero_point);
        if let (Some(scales), Dtype::Float32) = (scales, t.array(&op.input)?.dtype()) {
            let (reals, size) = (t.reals(&op.input)?, dtype.size());
            t.memory(0)?.bytes().par_chunks_mut(CHUNK * size).enumerate().for_each(|(c, bytes)| {
                let reals = &reals[c * CHUNK..][..bytes.len() / size];
                scales.parts(c * CHUNK, reals.len(), |linear, part| {
                    linear.quantize(&reals[part.clone()], &mut bytes[part.start * size..part.end * size]);
                });
            });
            return Ok(());
        }
        let source = t.source(&op.input, &op.input.ty.shape)?;
        t.fill_ints(0, |first, out| {
            let mut reals = vec![0.0; out.len()];
            source.reals(first, &mut reals);
            let mut reals = reals.into_iter();
            channels.runs(first, out, |c, run| {
                let (scale, zero) = (of(&op.y_scale, c) as f32, of(&op.y_zero_point, c));
                for (v, x) in run.iter_mut().zip(reals.by_ref()) {
                    *v = (RoundMode::HalfToEven.round((x / scale).into()) as i64).saturating_add(zero);
                }
            });
        })
    })
}

pub(super) fn dequantize_linear(op: DequantizeLinear<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let channels = Channels::new(&op.input.ty.shape, op.axis);
        let input = t.array(&op.input)?;
        if let Some(scales) = LinearChannels::new(&channels, input.dtype(), &op.x_scale, &op.x_zero_point) {
            let (bytes, size) = (input.bytes()?, input.dtype().size());
            return t.fill(0, 1, PostOp::default(), |first, out| {
                let bytes = &bytes[first * size..];
                scales.parts(first, out.len(), |linear, part| {
                    linear.dequantize(&bytes[part.start * size..part.end * size], &mut out[part]);
                });
                Ok(())
            });
        }
        let source = t.source(&op.input, &op.input.ty.shape)?;
        t.fill(0, 1, PostOp::default(), |first, out| {
            let mut stored = vec![0; out.len()];
            source.ints(first, &mut stored);
            let mut stored = stored.into_iter();
            channels.runs(first, out, |c, run| {
                let (scale, zero) = (of(&op.x_scale, c), of(&op.x_zero_point, c));
                for (y, v) in run.iter_mut().zip(stored.by_ref()) {
                    *y = (v.saturating_sub(zero) as f64 * scale) as f32;
                }
            });
            Ok(())
        })
    })
}

/// The scales and zero points of a tensor with 8 or 16 bits.
enum LinearChannels<'a> {
    All(Linear),
    Each(Vec<Linear>, &'a Channels),
}

impl LinearChannels<'_> {
    /// Returns `None` for other dtypes, and for numbers that are not exact in float32.
    fn new<'a>(
        channels: &'a Channels,
        dtype: Dtype,
        scales: &[f64],
        zero_points: &[i64],
    ) -> Option<LinearChannels<'a>> {
        let channel = |c| Linear::new(dtype, of(scales, c), of(zero_points, c));
        match (scales, zero_points) {
            ([_], [_]) => channel(0).map(LinearChannels::All),
            _ => Some(LinearChannels::Each((0..channels.number).map(channel).collect::<Option<_>>()?, channels)),
        }
    }
    /// Calls `f` with the parameters and the range of each run of the `n` elements from element `first` on.
    fn parts(&self, first: usize, n: usize, mut f: impl FnMut(Linear, Range<usize>)) {
        match self {
            LinearChannels::All(linear) => f(*linear, 0..n),
            LinearChannels::Each(all, channels) => channels.parts(first, n, |c, part| f(all[c], part)),
        }
    }
}

/// Rounds every number to float16.
pub(super) fn dtype_cast(input: Operand) -> OpKernel {
    map(input, PostOp::default(), |v: &mut [f32]| v.iter_mut().for_each(|x| *x = half::f16::from_f32(*x).to_f32()))
}

/// Maps elements to the entries of a per-channel list, by their index along an axis.
struct Channels {
    number: usize,
    inner: usize,
}

impl Channels {
    /// A missing axis has one index.
    fn new(shape: &[usize], axis: i64) -> Channels {
        let rank = shape.len() as i64;
        let axis = if (-rank..rank).contains(&axis) { axis.rem_euclid(rank) as usize } else { shape.len() };
        let inner = shape.get(axis + 1..).map_or(1, |s| s.iter().product());
        Channels { number: shape.get(axis).copied().unwrap_or(1), inner }
    }
    /// Calls `f` with the index and each run of values, the first of which is element `first`.
    fn runs<T>(&self, first: usize, values: &mut [T], mut f: impl FnMut(usize, &mut [T])) {
        self.parts(first, values.len(), |c, part| f(c, &mut values[part]));
    }
    /// Calls `f` with the index and the range of each run of the `n` values from element `first` on.
    fn parts(&self, first: usize, n: usize, mut f: impl FnMut(usize, Range<usize>)) {
        blocks(first, n, self.inner, |block, part| f(block % self.number, part));
    }
}

/// Returns the entry of a list for an index; a single entry applies to all.
fn of<T: Copy + Default>(list: &[T], c: usize) -> T {
    list.get(c).or(list.first()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, Quantization, RunOptions, Tensor,
        ops::{DequantizeLinear, QuantizeLinear},
        quant::RoundMode,
        run,
    };

    #[test]
    fn requantizes_by_channel() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [1, 2, 2]).unwrap();
        let y = g.requant_int(x, vec![1 << 30, 1 << 29], vec![-30, -30], 3, 2).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let x = Array::from_vec([1, 2, 2], vec![10, 1000, 11, -11]).unwrap();
        let out = run(&g, &[("x", x)], &CpuBackend::new(), &RunOptions::default()).unwrap();
        assert_eq!(out.tensors["y"].elements::<i8>().unwrap()[..], [13, 127, 9, -3]);
    }

    fn result(g: &mut Graph, y: Tensor, x: Array) -> Vec<f64> {
        g.set_outputs(&[y]).unwrap();
        run(g, &[("x", x)], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap()
    }

    /// Channels that end within a chunk, between chunks, and after each element.
    #[test]
    fn quantizes_by_channel() {
        let (scales, zero_points) = (vec![0.5, 0.25, 2.0], vec![-3, 0, 100]);
        for (shape, axis) in [([3, 20_001], 0), ([15_000, 3], 1)] {
            let channel = |i: usize| if axis == 0 { i / 20_001 } else { i % 3 };
            let numbers: Vec<f32> = (0..shape[0] * shape[1]).map(|i| (i * 37 % 1001) as f32 * 0.125 - 60.0).collect();
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, shape).unwrap();
            let op = QuantizeLinear { axis, ..QuantizeLinear::new(x, scales.clone(), zero_points.clone()) };
            let stored = g.op(op).out_dtypes([Dtype::Int8]).call().unwrap()[0];
            let op = DequantizeLinear { axis, ..DequantizeLinear::new(stored, scales.clone(), zero_points.clone()) };
            let y = g.op(op).out_dtypes([Dtype::Float32]).call().unwrap()[0];
            let got = result(&mut g, y, Array::from_vec(shape, numbers.clone()).unwrap());
            for (i, (number, got)) in numbers.iter().zip(got).enumerate() {
                let (scale, zero) = (scales[channel(i)], zero_points[channel(i)] as f64);
                let integer = (RoundMode::HalfToEven.round(f64::from(*number) / scale) + zero).clamp(-128.0, 127.0);
                assert_eq!(got, (integer - zero) * scale, "{number}, element {i}");
            }
        }
    }

    /// Checks every int16 with every mode. The scale produces halves, which are exact in float32.
    #[test]
    fn requantizes_by_floats() {
        let all: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        for (mode, _) in RoundMode::arguments() {
            for (scale, offset) in [(0.5, 0.0), (0.25, -3.5), (-0.125, 7.25), (0.0078125, 0.0)] {
                let mut g = Graph::new("g").unwrap();
                let x = g.input("x", Dtype::Int16, [1 << 16]).unwrap();
                let y = g.requant_fp(x, scale, offset, Dtype::Int8).round_mode(mode).call().unwrap();
                let got = result(&mut g, y, Array::from_vec([1 << 16], all.clone()).unwrap());
                let exact = |x: i16| mode.round(f64::from(x) * scale + offset).clamp(-128.0, 127.0);
                assert!(got.iter().zip(&all).all(|(y, x)| *y == exact(*x)), "{mode:?} {scale} {offset}");
            }
        }
    }

    #[test]
    fn floats_are_rounded_before_they_are_requantized() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [6]).unwrap();
        let y = g.requant_fp(x, 0.5, 0.0, Dtype::Int8).first_round_mode(RoundMode::Up).call().unwrap();
        let x = Array::from([4.2f32, -0.9, 1e30, -1e30, f32::NAN, 2.0]);
        assert_eq!(result(&mut g, y, x), [3.0, 0.0, 127.0, -128.0, 0.0, 1.0]);
    }

    /// Checks every int8 with every mode against real arithmetic.
    #[test]
    fn widens_integers() {
        let all: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        for (mode, _) in RoundMode::arguments() {
            for (mul, shift) in [(3, -1), (-5, -3), (1, 4), (1000, 20), (i64::from(i32::MAX), -33)] {
                let mut g = Graph::new("g").unwrap();
                let x = g.input("x", Dtype::Int8, [256]).unwrap();
                g.quantize(x, &Quantization::per_tensor(1.0, -7)).unwrap();
                let y = g.dequant_int(x, mul, shift, 9, 0, 0).out_dtype(Dtype::Int16).round_mode(mode).call().unwrap();
                let got = result(&mut g, y, Array::from_vec([256], all.clone()).unwrap());
                let exact = |x: i8| mode.round((f64::from(x) + 7.0) * mul as f64 * (shift as f64).exp2());
                let held = |x: i8| exact(x).clamp(-32768.0, 32767.0);
                assert!(got.iter().zip(&all).all(|(y, x)| *y == held(*x)), "{mode:?} {mul} {shift}");
            }
        }
    }

    /// The extreme values of lists, shifts and fractions.
    #[test]
    fn widens_integers_by_channel_and_as_tflite() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Uint16, [1, 3, 2]).unwrap();
        let (mul, shift) = (vec![i64::MAX, 1, -1], vec![62, -1, 0]);
        let y = g.dequant_int(x, mul, shift, 0, 0, 0).out_dtype(Dtype::Int16).call().unwrap();
        let data = || Array::from_vec([1, 3, 2], vec![0u16, 1, 5, 65535, 1, 65535]).unwrap();
        assert_eq!(result(&mut g, y, data()), [0.0, 32767.0, 3.0, 32767.0, -1.0, -32768.0]);
        // A half, then 2^-1: (5 / 2 -> 3) / 2 -> 2 by half_up.
        let y = g.dequant_int(x, 1 << 30, -1, 0, 0, 1).out_dtype(Dtype::Int16).call().unwrap();
        assert_eq!(result(&mut g, y, data()), [0.0, 1.0, 2.0, 16384.0, 1.0, 16384.0]);
        let y = g.dequant_int(x, 1 << 30, 0, 0, 62, 1).out_dtype(Dtype::Uint16).call().unwrap();
        assert_eq!(result(&mut g, y, data()), [0.0, 65535.0, 65535.0, 65535.0, 65535.0, 65535.0]);
    }

    #[test]
    fn what_no_integer_is_becomes_the_nearest() {
        let numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, 2.5, -2.5, -0.0];
        for (dtype, expected) in [
            (Dtype::Int8, [0.0, 127.0, -128.0, 127.0, -128.0, 3.0, -3.0, 0.0]),
            (Dtype::Uint8, [0.0, 255.0, 0.0, 255.0, 0.0, 3.0, 0.0, 0.0]),
            (Dtype::Int32, [0.0, 2147483647.0, -2147483648.0, 2147483647.0, -2147483648.0, 3.0, -3.0, 0.0]),
        ] {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, [8]).unwrap();
            let y = g.cast(x).out_dtype(dtype).out_name("y").call().unwrap();
            g.set_outputs(&[y]).unwrap();
            let out = run(&g, &[("x", Array::from(numbers))], &CpuBackend::new(), &RunOptions::default()).unwrap();
            assert_eq!(out.tensors["y"].to_f64().unwrap(), expected, "{dtype}");
        }
    }
}
