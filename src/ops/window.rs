//! Sliding windows of convolutions and pools.
use super::AutoPad;
use crate::base::{Result, argument, invalid};

/// One dimension of a sliding window: `(i + pads - dilation * (k - 1) - 1) / stride + 1`.
#[derive(Clone)]
pub struct Window {
    /// Size of the input.
    pub input: usize,
    /// Size of the kernel.
    pub kernel: i64,
    /// Distance between windows.
    pub stride: i64,
    /// Spacing of the kernel's elements.
    pub dilation: i64,
    /// Padding before and after.
    pub pads: [i64; 2],
}

/// Largest kernel, stride, dilation or padding.
const MAX: i64 = 1 << 31;

/// Checks that the values of an attribute are from `low` to 2^31, so that sums and products of them do not overflow.
///
/// # Errors
/// Returns an error with the list if they are not.
pub(super) fn in_range(attribute: &str, values: &[i64], low: i64) -> Result<()> {
    let expected = match values.iter().find(|v| !(low..=MAX).contains(v)) {
        None => return Ok(()),
        Some(v) if *v < low => format!("expected numbers of at least {low}"),
        Some(_) => format!("expected numbers of at most {MAX}"),
    };
    Err(argument(attribute, format!("{values:?}"), expected))
}

/// The values of a window have been checked by `in_range`.
impl Window {
    /// Returns the size of the dilated kernel.
    fn effective_kernel(&self) -> i64 {
        self.dilation * (self.kernel - 1) + 1
    }
    /// Returns the number of positions of the window.
    ///
    /// # Errors
    /// Returns an error if the window does not fit.
    pub fn positions(&self) -> Result<usize> {
        let Window { input, stride, pads: [before, after], .. } = *self;
        let (padded, effective_kernel) = (input as i64 + before + after, self.effective_kernel());
        if effective_kernel > padded {
            let pads = if before + after > 0 { format!(" with pads {before} and {after}") } else { String::new() };
            return Err(invalid(format!(
                "a kernel of {effective_kernel} (dilation included) does not fit an input of {input}{pads}"
            )));
        }
        let room = padded - effective_kernel;
        Ok((room / stride) as usize + 1)
    }
    /// Returns the size of a transposed convolution's result, cropped by the pads and extended by `more` at the end.
    ///
    /// # Errors
    /// Returns an error if the result is empty or too large.
    pub fn transposed_output(&self, more: i64) -> Result<usize> {
        let Window { input, stride, pads: [before, after], .. } = *self;
        let whole = (input as i128 - 1) * i128::from(stride) + i128::from(self.effective_kernel()) + i128::from(more);
        let left = whole - i128::from(before) - i128::from(after);
        if left < 1 {
            return Err(invalid(format!("pads {before} and {after} leave nothing of a result of {whole}")));
        }
        usize::try_from(left).map_err(|_| invalid(format!("a result of {left} is too large")))
    }
    /// Applies `auto_pad`: one position per stride, with the padding divided evenly.
    pub fn padded(mut self, auto_pad: Option<AutoPad>) -> Window {
        let upper = match auto_pad {
            Some(AutoPad::SAMEUPPER) => true,
            Some(AutoPad::SAMELOWER) => false,
            _ => return self,
        };
        let input = self.input as i64;
        let steps = (input - 1) / self.stride * self.stride;
        let missing = (steps + self.effective_kernel() - input).max(0);
        let (less, rest) = (missing / 2, missing - missing / 2);
        self.pads = if upper { [less, rest] } else { [rest, less] };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_count_what_fits(input in 1usize..40, kernel in 1i64..6, stride in 1i64..5, dilation in 1i64..4, a in 0i64..3, b in 0i64..3) {
            let w = Window { input, kernel, stride, dilation, pads: [a, b] };
            let effective_kernel = dilation * (kernel - 1) + 1;
            let counted = (0..).step_by(stride as usize).take_while(|at| at + effective_kernel <= input as i64 + a + b).count();
            match w.positions() {
                Ok(n) => prop_assert_eq!(n, counted),
                Err(_) => prop_assert_eq!(counted, 0),
            }
        }

        #[test]
        fn what_is_spread_has_as_many_positions(input in 1usize..40, kernel in 1i64..6, stride in 1i64..5, dilation in 1i64..4, a in 0i64..3, b in 0i64..3) {
            let pads = [a, b];
            let w = Window { input, kernel, stride, dilation, pads };
            if let Ok(transposed_output) = w.transposed_output(0) {
                prop_assert_eq!(Window { input: transposed_output, kernel, stride, dilation, pads }.positions().unwrap(), input);
            }
        }

        #[test]
        fn same_padding_gives_a_position_a_step(input in 1usize..40, kernel in 1i64..6, stride in 1i64..5, dilation in 1i64..4, upper: bool) {
            let w = Window { input, kernel, stride, dilation, pads: [7, 7] };
            let w = w.padded(Some(if upper { AutoPad::SAMEUPPER } else { AutoPad::SAMELOWER }));
            let [before, after] = w.pads;
            let more_at_the_favored_end = if upper { after - before } else { before - after };
            prop_assert!((0..2).contains(&more_at_the_favored_end), "{:?}", w.pads);
            prop_assert_eq!(w.positions().unwrap(), input.div_ceil(stride as usize));
        }
    }
}
