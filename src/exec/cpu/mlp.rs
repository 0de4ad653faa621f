//! The feed-forward block of a transformer, including mixtures of experts.
use super::{
    OpKernel, Operand,
    blocked::{Apply, Function, InstructionSet},
    chunks::CHUNK,
    gemm::{Mat, add_to_rows, gemm_f32, packed_strips},
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, elements, numbers},
};
use crate::{array::zeros, base::Result, ops::Mlp, semantics::IndexKind};
use rayon::prelude::*;
use std::borrow::Cow;

/// One matrix and bias per expert.
struct Linear<'a> {
    weight: Cow<'a, [f32]>,
    bias: Option<Cow<'a, [f32]>>,
    /// Number of input and of output elements.
    sizes: [usize; 2],
    transposed: bool,
}

impl<'a> Linear<'a> {
    fn new(t: &Task<'a>, weight: &Operand, bias: &Option<Operand>, transposed: bool) -> Result<Linear<'a>> {
        let shape = &weight.ty.shape;
        let (rows, columns) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        let sizes = if transposed { [columns, rows] } else { [rows, columns] };
        let bias = bias.as_ref().map(|b| t.reals(b)).transpose()?;
        Ok(Linear { weight: t.reals(weight)?, bias, sizes, transposed })
    }
    /// Applies an expert to some rows.
    fn run(&self, x: &[f32], expert: usize, out: &mut [f32]) -> Result<()> {
        let [k, n] = self.sizes;
        let data = &self.weight[expert * k * n..][..k * n];
        let x = Mat { data: x, rows: x.len() / k, cols: k, transposed: false };
        gemm_f32(out, x, Mat { data, rows: k, cols: n, transposed: self.transposed })?;
        if let Some(bias) = &self.bias {
            let bias = &bias[expert * n..][..n];
            add_to_rows(out, bias);
        }
        Ok(())
    }
}

/// Multiplies each value by SiLU of its gate, which is overwritten.
fn multiply_by_silu(values: &mut [f32], gates: &mut [f32]) {
    let isa = InstructionSet::best();
    values.par_chunks_mut(CHUNK).zip(gates.par_chunks_mut(CHUNK)).for_each(|(values, gates)| {
        isa.run(Apply { values: &mut *gates, of: None, function: Function::SiLU });
        values.iter_mut().zip(&*gates).for_each(|(v, g)| *v *= g);
    });
}

/// Returns `None` for packed weights, whose order is specific to a chip, and for experts without indices.
pub(super) fn mlp(op: Mlp<Operand>) -> Option<OpKernel> {
    if op.quantized || (op.is_expert && op.expert_id.is_none()) {
        return None;
    }
    // The results of two products.
    let columns = op.weight_gate.ty.shape.iter().rev().take(2).copied().max().unwrap_or(1);
    let rows = op.input.ty.elements() / op.input.ty.shape[2];
    let products = numbers(rows.saturating_mul(columns), 8) + elements([&op.input], 8);
    let packed = [&op.weight_gate, &op.weight_down].map(|weight| {
        let [.., rows, columns] = weight.ty.shape[..] else { return Workspace::none() };
        packed_strips(1, [rows, columns]).max(packed_strips(1, [columns, rows]))
    });
    let packed = packed.into_iter().fold(Workspace::none(), Workspace::max);
    Some(OpKernel::with_workspace(all_reals() + products + packed, move |t| {
        let gate = Linear::new(t, &op.weight_gate, &op.bias_gate, op.right_transpose_gate)?;
        let up = Linear::new(t, &op.weight_up, &op.bias_up, op.right_transpose_up)?;
        let down = Linear::new(t, &op.weight_down, &op.bias_down, op.right_transpose_down)?;
        let (x, elements) = (t.reals(&op.input)?, op.input.ty.shape[2]);
        let block = |x: &[f32], expert: usize, out: &mut [f32]| -> Result<()> {
            let inner = (x.len() / elements).saturating_mul(gate.sizes[1]);
            let (mut gates, mut values) = (zeros::<f32>(inner)?, zeros::<f32>(inner)?);
            gate.run(x, expert, &mut gates)?;
            up.run(x, expert, &mut values)?;
            multiply_by_silu(&mut values, &mut gates);
            down.run(&values, expert, out)
        };
        let ids = op.expert_id.as_ref().filter(|_| op.is_expert).map(|ids| t.ints(ids)).transpose()?;
        t.write(0, PostOp::default(), |out| {
            let Some(ids) = ids else { return block(&x, 0, out) };
            let chosen = op.num_expert_per_tok as usize;
            for (i, (id, out)) in ids.iter().zip(out.chunks_mut(elements)).enumerate() {
                let expert = IndexKind::Experts.resolve(*id, op.num_expert as usize)?;
                block(&x[i / chosen * elements..][..elements], expert, out)?;
            }
            Ok(())
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, multiply_by_silu};

    #[test]
    fn values_of_many_chunks_are_multiplied() {
        let n = 2 * CHUNK + 37;
        let values: Vec<f32> = (0..n).map(|i| (i % 17) as f32 - 8.0).collect();
        let gates: Vec<f32> = (0..n).map(|i| (i * 7919 % 401) as f32 * 0.1 - 20.0).collect();
        let products = |threads: usize| {
            let (mut values, mut gates) = (values.clone(), gates.clone());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| multiply_by_silu(&mut values, &mut gates));
            values
        };
        let got = products(1);
        for (i, got) in got.iter().enumerate() {
            let gate = f64::from(gates[i]);
            let want = f64::from(values[i]) * gate / (1.0 + (-gate).exp());
            assert!((f64::from(*got) - want).abs() <= 1e-6 * want.abs(), "{i}: {got}, not {want}");
        }
        assert_eq!(products(3), got);
    }
}
