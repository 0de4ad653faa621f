//! Gradients of scans: states that each step of a sequence updates.
use super::backward::{Backward, Output};
use crate::{
    Operator, Tensor,
    base::Result,
    emit::Emit,
    ops::{ChunkGatedDeltaRule, RecurrentGatedDeltaRule, ReduceMode, SelectiveScan},
};

/// The states `s[i] = a[i] * s[i - 1] + b[i]` along an axis, from 0. Steps are combined by twos, fours and so on.
fn linear_scan(b: &mut Backward, factors: Tensor, terms: Tensor, axis: usize) -> Result<Tensor> {
    let length = b.shape(terms)?[axis];
    let (mut a, mut s) = (factors, terms);
    let mut distance = 1;
    while distance < length {
        let earlier = |b: &mut Backward, t: Tensor| -> Result<Tensor> {
            let kept = b.slice(t, axis, 0, length - distance)?;
            b.pad_axis(kept, axis, distance, 0)
        };
        let before = earlier(b, s)?;
        let faded = b.mul(a, before)?;
        s = b.add(s, faded)?;
        let before = earlier(b, a)?;
        a = b.mul(a, before)?;
        distance *= 2;
    }
    Ok(s)
}

/// The first half of the channels is scanned forward, the second half backward.
pub(super) fn selective_scan(
    b: &mut Backward,
    op: &SelectiveScan<Tensor>,
    operator: &Operator,
    o: Output,
) -> Result<()> {
    let shape = b.shape(op.deltaA)?;
    let &[1, channels, length, batch] = shape.as_slice() else {
        return Err(b.refuse(operator, "a scan of several states is not defined"));
    };
    if channels % 2 != 0 {
        return Err(b.refuse(operator, "a scan of an odd number of channels is not defined"));
    }
    let half = channels / 2;
    b.expand(&[Some(o)], |b| {
        let mut scanned = Vec::new();
        for first in [0, half] {
            let mut operands = [op.deltaA, op.deltaB_u];
            for t in &mut operands {
                let real = b.real(*t)?;
                let part = b.slice(real, 1, first, half)?;
                *t = if first == 0 { part } else { b.reverse(part, 2)? };
            }
            let states = linear_scan(b, operands[0], operands[1], 2)?;
            scanned.push(if first == 0 { states } else { b.reverse(states, 2)? });
        }
        let states = b.concat(scanned, 1)?;
        let states = b.reshape(states, &[channels, length, batch])?;
        let states = b.swap_axes(states, 0, 1)?;
        let weights = b.real(op.Cs)?;
        let weights = b.reshape(weights, &[length, channels, batch])?;
        let mut y = b.mul(states, weights)?;
        if let Some(skip) = op.Ds {
            let u = b.real(op.us)?;
            let u = b.reshape(u, &[length, channels, batch])?;
            let skip = b.real(skip)?;
            let skip = b.reshape(skip, &[1, channels, 1])?;
            let skipped = b.mul(u, skip)?;
            y = b.add(y, skipped)?;
        }
        Ok(vec![y])
    })
}

/// Operands and attributes of the gated delta rules.
pub(super) struct Delta {
    query: Tensor,
    key: Tensor,
    value: Tensor,
    g: Tensor,
    beta: Tensor,
    state: Tensor,
    elements: usize,
    /// Number of heads of queries and keys, and of values.
    heads: [usize; 2],
    scale: f64,
    is_normalized: bool,
}

/// Both rules have the same operands and attributes.
macro_rules! gated_delta {
    ($($op:ident)*) => { $(impl From<&$op<Tensor>> for Delta {
        fn from(op: &$op<Tensor>) -> Delta {
            Delta {
                query: op.query,
                key: op.key,
                value: op.value,
                g: op.g,
                beta: op.beta,
                state: op.recurrent_state,
                elements: op.d as usize,
                heads: [op.num_k_heads as usize, op.num_v_heads as usize],
                scale: op.scale,
                is_normalized: op.use_qk_l2norm,
            }
        }
    })* };
}
gated_delta!(RecurrentGatedDeltaRule ChunkGatedDeltaRule);

impl Delta {
    /// Queries or keys of all heads of values, `[batch, steps, heads, elements]`, brought to length 1 if requested.
    fn vectors(&self, b: &mut Backward, x: Tensor, batch: usize, steps: usize) -> Result<Tensor> {
        let ([shared, heads], n) = (self.heads, self.elements);
        let x = b.real(x)?;
        let mut x = b.reshape(x, &[batch, steps, shared, 1, n])?;
        if self.is_normalized {
            let square = b.square(x)?;
            let sum = b.reduce(square, &[4], ReduceMode::ReduceSum)?;
            let sum = b.add_const(sum, 1e-6)?;
            let inverse = b.rsqrt(sum)?;
            x = b.mul(x, inverse)?;
        }
        let x = b.expand_to(x, &[batch, steps, shared, heads / shared, n])?;
        b.reshape(x, &[batch, steps, heads, n])
    }
}

/// The entries of each step, `[batch, heads, ..]`. The steps become the first axis, since tpuc-opt changes the results of other
/// splits.
fn at_steps(b: &mut Backward, x: Tensor, shape: &[usize]) -> Result<Vec<Tensor>> {
    let by_step = b.swap_axes(x, 0, 1)?;
    b.entries(by_step, 0)?.into_iter().map(|part| b.reshape(part, shape)).collect()
}

/// A state matrix per head, which fades, gets what it lacks of the value, and is read by the query. Written out step by
/// step.
pub(super) fn gated_delta_rule(b: &mut Backward, op: &Delta, o: Output) -> Result<()> {
    let result = b.shape(o.y)?;
    let (batch, steps, heads, n) = (result[0], result[1], op.heads[1], op.elements);
    b.expand(&[Some(o)], |b| {
        let (q, k) = (op.vectors(b, op.query, batch, steps)?, op.vectors(b, op.key, batch, steps)?);
        let q = b.mul_const(q, op.scale)?;
        let v = b.real(op.value)?;
        let v = b.reshape(v, &[batch, steps, heads, n])?;
        let (g, beta) = (b.real(op.g)?, b.real(op.beta)?);
        let (g, beta) = (b.reshape(g, &[batch, steps, heads])?, b.reshape(beta, &[batch, steps, heads])?);
        let fading = b.exp(g)?;
        let state = b.real(op.state)?;
        let mut state = b.reshape(state, &[batch, heads, n, n])?;
        let mut made = Vec::new();
        let (row, column, one) = ([batch, heads, 1, n], [batch, heads, n, 1], [batch, heads, 1, 1]);
        let (fading, keys, values) = (at_steps(b, fading, &one)?, at_steps(b, k, &row)?, at_steps(b, v, &row)?);
        let (betas, queries) = (at_steps(b, beta, &one)?, at_steps(b, q, &row)?);
        for step in 0..steps {
            state = b.mul(state, fading[step])?;
            let key = keys[step];
            let known = b.matmul(key, state)?;
            let lacking = b.sub(values[step], known)?;
            let lacking = b.mul(lacking, betas[step])?;
            let key = b.reshape(key, &column)?;
            let added = b.matmul(key, lacking)?;
            state = b.add(state, added)?;
            let y = b.matmul(queries[step], state)?;
            made.push(b.reshape(y, &[batch, 1, heads, n])?);
        }
        let y = b.concat(made, 1)?;
        Ok(vec![b.reshape(y, &result)?])
    })
}
