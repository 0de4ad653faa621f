//! What shape rules have in common.
use super::list::SHAPE_RULES;
use crate::graph::{Attributes, Cause, OpDef, Result, Shape, TensorInfo, invalid};

/// What a shape rule knows: an operator before its results are made.
pub(crate) struct Inference<'a> {
    pub op: &'static OpDef,
    pub operands: Vec<Option<&'a TensorInfo>>,
    pub attributes: &'a Attributes,
    /// How many results are wanted.
    pub results: usize,
}

/// Gives the shapes of an operator's results.
pub(super) type ShapeRule = fn(&Inference) -> Result<Vec<Shape>>;

/// The shapes of an operator's results.
///
/// # Errors
/// Operands and attributes do not fit together.
pub(crate) fn infer(of: &Inference) -> Result<Vec<Shape>> {
    let rule = SHAPE_RULES.iter().find(|(name, _)| *name == of.op.name);
    let Some((_, rule)) = rule else {
        return Err(
            Cause::Operator { op: of.op.name.into(), problem: "it is structure, not computation".into() }.into()
        );
    };
    rule(of)
}

impl Inference<'_> {
    /// The operand in that place.
    pub fn operand(&self, i: usize) -> Result<&TensorInfo> {
        self.operands.get(i).copied().flatten().ok_or_else(|| {
            let problem = format!("the operand {} is missing", self.op.operands.get(i).map_or("?", |o| o.name));
            Cause::Operator { op: self.op.name.into(), problem }.into()
        })
    }
    /// The shape of the operand in that place.
    pub fn shape(&self, i: usize) -> Result<&[usize]> {
        Ok(&self.operand(i)?.shape)
    }
    /// An optional operand must have `expected` elements.
    pub fn check_elements(&self, i: usize, expected: usize, of_what: &str) -> Result<()> {
        if let Some(Some(t)) = self.operands.get(i)
            && t.elements() != expected
        {
            let name = self.op.operands[i].name;
            return Err(invalid(format!("{name} has {} elements; expected {expected}, {of_what}", t.elements())));
        }
        Ok(())
    }
    /// The attribute `name` as an axis of a tensor with `rank` dimensions.
    pub fn axis(&self, name: &str, rank: usize) -> Result<usize> {
        axis(name, self.attributes.int(name), rank)
    }
}

/// An axis, counted from the end where it is negative.
pub(super) fn axis(argument: &str, value: i64, rank: usize) -> Result<usize> {
    let at = if value < 0 { value.checked_add(rank as i64) } else { Some(value) };
    match at.map(usize::try_from) {
        Some(Ok(at)) if at < rank => Ok(at),
        _ => Err(Cause::Axis { argument: argument.into(), axis: value, rank }.into()),
    }
}

/// Several axes, each once.
pub(super) fn axes(argument: &str, values: &[i64], rank: usize) -> Result<Vec<usize>> {
    let mut all = Vec::with_capacity(values.len());
    for &v in values {
        let a = axis(argument, v, rank)?;
        if all.contains(&a) {
            return Err(crate::graph::argument(argument, format!("{values:?}"), format!("axis {a} occurs twice")));
        }
        all.push(a);
    }
    Ok(all)
}

/// numpy's broadcasting of two shapes.
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

/// Result shape = first operand's shape.
pub(super) fn same_shape(of: &Inference) -> Result<Vec<Shape>> {
    Ok(vec![of.shape(0)?.to_vec()])
}

/// One dimension of a sliding window: `(i + pads - dilation * (k - 1) - 1) / stride + 1`.
pub(crate) struct Window {
    pub input: usize,
    pub kernel: i64,
    pub stride: i64,
    pub dilation: i64,
    pub pads: [i64; 2],
}

impl Window {
    /// Number of positions of the window.
    ///
    /// # Errors
    /// The window does not fit, or a number is impossible.
    pub fn positions(&self) -> Result<usize> {
        let Window { input, kernel, stride, dilation, pads: [before, after] } = *self;
        let range = |v: i64, low: i64| (low..=1 << 31).contains(&v);
        if !(range(kernel, 1) && range(stride, 1) && range(dilation, 1) && range(before, 0) && range(after, 0)) {
            return Err(invalid(format!(
                "kernel {kernel}, stride {stride}, dilation {dilation}, pads {before} and {after}: expected kernel, stride and dilation of at least 1 and pads of at least 0, below 2^31"
            )));
        }
        let (padded, reach) = (input as i64 + before + after, dilation * (kernel - 1) + 1);
        if reach > padded {
            let pads = if before + after > 0 { format!(" with pads {before} and {after}") } else { String::new() };
            return Err(invalid(format!(
                "a kernel of {reach} (dilation included) does not fit an input of {input}{pads}"
            )));
        }
        let room = padded - reach;
        Ok((room / stride) as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn broadcasting_is_numpys() {
        assert_eq!(broadcast(&[1, 3, 32, 32], &[32, 1]).unwrap(), [1, 3, 32, 32]);
        assert_eq!(broadcast(&[2], &[5, 1]).unwrap(), [5, 2]);
        assert_eq!(
            broadcast(&[2, 3], &[4, 3]).unwrap_err().to_string(),
            "shapes 2x3 and 4x3 cannot be broadcast together: 2 and 4 differ and neither is 1"
        );
    }

    proptest! {
        #[test]
        fn windows_count_what_fits(input in 1usize..40, kernel in 1i64..6, stride in 1i64..5, dilation in 1i64..4, a in 0i64..3, b in 0i64..3) {
            let w = Window { input, kernel, stride, dilation, pads: [a, b] };
            let reach = dilation * (kernel - 1) + 1;
            let counted = (0..).step_by(stride as usize).take_while(|at| at + reach <= input as i64 + a + b).count();
            match w.positions() {
                Ok(n) => prop_assert_eq!(n, counted),
                Err(_) => prop_assert_eq!(counted, 0),
            }
        }
    }
}
