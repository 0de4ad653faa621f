//! The windows of convolutions and pools.
use crate::{
    base::{Result, argument, invalid, pluralized},
    node::Node,
    value::Value,
};

/// Returns the sizes of an operand's spatial axes: those after batch and channels.
pub fn spatial(x: &Value) -> Result<Vec<usize>> {
    match x.shape().as_slice() {
        [_, _, spatial @ ..] if !spatial.is_empty() => Ok(spatial.to_vec()),
        shape => Err(argument("the number of dimensions of its operand", shape.len(), "expected at least 3")),
    }
}

/// Kernel, strides, dilations and explicit padding of spatial axes.
pub struct Window {
    pub kernel: Vec<i64>,
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    /// Before each axis, then after each.
    pub pads: Vec<i64>,
}

impl Window {
    /// Returns the number of elements of the kernel.
    pub fn positions(&self) -> Result<i64> {
        let positions = self.kernel.iter().try_fold(1i64, |n, &k| n.checked_mul(k));
        positions
            .ok_or_else(|| argument("kernel_shape", format!("{:?}", self.kernel), "the kernel has too many elements"))
    }

    /// Returns the window of a sequence for an image of one row.
    pub fn of_one_row(mut self) -> Window {
        for list in [&mut self.kernel, &mut self.strides, &mut self.dilations] {
            list.insert(0, 1);
        }
        let after = self.pads.len() / 2;
        self.pads.insert(after, 0);
        self.pads.insert(0, 0);
        self
    }

    /// Reads the attributes of a node whose operand has these spatial axes.
    pub fn of(n: &Node, kernel: Vec<i64>, spatial: &[usize]) -> Result<Window> {
        let axes = spatial.len();
        let list = |name: &str, default: i64, count: usize| match n.ints(name) {
            Some(given) if given.is_empty() => Ok(vec![default; count]),
            Some(given) if given.len() != count => {
                let expected = format!("expected {}", pluralized(count, "number"));
                Err(argument(name, format!("{given:?}"), expected))
            }
            given => Ok(given.unwrap_or_else(|| vec![default; count])),
        };
        let strides = list("strides", 1, axes)?;
        let dilations = list("dilations", 1, axes)?;
        if kernel.len() != axes {
            let expected = format!("the operand has {}", pluralized(axes, "spatial axis"));
            return Err(argument("kernel_shape", format!("{kernel:?}"), expected));
        }
        if strides.iter().chain(&dilations).chain(&kernel).any(|v| !(1..1 << 31).contains(v)) {
            return Err(invalid("kernel, strides and dilations must be positive"));
        }
        let mut pads = list("pads", 0, 2 * axes)?;
        if pads.iter().any(|p| !(-(1 << 31)..1 << 31).contains(p)) {
            return Err(argument("pads", format!("{pads:?}"), "expected numbers below 2^31"));
        }
        let mode = n.word(
            "auto_pad",
            "NOTSET",
            &[
                ("NOTSET", None),
                ("", None),
                ("VALID", Some(None)),
                ("SAME_UPPER", Some(Some(true))),
                ("SAME_LOWER", Some(Some(false))),
            ],
        )?;
        match mode {
            None => {}
            Some(None) => pads = vec![0; 2 * axes],
            Some(Some(upper)) => {
                for i in 0..axes {
                    let size = spatial[i] as i64;
                    let steps = (size + strides[i] - 1) / strides[i];
                    let total = ((steps - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1 - size).max(0);
                    let (less, more) = (total / 2, total - total / 2);
                    (pads[i], pads[axes + i]) = if upper { (less, more) } else { (more, less) };
                }
            }
        }
        Ok(Window { kernel, strides, dilations, pads })
    }
}
