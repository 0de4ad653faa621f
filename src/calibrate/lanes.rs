//! Sums that the compiler vectorizes, and that are the same bits on all machines.

/// Numbers that are added to at a time. The order of additions follows from it, not from the width of the machine's vectors.
pub(crate) const LANES: usize = 8;

/// Calls a function with each [`LANES`] numbers of two slices of the same length. Zeros follow the last numbers.
#[inline(always)]
pub(crate) fn for_lanes<A: Copy + Default, B: Copy + Default>(
    first: &[A],
    second: &[B],
    mut add: impl FnMut(&[A; LANES], &[B; LANES]),
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
