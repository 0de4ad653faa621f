//! The layers of a network: its operators, with the Relu that the chip computes together with them.
use crate::{
    base::Result,
    graph::{Graph, Tensor},
    ops::{Op, ReduceMode},
};
use std::{collections::HashMap, iter};

/// An operator and the Relu that follows it.
pub struct Layer {
    pub op: Op<Tensor>,
    /// The result that is stored: that of the Relu.
    pub result: Tensor,
    /// Whether its negative numbers become 0. An upper limit is that of the integers' range.
    pub has_relu: bool,
    /// The result that is not stored, if a Relu of its own follows.
    pub before_relu: Option<Tensor>,
    pub other_results: Vec<Tensor>,
    /// All tensors that it reads, also within its blocks.
    pub uses: Vec<Tensor>,
    /// Whether it has branches or a body.
    pub has_blocks: bool,
}

/// Returns the layers of a graph in order. A Relu is part of the layer before if nothing else reads that layer's result, as in the
/// canonical module.
pub fn layers(graph: &Graph) -> Result<Vec<Layer>> {
    let mut readers: HashMap<Tensor, usize> = HashMap::new();
    for operator in graph.operators() {
        operator.uses().into_iter().for_each(|t| *readers.entry(t).or_default() += 1);
    }
    graph.outputs().iter().for_each(|t| *readers.entry(*t).or_default() += 1);
    let mut all: Vec<Layer> = Vec::new();
    let mut made_by: HashMap<Tensor, usize> = HashMap::new();
    for operator in graph.operators() {
        let mut outputs = operator.outputs();
        let Some(result) = outputs.next() else { continue };
        if let Op::Relu(relu) = &operator.op {
            let before = made_by.get(&relu.input).map(|i| &mut all[*i]);
            let fits = |layer: &&mut Layer| takes_relu(&layer.op) && !layer.has_relu;
            if let Some(layer) = before.filter(|_| readers[&relu.input] == 1).filter(fits) {
                (layer.before_relu, layer.result, layer.has_relu) = (Some(layer.result), result, true);
                let index = made_by[&relu.input];
                made_by.insert(result, index);
                continue;
            }
        }
        made_by.insert(result, all.len());
        let (op, has_relu) = (operator.op.clone(), has_relu(&operator.op));
        let (other_results, has_blocks) = (outputs.collect(), !operator.blocks.is_empty());
        let uses = operator.uses();
        all.push(Layer { op, result, has_relu, before_relu: None, other_results, uses, has_blocks });
    }
    Ok(all)
}

/// Returns how often each tensor is read by a layer, or is an output.
pub fn readers(graph: &Graph, layers: &[Layer]) -> HashMap<Tensor, usize> {
    let mut readers: HashMap<Tensor, usize> = HashMap::new();
    let uses = layers.iter().flat_map(|layer| layer.uses.iter().copied());
    uses.chain(graph.outputs().iter().copied()).for_each(|t| *readers.entry(t).or_default() += 1);
    readers
}

/// Returns the Add that alone reads a layer's result, by the indices of both.
pub fn summed_by(graph: &Graph, layers: &[Layer]) -> HashMap<usize, usize> {
    let mut readers: HashMap<Tensor, Vec<usize>> = HashMap::new();
    for (i, layer) in layers.iter().enumerate() {
        layer.uses.iter().for_each(|t| readers.entry(*t).or_default().push(i));
    }
    let sum = |(i, layer): (usize, &Layer)| match readers.get(&layer.result)?.as_slice() {
        [reader] if matches!(layers[*reader].op, Op::Add(_)) => Some((i, *reader)),
        _ => None,
    };
    let is_inner = |(_, layer): &(usize, &Layer)| !graph.outputs().contains(&layer.result);
    layers.iter().enumerate().filter(is_inner).filter_map(sum).collect()
}

/// Whether tpuc-opt fuses a Relu with an op.
fn takes_relu(op: &Op<Tensor>) -> bool {
    matches!(
        op,
        Op::Conv(_)
            | Op::Deconv(_)
            | Op::MatMul(_)
            | Op::Add(_)
            | Op::AddConst(_)
            | Op::Sub(_)
            | Op::Mul(_)
            | Op::MulConst(_)
            | Op::MaxPool(_)
            | Op::AvgPool(_)
            | Op::Concat(_)
            | Op::Scale(_)
    )
}

fn has_relu(op: &Op<Tensor>) -> bool {
    match op {
        Op::Conv(op) => op.do_relu,
        Op::Deconv(op) => op.do_relu,
        Op::MatMul(op) => op.do_relu,
        Op::Add(op) => op.do_relu,
        Op::AddConst(op) => op.do_relu,
        Op::Sub(op) => op.do_relu,
        Op::SubConst(op) => op.do_relu,
        Op::Mul(op) => op.do_relu,
        Op::MulConst(op) => op.do_relu,
        Op::MaxPool(op) => op.do_relu,
        Op::AvgPool(op) => op.do_relu,
        Op::Concat(op) => op.do_relu,
        Op::Scale(op) => op.do_relu,
        _ => false,
    }
}

impl Layer {
    /// Whether the chip computes it in float32 where it would be F16: it has no function of 16 bits.
    pub fn lacks_half(&self, graph: &Graph) -> bool {
        let is_function = matches!(
            self.op,
            Op::Sigmoid(_)
                | Op::Tanh(_)
                | Op::SiLU(_)
                | Op::GELU(_)
                | Op::HardSigmoid(_)
                | Op::Elu(_)
                | Op::Mish(_)
                | Op::Softplus(_)
                | Op::Softsign(_)
                | Op::Erf(_)
                | Op::Sin(_)
                | Op::Cos(_)
                | Op::Sqrt(_)
                | Op::Rsqrt(_)
                | Op::Pow(_)
        );
        let is_other = matches!(self.op, Op::AvgPool(_) | Op::CumSum(_) | Op::Div(_) | Op::Reciprocal(_));
        is_function || is_other || self.is_mean_of_images(graph)
    }
    /// The bias that the chip adds in float32, also if the layer is F16: that of convolutions.
    pub fn exact_bias(&self) -> Option<Tensor> {
        match &self.op {
            Op::Conv(op) => op.bias,
            Op::Deconv(op) => op.bias,
            Op::Scale(op) => Some(op.bias),
            _ => None,
        }
    }
    /// Whether it is a mean of each channel of images, which the tool chain computes as a pool.
    pub fn is_mean_of_images(&self, graph: &Graph) -> bool {
        let Op::Reduce(op) = &self.op else { return false };
        op.mode == ReduceMode::ReduceMean
            && [&[2, 3][..], &[-2, -1]].contains(&op.axes.as_slice())
            && graph.tensor(op.input).is_ok_and(|info| info.shape.len() == 4)
    }
    /// Returns how many numbers each of its results is the mean of, if it is a pool or a mean of each channel of images.
    pub fn mean_of(&self, graph: &Graph) -> Option<usize> {
        let spatial = |t: Tensor| graph.tensor(t).ok().map(|info| info.shape.iter().skip(2).product());
        match &self.op {
            // Without a kernel, whole images are pooled.
            Op::AvgPool(op) if op.kernel_shape.is_empty() && !op.is_adaptive => spatial(op.input),
            Op::AvgPool(op) if !op.is_adaptive => Some(op.kernel_shape.iter().product::<i64>() as usize),
            Op::Reduce(op) if self.is_mean_of_images(graph) => spatial(op.input),
            _ => None,
        }
    }
    pub fn operands(&self) -> impl Iterator<Item = Tensor> + '_ {
        self.op.operands().map(|(_, t)| *t)
    }
    /// The results that are stored, which the one before the Relu is not.
    pub fn stored_results(&self) -> impl Iterator<Item = Tensor> + '_ {
        iter::once(self.result).chain(self.other_results.iter().copied())
    }
    /// All results, also the one before the Relu.
    pub fn results(&self) -> impl Iterator<Item = Tensor> + '_ {
        self.stored_results().chain(self.before_relu)
    }
}
