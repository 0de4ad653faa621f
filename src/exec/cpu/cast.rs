use super::{Kernel, Operand, chunks::blocks, task::Finish};
use crate::{
    base::Dtype,
    exec::ValueType,
    ops::{Cast, RequantInt, RequantMode},
    quant::{Quantization, multiplier_shift, tflite},
};

pub(super) fn cast(op: Cast<Operand>) -> Kernel {
    Box::new(move |t| {
        let plain = |ty: &ValueType| ty.buffer_dtype() != Dtype::Float32 && ty.quantization.is_none();
        if plain(&op.input.ty) && plain(t.result(0)?) {
            let source = t.source(&op.input, &op.input.ty.shape)?;
            return t.fill_ints(0, |first, out| source.ints(first, out));
        }
        let source = t.source(&op.input, &op.input.ty.shape)?;
        t.fill(0, 1, Finish::round(op.round_mode), |first, out| {
            source.reals(first, out);
            Ok(())
        })
    })
}

/// None for the modes that the tool chain's executor does not know either.
pub(super) fn requant_int(op: RequantInt<Operand>) -> Option<Kernel> {
    let is_tflite = match op.quant_mode {
        RequantMode::TFLite | RequantMode::TFLiteLShift => true,
        RequantMode::MultiplierShift => false,
        RequantMode::OnlyShift | RequantMode::QDM | RequantMode::OnlyScale => return None,
    };
    Some(Box::new(move |t| {
        let shape = &op.input.ty.shape;
        let values_of = |q: &Option<Quantization>| q.as_ref().map_or((vec![1.0], vec![0]), Quantization::values);
        let (_, zero_points) = values_of(&t.result(0)?.quantization);
        let input_zero = values_of(&op.input.ty.quantization).1[0];
        let axis = op.rq_axis.rem_euclid(shape.len() as i64) as usize;
        let inner: usize = shape[axis + 1..].iter().product();
        let source = t.source(&op.input, shape)?;
        let requantized = |block: usize, run: &mut [i64]| {
            let c = block % shape[axis];
            let of = |list: &[i64]| list.get(c).or(list.first()).copied().unwrap_or(0);
            let (m, s, z) = (of(&op.multiplier), of(&op.rshift), of(&zero_points));
            for v in run {
                let (x, left) = (v.saturating_sub(input_zero), s.saturating_neg());
                let scaled = match is_tflite {
                    true => tflite(x, m, left, op.round_mode),
                    false => multiplier_shift(x, m, s, op.round_mode),
                };
                *v = scaled.saturating_add(z);
            }
        };
        t.fill_ints(0, |first, out| {
            source.ints(first, out);
            blocks(first, out.len(), inner, |block, part| requantized(block, &mut out[part]));
        })
    }))
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions, run},
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
