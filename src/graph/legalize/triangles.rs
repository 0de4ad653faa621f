//! Triangles of matrices, for which TPU-MLIR 1.30 cannot generate code next to other operators.
use super::{Graph, Operator, Replacement, Tensor, masks::Constants};
use crate::{
    array::Array,
    base::{Dtype, Result},
    ops::{Op, Trilu, Where},
};

impl Graph {
    /// Whether a triangle is of computed float32 matrices. Those of constants are left to the tool chain.
    pub(super) fn is_computed(&self, triangle: &Trilu<Tensor>, constants: &Constants) -> bool {
        self.is_plain(triangle.input, Dtype::Float32) && !constants.contains(triangle.input, self)
    }
}

impl Replacement<'_> {
    /// Selects the elements in the triangle, and 0 elsewhere.
    pub(super) fn select_triangle(&mut self, operator: Operator) -> Result<()> {
        let Op::Trilu(op) = operator.op else { return Ok(()) };
        let shape = self.graph.tensor(op.input)?.shape.clone();
        let [.., rows, columns] = shape[..] else { return Ok(()) };
        let is_kept = |row: usize, column: usize| {
            let diagonal = column as i64 - row as i64;
            if op.upper == 1 { diagonal >= op.diagonal } else { diagonal <= op.diagonal }
        };
        let kept = (0..rows).flat_map(|row| (0..columns).map(move |column| f64::from(u8::from(is_kept(row, column)))));
        let triangle = self.constant("triangle", Array::from_f64s(Dtype::Float32, [rows, columns], kept)?)?;
        let kept = Where { tbrn: Some(op.input), y_is_const: true, ..Where::new(triangle) };
        self.finish(kept);
        Ok(())
    }
}
