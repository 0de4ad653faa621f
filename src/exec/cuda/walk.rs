//! How the elements of several tensors are gone over together.
use crate::exec::views::View;

/// How inputs and the result are walked over together: where each begins, and axes that all walk alike put together, with
/// the steps of each, 0 where it is broadcast. The result is the last.
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
    /// How a kernel goes over it.
    pub fn form(&self) -> Form {
        let Some((last, (size, by))) = self.axes.iter().enumerate().next_back() else {
            return if self.starts.iter().all(|s| *s == 0) { Form::Even } else { Form::Each };
        };
        let (from, to) = by.split_at(by.len() - 1);
        if to != [1] {
            return Form::Each;
        }
        let is_run = from.iter().all(|b| (0..=1).contains(b));
        if is_run && last == 0 && self.starts.iter().all(|s| *s == 0) {
            return Form::Even;
        }
        if is_run && size % 4 == 0 && by.iter().enumerate().all(|(k, b)| *b == 0 || self.begins_evenly(k)) {
            return Form::Fours;
        }
        let is_large = |size: usize| size >= TILE / 4;
        let other = self.axes[..last].iter().position(|(size, by)| by[0] == 1 && is_large(*size));
        match (from, other) {
            ([step], Some(down)) if !(0..=1).contains(step) && is_large(*size) => Form::Tiles { down },
            _ => Form::Each,
        }
    }
    /// Whether a tensor's runs along the last axis begin at multiples of four.
    fn begins_evenly(&self, k: usize) -> bool {
        let (_, outer) = self.axes.split_last().map_or((None, &[][..]), |(last, outer)| (Some(last), outer));
        self.starts[k] % 4 == 0 && outer.iter().all(|(_, by)| by[k] % 4 == 0)
    }
    /// How far apart the indices of each axis are among all elements.
    pub fn steps(&self) -> Vec<i64> {
        let mut steps = vec![1; self.axes.len()];
        for a in (1..steps.len()).rev() {
            steps[a - 1] = steps[a] * self.axes[a].0 as i64;
        }
        steps
    }
}

/// Rows and columns of a tile that is transposed.
pub(super) const TILE: usize = 32;

/// How a kernel goes over tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One row, which the result has from its beginning on, and each input so too, or as a single number: four elements at a
    /// time, and what is left.
    Even,
    /// Runs of the last axis, each in multiples of four elements, which are next to each other, or one for all.
    Fours,
    /// The input's elements are next to each other along another axis, `down`: through tiles in shared memory.
    Tiles { down: usize },
    /// Element by element.
    Each,
}

/// Row-major steps of a tensor as a result of so many axes sees it.
pub(super) fn broadcast_steps(own: &[usize], rank: usize) -> Vec<i64> {
    let mut steps = vec![0; rank];
    let mut size = 1;
    for (back, &d) in own.iter().rev().enumerate().take(rank) {
        steps[rank - 1 - back] = if d == 1 { 0 } else { size };
        size *= d as i64;
    }
    steps
}

/// A tensor that is broadcast to `shape`, over `counts`, into which the axes of `shape` are divided.
pub(super) fn divided(own: &[usize], shape: &[usize], counts: &[usize]) -> View {
    let mut axes = shape.iter().zip(broadcast_steps(own, shape.len())).rev();
    let mut by = vec![0; counts.len()];
    // What is left of the axis that is being divided, and the step of its next part.
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

    fn form(shape: &[usize], tensors: &[(i64, &[i64])]) -> Form {
        Walk::new(shape, tensors.iter().map(|(start, by)| (*start, by.to_vec()))).form()
    }

    #[test]
    fn neighbours_are_read_together() {
        // A tensor and a number of it; a bias of columns, one of rows.
        let own: (i64, &[i64]) = (0, &[12, 1]);
        assert_eq!(form(&[5, 12], &[own, (0, &[0, 0]), own]), Form::Even);
        assert_eq!(form(&[5, 12], &[own, (0, &[0, 1]), own]), Form::Fours);
        assert_eq!(form(&[5, 12], &[own, (0, &[1, 0]), own]), Form::Fours);
        assert_eq!(form(&[], &[(0, &[]), (0, &[])]), Form::Even);
        // Rows of odd lengths, of odd beginnings, of odd places.
        assert_eq!(form(&[5, 13], &[(0, &[13, 1]), (0, &[0, 1]), (0, &[13, 1])]), Form::Each);
        assert_eq!(form(&[5, 12], &[(2, &[20, 1]), own]), Form::Each);
        assert_eq!(form(&[5, 12], &[(4, &[18, 1]), own]), Form::Each);
        assert_eq!(form(&[5, 12], &[(4, &[20, 1]), own]), Form::Fours);
        // Backwards, and every second.
        assert_eq!(form(&[8], &[(7, &[-1]), (0, &[1])]), Form::Each);
        assert_eq!(form(&[8], &[(0, &[2]), (0, &[1])]), Form::Each);
    }

    #[test]
    fn what_is_transposed_goes_through_tiles() {
        assert_eq!(form(&[40, 50], &[(0, &[1, 40]), (0, &[50, 1])]), Form::Tiles { down: 0 });
        assert_eq!(form(&[3, 40, 50], &[(0, &[2000, 1, 40]), (0, &[2000, 50, 1])]), Form::Tiles { down: 1 });
        // Little of it, or two that are read.
        assert_eq!(form(&[40, 3], &[(0, &[1, 40]), (0, &[3, 1])]), Form::Each);
        assert_eq!(form(&[40, 50], &[(0, &[1, 40]), (0, &[50, 1]), (0, &[50, 1])]), Form::Each);
    }
}
