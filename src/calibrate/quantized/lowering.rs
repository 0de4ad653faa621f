//! Which integer arithmetic the chip has for a layer, as TPU-MLIR 1.30 lowers it for bm1684x
//! (`lib/Conversion/TopToTpu/BM1684X`).
use super::{
    fixed::{Bits, MAX_SHIFT, Multiplier},
    kernel::{Kernel, Rounding, Term},
    layer::Layer,
    products::Products,
    range::Range,
};
use crate::{
    array::Array,
    base::Result,
    graph::{Graph, Tensor, TensorInfo},
    ops::{Conv, Deconv, InterpMode, MatMul, Op, PRelu, PadMode, ReduceMode, Scale, Softmax},
};
use rayon::prelude::*;
use std::collections::HashMap;

/// The integers of a filter.
struct Filter {
    /// The range of the input.
    from: Range,
    weights: Array,
    /// Nothing if there is no bias.
    bias: Vec<i32>,
    multipliers: Vec<Multiplier>,
}

/// What kernels are chosen from.
pub struct Context<'a> {
    pub graph: &'a Graph,
    pub ranges: &'a HashMap<Tensor, Range>,
    pub products: &'a mut Products,
}

/// A sum whose operands differ by a larger factor is computed in floats.
const MAX_RATIO: f64 = 64.0;

/// The largest stride of a convolution on the chip.
const MAX_STRIDE: i64 = 15;

impl Context<'_> {
    /// Returns the integer arithmetic of a layer; `None` if the chip computes it in floats.
    ///
    /// # Errors
    /// Returns an error if weights cannot be read.
    pub fn kernel(&mut self, layer: &Layer) -> Result<Option<Kernel>> {
        if layer.has_blocks || !layer.other_results.is_empty() && !matches!(layer.op, Op::Split(_)) {
            return Ok(None);
        }
        let Some(to) = self.range(layer.result) else { return Ok(None) };
        if layer.stored_results().any(|t| self.range(t).is_none()) {
            return Ok(None);
        }
        // Table lookups and copies read one tensor.
        let from = layer.operands().next().and_then(|t| self.range(t));
        match &layer.op {
            Op::Conv(op) => self.conv(op, to),
            Op::Deconv(op) => self.deconv(op, to),
            Op::Scale(op) => self.scale(op, to),
            Op::MatMul(op) => self.matmul(op, to),
            Op::Add(op) if op.coeff.as_ref().is_none_or(|c| c.iter().all(|c| *c == 1.0)) => self.sum(&op.inputs, to),
            Op::Sub(op) if op.coeff.is_none() && !op.is_reverse => self.difference(&op.inputs, to),
            Op::Mul(op) => self.product(&op.inputs, to),
            Op::AddConst(op) => Ok(from.map(|from| linear(from, to, op.const_val, false))),
            Op::SubConst(op) => {
                let addend = if op.is_reverse { op.const_val } else { -op.const_val };
                Ok(from.map(|from| linear(from, to, addend, op.is_reverse)))
            }
            Op::MulConst(op) if op.const_val != 0.0 => {
                Ok(from.map(|from| linear(Range { threshold: to.threshold, ..from }, to, 0.0, op.const_val < 0.0)))
            }
            Op::AvgPool(_) | Op::Reduce(_) => {
                Ok(from.zip(layer.mean_of(self.graph)).map(|(from, count)| mean(from, to, count)))
            }
            Op::Softmax(op) if !op.log && self.is_over_channels(op)? => Ok(from.map(|_| Kernel::Table)),
            Op::MaxConst(op) => Ok(from.map(|from| limit(from, op.const_val, true))),
            Op::MinConst(op) => Ok(from.map(|from| limit(from, op.const_val, false))),
            Op::LeakyRelu(op) => {
                Ok(from.map(|_| Kernel::Slope { multipliers: vec![Multiplier::of(op.alpha, Bits::Eight)], inner: 1 }))
            }
            Op::PRelu(op) => self.slopes(op, from),
            op if is_table(op) => Ok(from.map(|_| Kernel::Table)),
            op if is_copy(op) => self.copy(layer, to),
            Op::Pad(op) if op.mode == PadMode::Constant => {
                Ok(from.filter(|from| *from == to).map(|from| pad(op.val, from)))
            }
            _ => Ok(None),
        }
    }

    /// Whether a softmax is over the second axis of up to four: the tool chain reshapes fewer axes to four.
    fn is_over_channels(&self, op: &Softmax<Tensor>) -> Result<bool> {
        let rank = self.info(op.input)?.shape.len();
        Ok((2..=4).contains(&rank) && (op.axis == 1 || op.axis == 1 - rank as i64))
    }
    fn range(&self, tensor: Tensor) -> Option<Range> {
        self.ranges.get(&tensor).copied()
    }
    fn info(&self, tensor: Tensor) -> Result<&TensorInfo> {
        self.graph.tensor(tensor)
    }
    /// Returns the numbers of a coefficient.
    fn constant(&self, tensor: Tensor) -> Result<Option<Vec<f32>>> {
        self.info(tensor)?.data().map(Array::to_f32).transpose()
    }
    fn bias(&self, tensor: Option<Tensor>) -> Result<Option<Vec<f32>>> {
        Ok(tensor.map(|t| self.constant(t)).transpose()?.flatten())
    }

    fn conv(&mut self, op: &Conv<Tensor>, to: Range) -> Result<Option<Kernel>> {
        // The limit of a fused Relu is dropped.
        let is_plain = op.inserts.iter().flatten().all(|n| *n == 0) && op.auto_pad.is_none();
        let coefficients = (op.input, op.filter, op.bias);
        let Some(filter) = self.filter(coefficients, scale_unless_tiny, to)?.filter(|_| is_plain) else {
            return Ok(None);
        };
        if is_product(op) {
            return self.patches(op, filter.from, to);
        }
        let input = (filter.from.dtype(), self.graph.tensor(op.input)?.shape.as_slice());
        let rounding = if input.1.len() == 5 { Rounding::HalfAwayFromZero } else { Rounding::HalfUp };
        let index = self.products.conv(op, input, filter.weights, filter.bias)?;
        Ok(Some(Kernel::Products { index, multipliers: filter.multipliers, rounding, wide: None }))
    }

    /// A convolution that is computed as a product of its patches and a matrix.
    fn patches(&mut self, op: &Conv<Tensor>, from: Range, to: Range) -> Result<Option<Kernel>> {
        let weights = self.constant(op.filter)?.unwrap_or_default();
        let Some((scale, weights)) = quantized_matrix(&weights, &self.info(op.filter)?.shape)? else { return Ok(None) };
        let scale = from.scale() * scale;
        let bias = quantized_bias(self.bias(op.bias)?, scale);
        let input = (from.dtype(), self.graph.tensor(op.input)?.shape.as_slice());
        let index = self.products.conv(op, input, weights, bias)?;
        let multipliers = vec![Multiplier::of(scale / to.scale(), Bits::ThirtyTwo)];
        Ok(Some(Kernel::Products { index, multipliers, rounding: Rounding::HalfUp, wide: None }))
    }

    fn deconv(&mut self, op: &Deconv<Tensor>, to: Range) -> Result<Option<Kernel>> {
        let is_plain = op.group == 1 && op.kernel_shape.len() == 2;
        let Some(filter) = self.filter((op.input, op.filter, op.bias), own_scale, to)?.filter(|_| is_plain) else {
            return Ok(None);
        };
        let input = (filter.from.dtype(), self.graph.tensor(op.input)?.shape.as_slice());
        let index = self.products.deconv(op, input, filter.weights, filter.bias)?;
        Ok(Some(Kernel::Products {
            index,
            multipliers: filter.multipliers,
            rounding: Rounding::HalfAwayFromZero,
            wide: None,
        }))
    }

    /// Quantizes a filter of two or three spatial axes, whose first axis has the output channels, and its bias. `None` if they are
    /// computed.
    fn filter(
        &self,
        (input, filter, bias): (Tensor, Tensor, Option<Tensor>),
        input_scale: InputScale,
        to: Range,
    ) -> Result<Option<Filter>> {
        let (Some(from), Some(weights)) = (self.range(input), self.constant(filter)?) else { return Ok(None) };
        let shape = self.info(filter)?.shape.to_vec();
        if !matches!(shape.len(), 3..=5) || bias.is_some_and(|b| self.info(b).is_ok_and(|i| i.data().is_none())) {
            return Ok(None);
        }
        quantized_filter((from, input_scale), (&weights, &shape), self.bias(bias)?, to).map(Some)
    }

    /// A scale and a bias for each channel are a convolution of 1x1 with a group for each.
    fn scale(&mut self, op: &Scale<Tensor>, to: Range) -> Result<Option<Kernel>> {
        let shape = self.info(op.input)?.shape.to_vec();
        let (scale, bias) = (self.constant(op.scale)?, self.constant(op.bias)?);
        let (Some(from), Some(scale), Some(bias), 3 | 4) = (self.range(op.input), scale, bias, shape.len()) else {
            return Ok(None);
        };
        if [scale.len(), bias.len()] != [shape[1]; 2] {
            return Ok(None);
        }
        let spatial = shape.len() - 2;
        let (ones, filter) = (vec![1; spatial], [vec![shape[1], 1], vec![1; spatial]].concat());
        let filter = quantized_filter((from, scale_unless_tiny), (&scale, &filter), Some(bias), to)?;
        let mut conv = Conv::new(op.input, op.scale, ones.clone(), ones, vec![0; 2 * spatial]);
        conv.group = shape[1] as i64;
        let index = self.products.conv(&conv, (from.dtype(), &shape), filter.weights, filter.bias)?;
        Ok(Some(Kernel::Products { index, multipliers: filter.multipliers, rounding: Rounding::HalfUp, wide: None }))
    }

    fn matmul(&mut self, op: &MatMul<Tensor>, to: Range) -> Result<Option<Kernel>> {
        let Some(from) = self.range(op.input) else { return Ok(None) };
        let is_plain = !op.left_transpose && !op.output_transpose && !op.hdim_is_batch;
        if !is_plain || op.bias.is_some_and(|b| self.info(b).is_ok_and(|i| i.data().is_none())) {
            return Ok(None);
        }
        let (right_scale, weights) = match (self.constant(op.right)?, self.range(op.right)) {
            (Some(weights), _) => {
                let Some(matrix) = quantized_matrix(&weights, &self.info(op.right)?.shape)? else { return Ok(None) };
                (matrix.0, Some(matrix.1))
            }
            (None, Some(right)) => (right.scale(), None),
            (None, None) => return Ok(None),
        };
        let scale = from.scale() * right_scale;
        let bias = quantized_bias(self.bias(op.bias)?, scale);
        let multipliers = vec![Multiplier::of(scale / to.scale(), Bits::ThirtyTwo)];
        let is_wide = weights.is_some() && to.is_signed && !op.do_relu;
        let wide = is_wide.then(|| Multiplier::of(scale / to.wide_scale(), Bits::ThirtyTwo));
        let left = (from.dtype(), self.graph.tensor(op.input)?.shape.as_slice());
        let right = self.range(op.right).map(|range| range.dtype());
        let right_shape = &self.graph.tensor(op.right)?.shape;
        let index = self.products.matmul(op, left, (right, right_shape), weights, bias)?;
        Ok(Some(Kernel::Products { index, multipliers, rounding: Rounding::HalfUp, wide }))
    }

    /// All slopes have the same shift, the largest with which they fit in eight bits.
    fn slopes(&self, op: &PRelu<Tensor>, from: Option<Range>) -> Result<Option<Kernel>> {
        let (Some(slopes), Some(_)) = (self.constant(op.slope)?, from) else { return Ok(None) };
        let shape = &self.info(op.input)?.shape;
        let channels = shape.get(1).copied().unwrap_or(1);
        if slopes.len() != 1 && slopes.len() != channels {
            return Ok(None);
        }
        let largest = slopes.iter().fold(0f64, |largest, slope| largest.max(f64::from(*slope).abs()));
        let fits = |shift: &i32| largest * f64::from(*shift).exp2() <= 127.0;
        let shift = (0..=MAX_SHIFT).rev().find(fits).unwrap_or(0);
        let multipliers = slopes.iter().map(|slope| Multiplier::truncated((*slope).into(), shift)).collect();
        Ok(Some(Kernel::Slope { multipliers, inner: shape.iter().skip(2).product() }))
    }

    /// Whether an operand is constant, and the range of its numbers.
    fn term(&self, tensor: Tensor) -> Result<Option<(Option<Vec<f32>>, Range)>> {
        let numbers = self.constant(tensor)?;
        Ok(match (numbers, self.range(tensor)) {
            (Some(numbers), _) => {
                let largest = largest(&numbers);
                let range = Range { threshold: largest.into(), is_signed: numbers.iter().any(|x| *x < 0.0) };
                (largest > 0.0).then_some((Some(numbers), range))
            }
            (None, range) => range.map(|range| (None, range)),
        })
    }

    fn sum(&self, inputs: &[Tensor], to: Range) -> Result<Option<Kernel>> {
        let mut terms = Vec::new();
        let mut thresholds = Vec::new();
        for input in inputs {
            let Some((numbers, range)) = self.term(*input)? else { return Ok(None) };
            let multiplier = Multiplier::without_left_shift(range.scale() / to.scale());
            let constant = match numbers {
                Some(numbers) => {
                    let integers = numbers.par_iter().map(|x| (f64::from(*x) / range.scale()).round() as i64);
                    Some(range.stored(&self.info(*input)?.shape, integers)?)
                }
                None => {
                    thresholds.push(range.threshold);
                    None
                }
            };
            terms.push(Term { constant, multiplier });
        }
        let (least, most) = thresholds.iter().fold((f64::MAX, 0f64), |(a, b), t| (a.min(*t), b.max(*t)));
        let is_balanced = thresholds.len() < 2 || most / least <= MAX_RATIO;
        Ok(is_balanced.then_some(Kernel::Sum { terms }))
    }

    fn difference(&self, inputs: &[Tensor], to: Range) -> Result<Option<Kernel>> {
        let mut terms = Vec::new();
        for input in inputs {
            let Some((numbers, range)) = self.term(*input)? else { return Ok(None) };
            if range.threshold > to.threshold {
                return Ok(None);
            }
            terms.push(match numbers {
                Some(numbers) => {
                    let integers = numbers.par_iter().map(|x| (f64::from(*x) / to.scale()).round() as i64);
                    let constant = to.stored(&self.info(*input)?.shape, integers)?;
                    Term { constant: Some(constant), multiplier: Multiplier::without_left_shift(1.0) }
                }
                None => Term { constant: None, multiplier: Multiplier::without_left_shift(range.scale() / to.scale()) },
            });
        }
        Ok(Some(Kernel::Sum { terms }))
    }

    fn product(&self, inputs: &[Tensor], to: Range) -> Result<Option<Kernel>> {
        let (mut scale, mut constants) = (1.0, Vec::new());
        for input in inputs {
            let Some((numbers, range)) = self.term(*input)? else { return Ok(None) };
            constants.push(match numbers {
                Some(numbers) => {
                    let most: f32 = if range.is_signed { 127.0 } else { 255.0 };
                    let step = f64::from(range.threshold as f32 / most);
                    scale *= step;
                    let integers = numbers.par_iter().map(|x| (f64::from(*x) / step).round() as i64);
                    Some(range.stored(&self.info(*input)?.shape, integers)?)
                }
                None => {
                    scale *= range.scale();
                    None
                }
            });
        }
        let multiplier = Multiplier::of(scale / to.scale(), Bits::Eight);
        Ok((inputs.len() == 2).then_some(Kernel::Product { constants, multiplier }))
    }

    fn copy(&self, layer: &Layer, to: Range) -> Result<Option<Kernel>> {
        // Integers are compared as they are, whatever they represent.
        let compares = matches!(layer.op, Op::Max(_) | Op::Min(_));
        let joins = compares || matches!(layer.op, Op::Concat(_));
        let mut multipliers = Vec::new();
        for operand in layer.operands() {
            if joins && self.info(operand)?.is_coefficient() {
                return Ok(None);
            }
            let is_first = multipliers.is_empty();
            multipliers.push(match self.range(operand) {
                Some(range) if range != to && !compares => {
                    Some(Multiplier::without_left_shift(range.scale() / to.scale()))
                }
                // Further operands of other ops are shapes and indices.
                None if is_first || joins => return Ok(None),
                _ => None,
            });
        }
        Ok(Some(Kernel::Copy { multipliers }))
    }
}

/// Whether the chip computes an op in integers that may have no kernel here.
pub fn is_in_integers(op: &Op<Tensor>, graph: &Graph) -> bool {
    let is_coefficient = |t: &Tensor| graph.tensor(*t).is_ok_and(TensorInfo::is_coefficient);
    match op {
        Op::Compare(_) => !op.operands().any(|(_, t)| is_coefficient(t)),
        // A pool on the chip.
        Op::Reduce(op) => op.mode == ReduceMode::ReduceMax,
        Op::Where(_) | Op::MaskedFill(_) | Op::CompareConst(_) | Op::Max(_) | Op::Min(_) => true,
        Op::Conv(_) | Op::Deconv(_) | Op::PRelu(_) => true,
        // Other sums and products without a kernel are floats on the chip, too.
        Op::Add(op) => op.coeff.as_ref().is_some_and(|c| c.iter().any(|c| *c != 1.0)),
        Op::Sub(op) => op.is_reverse || op.coeff.is_some(),
        Op::Mul(op) => op.inputs.len() > 2,
        _ => false,
    }
}

/// Quantizes a filter whose first axis has the output channels, and its bias.
fn quantized_filter(
    (from, input_scale): (Range, InputScale),
    (weights, shape): (&[f32], &[usize]),
    bias: Option<Vec<f32>>,
    to: Range,
) -> Result<Filter> {
    let input_scale = input_scale(from, weights, bias.as_deref().unwrap_or_default());
    let is_signed = bias.is_some() || weights.iter().any(|w| *w < 0.0);
    let most: f32 = if is_signed { 127.0 } else { 255.0 };
    let per_channel = weights.len() / shape[0].max(1);
    let exact = exact_scale(weights, is_signed);
    let mut integers = Vec::with_capacity(weights.len());
    let (mut biases, mut multipliers) = (Vec::new(), Vec::new());
    for (channel, weights) in weights.chunks(per_channel.max(1)).enumerate() {
        let largest = largest(weights);
        let scale = exact.unwrap_or_else(|| f64::from((largest / most).max(1e-5)));
        integers.extend(weights.iter().map(|w| (f64::from(*w) / scale).round() as i64));
        if let Some(bias) = &bias {
            biases.push(rounded_to_i32(f64::from(bias[channel]) / (scale * input_scale)));
        }
        multipliers.push(Multiplier::of(scale * input_scale / to.scale(), Bits::ThirtyTwo));
    }
    let weights = Range { threshold: 1.0, is_signed }.stored(shape, integers.into_par_iter())?;
    Ok(Filter { from, weights, bias: biases, multipliers })
}

/// Whether the chip computes a convolution as a product, since it has no strides that large.
fn is_product(op: &Conv<Tensor>) -> bool {
    let is_one = |dilation: &i64| *dilation == 1;
    op.strides.len() == 2
        && op.strides == op.kernel_shape
        && op.strides.iter().any(|stride| *stride > MAX_STRIDE)
        && op.group == 1
        && op.pads.iter().all(|pad| *pad == 0)
        && op.dilations.iter().flatten().all(is_one)
}

/// Quantizes a matrix, all alike. `None` if it is 0.
fn quantized_matrix(weights: &[f32], shape: &[usize]) -> Result<Option<(f64, Array)>> {
    let largest = largest(weights);
    let scale = f64::from(largest) / 127.0;
    if scale == 0.0 {
        return Ok(None);
    }
    let integers = weights.par_iter().map(|w| (f64::from(*w) / scale).round() as i64);
    Ok(Some((scale, Range { threshold: 1.0, is_signed: true }.stored(shape, integers)?)))
}

fn quantized_bias(bias: Option<Vec<f32>>, scale: f64) -> Vec<i32> {
    bias.unwrap_or_default().iter().map(|b| rounded_to_i32(f64::from(*b) / scale)).collect()
}

/// Returns the largest absolute value.
fn largest(numbers: &[f32]) -> f32 {
    numbers.iter().fold(0f32, |largest, x| largest.max(x.abs()))
}

/// Rounds a number to 32 bits. One that is too large becomes the smallest integer, whatever its sign, as in the tool chain, which
/// runs on x86.
fn rounded_to_i32(x: f64) -> i32 {
    let rounded = x.round();
    if rounded.abs() <= f64::from(i32::MAX) { rounded as i32 } else { i32::MIN }
}

/// Returns the step of a layer's input, given its weights and its bias.
type InputScale = fn(Range, &[f32], &[f32]) -> f64;

fn own_scale(from: Range, _: &[f32], _: &[f32]) -> f64 {
    from.scale()
}

/// Steps of inputs that are at most this are replaced, since the integers of the bias might overflow.
const TINY: f64 = 1e-5;

/// Returns the step of an input, or for convolutions with a tiny one, that of the bias or the weights.
fn scale_unless_tiny(from: Range, weights: &[f32], bias: &[f32]) -> f64 {
    match (from.scale(), f64::from(largest(bias))) {
        (scale, _) if scale > TINY => scale,
        (_, bias) if bias > TINY => bias / 127.0,
        _ => f64::from(largest(weights)) / 127.0,
    }
}

/// Returns the step of weights that are integers times a power of two.
fn exact_scale(weights: &[f32], is_signed: bool) -> Option<f64> {
    let (low, high) = if is_signed { (-128.0, 127.0) } else { (0.0, 255.0) };
    (0..7).map(|i| f64::from(i).exp2()).find_map(|factor| {
        let fits = |w: &f32| {
            let scaled = f64::from(*w) * factor;
            scaled == scaled.round() && (low..=high).contains(&scaled)
        };
        weights.iter().all(fits).then_some(1.0 / factor)
    })
}

fn linear(from: Range, to: Range, addend: f64, is_negated: bool) -> Kernel {
    let multiplier = Multiplier::without_left_shift(from.scale() / to.scale());
    Kernel::Linear { multiplier, addend: (addend / to.scale()).round() as i64, is_negated }
}

fn pad(number: f64, from: Range) -> Kernel {
    let integer = (number / from.scale()).round();
    // If the constant rounds to 0, so must its quotient.
    Kernel::Pad { divisor: number / if integer == 0.0 { 0.25 } else { integer } }
}

fn limit(from: Range, number: f64, is_least: bool) -> Kernel {
    Kernel::Limit { limit: (number / from.scale()).round() as i64, is_least }
}

fn mean(from: Range, to: Range, count: usize) -> Kernel {
    let multiplier = Multiplier::of(from.scale() / (to.scale() * count as f64), Bits::Eight);
    Kernel::Mean { count, multiplier }
}

fn is_table(op: &Op<Tensor>) -> bool {
    matches!(
        op,
        Op::Sigmoid(_)
            | Op::GELU(_)
            | Op::SiLU(_)
            | Op::Tanh(_)
            | Op::HardSwish(_)
            | Op::HardSigmoid(_)
            | Op::Exp(_)
            | Op::Erf(_)
            | Op::Sqrt(_)
            | Op::Rsqrt(_)
            | Op::Log(_)
            | Op::Elu(_)
            | Op::Mish(_)
            | Op::Cos(_)
            | Op::Floor(_)
            | Op::Sin(_)
            | Op::Sinh(_)
            | Op::Cosh(_)
            | Op::Ceil(_)
            | Op::Round(_)
            | Op::Swish(_)
            | Op::Pow(_)
            | Op::Softplus(_)
            | Op::Softsign(_)
            | Op::Sign(_)
    )
}

/// Whether an op repeats each number as often, as an Upsample does.
pub fn repeats(op: &Op<Tensor>) -> bool {
    let is_whole = |scale: f64| scale >= 1.0 && scale.fract() == 0.0;
    matches!(op, Op::Interp(op) if op.mode == InterpMode::Nearest && is_whole(op.scale_h) && is_whole(op.scale_w))
}

/// Whether an op moves or selects numbers, and computes none.
pub fn is_copy(op: &Op<Tensor>) -> bool {
    if let Op::Pad(op) = op {
        return op.mode != PadMode::Constant || op.val == 0.0;
    }
    if repeats(op) {
        return true;
    }
    matches!(
        op,
        Op::Reshape(_)
            | Op::Permute(_)
            | Op::Slice(_)
            | Op::Squeeze(_)
            | Op::Unsqueeze(_)
            | Op::Upsample(_)
            | Op::Split(_)
            | Op::Tile(_)
            | Op::Expand(_)
            | Op::Reverse(_)
            | Op::Depth2Space(_)
            | Op::MaxPool(_)
            | Op::Concat(_)
            | Op::Max(_)
            | Op::Min(_)
            | Op::Abs(_)
            | Op::Relu(_)
    )
}
