//! Sliding windows, as convolutions and pools have them.
use crate::base::{Result, invalid};

/// One dimension of a sliding window: `(i + pads - dilation * (k - 1) - 1) / stride + 1`.
pub struct Window {
    /// Size of the input.
    pub input: usize,
    /// Size of the kernel.
    pub kernel: i64,
    /// From one window to the next.
    pub stride: i64,
    /// From one entry of the kernel to the next.
    pub dilation: i64,
    /// Padding before and after.
    pub pads: [i64; 2],
}

impl Window {
    /// Number of positions of the window.
    ///
    /// # Errors
    /// The window does not fit, or a number is impossible.
    pub fn positions(&self) -> Result<usize> {
        let Window { input, kernel, stride, dilation, pads: [before, after] } = *self;
        let range = |v: i64, low: i64| (low..=1 << 31).contains(&v);
        if !(range(kernel, 1) && range(stride, 1) && range(dilation, 1) && range(before, 0) && range(after, 0)) {
            return Err(invalid(format!(
                "kernel {kernel}, stride {stride}, dilation {dilation}, pads {before} and {after}: expected kernel, stride and dilation of at least 1 and pads of at least 0, below 2^31"
            )));
        }
        let (padded, reach) = (input as i64 + before + after, dilation * (kernel - 1) + 1);
        if reach > padded {
            let pads = if before + after > 0 { format!(" with pads {before} and {after}") } else { String::new() };
            return Err(invalid(format!(
                "a kernel of {reach} (dilation included) does not fit an input of {input}{pads}"
            )));
        }
        let room = padded - reach;
        Ok((room / stride) as usize + 1)
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
            let reach = dilation * (kernel - 1) + 1;
            let counted = (0..).step_by(stride as usize).take_while(|at| at + reach <= input as i64 + a + b).count();
            match w.positions() {
                Ok(n) => prop_assert_eq!(n, counted),
                Err(_) => prop_assert_eq!(counted, 0),
            }
        }
    }
}
