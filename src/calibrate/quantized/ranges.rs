//! Which range each tensor has: that of the table, changed where operators share integers with their operands.
//!
//! The passes are those of TPU-MLIR's import of calibration tables (`lib/Dialect/Top/Transforms/ImportCalibrationTable.cpp`), in their
//! order.
use super::{
    layer::{Layer, readers},
    lowering::repeats,
    range::Range,
};
use crate::{
    Table,
    graph::{Graph, Tensor},
    ops::Op,
};
use std::collections::HashMap;

/// The ranges of tensors, while they are determined.
pub struct Ranges<'a> {
    graph: &'a Graph,
    layers: &'a [Layer],
    ranges: HashMap<Tensor, Range>,
    /// How often each tensor is read, or is an output.
    readers: HashMap<Tensor, usize>,
    /// The layer that computes each tensor.
    made_by: HashMap<Tensor, &'a Layer>,
}

impl<'a> Ranges<'a> {
    /// Returns the range of each tensor that becomes integers.
    pub fn of(graph: &'a Graph, layers: &'a [Layer], table: &Table) -> HashMap<Tensor, Range> {
        let mut ranges = HashMap::new();
        for (tensor, info) in graph.tensors().filter(|(_, info)| info.dtype.is_float() && !info.is_coefficient()) {
            if let Some(entry) = table.entries.get(&info.name) {
                // The tool chain reads a table's decimal digits as float64.
                let threshold = format!("{:.7}", entry.threshold).parse().unwrap_or_else(|_| entry.threshold.into());
                if threshold > 0.0 {
                    ranges.insert(tensor, Range { threshold, is_signed: entry.min < 0.0 });
                }
            }
        }
        let readers = readers(graph, layers);
        let made_by = layers.iter().map(|layer| (layer.result, layer)).collect();
        let mut all = Ranges { graph, layers, ranges, readers, made_by };
        all.set_fixed_ranges();
        all.forward(&|op| matches!(op, Op::Reshape(_) | Op::Permute(_)));
        all.keep_signs();
        all.match_products();
        all.unify_operands();
        all.backward();
        all.match_sums_of_products();
        all.forward(&shares_integers);
        all.keep_signs();
        all.ranges
    }

    fn get(&self, tensor: Tensor) -> Option<Range> {
        self.ranges.get(&tensor).copied()
    }
    fn set(&mut self, tensor: Tensor, range: Option<Range>) {
        range.map(|range| self.ranges.insert(tensor, range));
    }
    fn set_sign(&mut self, tensor: Tensor, is_signed: bool) {
        if let Some(range) = self.ranges.get_mut(&tensor) {
            range.is_signed = is_signed;
        }
    }
    fn is_read_once(&self, tensor: Tensor) -> bool {
        self.readers.get(&tensor) == Some(&1)
    }
    /// The operands that are no coefficients.
    fn values(&self, layer: &Layer) -> Vec<Tensor> {
        let is_value = |t: &Tensor| self.graph.tensor(*t).is_ok_and(|info| !info.is_coefficient());
        layer.operands().filter(is_value).collect()
    }

    /// Results whose sign or range does not depend on the samples.
    fn set_fixed_ranges(&mut self) {
        for layer in self.layers {
            match &layer.op {
                Op::Sigmoid(op) if op.log => {}
                Op::Sigmoid(_) | Op::Softmax(_) => {
                    self.ranges.insert(layer.result, Range { threshold: 1.0, is_signed: false });
                }
                Op::Sub(_) | Op::Abs(_) => self.set_sign(layer.result, true),
                _ if layer.has_relu => self.set_sign(layer.result, false),
                _ => {}
            }
        }
    }

    /// Gives the results of some ops the range of their operand.
    fn forward(&mut self, is_one: &dyn Fn(&Op<Tensor>) -> bool) {
        for layer in self.layers.iter().filter(|layer| is_one(&layer.op)) {
            let Some(range) = self.values(layer).first().and_then(|t| self.get(*t)) else { continue };
            let factor = if let Op::MulConst(op) = &layer.op { op.const_val } else { 1.0 };
            // The tool chain inserts Reshapes, of which tables know nothing.
            let inserted = matches!(layer.op, Op::Reshape(_)).then_some(range);
            for result in layer.stored_results() {
                let Some(old) = self.get(result).or(inserted).filter(|_| factor != 0.0) else { continue };
                // Numbers that are not negative become negative ones.
                let is_signed = range.is_signed || factor < 0.0 && old.is_signed;
                self.set(result, Some(Range { threshold: range.threshold * factor.abs(), is_signed }));
            }
        }
    }

    /// The results of pools and absolute values have the sign of their operand. A number minus numbers that are not negative is signed.
    fn keep_signs(&mut self) {
        for layer in self.layers {
            if let Op::SubConst(op) = &layer.op
                && self.get(op.input).is_some_and(|range| !range.is_signed)
            {
                self.set_sign(layer.result, true);
            }
            let keeps_sign = matches!(layer.op, Op::AvgPool(_) | Op::MaxPool(_) | Op::Abs(_));
            if (keeps_sign || layer.is_mean_of_images(self.graph))
                && let Some(range) = layer.operands().next().and_then(|t| self.get(t))
            {
                self.set_sign(layer.result, range.is_signed);
            }
        }
    }

    /// A product is signed if its operands are.
    fn match_products(&mut self) {
        for layer in self.layers {
            let Op::Mul(op) = &layer.op else { continue };
            let signs = op.inputs.iter().map(|t| self.get(*t).map(|range| range.is_signed));
            let signs: Option<Vec<bool>> = signs.collect();
            if signs.is_some_and(|signs| signs.iter().all(|is_signed| *is_signed)) {
                self.set_sign(layer.result, true);
            }
        }
    }

    /// Gives operands of Concat, Max and Min the range of the result, so that their integers are copied.
    fn unify_operands(&mut self) {
        for layer in self.layers {
            let (Op::Concat(_) | Op::Max(_) | Op::Min(_)) = &layer.op else { continue };
            let operands = self.values(layer);
            let Some(range) = self.get(layer.result) else { continue };
            let found: Option<Vec<Range>> = operands.iter().map(|t| self.get(*t)).collect();
            let Some(found) = found.filter(|found| !found.is_empty()) else { continue };
            if operands.len() != layer.operands().count() || !operands.iter().all(|t| self.is_read_once(*t)) {
                continue;
            }
            if found.iter().all(|other| *other == found[0]) {
                self.set(layer.result, Some(found[0]));
            } else if !matches!(layer.op, Op::Concat(_)) || found.iter().all(|other| other.is_signed == range.is_signed)
            {
                operands.into_iter().for_each(|t| self.set_back(t, range));
            }
        }
    }

    /// Sets the range of a tensor, and of those that it is another form of.
    fn set_back(&mut self, tensor: Tensor, range: Range) {
        let mut next = Some(tensor);
        while let Some(tensor) = next {
            self.set(tensor, Some(range));
            let moves = |op: &Op<Tensor>| matches!(op, Op::Reshape(_) | Op::Permute(_) | Op::Depth2Space(_));
            let layer = self.made_by.get(&tensor).filter(|layer| moves(&layer.op));
            let from = layer.and_then(|layer| layer.operands().next());
            next = from.filter(|t| self.is_read_once(*t) && self.get(*t).is_some());
        }
    }

    /// Gives operands that are read once the range of what only selects among them.
    fn backward(&mut self) {
        for layer in self.layers.iter().rev() {
            let selects = matches!(
                layer.op,
                Op::Relu(_) | Op::MaxPool(_) | Op::Depth2Space(_) | Op::Abs(_) | Op::LeakyRelu(_) | Op::PRelu(_)
            );
            if !selects {
                continue;
            }
            let Some(operand) = layer.operands().next().filter(|t| self.is_read_once(*t)) else { continue };
            let (Some(range), Some(old)) = (self.get(layer.result), self.get(operand)) else { continue };
            if matches!(layer.op, Op::LeakyRelu(_) | Op::PRelu(_)) {
                // The least number of the operand is kept.
                let least = if old.is_signed { old.threshold } else { 0.0 };
                let threshold = range.threshold.max(least);
                self.set_back(operand, Range { threshold, is_signed: old.is_signed });
            } else {
                self.set_back(operand, range);
            }
        }
    }

    fn match_sums_of_products(&mut self) {
        let product = |t: &Tensor| {
            let made_by = self.made_by.get(t)?;
            (matches!(made_by.op, Op::Mul(_)) && self.is_read_once(*t)).then_some(*t)
        };
        let mut changed: Vec<(Tensor, Range)> = Vec::new();
        for layer in self.layers {
            let Op::Add(op) = &layer.op else { continue };
            let products: Option<Vec<Tensor>> = op.inputs.iter().map(product).collect();
            let range = self.get(layer.result);
            if let (Some(products), Some(range)) = (products.filter(|p| p.len() == 2), range) {
                changed.extend(products.into_iter().map(|t| (t, range)));
            }
        }
        changed.into_iter().for_each(|(t, range)| self.set(t, Some(range)));
    }
}

/// Whether an op copies the integers of its operand.
pub fn shares_integers(op: &Op<Tensor>) -> bool {
    matches!(
        op,
        Op::Relu(_)
            | Op::MaxPool(_)
            | Op::MinConst(_)
            | Op::MaxConst(_)
            | Op::Reshape(_)
            | Op::Squeeze(_)
            | Op::Unsqueeze(_)
            | Op::Slice(_)
            | Op::Split(_)
            | Op::Tile(_)
            | Op::Expand(_)
            | Op::Pad(_)
            | Op::Permute(_)
            | Op::Reverse(_)
            | Op::Upsample(_)
            | Op::LeakyRelu(_)
            | Op::PRelu(_)
            | Op::Abs(_)
            | Op::MulConst(_)
    ) || repeats(op)
}
