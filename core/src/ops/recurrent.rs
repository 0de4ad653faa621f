//! Types of what carries a state along a sequence.
use super::{
    GRU, LSTM,
    types::{Choice, Inferred, Types, Value},
};
use crate::base::{Result, argument, misfit, shape_text};

pub(super) fn lstm(op: &LSTM<Value>) -> Types {
    let sizes = Sizes::new(&op.input, op.batch_first, op.bidirectional, op.hidden_size, 4)?;
    sizes.check_weights(&op.filter, &op.recurrence, &op.bias)?;
    [&op.initial_h, &op.initial_c].into_iter().flatten().try_for_each(|s| sizes.check_shape(s, &sizes.state()))?;
    if let Some(cont) = &op.cont {
        cont.expect_elements(sizes.length.saturating_mul(sizes.batch), "one for each step of each sequence")?;
    }
    sizes.results(&op.input, 3)
}

pub(super) fn gru(op: &GRU<Value>) -> Types {
    let sizes = Sizes::new(&op.input, op.batch_first, op.bidirectional, op.hidden_size, 3)?;
    sizes.check_weights(&op.filter, &op.recurrence, &op.bias)?;
    op.initial_h.iter().try_for_each(|s| sizes.check_shape(s, &sizes.state()))?;
    sizes.results(&op.input, 2)
}

struct Sizes {
    batch_first: bool,
    length: usize,
    batch: usize,
    size: usize,
    directions: usize,
    hidden: usize,
    gates: usize,
}

impl Sizes {
    fn new(input: &Value, batch_first: bool, bidirectional: bool, hidden: i64, gates: usize) -> Result<Sizes> {
        let &[first, second, size] = input.shape else {
            let problem = format!("is {}; expected three axes, length x batch x size", shape_text(input.shape));
            return Err(misfit(input.called, problem));
        };
        let (length, batch) = if batch_first { (second, first) } else { (first, second) };
        if !(1..=1 << 31).contains(&hidden) {
            return Err(argument("hidden_size", hidden, "expected at least 1, below 2^31"));
        }
        let directions = if bidirectional { 2 } else { 1 };
        Ok(Sizes { batch_first, length, batch, size, directions, hidden: hidden as usize, gates })
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
        Err(misfit(found.called, format!("is {found_shape}; expected {expected}")))
    }
    fn check_weights(&self, filter: &Value, recurrence: &Value, bias: &Option<Value>) -> Result<()> {
        let rows = self.gates * self.hidden;
        self.check_shape(filter, &[self.directions, rows, self.size])?;
        self.check_shape(recurrence, &[self.directions, rows, self.hidden])?;
        let biases = self.directions * 2 * rows;
        bias.iter()
            .try_for_each(|b| b.expect_elements(biases, "that of filter and that of recurrence in each direction"))
    }
    /// The hidden states of all steps, then so many states at the end.
    fn results(&self, input: &Value, count: usize) -> Types {
        let (l, b, d, h) = (self.length, self.batch, self.directions, self.hidden);
        let all = if self.batch_first { vec![b, l, d, h] } else { vec![l, d, b, h] };
        let result = |shape| Inferred { shape, dtype: Choice::Is(input.dtype) };
        let last = std::iter::repeat_n(result(self.state().to_vec()), count - 1);
        Ok(std::iter::once(result(all)).chain(last).collect())
    }
}
