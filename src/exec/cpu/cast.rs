use super::{Kernel, Operand, task::Finish};
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
            return t.write_ints(0, t.ints(&op.input)?);
        }
        let values = t.reals(&op.input)?;
        t.write(0, Finish::round(op.round_mode), |out| {
            out.copy_from_slice(&values);
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
        let mut values = t.ints(&op.input)?;
        for (i, run) in values.chunks_mut(inner).enumerate() {
            let c = i % shape[axis];
            let of = |list: &[i64]| list.get(c).or(list.first()).copied().unwrap_or(0);
            let (m, s, z) = (of(&op.multiplier), of(&op.rshift), of(&zero_points));
            for v in run {
                let x = *v - input_zero;
                let scaled =
                    if is_tflite { tflite(x, m, -s, op.round_mode) } else { multiplier_shift(x, m, s, op.round_mode) };
                *v = scaled.saturating_add(z);
            }
        }
        t.write_ints(0, values)
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
}
