use super::{
    OpKernel, Operand,
    chunks::blocks,
    task::{PostOp, Task},
};
use crate::{
    base::{Dtype, Result},
    ops::MeanStdScale,
    quant::shifted,
    semantics,
};

/// Computed like the compiler for bm1684x does: bytes to bytes in fixed point, floats to bytes rounded once. Float
/// results are not scaled.
pub(super) fn mean_std_scale(op: MeanStdScale<Operand>) -> OpKernel {
    OpKernel::new(move |t| match (t.result(0)?.dtype.is_float(), op.input.ty.dtype.is_float()) {
        (true, _) => normalized(t, &op),
        (false, true) => rounded(t, &op),
        (false, false) => fixed_point(t, &op),
    })
}

/// Calls `f` with the channel of each run of values.
fn channels<T>(op: &MeanStdScale<Operand>, first: usize, values: &mut [T], mut f: impl FnMut(usize, &mut [T])) {
    let shape = &op.input.ty.shape;
    let inner = shape[2..].iter().product();
    blocks(first, values.len(), inner, |block, part| f(block % shape[1], &mut values[part]));
}

fn normalized(t: &mut Task, op: &MeanStdScale<Operand>) -> Result<()> {
    let source = t.source(&op.input, &op.input.ty.shape)?;
    let stored = op.input.ty.buffer_dtype() != Dtype::Float32;
    t.fill(0, 1, PostOp::default(), |first, out| {
        if stored {
            let mut ints = vec![0; out.len()];
            source.ints(first, &mut ints);
            out.iter_mut().zip(ints).for_each(|(v, i)| *v = i as f32);
        } else {
            source.reals(first, out);
        }
        channels(op, first, out, |c, run| {
            run.iter_mut().for_each(|v| *v = ((f64::from(*v) - op.mean[c]) / op.std[c]) as f32);
        });
        Ok(())
    })
}

fn rounded(t: &mut Task, op: &MeanStdScale<Operand>) -> Result<()> {
    let source = t.source(&op.input, &op.input.ty.shape)?;
    let (factors, zero) = semantics::rounded_factors(op);
    t.fill_ints(0, |first, out| {
        let mut reals = vec![0.0; out.len()];
        source.reals(first, &mut reals);
        let mut reals = reals.into_iter();
        channels(op, first, out, |c, run| {
            let (mean, inverse) = (op.mean[c] as f32, factors[c]);
            for (y, x) in run.iter_mut().zip(reals.by_ref()) {
                let x = (f64::from(x - mean) * inverse) as f32;
                *y = (op.rounding_mode.round(x.into()) as i64).saturating_add(zero);
            }
        });
    })
}

fn fixed_point(t: &mut Task, op: &MeanStdScale<Operand>) -> Result<()> {
    let source = t.source(&op.input, &op.input.ty.shape)?;
    let factors = semantics::fixed_point_factors(op);
    t.fill_ints(0, |first, out| {
        source.ints(first, out);
        channels(op, first, out, |c, run| {
            let (multiplier, shift, offset) = factors[c];
            let sum = |x: i64| i128::from(x) * i128::from(multiplier) + i128::from(offset);
            run.iter_mut().for_each(|v| *v = shifted(sum(*v), -shift, op.rounding_mode));
        });
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, quant::RoundMode, run};

    /// Checks every byte with every mode: the multiplier of 1.088, at 16 bits, is 17826 / 2^14.
    #[test]
    fn bytes_are_the_fixed_point_definition() {
        for (mode, _) in RoundMode::arguments() {
            for (mean, offset) in [(128.0, -2_281_702.0), (-3.5, 62_390.0), (0.0, 0.0)] {
                let mut g = Graph::new("g").unwrap();
                let x = g.input("x", Dtype::Uint8, [1, 1, 1, 256]).unwrap();
                let call = g.mean_std_scale(x, vec![58.8235294117647], vec![mean]).scale(vec![1.0, 0.015625]);
                let y = call.odtype(Dtype::Int8).round_mode(mode).out_name("y").call().unwrap();
                g.set_outputs(&[y]).unwrap();
                let all = Array::from_vec([1, 1, 1, 256], (0..=255).collect::<Vec<u8>>()).unwrap();
                let out = run(&g, &[("x", all)], &CpuBackend::new(), &RunOptions::default()).unwrap();
                let want = |x: i32| mode.round((f64::from(x) * 17826.0 + offset) / 16384.0).clamp(-128.0, 127.0);
                let want: Vec<f64> = (0..256).map(want).collect();
                assert_eq!(out.tensors["y"].to_f64().unwrap(), want, "{mode:?} {mean}");
            }
        }
    }
}
