//! Recurrences over a sequence without weight matrices.
use super::{
    builder::{Builder, arguments},
    formula::PostOp,
    geometry,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{Operand, semantics::Delta},
    ops::{ChunkGatedDeltaRule, RecurrentGatedDeltaRule, SelectiveScan},
};

const FILE: File = file!("scan.cu");

fn gated_delta(op: &Delta, b: &mut Builder) -> Result<()> {
    let (n, [shared, heads]) = (op.elements, op.heads);
    let shape = &b.result_type(0)?.shape;
    let (batch, steps) = (shape[0], shape[1]);
    let (query, key, value) = (b.reals(op.query)?, b.reals(op.key)?, b.reals(op.value)?);
    let (g, beta, initial) = (b.reals(op.g)?, b.reals(op.beta)?, b.reals(op.state)?);
    let states = b.temporary_reals((batch * heads).saturating_mul(n * n));
    let (out, normalized, scale) = (b.real_result(0)?, op.normalized, op.scale as f32);
    let arguments =
        arguments![query, key, value, g, beta, initial, states, out, batch, steps, heads, shared, n, normalized, scale];
    b.launch(FILE, "gated_delta", geometry::rows((batch * heads) as u64, 4 * n as u64), arguments)?;
    b.store(0, out, PostOp::default())
}

pub(super) fn recurrent_gated_delta_rule(op: &RecurrentGatedDeltaRule<Operand>, b: &mut Builder) -> Result<()> {
    gated_delta(&op.into(), b)
}

pub(super) fn chunk_gated_delta_rule(op: &ChunkGatedDeltaRule<Operand>, b: &mut Builder) -> Result<()> {
    gated_delta(&op.into(), b)
}

pub(super) fn selective_scan(
    op: &SelectiveScan<Operand>,
    [channels, length, batch]: [usize; 3],
    b: &mut Builder,
) -> Result<()> {
    let (c, a, x) = (b.reals(&op.Cs)?, b.reals(&op.deltaA)?, b.reals(&op.deltaB_u)?);
    let (u, d, out) = (b.reals(&op.us)?, b.reals_or(&op.Ds, c)?, b.real_result(0)?);
    let arguments = arguments![c, a, x, u, d, out, channels, length, batch, op.Ds.is_some()];
    b.launch(FILE, "selective_scan", geometry::elements((channels * batch) as u64), arguments)?;
    b.store(0, out, PostOp::default())
}
