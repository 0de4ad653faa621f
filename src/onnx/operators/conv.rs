//! Convolutions.
use super::{
    Convert,
    window::{Window, spatial},
};
use crate::{
    Tensor,
    array::{Array, ArrayView},
    base::{Result, argument, invalid, misfit, pluralized},
    emit::{Emit, ints},
    import::Importer,
    node::Node,
    ops::{Conv, Deconv, DeformConv2D},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] =
    &[("Conv", conv), ("ConvTranspose", conv_transpose), ("DeformConv", deform_conv)];

/// The kernel: an attribute, or the spatial axes of the weight.
fn kernel(n: &Node, weight: &Value) -> Vec<i64> {
    n.ints("kernel_shape").filter(|k| !k.is_empty()).unwrap_or_else(|| ints(weight.shape().get(2..).unwrap_or(&[])))
}

fn conv<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let bias = b.optional_tensor(n.optional(2))?;
    let made = convolved(b, n, x, n.input(1)?, bias)?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Adds a convolution with the window of a node.
pub fn convolved(b: &mut Importer, n: &Node, x: &Value, weight: &Value, bias: Option<Tensor>) -> Result<Tensor> {
    let window = Window::of(n, kernel(n, weight), &spatial(x)?)?;
    let (input, filter) = (b.tensor(x)?, b.tensor(weight)?);
    b.op(Conv {
        bias,
        group: n.int_or("group", 1),
        dilations: Some(window.dilations),
        weight_is_coeff: i64::from(weight.is_constant()),
        ..Conv::new(input, filter, window.kernel, window.strides, window.pads)
    })
}

fn conv_transpose<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, weight) = (n.input(0)?, n.input(1)?);
    let spatial = spatial(x)?;
    if weight.rank() != x.rank() {
        return Err(misfit("its weight", format!("has {} dimensions; the operand has {}", weight.rank(), x.rank())));
    }
    let mut window = Window::of(n, kernel(n, weight), &spatial)?;
    let axes = spatial.len();
    let mut output_padding = n.ints("output_padding").filter(|p| !p.is_empty()).unwrap_or_else(|| vec![0; axes]);
    if output_padding.len() != axes {
        return Err(argument("output_padding", format!("{output_padding:?}"), format!("expected {axes} numbers")));
    }
    // The padding follows from the size of the result, if that is given, or is a multiple of the operand's.
    let auto_pad = n.text("auto_pad").unwrap_or("NOTSET");
    let sizes = match n.ints("output_shape").filter(|s| !s.is_empty()) {
        // Batch and channels may come first.
        Some(sizes) if sizes.len() == axes || sizes.len() == axes + 2 => Some(sizes[sizes.len() - axes..].to_vec()),
        Some(sizes) => {
            let expected = format!("expected {}, one for each spatial axis", pluralized(axes, "number"));
            return Err(argument("output_shape", format!("{sizes:?}"), expected));
        }
        None if auto_pad.starts_with("SAME") => {
            Some((0..axes).map(|i| (spatial[i] as i64).saturating_mul(window.strides[i])).collect())
        }
        None => None,
    };
    if let Some(sizes) = sizes {
        for i in 0..axes {
            let span = |step: i64, count: i64| step.saturating_mul(count.saturating_sub(1));
            let full = span(window.strides[i], spatial[i] as i64)
                .saturating_add(output_padding[i])
                .saturating_add(span(window.dilations[i], window.kernel[i]))
                .saturating_add(1);
            let total = full.saturating_sub(sizes[i]);
            let (less, more) = (total.max(0) / 2, total.max(0) - total.max(0) / 2);
            (window.pads[i], window.pads[axes + i]) =
                if auto_pad == "SAME_UPPER" { (less, more) } else { (more, less) };
            output_padding[i] = output_padding[i].saturating_add(total.saturating_neg().max(0));
        }
    }
    let group = n.int_or("group", 1);
    let filter = deconv_filter(b, weight, group)?;
    let bias = b.optional_tensor(n.optional(2))?;
    let input = b.tensor(x)?;
    let op = Deconv {
        bias,
        group,
        dilations: Some(window.dilations),
        output_padding: output_padding.iter().any(|&p| p != 0).then_some(output_padding),
        ..Deconv::new(input, filter, window.kernel, window.pads, window.strides)
    };
    let made = b.op(op)?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// ONNX's weight is [ic, oc / group, kernel...]. As a coefficient of `top.Deconv` its elements are those of
/// [group, oc / group, ic / group, kernel...], and its shape is [oc / group, ic, kernel...].
fn deconv_filter(b: &mut Importer, weight: &Value, group: i64) -> Result<Tensor> {
    let shape = weight.shape();
    let groups = usize::try_from(group).ok().filter(|&g| g > 0 && shape[0].is_multiple_of(g));
    let groups =
        groups.ok_or_else(|| argument("group", group, format!("it must divide the {} input channels", shape[0])))?;
    let Value::Constant(constant) = weight else {
        if groups == 1 {
            return b.tensor(weight);
        }
        return Err(invalid("its weight is computed while the network runs, in groups; expected an initializer"));
    };
    let (ic, oc, kernel) = (shape[0], shape[1], &shape[2..]);
    let split = [&[groups, ic / groups, oc], kernel].concat();
    let mut order: Vec<usize> = (0..split.len()).collect();
    order.swap(1, 2);
    let permuted = permuted(&constant.array.reshaped(split)?, &order)?;
    let name = constant.name.clone().filter(|name| b.graph.lookup(name).is_none());
    let name = name.unwrap_or_else(|| b.graph.free_name("filter"));
    b.graph.coefficient(&name, permuted.reshaped([&[oc, ic], kernel].concat())?)
}

/// Returns a copy with the axes in another order.
pub fn permuted(array: &Array, order: &[usize]) -> Result<Array> {
    let shape = array.shape();
    let mut strides = vec![1isize; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    ArrayView::new(array.clone(), 0, shape, &strides)?.permuted(order)?.to_array()
}

fn deform_conv<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, weight, offset) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let window = Window::of(n, kernel(n, weight), &spatial(x)?)?;
    let [input, filter, offset] = b.tensors(&[x, weight, offset])?[..] else {
        return Err(invalid("it has three operands"));
    };
    let (bias, mask) = (b.optional_tensor(n.optional(3))?, b.optional_tensor(n.optional(4))?);
    let op = DeformConv2D {
        mask,
        bias,
        use_mask: mask.is_some(),
        group: n.int_or("group", 1),
        deform_group: n.int_or("offset_group", 1),
        dilations: Some(window.dilations),
        ..DeformConv2D::new(input, filter, offset, window.kernel, window.pads, window.strides)
    };
    let made = b.op(op)?;
    Ok(vec![b.value(made, x.dtype())?])
}
