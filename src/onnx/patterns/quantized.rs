//! Quantized networks: float operators between dequantization and quantization become operators of quantized tensors, which chips
//! compute with integers.
use crate::{
    Rewriter, Tensor,
    array::Array,
    base::{Dtype, Result, WarningKind, invalid},
    ops::{Cast, Op},
    quant::{Quantization, RoundMode, single},
    value::{Integers, as_int8},
};
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// The integers that coefficients of floats stand for.
pub type IntegersOf = HashMap<Tensor, Rc<Integers>>;

/// What became of the quantization of a network.
pub enum Outcome {
    /// It has none.
    Float,
    Quantized,
    /// It stays a network of floats, and this is why.
    InFloats(WarningKind),
}

/// Makes a network quantized if all of its quantized tensors can be, and one of its products is.
pub fn quantize(r: &mut Rewriter, integers: &IntegersOf) -> Result<Outcome> {
    let results = r.results();
    if !results.iter().any(|t| matches!(r.op(*t), Some(Op::QuantizeLinear(_)))) {
        return Ok(Outcome::Float);
    }
    let scales = Scales::of(r, &results);
    let fused: Vec<(Tensor, Fused)> =
        results.iter().filter_map(|t| Some((*t, Fused::ending(r, &scales, *t, integers)?))).collect();
    if let Some(reason) = obstacle(r, &scales, &results, &fused) {
        return Ok(Outcome::InFloats(WarningKind::QuantizationInFloats { reason }));
    }
    for (t, fused) in fused {
        let op = fused.op(r)?;
        r.replace(t, op)?;
    }
    for (t, (scale, zero_point)) in &scales.0 {
        r.quantize(*t, &Quantization::per_tensor(*scale, *zero_point))?;
    }
    for t in results {
        let op = match r.op(t) {
            Some(Op::QuantizeLinear(op)) => Cast { round_mode: RoundMode::HalfToEven, ..Cast::new(op.input) },
            Some(Op::DequantizeLinear(op)) => Cast::new(op.input),
            _ => continue,
        };
        r.replace(t, op.into())?;
    }
    Ok(Outcome::Quantized)
}

/// Scale and zero point of each tensor that is quantized to 8 bits with one of each.
struct Scales(BTreeMap<Tensor, (f64, i64)>);

impl Scales {
    fn of(r: &Rewriter, results: &[Tensor]) -> Scales {
        let mut found = Scales::of_coefficients(r, results);
        for t in results {
            let scale = match r.result_of(*t).map(|(op, _)| op) {
                Some(Op::QuantizeLinear(op)) => {
                    single(&op.y_scale, &op.y_zero_point).filter(|_| r.dtype(*t).is_some_and(|d| d.size() == 1))
                }
                Some(op) => op.selected_from().and_then(|from| found.get(from).copied()),
                None => None,
            };
            found.extend(scale.map(|scale| (*t, scale)));
        }
        Scales(found)
    }

    /// Returns those of integers in the file, such as tables, which the network dequantizes after rows were selected. Different ones for
    /// the same table are found by [`misfit_of`].
    fn of_coefficients(r: &Rewriter, results: &[Tensor]) -> BTreeMap<Tensor, (f64, i64)> {
        let (mut origins, mut found) = (HashMap::new(), BTreeMap::new());
        let origin = |origins: &HashMap<Tensor, Tensor>, t: Tensor| match r.is_coefficient(t) {
            true => Some(t).filter(|t| r.dtype(*t).is_some_and(|d| d.size() == 1)),
            false => origins.get(&t).copied(),
        };
        for t in results {
            match r.result_of(*t).map(|(op, _)| op) {
                Some(Op::DequantizeLinear(op)) => {
                    let scale = single(&op.x_scale, &op.x_zero_point);
                    found.extend(origin(&origins, op.input).zip(scale));
                }
                Some(op) => {
                    let from = op.selected_from().and_then(|from| origin(&origins, *from));
                    origins.extend(from.map(|from| (*t, from)));
                }
                None => {}
            }
        }
        found
    }

    fn get(&self, t: Tensor) -> Option<(f64, i64)> {
        self.0.get(&t).copied()
    }
}

/// Returns why a network cannot be quantized, if it cannot.
fn obstacle(r: &Rewriter, scales: &Scales, results: &[Tensor], fused: &[(Tensor, Fused)]) -> Option<String> {
    if r.has_blocks() {
        return Some("it has branches or loops whose conditions are computed".to_owned());
    }
    if let Some(found) = results.iter().find_map(|t| misfit_of(r, scales, *t)) {
        return Some(found);
    }
    match fused.iter().any(|(_, f)| f.is_product()) {
        true => None,
        false => Some(
            "none of its convolutions and products can be computed with integers: they need quantized operands and \
             results, and 8-bit weights with one zero point and one scale (a convolution may have one scale for each \
             output channel)"
                .to_owned(),
        ),
    }
}

/// Returns why a quantized network cannot have the operator that computes `t`, if it cannot: quantized tensors have 8 bits and one
/// scale, are dequantized by their own parameters, and otherwise read only by operators that select elements.
fn misfit_of(r: &Rewriter, scales: &Scales, t: Tensor) -> Option<String> {
    let name = r.name(t);
    let (op, _) = r.result_of(t)?;
    let integer_output = || r.is_output(t).then(|| format!("the output {name:?} consists of integers"));
    match op {
        Op::QuantizeLinear(op) => {
            let bits = r.dtype(t).map_or(0, Dtype::size) * 8;
            match (op.y_scale.len(), scales.get(t).is_some()) {
                (several @ 2.., _) => Some(format!("{name:?} has {several} scales; expected one")),
                (_, false) => Some(format!("{name:?} has {bits} bits; expected 8")),
                (_, true) => integer_output(),
            }
        }
        Op::DequantizeLinear(op) => {
            let own = single(&op.x_scale, &op.x_zero_point);
            let is_own = own.is_some() && scales.get(op.input) == own;
            let of = r.name(op.input);
            (!is_own).then(|| match scales.get(op.input) {
                Some(_) => {
                    format!("{of:?} is dequantized with several scales or zero points, or with others than it was quantized with")
                }
                None => format!("{of:?} consists of integers that the network does not quantize itself"),
            })
        }
        other => {
            let selected = other.selected_from().copied();
            let is_read = |t: Tensor| scales.get(t).is_some() && selected != Some(t);
            let Some((_, of)) = other.operands().find(|(_, t)| is_read(**t)) else {
                return scales.get(t).and_then(|_| integer_output());
            };
            Some(format!("top.{} reads the integers of {:?}", other.name(), r.name(*of)))
        }
    }
}

/// An operator whose operands are dequantized, and whose result is quantized.
struct Fused {
    op: Op<Tensor>,
    /// The operands with scale and zero point.
    operands: Vec<(Tensor, (f64, i64))>,
    weights: Option<Weights>,
}

/// The weights of a product, and its bias.
struct Weights {
    integers: Integers,
    /// The name of the bias, and its elements in units of the product's scales.
    bias: Option<(String, Array)>,
}

impl Fused {
    fn ending(r: &Rewriter, scales: &Scales, t: Tensor, integers: &IntegersOf) -> Option<Fused> {
        let scale = scales.get(t)?;
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
        let sources = |inputs: &[Tensor]| -> Option<Vec<_>> {
            let has_dtype = |o: &(Tensor, _)| r.dtype(o.0) == r.dtype(t);
            inputs.iter().map(|t| source(*t).filter(has_dtype)).collect()
        };
        let fused = |operands: Vec<_>, weights| Fused { op: op.clone(), operands, weights };
        Some(match op {
            Op::Conv(op) if !op.do_relu => {
                let operand = source(op.input)?;
                let weights = weights(r, integers, op.filter, op.bias, operand.1.0)?;
                fused(vec![operand], Some(weights))
            }
            Op::MatMul(op) if !op.do_relu => {
                let operand = source(op.input)?;
                let weights = weights(r, integers, op.right, op.bias, operand.1.0)?;
                (weights.integers.scales.len() == 1).then(|| fused(vec![operand], Some(weights)))?
            }
            Op::MaxPool(op) if !op.do_relu => {
                let operand = source(op.input)?;
                (operand.1 == scale && r.dtype(operand.0) == r.dtype(t)).then(|| fused(vec![operand], None))?
            }
            Op::Add(op) if !op.do_relu && op.coeff.is_none() => fused(sources(&op.inputs)?, None),
            Op::Mul(op) if !op.do_relu => fused(sources(&op.inputs)?, None),
            // bm1684x pads with the integer 0 instead of the zero point, and the tool chain's executor always counts padding.
            Op::AvgPool(op) if !op.do_relu && op.ceil_mode.is_none() && op.pads.iter().all(|n| *n == 0) => {
                fused(sources(&[op.input])?, None)
            }
            // bm1684x adds the zero points twice if an operand's scale or zero point differs from the result's.
            Op::Concat(op) if !op.do_relu => {
                let operands = sources(&op.inputs)?;
                operands.iter().all(|o| o.1 == scale).then(|| fused(operands, None))?
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
            Some(Weights { integers, bias }) => {
                let right = integers.tensor(r)?;
                (Some(right), bias.map(|(name, bias)| r.coefficient(&name, bias)).transpose()?)
            }
            None => (None, None),
        };
        let inputs = || operands.iter().map(|o| o.0).collect();
        match (&mut op, right) {
            (Op::Conv(op), Some(right)) => (op.input, op.filter, op.bias) = (operands[0].0, right, bias),
            (Op::MatMul(op), Some(right)) => (op.input, op.right, op.bias) = (operands[0].0, right, bias),
            (Op::MaxPool(op), None) => op.input = operands[0].0,
            (Op::Add(op), None) => op.inputs = inputs(),
            (Op::Mul(op), None) => op.inputs = inputs(),
            (Op::Concat(op), None) => op.inputs = inputs(),
            (Op::AvgPool(op), None) => {
                op.input = operands[0].0;
                op.round_mode = RoundMode::HalfToEven;
            }
            _ => return Err(invalid("an operator without a quantized form was matched")),
        }
        Ok(op)
    }
}

/// Returns the integers of weights as int8, with one scale or one for each entry of axis 0; and the bias as integers.
fn weights(
    r: &Rewriter,
    integers: &IntegersOf,
    weights: Tensor,
    bias: Option<Tensor>,
    operand_scale: f64,
) -> Option<Weights> {
    let found = integers.get(&weights)?;
    if found.scales.len() > 1 && found.axis != 0 {
        return None;
    }
    let (array, zero) = as_int8(&found.array, &found.zero_points)?;
    let zero_points = vec![zero; found.zero_points.len()];
    let scales: Vec<f64> = found.scales.iter().map(|scale| scale * operand_scale).collect();
    let bias = match bias {
        Some(bias) => Some(integer_bias(r, integers, bias, &scales)?),
        None => None,
    };
    Some(Weights { integers: Integers { array, zero_points, ..(**found).clone() }, bias })
}

/// Returns a bias as int32 in units of `scales`, one for all or one for each element, with its name; `None` if it does not fit.
fn integer_bias(r: &Rewriter, integers: &IntegersOf, bias: Tensor, scales: &[f64]) -> Option<(String, Array)> {
    let stored = integers.get(&bias);
    let stored = stored.filter(|b| b.array.dtype() == Dtype::Int32 && b.zero_points.iter().all(|z| *z == 0));
    let (name, shape, values) = match stored {
        Some(bias) => {
            let mut pairs = bias.scales.iter().zip(scales);
            if bias.scales.len() == scales.len() && pairs.all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs()) {
                return Some((bias.name.clone(), bias.array.clone()));
            }
            let scaled =
                bias.array.to_f64().ok()?.into_iter().zip(bias.scales.iter().cycle()).map(|(v, scale)| v * scale);
            (bias.name.as_str(), bias.array.shape(), scaled.collect())
        }
        None => (r.name(bias), r.shape(bias), r.data(bias)?),
    };
    let units: Vec<f64> = values.iter().zip(scales.iter().cycle()).map(|(v, scale)| (v / scale).round()).collect();
    if units.iter().any(|v| v.abs() > f64::from(i32::MAX)) {
        return None;
    }
    let array = Array::from_f64s(Dtype::Int32, shape, units.into_iter()).ok()?;
    Some((name.to_owned(), array))
}

impl Integers {
    /// Adds the integers as a quantized coefficient.
    fn tensor(&self, r: &mut Rewriter) -> Result<Tensor> {
        let tensor = r.coefficient(&self.name, self.array.clone())?;
        let zero_points = self.zero_points.clone();
        let quantization = match self.scales.as_slice() {
            [scale] => Quantization::per_tensor(*scale, zero_points[0]),
            scales => Quantization { scale: Some(scales.to_vec().into()), zero_point: Some(zero_points.into()) },
        };
        r.quantize(tensor, &quantization)?;
        Ok(tensor)
    }
}
