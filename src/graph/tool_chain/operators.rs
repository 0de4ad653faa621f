//! Operators that tpuc-opt would replace by ones that compute something else.
use super::{Rewriter, computing};
use crate::{
    Block, Graph, Mode, Operator, Tensor,
    base::{Result, Shape},
    copies::calls_of,
    ops::{Abs, Attribute, Op, Permute, ReduceMode, Relu, Reverse, Slice, SubConst, TopK, slice_ranges},
};
use std::collections::{HashMap, HashSet};

/// What tpuc-opt would lose of an operator.
#[derive(Debug, Clone)]
pub(super) enum Lost {
    /// The expansion of these operands: an Expand or a Tile before an operator that broadcasts is removed, whether or not the other
    /// operands have the axes that it expands.
    Expansions(Vec<Tensor>),
    /// The other axes of a slice that goes backwards, which becomes a Reverse; or that a slice counts from the end of an axis, if it is
    /// merged with another.
    Ranges,
    /// The absolute values: a norm along axes of size 1 becomes a Reshape.
    Magnitude,
    /// The shift of the Scale or BatchNorm that follows: the number that is added here replaces it.
    NextShift(f64),
    /// This upper limit of the operator before, when a Relu without one is merged into it.
    Limit(f64),
    /// The axis of a second TopK: tpuc-opt moves it to the end with permutations whose names those of the first have taken.
    Axis,
}

/// What is lost, by the first result of the operator.
pub(super) type Misread = HashMap<Tensor, Lost>;

/// What is known of the operators around an operator.
#[derive(Default)]
struct Neighbors {
    /// The results of slices that tpuc-opt merges with another, including gathers and splits, which it makes slices of.
    merged: HashSet<Tensor>,
    /// The operands of Scale and BatchNorm.
    scaled: HashSet<Tensor>,
    /// The shapes before expansions, by what is expanded.
    unexpanded: HashMap<Tensor, Shape>,
    /// The limits of tensors that a Relu limits.
    limits: HashMap<Tensor, f64>,
    /// How many TopK along another axis than the last have been met.
    moved_topks: usize,
}

impl Graph {
    /// Returns the operators of which tpuc-opt loses something.
    pub(super) fn misread_operators(&self) -> Misread {
        let (mut misread, mut parts, mut around) = (Misread::new(), HashSet::new(), Neighbors::default());
        self.body().walk(&mut |operator| {
            let Some((_, &input)) = operator.op.operands().next() else { return };
            match &operator.op {
                Op::Scale(_) | Op::BatchNorm(_) => _ = around.scaled.insert(input),
                Op::Slice(_) | Op::Gather(_) | Op::Split(_) => {
                    if parts.contains(&input) {
                        around.merged.insert(input);
                        around.merged.extend(operator.outputs());
                    }
                    parts.extend(operator.outputs());
                }
                _ => {}
            }
        });
        self.body().walk(&mut |operator| {
            let Some(result) = operator.outputs().next() else { return };
            if let Some(shape) = self.shape_before(operator, result, &around.unexpanded) {
                around.unexpanded.insert(result, shape);
            }
            around.limits.extend(limit(&operator.op).map(|limit| (result, limit)));
            let lost = self.lost_of(operator, result, &mut around);
            if let Some(Lost::Limit(limit)) = lost {
                around.limits.insert(result, limit);
            }
            misread.extend(lost.map(|lost| (result, lost)));
        });
        misread
    }

    /// Returns what is lost of an operator with this first result.
    fn lost_of(&self, operator: &Operator, result: Tensor, around: &mut Neighbors) -> Option<Lost> {
        let lost = match &operator.op {
            Op::Add(_) | Op::Sub(_) | Op::Mul(_) | Op::Max(_) | Op::Min(_) => {
                self.lost_expansions(operator, result, &around.unexpanded)
            }
            Op::Slice(op) if around.merged.contains(&result) => counts_from_end(op).then_some(Lost::Ranges),
            Op::Slice(op) => (self.is_reversed(op) || is_out_of_order(&op.axes)).then_some(Lost::Ranges),
            Op::Reduce(op) if matches!(op.mode, ReduceMode::ReduceL1 | ReduceMode::ReduceL2) => {
                self.is_absolute_value(op.input, result).then_some(Lost::Magnitude)
            }
            Op::Relu(op) if op.relu_limit < 0.0 => around.limits.get(&op.input).copied().map(Lost::Limit),
            Op::TopK(op) => {
                let rank = self.tensor(op.input).ok()?.shape.len() as i64;
                let is_moved = op.axis != -1 && op.axis != rank - 1;
                around.moved_topks += usize::from(is_moved);
                (is_moved && around.moved_topks > 1).then_some(Lost::Axis)
            }
            _ => None,
        };
        let next_shift = || self.added_number(&operator.op, result).map(Lost::NextShift);
        lost.or_else(|| around.scaled.contains(&result).then(next_shift).flatten())
    }

    /// Returns the shape of what operators expand, one after the other, if they only repeat axes of size 1.
    fn shape_before(&self, operator: &Operator, result: Tensor, unexpanded: &HashMap<Tensor, Shape>) -> Option<Shape> {
        let (_, input) = operator.op.operands().next()?;
        let (from, to) = (&self.tensor(*input).ok()?.shape, &self.tensor(result).ok()?.shape);
        let expands = match &operator.op {
            Op::Expand(_) | Op::Tile(_) => true,
            Op::Reshape(_) | Op::Slice(_) => from == to && unexpanded.contains_key(input),
            _ => false,
        };
        let mut sizes = from.iter().rev().zip(to.iter().rev());
        let only_ones = expands && from.len() <= to.len() && sizes.all(|(from, to)| from == to || *from == 1);
        only_ones.then(|| unexpanded.get(input).unwrap_or(from).clone())
    }

    /// Returns the expanded operands without which the result would be smaller.
    fn lost_expansions(
        &self,
        operator: &Operator,
        result: Tensor,
        unexpanded: &HashMap<Tensor, Shape>,
    ) -> Option<Lost> {
        // An operand of integers cannot be passed on without its scale.
        if self.mode == Mode::Quantized {
            return None;
        }
        let whole = &self.tensor(result).ok()?.shape;
        let operands: Vec<Tensor> = operator.op.operands().map(|(_, t)| *t).collect();
        let mut kept: Vec<Tensor> = Vec::new();
        for &candidate in operands.iter().filter(|t| unexpanded.contains_key(t)) {
            let shape = |t: &Tensor| {
                let before = unexpanded.get(t).filter(|_| !kept.contains(t));
                before.or_else(|| self.tensor(*t).ok().map(|info| &info.shape))
            };
            if broadcast(operands.iter().filter_map(shape)) != *whole {
                kept.push(candidate);
            }
        }
        (!kept.is_empty()).then_some(Lost::Expansions(kept))
    }

    /// Returns the number that an operator adds to a tensor: a constant, or the same element everywhere of a coefficient.
    fn added_number(&self, op: &Op<Tensor>, result: Tensor) -> Option<f64> {
        match op {
            Op::AddConst(op) if !op.do_relu => Some(op.const_val),
            Op::Add(op) if !op.do_relu && op.coeff.is_none() && self.mode != Mode::Quantized => {
                let [left, right] = op.inputs[..] else { return None };
                let [left, right] = [self.tensor(left).ok()?, self.tensor(right).ok()?];
                let (to, added) = if right.is_coefficient() { (left, right) } else { (right, left) };
                let numbers = added.data()?.to_f64().ok()?;
                let first = *numbers.first()?;
                (to.shape == self.tensor(result).ok()?.shape && numbers.iter().all(|n| *n == first)).then_some(first)
            }
            _ => None,
        }
    }

    /// Whether a slice has a negative step, beside other axes or on an axis from which it takes a single entry.
    fn is_reversed(&self, op: &Slice<Tensor>) -> bool {
        let ranges = self.tensor(op.input).and_then(|input| slice_ranges(&input.shape, op));
        // The step of a single entry is 1, whatever the slice has.
        let has_single = ranges.is_ok_and(|ranges| ranges.iter().all(|range| range.step > 0));
        op.steps.iter().any(|step| *step < 0) && (op.steps.len() > 1 || has_single)
    }

    /// Whether the norm of a tensor is that of single elements. Quantized ones have no absolute value in their own range.
    fn is_absolute_value(&self, input: Tensor, result: Tensor) -> bool {
        let (Ok(input), Ok(result)) = (self.tensor(input), self.tensor(result)) else { return false };
        input.elements() == result.elements() && input.dtype.is_float()
    }
}

/// Whether a slice has numbers that count from the end of an axis, or axes that are not in order.
fn counts_from_end(op: &Slice<Tensor>) -> bool {
    let mut numbers = op.offset.iter().chain(&op.steps).chain(&op.ends).chain(&op.axes);
    numbers.any(|number| *number < 0) || is_out_of_order(&op.axes)
}

/// Whether tpuc-opt would confuse axes, whose ranges it takes by position.
fn is_out_of_order(axes: &[i64]) -> bool {
    axes.len() > 1 && (!axes.is_sorted() || axes.iter().any(|axis| *axis < 0))
}

/// Returns the upper limit of what an operator computes: that of its Relu.
fn limit(op: &Op<Tensor>) -> Option<f64> {
    let attributes = op.attributes();
    let has_relu = matches!(op, Op::Relu(_)) || matches!(attributes.get("do_relu"), Some(Attribute::Bool(true)));
    match attributes.get("relu_limit") {
        Some(Attribute::Float(limit)) if has_relu && *limit >= 0.0 => Some(*limit),
        _ => None,
    }
}

/// Returns the shape of the result of shapes that can be broadcast.
fn broadcast<'a>(shapes: impl Iterator<Item = &'a Shape>) -> Shape {
    let mut widest = Shape::new();
    for shape in shapes {
        while widest.len() < shape.len() {
            widest.insert(0, 1);
        }
        for (size, other) in widest.iter_mut().rev().zip(shape.iter().rev()) {
            *size = (*size).max(*other);
        }
    }
    widest
}

impl Rewriter<'_> {
    /// Replaces operators that are misread by some of which nothing is lost.
    pub(super) fn replace_misread(&mut self, block: &mut Block, misread: &Misread) -> Result<()> {
        let mut operators = Vec::with_capacity(block.operators.len());
        for mut operator in std::mem::take(&mut block.operators) {
            operator.blocks.iter_mut().try_for_each(|inner| self.replace_misread(inner, misread))?;
            let lost = operator.outputs().next().and_then(|t| misread.get(&t));
            match lost {
                Some(lost) => operators.append(&mut self.replaced(operator, lost)?),
                None => operators.push(operator),
            }
        }
        if !misread.is_empty() {
            block.calls = calls_of(&operators);
        }
        block.operators = operators;
        Ok(())
    }

    fn replaced(&mut self, mut operator: Operator, lost: &Lost) -> Result<Vec<Operator>> {
        match (lost, &operator.op) {
            (Lost::Expansions(expanded), _) => {
                let mut operators = Vec::new();
                for &t in expanded {
                    let name = self.operand_name(&operator)?;
                    let (value, added) = self.pass_on(t, name)?;
                    operator.op = operator.op.map(|operand| if *operand == t { value } else { *operand });
                    operators.push(added);
                }
                operators.push(operator);
                Ok(operators)
            }
            (Lost::Ranges, Op::Slice(op)) => {
                let ops = self.without_negative_steps(op)?;
                self.in_turn(op.input, ops, operator)
            }
            (Lost::Magnitude, Op::Reduce(op)) => {
                let shape = self.graph.tensor(op.input)?.shape.clone();
                let ops = vec![(Abs::new(op.input).into(), shape), (operator.op.clone(), Shape::new())];
                self.in_turn(op.input, ops, operator)
            }
            // tpuc-opt merges sums, but no differences.
            (Lost::NextShift(number), op) => {
                let is_computed = |t: &&Tensor| self.graph.tensor(**t).is_ok_and(|info| !info.is_coefficient());
                let input = op.operands().map(|(_, t)| t).find(is_computed).copied();
                if let Some(input) = input {
                    operator.op = SubConst::new(input, -number).into();
                }
                Ok(vec![operator])
            }
            (Lost::Limit(limit), Op::Relu(op)) => {
                operator.op = Relu { relu_limit: *limit, ..(**op).clone() }.into();
                Ok(vec![operator])
            }
            (Lost::Axis, Op::TopK(op)) => self.along_the_last_axis(op, &operator),
            _ => Ok(vec![operator]),
        }
    }

    fn operand_name(&self, operator: &Operator) -> Result<String> {
        Ok(self.graph.freed(format!("{}_operand", self.graph.name_of(operator)?)))
    }

    /// Returns operators that compute these ops of one operand in turn, with the shapes of their results. The last is `operator`.
    fn in_turn(
        &mut self,
        input: Tensor,
        ops: Vec<(Op<Tensor>, Shape)>,
        mut operator: Operator,
    ) -> Result<Vec<Operator>> {
        let (mut value, mut operators) = (input, Vec::new());
        let count = ops.len();
        for (i, (op, shape)) in ops.into_iter().enumerate() {
            let op = op.map(|_| value);
            if i + 1 == count {
                operator.op = op;
                break;
            }
            let name = self.operand_name(&operator)?;
            value = self.graph.value_like(&name, value, shape.to_vec())?;
            operators.push(computing(op, vec![Some(value)]));
        }
        operators.push(operator);
        Ok(operators)
    }

    /// Returns the ops that compute a slice: one that counts forwards from the start, and a Reverse of each axis that goes backwards.
    fn without_negative_steps(&self, op: &Slice<Tensor>) -> Result<Vec<(Op<Tensor>, Shape)>> {
        let mut shape = self.graph.tensor(op.input)?.shape.clone();
        let mut slice = Slice::new(op.input, Vec::new(), Vec::new(), Vec::new());
        let mut reversed = Vec::new();
        for (axis, range) in slice_ranges(&shape, op)?.into_iter().enumerate() {
            if range.step < 0 {
                reversed.push(axis as i64);
            }
            let first = range.start as i64;
            let last = first + (range.count as i64 - 1) * range.step;
            if range.count < shape[axis] {
                slice.axes.push(axis as i64);
                slice.offset.push(first.min(last));
                slice.steps.push(range.step.abs());
                slice.ends.push(first.max(last) + 1);
            }
            shape[axis] = range.count;
        }
        if slice.axes.is_empty() && reversed.is_empty() {
            // The only entry of an axis.
            (slice.axes, slice.offset, slice.steps, slice.ends) = (vec![0], vec![0], vec![1], vec![shape[0] as i64]);
        }
        let slice = (!slice.axes.is_empty()).then(|| slice.into());
        let reversals = reversed.into_iter().map(|axis| Reverse::new(op.input, axis).into());
        Ok(slice.into_iter().chain(reversals).map(|op| (op, shape.clone())).collect())
    }

    /// Returns the operators that compute a TopK along the last axis.
    fn along_the_last_axis(&mut self, op: &TopK<Tensor>, operator: &Operator) -> Result<Vec<Operator>> {
        let shape = self.graph.tensor(op.input)?.shape.clone();
        let last = shape.len() - 1;
        let axis = if op.axis < 0 { op.axis + shape.len() as i64 } else { op.axis } as usize;
        let order: Vec<i64> = (0..=last).filter(|a| *a != axis).chain([axis]).map(|a| a as i64).collect();
        let back: Vec<i64> = (0..axis).chain([last]).chain(axis..last).map(|a| a as i64).collect();
        let moved = |shape: &Shape| order.iter().map(|a| shape[*a as usize]).collect::<Vec<_>>();
        let name = self.operand_name(operator)?;
        let input = self.graph.value_like(&name, op.input, moved(&shape))?;
        let permuted = Permute::new(op.input, order.clone());
        let (mut results, mut after) = (Vec::new(), Vec::new());
        for result in &operator.results {
            let Some(t) = result else {
                results.push(None);
                continue;
            };
            let info = self.graph.tensor(*t)?;
            let (name, shape) = (self.graph.freed(format!("{}_permuted", info.name)), moved(&info.shape));
            let made = self.graph.value_like(&name, *t, shape)?;
            results.push(Some(made));
            after.push(computing(Permute::new(made, back.clone()).into(), vec![Some(*t)]));
        }
        let topk = TopK { input, axis: last as i64, ..op.clone() };
        let mut operators = vec![computing(permuted.into(), vec![Some(input)]), computing(topk.into(), results)];
        operators.append(&mut after);
        Ok(operators)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        ops::{Op, Relu},
    };

    /// tpuc-opt merges a Relu into the one before, whose limit it loses.
    #[test]
    fn a_limit_is_that_of_all_relus_that_follow() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2]).unwrap();
        let mut y = g.op(Relu { relu_limit: 6.0, ..Relu::new(x) }).call().unwrap()[0];
        for _ in 0..3 {
            y = g.relu(y).call().unwrap();
        }
        g.set_outputs(&[y]).unwrap();
        let written = g.for_tool_chain().unwrap();
        let limits = written.operators().iter().map(|operator| match &operator.op {
            Op::Relu(op) => op.relu_limit,
            _ => f64::NAN,
        });
        assert_eq!(limits.collect::<Vec<_>>(), [6.0; 4]);
    }
}
