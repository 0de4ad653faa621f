//! Thresholds whose ratios are exact on the chip.
//!
//! In sums, products and means, the chip rescales integers by the ratio of two thresholds, rounded to a multiplier of eight bits. The
//! rounding error, up to 0.8 %, is the same for all numbers of a tensor, and accumulates along the sums of a residual network. Small
//! changes of the thresholds make these ratios exact.
use super::{
    canonical::canonical,
    fixed::nearest_exact,
    layer::{Layer, layers, readers},
    range::Range,
    ranges::{Ranges, shares_integers},
};
use crate::{
    Table,
    base::Result,
    graph::{Graph, Tensor},
    ops::Op,
};
use std::collections::{HashMap, HashSet};

/// The largest change of a threshold: the distance between two multipliers.
const MAX_CHANGE: f64 = 1.0 / 63.0;

/// Returns a table with slightly different thresholds, so that as many multipliers as possible are exact.
///
/// # Errors
/// Returns an error if weights cannot be read.
pub fn aligned(graph: &Graph, mut table: Table) -> Result<Table> {
    let graph = &canonical(graph)?;
    let layers = layers(graph)?;
    let ranges = Ranges::of(graph, &layers, &table);
    let own = |(t, range): (&Tensor, &Range)| {
        let entry = graph.tensor(*t).ok().and_then(|info| table.entries.get(&info.name));
        entry.is_some_and(|entry| entry.threshold == range.threshold as f32).then_some(*t)
    };
    let adjustable = ranges.iter().filter_map(own).collect();
    let mut alignment =
        Alignment { graph, readers: readers(graph, &layers), adjustable, ranges, changes: HashMap::new() };
    layers.iter().for_each(|layer| alignment.align(layer));
    for (tensor, change) in alignment.changes {
        table.scale(&graph.tensor(tensor)?.name, change);
    }
    Ok(table)
}

struct Alignment<'a> {
    graph: &'a Graph,
    /// How often each tensor is read, or is an output.
    readers: HashMap<Tensor, usize>,
    /// The tensors that have the range of their entry in the table, without those that are aligned already.
    adjustable: HashSet<Tensor>,
    ranges: HashMap<Tensor, Range>,
    /// The factor of each threshold that has changed.
    changes: HashMap<Tensor, f64>,
}

/// The operands of one multiplier: it is the product of their scales and of a factor, divided by the result's scale.
struct Rescaling {
    operands: Vec<Tensor>,
    factor: f64,
}

impl Alignment<'_> {
    /// Aligns the result of a layer with an operand that others read, too, and then the other operands with the result.
    fn align(&mut self, layer: &Layer) {
        let rescalings = self.rescalings(layer);
        let (free, held): (Vec<_>, Vec<_>) = rescalings.iter().partition(|r| self.free_operand(r).is_some());
        let largest =
            held.into_iter().max_by(|a, b| self.ratio(a, layer.result).total_cmp(&self.ratio(b, layer.result)));
        if let Some(held) = largest
            && self.adjustable.contains(&layer.result)
        {
            let ratio = self.ratio(held, layer.result);
            self.change(layer, layer.result, ratio / nearest_exact(ratio));
        }
        for rescaling in free {
            if let Some(operand) = self.free_operand(rescaling) {
                let ratio = self.ratio(rescaling, layer.result);
                self.change(layer, operand, nearest_exact(ratio) / ratio);
            }
        }
        if !rescalings.is_empty() {
            self.adjustable.remove(&layer.result);
        }
        if shares_integers(&layer.op) {
            let change = layer.operands().next().and_then(|t| self.changes.get(&t)).copied();
            for result in layer.stored_results() {
                self.adjustable.remove(&result);
                change.into_iter().for_each(|change| self.scale(result, change));
            }
        }
    }

    /// Returns the multipliers of eight bits that a layer without constant operands has.
    fn rescalings(&self, layer: &Layer) -> Vec<Rescaling> {
        let operands: Vec<Tensor> = layer.operands().collect();
        if !operands.iter().chain([&layer.result]).all(|t| self.ranges.contains_key(t)) {
            return Vec::new();
        }
        let each = |factor: f64| operands.iter().map(|t| Rescaling { operands: vec![*t], factor }).collect();
        match &layer.op {
            Op::Add(_) | Op::Sub(_) | Op::Concat(_) | Op::AddConst(_) | Op::SubConst(_) => each(1.0),
            Op::Mul(_) => vec![Rescaling { operands, factor: 1.0 }],
            _ => layer.mean_of(self.graph).map_or_else(Vec::new, |count| each(1.0 / count as f64)),
        }
    }

    /// Returns an operand whose threshold matters to this layer only.
    fn free_operand(&self, rescaling: &Rescaling) -> Option<Tensor> {
        let is_free = |t: &&Tensor| self.adjustable.contains(t) && self.readers.get(t) == Some(&1);
        rescaling.operands.iter().find(is_free).copied()
    }

    fn ratio(&self, rescaling: &Rescaling, result: Tensor) -> f64 {
        let product: f64 = rescaling.operands.iter().map(|t| self.ranges[t].scale()).product();
        product * rescaling.factor / self.ranges[&result].scale()
    }

    /// Multiplies a threshold by a factor near 1, unless the chip would compute the layer in floats then.
    fn change(&mut self, layer: &Layer, tensor: Tensor, factor: f64) {
        if (factor - 1.0).abs() > MAX_CHANGE {
            return;
        }
        let old = self.ranges[&tensor];
        self.scale(tensor, factor);
        let threshold = |t: Tensor| self.ranges[&t].threshold;
        let is_float =
            matches!(layer.op, Op::Sub(_)) && layer.operands().any(|t| threshold(t) > threshold(layer.result));
        if is_float {
            self.ranges.insert(tensor, old);
            self.changes.remove(&tensor);
        }
    }

    fn scale(&mut self, tensor: Tensor, factor: f64) {
        if let Some(range) = self.ranges.get_mut(&tensor) {
            range.threshold *= factor;
            *self.changes.entry(tensor).or_insert(1.0) *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tpulang::{Array, Dtype};

    /// A residual network with each kind of layer that has multipliers of eight bits.
    fn graph() -> Graph {
        let mut g = Graph::new("g").unwrap();
        let weights = |n: usize| Array::from_vec([4, 4, 1, 1], vec![0.25 + n as f32; 16]).unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4, 8, 8]).unwrap();
        let a = g.conv(x, weights(1)).out_name("a").call().unwrap();
        let sum = g.add(a, x).out_name("sum").call().unwrap();
        let b = g.relu(sum).out_name("b").call().unwrap();
        let c = g.conv(b, weights(2)).out_name("c").call().unwrap();
        let d = g.sub(b, c).out_name("d").call().unwrap();
        let e = g.maxpool2d(d).kernel([2, 2]).stride([2, 2]).out_name("e").call().unwrap();
        let f = g.conv(e, weights(3)).out_name("f").call().unwrap();
        let h = g.mul(f, e).out_name("h").call().unwrap();
        let i = g.avgpool2d(h).kernel([4, 4]).out_name("i").call().unwrap();
        let y = g.add(i, 0.5).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        g
    }

    /// The names of the operands of each multiplier, the result, and a factor.
    const RATIOS: [(&[&str], &str, f64); 7] = [
        (&["a"], "b", 1.0),
        (&["x"], "b", 1.0),
        (&["b"], "d", 1.0),
        (&["c"], "d", 1.0),
        (&["f", "e"], "h", 1.0),
        (&["h"], "i", 1.0 / 16.0),
        (&["i"], "y", 1.0),
    ];

    fn ratio(table: &Table, (operands, result, factor): &(&[&str], &str, f64)) -> f64 {
        let scale = |name: &&str| {
            let entry = table.entries[*name];
            f64::from(entry.threshold) / if entry.min < 0.0 { 127.0 } else { 255.0 }
        };
        operands.iter().map(scale).product::<f64>() * factor / scale(result)
    }

    fn is_exact(ratio: f64) -> bool {
        (nearest_exact(ratio) / ratio - 1.0).abs() < 1e-5
    }

    proptest! {
        #[test]
        fn ratios_become_exact(thresholds in prop::collection::vec(1f32..4.0, 11)) {
            let mut table = Table::default();
            for (name, threshold) in ["x", "a", "sum", "b", "c", "d", "e", "f", "h", "i", "y"].iter().zip(thresholds) {
                let threshold = match *name {
                    // A difference whose operands have larger thresholds is computed in floats, and its range is that of the pool's result.
                    "d" | "e" => 8.0,
                    _ => threshold,
                };
                let min = if *name == "b" { 0.0 } else { -threshold };
                table.entries.insert((*name).to_owned(), crate::Entry { threshold, min, max: threshold });
            }
            let aligned = aligned(&graph(), table.clone()).unwrap();
            for (name, entry) in &table.entries {
                let change = aligned.entries[name].threshold / entry.threshold;
                prop_assert!((change - 1.0).abs() <= MAX_CHANGE as f32 + 1e-6, "{name} changes by {change}");
            }
            for of in &RATIOS {
                prop_assert!(is_exact(ratio(&aligned, of)), "{of:?} is {}", ratio(&aligned, of));
            }
        }
    }
}
