//! Quantized networks: float operators between dequantization and quantization become operators of quantized tensors, which chips
//! compute with integers.
use super::rewriter::Rewriter;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, invalid},
    ops::{Cast, Op},
    quant::{Quantization, RoundMode},
    value::Integers,
};
use std::{collections::HashMap, rc::Rc};

/// The integers that coefficients of floats stand for.
pub type IntegersOf = HashMap<Tensor, Rc<Integers>>;

/// Makes a network quantized if all of its 8-bit tensors can be, and one of its products is. Returns whether it is.
pub fn quantize(r: &mut Rewriter, integers: &IntegersOf) -> Result<bool> {
    let results = r.results();
    let parameters: HashMap<Tensor, (f64, i64)> =
        results.iter().filter_map(|t| Some((*t, quantization(r, *t)?))).collect();
    // Outputs of the network are read as they are stored.
    let are_inner = parameters.keys().all(|t| !r.is_output(*t));
    let fused: Vec<(Tensor, Fused)> =
        results.iter().filter_map(|t| Some((*t, Fused::ending(r, *t, integers)?))).collect();
    if !are_inner || !r.all_ops(|t, op| is_representable(r, t, op)) || !fused.iter().any(|(_, f)| f.is_product()) {
        return Ok(false);
    }
    for (t, fused) in fused {
        let op = fused.op(r)?;
        r.replace(t, op)?;
    }
    for (t, (scale, zero_point)) in parameters {
        r.quantize(t, &Quantization::per_tensor(scale, zero_point))?;
    }
    for &t in &results {
        let op = match r.op(t) {
            Some(Op::QuantizeLinear(op)) => Cast { round_mode: RoundMode::HalfToEven, ..Cast::new(op.input) },
            Some(Op::DequantizeLinear(op)) => Cast::new(op.input),
            _ => continue,
        };
        r.replace(t, op.into())?;
    }
    Ok(true)
}

/// Returns scale and zero point if the tensor is quantized to 8 bits with one of each.
fn quantization(r: &Rewriter, t: Tensor) -> Option<(f64, i64)> {
    match r.op(t)? {
        Op::QuantizeLinear(op) => {
            single(&op.y_scale, &op.y_zero_point).filter(|_| r.dtype(t).is_some_and(|d| d.size() == 1))
        }
        _ => None,
    }
}

fn single(scales: &[f64], zero_points: &[i64]) -> Option<(f64, i64)> {
    match (scales, zero_points) {
        ([scale], [zero_point]) => Some((*scale, *zero_point)),
        _ => None,
    }
}

/// Returns whether a quantized network can have the operator that computes `t`: quantized tensors are only dequantized, by their own
/// parameters.
fn is_representable(r: &Rewriter, t: Tensor, op: &Op<Tensor>) -> bool {
    match op {
        Op::QuantizeLinear(_) => quantization(r, t).is_some(),
        Op::DequantizeLinear(op) => {
            let own = single(&op.x_scale, &op.x_zero_point);
            own.is_some() && quantization(r, op.input) == own
        }
        other => other.operands().all(|(_, t)| quantization(r, *t).is_none()),
    }
}

/// An operator whose operands are dequantized, and whose result is quantized.
struct Fused {
    op: Op<Tensor>,
    /// The operands with scale and zero point.
    operands: Vec<(Tensor, (f64, i64))>,
    /// The weights and the bias of a product.
    weights: Option<(Rc<Integers>, Option<Bias>)>,
}

/// A bias, in floats or in integers in units of the product's scale.
enum Bias {
    Floats(Tensor),
    Integers(Rc<Integers>),
}

impl Fused {
    fn ending(r: &Rewriter, t: Tensor, integers: &IntegersOf) -> Option<Fused> {
        let scale = quantization(r, t)?;
        let Op::QuantizeLinear(end) = r.op(t)? else { return None };
        let (mut op, mut float) = (r.op(end.input)?, end.input);
        // A Relu before the smallest integer, which stands for 0, changes nothing.
        if let Op::Relu(relu) = op
            && relu.relu_limit <= 0.0
            && r.dtype(t)?.int_range()?.0 == scale.1
            && r.is_read_once(float)
        {
            float = relu.input;
            op = r.op(float)?;
        }
        if !r.is_read_once(float) {
            return None;
        }
        let source = |t: Tensor| match r.op(t)? {
            Op::DequantizeLinear(op) => Some((op.input, single(&op.x_scale, &op.x_zero_point)?)),
            _ => None,
        };
        let fused = |operands: Vec<_>, weights| Fused { op: op.clone(), operands, weights };
        Some(match op {
            Op::Conv(op) if !op.do_relu => {
                let weights = weights(r, integers, op.filter, op.bias, 0)?;
                fused(vec![source(op.input)?], Some(weights))
            }
            Op::MatMul(op) if !op.do_relu => {
                let weights = weights(r, integers, op.right, op.bias, 0).filter(|(w, _)| w.scales.len() == 1)?;
                fused(vec![source(op.input)?], Some(weights))
            }
            Op::MaxPool(op) if !op.do_relu => {
                let operand = source(op.input)?;
                (operand.1 == scale && r.dtype(operand.0) == r.dtype(t)).then(|| fused(vec![operand], None))?
            }
            Op::Add(op) if !op.do_relu && op.coeff.is_none() => {
                let operands: Vec<_> = op.inputs.iter().map(|t| source(*t)).collect::<Option<_>>()?;
                operands.iter().all(|o| r.dtype(o.0) == r.dtype(t)).then(|| fused(operands, None))?
            }
            _ => return None,
        })
    }

    fn is_product(&self) -> bool {
        self.weights.is_some()
    }

    /// Returns the operator of quantized tensors.
    fn op(self, r: &mut Rewriter) -> Result<Op<Tensor>> {
        let Fused { mut op, operands, weights } = self;
        let (right, bias) = match weights {
            Some((weights, bias)) => {
                let right = weights.tensor(r)?;
                let scales: Vec<f64> = weights.scales.iter().map(|scale| scale * operands[0].1.0).collect();
                (Some(right), bias.map(|bias| bias.tensor(r, &scales)).transpose()?)
            }
            None => (None, None),
        };
        match (&mut op, right) {
            (Op::Conv(op), Some(right)) => (op.input, op.filter, op.bias) = (operands[0].0, right, bias),
            (Op::MatMul(op), Some(right)) => (op.input, op.right, op.bias) = (operands[0].0, right, bias),
            (Op::MaxPool(op), None) => op.input = operands[0].0,
            (Op::Add(op), None) => op.inputs = operands.iter().map(|o| o.0).collect(),
            _ => return Err(invalid("an operator without a quantized form was matched")),
        }
        Ok(op)
    }
}

/// Returns the integers of weights, which have zero point 0, with scales along `axis`; and the bias.
fn weights(
    r: &Rewriter,
    integers: &IntegersOf,
    weights: Tensor,
    bias: Option<Tensor>,
    axis: usize,
) -> Option<(Rc<Integers>, Option<Bias>)> {
    let found = integers.get(&weights)?;
    let is_plain = found.array.dtype() == Dtype::Int8 && found.zero_points.iter().all(|z| *z == 0);
    let has_axis = found.scales.len() == 1 || found.axis == axis;
    if !is_plain || !has_axis {
        return None;
    }
    let bias = match bias {
        None => None,
        Some(bias) => Some(match integers.get(&bias) {
            Some(bias) if bias.array.dtype() == Dtype::Int32 && bias.zero_points.iter().all(|z| *z == 0) => {
                Bias::Integers(bias.clone())
            }
            _ if r.is_coefficient(bias) => Bias::Floats(bias),
            _ => return None,
        }),
    };
    Some((found.clone(), bias))
}

impl Integers {
    /// Adds the integers as a quantized coefficient.
    fn tensor(&self, r: &mut Rewriter) -> Result<Tensor> {
        let tensor = r.coefficient(&self.name, self.array.clone())?;
        let zero_point = vec![0i64; self.scales.len()];
        let quantization = match self.scales.as_slice() {
            [scale] => Quantization::per_tensor(*scale, 0),
            scales => Quantization { scale: Some(scales.to_vec().into()), zero_point: Some(zero_point.into()) },
        };
        r.quantize(tensor, &quantization)?;
        Ok(tensor)
    }
}

impl Bias {
    /// Adds the bias as int32, in units of `scales`: one for all, or one for each element.
    fn tensor(self, r: &mut Rewriter, scales: &[f64]) -> Result<Tensor> {
        let is_in_units = |bias: &Integers| {
            let pairs = bias.scales.iter().zip(scales);
            bias.scales.len() == scales.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs())
        };
        let (name, values, shape) = match self {
            Bias::Integers(bias) if is_in_units(&bias) => return r.coefficient(&bias.name, bias.array.clone()),
            Bias::Integers(bias) => {
                let scales = bias.scales.iter().cycle();
                let values = bias.array.to_f64()?.into_iter().zip(scales).map(|(v, scale)| v * scale).collect();
                (bias.name.clone(), values, bias.array.shape().to_vec())
            }
            Bias::Floats(t) => (r.name(t).to_owned(), r.data(t).unwrap_or_default(), r.shape(t).to_vec()),
        };
        let units = values.iter().zip(scales.iter().cycle()).map(|(v, scale)| (v / scale).round());
        let array = Array::from_f64s(Dtype::Int32, shape, units.collect::<Vec<f64>>().into_iter())?;
        r.coefficient(&name, array)
    }
}
