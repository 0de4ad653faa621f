//! Gradients of recurrent layers, written out step by step.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::{Result, Shape},
    emit::Emit,
    ops::{GRU, LSTM, MatMul},
};

/// The operands of a layer in one direction: the products of all inputs with the filter, `[length, batch, gates * hidden]`, and the
/// weights of the state.
struct Direction {
    inputs: Tensor,
    recurrence: Tensor,
    bias: Option<Tensor>,
    is_backward: bool,
}

/// What LSTM and GRU share.
struct Layer {
    length: usize,
    batch: usize,
    hidden: usize,
    batch_first: bool,
    directions: Vec<Direction>,
}

impl Layer {
    fn new(
        b: &mut Backward,
        [input, filter, recurrence]: [Tensor; 3],
        bias: Option<Tensor>,
        batch_first: bool,
        hidden: usize,
    ) -> Result<Layer> {
        let x = b.real(input)?;
        let x = if batch_first { b.swap_axes(x, 0, 1)? } else { x };
        let (shape, weights) = (b.shape(x)?, b.shape(filter)?);
        let rows = weights[1];
        let mut directions = Vec::new();
        for d in 0..weights[0] {
            let part = |b: &mut Backward, t: Tensor| -> Result<Tensor> {
                let slice = b.slice(t, 0, d, 1)?;
                let shape = b.shape(slice)?;
                b.reshape(slice, &shape[1..])
            };
            let (w, recurrence) = (part(b, filter)?, part(b, recurrence)?);
            let mut inputs = b.op(MatMul { right_transpose: true, ..MatMul::new(x, w) })?;
            let bias = bias.map(|t| part(b, t)).transpose()?;
            if let Some(bias) = bias {
                let of_input = b.slice(bias, 0, 0, rows)?;
                inputs = b.add(inputs, of_input)?;
            }
            let bias = bias.map(|t| b.slice(t, 0, rows, rows)).transpose()?;
            directions.push(Direction { inputs, recurrence, bias, is_backward: d == 1 });
        }
        Ok(Layer { length: shape[0], batch: shape[1], hidden, batch_first, directions })
    }

    /// Returns the first state of a direction, `[batch, hidden]`.
    fn state(&self, b: &mut Backward, initial: Option<Tensor>, d: usize) -> Result<Tensor> {
        let Some(initial) = initial else {
            let dtype = b.dtype(self.directions[d].inputs)?;
            return b.filled(0.0, dtype, &[self.batch, self.hidden]);
        };
        let state = b.slice(initial, usize::from(self.batch_first), d, 1)?;
        b.reshape(state, &[self.batch, self.hidden])
    }

    /// Runs the steps of a direction in its order. `cell` computes a state from the step and the product of its input.
    fn run(
        &self,
        b: &mut Backward,
        d: usize,
        mut cell: impl FnMut(&mut Backward, usize, Tensor) -> Result<Tensor>,
    ) -> Result<Vec<Tensor>> {
        let direction = &self.directions[d];
        let rows = b.shape(direction.inputs)?[2];
        let mut states = vec![None; self.length];
        // One split, whose gradient is one concat: slices would each be padded to the whole sequence.
        let inputs = b.entries(direction.inputs, 0)?;
        for step in 0..self.length {
            let at = if direction.is_backward { self.length - 1 - step } else { step };
            let x = b.reshape(inputs[at], &[self.batch, rows])?;
            states[at] = Some(cell(b, at, x)?);
        }
        Ok(states.into_iter().flatten().collect())
    }

    /// `h * R^T + bias`
    fn product(&self, b: &mut Backward, d: usize, h: Tensor, rows: std::ops::Range<usize>) -> Result<Tensor> {
        let Direction { recurrence, bias, .. } = self.directions[d];
        let weights = b.slice(recurrence, 0, rows.start, rows.len())?;
        let mut y = b.op(MatMul { right_transpose: true, ..MatMul::new(h, weights) })?;
        if let Some(bias) = bias {
            let bias = b.slice(bias, 0, rows.start, rows.len())?;
            y = b.add(y, bias)?;
        }
        Ok(y)
    }

    /// Returns a gate of a row of gates.
    fn gate(&self, b: &mut Backward, gates: Tensor, i: usize) -> Result<Tensor> {
        b.slice(gates, 1, i * self.hidden, self.hidden)
    }

    /// Joins the states of all steps, given by direction, into the result.
    fn joined(&self, b: &mut Backward, states: &[Vec<Tensor>]) -> Result<Tensor> {
        let mut all = Vec::new();
        for states in states {
            let mut steps = Vec::new();
            for &h in states {
                steps.push(b.reshape(h, &[1, 1, self.batch, self.hidden])?);
            }
            all.push(b.concat(steps, 0)?);
        }
        let all = b.concat(all, 1)?;
        // [length, directions, batch, hidden]
        if self.batch_first { b.permute(all, &[2, 0, 1, 3]) } else { Ok(all) }
    }

    /// Joins the last states of the directions.
    fn last(&self, b: &mut Backward, last: &[Tensor]) -> Result<Tensor> {
        let shape: Shape = vec![1, self.batch, self.hidden];
        let mut parts = Vec::new();
        for &h in last {
            parts.push(b.reshape(h, &shape)?);
        }
        let all = b.concat(parts, 0)?;
        if self.batch_first { b.swap_axes(all, 0, 1) } else { Ok(all) }
    }
}

/// Reshapes the results that are present to their shapes, and leaves the others out.
fn present(b: &mut Backward, made: Vec<Tensor>, results: &[Option<Tensor>]) -> Result<Vec<Tensor>> {
    let mut all = Vec::new();
    for (i, t) in made.into_iter().enumerate() {
        all.push(match results.get(i).copied().flatten() {
            Some(y) => {
                let shape = b.shape(y)?;
                b.reshape(t, &shape)?
            }
            None => t,
        });
    }
    Ok(all)
}

/// The gates are input, output, forget and cell.
pub(super) fn lstm(
    b: &mut Backward,
    op: &LSTM<Tensor>,
    o: &[Option<Output>],
    results: &[Option<Tensor>],
) -> Result<()> {
    b.expand(o, |b| {
        let operands = [op.input, op.filter, op.recurrence];
        let layer = Layer::new(b, operands, op.bias, op.batch_first, op.hidden_size as usize)?;
        let (mut all, mut last_h, mut last_c) = (Vec::new(), Vec::new(), Vec::new());
        for d in 0..layer.directions.len() {
            let (mut h, mut c) = (layer.state(b, op.initial_h, d)?, layer.state(b, op.initial_c, d)?);
            all.push(layer.run(b, d, |b, at, x| {
                if let Some(cont) = op.cont {
                    let cont = b.reshape(cont, &[layer.length, layer.batch])?;
                    let kept = b.slice(cont, 0, at, 1)?;
                    let kept = b.reshape(kept, &[layer.batch, 1])?;
                    (h, c) = (b.mul(h, kept)?, b.mul(c, kept)?);
                }
                let of_state = layer.product(b, d, h, 0..4 * layer.hidden)?;
                let gates = b.add(x, of_state)?;
                let mut gate = [h; 4];
                for (i, gate) in gate.iter_mut().enumerate() {
                    let sum = layer.gate(b, gates, i)?;
                    *gate = if i == 3 { b.tanh(sum)? } else { b.sigmoid(sum)? };
                }
                let [input, output, forget, cell] = gate;
                let (kept, added) = (b.mul(forget, c)?, b.mul(input, cell)?);
                c = b.add(kept, added)?;
                let squashed = b.tanh(c)?;
                h = b.mul(output, squashed)?;
                Ok(h)
            })?);
            last_h.push(h);
            last_c.push(c);
        }
        let made = vec![layer.joined(b, &all)?, layer.last(b, &last_h)?, layer.last(b, &last_c)?];
        present(b, made, results)
    })
}

/// The gates are update, reset and hidden.
pub(super) fn gru(b: &mut Backward, op: &GRU<Tensor>, o: &[Option<Output>], results: &[Option<Tensor>]) -> Result<()> {
    b.expand(o, |b| {
        let operands = [op.input, op.filter, op.recurrence];
        let layer = Layer::new(b, operands, op.bias, op.batch_first, op.hidden_size as usize)?;
        let n = layer.hidden;
        let (mut all, mut last) = (Vec::new(), Vec::new());
        for d in 0..layer.directions.len() {
            let mut h = layer.state(b, op.initial_h, d)?;
            all.push(layer.run(b, d, |b, _, x| {
                let of_gates = layer.product(b, d, h, 0..2 * n)?;
                let gates = b.slice(x, 1, 0, 2 * n)?;
                let gates = b.add(gates, of_gates)?;
                let gates = b.sigmoid(gates)?;
                let (update, reset) = (layer.gate(b, gates, 0)?, layer.gate(b, gates, 1)?);
                let product = if op.linear_before_reset {
                    let product = layer.product(b, d, h, 2 * n..3 * n)?;
                    b.mul(reset, product)?
                } else {
                    let kept = b.mul(reset, h)?;
                    layer.product(b, d, kept, 2 * n..3 * n)?
                };
                let hidden = layer.gate(b, x, 2)?;
                let hidden = b.add(hidden, product)?;
                let hidden = b.tanh(hidden)?;
                let difference = b.sub(h, hidden)?;
                let kept = b.mul(update, difference)?;
                h = b.add(hidden, kept)?;
                Ok(h)
            })?);
            last.push(h);
        }
        let made = vec![layer.joined(b, &all)?, layer.last(b, &last)?];
        present(b, made, results)
    })
}
