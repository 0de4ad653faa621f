//! Loops over elements, compiled for the instruction set of this machine. So are the functions that they are given, as far as the
//! compiler inlines these: they should be small, and work on numbers rather than vectors.
use super::InstructionSet;
use rten_simd::{Isa, SimdOp};

/// Replaces each element by `f` of it. A closure that captures numbers should be `move`: the compiler would read those behind references
/// for each element, and make no vectors of the loop.
pub(in crate::cpu) fn replace_each<T: Copy>(values: &mut [T], f: impl Fn(T) -> T) {
    InstructionSet::best().run(Each { values, f });
}

/// Replaces each element by `f` of it and of the other one at its place.
pub(in crate::cpu) fn replace_each_with<T: Copy, U: Copy>(values: &mut [T], others: &[U], f: impl Fn(T, U) -> T) {
    InstructionSet::best().run(EachWith { values, others, f });
}

/// Sets each result to `f` of the operands at its place; an operand may be a single element instead.
pub(in crate::cpu) fn combine_each<A: Copy, B: Copy, R>(
    operands: (EachOperand<A>, EachOperand<B>),
    results: &mut [R],
    f: impl Fn(A, B) -> R,
) {
    InstructionSet::best().run(Combine { operands, results, f });
}

/// The elements of an operand.
pub(in crate::cpu) enum EachOperand<'a, T> {
    All(&'a [T]),
    One(T),
}

struct Each<'a, T, F> {
    values: &'a mut [T],
    f: F,
}

impl<T: Copy, F: Fn(T) -> T> SimdOp for Each<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for v in self.values {
            *v = (self.f)(*v);
        }
    }
}

struct EachWith<'a, T, U, F> {
    values: &'a mut [T],
    others: &'a [U],
    f: F,
}

impl<T: Copy, U: Copy, F: Fn(T, U) -> T> SimdOp for EachWith<'_, T, U, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for (v, other) in self.values.iter_mut().zip(self.others) {
            *v = (self.f)(*v, *other);
        }
    }
}

struct Combine<'a, A, B, R, F> {
    operands: (EachOperand<'a, A>, EachOperand<'a, B>),
    results: &'a mut [R],
    f: F,
}

impl<A: Copy, B: Copy, R, F: Fn(A, B) -> R> SimdOp for Combine<'_, A, B, R, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Combine { operands, results, f } = self;
        match operands {
            (EachOperand::All(left), EachOperand::All(right)) => {
                for ((result, a), b) in results.iter_mut().zip(left).zip(right) {
                    *result = f(*a, *b);
                }
            }
            (EachOperand::All(left), EachOperand::One(b)) => {
                for (result, a) in results.iter_mut().zip(left) {
                    *result = f(*a, b);
                }
            }
            (EachOperand::One(a), EachOperand::All(right)) => {
                for (result, b) in results.iter_mut().zip(right) {
                    *result = f(a, *b);
                }
            }
            (EachOperand::One(a), EachOperand::One(b)) => {
                for result in results {
                    *result = f(a, b);
                }
            }
        }
    }
}
