//! The feed-forward block of a transformer, optionally with a mixture of experts.
use super::{
    activation,
    builder::Builder,
    chain::Chain,
    flash::{Reals, projected},
    float::Float,
    formula::{Formula, Input, PostOp},
    gather::{expert_offsets, rows_at, run_offsets},
    matmul::{Batch, Matrices, products},
};
use crate::{
    base::Result,
    exec::{Operand, ValueType, semantics::IndexKind},
    ops::Mlp,
};

/// The experts selected for each row.
struct Experts<'o> {
    ids: &'o Operand,
    count: usize,
}

/// A matrix, or one per expert, and its bias.
struct Linear<'o> {
    weight: &'o Operand,
    bias: &'o Option<Operand>,
    transposed: bool,
}

impl Linear<'_> {
    /// Applies the layer to all rows, or for each selected expert to one row, which `sharing` experts share.
    fn of(&self, b: &mut Builder, rows: &Reals, experts: &Option<Experts>, sharing: usize) -> Result<Reals> {
        match experts {
            None => projected(b, rows, (self.weight, self.transposed), self.bias),
            Some(experts) => self.of_experts(b, rows, experts, sharing),
        }
    }
    fn of_experts(&self, b: &mut Builder, (rows, ty): &Reals, e: &Experts, sharing: usize) -> Result<Reals> {
        let [.., down, across] = self.weight.ty.shape[..] else { return Ok((*rows, ty.clone())) };
        let (k, n) = if self.transposed { (across, down) } else { (down, across) };
        let count = e.ids.ty.elements();
        let batch = Batch::Indirect { count, offsets: expert_offsets(b, e.ids, e.count, sharing, [k, k * n])? };
        let ty = ValueType { shape: vec![count, n], ..ty.clone() };
        let (right, out) = (b.reals(self.weight)?, b.temporary(ty.bytes()));
        let p = Matrices { m: 1, k, n, left_transposed: false, right_transposed: self.transposed, batch };
        products(b, &p, [*rows, right], out)?;
        if let Some(bias) = self.bias {
            let offsets = run_offsets(b, e.ids, IndexKind::Experts, e.count, count, n)?;
            let bias = rows_at(b, bias, offsets, [count, n])?;
            let inputs = [out, bias].map(|slot| Input::slot(slot, ty.clone())).to_vec();
            b.chain(Chain::new(vec![Formula::real(inputs, "x + y")], out, ty.clone()))?;
        }
        Ok((out, ty))
    }
}

pub(super) fn mlp(op: &Mlp<Operand>, b: &mut Builder) -> Result<()> {
    let linear = |weight, bias, transposed| Linear { weight, bias, transposed };
    let gate = linear(&op.weight_gate, &op.bias_gate, op.right_transpose_gate);
    let up = linear(&op.weight_up, &op.bias_up, op.right_transpose_up);
    let down = linear(&op.weight_down, &op.bias_down, op.right_transpose_down);
    let experts = op.expert_id.as_ref().filter(|_| op.is_expert);
    let experts = experts.map(|ids| Experts { ids, count: op.num_expert as usize });
    let (input, chosen) =
        ((b.reals(&op.input)?, Float::Single.type_like(&op.input.ty)), op.num_expert_per_tok as usize);
    let (gate, ty) = gate.of(b, &input, &experts, chosen)?;
    let (up, _) = up.of(b, &input, &experts, chosen)?;
    let inputs = vec![Input::slot(up, ty.clone()), Input::slot(gate, ty.clone())];
    let gated = Formula::real(inputs, "x * (y * logistic(y))").with(activation::FUNCTIONS);
    b.chain(Chain::new(vec![gated], up, ty.clone()))?;
    let (result, _) = down.of(b, &(up, ty), &experts, 1)?;
    b.store(0, result, PostOp::default())
}
