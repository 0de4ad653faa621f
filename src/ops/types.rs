//! Operands and results of type rules, and helpers that the rules share.
use crate::{
    array::Array,
    base::{Cause, Dtype, Result, Shape, argument, invalid, misfit, pluralized, shape_text},
};

/// An operand as a type rule sees it.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    /// Name in messages: the argument of a function, or the operand's name in td.
    pub display_name: &'a str,
    /// Its shape.
    pub shape: &'a [usize],
    /// Its dtype.
    pub dtype: Dtype,
    /// Whether it is a coefficient.
    pub coefficient: bool,
    /// A coefficient's data, if known.
    pub data: Option<&'a Array>,
}

impl Value<'_> {
    /// Formats shape and dtype for messages.
    pub fn text(&self) -> String {
        format!("{} {}", shape_text(self.shape), self.dtype)
    }
    /// Checks that the dtype is one of `allowed`.
    ///
    /// # Errors
    /// Returns an error if it is another one.
    pub fn expect_dtype(&self, allowed: &[Dtype]) -> Result<()> {
        if allowed.contains(&self.dtype) {
            return Ok(());
        }
        Err(Cause::Dtype {
            argument: self.display_name.into(),
            found: self.dtype,
            allowed: allowed.to_vec(),
            remedy: None,
        }
        .into())
    }
    /// Returns the number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
    /// Checks the number of elements, which `of_what` describes in the message.
    ///
    /// # Errors
    /// Returns an error if there are more or fewer.
    pub fn expect_elements(&self, expected: usize, of_what: &str) -> Result<()> {
        let found = self.elements();
        if found == expected {
            return Ok(());
        }
        Err(misfit(self.display_name, format!("has {}; expected {expected}, {of_what}", pluralized(found, "element"))))
    }
}

/// The dtype of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The operands determine it.
    Is(Dtype),
    /// The caller chooses one of these.
    OneOf(&'static [Dtype]),
}

/// The type of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// Its shape.
    pub shape: Shape,
    /// Its dtype, or those that it may have.
    pub dtype: Choice,
}

/// Return type of type rules: the type of each result.
pub(super) type Types = Result<Vec<Inferred>>;

/// Returns one result.
pub(super) fn one(shape: Shape, dtype: Choice) -> Types {
    Ok(vec![Inferred { shape, dtype }])
}

/// Returns one result with the given shape and an operand's dtype.
pub(super) fn of_dtype(shape: Shape, like: &Value) -> Types {
    one(shape, Choice::Is(like.dtype))
}

/// Returns one result with an operand's type.
pub(super) fn same(as_operand: &Value) -> Types {
    of_dtype(as_operand.shape.to_vec(), as_operand)
}

/// Dtypes of integer results; the caller chooses one.
pub const INTEGERS: &[Dtype] = &[Dtype::Int32, Dtype::Uint32, Dtype::Int16, Dtype::Uint16, Dtype::Int8, Dtype::Uint8];

/// Returns the dtype of a computed result: floats keep theirs; for integers the caller chooses.
pub(super) fn computed(of: &Value) -> Choice {
    if of.dtype.is_float() { Choice::Is(of.dtype) } else { Choice::OneOf(INTEGERS) }
}

/// Dtypes of float results.
pub(super) const FLOATS: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Bfloat16];

/// Dtypes of conversions; the caller chooses one.
pub const NUMBERS: &[Dtype] = &[
    Dtype::Float32,
    Dtype::Float16,
    Dtype::Bfloat16,
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int8,
    Dtype::Uint8,
];

/// Returns the values of a small coefficient, such as a shape operand.
pub(super) fn known_numbers(t: &Value) -> Result<Vec<f64>> {
    match t.data {
        Some(data) if t.elements() <= 32 => data.to_f64(),
        _ => {
            let expected = "expected a coefficient of at most 32 numbers, whose data are known";
            Err(misfit(t.display_name, format!("is {}; {expected}", t.text())))
        }
    }
}

/// Like [`known_numbers`], for integers.
pub(super) fn known_ints(t: &Value) -> Result<Vec<i64>> {
    let numbers = known_numbers(t)?;
    match numbers.iter().find(|v| v.fract() != 0.0) {
        Some(v) => Err(misfit(t.display_name, format!("holds {v}; expected integers"))),
        None => Ok(numbers.into_iter().map(|v| v as i64).collect()),
    }
}

/// Returns the number of channels of an n x c x .. tensor.
pub(super) fn channels(input: &Value) -> Result<usize> {
    let (found, expected) = (input.shape.len(), "n x c x .., at least 2".into());
    let rank = || Cause::Rank { argument: input.display_name.into(), found, expected }.into();
    input.shape.get(1).copied().ok_or_else(rank)
}

/// Checks that two operands have the same dtype.
pub(super) fn same_dtype((left, a): (&str, &Value), (right, b): (&str, &Value)) -> Result<()> {
    if a.dtype == b.dtype {
        return Ok(());
    }
    let (left, right) = (left.into(), right.into());
    Err(Cause::DtypeMismatch { left, left_dtype: a.dtype, right, right_dtype: b.dtype }.into())
}

/// Resolves an axis; negative values count from the end.
pub(super) fn axis(name: &str, value: i64, rank: usize) -> Result<usize> {
    let at = if value < 0 { value.checked_add(rank as i64) } else { Some(value) };
    match at.map(usize::try_from) {
        Some(Ok(at)) if at < rank => Ok(at),
        _ => Err(Cause::Axis { argument: name.into(), axis: value, rank }.into()),
    }
}

/// Resolves several distinct axes.
pub(super) fn axes(name: &str, values: &[i64], rank: usize) -> Result<Vec<usize>> {
    let mut all = Vec::new();
    for &v in values {
        let a = axis(name, v, rank)?;
        if all.contains(&a) {
            return Err(argument(name, format!("{values:?}"), format!("axis {a} occurs twice")));
        }
        all.push(a);
    }
    Ok(all)
}

/// Broadcasts two shapes with NumPy's rules.
pub(super) fn broadcast(left: &[usize], right: &[usize]) -> Result<Shape> {
    let rank = left.len().max(right.len());
    let dim = |s: &[usize], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |at| s[at]);
    (0..rank)
        .map(|i| match (dim(left, i), dim(right, i)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            (a, b) => {
                Err(Cause::Broadcast { left: left.into(), right: right.into(), left_dim: a, right_dim: b }.into())
            }
        })
        .collect()
}

/// Returns the type of an op that broadcasts the second tensor to the first: in the tool chain, its result has the first
/// tensor's shape.
pub(super) fn broadcast_to_first(inputs: &[Value]) -> Types {
    let [first, second] = pair(inputs)?;
    if broadcast(first.shape, second.shape)? != first.shape {
        let (found, expected) = (shape_text(second.shape), shape_text(first.shape));
        return Err(misfit(second.display_name, format!("is {found}; expected a shape that broadcasts to {expected}")));
    }
    same(first)
}

/// Returns the operands of an op that takes two.
pub(super) fn pair<'v, 'a>(inputs: &'v [Value<'a>]) -> Result<[&'v Value<'a>; 2]> {
    match inputs {
        [first, second] => Ok([first, second]),
        _ => Err(invalid(format!("it has {} operands; expected two", inputs.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_is_numpys() {
        assert_eq!(broadcast(&[1, 3, 32, 32], &[32, 1]).unwrap(), [1, 3, 32, 32]);
        assert_eq!(broadcast(&[2], &[5, 1]).unwrap(), [5, 2]);
        assert_eq!(
            broadcast(&[2, 3], &[4, 3]).unwrap_err().to_string(),
            "shapes 2x3 and 4x3 cannot be broadcast together: 2 and 4 differ and neither is 1"
        );
    }
}
