//! Activations.
use super::Convert;
use crate::{
    base::Result,
    emit::Emit,
    import::{Importer, broadcast},
    node::{Node, known_float},
    ops::{
        Clip, CompareMode, Elu, GELU, GeluApproxMode, HardSigmoid, HardSwish, LeakyRelu, Max, Min, Mish, PRelu, Relu,
        Sigmoid, Softmax, Softplus, Softsign, Swish, Tanh,
    },
    value::{Value, stored_shape},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Celu", celu),
    ("Clip", clip),
    ("Elu", |b, n| {
        let alpha = n.float_or("alpha", 1.0);
        b.unary(n.input(0)?, |x| Elu::new(x, alpha).into())
    }),
    ("Gelu", gelu),
    ("HardSigmoid", |b, n| {
        let (alpha, beta) = (n.float_or("alpha", 0.2), n.float_or("beta", 0.5));
        b.unary(n.input(0)?, |x| HardSigmoid::new(x, alpha, beta).into())
    }),
    ("HardSwish", |b, n| b.unary(n.input(0)?, |x| HardSwish::new(x).into())),
    ("Hardmax", hardmax),
    ("LeakyRelu", |b, n| {
        let alpha = n.float_or("alpha", 0.01);
        b.unary(n.input(0)?, |x| LeakyRelu::new(x, alpha).into())
    }),
    ("LogSoftmax", |b, n| softmax(b, n, true)),
    ("Mish", |b, n| b.unary(n.input(0)?, |x| Mish::new(x).into())),
    ("PRelu", prelu),
    ("Relu", |b, n| b.unary(n.input(0)?, |x| Relu::new(x).into())),
    ("Selu", selu),
    ("Shrink", shrink),
    ("Sigmoid", |b, n| b.unary(n.input(0)?, |x| Sigmoid::new(x).into())),
    ("Softmax", |b, n| softmax(b, n, false)),
    ("Softplus", |b, n| b.unary(n.input(0)?, |x| Softplus::new(x).into())),
    ("Softsign", |b, n| b.unary(n.input(0)?, |x| Softsign::new(x).into())),
    ("SwiGLU", |b, n| {
        let (x, alpha) = (n.input(0)?, n.float_or("alpha", 1.0));
        let [gate, value] = [b.tensor(x)?, b.tensor(n.input(1)?)?];
        let gate = b.op(Swish::new(gate, alpha))?;
        let y = b.mul(gate, value)?;
        Ok(vec![b.value_like(y, x)?])
    }),
    ("Swish", |b, n| {
        let alpha = n.float_or("alpha", 1.0);
        b.unary(n.input(0)?, |x| Swish::new(x, alpha).into())
    }),
    ("Tanh", |b, n| b.unary(n.input(0)?, |x| Tanh::new(x).into())),
    ("ThresholdedRelu", thresholded_relu),
];

/// `alpha * elu(x / alpha)`, with an elu of 1.
fn celu<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, alpha) = (n.input(0)?, n.float_or("alpha", 1.0));
    let input = b.tensor(x)?;
    let scaled = b.mul_const(input, 1.0 / alpha)?;
    let y = b.op(Elu::new(scaled, 1.0))?;
    let y = b.mul_const(y, alpha)?;
    Ok(vec![b.value_like(y, x)?])
}

/// The limits are attributes before opset 11, then operands; either may be missing.
fn clip<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let mut y = b.tensor(x)?;
    let (low, high) = (n.optional(1), n.optional(2));
    let is_known = |v: Option<&Value>| v.is_none_or(Value::is_constant);
    if !is_known(low) || !is_known(high) {
        if let Some(low) = low {
            let low = b.tensor(low)?;
            y = b.op(Max::new(vec![y, low]))?;
        }
        if let Some(high) = high {
            let high = b.tensor(high)?;
            y = b.op(Min::new(vec![y, high]))?;
        }
        return Ok(vec![b.value_like(y, x)?]);
    }
    let limit = |v: Option<&Value>, name: &str, none: f64| match v {
        Some(v) => known_float(v, name),
        None => Ok(n.float(name).unwrap_or(none)),
    };
    let (least, most) = match x.dtype().int_range() {
        Some((least, most)) => (least as f64, most as f64),
        None => (-f64::from(f32::MAX), f64::from(f32::MAX)),
    };
    let (low, high) = (limit(low, "min", f64::NEG_INFINITY)?, limit(high, "max", f64::INFINITY)?);
    if low == 0.0 && high > 0.0 && x.dtype().is_float() {
        let relu_limit = if high < most { high } else { -1.0 };
        let y = b.op(Relu { relu_limit, ..Relu::new(y) })?;
        return Ok(vec![b.value_like(y, x)?]);
    }
    if low > least || high < most {
        // Where the limits cross, the upper one holds.
        let low = low.min(high);
        y = b.op(Clip::new(y, high.min(most), low.max(least)))?;
    }
    Ok(vec![b.value_like(y, x)?])
}

fn gelu<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let approx_mode =
        n.word("approximate", "none", &[("none", GeluApproxMode::Normal), ("tanh", GeluApproxMode::Tanh)])?;
    b.unary(n.input(0)?, |x| GELU { approx_mode, ..GELU::new(x) }.into())
}

/// 1 at the first largest entry of an axis, otherwise 0.
fn hardmax<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let (flat, axis) = flattened(b, n, (tensor, &x.shape()), n.version)?;
    let y = super::sort::one_at_largest(b, flat, axis)?;
    Ok(vec![b.shaped(y, &x.shape(), x.dtype())?])
}

/// Returns the operand of a softmax and its axis: before opset 13, all axes from the one that is named are one.
pub fn flattened(
    b: &mut Importer,
    n: &Node,
    (x, shape): (crate::Tensor, &[usize]),
    version: i64,
) -> Result<(crate::Tensor, usize)> {
    if version >= 13 {
        return Ok((x, n.axis_or("axis", -1, shape.len())?));
    }
    let axis = n.axis_or("axis", 1, shape.len())?;
    if axis + 1 >= shape.len() {
        return Ok((x, axis));
    }
    let flat = b.reshape(x, &[shape[..axis].iter().product(), shape[axis..].iter().product()])?;
    Ok((flat, 1))
}

fn softmax<'m>(b: &mut Importer<'m>, n: &Node<'m>, log: bool) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let (flat, axis) = flattened(b, n, (tensor, &x.shape()), n.version)?;
    let y = b.op(Softmax { log, ..Softmax::new(flat, axis as i64) })?;
    Ok(vec![b.shaped(y, &x.shape(), x.dtype())?])
}

/// The slope is broadcast to the input from the last axis on, while a vector in Top belongs to axis 1.
fn prelu<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, slope) = (n.input(0)?, n.input(1)?);
    // Before opset 7, there was a slope for each channel.
    let is_of_channels = n.version < 7 && slope.rank() == 1 && slope.elements() > 1 && x.rank() > 1;
    let slope = if is_of_channels {
        let tensor = b.tensor(slope)?;
        &b.shaped(tensor, &[&[slope.elements()], vec![1; x.rank() - 2].as_slice()].concat(), slope.dtype())?
    } else {
        slope
    };
    let shape = broadcast(&[x.shape(), slope.shape()])?;
    let input = b.tensor(x)?;
    // onnxruntime also broadcasts the input.
    let input = b.expand_to(input, &stored_shape(&shape))?;
    let y = match slope.as_constant().filter(|a| a.len() == 1) {
        Some(single) => b.op(LeakyRelu::new(input, single.to_f64()?[0]))?,
        None => {
            let mut full = vec![1; stored_shape(&shape).len() - slope.rank()];
            full.extend(slope.shape());
            let slope = b.tensor(slope)?;
            let slope = b.reshape(slope, &full)?;
            b.op(PRelu::new(input, slope))?
        }
    };
    Ok(vec![b.shaped(y, &shape, x.dtype())?])
}

/// `gamma * elu(x)`
fn selu<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let (alpha, gamma) = (n.float_or("alpha", 1.673_263_2), n.float_or("gamma", 1.050_701));
    let input = b.tensor(x)?;
    let y = b.op(Elu::new(input, alpha))?;
    let y = b.mul_const(y, gamma)?;
    Ok(vec![b.value_like(y, x)?])
}

/// `x - bias` above lambd, `x + bias` below -lambd, otherwise 0.
fn shrink<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, bias, lambda) = (n.input(0)?, n.float_or("bias", 0.0), n.float_or("lambd", 0.5));
    let input = b.float_tensor(x)?;
    let (less, more) = (b.add_const(input, -bias)?, b.add_const(input, bias)?);
    let above = b.where_const(input, CompareMode::Greater, lambda, less)?;
    let below = b.where_const(input, CompareMode::Less, -lambda, more)?;
    let y = b.add(above, below)?;
    let y = super::cast::rounded_to(b, y, x.dtype())?;
    Ok(vec![b.value_like(y, x)?])
}

fn thresholded_relu<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, alpha) = (n.input(0)?, n.float_or("alpha", 1.0));
    let input = b.tensor(x)?;
    let y = b.where_const(input, CompareMode::Greater, alpha, input)?;
    Ok(vec![b.value_like(y, x)?])
}
