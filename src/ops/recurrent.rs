//! Type rules of recurrent ops, which carry a state along a sequence.
use super::{
    ChunkGatedDeltaRule, GRU, LSTM, RecurrentGatedDeltaRule, SelectiveScan,
    types::{Choice, Inferred, Types, Value, of_dtype},
};
use crate::base::{Result, argument, invalid, misfit, shape_text};

pub(super) fn lstm(op: &LSTM<Value>) -> Types {
    let sizes = RecurrentSizes::new(&op.input, op.batch_first, op.bidirectional, op.hidden_size, 4)?;
    sizes.check_weights(&op.filter, &op.recurrence, &op.bias)?;
    [&op.initial_h, &op.initial_c].into_iter().flatten().try_for_each(|s| sizes.check_shape(s, &sizes.state()))?;
    if let Some(cont) = &op.cont {
        cont.expect_elements(sizes.length.saturating_mul(sizes.batch), "one for each step of each sequence")?;
    }
    sizes.results(&op.input, 3)
}

pub(super) fn gru(op: &GRU<Value>) -> Types {
    let sizes = RecurrentSizes::new(&op.input, op.batch_first, op.bidirectional, op.hidden_size, 3)?;
    sizes.check_weights(&op.filter, &op.recurrence, &op.bias)?;
    op.initial_h.iter().try_for_each(|s| sizes.check_shape(s, &sizes.state()))?;
    sizes.results(&op.input, 2)
}

struct RecurrentSizes {
    batch_first: bool,
    length: usize,
    batch: usize,
    size: usize,
    directions: usize,
    hidden: usize,
    gates: usize,
}

impl RecurrentSizes {
    fn new(input: &Value, batch_first: bool, bidirectional: bool, hidden: i64, gates: usize) -> Result<RecurrentSizes> {
        let &[first, second, size] = input.shape else {
            let problem = format!("is {}; expected three axes, length x batch x size", shape_text(input.shape));
            return Err(misfit(input.display_name, problem));
        };
        let (length, batch) = if batch_first { (second, first) } else { (first, second) };
        if !(1..=1 << 31).contains(&hidden) {
            return Err(argument("hidden_size", hidden, "expected 1 to 2^31"));
        }
        let directions = if bidirectional { 2 } else { 1 };
        Ok(RecurrentSizes { batch_first, length, batch, size, directions, hidden: hidden as usize, gates })
    }
    fn state(&self) -> [usize; 3] {
        let (d, b) = (self.directions, self.batch);
        if self.batch_first { [b, d, self.hidden] } else { [d, b, self.hidden] }
    }
    fn check_shape(&self, found: &Value, expected: &[usize]) -> Result<()> {
        if found.shape == expected {
            return Ok(());
        }
        let (found_shape, expected) = (shape_text(found.shape), shape_text(expected));
        Err(misfit(found.display_name, format!("is {found_shape}; expected {expected}")))
    }
    fn check_weights(&self, filter: &Value, recurrence: &Value, bias: &Option<Value>) -> Result<()> {
        let rows = self.gates * self.hidden;
        self.check_shape(filter, &[self.directions, rows, self.size])?;
        self.check_shape(recurrence, &[self.directions, rows, self.hidden])?;
        let biases = self.directions * 2 * rows;
        bias.iter()
            .try_for_each(|b| b.expect_elements(biases, "that of filter and that of recurrence in each direction"))
    }
    /// Returns the type of the hidden states of all steps, followed by those of the final states, `count` results in total.
    fn results(&self, input: &Value, count: usize) -> Types {
        let (l, b, d, h) = (self.length, self.batch, self.directions, self.hidden);
        let all = if self.batch_first { vec![b, l, d, h] } else { vec![l, d, b, h] };
        let result = |shape| Inferred { shape, dtype: Choice::Is(input.dtype) };
        let last = std::iter::repeat_n(result(self.state().to_vec()), count - 1);
        Ok(std::iter::once(result(all)).chain(last).collect())
    }
}

/// Operands and sizes of the gated delta rules.
struct Delta<'a, 'v> {
    query: &'a Value<'v>,
    key: &'a Value<'v>,
    value: &'a Value<'v>,
    g: &'a Value<'v>,
    beta: &'a Value<'v>,
    state: &'a Value<'v>,
    elements: i64,
    key_heads: i64,
    value_heads: i64,
}

impl Delta<'_, '_> {
    /// Returns batch x steps x heads x elements. Only the operands' number of elements is checked, not their shapes, since
    /// a single step may be written with or without its axis.
    fn result(&self, batch: usize, steps: usize) -> Types {
        let size = |name: &str, n: i64| {
            let size = usize::try_from(n).ok().filter(|n| *n > 0);
            size.ok_or_else(|| argument(name, n, "expected at least 1"))
        };
        let (d, values) = (size("d", self.elements)?, size("num_v_heads", self.value_heads)?);
        let keys = size("num_k_heads", self.key_heads)?;
        if values % keys != 0 {
            return Err(argument("num_k_heads", keys, format!("it must divide the {values} heads of values")));
        }
        let product = |dims: &[usize]| dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        let expect = |t: &Value, dims: &[usize], of_what: &str| {
            let n = product(dims).ok_or_else(|| invalid("there are too many heads and elements"))?;
            t.expect_elements(n, of_what)
        };
        for t in [self.query, self.key] {
            expect(t, &[batch, steps, keys, d], "batch x steps x num_k_heads x d")?;
        }
        expect(self.value, &[batch, steps, values, d], "batch x steps x num_v_heads x d")?;
        for t in [self.g, self.beta] {
            expect(t, &[batch, steps, values], "batch x steps x num_v_heads")?;
        }
        expect(self.state, &[batch, values, d, d], "batch x num_v_heads x d x d")?;
        of_dtype(vec![batch, steps, values, d], self.value)
    }
}

fn first(value: &Value) -> Result<usize> {
    value
        .shape
        .first()
        .copied()
        .ok_or_else(|| misfit(value.display_name, "has no axis; expected batch x heads x elements"))
}

pub(super) fn recurrent_gated_delta_rule(op: &RecurrentGatedDeltaRule<Value>) -> Types {
    let RecurrentGatedDeltaRule { query, key, value, g, beta, recurrent_state: state, .. } = op;
    let (elements, key_heads, value_heads) = (op.d, op.num_k_heads, op.num_v_heads);
    Delta { query, key, value, g, beta, state, elements, key_heads, value_heads }.result(first(value)?, 1)
}

pub(super) fn chunk_gated_delta_rule(op: &ChunkGatedDeltaRule<Value>) -> Types {
    let ChunkGatedDeltaRule { query, key, value, g, beta, recurrent_state: state, .. } = op;
    let &[batch, steps, _, _] = value.shape else {
        let expected = "expected batch x steps x num_v_heads x d";
        return Err(misfit(value.display_name, format!("is {}; {expected}", shape_text(value.shape))));
    };
    let (elements, key_heads, value_heads) = (op.d, op.num_k_heads, op.num_v_heads);
    Delta { query, key, value, g, beta, state, elements, key_heads, value_heads }.result(batch, steps)
}

/// Returns length x channels x batch.
pub(super) fn selective_scan(op: &SelectiveScan<Value>) -> Types {
    let wrong = |t: &Value, expected: String| {
        Err(misfit(t.display_name, format!("is {}; expected {expected}", shape_text(t.shape))))
    };
    let &[length, channels, 1, batch] = op.Cs.shape else {
        return wrong(&op.Cs, "length x channels x 1 x batch".into());
    };
    for t in [&op.deltaA, &op.deltaB_u] {
        if t.shape.len() != 4 || t.shape[1..] != [channels, length, batch] {
            return wrong(t, format!("states x {channels} x {length} x {batch}"));
        }
    }
    if op.deltaA.shape != op.deltaB_u.shape {
        return wrong(&op.deltaB_u, format!("{}, as {}", shape_text(op.deltaA.shape), op.deltaA.display_name));
    }
    op.us.expect_elements(op.Cs.elements(), "one for each step, channel and sequence")?;
    op.Ds.iter().try_for_each(|d| d.expect_elements(channels, "one per channel"))?;
    of_dtype(vec![length, channels, batch], &op.Cs)
}
