//! Sums of products over named axes.
use super::Convert;
use crate::{
    Tensor,
    base::{Result, Shape, argument, invalid, pluralized},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{Einsum, EinsumMode},
    value::Value,
};
use std::collections::HashMap;

pub const OPERATORS: &[(&str, Convert)] = &[("Einsum", einsum)];

/// The letters of each operand and of the result. Axes that `...` stands for get letters of their own, which are not letters of
/// the alphabet.
struct Equation {
    operands: Vec<Vec<char>>,
    result: Vec<char>,
}

/// The letter of an axis that `...` stands for, counted from the last.
fn broadcast_axis(from_last: usize) -> char {
    char::from_u32(0x100 + from_last as u32).unwrap_or('.')
}

/// Reads the letters of a term, of which `...` stands for the axes that are left of `rank`, or for `dots` axes.
fn letters(term: &str, rank: Option<usize>, dots: usize) -> Result<Vec<char>> {
    let bad = || argument("equation", format!("{term:?}"), "expected letters, and at most one ...");
    let (before, after) = match term.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (term, None),
    };
    let named = before.len() + after.map_or(0, str::len);
    if !before.chars().chain(after.unwrap_or("").chars()).all(|c| c.is_ascii_alphabetic()) {
        return Err(bad());
    }
    let count = match rank {
        Some(rank) => rank.checked_sub(named).ok_or_else(bad)?,
        None => dots,
    };
    if after.is_none() && rank.is_some_and(|rank| rank != named) {
        return Err(argument(
            "equation",
            format!("{term:?}"),
            format!("the operand has {}", pluralized(rank.unwrap_or(0), "dimension")),
        ));
    }
    let dots = after.map(|_| (0..count).rev().map(broadcast_axis)).into_iter().flatten();
    Ok(before.chars().chain(dots).chain(after.unwrap_or("").chars()).collect())
}

impl Equation {
    fn read(text: &str, ranks: &[usize]) -> Result<Equation> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = match text.split_once("->") {
            Some((left, right)) => (left.to_owned(), Some(right.to_owned())),
            None => (text, None),
        };
        let terms: Vec<&str> = left.split(',').collect();
        if terms.len() != ranks.len() {
            return Err(argument(
                "equation",
                format!("{left:?}"),
                format!("there are {}", pluralized(ranks.len(), "operand")),
            ));
        }
        let operands =
            terms.iter().zip(ranks).map(|(t, &rank)| letters(t, Some(rank), 0)).collect::<Result<Vec<_>>>()?;
        let mut dots: Vec<char> = operands.iter().flatten().copied().filter(|c| !c.is_ascii()).collect();
        dots.sort_unstable();
        dots.dedup();
        let result = match right {
            Some(right) => letters(&right, None, dots.len())?,
            None => {
                // Those that occur once, in alphabetical order.
                let all: Vec<char> = operands.iter().flatten().copied().filter(char::is_ascii).collect();
                let mut once: Vec<char> =
                    all.iter().copied().filter(|c| all.iter().filter(|d| *d == c).count() == 1).collect();
                once.sort_unstable();
                dots.into_iter().rev().chain(once).collect()
            }
        };
        match result.iter().find(|c| !operands.iter().any(|o| o.contains(c))) {
            Some(c) => Err(argument("equation", format!("{c:?}"), "an axis of the result must be an operand's")),
            None => Ok(Equation { operands, result }),
        }
    }
}

fn einsum<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let all = n.all_inputs()?;
    let text = n.text("equation").ok_or_else(|| invalid("it has no equation"))?;
    let ranks: Vec<usize> = all.iter().map(|v| v.rank()).collect();
    let equation = Equation::read(text, &ranks)?;
    let dtype = all.first().map(|v| v.dtype()).ok_or_else(|| invalid("it has no operands"))?;
    let mut tensors = Vec::new();
    for value in &all {
        tensors.push(b.float_tensor(value)?);
    }
    if let Some(mode) = known_mode(&equation).filter(|_| dtype.is_float() && has_one_size_per_axis(&equation, &all)) {
        let made = b.op(Einsum::new(tensors, mode))?;
        return Ok(vec![b.value(made, dtype)?]);
    }
    let mut terms = Vec::new();
    for ((tensor, letters), value) in tensors.into_iter().zip(equation.operands).zip(&all) {
        terms.push(diagonal(b, Term { tensor, letters, shape: value.shape() })?);
    }
    let mut terms = terms.into_iter();
    let mut product = terms.next().ok_or_else(|| invalid("it has no operands"))?;
    let rest: Vec<Term> = terms.collect();
    for (i, term) in rest.iter().enumerate() {
        let later = |c: &char| equation.result.contains(c) || rest[i + 1..].iter().any(|t| t.letters.contains(c));
        product = multiply(b, product, term, &later)?;
    }
    let product = sum_out(b, product, &|c| equation.result.contains(c))?;
    let order: Vec<usize> =
        equation.result.iter().filter_map(|c| product.letters.iter().position(|d| d == c)).collect();
    let shape: Shape = order.iter().map(|&a| product.shape[a]).collect();
    let tensor = b.permute(product.tensor, &order)?;
    let tensor = super::cast::rounded_to(b, tensor, dtype)?;
    Ok(vec![b.shaped(tensor, &shape, dtype)?])
}

/// Whether no axis is broadcast.
fn has_one_size_per_axis(equation: &Equation, operands: &[&Value]) -> bool {
    let mut sizes = HashMap::new();
    let axes = equation.operands.iter().zip(operands).flat_map(|(letters, v)| letters.iter().zip(v.shape()));
    axes.into_iter().all(|(letter, size)| *sizes.entry(*letter).or_insert(size) == size)
}

/// The mode of `top.Einsum` that is the equation but for the names of its axes.
fn known_mode(equation: &Equation) -> Option<EinsumMode> {
    let mut names = HashMap::new();
    let mut plain = |c: &char| {
        let next = char::from(b'a' + names.len().min(25) as u8);
        *names.entry(*c).or_insert(next)
    };
    let operands: Vec<String> = equation.operands.iter().map(|o| o.iter().map(&mut plain).collect()).collect();
    let result: String = equation.result.iter().map(&mut plain).collect();
    EinsumMode::from_name(&format!("{}->{result}", operands.join(",")))
}

struct Term {
    tensor: Tensor,
    letters: Vec<char>,
    /// Of ONNX: a number has no axes.
    shape: Shape,
}

impl Term {
    fn size(&self, c: char) -> usize {
        self.letters.iter().position(|d| *d == c).map_or(1, |at| self.shape[at])
    }
    /// Returns the operand with axes in this order, of which groups are joined to one each.
    fn grouped(&self, b: &mut Importer, groups: [&[char]; 3], joined: [usize; 3]) -> Result<Tensor> {
        let order: Vec<usize> =
            groups.iter().flat_map(|g| g.iter()).filter_map(|c| self.letters.iter().position(|d| d == c)).collect();
        let moved = if order.len() > 1 { b.permute(self.tensor, &order)? } else { self.tensor };
        b.reshape(moved, &joined)
    }
}

/// Takes the diagonal of axes with the same letter.
fn diagonal(b: &mut Importer, mut term: Term) -> Result<Term> {
    while let Some((first, second)) = repeated(&term.letters) {
        let size = term.shape[first];
        if size != term.shape[second] {
            return Err(argument(
                "equation",
                format!("{:?}", term.letters[first]),
                "axes with the same letter must have the same size",
            ));
        }
        let mut order: Vec<usize> = (0..term.letters.len()).filter(|a| *a != first && *a != second).collect();
        order.extend([first, second]);
        let moved = b.permute(term.tensor, &order)?;
        let rest: Shape = order[..order.len() - 2].iter().map(|&a| term.shape[a]).collect();
        let flat = b.reshape(moved, &[&rest[..], &[size * size]].concat())?;
        term.tensor = b.strided(flat, rest.len(), 0, size, size + 1)?;
        let mut letters: Vec<char> = order[..order.len() - 2].iter().map(|&a| term.letters[a]).collect();
        letters.push(term.letters[first]);
        term.letters = letters;
        term.shape = [&rest[..], &[size]].concat();
    }
    Ok(term)
}

fn repeated(letters: &[char]) -> Option<(usize, usize)> {
    (0..letters.len()).find_map(|i| letters[i + 1..].iter().position(|c| *c == letters[i]).map(|j| (i, i + 1 + j)))
}

/// Sums over the axes that are not kept.
fn sum_out(b: &mut Importer, term: Term, keep: &dyn Fn(&char) -> bool) -> Result<Term> {
    let axes: Vec<usize> = (0..term.letters.len()).filter(|&a| !keep(&term.letters[a])).collect();
    if axes.is_empty() {
        return Ok(term);
    }
    let tensor = b.sum(term.tensor, &axes)?;
    let left = |a: &usize| !axes.contains(a);
    let letters: Vec<char> = (0..term.letters.len()).filter(left).map(|a| term.letters[a]).collect();
    let shape: Shape = (0..term.letters.len()).filter(left).map(|a| term.shape[a]).collect();
    let tensor = b.reshape(tensor, &crate::value::stored_shape(&shape))?;
    Ok(Term { tensor, letters, shape })
}

/// Multiplies two terms as matrices: axes of both that are kept are batches, the others are summed over.
fn multiply(b: &mut Importer, left: Term, right: &Term, keep: &dyn Fn(&char) -> bool) -> Result<Term> {
    let left = sum_out(b, left, &|c| keep(c) || right.letters.contains(c))?;
    let right =
        sum_out(b, Term { tensor: right.tensor, letters: right.letters.clone(), shape: right.shape.clone() }, &|c| {
            keep(c) || left.letters.contains(c)
        })?;
    let shared: Vec<char> = left.letters.iter().copied().filter(|c| right.letters.contains(c)).collect();
    let (batch, summed): (Vec<char>, Vec<char>) = shared.iter().partition(|c| keep(c));
    let rows: Vec<char> = left.letters.iter().copied().filter(|c| !shared.contains(c)).collect();
    let columns: Vec<char> = right.letters.iter().copied().filter(|c| !shared.contains(c)).collect();
    // Axes of size 1 are broadcast.
    let size = |c: &char| left.size(*c).max(right.size(*c));
    if let Some(c) = shared.iter().find(|c| left.size(**c) != right.size(**c)) {
        if left.size(*c) != 1 && right.size(*c) != 1 {
            return Err(argument("equation", format!("{c:?}"), "axes with the same letter must have the same size"));
        }
        return broadcast_product(b, left, right, &keep);
    }
    let count = |all: &[char]| all.iter().map(size).product::<usize>();
    let (groups, inner) = (count(&batch), count(&summed));
    let a = left.grouped(b, [&batch, &rows, &summed], [groups, count(&rows), inner])?;
    let c = right.grouped(b, [&batch, &summed, &columns], [groups, inner, count(&columns)])?;
    let made = b.matmul(a, c)?;
    let letters = [batch, rows, columns].concat();
    let shape: Shape = letters.iter().map(size).collect();
    let tensor = b.reshape(made, &crate::value::stored_shape(&shape))?;
    Ok(Term { tensor, letters, shape })
}

/// Multiplies element by element, then sums.
fn broadcast_product(b: &mut Importer, left: Term, right: Term, keep: &dyn Fn(&char) -> bool) -> Result<Term> {
    let mut letters = left.letters.clone();
    letters.extend(right.letters.iter().copied().filter(|c| !left.letters.contains(c)));
    let mut spread = |term: &Term| -> Result<Tensor> {
        let present: Vec<usize> = letters.iter().filter_map(|c| term.letters.iter().position(|d| d == c)).collect();
        let moved = if present.len() > 1 { b.permute(term.tensor, &present)? } else { term.tensor };
        let shape: Shape = letters.iter().map(|c| term.size(*c)).collect();
        b.reshape(moved, &shape)
    };
    let (a, c) = (spread(&left)?, spread(&right)?);
    let tensor = b.mul(a, c)?;
    let shape = b.shape(tensor)?;
    sum_out(b, Term { tensor, letters, shape }, keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_read() {
        let of = |text: &str, ranks: &[usize]| Equation::read(text, ranks).map(|e| (e.operands, e.result));
        assert_eq!(of("ij, jk", &[2, 2]).unwrap().1, ['i', 'k']);
        assert_eq!(of("...ij->...ji", &[4]).unwrap().1, ['\u{101}', '\u{100}', 'j', 'i']);
        assert_eq!(of("ii->i", &[2]).unwrap().0, [['i', 'i']]);
        for (text, ranks) in [("ij,jk", &[2][..]), ("ij", &[3]), ("i->j", &[1]), ("i.j", &[2]), ("", &[2])] {
            assert!(of(text, ranks).is_err(), "{text}");
        }
    }
}
