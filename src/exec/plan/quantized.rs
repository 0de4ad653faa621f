//! Most quantized ONNX models are networks of reals that quantize tensors to bytes and dequantize them between operators. Here the bytes
//! get their scale, and products of dequantized bytes become products of the bytes themselves.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Consumers, Node, NodeIndex, RewriteGraph},
    rules::Capabilities,
};
use crate::{
    ValueType,
    array::{Array, PackedIntegers, StoredIntegers},
    base::{Dtype, Result},
    ops::{A16Gather, A16MatMul, Add, Cast, Conv, DequantizeLinear, MatMul, Mul, Op, QuantizeLinear, Relu},
    quant::{Quantization, RoundMode, single},
};

/// Quantizes tensors, and multiplies bytes. Returns the number of products.
///
/// # Errors
/// Returns an error if there is no such tensor, or if a constant cannot be read.
pub(super) fn quantize(graph: &mut RewriteGraph, backend: &Capabilities) -> Result<usize> {
    if !backend.can_fuse_any() {
        return Ok(0);
    }
    let consumers = graph.consumers();
    for at in graph.indices() {
        if let Some(stored) = StoredTensors::of(graph, &consumers, at) {
            stored.quantize(graph);
        }
    }
    let (mut times, mut replaced) = (0, Vec::new());
    for at in graph.indices() {
        if let Some(matrix) = packed(graph, at, backend)? {
            times += 1;
            replaced.push(matrix);
            continue;
        }
        if combined(graph, &consumers, at, backend)? {
            times += 1;
            continue;
        }
        let Some(product) = ByteProduct::new(graph, at)? else { continue };
        let constants = product.constants();
        if product.rounded(graph, &consumers, backend)? || product.summed(graph, backend)? {
            times += 1;
            replaced.extend(constants);
        }
    }
    graph.insert_added();
    graph.drop_unused_constants(replaced);
    Ok(times)
}

/// Replaces a product with an unpacked matrix, or a gather from one, by the same on its packed integers if the backend supports that. Returns
/// the matrix.
fn packed(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<Option<TensorIndex>> {
    let Some(Operation { op, results, origin, .. }) = graph.only_operation(at).cloned() else { return Ok(None) };
    let is_plain = |op: &MatMul<TensorIndex>| {
        let is_turned = op.left_transpose || op.output_transpose || !op.right_transpose;
        !is_turned && !op.do_relu && op.bias.is_none()
    };
    // In a MatMul, several axes may be those that are multiplied.
    let last = |t: TensorIndex| graph.entry(t).ok().and_then(|entry| entry.ty.shape.last().copied());
    let is_by_rows = |op: &MatMul<TensorIndex>| is_plain(op) && last(op.input) == last(op.right);
    let matrix = match &op {
        Op::MatMul(op) if is_by_rows(op) && graph.entry(op.input)?.ty.is_plain_float32() => op.right,
        Op::Gather(op) if op.axis == 0 => op.input,
        _ => return Ok(None),
    };
    let Some(stored) = graph.constant(matrix).and_then(Array::unpacked_from).cloned() else { return Ok(None) };
    let PackedIntegers { bytes, bits, block, scales, zero_points } = stored;
    let own = graph.entry(matrix)?.ty.clone();
    let mut constant = |array: Array| {
        let ty = ValueType { shape: array.shape().to_vec(), dtype: array.dtype(), ..own.clone() };
        graph.add(ty, Some(array))
    };
    let [weight, scale, zp] = [bytes, scales, zero_points].map(&mut constant);
    let (q_group_size, weight_bits) = (block as i64, bits as i64);
    let op: Op<TensorIndex> = match op {
        Op::MatMul(op) => {
            let product = A16MatMul::new(op.input, weight, scale, zp);
            A16MatMul { right_transpose: true, q_group_size, weight_bits, ..product }.into()
        }
        Op::Gather(op) => {
            let gathered = A16Gather::new(weight, op.indices, scale, zp);
            A16Gather { keepdims: false, q_group_size, weight_bits, ..gathered }.into()
        }
        _ => return Ok(None),
    };
    let node = Node { stages: vec![Operation::new(op, results, origin)] };
    if !backend.supports_fused(&graph.types(&node)?) {
        graph.drop_unused_constants([weight, scale, zp]);
        return Ok(None);
    }
    graph.replace(at, node);
    Ok(Some(matrix))
}

/// Bytes with one scale and one zero point, in the tensor that they were quantized to and in those to which its elements were moved.
struct StoredTensors {
    quantization: Quantization,
    tensors: Vec<TensorIndex>,
    dequantize: Vec<NodeIndex>,
}

impl StoredTensors {
    /// Returns the tensors if the node at `at` quantizes one, and all consumers either move elements or dequantize them by the same scale and
    /// zero point.
    fn of(graph: &RewriteGraph, consumers: &Consumers, at: NodeIndex) -> Option<StoredTensors> {
        let Some(Operation { op: Op::QuantizeLinear(op), results, .. }) = graph.only_operation(at) else { return None };
        let [Some(first)] = results.as_slice() else { return None };
        let QuantizeLinear { y_scale, y_zero_point, .. } = op.as_ref();
        let own = single(y_scale, y_zero_point)?;
        // A cast multiplies by the scale as float32.
        let is_exact =
            own.0 > 0.0 && f64::from(own.0 as f32) == own.0 && graph.entry(op.input).ok()?.ty.is_plain_float32();
        let mut found = StoredTensors {
            quantization: Quantization::per_tensor(own.0, own.1),
            tensors: vec![*first],
            dequantize: Vec::new(),
        };
        let mut next = 0;
        while let Some(t) = found.tensors.get(next).copied() {
            let ty = &graph.entry(t).ok()?.ty;
            let is_byte = matches!(ty.dtype, Dtype::Int8 | Dtype::Uint8) && ty.quantization.is_none();
            let holds_zero = ty.dtype.int_range().is_some_and(|(low, high)| (low..=high).contains(&own.1));
            if !is_exact || !is_byte || !holds_zero || graph.is_pinned(t) {
                return None;
            }
            for reader in consumers.get(&t).into_iter().flatten() {
                let Operation { op, results, .. } = graph.only_operation(*reader)?;
                match op {
                    Op::DequantizeLinear(op) => {
                        let DequantizeLinear { x_scale, x_zero_point, .. } = op.as_ref();
                        let result = graph.entry(results.first().copied().flatten()?).ok()?;
                        let is_same = single(x_scale, x_zero_point) == Some(own) && result.ty.is_plain_float32();
                        found.dequantize.push(Some(*reader).filter(|_| is_same)?);
                    }
                    op => {
                        let is_moved =
                            op.selected_from() == Some(&t) && op.operands().filter(|o| *o.1 == t).count() == 1;
                        found.tensors.extend(Some(results.iter().flatten()).filter(|_| is_moved)?);
                    }
                }
            }
            next += 1;
        }
        Some(found)
    }

    /// Gives the tensors their scale. Casts take the place of their dequantizations.
    fn quantize(self, graph: &mut RewriteGraph) {
        self.tensors.iter().for_each(|t| graph.quantize(*t, &self.quantization));
        for at in self.dequantize {
            let Some(operation) = graph.only_operation(at) else { continue };
            let Op::DequantizeLinear(op) = &operation.op else { continue };
            let cast = Operation { op: Cast::new(op.input).into(), ..operation.clone() };
            graph.replace(at, Node { stages: vec![cast] });
        }
    }
}

/// Returns a cast that stores numbers as [`QuantizeLinear`] does, if the result has a scale; and casts as they are. The cast divides in
/// float64 instead of float32, so it may take the place of the operator only where the numbers are exact.
pub(super) fn as_cast(graph: &RewriteGraph, operation: Operation) -> Option<Operation> {
    let op = match &operation.op {
        Op::Cast(_) => return Some(operation),
        // Halves are rounded to even.
        Op::QuantizeLinear(op) => Cast { round_mode: RoundMode::HalfToEven, ..Cast::new(op.input) },
        _ => return None,
    };
    let [Some(result)] = operation.results.as_slice() else { return None };
    graph.entry(*result).ok()?.ty.quantization.as_ref()?;
    Some(Operation { op: op.into(), ..operation })
}

/// The quantization of a result that has no other use.
struct Rounded {
    /// The reals that are rounded, after a Relu.
    real: TensorIndex,
    relu: Option<Relu<TensorIndex>>,
    /// The node of the Relu, if it is an operator of its own.
    between: Option<NodeIndex>,
    /// The node that rounds, and its cast.
    end: NodeIndex,
    cast: Operation,
}

impl Rounded {
    /// `relu` is that of the operator that computes the reals.
    fn of(
        graph: &RewriteGraph,
        consumers: &Consumers,
        result: TensorIndex,
        relu: Option<Relu<TensorIndex>>,
    ) -> Option<Rounded> {
        let only_reader = |t: TensorIndex| {
            graph.single_use_producer(t)?;
            let [reader] = consumers.get(&t)?.as_slice() else { return None };
            Some((*reader, graph.only_operation(*reader)?.clone()))
        };
        match only_reader(result)? {
            (at, Operation { op: Op::Relu(op), results, .. }) if relu.is_none() => {
                let (real, relu) = (results.first().copied().flatten()?, Some(*op));
                let (end, operation) = only_reader(real)?;
                Some(Rounded { real, relu, between: Some(at), end, cast: as_cast(graph, operation)? })
            }
            (end, operation) => {
                Some(Rounded { real: result, relu, between: None, end, cast: as_cast(graph, operation)? })
            }
        }
    }
}

/// Replaces the sum or product of two dequantized tensors by that of their bytes if its only use is to be quantized. Returns whether it does.
fn combined(graph: &mut RewriteGraph, consumers: &Consumers, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    let Some(Operation { op, results, origin, .. }) = graph.only_operation(at).cloned() else { return Ok(false) };
    let (inputs, own) = match &op {
        Op::Add(op) => (&op.inputs, op.do_relu.then_some(op.relu_limit)),
        Op::Mul(op) => (&op.inputs, op.do_relu.then_some(op.relu_limit)),
        _ => return Ok(false),
    };
    let ([Some(result)], [_, _]) = (results.as_slice(), inputs.as_slice()) else { return Ok(false) };
    let bytes = |real: &TensorIndex| match &graph.only_operation(graph.producer(*real)?)?.op {
        Op::Cast(cast) if graph.entry(*real).is_ok_and(|entry| entry.ty.is_plain_float32()) => Some(cast.input),
        _ => None,
    };
    let Some(stored) = inputs.iter().map(bytes).collect::<Option<Vec<_>>>() else { return Ok(false) };
    let relu = own.map(|relu_limit| Relu { relu_limit, ..Relu::new(*result) });
    let Some(Rounded { real, relu, between, end, cast }) = Rounded::of(graph, consumers, *result, relu) else {
        return Ok(false);
    };
    let (reals, inputs) = (inputs.clone(), stored);
    let (do_relu, relu_limit) = relu.map_or((false, 0.0), |relu| (true, relu.relu_limit));
    let op: Op<TensorIndex> = match op {
        Op::Add(op) => Add { inputs, do_relu, relu_limit, ..*op }.into(),
        Op::Mul(op) => Mul { inputs, do_relu, relu_limit, ..*op }.into(),
        _ => return Ok(false),
    };
    let node = Node { stages: vec![Operation::new(op, vec![Some(real)], origin), cast] };
    if !graph.entry(real)?.ty.is_plain_float32() || !backend.supports_fused(&graph.types(&node)?) {
        return Ok(false);
    }
    [Some(at), between].into_iter().flatten().for_each(|at| graph.remove(at));
    graph.replace(end, node);
    reals.into_iter().for_each(|real| drop_unused(graph, real));
    Ok(true)
}

/// Removes the cast of bytes to reals if nobody needs them any more.
fn drop_unused(graph: &mut RewriteGraph, real: TensorIndex) {
    if graph.uses(real) == 0 && !graph.is_pinned(real) {
        graph.producer(real).into_iter().for_each(|cast| graph.remove(cast));
    }
}

/// A product or convolution of dequantized bytes with a constant that was dequantized, too.
struct ByteProduct {
    at: NodeIndex,
    operation: Operation,
    /// The bytes.
    input: TensorIndex,
    weights: StoredIntegers,
    /// The type of the constant.
    constant: ValueType,
    /// The scale of the sums, or one for each column or channel.
    scales: Vec<f64>,
    result: TensorIndex,
}

impl ByteProduct {
    fn new(graph: &RewriteGraph, at: NodeIndex) -> Result<Option<ByteProduct>> {
        let Some(operation) = graph.only_operation(at) else { return Ok(None) };
        let (real, right, axis) = match &operation.op {
            Op::Conv(op) => (op.input, op.filter, 0),
            Op::MatMul(op) => {
                let rank = graph.entry(op.right)?.ty.shape.len();
                // A vector on the right has no columns.
                if rank < 2 {
                    return Ok(None);
                }
                (op.input, op.right, rank - if op.right_transpose { 2 } else { 1 })
            }
            _ => return Ok(None),
        };
        let Some(cast) = graph.producer(real).and_then(|cast| graph.only_operation(cast)) else { return Ok(None) };
        let (Op::Cast(cast), [Some(result)]) = (&cast.op, operation.results.as_slice()) else {
            return Ok(None);
        };
        let Some((scale, _)) = graph.entry(cast.input)?.ty.per_tensor_scale() else { return Ok(None) };
        let (Some(weights), constant) =
            (graph.constant(right).and_then(Array::dequantized_from), &graph.entry(right)?.ty)
        else {
            return Ok(None);
        };
        let is_byte = matches!(weights.integers.dtype(), Dtype::Int8 | Dtype::Uint8);
        let has_one_zero_point = weights.zero_points.windows(2).all(|pair| pair[0] == pair[1]);
        let fits = weights.scales.len() == 1 || weights.axis == axis;
        let are_real =
            [*result, real].into_iter().all(|t| graph.entry(t).is_ok_and(|entry| entry.ty.is_plain_float32()));
        let scales = weights.scales.iter().map(|of_weights| scale * of_weights).collect();
        let product = ByteProduct {
            at,
            operation: operation.clone(),
            input: cast.input,
            weights,
            constant: constant.clone(),
            scales,
            result: *result,
        };
        Ok((is_byte && has_one_zero_point && fits && are_real).then_some(product))
    }

    /// The weights and the bias.
    fn constants(&self) -> Vec<TensorIndex> {
        self.operation.op.operands().skip(1).map(|(_, t)| *t).collect()
    }

    /// The bias, and whether the result is clamped.
    fn bias(&self) -> (Option<TensorIndex>, Option<Relu<TensorIndex>>) {
        let (bias, do_relu, relu_limit) = match &self.operation.op {
            Op::Conv(op) => (op.bias, op.do_relu, op.relu_limit),
            Op::MatMul(op) => (op.bias, op.do_relu, op.relu_limit),
            _ => (None, false, 0.0),
        };
        (bias, do_relu.then(|| Relu { relu_limit, ..Relu::new(self.result) }))
    }

    /// Returns the product of the bytes, with this bias.
    fn of_bytes(
        &self,
        graph: &mut RewriteGraph,
        bias: Option<TensorIndex>,
        relu: Option<&Relu<TensorIndex>>,
    ) -> Op<TensorIndex> {
        let StoredIntegers { integers, scales, zero_points, .. } = self.weights.clone();
        let zero_points = vec![zero_points.first().copied().unwrap_or(0); scales.len()];
        let quantization = Quantization { scale: Some(scales.into()), zero_point: Some(zero_points.into()) };
        let (name, dtype) = (format!("{}_stored", self.constant.name), integers.dtype());
        let ty = ValueType { name, dtype, quantization: Some(quantization), ..self.constant.clone() };
        let right = graph.add(ty, Some(integers));
        let (do_relu, relu_limit) = relu.map_or((false, 0.0), |relu| (true, relu.relu_limit));
        match &self.operation.op {
            Op::Conv(op) => {
                Conv { input: self.input, filter: right, bias, do_relu, relu_limit, ..op.as_ref().clone() }.into()
            }
            Op::MatMul(op) => {
                MatMul { input: self.input, right, bias, do_relu, relu_limit, ..op.as_ref().clone() }.into()
            }
            other => other.clone(),
        }
    }

    /// Returns the bias as integers in units of the sums' scales, if it was stored in them.
    fn stored_bias(&self, graph: &RewriteGraph, bias: TensorIndex) -> Option<Array> {
        let StoredIntegers { integers, scales, zero_points, .. } = graph.constant(bias)?.dequantized_from()?;
        let count = scales.len().max(self.scales.len());
        let mut pairs = scales.iter().cycle().zip(self.scales.iter().cycle()).take(count);
        let is_alike = pairs.all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs());
        let is_stored = integers.dtype() == Dtype::Int32 && zero_points.iter().all(|zero| *zero == 0);
        (is_stored && is_alike && [1, integers.len()].contains(&count)).then_some(integers)
    }

    /// Rounds the sums to bytes in the kernel of the product, if the only use of the result is to be quantized. Returns whether it does.
    fn rounded(&self, graph: &mut RewriteGraph, consumers: &Consumers, backend: &Capabilities) -> Result<bool> {
        let (bias, relu) = self.bias();
        let Some(Rounded { real, relu, between, end, cast }) = Rounded::of(graph, consumers, self.result, relu) else {
            return Ok(false);
        };
        let bias = match bias {
            Some(bias) => match (self.stored_bias(graph, bias), graph.entry(bias)?.ty.clone()) {
                (Some(array), ty) => Some(graph.add(ValueType { dtype: Dtype::Int32, ..ty }, Some(array))),
                _ => return Ok(false),
            },
            None => None,
        };
        let op = self.of_bytes(graph, bias, relu.as_ref());
        let first = Operation::new(op, vec![Some(real)], self.operation.origin);
        let node = Node { stages: vec![first, cast] };
        if !backend.supports_fused(&graph.types(&node)?) {
            return Ok(false);
        }
        [Some(self.at), between].into_iter().flatten().for_each(|at| graph.remove(at));
        graph.replace(end, node);
        self.reals().into_iter().for_each(|real| drop_unused(graph, real));
        Ok(true)
    }

    /// Multiplies the exact sums of a matrix product by their scales. Returns whether it does; then the nodes before the last one are
    /// still to be inserted.
    fn summed(&self, graph: &mut RewriteGraph, backend: &Capabilities) -> Result<bool> {
        let Op::MatMul(_) = &self.operation.op else { return Ok(false) };
        let (bias, relu) = self.bias();
        let ty = graph.entry(self.result)?.ty.clone();
        let columns = ty.shape.last().copied().unwrap_or(1);
        if let Some(bias) = bias
            && graph.entry(bias)?.ty.shape.last() != Some(&columns)
        {
            return Ok(false);
        }
        let op = self.of_bytes(graph, None, None);
        let sums = graph.add(ValueType { dtype: Dtype::Int32, name: format!("{}_sums", ty.name), ..ty.clone() }, None);
        let origin = self.operation.origin;
        let node = |op: Op<TensorIndex>, result| Node { stages: vec![Operation::new(op, vec![Some(result)], origin)] };
        let product = node(op, sums);
        if !backend.supports_fused(&graph.types(&product)?) {
            return Ok(false);
        }
        let scales: Vec<f32> = self.scales.iter().map(|scale| *scale as f32).collect();
        let scales = graph.add_constant(&self.constant, scales.into());
        let whole = graph.add(ty.clone(), None);
        let mut before = vec![product, node(Cast::new(sums).into(), whole)];
        let (do_relu, relu_limit) = relu.map_or((false, 0.0), |relu| (true, relu.relu_limit));
        let inputs = vec![whole, scales];
        let last: Op<TensorIndex> = match bias {
            None => Mul { do_relu, relu_limit, ..Mul::new(inputs) }.into(),
            Some(bias) => {
                let real = graph.add(ty, None);
                before.push(node(Mul::new(inputs).into(), real));
                Add { do_relu, relu_limit, ..Add::new(vec![real, bias]) }.into()
            }
        };
        graph.replace(self.at, node(last, self.result));
        graph.add_before(self.at, before);
        self.reals().into_iter().for_each(|real| drop_unused(graph, real));
        Ok(true)
    }

    /// The reals that the bytes stand for.
    fn reals(&self) -> Option<TensorIndex> {
        self.operation.op.operands().next().map(|(_, t)| *t)
    }
}
