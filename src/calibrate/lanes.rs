//! Sums that the compiler vectorizes, and that are the same bits on all machines.

/// Number of sums that are computed side by side, so that the order of additions does not depend on the width of the machine's vectors.
pub(crate) const SUMS: usize = 8;

/// Calls a function with groups of [`SUMS`] numbers of two slices of the same length. The last group is padded with zeros.
#[inline(always)]
pub(crate) fn for_lanes<A: Copy + Default, B: Copy + Default>(
    first: &[A],
    second: &[B],
    mut add: impl FnMut(&[A; SUMS], &[B; SUMS]),
) {
    let ((first, first_rest), (second, second_rest)) = (first.as_chunks(), second.as_chunks());
    first.iter().zip(second).for_each(|(first, second)| add(first, second));
    add(&padded(first_rest), &padded(second_rest));
}

/// Pads numbers with zeros.
#[inline(always)]
fn padded<T: Copy + Default, const N: usize>(numbers: &[T]) -> [T; N] {
    let mut padded = [T::default(); N];
    padded[..numbers.len()].copy_from_slice(numbers);
    padded
}
