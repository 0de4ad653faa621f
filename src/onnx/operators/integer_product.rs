//! Products of a computed matrix of bytes with a constant one, as exact sums of int32.
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result},
    emit::Emit,
    import::Importer,
    node::known_ints,
    ops::MatMul,
    quant::Quantization,
    value::{Value, as_int8},
};

/// Maximum number of products whose sum, plus a bias as large, fits in 32 bits.
const MAX_PRODUCTS: usize = i32::MAX as usize / (2 * 255 * 255);

/// A constant matrix of int8, which stands for its elements less a zero point.
struct Matrix {
    array: Array,
    zero: i64,
    columns: usize,
}

impl Matrix {
    fn of(w: &Value, zero: Option<&Value>) -> Result<Option<Matrix>> {
        let (Some(array), &[rows, columns]) = (w.as_constant(), &w.shape()[..]) else { return Ok(None) };
        let zero_points = match zero {
            None => vec![0],
            Some(zero) if zero.is_constant() => known_ints(zero, "the zero point")?,
            Some(_) => return Ok(None),
        };
        if rows > MAX_PRODUCTS || columns == 0 {
            return Ok(None);
        }
        Ok(as_int8(array, &zero_points).map(|(array, zero)| Matrix { array, zero, columns }))
    }

    /// Returns the sums of the columns' elements, less the zero point.
    fn sums(&self) -> Result<Vec<i32>> {
        let mut sums = vec![0; self.columns];
        for row in self.array.elements::<i8>()?.chunks_exact(self.columns) {
            sums.iter_mut().zip(row).for_each(|(sum, element)| *sum += i32::from(*element) - self.zero as i32);
        }
        Ok(sums)
    }
}

/// Returns the product of operands less their zero points, as int32. Returns `None` unless the left operand is a computed one of bytes
/// with a single zero point, and the right one a constant matrix of bytes with a single zero point.
pub fn integer_product(
    b: &mut Importer,
    [x, w]: [&Value; 2],
    [x_zero, w_zero]: [Option<&Value>; 2],
) -> Result<Option<Tensor>> {
    let Value::Computed(left) = x else { return Ok(None) };
    let is_byte = matches!(b.dtype(left.tensor)?, Dtype::Int8 | Dtype::Uint8);
    let has_one_zero_point = x_zero.is_none_or(|zero| zero.elements() == 1 && zero.dtype() == x.dtype());
    if !is_byte || !has_one_zero_point {
        return Ok(None);
    }
    let Some(weights) = Matrix::of(w, w_zero)? else { return Ok(None) };
    // The sum over (x - zero) * w is that over x * w, less the zero point times the sum of w.
    let bias = match x_zero {
        Some(zero) => {
            let zero = b.tensor(zero)?;
            let zero = b.reshape(zero, &[1])?;
            let zero = b.as_dtype(zero, Dtype::Int32)?;
            let sums: Vec<i32> = weights.sums()?.into_iter().map(|sum| -sum).collect();
            let sums = b.coefficient(Array::from_vec([weights.columns], sums)?)?;
            Some(b.mul(zero, sums)?)
        }
        None => None,
    };
    let right = match (w.dtype(), weights.zero) {
        // The initializer itself, which other nodes may read.
        (Dtype::Int8, 0) => b.tensor(w)?,
        (_, zero) => {
            let right = b.coefficient(weights.array)?;
            if zero != 0 {
                b.graph.quantize(right, &Quantization::per_tensor(1.0, zero))?;
            }
            right
        }
    };
    b.op_as(MatMul { bias, ..MatMul::new(left.tensor, right) }, Dtype::Int32).map(Some)
}
