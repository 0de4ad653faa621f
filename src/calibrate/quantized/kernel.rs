//! Integer arithmetic of layers, as TPU-MLIR 1.30's executor computes it.
use super::{fixed::Multiplier, range::Range};
use crate::{array::Array, base::Result, numbers};
use rayon::prelude::*;

/// Integer arithmetic of a layer.
pub enum Kernel {
    /// Exact sums of products, requantized per output channel along an axis, or all alike. Those with a constant matrix also have a
    /// multiplier to integers of 16 bits, for sums with floats.
    Products { index: usize, multipliers: Vec<Multiplier>, rounding: Rounding, wide: Option<Multiplier> },
    /// The sum of terms that are requantized first.
    Sum { terms: Vec<Term> },
    /// A product, requantized.
    Product { constants: Vec<Option<Array>>, multiplier: Multiplier },
    /// An integer times a multiplier, plus a number.
    Linear { multiplier: Multiplier, addend: i64, is_negated: bool },
    /// The mean of `count` integers, requantized.
    Mean { count: usize, multiplier: Multiplier },
    /// Integers of at least or at most a number.
    Limit { limit: i64, is_least: bool },
    /// Multiplies negative integers by the slope of their channel, which has `inner` consecutive elements.
    Slope { multipliers: Vec<Multiplier>, inner: usize },
    /// A function of one number, in a table.
    Table,
    /// Pads with a constant. The operator pads with the real number, which `divisor` converts to the integer.
    Pad { divisor: f64 },
    /// Integers that are moved, selected or compared; those of operands with another range are requantized first.
    Copy { multipliers: Vec<Option<Multiplier>> },
}

/// How sums of products are rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounding {
    HalfUp,
    HalfAwayFromZero,
}

/// A term of a sum.
pub struct Term {
    /// Its integers, if it is constant.
    pub constant: Option<Array>,
    pub multiplier: Multiplier,
}

impl Kernel {
    /// Returns the numbers that the layer's own operator is run on in floats, exactly, for its operands' integers.
    /// `None` for kernels that run without it.
    pub fn prepared(&self, operand: usize, integers: Option<&Array>) -> Result<Option<Array>> {
        let float = |array: &Array| array.to_f32().and_then(|x| Array::from_vec(array.shape(), x)).map(Some);
        let requantized = |multiplier: Multiplier, array: &Array| {
            let numbers = array.to_f32()?.into_par_iter().map(|q| multiplier.apply(q as i64) as f32);
            Array::from_vec(array.shape(), numbers.collect()).map(Some)
        };
        match self {
            Kernel::Sum { terms } => {
                let Some(term) = terms.get(operand) else { return Ok(None) };
                let array = term.constant.as_ref().or(integers);
                array.map_or(Ok(None), |array| requantized(term.multiplier, array))
            }
            Kernel::Product { constants, .. } => {
                let constant = constants.get(operand).and_then(Option::as_ref);
                constant.or(integers).map_or(Ok(None), float)
            }
            Kernel::Copy { multipliers } => match (multipliers.get(operand).copied().flatten(), integers) {
                (Some(multiplier), Some(array)) => requantized(multiplier, array),
                (None, Some(array)) => float(array),
                (_, None) => Ok(None),
            },
            Kernel::Mean { .. } => integers.map_or(Ok(None), float),
            Kernel::Pad { divisor } => integers.map_or(Ok(None), |array| {
                let numbers = array.to_f32()?.into_par_iter().map(|q| (f64::from(q) * divisor) as f32);
                Array::from_vec(array.shape(), numbers.collect()).map(Some)
            }),
            _ => Ok(None),
        }
    }

    /// Returns the stored result from what [`Kernel::prepared`] made the operator compute.
    pub fn finished(&self, computed: &Array, to: Range) -> Result<Array> {
        let numbers = numbers(computed)?;
        let each = |f: &(dyn Fn(f32) -> i64 + Sync)| to.stored(computed.shape(), numbers.par_iter().map(|x| f(*x)));
        match self {
            Kernel::Product { multiplier, .. } => each(&|x| multiplier.apply(x as i64)),
            Kernel::Mean { count, multiplier } => {
                let count = *count as f32;
                each(&|x| multiplier.apply((x * count).round() as i64))
            }
            Kernel::Pad { divisor } => each(&|x| (f64::from(x) / divisor).round() as i64),
            _ => each(&|x| x as i64),
        }
    }

    /// Computes a result element by element, without the layer's operator. `None` for other kernels.
    pub fn element_wise(&self, integers: &Array, to: Range, has_relu: bool) -> Result<Option<Array>> {
        let each = |f: &(dyn Fn(usize, i64) -> i64 + Sync)| {
            let least = if has_relu { 0 } else { i64::MIN };
            let results = integers.to_f32()?.into_par_iter().enumerate().map(|(i, q)| f(i, q as i64).max(least));
            to.stored(integers.shape(), results).map(Some)
        };
        match self {
            Kernel::Linear { multiplier, addend, is_negated } => each(&|_, q| {
                let q = if *is_negated { -q } else { q };
                multiplier.apply_and_add(q, *addend)
            }),
            Kernel::Limit { limit, is_least } => each(&|_, q| if *is_least { q.max(*limit) } else { q.min(*limit) }),
            Kernel::Slope { multipliers, inner } => {
                let multiplier = |i: usize| multipliers[i / inner % multipliers.len()];
                each(&|i, q| if q < 0 { multiplier(i).apply(q) } else { q })
            }
            _ => Ok(None),
        }
    }
}

/// Requantizes exact sums to integers of 16 bits.
pub fn requantized_to_wide(sums: &Array, multiplier: Multiplier) -> Result<Array> {
    let each = |sum: &i32| {
        let integer = multiplier.apply(i64::from(*sum).abs()) * i64::from(sum.signum());
        integer.clamp(i16::MIN.into(), i16::MAX.into()) as i16
    };
    Array::from_vec(sums.shape(), sums.elements::<i32>()?.par_iter().map(each).collect())
}

/// Requantizes exact sums, of which an axis has channels.
pub fn requantized(
    sums: &Array,
    (multipliers, rounding): (&[Multiplier], Rounding),
    to: Range,
    has_relu: bool,
) -> Result<Array> {
    let elements = sums.elements::<i32>()?;
    // Elements of one channel that follow each other.
    let inner: usize = if multipliers.len() > 1 { sums.shape()[2..].iter().product() } else { 1 };
    let least = if has_relu { 0 } else { i64::MIN };
    let each = |(i, sum): (usize, &i32)| {
        let multiplier = match multipliers {
            [all] => *all,
            _ => multipliers[i / inner.max(1) % multipliers.len()],
        };
        let integer = match rounding {
            Rounding::HalfAwayFromZero if *sum < 0 => -multiplier.apply(-i64::from(*sum)),
            _ => multiplier.apply(i64::from(*sum)),
        };
        integer.max(least)
    };
    to.stored(sums.shape(), elements.par_iter().enumerate().map(each))
}
