//! Type rules of training: forward passes that keep their statistics, and gradients.
use super::{
    BatchNormBwd, BatchNormTrain, ConvBwd_Weight, Convbwd, EmbDenseBwd, GroupNormTrain, LayerNormBwd, LayerNormTrain,
    MaxPoolingIndicesBwd, MeanRstd, SoftmaxBwd,
    types::{Choice, Inferred, Types, Value, axis, channels, of_dtype, same},
    window::{Window, in_range},
};
use crate::base::{Result, Shape, argument, misfit, shape_text};

/// Returns a result with the given shape and an operand's dtype.
fn like(shape: &[usize], operand: &Value) -> Inferred {
    Inferred { shape: shape.to_vec(), dtype: Choice::Is(operand.dtype) }
}

fn wrong<T>(t: &Value, expected: &str) -> Result<T> {
    Err(misfit(t.display_name, format!("is {}; expected {expected}", shape_text(t.shape))))
}

fn expect_shape(t: &Value, shape: &[usize]) -> Result<()> {
    if t.shape == shape { Ok(()) } else { wrong(t, &shape_text(shape)) }
}

/// Returns the input's type, then four statistics per channel in the shape of the mean.
pub(super) fn batch_norm_train(op: &BatchNormTrain<Value>) -> Types {
    let count = channels(&op.input)?;
    let coefficients = [Some(op.mean), Some(op.var), op.gamma, op.beta];
    coefficients.iter().flatten().try_for_each(|c| c.expect_elements(count, "one per channel"))?;
    let statistic = like(op.mean.shape, &op.input);
    Ok(std::iter::once(like(op.input.shape, &op.input)).chain(std::iter::repeat_n(statistic, 4)).collect())
}

/// Returns four statistics per channel in the shapes of the running ones, then scale and bias, 1 x c x 1 x 1.
pub(super) fn mean_rstd(op: &MeanRstd<Value>) -> Types {
    let count = channels(&op.input)?;
    let coefficients = [op.running_mean, op.running_var, op.weight, op.bias];
    coefficients.iter().try_for_each(|c| c.expect_elements(count, "one per channel"))?;
    let (mean, var) = (like(op.running_mean.shape, &op.input), like(op.running_var.shape, &op.input));
    let scale = like(&[1, count, 1, 1], &op.input);
    Ok(vec![mean.clone(), var.clone(), mean, var, scale.clone(), scale])
}

/// Returns the input's type, then two statistics, n x groups.
pub(super) fn group_norm_train(op: &GroupNormTrain<Value>) -> Types {
    let count = channels(&op.input)?;
    [op.weight, op.bias].iter().flatten().try_for_each(|c| c.expect_elements(count, "one per channel"))?;
    let groups = usize::try_from(op.num_groups).ok().filter(|&g| g > 0 && count.is_multiple_of(g));
    let groups = groups.ok_or_else(|| {
        argument(
            "num_groups",
            op.num_groups,
            format!("it must divide the {count} channels of {}", op.input.display_name),
        )
    })?;
    let statistic = like(&[op.input.shape[0], groups], &op.input);
    Ok(vec![like(op.input.shape, &op.input), statistic.clone(), statistic])
}

/// Returns the input's type, then two statistics, whose normalized axes have size 1.
pub(super) fn layer_norm_train(op: &LayerNormTrain<Value>) -> Types {
    let shape = op.input.shape;
    let axis = axis("axis", op.axis, shape.len())?;
    let of_what = format!("those of {}", shape_text(&shape[axis..]));
    let count = shape[axis..].iter().product();
    [op.weight, op.bias].iter().flatten().try_for_each(|c| c.expect_elements(count, &of_what))?;
    let kept: Shape = shape.iter().enumerate().map(|(i, &d)| if i < axis { d } else { 1 }).collect();
    let statistic = like(&kept, &op.input);
    Ok(vec![like(shape, &op.input), statistic.clone(), statistic])
}

/// Returns the types of input, weight and bias for their gradients.
pub(super) fn batch_norm_bwd(op: &BatchNormBwd<Value>) -> Types {
    let count = channels(&op.input)?;
    expect_shape(&op.grad_out, op.input.shape)?;
    let coefficients = [op.weight_opt, op.saved_mean, op.saved_invstd];
    coefficients.iter().flatten().try_for_each(|c| c.expect_elements(count, "one per channel"))?;
    let weight = like(op.weight_opt.map_or(&[count], |w| w.shape), &op.input);
    Ok(vec![like(op.input.shape, &op.input), weight.clone(), weight])
}

/// Returns the types of input, weight and bias for their gradients.
pub(super) fn layer_norm_bwd(op: &LayerNormBwd<Value>) -> Types {
    let shape = op.input.shape;
    expect_shape(&op.grad_out, shape)?;
    let normalized: Option<Shape> = op.normalized_shape.iter().map(|&d| usize::try_from(d).ok()).collect();
    let Some(normalized) = normalized.filter(|n| !n.is_empty() && shape.ends_with(n)) else {
        let expected = format!("expected the last dimensions of {}", shape_text(shape));
        return Err(argument("normalized_shape", format!("{:?}", op.normalized_shape), expected));
    };
    let rows = shape[..shape.len() - normalized.len()].iter().product();
    [op.mean, op.variance].iter().try_for_each(|t| t.expect_elements(rows, "one for each part that is normalized"))?;
    let count = normalized.iter().product();
    let of_what = format!("those of {}", shape_text(&normalized));
    [op.weight, op.bias].iter().flatten().try_for_each(|c| c.expect_elements(count, &of_what))?;
    let weight = like(&normalized, &op.input);
    Ok(vec![like(shape, &op.input), weight.clone(), weight])
}

/// Returns the type of both operands.
pub(super) fn softmax_bwd(op: &SoftmaxBwd<Value>) -> Types {
    expect_shape(&op.output, op.grad_output.shape)?;
    axis("dim", op.dim, op.output.shape.len())?;
    same(&op.grad_output)
}

/// Returns `num_weights` rows.
pub(super) fn emb_dense_bwd(op: &EmbDenseBwd<Value>) -> Types {
    let rows = usize::try_from(op.num_weights).ok().filter(|n| *n > 0);
    let rows = rows.ok_or_else(|| argument("num_weights", op.num_weights, "expected at least 1"))?;
    match op.grad_output.shape {
        [outer @ .., columns] if outer == op.indices.shape || (outer.is_empty() && op.indices.shape == [1]) => {
            of_dtype(vec![rows, *columns], &op.grad_output)
        }
        _ => wrong(&op.grad_output, &format!("{} x elements, a row for each index", shape_text(op.indices.shape))),
    }
}

/// Attributes of a convolution whose gradients are computed.
pub struct ConvBackward<'a> {
    /// Vertical and horizontal distance between windows.
    pub stride: &'a [i64],
    /// Padding: top, left, bottom, right.
    pub padding: &'a [i64],
    /// Spacing of the filter's elements.
    pub dilations: &'a [i64],
    /// Number of channel groups.
    pub groups: i64,
}

impl ConvBackward<'_> {
    /// Checks the shapes: input n x c x h x w, filter o x c/groups x h x w, gradient n x o x h x w.
    fn check(&self, input: &Value, filter: &[usize], gradient: &Value) -> Result<()> {
        let &[n, c, h, w] = input.shape else { return wrong(input, "n x c x h x w") };
        let lists = [("stride", self.stride, 2), ("padding", self.padding, 4), ("dilations", self.dilations, 2)];
        for (name, list, expected) in lists {
            if list.len() != expected {
                return Err(argument(name, format!("a list of {}", list.len()), format!("expected {expected}")));
            }
            in_range(name, list, if name == "padding" { 0 } else { 1 })?;
        }
        let &[o, per_group, rows, columns] = filter else {
            return Err(misfit("kernel", format!("is {}; expected o x c / groups x h x w", shape_text(filter))));
        };
        let groups = usize::try_from(self.groups).ok().filter(|&g| g > 0 && c.is_multiple_of(g) && o.is_multiple_of(g));
        let groups = groups
            .ok_or_else(|| argument("groups", self.groups, format!("it must divide the channels, {c} and {o}")))?;
        if per_group != c / groups {
            let expected = format!("expected {o} x {} x .., for {groups} groups of {c} channels", c / groups);
            return Err(misfit("kernel", format!("is {}; {expected}", shape_text(filter))));
        }
        let window = |i: usize, input: usize, kernel: usize| Window {
            input,
            kernel: kernel as i64,
            stride: self.stride[i],
            dilation: self.dilations[i],
            pads: [self.padding[i], self.padding[i + 2]],
        };
        expect_shape(gradient, &[n, o, window(0, h, rows).positions()?, window(1, w, columns).positions()?])
    }
}

/// Returns the types of input, filter and bias.
pub(super) fn conv_bwd(op: &Convbwd<Value>) -> Types {
    let Convbwd { stride, padding, dilations, groups, .. } = op;
    ConvBackward { stride, padding, dilations, groups: *groups }.check(&op.input, op.kernel.shape, &op.grad_out)?;
    let bias = like(&op.kernel.shape[..1], &op.input);
    Ok(vec![like(op.input.shape, &op.input), like(op.kernel.shape, &op.input), bias])
}

/// Returns the filter's type.
pub(super) fn conv_bwd_weight(op: &ConvBwd_Weight<Value>) -> Types {
    let ConvBwd_Weight { stride, padding, dilations, groups, .. } = op;
    let sizes: Option<Shape> = op.kernel_shape.iter().map(|&d| usize::try_from(d).ok().filter(|d| *d > 0)).collect();
    let Some([rows, columns]) = sizes.as_deref() else {
        return Err(argument("kernel_shape", format!("{:?}", op.kernel_shape), "expected height and width"));
    };
    let per_group =
        usize::try_from(*groups).ok().filter(|g| *g > 0).map_or(0, |g| channels(&op.input).unwrap_or(0) / g);
    let filter = [channels(&op.gradout)?, per_group, *rows, *columns];
    ConvBackward { stride, padding, dilations, groups: *groups }.check(&op.input, &filter, &op.gradout)?;
    of_dtype(filter.to_vec(), &op.input)
}

/// Returns the input's shape, n x c x h x w.
pub(super) fn max_pooling_indices_bwd(op: &MaxPoolingIndicesBwd<Value>) -> Types {
    expect_shape(&op.indices, op.grad_output.shape)?;
    let &[n, c, _, _] = op.grad_output.shape else { return wrong(&op.grad_output, "n x c x h x w") };
    let shape: Option<Shape> = op.input_shape.iter().map(|&d| usize::try_from(d).ok().filter(|d| *d > 0)).collect();
    match shape.as_deref() {
        Some([images, planes, _, _]) if (*images, *planes) == (n, c) => {
            of_dtype(shape.unwrap_or_default(), &op.grad_output)
        }
        _ => Err(argument("input_shape", format!("{:?}", op.input_shape), format!("expected {n} x {c} x h x w"))),
    }
}
