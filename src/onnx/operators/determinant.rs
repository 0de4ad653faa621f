//! Determinants of small matrices.
use super::Convert;
use crate::{
    Tensor,
    base::{Result, argument},
    emit::Emit,
    import::Importer,
    node::Node,
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[("Det", determinant)];

/// Rows of the largest matrix that is supported: the number of operators doubles with each.
const MAX_ROWS: usize = 8;

/// Expands the last rows first: the minors of the last k rows follow from those of the last k - 1.
fn determinant<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let (outer, rows) = match shape.as_slice() {
        [outer @ .., rows, columns] if rows == columns && *rows > 0 => (outer, *rows),
        _ => return Err(argument("the shape of its operand", format!("{shape:?}"), "expected square matrices")),
    };
    if rows > MAX_ROWS {
        return Err(argument("the number of rows", rows, format!("at most {MAX_ROWS} are supported")));
    }
    let matrices = outer.iter().product();
    let tensor = b.float_tensor(x)?;
    let all = b.reshape(tensor, &[matrices, rows * rows])?;
    // By the set of columns, as bits: the minor of these columns and as many of the last rows.
    let mut minors: Vec<Option<Tensor>> = vec![None; 1 << rows];
    for columns in 1usize..1 << rows {
        let row = rows - columns.count_ones() as usize;
        let mut sum: Option<Tensor> = None;
        let of_columns = (0..rows).filter(|column| columns & (1 << column) != 0);
        for (place, column) in of_columns.enumerate() {
            let entry = b.slice(all, 1, row * rows + column, 1)?;
            let term = match minors[columns & !(1 << column)] {
                Some(minor) => b.mul(entry, minor)?,
                None => entry,
            };
            sum = Some(match sum {
                Some(sum) if place % 2 == 1 => b.sub(sum, term)?,
                Some(sum) => b.add(sum, term)?,
                None => term,
            });
        }
        minors[columns] = sum;
    }
    let made = minors.last().copied().flatten().unwrap_or(all);
    Ok(vec![b.shaped(made, outer, x.dtype())?])
}
