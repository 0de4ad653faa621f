//! Scans: states updated at each step of a sequence, without weight matrices.
use super::{
    OpKernel, Operand,
    task::PostOp,
    task::Task,
    workspace::{Workspace, all_reals, elements, result_elements},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{ChunkGatedDeltaRule, RecurrentGatedDeltaRule, SelectiveScan},
    semantics::{self, Delta},
};
use rayon::prelude::*;

/// The results of each head, and its state.
fn workspace(state: &Operand) -> Workspace {
    all_reals() + result_elements(4) + elements([state], 4)
}

fn run(op: &Delta, t: &mut Task) -> Result<()> {
    let (n, [shared, heads]) = (op.elements, op.heads);
    let shape = &t.result(0)?.shape;
    let (batch, steps) = (shape[0], shape[1]);
    let (query, key, value) = (t.reals(op.query)?, t.reals(op.key)?, t.reals(op.value)?);
    let (g, beta, state) = (t.reals(op.g)?, t.reals(op.beta)?, t.reals(op.state)?);
    // Computed head by head, then permuted to the result's order.
    let mut all = zeros::<f32>(batch * heads * steps * n)?;
    all.par_chunks_mut(steps * n).enumerate().try_for_each(|(i, out)| -> Result<()> {
        let (b, head) = (i / heads, i % heads);
        let mut state: Vec<f32> = copied(&state[i * n * n..][..n * n])?;
        let (mut q, mut k, mut delta) = (zeros::<f32>(n)?, zeros::<f32>(n)?, zeros::<f32>(n)?);
        for (step, out) in out.chunks_mut(n).enumerate() {
            let at = (b * steps + step) * heads + head;
            let of_keys = ((b * steps + step) * shared + head / (heads / shared)) * n;
            vector(op, &query[of_keys..][..n], op.scale as f32, &mut q);
            vector(op, &key[of_keys..][..n], 1.0, &mut k);
            let decay = g[at].exp();
            state.iter_mut().for_each(|s| *s *= decay);
            delta.copy_from_slice(&value[at * n..][..n]);
            for (k, row) in k.iter().zip(state.chunks(n)) {
                delta.iter_mut().zip(row).for_each(|(l, s)| *l -= k * s);
            }
            out.fill(0.0);
            for ((k, q), row) in k.iter().zip(&q).zip(state.chunks_mut(n)) {
                let weight = k * beta[at];
                row.iter_mut().zip(&delta).for_each(|(s, l)| *s += weight * l);
                out.iter_mut().zip(&*row).for_each(|(o, s)| *o += q * s);
            }
        }
        Ok(())
    })?;
    t.fill(0, n, PostOp::default(), |first, out| {
        for (i, out) in out.chunks_mut(n).enumerate() {
            let row = first / n + i;
            let (b, step, head) = (row / heads / steps, row / heads % steps, row % heads);
            out.copy_from_slice(&all[((b * heads + head) * steps + step) * n..][..n]);
        }
        Ok(())
    })
}

/// Scales a query or a key, normalized to length 1 if requested.
fn vector(op: &Delta, from: &[f32], factor: f32, to: &mut [f32]) {
    let length = from.iter().map(|v| v * v).sum::<f32>() + 1e-6;
    let factor = if op.normalized { factor / length.sqrt() } else { factor };
    to.iter_mut().zip(from).for_each(|(t, v)| *t = v * factor);
}

fn copied(values: &[f32]) -> Result<Vec<f32>> {
    let mut copy = zeros(values.len())?;
    copy.copy_from_slice(values);
    Ok(copy)
}

pub(super) fn recurrent_gated_delta_rule(op: RecurrentGatedDeltaRule<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace(&op.recurrent_state), move |t| run(&Delta::from(&op), t))
}

pub(super) fn chunk_gated_delta_rule(op: ChunkGatedDeltaRule<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace(&op.recurrent_state), move |t| run(&Delta::from(&op), t))
}

/// The first half of the channels is scanned forward, the second half backward.
pub(super) fn selective_scan(op: SelectiveScan<Operand>) -> Option<OpKernel> {
    let [channels, length, batch] = semantics::scanned(&op)?;
    Some(OpKernel::with_workspace(all_reals(), move |t| {
        let (c, a, b) = (t.reals(&op.Cs)?, t.reals(&op.deltaA)?, t.reals(&op.deltaB_u)?);
        let u = t.reals(&op.us)?;
        let d = op.Ds.as_ref().map(|d| t.reals(d)).transpose()?;
        t.write(0, PostOp::default(), |out| {
            for channel in 0..channels {
                let forwards = channel < channels / 2;
                for i in 0..batch {
                    let mut state = 0.0;
                    for step in 0..length {
                        let step = if forwards { step } else { length - 1 - step };
                        let from = (channel * length + step) * batch + i;
                        let at = (step * channels + channel) * batch + i;
                        state = a[from] * state + b[from];
                        out[at] = state * c[at] + d.as_ref().map_or(0.0, |d| u[at] * d[channel]);
                    }
                }
            }
            Ok(())
        })
    }))
}
