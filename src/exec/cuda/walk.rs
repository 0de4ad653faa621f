//! How a kernel iterates over the elements of several tensors together.
use super::geometry::index_type;
use crate::exec::views::View;

/// The offsets and strides with which a kernel iterates over inputs and result together, the result last. Axes that can be
/// merged in all tensors are merged. A broadcast axis has stride 0.
pub(super) struct Walk {
    pub starts: Vec<i64>,
    pub axes: Vec<(usize, Vec<i64>)>,
}

impl Walk {
    pub fn new(shape: &[usize], tensors: impl Iterator<Item = (i64, Vec<i64>)>) -> Walk {
        let (starts, steps): (Vec<i64>, Vec<Vec<i64>>) = tensors.unzip();
        let mut axes: Vec<(usize, Vec<i64>)> = Vec::new();
        for (a, &size) in shape.iter().enumerate().filter(|(_, size)| **size != 1) {
            let own: Vec<i64> = steps.iter().map(|s| s[a]).collect();
            match axes.last_mut() {
                Some((n, before)) if before.iter().zip(&own).all(|(b, o)| *b == o * size as i64) => {
                    (*n, *before) = (*n * size, own);
                }
                _ => axes.push((size, own)),
            }
        }
        Walk { starts, axes }
    }
    /// Returns the access pattern of the kernel.
    pub fn access_pattern(&self) -> AccessPattern {
        let Some((last, (size, by))) = self.axes.iter().enumerate().next_back() else {
            return if self.starts.iter().all(|s| *s == 0) {
                AccessPattern::Contiguous
            } else {
                AccessPattern::Strided
            };
        };
        let (from, to) = by.split_at(by.len() - 1);
        if to != [1] {
            return AccessPattern::Strided;
        }
        let is_run = from.iter().all(|b| (0..=1).contains(b));
        if is_run && last == 0 && self.starts.iter().all(|s| *s == 0) {
            return AccessPattern::Contiguous;
        }
        if is_run && size % 4 == 0 && by.iter().enumerate().all(|(k, b)| *b == 0 || self.has_aligned_rows(k)) {
            return AccessPattern::Vec4;
        }
        let is_large = |size: usize| size >= TILE / 4;
        let other = self.axes[..last].iter().position(|(size, by)| by[0] == 1 && is_large(*size));
        match (from, other) {
            ([step], Some(down)) if !(0..=1).contains(step) && is_large(*size) => AccessPattern::Transpose { down },
            _ => AccessPattern::Strided,
        }
    }
    /// Whether a tensor's rows along the last axis begin at multiples of four elements.
    fn has_aligned_rows(&self, k: usize) -> bool {
        let (_, outer) = self.axes.split_last().map_or((None, &[][..]), |(last, outer)| (Some(last), outer));
        self.starts[k] % 4 == 0 && outer.iter().all(|(_, by)| by[k] % 4 == 0)
    }
    /// Returns the type of all indices and offsets, and of `size`, in CUDA C.
    pub fn index_type(&self, size: usize) -> &'static str {
        let reach = |k: usize| {
            let of_axis = |(size, by): &(usize, Vec<i64>)| by[k].unsigned_abs().saturating_mul(*size as u64);
            self.axes.iter().map(of_axis).fold(self.starts[k].unsigned_abs(), u64::saturating_add)
        };
        let farthest = (0..self.starts.len()).map(reach).max().unwrap_or(0);
        let elements = self.axes.iter().fold(1usize, |n, (size, _)| n.saturating_mul(*size));
        index_type([usize::try_from(farthest).unwrap_or(usize::MAX), elements, size])
    }
    /// Returns the row-major strides of the iteration space.
    pub fn row_major_strides(&self) -> Vec<i64> {
        let mut steps = vec![1; self.axes.len()];
        for a in (1..steps.len()).rev() {
            steps[a - 1] = steps[a] * self.axes[a].0 as i64;
        }
        steps
    }
}

/// The number of rows and columns of a transposed tile.
pub(super) const TILE: usize = 32;

/// How a kernel accesses tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessPattern {
    /// The result and each input are contiguous, or an input is a single value: four elements at a time, then the remainder.
    Contiguous,
    /// Rows along the last axis are contiguous or broadcast, and their lengths are multiples of four: four elements at a
    /// time.
    Vec4,
    /// The input is contiguous along another axis, `down`, and is transposed through tiles in shared memory.
    Transpose { down: usize },
    /// One element at a time.
    Strided,
}

/// Returns the row-major strides of a tensor that is broadcast to `rank` axes.
pub(super) fn broadcast_steps(own: &[usize], rank: usize) -> Vec<i64> {
    let mut steps = vec![0; rank];
    let mut size = 1;
    for (back, &d) in own.iter().rev().enumerate().take(rank) {
        steps[rank - 1 - back] = if d == 1 { 0 } else { size };
        size *= d as i64;
    }
    steps
}

/// Returns the view of a tensor that is broadcast to `shape` and iterated over `counts`, which subdivides the axes of
/// `shape`.
pub(super) fn divided(own: &[usize], shape: &[usize], counts: &[usize]) -> View {
    let mut axes = shape.iter().zip(broadcast_steps(own, shape.len())).rev();
    let mut by = vec![0; counts.len()];
    // The remainder of the axis that is being divided, and the stride of its next part.
    let (mut rest, mut step) = (1, 0);
    for (count, by) in counts.iter().zip(&mut by).rev().filter(|(count, _)| **count != 1) {
        while rest == 1 {
            let Some((&size, of_axis)) = axes.next() else { break };
            (rest, step) = (size, of_axis);
        }
        *by = step;
        (rest, step) = ((rest / count).max(1), step * *count as i64);
    }
    View { start: 0, strides: by, shape: counts.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_tensor_is_seen_over_divided_axes() {
        let by = |own: &[usize], shape: &[usize], counts: &[usize]| divided(own, shape, counts).strides;
        assert_eq!(by(&[3, 4, 6], &[3, 4, 6], &[3, 4, 2, 3]), [24, 6, 3, 1]);
        assert_eq!(by(&[4, 1], &[3, 4, 6], &[3, 4, 2, 3]), [0, 1, 0, 0]);
        assert_eq!(by(&[3, 1, 6], &[3, 4, 6], &[3, 2, 2, 6]), [6, 0, 0, 1]);
        assert_eq!(by(&[12, 6], &[12, 6], &[3, 4, 1, 6]), [24, 6, 0, 1]);
        assert_eq!(by(&[5, 1, 2], &[5, 1, 2], &[5, 1, 2, 1]), [2, 0, 1, 0]);
        assert_eq!(by(&[1], &[1, 1], &[1, 1, 1]), [0, 0, 0]);
    }

    fn pattern(shape: &[usize], tensors: &[(i64, &[i64])]) -> AccessPattern {
        Walk::new(shape, tensors.iter().map(|(start, by)| (*start, by.to_vec()))).access_pattern()
    }

    #[test]
    fn contiguous_elements_are_read_together() {
        // A tensor with a scalar, a bias per column, and a bias per row.
        let own: (i64, &[i64]) = (0, &[12, 1]);
        assert_eq!(pattern(&[5, 12], &[own, (0, &[0, 0]), own]), AccessPattern::Contiguous);
        assert_eq!(pattern(&[5, 12], &[own, (0, &[0, 1]), own]), AccessPattern::Vec4);
        assert_eq!(pattern(&[5, 12], &[own, (0, &[1, 0]), own]), AccessPattern::Vec4);
        assert_eq!(pattern(&[], &[(0, &[]), (0, &[])]), AccessPattern::Contiguous);
        // Rows of unaligned lengths, starts, and strides.
        assert_eq!(pattern(&[5, 13], &[(0, &[13, 1]), (0, &[0, 1]), (0, &[13, 1])]), AccessPattern::Strided);
        assert_eq!(pattern(&[5, 12], &[(2, &[20, 1]), own]), AccessPattern::Strided);
        assert_eq!(pattern(&[5, 12], &[(4, &[18, 1]), own]), AccessPattern::Strided);
        assert_eq!(pattern(&[5, 12], &[(4, &[20, 1]), own]), AccessPattern::Vec4);
        // Reversed, and every second element.
        assert_eq!(pattern(&[8], &[(7, &[-1]), (0, &[1])]), AccessPattern::Strided);
        assert_eq!(pattern(&[8], &[(0, &[2]), (0, &[1])]), AccessPattern::Strided);
    }

    /// Offsets count as well as elements: those of a view may be larger.
    #[test]
    fn the_index_type_covers_all_offsets() {
        let index = |shape: &[usize], tensors: &[(i64, &[i64])]| {
            Walk::new(shape, tensors.iter().map(|(start, by)| (*start, by.to_vec()))).index_type(0)
        };
        let limit = 1i64 << 30;
        assert_eq!(index(&[], &[(0, &[]), (0, &[])]), "int");
        assert_eq!(index(&[limit as usize - 1], &[(0, &[1]), (0, &[1])]), "int");
        assert_eq!(index(&[limit as usize], &[(0, &[1]), (0, &[1])]), "i64");
        for elements in [1usize << 31, (1 << 31) - 1] {
            assert_eq!(index(&[elements], &[(0, &[0]), (0, &[1])]), "i64");
        }
        // A broadcast operand, and axes that are not merged.
        assert_eq!(index(&[1 << 15, 1 << 14], &[(0, &[0, 1]), (0, &[1 << 14, 1])]), "int");
        assert_eq!(index(&[1 << 15, 1 << 15], &[(0, &[0, 1]), (0, &[1 << 15, 1])]), "i64");
        // A few elements of a large tensor: its start, its strides, and a reversed axis.
        assert_eq!(index(&[4], &[(limit - 5, &[1]), (0, &[1])]), "int");
        assert_eq!(index(&[4], &[(limit - 4, &[1]), (0, &[1])]), "i64");
        assert_eq!(index(&[4], &[(0, &[limit / 4]), (0, &[1])]), "i64");
        assert_eq!(index(&[4], &[(limit - 1, &[-(limit / 8)]), (0, &[1])]), "i64");
        assert_eq!(index(&[4], &[(0, &[1]), (0, &[i64::MAX])]), "i64");
        // A size by which offsets are divided.
        let walk = Walk::new(&[4], [(0, vec![1])].into_iter());
        assert_eq!([limit - 1, limit].map(|size| walk.index_type(size as usize)), ["int", "i64"]);
    }

    #[test]
    fn transposes_use_tiles() {
        assert_eq!(pattern(&[40, 50], &[(0, &[1, 40]), (0, &[50, 1])]), AccessPattern::Transpose { down: 0 });
        assert_eq!(
            pattern(&[3, 40, 50], &[(0, &[2000, 1, 40]), (0, &[2000, 50, 1])]),
            AccessPattern::Transpose { down: 1 }
        );
        // Too few columns, or two inputs.
        assert_eq!(pattern(&[40, 3], &[(0, &[1, 40]), (0, &[3, 1])]), AccessPattern::Strided);
        assert_eq!(pattern(&[40, 50], &[(0, &[1, 40]), (0, &[50, 1]), (0, &[50, 1])]), AccessPattern::Strided);
    }
}
