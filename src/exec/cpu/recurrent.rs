//! LSTM and GRU. The products of the inputs with their weights are computed for all steps at once, those of the states
//! step by step.
use super::{
    OpKernel, Operand,
    blocked::{InstructionSet, PackedB},
    gemm::Mat,
    task::{PostOp, Task},
    workspace::{Workspace, elements, numbers, product, reals, result_reals},
};
use crate::{
    array::zeros,
    base::{Dtype, Result},
    ops::{GRU, LSTM},
};
use rayon::prelude::*;
use rten_simd::SimdUnaryOp;
use rten_vecmath as vecmath;
use std::borrow::Cow;

/// The operands of a layer.
struct Operands {
    input: Operand,
    /// Those of the input, and those of the state.
    weights: [Operand; 2],
    bias: Option<Operand>,
    /// The first hidden state, and the first cell state of an LSTM.
    initial: [Option<Operand>; 2],
    cont: Option<Operand>,
}

pub(super) fn lstm(op: LSTM<Operand>) -> OpKernel {
    let layer = Layer::new(Cell::Lstm, &op.input, &op.filter, op.hidden_size, op.batch_first);
    let (weights, initial) = ([op.filter, op.recurrence], [op.initial_h, op.initial_c]);
    kernel(layer, Operands { input: op.input, weights, bias: op.bias, initial, cont: op.cont })
}

pub(super) fn gru(op: GRU<Operand>) -> OpKernel {
    let cell = if op.linear_before_reset { Cell::Gru } else { Cell::GruResetFirst };
    let layer = Layer::new(cell, &op.input, &op.filter, op.hidden_size, op.batch_first);
    let (weights, initial) = ([op.filter, op.recurrence], [op.initial_h, None]);
    kernel(layer, Operands { input: op.input, weights, bias: op.bias, initial, cont: None })
}

/// Packs constant weights when the kernel is prepared, others on every run.
fn kernel(layer: Layer, mut operands: Operands) -> OpKernel {
    let packed = operands.constant_weights().and_then(|weights| layer.packed(weights).ok());
    let mut workspace = layer.workspace() + reals([&operands.input]) + reals(&operands.bias) + result_reals();
    let mut unread = Vec::new();
    if packed.is_some() {
        operands.weights = operands.weights.map(|w| w.without_values());
        unread.extend(operands.weights.clone());
    } else {
        workspace = workspace + reals(&operands.weights) + elements(&operands.weights, 4);
    }
    let kernel = OpKernel::with_workspace(workspace, move |t| match &packed {
        Some(packed) => layer.run(t, &operands, packed),
        None => {
            let [filter, recurrence] = &operands.weights;
            let packed = layer.packed([t.reals(filter)?, t.reals(recurrence)?])?;
            layer.run(t, &operands, &packed)
        }
    });
    kernel.without(&unread)
}

impl Operands {
    /// Returns the weights if they are constant floats.
    fn constant_weights(&self) -> Option<[Cow<'_, [f32]>; 2]> {
        let [filter, recurrence] = self.weights.each_ref().map(|weights| {
            let values = weights.constant.as_ref().filter(|values| values.dtype() == Dtype::Float32)?;
            values.elements().ok()
        });
        Some([filter?, recurrence?])
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    /// Its gates are input, output, forget and cell.
    Lstm,
    /// Its gates are update, reset and hidden.
    Gru,
    /// A GRU whose reset gate is applied to the state before the product, not after it.
    GruResetFirst,
}

/// The sizes of a layer.
struct Layer {
    cell: Cell,
    batch_first: bool,
    length: usize,
    batch: usize,
    directions: usize,
    /// Elements of an input and of a state.
    size: usize,
    hidden: usize,
    /// Rows of the weights: gates * hidden.
    rows: usize,
}

/// The packed weights of a direction.
struct Weights {
    input: PackedB,
    state: PackedB,
    /// Those of the last gate, if it reads the state after the reset.
    reset_state: Option<PackedB>,
}

impl Layer {
    fn new(cell: Cell, input: &Operand, filter: &Operand, hidden: i64, batch_first: bool) -> Layer {
        let (x, w) = (&input.ty.shape, &filter.ty.shape);
        let (length, batch) = if batch_first { (x[1], x[0]) } else { (x[0], x[1]) };
        let (directions, rows, size) = (w[0], w[1], w[2]);
        Layer { cell, batch_first, length, batch, directions, size, hidden: hidden as usize, rows }
    }
    /// The products of all steps and of one, the states of all steps, and the last ones.
    fn workspace(&self) -> Workspace {
        let steps = self.length.saturating_add(1);
        let products = product(&[self.rows, self.batch, self.directions, steps]);
        let states = product(&[self.hidden, self.batch, self.directions, steps.saturating_add(3)]);
        numbers(products, 4) + numbers(states, 4)
    }
    /// Columns of the product of a state with its weights.
    fn state_columns(&self) -> usize {
        if self.cell == Cell::GruResetFirst { 2 * self.hidden } else { self.rows }
    }
    /// Packs the weights of each direction.
    fn packed(&self, [filter, recurrence]: [Cow<[f32]>; 2]) -> Result<Vec<Weights>> {
        let (isa, n, rows) = (InstructionSet::best(), self.hidden, self.rows);
        let pack = |data: &[f32], depth: usize, products: usize| {
            let matrix = Mat { data, rows: depth, cols: data.len() / depth, transposed: true };
            if products == 1 { PackedB::of_single_rows(isa, matrix) } else { PackedB::of(isa, matrix) }
        };
        let directions = filter.chunks_exact(rows * self.size).zip(recurrence.chunks_exact(rows * n));
        let packed = directions.map(|(filter, recurrence)| {
            let (of_state, of_reset_state) = recurrence.split_at(self.state_columns() * n);
            let has_more = !of_reset_state.is_empty();
            Ok(Weights {
                input: pack(filter, self.size, self.length * self.batch)?,
                state: pack(of_state, n, self.batch)?,
                reset_state: has_more.then(|| pack(of_reset_state, n, self.batch)).transpose()?,
            })
        });
        packed.collect()
    }
    /// Returns the index of a row of the state in the result. States are stored as directions x batch x hidden,
    /// whatever their order in the result.
    fn state_row(&self, row: usize) -> usize {
        let (direction, b) = (row / self.batch, row % self.batch);
        if self.batch_first { b * self.directions + direction } else { row }
    }
    fn state(&self, t: &Task, initial: &Option<Operand>) -> Result<Vec<f32>> {
        let mut state = zeros(product(&[self.batch, self.directions, self.hidden]))?;
        if let Some(initial) = initial {
            let values = t.reals(initial)?;
            for (row, to) in state.chunks_mut(self.hidden).enumerate() {
                to.copy_from_slice(&values[self.state_row(row) * self.hidden..][..self.hidden]);
            }
        }
        Ok(state)
    }
    /// Runs all directions at once.
    fn run(&self, t: &mut Task, operands: &Operands, weights: &[Weights]) -> Result<()> {
        let [initial_h, initial_c] = &operands.initial;
        let (mut h, mut c) = (self.state(t, initial_h)?, self.state(t, initial_c)?);
        let input = t.reals(&operands.input)?;
        let bias = operands.bias.as_ref().map(|b| t.reals(b)).transpose()?;
        let cont = operands.cont.as_ref().map(|c| t.reals(c)).transpose()?;
        let (of_state, steps) = (self.batch * self.hidden, product(&[self.length, self.batch]));
        let mut all = t.scratch(product(&[steps, self.directions, self.hidden]))?;
        let mut of_input = t.scratch(product(&[steps, self.directions, self.rows]))?;
        let all = all.floats()?;
        let states = h.par_chunks_mut(of_state).zip(c.par_chunks_mut(of_state));
        let of_steps = of_input
            .floats()?
            .par_chunks_mut((steps * self.rows).max(1))
            .zip(all.par_chunks_mut((steps * self.hidden).max(1)));
        let each = weights.par_iter().zip(states).zip(of_steps);
        each.enumerate().try_for_each(|(index, ((weights, (h, c)), (of_input, all)))| {
            let bias = bias.as_ref().map(|b| b[index * 2 * self.rows..].split_at(self.rows));
            let direction = Direction { layer: self, weights, bias, is_backward: index == 1 };
            weights.input.product(&input, bias.map(|(of_input, _)| of_input), of_input)?;
            direction.run(of_input, cont.as_deref(), [h, c], all)
        })?;
        self.write_all(t, all)?;
        self.write_last(t, 1, &h)?;
        if self.cell == Cell::Lstm { self.write_last(t, 2, &c) } else { Ok(()) }
    }
    /// Writes the states of all steps, which are stored as directions x length x batch x hidden, if they are a result.
    fn write_all(&self, t: &mut Task, all: &[f32]) -> Result<()> {
        if t.result(0).is_err() {
            return Ok(());
        }
        let (n, batch) = (self.hidden, self.batch);
        t.write(0, PostOp::default(), |out| {
            for (row, values) in all.chunks(n).enumerate() {
                let (direction, at, b) = (row / (self.length * batch), row / batch % self.length, row % batch);
                let row = match self.batch_first {
                    true => (b * self.length + at) * self.directions + direction,
                    false => (at * self.directions + direction) * batch + b,
                };
                out[row * n..(row + 1) * n].copy_from_slice(values);
            }
            Ok(())
        })
    }
    /// Writes the last states as a result, if it is one.
    fn write_last(&self, t: &mut Task, i: usize, states: &[f32]) -> Result<()> {
        if t.result(i).is_err() {
            return Ok(());
        }
        let n = self.hidden;
        t.write(i, PostOp::default(), |out| {
            for (row, values) in states.chunks(n).enumerate() {
                out[self.state_row(row) * n..][..n].copy_from_slice(values);
            }
            Ok(())
        })
    }
}

/// One direction of a layer.
struct Direction<'a> {
    layer: &'a Layer,
    weights: &'a Weights,
    /// That of the input, then that of the state.
    bias: Option<(&'a [f32], &'a [f32])>,
    is_backward: bool,
}

impl Direction<'_> {
    /// Runs every step, given the products of the inputs. Replaces the hidden state and the cell state, batch x hidden each, by the
    /// last ones, and writes the hidden states of all steps.
    fn run(&self, of_input: &[f32], cont: Option<&[f32]>, [h, c]: [&mut [f32]; 2], all: &mut [f32]) -> Result<()> {
        let &Layer { length, batch, hidden: n, rows, batch_first, .. } = self.layer;
        let columns = self.layer.state_columns();
        let mut gates = zeros(product(&[batch, columns]))?;
        let of_gru = if self.layer.cell == Cell::Lstm { 0 } else { h.len() };
        let (mut reset, mut candidates) = (zeros(of_gru)?, zeros(of_gru)?);
        for step in 0..length {
            let at = if self.is_backward { length - 1 - step } else { step };
            if let Some(cont) = cont {
                let rows = h.chunks_mut(n).zip(c.chunks_mut(n)).zip(&cont[at * batch..]);
                rows.for_each(|((h, c), kept)| h.iter_mut().chain(c).for_each(|v| *v *= kept));
            }
            self.weights.state.product(h, self.bias.map(|(_, of_state)| &of_state[..columns]), &mut gates)?;
            let x = |b: usize| {
                let row = if batch_first { b * length + at } else { at * batch + b };
                &of_input[row * rows..(row + 1) * rows]
            };
            match self.layer.cell {
                Cell::Lstm => self.lstm(x, &mut gates, h, c),
                Cell::Gru | Cell::GruResetFirst => self.gru(x, &mut gates, h, [&mut reset, &mut candidates])?,
            }
            all[at * batch * n..][..batch * n].copy_from_slice(h);
        }
        Ok(())
    }
    /// The minimum number of rows that a thread computes.
    fn rows_per_task(&self) -> usize {
        (1 << 12) / self.layer.rows + 1
    }
    /// Computes the next states from the products of the input, `x`, and of the states, `gates`.
    fn lstm<'x>(&self, x: impl Fn(usize) -> &'x [f32] + Sync, gates: &mut [f32], h: &mut [f32], c: &mut [f32]) {
        let (n, rows) = (self.layer.hidden, self.layer.rows);
        let cells = h.par_chunks_mut(n).zip(c.par_chunks_mut(n)).zip(gates.par_chunks_mut(rows));
        cells.enumerate().with_min_len(self.rows_per_task()).for_each(|(b, ((h, c), gates))| {
            add(gates, x(b));
            let (ready, cell) = gates.split_at_mut(3 * n);
            vecmath::Sigmoid {}.map_mut(ready);
            vecmath::Tanh {}.map_mut(cell);
            let (input, output, forget) = (&ready[..n], &ready[n..2 * n], &ready[2 * n..]);
            for i in 0..n {
                c[i] = forget[i] * c[i] + input[i] * cell[i];
            }
            h.copy_from_slice(c);
            vecmath::Tanh {}.map_mut(h);
            h.iter_mut().zip(output).for_each(|(h, o)| *h *= o);
        });
    }
    /// Like [`Direction::lstm`]; the states after the reset and the candidates are written.
    fn gru<'x>(
        &self,
        x: impl Fn(usize) -> &'x [f32] + Sync,
        gates: &mut [f32],
        h: &mut [f32],
        [reset, candidates]: [&mut [f32]; 2],
    ) -> Result<()> {
        let (n, columns, min) = (self.layer.hidden, self.layer.state_columns(), self.rows_per_task());
        let cells = gates.par_chunks_mut(columns).zip(h.par_chunks(n)).zip(reset.par_chunks_mut(n));
        cells.enumerate().with_min_len(min).for_each(|(b, ((gates, h), reset))| {
            let (ready, of_state) = gates.split_at_mut(2 * n);
            add(ready, x(b));
            vecmath::Sigmoid {}.map_mut(ready);
            let of_state = if of_state.is_empty() { h } else { of_state };
            for i in 0..n {
                reset[i] = ready[n + i] * of_state[i];
            }
        });
        let candidates = match &self.weights.reset_state {
            Some(weights) => {
                weights.product(reset, self.bias.map(|(_, of_state)| &of_state[columns..]), candidates)?;
                candidates
            }
            None => reset,
        };
        let cells = gates.par_chunks(columns).zip(h.par_chunks_mut(n)).zip(candidates.par_chunks_mut(n));
        cells.enumerate().with_min_len(min).for_each(|(b, ((gates, h), candidate))| {
            add(candidate, &x(b)[2 * n..]);
            vecmath::Tanh {}.map_mut(candidate);
            for ((h, z), candidate) in h.iter_mut().zip(gates).zip(candidate) {
                *h = (1.0 - z) * *candidate + z * *h;
            }
        });
        Ok(())
    }
}

/// Adds as many values as there are elements.
fn add(to: &mut [f32], values: &[f32]) {
    to.iter_mut().zip(values).for_each(|(to, v)| *to += v);
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, RunOptions,
        ops::{GRU, LSTM},
        run,
    };

    const LENGTH: usize = 5;
    const SIZE: usize = 18;
    const HIDDEN: usize = 20;

    fn numbers(shape: &[usize], seed: usize) -> Array {
        let values = (0..shape.iter().product()).map(|i| ((i * 37 + seed * 101) % 19) as f64 / 10.0 - 0.9);
        Array::from_f64s(Dtype::Float32, shape, values).unwrap()
    }

    /// Returns the states of these sequences. The kernel packs weights of one sequence in another way than those of
    /// several, and weights that are fed on every run.
    fn states(gates: usize, before: bool, sequences: &[usize], fed: bool) -> Vec<Vec<f32>> {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [sequences.len(), LENGTH, SIZE]).unwrap();
        let weights = [numbers(&[2, gates * HIDDEN, SIZE], 1), numbers(&[2, gates * HIDDEN, HIDDEN], 2)];
        let mut weight = |name: &str, values: &Array| match fed {
            true => g.input(name, Dtype::Float32, values.shape()).unwrap(),
            false => g.coefficient(name, values.clone()).unwrap(),
        };
        let [w, r] = [weight("w", &weights[0]), weight("r", &weights[1])];
        let bias = Some(g.coefficient("b", numbers(&[2, 2 * gates * HIDDEN], 3)).unwrap());
        let y = match gates {
            4 => {
                let op = LSTM { bias, batch_first: true, ..LSTM::new(x, w, r, true, HIDDEN as i64) };
                g.op(op).call().unwrap()
            }
            _ => {
                let op = GRU::new(x, w, r, true, HIDDEN as i64);
                let op = GRU { bias, batch_first: true, linear_before_reset: !before, ..op };
                g.op(op).call().unwrap()
            }
        };
        g.set_outputs(&y[..1]).unwrap();
        let values = sequences.iter().flat_map(|s| numbers(&[LENGTH, SIZE], 4 + s).to_f32().unwrap()).collect();
        let mut feeds = vec![("x", Array::from_vec([sequences.len(), LENGTH, SIZE], values).unwrap())];
        if fed {
            feeds.extend(["w", "r"].into_iter().zip(weights));
        }
        let results = run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default()).unwrap();
        let all = results.tensors[0].to_f32().unwrap();
        all.chunks(all.len() / sequences.len()).map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn sequences_do_not_depend_on_each_other() {
        for (gates, before) in [(4, false), (3, false), (3, true)] {
            let together = states(gates, before, &[0, 1, 2], false);
            assert_eq!(states(gates, before, &[0, 1, 2], true), together);
            for (i, of_batch) in together.iter().enumerate() {
                let alone = &states(gates, before, &[i], false)[0];
                let far = alone.iter().zip(of_batch).filter(|(a, b)| (*a - *b).abs() > 1e-5).count();
                assert_eq!((far, of_batch.len()), (0, 2 * LENGTH * HIDDEN), "{gates} gates, sequence {i}");
            }
            assert_ne!(together[0], together[1]);
        }
    }
}
