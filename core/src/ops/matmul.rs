//! The type of a matrix product.
use super::{
    MatMul,
    types::{Types, Value, broadcast, computed, one},
};
use crate::base::{Result, Shape, invalid, misfit};

/// The sizes of a product, as shape rule and kernel see them.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Leading axes of the left operand, before broadcasting.
    pub left_batch: Shape,
    /// Those of the right.
    pub right_batch: Shape,
    /// Those of the result.
    pub batch: Shape,
    /// Rows of the left matrix.
    pub m: usize,
    /// The inner size.
    pub k: usize,
    /// Columns of the right matrix.
    pub n: usize,
    /// The right operand is a vector: the result has no n axis.
    pub vector: bool,
}

impl Product {
    /// # Errors
    /// The inner sizes differ, or the leading axes cannot be broadcast.
    pub fn new(left: &[usize], right: &[usize], left_transpose: bool, right_transpose: bool) -> Result<Product> {
        let vector = right.len() == 1;
        if left.is_empty() || right.is_empty() {
            return Err(invalid("a scalar has no matrix product; expected at least 1 dimension"));
        }
        if vector && right_transpose {
            return Err(misfit("right_transpose", "is true; a vector cannot be transposed"));
        }
        if left.len() == 1 && left_transpose {
            return Err(misfit("left_transpose", "is true; a vector cannot be transposed"));
        }
        let as_matrix = |s: &[usize], row: bool| {
            if s.len() > 1 {
                s.to_vec()
            } else if row {
                vec![1, s[0]]
            } else {
                vec![s[0], 1]
            }
        };
        let (mut l, r) = (as_matrix(left, true), as_matrix(right, false));
        if right.len() == 2 && !left_transpose {
            fold_trailing(&mut l, if right_transpose { right[1] } else { right[0] });
        }
        let split = |s: &[usize], swap: bool| {
            let (batch, last) = s.split_at(s.len() - 2);
            if swap { (batch.to_vec(), last[1], last[0]) } else { (batch.to_vec(), last[0], last[1]) }
        };
        let (left_batch, m, k) = split(&l, left_transpose);
        let (right_batch, right_k, n) = split(&r, right_transpose);
        if k != right_k {
            return Err(invalid(format!(
                "the left matrix has {k} columns and the right matrix {right_k} rows; they must be equal"
            )));
        }
        let batch = broadcast(&left_batch, &right_batch)?;
        Ok(Product { left_batch, right_batch, batch, m, k, n, vector })
    }
}

/// As the tool chain has it, trailing axes whose sizes multiply to `k` are one.
fn fold_trailing(left: &mut Shape, k: usize) {
    let mut size = 1usize;
    for i in (0..left.len()).rev() {
        size = size.saturating_mul(left[i]);
        if size == k {
            left.truncate(i);
            left.push(k);
            break;
        }
        if size > k {
            break;
        }
    }
    if left.len() == 1 {
        left.insert(0, 1);
    }
}

/// `[.., m, n]`; leading axes folded without `keep_dims`.
pub(super) fn matmul(op: &MatMul<Value>) -> Types {
    let (left, right) = (op.input.shape, op.right.shape);
    let p = Product::new(left, right, op.left_transpose, op.right_transpose)?;
    let mut shape = p.batch.clone();
    if !(left.len() == 1 && p.vector) {
        shape.push(p.m);
    }
    if !p.vector {
        shape.push(p.n);
    }
    if op.output_transpose && shape.len() > 1 {
        let last = shape.len() - 1;
        shape.swap(last - 1, last);
    }
    if !op.keep_dims && shape.len() > 1 {
        let last = shape.pop().unwrap_or(1);
        let folded = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        shape = vec![folded.ok_or_else(|| invalid("the leading axes fold to more than can be addressed"))?, last];
    }
    if let Some(bias) = &op.bias {
        let fits = bias.elements() == p.n || broadcast(bias.shape, &shape).is_ok_and(|s| s == shape);
        if !fits {
            let expected = format!("expected {} elements, or a shape that broadcasts to {shape:?}", p.n);
            return Err(misfit(bias.called, format!("is {}; {expected}", bias.text())));
        }
    }
    one(shape, computed(&op.input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_that_cannot_be_are_refused() {
        // The dimensions' product is beyond 64 bits.
        let left = [165_768_537_521, 1, 283, 1, 1];
        assert!(Product::new(&left, &[i64::MAX as usize, 3], false, false).is_err());
        assert!(Product::new(&[usize::MAX, usize::MAX], &[7, 3], false, false).is_err());
        let error = Product::new(&[4], &[1, 3], true, false).unwrap_err().to_string();
        assert_eq!(error, "left_transpose is true; a vector cannot be transposed");
    }
}
