//! Recurrent layers: LSTM and GRU.
use super::{
    builder::{Builder, arguments},
    formula::PostOp,
    geometry,
    matmul::{Batch, Matrices, products},
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::Operand,
    ops::{GRU, LSTM},
};

const FILE: File = file!("recurrent.cu");

/// The sizes and operands of a recurrence.
struct Recurrence {
    length: usize,
    batch: usize,
    directions: usize,
    hidden: usize,
    batch_first: bool,
    /// Products of the input with the weights of each direction.
    gates: Slot,
    recurrence: Slot,
}

impl Recurrence {
    fn new(
        b: &mut Builder,
        [input, filter, recurrence]: [&Operand; 3],
        batch_first: bool,
        hidden: i64,
    ) -> Result<Recurrence> {
        let (x, w) = (&input.ty.shape, &filter.ty.shape);
        let (length, batch) = if batch_first { (x[1], x[0]) } else { (x[0], x[1]) };
        let (directions, rows, k) = (w[0], w[1], w[2]);
        let m = length * batch;
        let of_directions = Batch::Strided { count: directions, strides: [0, (rows * k) as i64] };
        let p = Matrices { m, k, n: rows, left_transposed: false, right_transposed: true, batch: of_directions };
        let factors = [b.reals(input)?, b.reals(filter)?];
        let gates = b.temporary_reals(m.saturating_mul(directions * rows));
        products(b, &p, factors, gates)?;
        let (hidden, recurrence) = (hidden as usize, b.reals(recurrence)?);
        Ok(Recurrence { length, batch, directions, hidden, batch_first, gates, recurrence })
    }
    /// Uploads the kernels' `Recurrence`. `has`: a bias, an initial hidden state, an initial cell state, continuation markers,
    /// and whether a state is reset after its product.
    fn numbers(&self, b: &mut Builder, has: [bool; 5]) -> Result<Slot> {
        let sizes = [self.length, self.batch, self.directions, self.hidden, self.batch_first.into()];
        let numbers: Vec<i64> = sizes.into_iter().map(|n| n as i64).chain(has.map(i64::from)).collect();
        b.constant(&numbers)
    }
    /// Returns a geometry of one block per state.
    fn geometry(&self) -> geometry::Geometry {
        geometry::rows((self.directions * self.batch) as u64, (self.hidden * 32) as u64)
    }
    /// Returns the number of elements in the states of all sequences.
    fn state(&self) -> usize {
        self.directions.saturating_mul(self.batch * self.hidden)
    }
    /// Returns memory for the results: the outputs of all steps, then the final states. Absent results are also written.
    fn results<const N: usize>(&self, b: &mut Builder) -> Result<[Slot; N]> {
        let mut slots = [self.gates; N];
        for (i, slot) in slots.iter_mut().enumerate() {
            let elements = if i == 0 { self.length.saturating_mul(self.state()) } else { self.state() };
            *slot = if b.result_type(i).is_ok() { b.real_result(i)? } else { b.temporary_reals(elements) };
        }
        Ok(slots)
    }
}

/// Stores the results that are present.
fn store(b: &mut Builder, results: &[Slot]) -> Result<()> {
    for (i, slot) in results.iter().enumerate().rev() {
        if b.result_type(i).is_ok() {
            b.store(i, *slot, PostOp::default())?;
        }
    }
    Ok(())
}

pub(super) fn lstm(op: &LSTM<Operand>, b: &mut Builder) -> Result<()> {
    let u = Recurrence::new(b, [&op.input, &op.filter, &op.recurrence], op.batch_first, op.hidden_size)?;
    let mut given = [u.gates; 4];
    let optional = [&op.bias, &op.initial_h, &op.initial_c, &op.cont];
    for (slot, operand) in given.iter_mut().zip(optional) {
        *slot = b.reals_or(operand, u.gates)?;
    }
    let [bias, h, c, cont] = given;
    let [has_bias, has_h, has_c, has_cont] = optional.map(Option::is_some);
    let numbers = u.numbers(b, [has_bias, has_h, has_c, has_cont, false])?;
    let (memory, results) = (b.temporary_reals(u.state().saturating_mul(3)), u.results(b)?);
    let [all, last_h, last_c] = results;
    let arguments = arguments![u.gates, u.recurrence, bias, h, c, cont, memory, all, last_h, last_c, numbers];
    b.launch(FILE, "lstm", u.geometry(), arguments)?;
    store(b, &results)
}

pub(super) fn gru(op: &GRU<Operand>, b: &mut Builder) -> Result<()> {
    let u = Recurrence::new(b, [&op.input, &op.filter, &op.recurrence], op.batch_first, op.hidden_size)?;
    let (bias, h) = (b.reals_or(&op.bias, u.gates)?, b.reals_or(&op.initial_h, u.gates)?);
    let has = [op.bias.is_some(), op.initial_h.is_some(), false, false, op.linear_before_reset];
    let numbers = u.numbers(b, has)?;
    let (memory, results) = (b.temporary_reals(u.state().saturating_mul(3)), u.results(b)?);
    let [all, last_h] = results;
    let arguments = arguments![u.gates, u.recurrence, bias, h, memory, all, last_h, numbers];
    b.launch(FILE, "gru", u.geometry(), arguments)?;
    store(b, &results)
}
