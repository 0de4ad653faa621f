use super::{
    OpKernel, Operand,
    gemm::{Mat, gemm_f32},
    task::{PostOp, Task},
    workspace::{Workspace, numbers, reals, result_reals},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{GRU, LSTM},
};
use std::borrow::Cow;

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The gates are input, output, forget and cell.
pub(super) fn lstm(op: LSTM<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace([&op.input, &op.filter, &op.recurrence], &op.bias), move |t| {
        let u = Unrolled::new(t, [&op.input, &op.filter, &op.recurrence], &op.bias, op.batch_first, op.hidden_size)?;
        let cont = op.cont.as_ref().map(|c| t.reals(c)).transpose()?;
        let (mut h, mut c) = (u.state(t, &op.initial_h)?, u.state(t, &op.initial_c)?);
        let n = u.hidden;
        let all = u.run(&mut h, cont.as_deref(), |at, x, r, h| {
            let c = &mut c[at.row * n..(at.row + 1) * n];
            for i in 0..n {
                let gate = |g: usize| x[g * n + i] + r[g * n + i];
                let kept = sigmoid(gate(2)) * (c[i] * at.kept);
                c[i] = kept + sigmoid(gate(0)) * gate(3).tanh();
                h[i] = sigmoid(gate(1)) * c[i].tanh();
            }
        })?;
        u.write(t, &[(&all, true), (&h, false), (&c, false)])
    })
}

/// The gates are update, reset and hidden.
pub(super) fn gru(op: GRU<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace([&op.input, &op.filter, &op.recurrence], &op.bias), move |t| {
        let u = Unrolled::new(t, [&op.input, &op.filter, &op.recurrence], &op.bias, op.batch_first, op.hidden_size)?;
        let mut h = u.state(t, &op.initial_h)?;
        let (n, mut gated) = (u.hidden, zeros::<f32>(u.hidden)?);
        let all = u.run(&mut h, None, |at, x, r, h| {
            let gate = |g: usize, i: usize| x[g * n + i] + r[g * n + i];
            (0..n).for_each(|i| gated[i] = sigmoid(gate(1, i)));
            if !op.linear_before_reset {
                gated.iter_mut().zip(h.iter()).for_each(|(g, h)| *g *= h);
            }
            // The old state is needed until the new one is complete.
            let hidden = |i: usize, gated: &[f32]| {
                let weights = &u.recurrence[(at.direction * 3 * n + 2 * n + i) * n..][..n];
                let product = match op.linear_before_reset {
                    true => gated[i] * r[2 * n + i],
                    false => {
                        weights.iter().zip(gated).map(|(w, g)| w * g).sum::<f32>() + u.bias(at.direction, 1, 2 * n + i)
                    }
                };
                (x[2 * n + i] + product).tanh()
            };
            for (i, h) in h.iter_mut().enumerate() {
                let z = sigmoid(gate(0, i));
                *h = (1.0 - z) * hidden(i, &gated) + z * *h;
            }
        })?;
        u.write(t, &[(&all, true), (&h, false)])
    })
}

/// The products of all steps and of one, all states, which need not be a result, and the last ones.
fn workspace([input, filter, recurrence]: [&Operand; 3], bias: &Option<Operand>) -> Workspace {
    let steps = input.ty.shape[0].saturating_mul(input.ty.shape[1]);
    let rows = filter.ty.shape[1].saturating_mul(steps.saturating_mul(2));
    let states = recurrence.ty.shape[0].saturating_mul(recurrence.ty.shape[2]).saturating_mul(steps);
    let operands = reals([input, filter, recurrence]) + reals(bias);
    operands + result_reals() + numbers(rows, 4) + numbers(states, 12)
}

/// The position of a cell in a sequence.
struct StepPosition {
    direction: usize,
    /// Its row of the state.
    row: usize,
    /// The factor of the previous state.
    kept: f32,
}

/// The operands of a recurrence. States are stored as directions x batch x hidden, whatever their order in the result.
struct Unrolled<'a> {
    input: Cow<'a, [f32]>,
    filter: Cow<'a, [f32]>,
    recurrence: Cow<'a, [f32]>,
    biases: Option<Cow<'a, [f32]>>,
    batch_first: bool,
    length: usize,
    batch: usize,
    directions: usize,
    hidden: usize,
    /// Rows of the weights: gates * hidden.
    rows: usize,
}

impl<'a> Unrolled<'a> {
    fn new(
        t: &Task<'a>,
        [input, filter, recurrence]: [&Operand; 3],
        bias: &Option<Operand>,
        batch_first: bool,
        hidden: i64,
    ) -> Result<Self> {
        let (x, w) = (&input.ty.shape, &filter.ty.shape);
        let (length, batch) = if batch_first { (x[1], x[0]) } else { (x[0], x[1]) };
        Ok(Unrolled {
            input: t.reals(input)?,
            filter: t.reals(filter)?,
            recurrence: t.reals(recurrence)?,
            biases: bias.as_ref().map(|b| t.reals(b)).transpose()?,
            batch_first,
            length,
            batch,
            directions: w[0],
            hidden: hidden as usize,
            rows: w[1],
        })
    }
    /// Returns a bias of the filter (0) or of the recurrence (1).
    fn bias(&self, direction: usize, which: usize, row: usize) -> f32 {
        self.biases.as_ref().map_or(0.0, |b| b[(direction * 2 + which) * self.rows + row])
    }
    /// Returns the index of a row of the state in the result.
    fn state_row(&self, row: usize) -> usize {
        let (d, b) = (row / self.batch, row % self.batch);
        if self.batch_first { b * self.directions + d } else { row }
    }
    fn state(&self, t: &Task, initial: &Option<Operand>) -> Result<Vec<f32>> {
        let mut state = zeros(self.batch.saturating_mul(self.directions * self.hidden))?;
        if let Some(initial) = initial {
            let values = t.reals(initial)?;
            for (row, to) in state.chunks_mut(self.hidden).enumerate() {
                to.copy_from_slice(&values[self.state_row(row) * self.hidden..][..self.hidden]);
            }
        }
        Ok(state)
    }
    /// Multiplies `x` by the transposed weights of a direction and adds the bias.
    fn gates(&self, x: &[f32], weights: &[f32], which: usize, direction: usize, out: &mut [f32]) -> Result<()> {
        let (rows, n) = (self.rows, weights.len() / (self.rows * self.directions));
        let w = &weights[direction * rows * n..][..rows * n];
        let x = Mat { data: x, rows: x.len() / n, cols: n, transposed: false };
        gemm_f32(out, x, Mat { data: w, rows: n, cols: rows, transposed: true })?;
        let bias = |i: usize| self.bias(direction, which, i);
        out.chunks_mut(rows).for_each(|row| row.iter_mut().enumerate().for_each(|(i, v)| *v += bias(i)));
        Ok(())
    }
    /// Runs every step of every direction; `cell` computes a state from the products of input and state with their
    /// weights. Returns the states of all steps in the result's order, and leaves the last ones in `h`.
    fn run(
        &self,
        h: &mut [f32],
        cont: Option<&[f32]>,
        mut cell: impl FnMut(StepPosition, &[f32], &[f32], &mut [f32]),
    ) -> Result<Vec<f32>> {
        let (length, batch, n, rows) = (self.length, self.batch, self.hidden, self.rows);
        let mut all = zeros((length * batch).saturating_mul(self.directions * n))?;
        let mut of_input = zeros((length * batch).saturating_mul(rows))?;
        let mut of_state = zeros(batch.saturating_mul(rows))?;
        for direction in 0..self.directions {
            self.gates(&self.input, &self.filter, 0, direction, &mut of_input)?;
            for step in 0..length {
                let at = if direction == 0 { step } else { length - 1 - step };
                let kept = |b: usize| cont.map_or(1.0, |c| c[at * batch + b]);
                let h = &mut h[direction * batch * n..][..batch * n];
                h.chunks_mut(n).enumerate().for_each(|(b, h)| h.iter_mut().for_each(|v| *v *= kept(b)));
                self.gates(h, &self.recurrence, 1, direction, &mut of_state)?;
                for (b, h) in h.chunks_mut(n).enumerate() {
                    let from = if self.batch_first { b * length + at } else { at * batch + b };
                    let x = &of_input[from * rows..(from + 1) * rows];
                    let place = StepPosition { direction, row: direction * batch + b, kept: kept(b) };
                    cell(place, x, &of_state[b * rows..(b + 1) * rows], h);
                    let row = match self.batch_first {
                        true => from * self.directions + direction,
                        false => (at * self.directions + direction) * batch + b,
                    };
                    all[row * n..(row + 1) * n].copy_from_slice(h);
                }
            }
        }
        Ok(all)
    }
    /// Writes the results that are not absent. Those not yet in order are states.
    fn write(&self, t: &mut Task, results: &[(&[f32], bool)]) -> Result<()> {
        let n = self.hidden;
        for (i, (values, in_order)) in results.iter().enumerate() {
            if t.result(i).is_err() {
                continue;
            }
            t.write(i, PostOp::default(), |out| {
                for (row, values) in values.chunks(n).enumerate() {
                    let row = if *in_order { row } else { self.state_row(row) };
                    out[row * n..(row + 1) * n].copy_from_slice(values);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
