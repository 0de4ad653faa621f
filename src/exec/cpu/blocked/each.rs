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

/// Like [`replace_each_with`], with two others.
pub(in crate::cpu) fn replace_each_with_two<T: Copy, U: Copy>(
    values: &mut [T],
    others: &[U],
    more: &[T],
    f: impl Fn(T, U, T) -> T,
) {
    InstructionSet::best().run(EachWithTwo { values, others, more, f });
}

/// Sets each element to `f` of the other one at its place.
pub(in crate::cpu) fn fill_each<T, U: Copy>(values: &mut [T], others: &[U], f: impl Fn(U) -> T) {
    InstructionSet::best().run(Fill { values, others, f });
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

struct Fill<'a, T, U, F> {
    values: &'a mut [T],
    others: &'a [U],
    f: F,
}

impl<T, U: Copy, F: Fn(U) -> T> SimdOp for Fill<'_, T, U, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for (v, other) in self.values.iter_mut().zip(self.others) {
            *v = (self.f)(*other);
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

struct EachWithTwo<'a, T, U, F> {
    values: &'a mut [T],
    others: &'a [U],
    more: &'a [T],
    f: F,
}

impl<T: Copy, U: Copy, F: Fn(T, U, T) -> T> SimdOp for EachWithTwo<'_, T, U, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for ((v, other), another) in self.values.iter_mut().zip(self.others).zip(self.more) {
            *v = (self.f)(*v, *other, *another);
        }
    }
}
