//! Products of matrices.
use super::Convert;
use crate::{
    base::{Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{MatMul, MulConst},
    value::{Computed, Value},
};

pub const OPERATORS: &[(&str, Convert)] = &[("Gemm", gemm), ("MatMul", matmul)];

fn matmul<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    product(b, n.input(0)?, n.input(1)?, false).map(|v| vec![v])
}

/// NumPy's product: vectors get an axis, which the result loses; leading axes are broadcast. `right_transpose` swaps the last two axes of
/// the second operand, unless that is a vector.
pub fn product(b: &mut Importer, x: &Value, y: &Value, right_transpose: bool) -> Result<Value> {
    let (mut left, mut right) = (x.shape(), y.shape());
    if left.is_empty() || right.is_empty() {
        return Err(invalid("its operands must have at least one dimension"));
    }
    let (is_row, is_column) = (left.len() == 1, right.len() == 1);
    if is_row {
        left.insert(0, 1);
    }
    if is_column {
        right.push(1);
    }
    let right_transpose = right_transpose && !is_column;
    let (mut outer, mut columns) = (right[right.len() - 2], right[right.len() - 1]);
    if right_transpose {
        std::mem::swap(&mut outer, &mut columns);
    }
    let inner = left[left.len() - 1];
    if inner != outer {
        return Err(argument("the columns of the first operand", inner, format!("the second has {outer} rows")));
    }
    let mut shape = crate::import::broadcast(&[left[..left.len() - 2].to_vec(), right[..right.len() - 2].to_vec()])?;
    if !is_row {
        shape.push(left[left.len() - 2]);
    }
    if !is_column {
        shape.push(columns);
    }
    let (a, c) = (b.tensor(x)?, b.tensor(y)?);
    let (a, c) = (b.reshape(a, &left)?, b.reshape(c, &right)?);
    let (a, c) = (b.real(a)?, b.real(c)?);
    let made = b.op(MatMul { right_transpose, ..MatMul::new(a, c) })?;
    let made = super::cast::rounded_to(b, made, x.dtype())?;
    b.shaped(made, &shape, x.dtype())
}

/// `alpha * A' B' + beta * C`
pub fn gemm<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = (n.input(0)?, n.input(1)?);
    let (alpha, beta) = (n.float_or("alpha", 1.0), n.float_or("beta", 1.0));
    let (mut left, right) = (b.float_tensor(x)?, b.float_tensor(y)?);
    if x.rank() != 2 || y.rank() != 2 {
        let problem = format!("{} and {}", x.rank(), y.rank());
        return Err(argument("the numbers of dimensions of its operands", problem, "expected matrices, of 2"));
    }
    if n.flag("transA") {
        left = b.transposed(left)?;
    }
    let right_transpose = n.flag("transB");
    let columns = y.shape()[usize::from(!right_transpose)];
    let rows = x.shape()[usize::from(n.flag("transA"))];
    let inner = [x.shape()[usize::from(!n.flag("transA"))], y.shape()[usize::from(right_transpose)]];
    if inner[0] != inner[1] {
        let found = format!("{} and {}", inner[0], inner[1]);
        return Err(argument("the numbers of columns and of rows that are multiplied", found, "expected the same"));
    }
    let third = n.optional(2).filter(|_| beta != 0.0);
    // A bias is a coefficient with a number for each column.
    let is_bias = alpha == 1.0
        && beta == 1.0
        && third.is_some_and(|c| c.is_constant() && c.shape().last() == Some(&columns) && c.elements() == columns);
    let mut made = if is_bias {
        let bias = b.optional_tensor(third)?;
        let bias = bias.map(|bias| b.reshape(bias, &[columns])).transpose()?;
        b.op(MatMul { bias, right_transpose, ..MatMul::new(left, right) })?
    } else {
        b.op(MatMul { right_transpose, ..MatMul::new(left, right) })?
    };
    if alpha != 1.0 {
        made = b.op(MulConst::new(made, alpha))?;
    }
    if let (Some(third), false) = (third, is_bias) {
        let third = b.float_tensor(third)?;
        let third = b.mul_const(third, beta)?;
        made = b.add(made, third)?;
    }
    let made = super::cast::rounded_to(b, made, x.dtype())?;
    Ok(vec![Value::Computed(Computed { tensor: made, shape: vec![rows, columns], dtype: x.dtype() })])
}
