//! The axes of images, sequences and volumes.
use super::{Axis, LONGEST};
use crate::{base::Result, ops::Window};

/// Maximum size of the axis of a sequence, including padding: its other axes have one element, so products of sizes cannot overflow. Its
/// windows are not larger than [`LONGEST`].
const LONGEST_OF_SEQUENCE: i64 = 1 << 31;

impl Axis {
    /// Returns the axes of the slices, rows and columns of a convolution; those that images and sequences lack are [`Axis::ONE`]. Returns
    /// `None` if there are more than three windows, or if an axis is empty or too long for these kernels.
    ///
    /// # Errors
    /// Returns an error if a window does not fit.
    pub fn of_windows(windows: &[Window]) -> Result<Option<[Axis; 3]>> {
        let longest = Axis::longest(windows);
        Axis::of_each(windows, |w| Axis::up_to(longest, w))
    }

    /// Like [`Axis::of_windows`], with the axes that `axis` returns.
    ///
    /// # Errors
    /// Returns an error of `axis`.
    pub fn of_each(windows: &[Window], axis: impl FnMut(&Window) -> Result<Option<Axis>>) -> Result<Option<[Axis; 3]>> {
        let found: Option<Vec<Axis>> = windows.iter().map(axis).collect::<Result<_>>()?;
        Ok(match found.as_deref() {
            Some(&[cols]) => Some([Axis::ONE, Axis::ONE, cols]),
            Some(&[rows, cols]) => Some([Axis::ONE, rows, cols]),
            Some(&[slices, rows, cols]) => Some([slices, rows, cols]),
            _ => None,
        })
    }

    /// The maximum size of the axes of a convolution with these windows.
    pub fn longest(windows: &[Window]) -> i64 {
        if windows.len() == 1 { LONGEST_OF_SEQUENCE } else { LONGEST }
    }

    /// Like [`Axis::new`], with a maximum size.
    pub(super) fn up_to(longest: i64, w: &Window) -> Result<Option<Axis>> {
        let output = w.positions()?;
        let is_long = w.input as i64 + w.pads[0] + w.pads[1] > longest;
        let is_wide = (w.kernel - 1).saturating_mul(w.dilation) >= LONGEST || w.stride > LONGEST;
        Ok((!is_long && !is_wide && w.input > 0).then(|| Axis::of(w, output)))
    }
}
