//! Tables of which a step gathers some rows. If not all weights fit in memory, only these rows are read.
use super::{Node, Plan, TensorEntry, TensorIndex};
use crate::{
    Backend, Signature,
    array::{Array, reserve},
    base::{Cause, Dtype, Error, Result},
    ops::Op,
    semantics::{IndexKind, stores_the_same},
};

/// A constant of which the first operator of a step gathers rows, and the indices of the rows. They are the first two
/// operands of the step.
#[derive(Clone, Copy)]
pub(crate) struct RowTable {
    pub table: TensorIndex,
    pub indices: TensorIndex,
    /// The number of rows that are read: the greatest possible one, or that of a run.
    pub rows: usize,
}

/// Rows that indices name.
pub(crate) struct Rows {
    /// Each row once, in the order of the table, and in the dtype of a buffer.
    pub table: Array,
    /// The place of each index's row among them.
    pub places: Array,
}

impl RowTable {
    /// Makes the operator, whose table is not constant in `signature`, gather from the rows by their places among them.
    pub fn narrow(&self, signature: &mut Signature) {
        if let Op::Gather(op) = &mut signature.op {
            op.input.ty.shape.first_mut().into_iter().for_each(|count| *count = self.rows);
            (op.indices.ty.dtype, op.indices.ty.quantization, op.indices.constant) = (Dtype::Int32, None, None);
        }
    }
}

impl<B: Backend> Plan<B> {
    /// Returns the table of which a node gathers rows, if the node reads nothing else of it.
    pub fn row_table(&self, node: &Node) -> Option<RowTable> {
        let stage = node.stages.first()?;
        let (Op::Gather(op), Some(result)) = (&stage.op, stage.outputs().next()) else { return None };
        let (table, result) = (self.entry(op.input).ok()?, self.entry(result).ok()?);
        let (rank, count) = (table.ty.shape.len() as i64, *table.ty.shape.first()?);
        let has_rows = table.constant.is_some() && op.axis.rem_euclid(rank) == 0 && i32::try_from(count).is_ok();
        // Fused operators must not read the places in place of the indices.
        let operands = node.operands();
        let is_read_once = |t: TensorIndex| operands.iter().filter(|other| **other == t).count() == 1;
        // A scale for each row would not fit the rows that are read.
        let is_copied = stores_the_same(&table.ty, &result.ty);
        let rows = count.min(self.entry(op.indices).ok()?.ty.elements());
        (has_rows && is_read_once(op.input) && is_read_once(op.indices) && is_copied).then_some(RowTable {
            table: op.input,
            indices: op.indices,
            rows,
        })
    }

    /// Reads the rows that the indices name, which are `computed` or constant.
    ///
    /// # Errors
    /// Returns the error of a `Gather` if an index is out of range, and an error if the rows cannot be read.
    pub fn rows(&self, of: RowTable, computed: Option<&Array>) -> Result<Rows> {
        let values = |entry: &TensorEntry| {
            let missing = || Error::from(Cause::MissingData(format!("the tensor {:?} has no values", entry.ty.name)));
            entry.constant.clone().ok_or_else(missing)
        };
        let entry = self.entry(of.table)?;
        let table = values(entry)?;
        let indices = computed.cloned().map_or_else(|| values(self.entry(of.indices)?), Ok)?;
        let count = table.shape().first().copied().unwrap_or(0);
        let mut named: Vec<usize> = Vec::new();
        reserve(&mut named, indices.len())?;
        // Kernels truncate indices, too.
        for index in indices.to_f64()? {
            named.push(IndexKind::Axis(0).resolve(index as i64, count)?);
        }
        let mut rows = named.clone();
        rows.sort_unstable();
        rows.dedup();
        let places = named.iter().map(|row| rows.partition_point(|r| r < row) as i32).collect();
        let places = Array::from_vec(indices.shape().to_vec(), places)?;
        Ok(Rows { table: entry.ty.buffered(&table.rows(&rows)?)?, places })
    }
}
