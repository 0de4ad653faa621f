//! Functions of each number of a tensor.
use super::{
    exp::{MAX_EXPONENT, MIN_EXPONENT, exponential, power_less_one, power_of_half, power_within},
    rows::{load_padded, store_within},
    tile::clamped,
};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, FloatOps, NumOps},
};

/// A function of float32 numbers. NaN remains NaN, unless a function says otherwise.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Function {
    Abs,
    Ceil,
    /// `alpha (e^x - 1)` for negative numbers, `x` for others.
    Elu(f32),
    Erf,
    /// `e^x`
    Exp,
    Floor,
    /// `x (1 + erf(x / sqrt(2))) / 2`
    Gelu,
    /// `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`
    GeluTanh,
    /// `alpha x + beta`, clamped to 0 and 1.
    HardLogistic {
        alpha: f32,
        beta: f32,
    },
    /// `x` times the piecewise linear logistic function of `x / 6`.
    HardSwish,
    /// `1 / (1 + e^-x)`
    Logistic,
    /// `x tanh(ln(1 + e^x))`
    Mish,
    /// `c / x`
    Reciprocal(f32),
    /// The nearest integer; halves are rounded away from zero.
    Round,
    /// -1, 0 or 1; 0 for NaN.
    Sign,
    /// `x / (1 + e^-x)`
    SiLU,
    /// `x / (1 + |x|)`
    Softsign,
    Sqrt,
    /// `x^2`
    Square,
    /// `x / (1 + e^(-beta x))`
    Swish(f32),
    Tanh,
    /// `x^3`
    Cube,
}

/// Replaces each number by a function of it, or sets it to the function of another one.
pub(in crate::cpu) struct Apply<'a> {
    pub values: &'a mut [f32],
    /// As many numbers.
    pub of: Option<&'a [f32]>,
    pub function: Function,
}

impl SimdOp for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Apply { values, of, function } = self;
        macro_rules! each {
            ($x:ident => $result:expr) => {
                match of {
                    Some(of) => values.iter_mut().zip(of).for_each(|(v, &$x)| *v = $result),
                    None => values.iter_mut().for_each(|v| {
                        let $x = *v;
                        *v = $result;
                    }),
                }
            };
        }
        match function {
            Function::Abs => each!(x => x.abs()),
            Function::Ceil => each!(x => x.ceil()),
            Function::Floor => each!(x => x.floor()),
            Function::Reciprocal(c) => each!(x => c / x),
            Function::Round => each!(x => rounded(x)),
            Function::Sign => each!(x => f32::from(u8::from(x > 0.0)) - f32::from(u8::from(x < 0.0))),
            Function::Softsign => each!(x => x / (1.0 + x.abs())),
            Function::Sqrt => each!(x => x.sqrt()),
            Function::Square => each!(x => x * x),
            Function::Cube => each!(x => x * x * x),
            Function::Elu(alpha) => replace_vectors(isa, values, of, Elu { alpha }),
            Function::Erf => replace_vectors(isa, values, of, Erf),
            Function::Exp => replace_vectors(isa, values, of, Exp),
            Function::Gelu => replace_vectors(isa, values, of, Gelu),
            Function::GeluTanh => replace_vectors(isa, values, of, GeluTanh),
            Function::HardLogistic { alpha, beta } => replace_vectors(isa, values, of, HardLogistic { alpha, beta }),
            Function::HardSwish => replace_vectors(isa, values, of, HardSwish),
            Function::Logistic => replace_vectors(isa, values, of, Logistic::<false>),
            Function::Swish(beta) => replace_vectors(isa, values, of, Swish { beta }),
            Function::SiLU => replace_vectors(isa, values, of, Logistic::<true>),
            Function::Mish => replace_vectors(isa, values, of, Mish),
            Function::Tanh => replace_vectors(isa, values, of, Tanh),
        }
    }
}

/// Returns the nearest integer, like `f32::round`, which is a call for each number.
#[inline(always)]
fn rounded(x: f32) -> f32 {
    let whole = x.trunc();
    if (x - whole).abs() >= 0.5 { whole + 1f32.copysign(x) } else { whole }
}

/// A function of the numbers of a vector.
trait OfVector {
    /// Must be inlined.
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32;
}

/// Replaces each vector by a function of it, or of the other one at its place.
#[inline(always)]
fn replace_vectors<I: Isa>(isa: I, values: &mut [f32], others: Option<&[f32]>, function: impl OfVector) {
    let ops = isa.f32();
    let whole = values.len() / ops.len() * ops.len();
    for at in (0..whole).step_by(ops.len()) {
        let x = match others {
            Some(others) => ops.load(&others[at..]),
            None => ops.load(&values[at..]),
        };
        ops.store(function.of(isa, x), &mut values[at..]);
    }
    if whole < values.len() {
        let x = load_padded(ops, others.unwrap_or(values), whole, 0.0);
        store_within(ops, function.of(isa, x), values, whole);
    }
}

/// The logistic function, or SiLU.
struct Logistic<const TIMES_X: bool>;

impl<const TIMES_X: bool> OfVector for Logistic<TIMES_X> {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        let (ops, one) = (isa.f32(), isa.f32().one());
        // At the bounds, the power is infinite or 0. The SiLU of minus infinity is NaN.
        let power = power_within(isa, clamped(ops, x, ops.splat(MIN_EXPONENT), ops.splat(MAX_EXPONENT)));
        ops.div(if TIMES_X { x } else { one }, ops.add(one, power))
    }
}

/// A number times the logistic function of `beta` times it.
struct Swish {
    beta: f32,
}

impl OfVector for Swish {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        let ops = isa.f32();
        ops.mul(x, Logistic::<false>.of(isa, ops.mul(x, ops.splat(self.beta))))
    }
}

struct HardLogistic {
    alpha: f32,
    beta: f32,
}

impl OfVector for HardLogistic {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        let ops = isa.f32();
        let y = ops.mul_add(x, ops.splat(self.alpha), ops.splat(self.beta));
        clamped(ops, y, ops.zero(), ops.one())
    }
}

struct HardSwish;

impl OfVector for HardSwish {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        isa.f32().mul(x, HardLogistic { alpha: 1.0 / 6.0, beta: 0.5 }.of(isa, x))
    }
}

struct Elu {
    alpha: f32,
}

impl OfVector for Elu {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        let ops = isa.f32();
        let below = clamped(ops, x, ops.splat(-MAX_EXPONENT), ops.zero());
        let below = ops.mul(power_less_one(isa, ops.neg(below)), ops.splat(self.alpha));
        ops.select(x, below, ops.ge(x, ops.zero()))
    }
}

struct Mish;

impl OfVector for Mish {
    /// With `n = e^x (e^x + 2)`, `tanh(ln(1 + e^x))` is `n / (n + 2)`.
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        // From there on, the quotient is 1.
        const LARGE: f32 = 40.0;
        let (ops, two) = (isa.f32(), isa.f32().splat(2.0));
        // At the lower bound, the power is 0. The result of minus infinity is NaN.
        let power = power_within(isa, ops.neg(clamped(ops, x, ops.splat(-MAX_EXPONENT), ops.splat(LARGE))));
        let n = ops.mul(power, ops.add(power, two));
        ops.mul(x, ops.div(n, ops.add(n, two)))
    }
}

/// The error function, with the polynomials of N. Juffa's float32 version.
struct Erf;

impl OfVector for Erf {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        /// Up to it, the function is an odd polynomial. Beyond, its difference from 1 is a power.
        const NEAR: f32 = 0.927_734_4;
        let ops = isa.f32();
        let (size, square) = (ops.abs(x), ops.mul(x, x));
        let mut near = ops.splat(-5.967_617e-4);
        for coefficient in [4.991_194_2e-3, -2.676_813_5e-2, 0.112_819_925, -0.376_125_34, 0.128_379_17] {
            near = ops.mul_add(near, square, ops.splat(coefficient));
        }
        near = ops.mul_add(near, x, x);
        // Beyond 10, the power is negligible.
        let far = clamped(ops, size, ops.zero(), ops.splat(10.0));
        let mut exponent = ops.splat(1.728_534_7e-5);
        for coefficient in [-3.831_971_3e-4, 3.883_964_4e-3, -2.425_462_2e-2, 0.106_777_88, 0.634_846_7, 0.128_717_51] {
            exponent = ops.mul_add(exponent, far, ops.splat(coefficient));
        }
        exponent = clamped(ops, ops.mul_add(exponent, far, far), ops.zero(), ops.splat(MAX_EXPONENT));
        let far = ops.sub(ops.one(), power_within(isa, exponent));
        let far = ops.select(ops.neg(far), far, ops.lt(x, ops.zero()));
        ops.select(far, near, ops.gt(size, ops.splat(NEAR)))
    }
}

struct Exp;

impl OfVector for Exp {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        exponential(isa, x)
    }
}

/// The hyperbolic tangent: with `t = e^(-2 |x|) - 1`, its size is `-t / (t + 2)`.
struct Tanh;

impl OfVector for Tanh {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        let (ops, size) = (isa.f32(), isa.f32().abs(x));
        let t = power_less_one(isa, clamped(ops, ops.add(size, size), ops.zero(), ops.splat(MAX_EXPONENT)));
        let size = ops.abs(ops.div(t, ops.add(t, ops.splat(2.0))));
        ops.select(ops.neg(size), size, ops.lt(x, ops.zero()))
    }
}

/// GELU, `x P(x)`, where `P` is the cumulative distribution function of the standard normal distribution. For `a = |x|`, `P(-a)` is
/// `2^-(1 + a q(a))` with a polynomial `q`.
struct Gelu;

impl OfVector for Gelu {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        // Minimax up to 6: the error of P is at most 5e-8, and 3e-6 times P where P is small. Beyond, the polynomial grows faster.
        const Q: [f32; 9] = [
            -6.170_21e-7,
            8.428_437e-6,
            -6.210_643e-5,
            2.323_317_6e-4,
            9.246_762e-5,
            -7.051_025_5e-3,
            5.250_429_7e-2,
            0.459_203_06,
            1.151_105_9,
        ];
        let (ops, one) = (isa.f32(), isa.f32().one());
        let size = ops.abs(x);
        let mut exponent = ops.splat(1.926_418_1e-8);
        for coefficient in Q {
            exponent = ops.mul_add(exponent, size, ops.splat(coefficient));
        }
        let below = power_of_half(isa, ops.mul_add(exponent, size, one));
        ops.mul(x, ops.select(ops.sub(one, below), below, ops.gt(x, ops.zero())))
    }
}

/// The approximation of GELU by a hyperbolic tangent. As `(1 + tanh(u)) / 2` is the logistic function of `2 u`, it is a SiLU with another
/// argument.
struct GeluTanh;

impl OfVector for GeluTanh {
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, x: I::F32) -> I::F32 {
        /// `2 sqrt(2 / pi)`
        const FACTOR: f32 = 1.595_769;
        let ops = isa.f32();
        let factor = ops.mul_add(ops.mul(x, x), ops.splat(FACTOR * 0.044_715), ops.splat(FACTOR));
        ops.mul(x, Logistic::<false>.of(isa, ops.mul(x, factor)))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::InstructionSet, *};
    use crate::cpu::{activation::mish, math::erf};
    use std::f64::consts::{FRAC_1_SQRT_2, PI};

    /// Compares with the definition in float64; `error` is relative.
    fn check(function: Function, definition: impl Fn(f64) -> f64, error: f64) {
        check_within(function, definition, [error, 1e-35]);
    }

    fn check_within(function: Function, definition: impl Fn(f64) -> f64, [relative, absolute]: [f64; 2]) {
        let special = [
            0.0,
            -0.0,
            1e-30,
            -1e-30,
            1e-6,
            -1e-6,
            -86.9,
            -87.1,
            -87.5,
            -88.3,
            -88.5,
            -88.95,
            87.5,
            87.9,
            88.5,
            88.72,
            88.73,
            -103.0,
            -104.0,
            1e9,
            -1e9,
            0.49999997,
            -0.49999997,
            8_388_607.5,
            f32::MIN,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        // As many as fill no vector.
        let x: Vec<f32> = (-2000..2001).map(|i| i as f32 * 0.01).chain(special).collect();
        for isa in InstructionSet::all() {
            let mut y = x.clone();
            isa.run(Apply { values: &mut y, of: None, function });
            let mut again = vec![0.0; x.len()];
            isa.run(Apply { values: &mut again, of: Some(&x), function });
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&again), bits(&y), "{function:?}");
            for (x, y) in x.iter().zip(y) {
                let want = definition(f64::from(*x));
                let is_close = (f64::from(y) - want).abs() <= relative * want.abs() + absolute || y == want as f32;
                assert!(if want.is_nan() { y.is_nan() } else { is_close }, "{function:?} of {x}: {y}, not {want}");
            }
        }
    }

    #[test]
    fn functions_are_their_definitions() {
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        check(Function::Abs, f64::abs, 0.0);
        check(Function::Ceil, f64::ceil, 0.0);
        check(Function::Floor, f64::floor, 0.0);
        check(Function::Round, f64::round, 0.0);
        check(Function::Sqrt, f64::sqrt, 6e-8);
        check(Function::Square, |x| x * x, 6e-8);
        check(Function::Cube, |x| x * x * x, 2e-7);
        check(Function::Sign, crate::cpu::math::sign, 0.0);
        check(Function::Softsign, |x| if x.is_infinite() { f64::NAN } else { x / (1.0 + x.abs()) }, 2e-7);
        check(Function::Elu(0.7), |x| if x > 0.0 { x } else { f64::from(0.7f32) * x.exp_m1() }, 3e-7);
        check(Function::Erf, erf, 2e-7);
        // Near -3, the sum cancels out.
        check_within(Function::HardSwish, |x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0), [2e-7, 4e-7]);
        let (alpha, beta) = (0.2, 0.4);
        let linear = |x: f64| (f64::from(alpha) * x + f64::from(beta)).clamp(0.0, 1.0);
        check_within(Function::HardLogistic { alpha, beta }, linear, [2e-7, 2e-7]);
        check_within(Function::Exp, f64::exp, [2e-7, 1e-45]);
        check(Function::Tanh, f64::tanh, 2e-7);
        check(Function::Logistic, logistic, 4e-7);
        check(Function::SiLU, |x| x * logistic(x), 4e-7);
        check(Function::Mish, mish, 5e-7);
        let gelu = |x: f64| x * logistic(2.0 * (2.0 / PI).sqrt() * (x + 0.044715 * x.powi(3)));
        check_within(Function::Gelu, |x| 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)), [2e-7, 2e-7]);
        // The error of a power grows with its exponent.
        check_within(Function::GeluTanh, gelu, [2e-5, 1e-34]);
        for beta in [1.702f32, -0.5] {
            let beta_x = |x: f64| f64::from(beta) * x;
            check_within(Function::Swish(beta), |x| x / (1.0 + (-beta_x(x)).exp()), [2e-5, 1e-34]);
        }
        check(Function::Reciprocal(3.0), |x| 3.0 / x, 6e-8);
    }
}
