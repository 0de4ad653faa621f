//! Quantization, and products of quantized operands.
use super::{Convert, cast::rounded_in_int32, integer_product::integer_product};
use crate::{
    Tensor,
    base::{Dtype, Result, argument, invalid, misfit},
    emit::Emit,
    fold::known,
    import::Importer,
    node::{Node, known_floats, known_ints, resolved_axis},
    ops::{Clip, CompareMode, DequantizeLinear, Div, Floor, MatMul, MaxConst, MinConst, QuantizeLinear, ReduceMode},
    tensors::Element,
    value::{Computed, Constant, Integers, Value},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("ConvInteger", conv_integer),
    ("DequantizeLinear", dequantize_linear),
    ("DynamicQuantizeLinear", dynamic_quantize_linear),
    ("MatMulInteger", matmul_integer),
    ("QLinearConv", qlinear_conv),
    ("QLinearMatMul", qlinear_matmul),
    ("QuantizeLinear", quantize_linear),
];

/// Gives a scale or zero point the shape in which it is broadcast to an operand: one number, one for each entry of an axis, or one
/// for each block of entries.
pub fn spread(b: &mut Importer, value: &Value, shape: &[usize], axis: i64, block: i64) -> Result<Tensor> {
    let tensor = b.tensor(value)?;
    let tensor = b.real(tensor)?;
    if value.elements() == 1 {
        return b.reshape(tensor, &vec![1; shape.len().max(1)]);
    }
    let axis = resolved_axis("axis", axis, shape.len())?;
    if value.rank() <= 1 {
        if value.elements() != shape[axis] {
            return Err(argument(
                "the number of scales",
                value.elements(),
                format!("axis {axis} has {} entries", shape[axis]),
            ));
        }
        return b.along(tensor, axis, shape.len());
    }
    let blocks = *value.shape().get(axis).ok_or_else(|| {
        argument(
            "the number of dimensions of its scales",
            value.rank(),
            format!("expected that of the operand, {}", shape.len()),
        )
    })?;
    let each = if block > 0 { block as usize } else { shape[axis].div_ceil(blocks) };
    let mut longer = value.shape();
    longer.insert(axis + 1, 1);
    let column = b.reshape(tensor, &longer)?;
    longer[axis + 1] = each;
    let all = b.expand_to(column, &longer)?;
    let mut joined = value.shape();
    joined[axis] = blocks * each;
    let all = b.reshape(all, &joined)?;
    b.slice(all, axis, 0, shape[axis])
}

/// Scales and zero points as attributes: one for all, or one for each entry of an axis.
struct Parameters {
    scales: Vec<f64>,
    zero_points: Vec<i64>,
    axis: i64,
}

impl Parameters {
    /// Returns the parameters if they are known, and not those of blocks.
    fn known(scale: &Value, zero: Option<&Value>, shape: &[usize], axis: i64) -> Result<Option<Parameters>> {
        let is_known =
            scale.is_constant() && zero.is_none_or(|zero| zero.is_constant() && zero.dtype().int_range().is_some());
        if !is_known || scale.rank() > 1 || scale.elements() == 0 {
            return Ok(None);
        }
        let scales = known_floats(scale, "the scale")?;
        let axis = if scales.len() == 1 { 0 } else { resolved_axis("axis", axis, shape.len())? };
        let zero_points = match zero {
            Some(zero) => known_ints(zero, "the zero point")?,
            None => vec![0],
        };
        // A single zero point may be repeated in the file, or belong to several scales.
        let zero_points = match zero_points.first() {
            Some(first) if zero_points.iter().all(|other| other == first) => vec![*first; scales.len()],
            _ => zero_points,
        };
        let fits = scales.len() == 1 || shape.get(axis) == Some(&scales.len());
        let is_positive = scales.iter().all(|scale| *scale > 0.0 && scale.is_finite());
        let is_match = fits && is_positive && zero_points.len() == scales.len();
        Ok(is_match.then_some(Parameters { scales, zero_points, axis: axis as i64 }))
    }

    /// Returns the integers of a constant with these parameters.
    fn integers_of(self, x: &Constant) -> Integers {
        Integers {
            name: x.name.clone().unwrap_or_else(|| "integers".into()),
            array: x.array.clone(),
            scales: self.scales,
            zero_points: self.zero_points,
            axis: self.axis as usize,
        }
    }
}

/// An operand with its scale and its zero point, which may be left out.
#[derive(Clone, Copy)]
pub struct QuantizedOperand<'a> {
    pub x: &'a Value,
    pub scale: &'a Value,
    pub zero: Option<&'a Value>,
}

impl<'a> QuantizedOperand<'a> {
    /// Returns the operands of a node from `at` on.
    pub fn of(n: &'a Node, at: usize) -> Result<QuantizedOperand<'a>> {
        Ok(QuantizedOperand { x: n.input(at)?, scale: n.input(at + 1)?, zero: n.optional(at + 2) })
    }

    /// Returns the parameters if they are known, and those of integers that are not packed.
    fn parameters(self, axis: i64) -> Result<Option<Parameters>> {
        let is_whole = matches!(self.x.element(), Element::Whole(dtype) if dtype.int_range().is_some());
        Ok(Parameters::known(self.scale, self.zero, &self.x.shape(), axis)?.filter(|_| is_whole))
    }

    /// Dequantizes the operand, if its parameters are known. Known integers become known numbers.
    pub fn dequantized(self, b: &mut Importer, axis: i64) -> Result<Option<Value>> {
        let Some(known) = self.parameters(axis)? else { return Ok(None) };
        if let Value::Constant(x) = self.x {
            return Ok(Value::dequantized(known.integers_of(x)));
        }
        let tensor = dequantize(b, self.x, known)?;
        Ok(Some(Value::Computed(Computed { tensor, shape: self.x.shape(), dtype: Dtype::Float32 })))
    }
}

fn dequantize(b: &mut Importer, x: &Value, by: Parameters) -> Result<Tensor> {
    let input = b.tensor(x)?;
    let op = DequantizeLinear { axis: by.axis, ..DequantizeLinear::new(input, by.scales, by.zero_points) };
    b.op_as(op, Dtype::Float32)
}

/// Quantizes a tensor to 8 or 16 bits, if the parameters are known.
pub fn quantize(
    b: &mut Importer,
    y: Tensor,
    (scale, zero): (&Value, Option<&Value>),
    axis: i64,
    to: Element,
) -> Result<Option<Computed>> {
    let shape = b.shape(y)?;
    let Element::Whole(dtype) = to else { return Ok(None) };
    let is_narrow = dtype.int_range().is_some() && dtype.size() <= 2;
    let known = Parameters::known(scale, zero, &shape, axis)?.filter(|_| is_narrow);
    let Some(known) = known else { return Ok(None) };
    let op = QuantizeLinear { axis: known.axis, ..QuantizeLinear::new(y, known.scales, known.zero_points) };
    let tensor = b.op_as(op, dtype)?;
    Ok(Some(Computed { tensor, shape, dtype }))
}

/// Returns a known bias in units of the product of two scales, of which the second may have one for each channel.
pub fn known_bias(bias: &Value, scales: [&Value; 2]) -> Result<Option<Value>> {
    let Value::Constant(integers) = bias else { return Ok(None) };
    let (Some(left), Some(right)) = (scales[0].as_constant(), scales[1].as_constant()) else { return Ok(None) };
    let [left] = left.to_f64()?[..] else { return Ok(None) };
    let scales: Vec<f64> = right.to_f64()?.into_iter().map(|right| left * right).collect();
    let zero_points = vec![0; scales.len()];
    Ok(Value::dequantized(Parameters { scales, zero_points, axis: 0 }.integers_of(integers)))
}

/// Returns the integers that a node dequantizes, if they and their scales are known.
pub fn dequantized_integers(n: &Node) -> Result<Option<Integers>> {
    let (Some(Value::Constant(x)), Some(scale)) = (n.optional(0), n.optional(1)) else { return Ok(None) };
    if n.proto.op_type != "DequantizeLinear" || x.packed.is_some() {
        return Ok(None);
    }
    let known = Parameters::known(scale, n.optional(2), x.array.shape(), n.int_or("axis", 1))?;
    Ok(known.map(|known| known.integers_of(x)))
}

pub fn dequantize_linear<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, scale) = (n.input(0)?, n.input(1)?);
    let (axis, block) = (n.int_or("axis", 1), n.int_or("block_size", 0));
    let shape = x.shape();
    let dtype = match n.int("output_dtype").filter(|d| *d != 0) {
        Some(to) => Element::of(to as i32).map_err(|e| misfit("output_dtype:", e))?.dtype(),
        None => scale.dtype(),
    };
    if let Some(known) = QuantizedOperand::of(n, 0)?.parameters(axis)? {
        let tensor = dequantize(b, x, known)?;
        return Ok(vec![Value::Computed(Computed { tensor, shape, dtype })]);
    }
    let mut tensor = b.float_tensor(x)?;
    if let Some(zero) = n.optional(2) {
        let is_zero = zero.as_constant().map(|z| z.to_f64()).transpose()?.is_some_and(|z| z.iter().all(|v| *v == 0.0));
        if !is_zero {
            let zero = spread(b, zero, &shape, axis, block)?;
            tensor = b.sub(tensor, zero)?;
        }
    }
    let scale = spread(b, scale, &shape, axis, block)?;
    let made = b.mul(tensor, scale)?;
    Ok(vec![Value::Computed(Computed { tensor: made, shape, dtype })])
}

/// The type of a quantized result.
pub fn result_element(n: &Node, zero: Option<&Value>) -> Result<Element> {
    match (n.int("output_dtype").filter(|d| *d != 0), zero) {
        (Some(to), _) => Element::of(to as i32).map_err(|e| misfit("output_dtype:", e)),
        (None, Some(zero)) => Ok(zero.element()),
        (None, None) => Ok(Element::Whole(Dtype::Uint8)),
    }
}

/// The integers that a quantized result may have.
fn limits(element: Element) -> Result<(f64, f64)> {
    let range = match element {
        Element::Packed { bits, signed: true } => Some((-f64::from(1 << (bits - 1)), f64::from((1 << (bits - 1)) - 1))),
        Element::Packed { bits, signed: false } => Some((0.0, f64::from((1 << bits) - 1))),
        Element::Whole(dtype) => dtype.int_range().map(|(low, high)| (low as f64, high as f64)),
        Element::Small(_) => None,
    };
    range.ok_or_else(|| argument("the dtype of its zero point", element.dtype(), "expected integers or fp8"))
}

/// `saturate(round(x / scale) + zero point)`, halves to even.
pub fn quantize_linear<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, scale) = (n.input(0)?, n.input(1)?);
    let (axis, block) = (n.int_or("axis", 1), n.int_or("block_size", 0));
    let shape = x.shape();
    let zero = n.optional(2);
    let element = result_element(n, zero)?;
    let dtype = element.dtype();
    let tensor = b.float_tensor(x)?;
    if let Some(made) = quantize(b, tensor, (scale, zero), axis, element)? {
        return Ok(vec![Value::Computed(Computed { shape, ..made })]);
    }
    let scale = spread(b, scale, &shape, axis, block)?;
    let scaled = b.op(Div::new(vec![tensor, scale]))?;
    let made = match element.small_float() {
        // It has no zero point but 0.
        Some(small) => super::cast::rounded_to_small(b, scaled, small, n.int_or("saturate", 1) != 0)?,
        None => quantized(b, scaled, zero, (axis, block, &shape), element)?,
    };
    Ok(vec![Value::Computed(Computed { tensor: made, shape, dtype })])
}

/// Rounds, adds the zero point, saturates and converts.
pub fn quantized(
    b: &mut Importer,
    scaled: Tensor,
    zero: Option<&Value>,
    (axis, block, shape): (i64, i64, &[usize]),
    element: Element,
) -> Result<Tensor> {
    let (low, high) = limits(element)?;
    let mut rounded = rounded_in_int32(b, scaled)?;
    if let Some(zero) = zero {
        let zero = spread(b, zero, shape, axis, block)?;
        rounded = b.add(rounded, zero)?;
    }
    let bounded = b.op(Clip::new(rounded, high, low))?;
    super::cast::truncated_to(b, bounded, element.dtype())
}

/// A tensor in 8 bits, with a scale and a zero point that make the most of them.
struct Dynamic {
    /// From 0 to 255.
    rounded: Tensor,
    zero: Tensor,
    scale: Tensor,
}

fn dynamic(b: &mut Importer, x: Tensor) -> Result<Dynamic> {
    let axes: Vec<usize> = (0..b.rank(x)?).collect();
    let (most, least) = (b.reduce(x, &axes, ReduceMode::ReduceMax)?, b.reduce(x, &axes, ReduceMode::ReduceMin)?);
    let (most, least) = (b.op(MaxConst::new(most, 0.0))?, b.op(MinConst::new(least, 0.0))?);
    let range = b.sub(most, least)?;
    let scale = b.mul_const(range, 1.0 / 255.0)?;
    // Zeros are divided by 1.
    let is_zero = b.compare_const(range, CompareMode::Equal, 0.0)?;
    let scale = b.add(scale, is_zero)?;
    let negative = b.mul_const(least, -1.0)?;
    let zero = b.op(Div::new(vec![negative, scale]))?;
    let zero = rounded_in_int32(b, zero)?;
    let zero = b.op(Clip::new(zero, 255.0, 0.0))?;
    let scaled = b.op(Div::new(vec![x, scale]))?;
    let rounded = rounded_in_int32(b, scaled)?;
    let moved = b.add(rounded, zero)?;
    let rounded = b.op(Clip::new(moved, 255.0, 0.0))?;
    Ok(Dynamic { rounded, zero, scale })
}

/// Returns a tensor rounded as it is quantized dynamically, less its zero point, and its scale.
pub fn dynamic_scale(b: &mut Importer, x: Tensor) -> Result<(Tensor, Tensor)> {
    let Dynamic { rounded, zero, scale } = dynamic(b, x)?;
    Ok((b.sub(rounded, zero)?, scale))
}

fn dynamic_quantize_linear<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let Dynamic { rounded, zero, scale } = dynamic(b, tensor)?;
    let y = super::cast::truncated_to(b, rounded, Dtype::Uint8)?;
    let zero = super::cast::truncated_to(b, zero, Dtype::Uint8)?;
    Ok(vec![
        Value::Computed(Computed { tensor: y, shape: x.shape(), dtype: Dtype::Uint8 }),
        b.shaped(scale, &[], Dtype::Float32)?,
        b.shaped(zero, &[], Dtype::Uint8)?,
    ])
}

/// Returns an operand less its zero point, as integers in float32. Zero points along `axis`, or one for all. A constant stays one.
pub fn centered(b: &mut Importer, x: &Value, zero: Option<&Value>, axis: i64) -> Result<Value> {
    let operands: Vec<&Value> = [x].into_iter().chain(zero).collect();
    known(b, &operands, |b, values| {
        let mut tensor = b.float_tensor(&values[0])?;
        if let Some(zero) = values.get(1) {
            let zero = spread(b, zero, &values[0].shape(), axis, 0)?;
            tensor = b.sub(tensor, zero)?;
        }
        Ok(Value::Computed(Computed { tensor, shape: values[0].shape(), dtype: Dtype::Float32 }))
    })
}

/// Sums of this many products of two bytes, each less a zero point, are exact in float32.
const EXACT: usize = (1 << 24) / (255 * 255);
/// The same for products of a byte and half of one, and of two halves.
const EXACT_HALF: usize = (1 << 24) / (255 * 16);
const EXACT_HALVES: usize = (1 << 24) / (16 * 16);

/// Splits integers into `16 * high + low`.
fn halves(b: &mut Importer, x: &Value) -> Result<[Value; 2]> {
    let high = known(b, &[x], |b, values| {
        let tensor = b.tensor(&values[0])?;
        let scaled = b.mul_const(tensor, 1.0 / 16.0)?;
        let high = b.op(Floor::new(scaled))?;
        b.value_like(high, &values[0])
    })?;
    let low = known(b, &[x, &high], |b, values| {
        let [x, high] = [b.tensor(&values[0])?, b.tensor(&values[1])?];
        let high = b.mul_const(high, 16.0)?;
        let low = b.sub(x, high)?;
        b.value_like(low, &values[0])
    })?;
    Ok([high, low])
}

/// Returns the sums of `count` products of integers each, as int32. They are computed in float32, of parts that are small enough for
/// that to be exact.
fn exact<'m>(
    b: &mut Importer<'m>,
    count: usize,
    (x, w): (&Value, &Value),
    product: &dyn Fn(&mut Importer<'m>, &Value, &Value) -> Result<Tensor>,
) -> Result<Tensor> {
    if count <= EXACT {
        let made = product(b, x, w)?;
        return super::cast::truncated_to(b, made, Dtype::Int32);
    }
    if count > EXACT_HALVES {
        return Err(invalid(format!("its sums have {count} products; at most {EXACT_HALVES} are computed exactly")));
    }
    let weights = halves(b, w)?;
    let operands = if count <= EXACT_HALF { vec![(x.clone(), 1.0)] } else { scaled_halves(b, x)? };
    let mut sum: Option<Tensor> = None;
    for (x, x_factor) in &operands {
        for (w, w_factor) in weights.iter().zip([16.0, 1.0]) {
            let made = product(b, x, w)?;
            let made = super::cast::truncated_to(b, made, Dtype::Int32)?;
            let made = b.mul_const(made, x_factor * w_factor)?;
            sum = Some(match sum {
                Some(sum) => b.add(sum, made)?,
                None => made,
            });
        }
    }
    sum.ok_or_else(|| invalid("it has no products"))
}

fn scaled_halves(b: &mut Importer, x: &Value) -> Result<Vec<(Value, f64)>> {
    let [high, low] = halves(b, x)?;
    Ok(vec![(high, 16.0), (low, 1.0)])
}

/// Returns the product of operands less their zero points, as int32.
fn product(b: &mut Importer, n: &Node, [x, x_zero, y, y_zero]: [usize; 4]) -> Result<(Tensor, Vec<usize>)> {
    let (left, right) = (n.input(x)?, n.input(y)?);
    if let Some(made) = integer_product(b, [left, right], [n.optional(x_zero), n.optional(y_zero)])? {
        let shape = product_shape(b, made, left, right)?;
        return Ok((made, shape));
    }
    let count = left.shape().last().copied().unwrap_or(1);
    let (a, c) = (centered(b, left, n.optional(x_zero), -2)?, centered(b, right, n.optional(y_zero), -1)?);
    let made = exact(b, count, (&a, &c), &|b, a, c| {
        let (a, c) = (b.tensor(a)?, b.tensor(c)?);
        b.op(MatMul::new(a, c))
    })?;
    let shape = product_shape(b, made, left, right)?;
    Ok((made, shape))
}

/// Returns ONNX's shape of a product: a vector on the left has no rows.
fn product_shape(b: &Importer, made: Tensor, left: &Value, right: &Value) -> Result<Vec<usize>> {
    let mut shape = b.shape(made)?;
    if left.rank() == 1 {
        let columns = usize::from(right.rank() > 1);
        shape.remove(shape.len() - 1 - columns);
    }
    Ok(shape)
}

fn matmul_integer<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (made, shape) = product(b, n, [0, 2, 1, 3])?;
    Ok(vec![b.shaped(made, &shape, Dtype::Int32)?])
}

/// Returns the product of numbers. Returns `None` unless all scales and zero points are known; the operators added so far are then unused.
fn matmul_of_reals(b: &mut Importer, n: &Node) -> Result<Option<Value>> {
    let (x, y) = (QuantizedOperand::of(n, 0)?, QuantizedOperand::of(n, 3)?);
    let (Some(left), Some(right)) = (x.dequantized(b, -2)?, y.dequantized(b, -1)?) else { return Ok(None) };
    let (left, right) = (b.tensor(&left)?, b.tensor(&right)?);
    let made = b.matmul(left, right)?;
    let shape = product_shape(b, made, x.x, y.x)?;
    let zero = n.input(7)?;
    match quantize(b, made, (n.input(6)?, Some(zero)), -2, zero.element())? {
        Some(made) => b.shaped(made.tensor, &shape, made.dtype).map(Some),
        None => Ok(None),
    }
}

fn qlinear_matmul<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    if let Some(made) = matmul_of_reals(b, n)? {
        return Ok(vec![made]);
    }
    let (made, of_result) = product(b, n, [0, 2, 3, 5])?;
    let (made, shape) = (b.real(made)?, b.shape(made)?);
    let (a, c, y) = (n.input(1)?, n.input(4)?, n.input(6)?);
    let (a, c, y) = (spread(b, a, &shape, -2, 0)?, spread(b, c, &shape, -1, 0)?, spread(b, y, &shape, -2, 0)?);
    let factor = b.mul(a, c)?;
    let factor = b.op(Div::new(vec![factor, y]))?;
    let scaled = b.mul(made, factor)?;
    let zero = n.input(7)?;
    let dtype = zero.dtype();
    let tensor = quantized(b, scaled, Some(zero), (-2, 0, &shape), Element::Whole(dtype))?;
    Ok(vec![b.shaped(tensor, &of_result, dtype)?])
}

/// Returns the convolution of operands less their zero points, as int32. Padding is the zero point, so 0 after that.
fn convolution(b: &mut Importer, n: &Node, [x, x_zero, w, w_zero]: [usize; 4]) -> Result<Tensor> {
    let (input, weight) = (n.input(x)?, n.input(w)?);
    let count = weight.shape().iter().skip(1).product();
    let (a, c) = (centered(b, input, n.optional(x_zero), 1)?, centered(b, weight, n.optional(w_zero), 0)?);
    exact(b, count, (&a, &c), &|b, a, c| super::conv::convolved(b, n, a, c, None))
}

fn conv_integer<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let tensor = convolution(b, n, [0, 2, 1, 3])?;
    Ok(vec![b.value(tensor, Dtype::Int32)?])
}

/// Returns the convolution of numbers. Returns `None` unless all scales and zero points and the bias are known; the operators added so far
/// are then unused.
fn conv_of_reals(b: &mut Importer, n: &Node) -> Result<Option<Value>> {
    let (input, weight) = (QuantizedOperand::of(n, 0)?, QuantizedOperand::of(n, 3)?);
    let (Some(x), Some(w)) = (input.dequantized(b, 1)?, weight.dequantized(b, 0)?) else { return Ok(None) };
    let bias = match n.optional(8) {
        Some(bias) => match known_bias(bias, [input.scale, weight.scale])? {
            Some(bias) => Some(b.tensor(&bias)?),
            None => return Ok(None),
        },
        None => None,
    };
    let made = super::conv::convolved(b, n, &x, &w, bias)?;
    let zero = n.input(7)?;
    Ok(quantize(b, made, (n.input(6)?, Some(zero)), 1, zero.element())?.map(Value::Computed))
}

pub fn qlinear_conv<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    if let Some(made) = conv_of_reals(b, n)? {
        return Ok(vec![made]);
    }
    let sum = convolution(b, n, [0, 2, 3, 5])?;
    let mut sum = b.real(sum)?;
    let shape = b.shape(sum)?;
    if let Some(bias) = n.optional(8) {
        let bias = spread(b, bias, &shape, 1, 0)?;
        sum = b.add(sum, bias)?;
    }
    let (a, c, y) = (n.input(1)?, n.input(4)?, n.input(6)?);
    let (a, c, y) = (spread(b, a, &shape, 1, 0)?, spread(b, c, &shape, 1, 0)?, spread(b, y, &shape, 1, 0)?);
    let factor = b.mul(a, c)?;
    let factor = b.op(Div::new(vec![factor, y]))?;
    let scaled = b.mul(sum, factor)?;
    let zero = n.input(7)?;
    let dtype = zero.dtype();
    let tensor = quantized(b, scaled, Some(zero), (1, 0, &shape), Element::Whole(dtype))?;
    Ok(vec![Value::Computed(Computed { tensor, shape, dtype })])
}
