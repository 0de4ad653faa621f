//! Attention without a softmax, and the convolution before it: layers with a state that steps update.
use super::{
    Convert,
    attention::{repeat_heads, split_heads},
};
use crate::{
    Tensor,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{Conv, SiLU},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] =
    &[("CausalConvWithState", causal_conv), ("LinearAttention", linear_attention)];

/// A convolution of each channel over its past, which the state begins.
fn causal_conv<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, weight) = (n.input(0)?, n.input(1)?);
    let ([_, channels, length], [_, _, size]) = (
        x.shape()[..].try_into().map_err(|_| rank("its operand"))?,
        weight.shape()[..].try_into().map_err(|_| rank("its weight"))?,
    );
    let input = b.tensor(x)?;
    let past = size - 1;
    let extended = match n.optional(3) {
        Some(state) if past > 0 => {
            let state = b.tensor(state)?;
            b.concat(vec![state, input], 2)?
        }
        _ => b.pad_axis(input, 2, past, 0)?,
    };
    let filter = b.tensor(weight)?;
    let bias = b.optional_tensor(n.optional(2))?;
    let op = Conv {
        bias,
        group: channels as i64,
        weight_is_coeff: i64::from(weight.is_constant()),
        ..Conv::new(extended, filter, vec![size as i64], vec![1], vec![0, 0])
    };
    let mut made = b.op(op)?;
    if n.word("activation", "none", &[("none", false), ("silu", true), ("swish", true)])? {
        made = b.op(SiLU::new(made))?;
    }
    let mut results = vec![b.value(made, x.dtype())?];
    if n.is_wanted(1) {
        if past == 0 {
            return Err(invalid("a kernel of one element has no state"));
        }
        let state = b.slice(extended, 2, length, past)?;
        results.push(b.value(state, x.dtype())?);
    }
    Ok(results)
}

fn rank(what: &str) -> crate::base::Error {
    invalid(format!("{what} must have 3 dimensions"))
}

/// How a step changes the state.
#[derive(Clone, Copy, PartialEq)]
struct Update {
    decays: bool,
    /// Whether what the state already holds for the key is replaced.
    is_delta: bool,
}

/// Longest sequence that is written out, step by step.
const LONGEST: usize = 512;

fn linear_attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (q, k, v) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let (q_heads, heads) = (n.size("q_num_heads")?, n.size("kv_num_heads")?);
    let kinds =
        [("linear", (false, false)), ("gated", (true, false)), ("delta", (false, true)), ("gated_delta", (true, true))];
    let (decays, is_delta) = n.word("update_rule", "gated_delta", &kinds)?;
    let update = Update { decays, is_delta };
    let [query, key, value] = b.tensors(&[q, k, v])?[..] else { return Err(invalid("it has three operands")) };
    let (query, key, value) =
        (split_heads(b, query, q_heads)?, split_heads(b, key, heads)?, split_heads(b, value, heads)?);
    let of_key = b.shape(key)?;
    let (batch, length, size) = (of_key[0], of_key[2], of_key[3]);
    if length > LONGEST {
        return Err(argument(
            "the length of the sequence",
            length,
            format!("each step is written out; at most {LONGEST} are supported"),
        ));
    }
    let width = b.shape(value)?[3];
    let scale = n.float("scale").filter(|s| *s != 0.0).unwrap_or(1.0 / (size as f64).sqrt());
    let query = b.mul_const(query, scale)?;
    let mut state = match n.optional(3) {
        Some(state) => b.tensor(state)?,
        None => b.filled(0.0, Dtype::Float32, &[batch, heads, size, width])?,
    };
    // Per step [batch, heads, 1 or size, 1], and [batch, heads, 1, 1].
    let decay = n.optional(4).filter(|_| update.decays).map(|d| of_heads(b, d, heads)).transpose()?;
    let rate = n.optional(5).filter(|_| update.is_delta).map(|r| of_heads(b, r, heads)).transpose()?;
    let mut steps = Vec::new();
    for t in 0..length {
        let at = |b: &mut Importer<'m>, x: Tensor| b.slice(x, 2, t, 1);
        if let Some(decay) = decay {
            let one = at(b, decay)?;
            let one = b.transposed(one)?;
            let factor = b.exp(one)?;
            state = b.mul(state, factor)?;
        }
        let (key, mut new) = (at(b, key)?, at(b, value)?);
        if update.is_delta {
            let held = b.matmul(key, state)?;
            new = b.sub(new, held)?;
            if let Some(rate) = rate {
                let rate = at(b, rate)?;
                new = b.mul(new, rate)?;
            }
        }
        let column = b.transposed(key)?;
        let outer = b.matmul(column, new)?;
        state = b.add(state, outer)?;
        let query = at(b, query)?;
        let seen = repeat_heads(b, state, q_heads)?;
        steps.push(b.matmul(query, seen)?);
    }
    let all = b.concat(steps, 2)?;
    let made = super::attention::join_heads(b, all)?;
    let mut results = vec![b.value(made, q.dtype())?, b.value(state, q.dtype())?];
    results.truncate(n.outputs());
    Ok(results)
}

/// Splits [batch, length, heads * n] into heads; a single number for all heads is used by each.
fn of_heads(b: &mut Importer, x: &Value, heads: usize) -> Result<Tensor> {
    let tensor = b.tensor(x)?;
    let shape = x.shape();
    if shape.last() == Some(&1) && shape.len() == 3 {
        let column = b.reshape(tensor, &[shape[0], 1, shape[1], 1])?;
        return b.expand_to(column, &[shape[0], heads, shape[1], 1]);
    }
    split_heads(b, tensor, heads)
}
