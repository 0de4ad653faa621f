//! How the elements of several tensors are gone over together.

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
    /// One row, which the result has from its beginning on, and each input so too, or as a single number.
    pub fn is_even(&self) -> bool {
        let steps_are_even = match self.axes.as_slice() {
            [] => true,
            [(_, by)] => by.iter().all(|b| (0..=1).contains(b)) && by.last() == Some(&1),
            _ => false,
        };
        steps_are_even && self.starts.iter().all(|s| *s == 0)
    }
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
