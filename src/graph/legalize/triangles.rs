//! Triangles of matrices, for which TPU-MLIR 1.30 has no code among other operators.
use super::{Graph, Replacement, Tensor, masks::Constants};
use crate::{
    array::Array,
    base::{Dtype, Result},
    ops::{Mul, Op, Trilu},
};

impl Graph {
    /// Returns an op if it computes triangles of float32 matrices. Those of constants are left to the tool chain.
    pub(super) fn triangle(&self, op: &Op<Tensor>, constants: &Constants) -> Result<Option<Trilu<Tensor>>> {
        let Op::Trilu(op) = op else { return Ok(None) };
        let info = self.tensor(op.input)?;
        let is_float = info.dtype == Dtype::Float32 && info.quantization.is_none();
        Ok((is_float && !constants.contains(op.input, self)).then(|| (**op).clone()))
    }
}

impl Replacement<'_> {
    /// Multiplies by 1 in the triangle, and by 0 elsewhere.
    pub(super) fn select_triangle(&mut self, op: &Trilu<Tensor>) -> Result<()> {
        let shape = self.graph.tensor(op.input)?.shape.clone();
        let [.., rows, columns] = shape[..] else { return Ok(()) };
        let is_kept = |row: usize, column: usize| {
            let diagonal = column as i64 - row as i64;
            if op.upper == 1 { diagonal >= op.diagonal } else { diagonal <= op.diagonal }
        };
        let matrix =
            (0..rows).flat_map(|row| (0..columns).map(move |column| f64::from(u8::from(is_kept(row, column)))));
        let matrix: Vec<f64> = matrix.collect();
        // In INT8, the tool chain has no scale for constants that it repeats along the batch.
        let batch = if shape.len() > 2 { shape[0] } else { 1 };
        let mut of_masks = shape.clone();
        (1..shape.len().saturating_sub(2)).for_each(|axis| of_masks[axis] = 1);
        let masks = matrix.iter().copied().cycle().take(batch * matrix.len());
        let data = Array::from_f64s(Dtype::Float32, &of_masks, masks)?;
        let mask = self.constant("triangle", data)?;
        self.finish(Mul::new(vec![op.input, mask]));
        Ok(())
    }
}
