//! The attentions that the tool chain's lowering fuses into one operator.
//!
//! The forms are those of `MatMulToAttention` (`lib/Dialect/Tpu/Transforms`, TPU-MLIR 1.30). In INT8, the fused operator adds up the
//! heads of integers, with far larger errors than its layers have by themselves. In F16 it computes what they do.
use super::layer::{Layer, readers};
use crate::{
    graph::{Graph, Tensor},
    ops::Op,
};
use std::collections::HashMap;

/// The layers of an attention, by index.
pub struct Attention {
    /// The output projection, whose dtype is that of the whole.
    pub projection: usize,
    /// All of them, with the projections of queries, keys and values.
    pub layers: Vec<usize>,
}

/// Finds all attentions that are fused.
pub fn attentions(graph: &Graph, layers: &[Layer]) -> Vec<Attention> {
    let made_by = layers.iter().enumerate().map(|(i, layer)| (layer.result, i)).collect();
    let finder = Finder { graph, layers, made_by, readers: readers(graph, layers) };
    (0..layers.len()).filter_map(|i| finder.attention(i)).collect()
}

struct Finder<'a> {
    graph: &'a Graph,
    layers: &'a [Layer],
    /// The layer that computes each tensor.
    made_by: HashMap<Tensor, usize>,
    /// How often each tensor is read, or is an output.
    readers: HashMap<Tensor, usize>,
}

impl Finder<'_> {
    /// Returns the attention that ends with a layer.
    fn attention(&self, projection: usize) -> Option<Attention> {
        let mut found = vec![projection];
        let output = self.projected(projection)?;
        let mixed = self.through(output, &mut found)?;
        let values_product = self.product(mixed, &mut found)?;
        let softmax = self.made_by.get(&values_product[0]).copied()?;
        let Op::Softmax(op) = &self.layers[softmax].op else { return None };
        found.push(softmax);
        let mut scores = op.input;
        if let Some(add) = self.made_by.get(&scores).copied()
            && let Op::Add(op) = &self.layers[add].op
        {
            self.is_mask(*op.inputs.get(1)?, output).then_some(())?;
            found.push(add);
            scores = op.inputs[0];
        }
        let scaled = self.made_by.get(&scores).copied()?;
        let Op::MulConst(op) = &self.layers[scaled].op else { return None };
        found.push(scaled);
        let scores_product = self.product(op.input, &mut found)?;
        let mut weights = 0;
        for operand in [scores_product[0], scores_product[1], values_product[1]] {
            let from = self.through(operand, &mut found)?;
            let layer = self.made_by.get(&from).copied()?;
            self.projected(layer)?;
            let Op::MatMul(op) = &self.layers[layer].op else { return None };
            let size = self.size(op.right)?;
            // Those of queries count twice.
            weights += if weights == 0 { 2 * size } else { size };
            found.push(layer);
        }
        found.sort_unstable();
        found.dedup();
        self.fits(output, mixed, weights).then_some(Attention { projection, layers: found })
    }

    /// Returns the operand of a product with a constant.
    fn projected(&self, layer: usize) -> Option<Tensor> {
        let Op::MatMul(op) = &self.layers[layer].op else { return None };
        self.graph.tensor(op.right).ok()?.is_coefficient().then_some(op.input)
    }

    /// Returns what a tensor is a Reshape and a Permute of, in either order, and perhaps another Permute.
    fn through(&self, tensor: Tensor, found: &mut Vec<usize>) -> Option<Tensor> {
        let (mut tensor, mut reshapes) = (tensor, 0);
        while let Some(i) = self.made_by.get(&tensor).copied() {
            let layer = &self.layers[i];
            match &layer.op {
                Op::Reshape(_) => reshapes += 1,
                Op::Permute(_) => {}
                _ => break,
            }
            found.push(i);
            tensor = layer.operands().next()?;
        }
        (reshapes > 0).then_some(tensor)
    }

    /// Returns the operands of a product of two results that is read once.
    fn product(&self, tensor: Tensor, found: &mut Vec<usize>) -> Option<[Tensor; 2]> {
        let i = self.made_by.get(&tensor).copied().filter(|_| self.readers.get(&tensor) == Some(&1))?;
        let Op::MatMul(op) = &self.layers[i].op else { return None };
        found.push(i);
        let is_result = |t: &Tensor| self.graph.tensor(*t).is_ok_and(|info| !info.is_coefficient());
        (is_result(&op.input) && is_result(&op.right)).then_some([op.input, op.right])
    }

    /// Whether a mask has one number for each entry of the batch and each key.
    fn is_mask(&self, mask: Tensor, output: Tensor) -> bool {
        let (Ok(mask), Ok(output)) = (self.graph.tensor(mask), self.graph.tensor(output)) else { return false };
        let (Some(keys), Some(batch)) = (mask.shape.last(), output.shape.first()) else { return false };
        batch * keys == mask.shape.iter().product::<usize>()
    }

    fn size(&self, tensor: Tensor) -> Option<usize> {
        Some(self.graph.tensor(tensor).ok()?.shape.iter().product())
    }

    /// Whether the fused operator fits into the memory of bm1684x.
    fn fits(&self, input: Tensor, mixed: Tensor, weights: usize) -> bool {
        let (Ok(input), Ok(mixed)) = (self.graph.tensor(input), self.graph.tensor(mixed)) else { return false };
        let batch = input.shape.first().copied().unwrap_or(1).max(1);
        let heads = match *mixed.shape {
            [n, _, _] => n / batch,
            [_, heads, ..] => heads,
            _ => return false,
        };
        let length: usize = input.shape.iter().product::<usize>() / batch;
        length <= 2048 * 320 * 4 && weights / heads.max(1) <= 1024 * 128 * 4
    }
}
