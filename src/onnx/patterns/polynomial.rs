//! Arithmetic in normal forms, so that a pattern holds whatever the order in which it is written.
use crate::{Rewriter, Tensor, ops::Op};

/// Depth of arithmetic that is looked at.
const MAX_DEPTH: usize = 8;
/// Number of factors that are looked at.
const MAX_FACTORS: usize = 8;

/// `factor * numerators.. / denominators..`
#[derive(Default)]
pub struct Fraction {
    pub factor: f64,
    pub numerators: Vec<Tensor>,
    pub denominators: Vec<Tensor>,
}

impl Fraction {
    /// Returns the fraction that a tensor is. Products that others read, too, count as factors.
    pub fn of(r: &Rewriter, t: Tensor) -> Fraction {
        let mut found = Fraction { factor: 1.0, ..Fraction::default() };
        found.add(r, t, true, 0);
        found
    }

    fn add(&mut self, r: &Rewriter, t: Tensor, is_above: bool, depth: usize) {
        let is_open = depth == 0 || depth < MAX_DEPTH && r.is_read_once(t);
        let has_room = self.numerators.len() + self.denominators.len() < MAX_FACTORS;
        let depth = depth + 1;
        match r.op(t).filter(|_| is_open && has_room) {
            Some(Op::MulConst(op)) => {
                self.scale(op.const_val, is_above);
                self.add(r, op.input, is_above, depth);
            }
            Some(Op::Reciprocal(op)) => {
                self.scale(op.const_val, is_above);
                self.add(r, op.input, !is_above, depth);
            }
            Some(Op::Mul(op)) if op.inputs.len() == 2 && op.inputs[0] != op.inputs[1] => {
                op.inputs.iter().for_each(|t| self.add(r, *t, is_above, depth));
            }
            Some(Op::Div(op)) if !op.is_reverse && op.inputs.len() == 2 => {
                self.add(r, op.inputs[0], is_above, depth);
                self.add(r, op.inputs[1], !is_above, depth);
            }
            _ if is_above => self.numerators.push(t),
            _ => self.denominators.push(t),
        }
    }
    fn scale(&mut self, factor: f64, is_above: bool) {
        if is_above { self.factor *= factor } else { self.factor /= factor }
    }
}

/// `slope * of + offset`
pub struct Affine {
    pub of: Tensor,
    pub slope: f64,
    pub offset: f64,
}

impl Affine {
    /// Returns the operand of all scaling and shifting that a tensor results from.
    pub fn of(r: &Rewriter, t: Tensor) -> Affine {
        let mut found = Affine { of: t, slope: 1.0, offset: 0.0 };
        for _ in 0..MAX_DEPTH {
            match r.op(found.of) {
                Some(Op::AddConst(op)) => {
                    found.offset += found.slope * op.const_val;
                    found.of = op.input;
                }
                Some(Op::MulConst(op)) => {
                    found.slope *= op.const_val;
                    found.of = op.input;
                }
                _ => break,
            }
        }
        found
    }
}

/// Coefficients of 1, x, x^2 and x^3.
pub type Cubic = [f64; 4];

/// Returns a tensor as a polynomial of `x`, of at most the third degree.
pub fn polynomial(r: &Rewriter, t: Tensor, x: Tensor) -> Option<Cubic> {
    polynomial_within(r, t, x, MAX_DEPTH)
}

fn polynomial_within(r: &Rewriter, t: Tensor, x: Tensor, depth: usize) -> Option<Cubic> {
    if t == x {
        return Some([0.0, 1.0, 0.0, 0.0]);
    }
    let depth = depth.checked_sub(1)?;
    let of = |t: Tensor| polynomial_within(r, t, x, depth);
    match r.op(t)? {
        Op::AddConst(op) => of(op.input).map(|[c, rest @ ..]| [c + op.const_val, rest[0], rest[1], rest[2]]),
        Op::MulConst(op) => of(op.input).map(|p| p.map(|c| c * op.const_val)),
        Op::Add(op) if op.inputs.len() == 2 => {
            let (a, b) = (of(op.inputs[0])?, of(op.inputs[1])?);
            Some(std::array::from_fn(|i| a[i] + b[i]))
        }
        Op::Sub(op) if op.inputs.len() == 2 && !op.is_reverse => {
            let (a, b) = (of(op.inputs[0])?, of(op.inputs[1])?);
            Some(std::array::from_fn(|i| a[i] - b[i]))
        }
        Op::Mul(op) if op.inputs.len() == 2 => times(&of(op.inputs[0])?, &of(op.inputs[1])?),
        Op::Pow(op) if op.exponent == 2.0 => of(op.input).and_then(|p| times(&p, &p)),
        Op::Pow(op) if op.exponent == 3.0 => of(op.input).and_then(|p| times(&times(&p, &p)?, &p)),
        _ => None,
    }
}

/// The product, if it is of at most the third degree.
fn times(a: &Cubic, b: &Cubic) -> Option<Cubic> {
    let mut product = [0.0; 4];
    for (i, a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        for (j, b) in b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            *product.get_mut(i + j)? += a * b;
        }
    }
    Some(product)
}

/// Returns whether a tensor is this polynomial of `x`.
pub fn is_polynomial(r: &Rewriter, t: Tensor, x: Tensor, expected: Cubic) -> bool {
    polynomial(r, t, x).is_some_and(|found| found.iter().zip(expected).all(|(f, e)| r.is_near(x, *f, e)))
}
