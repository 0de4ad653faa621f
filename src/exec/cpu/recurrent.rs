//! LSTM and GRU. The products of the inputs with their weights are computed for all steps at once, those of the states
//! step by step.
//!
//! **Gates.** The columns of the products are ordered by group of [`UNITS`] units of the state, gate and unit, so a task that computes
//! the columns of some groups has all gates of their units, and can compute their next states, too.
use super::{
    OpKernel, Operand,
    blocked::{BLOCK, Function, InstructionSet, PackedB},
    gemm::Mat,
    parallel::{in_steps, lock},
    task::{PostOp, Task},
    unary::OfReals,
    workspace::{Workspace, elements, numbers, product, reals, result_reals},
};
use crate::{
    array::{reserve, zeros},
    base::{Dtype, Result},
    ops::{GRU, LSTM},
};
use rayon::prelude::*;
use std::{borrow::Cow, sync::Mutex};

/// Units of the state per group. Whatever the number of gates, a group then begins with a panel of the packed weights.
const UNITS: usize = 64;

/// Minimum number of elements of the weights that a task multiplies in a step.
const TASK: usize = 1 << 14;

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

impl Cell {
    fn gates(self) -> usize {
        if self == Cell::Lstm { 4 } else { 3 }
    }
    /// The gates that are computed from the state before the step.
    fn gates_of_state(self) -> usize {
        if self == Cell::GruResetFirst { 2 } else { self.gates() }
    }
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
        let (directions, size) = (w[0], w[2]);
        Layer { cell, batch_first, length, batch, directions, size, hidden: hidden as usize }
    }
    /// Rows of the weights.
    fn rows(&self) -> usize {
        self.cell.gates() * self.hidden
    }
    /// Columns of a product with that many gates. Each gate of a group is padded to whole blocks.
    fn columns(&self, gates: usize) -> usize {
        self.hidden.next_multiple_of(BLOCK) * gates
    }
    /// Returns the row of the weights, or the element of the bias, that belongs to a column of a product, the first of a block. The rows
    /// after it belong to the next columns; those that are padding have the next gate's rows, and nobody reads them.
    fn row_of_column(&self, gates: usize, column: usize) -> usize {
        let (group, within) = (column / (UNITS * gates), column % (UNITS * gates));
        let units = (self.hidden - group * UNITS).min(UNITS).next_multiple_of(BLOCK);
        within / units * self.hidden + group * UNITS + within % units
    }
    /// Returns values of some gates in the order of the columns.
    fn by_column(&self, gates: usize, values: &[f32]) -> Result<Vec<f32>> {
        let mut columns = zeros(self.columns(gates))?;
        for (i, block) in columns.chunks_mut(BLOCK).enumerate() {
            let from = &values[self.row_of_column(gates, i * BLOCK)..];
            block.iter_mut().zip(from).for_each(|(to, v)| *to = *v);
        }
        Ok(columns)
    }
    /// The products of all steps and of one, the states of all steps, and the last ones.
    fn workspace(&self) -> Workspace {
        let steps = self.length.saturating_add(1);
        let products = product(&[self.columns(self.cell.gates()), self.batch, self.directions, steps]);
        let states = product(&[self.hidden, self.batch, self.directions, steps.saturating_add(4)]);
        numbers(products, 4) + numbers(states, 4)
    }
    /// Packs the weights of each direction.
    fn packed(&self, [filter, recurrence]: [Cow<[f32]>; 2]) -> Result<Vec<Weights>> {
        let (isa, n, rows, gates) = (InstructionSet::best(), self.hidden, self.rows(), self.cell.gates());
        let pack = |data: &[f32], depth: usize, gates: usize, products: usize| {
            let matrix = Mat { data, rows: depth, cols: data.len() / depth, transposed: true };
            let square = |row, column| matrix.square(row, self.row_of_column(gates, column));
            PackedB::for_rows(products, isa, [depth, self.columns(gates)], square)
        };
        let directions = filter.chunks_exact(rows * self.size).zip(recurrence.chunks_exact(rows * n));
        let packed = directions.map(|(filter, recurrence)| {
            let (of_state, of_reset_state) = recurrence.split_at(self.cell.gates_of_state() * n * n);
            let has_more = !of_reset_state.is_empty();
            Ok(Weights {
                input: pack(filter, self.size, gates, self.length * self.batch)?,
                state: pack(of_state, n, self.cell.gates_of_state(), self.batch)?,
                reset_state: has_more.then(|| pack(of_reset_state, n, 1, self.batch)).transpose()?,
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
        let (of_state, steps, columns) =
            (self.batch * self.hidden, product(&[self.length, self.batch]), self.columns(self.cell.gates()));
        let mut all = t.scratch(product(&[steps, self.directions, self.hidden]))?;
        let mut of_input = t.scratch(product(&[steps, self.directions, columns]))?;
        let all = all.floats()?;
        let states = h.par_chunks_mut(of_state).zip(c.par_chunks_mut(of_state));
        let of_inputs = of_input.floats()?.par_chunks_mut((steps * columns).max(1));
        let each = weights.par_iter().zip(states).zip(of_inputs.zip(all.par_chunks_mut((steps * self.hidden).max(1))));
        each.enumerate().try_for_each(|(index, ((weights, (h, c)), (of_input, all)))| {
            let bias = bias.as_ref().map(|b| b[index * 2 * self.rows()..].split_at(self.rows()));
            let direction = Direction::new(self, weights, bias.map(|(_, of_state)| of_state), index == 1)?;
            let bias = bias.map(|(of_input, _)| self.by_column(self.cell.gates(), of_input)).transpose()?;
            weights.input.product(&input, bias.as_deref(), of_input)?;
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
    /// The bias of the state's gates, by column, and of the gate that reads the state after the reset.
    bias: [Option<Vec<f32>>; 2],
    is_backward: bool,
}

impl Direction<'_> {
    fn new<'a>(
        layer: &'a Layer,
        weights: &'a Weights,
        bias: Option<&[f32]>,
        is_backward: bool,
    ) -> Result<Direction<'a>> {
        let (n, gates) = (layer.hidden, layer.cell.gates_of_state());
        let of_state = bias.map(|bias| layer.by_column(gates, &bias[..gates * n])).transpose()?;
        let of_reset_state = bias.filter(|_| weights.reset_state.is_some());
        let of_reset_state = of_reset_state.map(|bias| layer.by_column(1, &bias[gates * n..])).transpose()?;
        Ok(Direction { layer, weights, bias: [of_state, of_reset_state], is_backward })
    }
    /// Runs every step, given the products of the inputs. Replaces the hidden state and the cell state, batch x hidden each, by the
    /// last ones, and writes the hidden states of all steps.
    fn run(&self, of_input: &[f32], cont: Option<&[f32]>, [h, c]: [&mut [f32]; 2], all: &mut [f32]) -> Result<()> {
        let &Layer { length, batch, hidden: n, batch_first, cell, .. } = self.layer;
        if batch == 1 && cell != Cell::GruResetFirst {
            return self.run_single_sequence(of_input, cont, [h, c], all);
        }
        let [of_input_columns, columns] = [cell.gates(), cell.gates_of_state()].map(|gates| self.layer.columns(gates));
        let mut gates = zeros(product(&[batch, columns]))?;
        let of_gate = if cell == Cell::GruResetFirst { self.layer.columns(1) } else { 0 };
        let (mut reset, mut candidates) = (zeros(if of_gate > 0 { batch * n } else { 0 })?, zeros(batch * of_gate)?);
        let mut before = h.to_vec();
        for step in 0..length {
            let at = self.position(step);
            if let Some(cont) = cont {
                let rows = before.chunks_mut(n).zip(c.chunks_mut(n)).zip(&cont[at * batch..]);
                rows.for_each(|((h, c), kept)| h.iter_mut().chain(c).for_each(|v| *v *= kept));
            }
            let x = |b: usize| {
                let row = if batch_first { b * length + at } else { at * batch + b };
                &of_input[row * of_input_columns..(row + 1) * of_input_columns]
            };
            match cell {
                Cell::GruResetFirst => {
                    self.gru_reset_first(x, &mut gates, &before, h, [&mut reset, &mut candidates])?
                }
                _ => {
                    self.weights.state.product(&before, self.bias[0].as_deref(), &mut gates)?;
                    let rows = h.par_chunks_mut(n).zip(c.par_chunks_mut(n)).zip(gates.par_chunks_mut(columns));
                    rows.enumerate().with_min_len(self.rows_per_task()).for_each(|(b, ((h, c), gates))| {
                        self.cells(x(b), gates, &before[b * n..], [h, c]);
                    });
                }
            }
            all[at * batch * n..][..batch * n].copy_from_slice(h);
            before.copy_from_slice(h);
        }
        Ok(())
    }
    /// Returns the position in the sequence that a step reads.
    fn position(&self, step: usize) -> usize {
        if self.is_backward { self.layer.length - 1 - step } else { step }
    }
    /// The minimum number of rows that a thread computes.
    fn rows_per_task(&self) -> usize {
        (1 << 12) / self.layer.rows() + 1
    }
    /// Like [`Direction::run`], for a single sequence: each task of a step multiplies some groups of columns, and computes the states of
    /// their units.
    fn run_single_sequence(
        &self,
        of_input: &[f32],
        cont: Option<&[f32]>,
        [h, c]: [&mut [f32]; 2],
        all: &mut [f32],
    ) -> Result<()> {
        let &Layer { length, hidden: n, cell, .. } = self.layer;
        let (groups, of_unit) = (n.div_ceil(UNITS), cell.gates());
        let tasks = (n * self.layer.rows() / TASK).clamp(1, rayon::current_num_threads());
        let units = groups.div_ceil(tasks) * UNITS;
        let columns = self.layer.columns(of_unit);
        let mut gates = zeros(columns)?;
        let parts = gates.chunks_mut(units * of_unit).zip(c.chunks_mut(units));
        let mut parts = parts.map(|(gates, c)| Part::new(gates, c, n, length)).collect::<Result<Vec<_>>>()?;
        for states in all.chunks_mut(n) {
            parts.iter_mut().zip(states.chunks_mut(units)).for_each(|(part, states)| part.states.push(states));
        }
        let parts: Vec<Mutex<Part>> = parts.into_iter().map(Mutex::new).collect();
        let latest: [Vec<Mutex<Vec<f32>>>; 2] =
            [0, 1].map(|_| h.chunks(units).map(|states| Mutex::new(states.to_vec())).collect());
        let begin = self.weights.state.begin(self.bias[0].as_deref())?;
        in_steps(length, parts.len(), |step, task| {
            let (at, part) = (self.position(step), &mut *lock(&parts[task]));
            let (before, first) = (&mut part.before, task * units);
            before.chunks_mut(units).zip(&latest[step % 2]).for_each(|(to, from)| to.copy_from_slice(&lock(from)));
            if let Some(cont) = cont {
                before.iter_mut().chain(&mut *part.c).for_each(|v| *v *= cont[at]);
            }
            self.weights.state.columns_of_row(before, &begin, first * of_unit / BLOCK, part.gates)?;
            let (x, h) = (&of_input[at * columns + first * of_unit..(at + 1) * columns], &mut *part.states[at]);
            self.cells(x, part.gates, &before[first..], [h, part.c]);
            lock(&latest[(step + 1) % 2][task]).copy_from_slice(h);
            Ok(())
        })?;
        h.chunks_mut(units).zip(&latest[length % 2]).for_each(|(h, last)| h.copy_from_slice(&lock(last)));
        Ok(())
    }
    /// Computes the next states of some groups from the products of the input, `x`, and of the states, `gates`.
    fn cells(&self, x: &[f32], gates: &mut [f32], before: &[f32], [h, c]: [&mut [f32]; 2]) {
        let of_group = UNITS * self.layer.cell.gates();
        let columns = gates.chunks_mut(of_group).zip(x.chunks(of_group));
        if self.layer.cell == Cell::Lstm {
            let states = h.chunks_mut(UNITS).zip(c.chunks_mut(UNITS));
            columns.zip(states).for_each(|((gates, x), (h, c))| lstm_cells(x, gates, h, c));
        } else {
            let states = h.chunks_mut(UNITS).zip(before.chunks(UNITS));
            columns.zip(states).for_each(|((gates, x), (h, before))| gru_cells(x, gates, before, h));
        }
    }
    /// Computes a step of a GRU whose reset gate is applied to the state; the states after the reset and the candidates are written.
    fn gru_reset_first<'x>(
        &self,
        x: impl Fn(usize) -> &'x [f32] + Sync,
        gates: &mut [f32],
        before: &[f32],
        h: &mut [f32],
        [reset, candidates]: [&mut [f32]; 2],
    ) -> Result<()> {
        let (n, columns, min) = (self.layer.hidden, self.layer.columns(2), self.rows_per_task());
        self.weights.state.product(before, self.bias[0].as_deref(), gates)?;
        let rows = gates.par_chunks_mut(columns).zip(before.par_chunks(n)).zip(reset.par_chunks_mut(n));
        rows.enumerate().with_min_len(min).for_each(|(b, ((gates, before), reset))| {
            let groups = gates.chunks_mut(2 * UNITS).zip(x(b).chunks(3 * UNITS));
            for ((gates, x), (before, reset)) in groups.zip(before.chunks(UNITS).zip(reset.chunks_mut(UNITS))) {
                add(gates, x);
                Function::Logistic.replace(gates);
                let of_reset = &gates[gates.len() / 2..];
                reset.iter_mut().zip(of_reset).zip(before).for_each(|((to, r), h)| *to = r * h);
            }
        });
        if let Some(weights) = &self.weights.reset_state {
            weights.product(reset, self.bias[1].as_deref(), candidates)?;
        }
        let rows = gates.par_chunks(columns).zip(before.par_chunks(n)).zip(h.par_chunks_mut(n));
        let rows = rows.zip(candidates.par_chunks_mut(self.layer.columns(1)));
        rows.enumerate().with_min_len(min).for_each(|(b, (((gates, before), h), candidates))| {
            let groups = gates.chunks(2 * UNITS).zip(x(b).chunks(3 * UNITS)).zip(candidates.chunks_mut(UNITS));
            for (((gates, x), candidates), (before, h)) in groups.zip(before.chunks(UNITS).zip(h.chunks_mut(UNITS))) {
                add(candidates, &x[gates.len()..]);
                Function::Tanh.replace(candidates);
                update(h, gates, candidates, before);
            }
        });
        Ok(())
    }
}

/// What the task of some units reads and writes in each step.
struct Part<'a> {
    gates: &'a mut [f32],
    /// The cell state of the units.
    c: &'a mut [f32],
    /// The hidden state of all units before the step.
    before: Vec<f32>,
    /// The hidden states of the units, by position in the sequence.
    states: Vec<&'a mut [f32]>,
}

impl<'a> Part<'a> {
    fn new(gates: &'a mut [f32], c: &'a mut [f32], hidden: usize, length: usize) -> Result<Part<'a>> {
        let mut states = Vec::new();
        reserve(&mut states, length)?;
        Ok(Part { gates, c, before: zeros(hidden)?, states })
    }
}

/// Computes the next states of a group, given the products of its gates.
fn lstm_cells(x: &[f32], gates: &mut [f32], h: &mut [f32], c: &mut [f32]) {
    let units = gates.len() / 4;
    add(gates, x);
    let (ready, cell) = gates.split_at_mut(3 * units);
    Function::Logistic.replace(ready);
    Function::Tanh.replace(cell);
    let (input, output, forget) = (&ready[..units], &ready[units..2 * units], &ready[2 * units..]);
    for ((c, cell), (input, forget)) in c.iter_mut().zip(cell).zip(input.iter().zip(forget)) {
        *c = forget * *c + input * *cell;
    }
    h.copy_from_slice(c);
    Function::Tanh.replace(h);
    h.iter_mut().zip(output).for_each(|(h, o)| *h *= o);
}

/// Like [`lstm_cells`], for a GRU whose reset gate is applied to the product of the state.
fn gru_cells(x: &[f32], gates: &mut [f32], before: &[f32], h: &mut [f32]) {
    let units = gates.len() / 3;
    let (ready, candidates) = gates.split_at_mut(2 * units);
    add(ready, x);
    Function::Logistic.replace(ready);
    for ((candidate, reset), x) in candidates.iter_mut().zip(&ready[units..]).zip(&x[2 * units..]) {
        *candidate = reset * *candidate + x;
    }
    Function::Tanh.replace(candidates);
    update(h, ready, candidates, before);
}

/// Computes the next states of a group of a GRU from those before; the update gates come first.
fn update(h: &mut [f32], update_gates: &[f32], candidates: &[f32], before: &[f32]) {
    for ((h, before), (z, candidate)) in h.iter_mut().zip(before).zip(update_gates.iter().zip(candidates)) {
        *h = (1.0 - z) * candidate + z * before;
    }
}

/// Adds as many values as there are elements.
fn add(to: &mut [f32], values: &[f32]) {
    to.iter_mut().zip(values).for_each(|(to, v)| *to += v);
}

#[cfg(test)]
mod tests;
