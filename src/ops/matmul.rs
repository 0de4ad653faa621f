//! Type rules of matrix products.
use super::{
    A16MatMul, DequantType, Fp8MatMul, MatMul, Mlp,
    types::{Choice, FLOATS, Types, Value, broadcast, computed, of_dtype, one},
};
use crate::base::{Dtype, Result, Shape, argument, invalid, misfit};

/// The sizes of a product, shared by type rule and kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Leading axes of the left operand, before broadcasting.
    pub left_batch: Shape,
    /// Leading axes of the right operand, before broadcasting.
    pub right_batch: Shape,
    /// Leading axes of the result.
    pub batch: Shape,
    /// Rows of the left matrix.
    pub m: usize,
    /// Inner dimension.
    pub k: usize,
    /// Columns of the right matrix.
    pub n: usize,
    /// Whether the right operand is a vector; the result then has no n axis.
    pub vector: bool,
}

impl Product {
    /// Returns, for each matrix of the result, the indices of the operands' matrices.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let index = |own: &Shape, mut i: usize| {
            let (mut at, mut step) = (0, 1);
            for (back, &d) in self.batch.iter().rev().enumerate() {
                let size = own.len().checked_sub(back + 1).map_or(1, |j| own[j]);
                at += if size == 1 { 0 } else { (i % d) * step };
                step *= size;
                i /= d;
            }
            at
        };
        (0..self.batch.iter().product()).map(move |i| (index(&self.left_batch, i), index(&self.right_batch, i)))
    }
    /// Returns the sizes of the product of matrices with these shapes.
    ///
    /// # Errors
    /// Returns an error if the inner dimensions differ, or if the leading axes cannot be broadcast.
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
            // A weight of PyTorch's Linear has n rows and k columns.
            let hint = match right_transpose {
                false if n == k && !vector => {
                    "; set right_transpose if its rows and columns are exchanged, as in the weight of PyTorch's Linear"
                }
                true if right[right.len() - 2] == k => "; they would be without right_transpose",
                _ => "",
            };
            return Err(invalid(format!(
                "the left matrix has {k} columns and the right matrix {right_k} rows; they must be equal{hint}"
            )));
        }
        let batch = broadcast(&left_batch, &right_batch)?;
        Ok(Product { left_batch, right_batch, batch, m, k, n, vector })
    }
}

/// Merges trailing axes whose sizes multiply to `k`, like the tool chain.
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

/// Returns `[.., m, n]`; without `keep_dims`, leading axes are merged.
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
            return Err(misfit(bias.display_name, format!("is {}; {expected}", bias.text())));
        }
    }
    one(shape, computed(&op.input))
}

/// A product `[.., k] x [k, n]` with a weight matrix, which may be stored transposed.
struct Weighed<'a> {
    input: &'a Value<'a>,
    k: usize,
    n: usize,
}

impl Weighed<'_> {
    fn types(&self, bias: Option<&Value>) -> Types {
        let (input, k, n) = (self.input, self.k, self.n);
        input.expect_dtype(FLOATS)?;
        let [leading @ .., last] = input.shape else {
            return Err(misfit(input.display_name, "is a scalar; expected at least 2 dimensions"));
        };
        if leading.is_empty() || *last != k {
            let expected = format!("expected at least 2 dimensions, the last equal to the {k} rows of the weight");
            return Err(misfit(input.display_name, format!("is {}; {expected}", input.text())));
        }
        if let Some(bias) = bias {
            bias.expect_dtype(FLOATS)?;
            bias.expect_elements(n, "one per column")?;
        }
        one([leading, &[n]].concat(), Choice::OneOf(FLOATS))
    }
}

/// Returns the rows and columns of a k x n matrix that may be stored transposed.
fn matrix(operand: &Value, transposed: bool) -> Result<(usize, usize)> {
    match (operand.shape, transposed) {
        ([k, n], false) | ([n, k], true) => Ok((*k, *n)),
        _ => Err(misfit(operand.display_name, format!("is {}; expected a matrix", operand.text()))),
    }
}

/// Checks packed weights: bytes along k, and one scale and zero point per group of k and column.
pub(super) fn a16_matmul(op: &A16MatMul<Value>) -> Types {
    if ![4, 8].contains(&op.weight_bits) {
        return Err(argument("weight_bits", op.weight_bits, "expected 4 or 8"));
    }
    if ![DequantType::NONE, DequantType::INT8, DequantType::INT4].contains(&op.dq_type) {
        return Err(argument("dq_type", op.dq_type.name(), "expected NONE, INT8 or INT4"));
    }
    op.weight.expect_dtype(&[Dtype::Uint8])?;
    op.zp.expect_dtype(&[Dtype::Uint8])?;
    op.scale.expect_dtype(FLOATS)?;
    let (bytes, n) = matrix(&op.weight, op.right_transpose)?;
    let k =
        bytes.checked_mul(8 / op.weight_bits as usize).ok_or_else(|| misfit(op.weight.display_name, "is too large"))?;
    for operand in [&op.scale, &op.zp] {
        let (groups, columns) = matrix(operand, op.right_transpose)?;
        let rows = i64::try_from(groups).ok().and_then(|g| g.checked_mul(op.q_group_size));
        if rows != i64::try_from(k).ok() || columns != n {
            let expected = format!("expected one for each {} of {k} rows and each of {n} columns", op.q_group_size);
            return Err(misfit(operand.display_name, format!("is {}; {expected}", operand.text())));
        }
    }
    Weighed { input: &op.input, k, n }.types(op.bias.as_ref())
}

/// Checks fp8 weights, which have one scale per square block.
pub(super) fn fp8_matmul(op: &Fp8MatMul<Value>) -> Types {
    let Some(block) = usize::try_from(op.block_size).ok().filter(|b| *b > 0) else {
        return Err(argument("block_size", op.block_size, "expected at least 1"));
    };
    op.weight.expect_dtype(&[Dtype::Fp8e4m3])?;
    op.weight_scale.expect_dtype(&[Dtype::Float32])?;
    let (k, n) = matrix(&op.weight, op.weight_transpose)?;
    let blocks = (k.div_ceil(block), n.div_ceil(block));
    if matrix(&op.weight_scale, op.weight_transpose)? != blocks {
        let (rows, columns) = if op.weight_transpose { (blocks.1, blocks.0) } else { blocks };
        let expected = format!("expected {rows}x{columns}, one for each {block}x{block} weights");
        return Err(misfit(op.weight_scale.display_name, format!("is {}; {expected}", op.weight_scale.text())));
    }
    Weighed { input: &op.input, k, n }.types(op.bias.as_ref())
}

/// Returns the input's shape; with experts, tokens x experts per token x elements.
pub(super) fn mlp(op: &Mlp<Value>) -> Types {
    let &[batch, length, elements] = op.input.shape else {
        return Err(misfit(
            op.input.display_name,
            format!("is {}; expected batch x length x elements", op.input.text()),
        ));
    };
    let experts = |name: &str, n: i64| {
        let count = usize::try_from(n).ok().filter(|n| *n > 0);
        count.ok_or_else(|| argument(name, n, "expected at least 1"))
    };
    let sets = if op.is_expert { experts("num_expert", op.num_expert)? } else { 1 };
    if !op.quantized {
        let matrix = |t: &Value, transposed: bool| -> Result<[usize; 2]> {
            let problem =
                || misfit(t.display_name, format!("is {}; expected a matrix for each of {sets} experts", t.text()));
            match (t.shape, op.is_expert, transposed) {
                ([rows, columns], false, false) | ([columns, rows], false, true) => Ok([*rows, *columns]),
                ([n, rows, columns], true, false) | ([n, columns, rows], true, true) if *n == sets => {
                    Ok([*rows, *columns])
                }
                _ => Err(problem()),
            }
        };
        let gate = matrix(&op.weight_gate, op.right_transpose_gate)?;
        let up = matrix(&op.weight_up, op.right_transpose_up)?;
        let down = matrix(&op.weight_down, op.right_transpose_down)?;
        if gate[0] != elements || up != gate || down != [gate[1], elements] {
            return Err(invalid(format!(
                "its products are {gate:?}, {up:?} and {down:?}; gate and up must be alike, from the {elements} elements of \
                 the input to those that down takes back"
            )));
        }
        for (bias, n) in [(op.bias_gate, gate[1]), (op.bias_up, gate[1]), (op.bias_down, elements)] {
            bias.iter().try_for_each(|b| b.expect_elements(sets.saturating_mul(n), "one per column"))?;
        }
    }
    if !op.is_expert {
        return of_dtype(vec![batch, length, elements], &op.input);
    }
    let chosen = experts("num_expert_per_tok", op.num_expert_per_tok)?;
    let tokens = batch.checked_mul(length).ok_or_else(|| invalid("there are too many tokens"))?;
    if let Some(ids) = &op.expert_id {
        ids.expect_elements(tokens.saturating_mul(chosen), "one for each expert of each token")?;
    }
    of_dtype(vec![tokens, chosen, elements], &op.input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_that_cannot_be_are_refused() {
        // The product of the dimensions exceeds 64 bits.
        let left = [165_768_537_521, 1, 283, 1, 1];
        assert!(Product::new(&left, &[i64::MAX as usize, 3], false, false).is_err());
        assert!(Product::new(&[usize::MAX, usize::MAX], &[7, 3], false, false).is_err());
        let error = Product::new(&[4], &[1, 3], true, false).unwrap_err().to_string();
        assert_eq!(error, "left_transpose is true; a vector cannot be transposed");
    }
}
