//! Operators that tpuc-opt rewrites as others, which compute something else.
use super::Rewriter;
use crate::{
    Block, Graph, Mode, Operator, Tensor,
    base::{Result, Shape},
    copies::calls_of,
    ops::{Abs, Attribute, Op, Permute, ReduceMode, Relu, Reverse, Slice, Span, SubConst, TopK, slice_ranges},
};
use std::collections::{HashMap, HashSet};

/// What tpuc-opt forgets of an operator.
#[derive(Debug, Clone)]
pub(super) enum Forgotten {
    /// The expansion of these operands: an Expand or a Tile before an operator that broadcasts is removed, whether or not the other
    /// operands have the axes that it expands.
    Expansions(Vec<Tensor>),
    /// All but one axis of a slice that goes backwards, which becomes a Reverse; or the direction, when it is merged with another slice.
    Backwards,
    /// The absolute values: a norm along axes of size 1 becomes a Reshape.
    Magnitude,
    /// The shift of the Scale or BatchNorm that follows: it becomes the number that is added here.
    NextShift(f64),
    /// This limit of the operator before: a Relu without one becomes part of it.
    Limit(f64),
    /// That another one has the names of the operators that bring the axis of a TopK to the end.
    OtherAxis,
}

/// What is forgotten, by the first result of the operator.
pub(super) type Misread = HashMap<Tensor, Forgotten>;

impl Graph {
    /// Returns the operators of which tpuc-opt forgets something.
    pub(super) fn misread_operators(&self) -> Misread {
        let mut misread = Misread::new();
        // The shapes before expansions, by what is expanded.
        let mut shapes_before = HashMap::new();
        let merged = self.merged_slices();
        let scaled = self.scaled_tensors();
        let mut limits = HashMap::new();
        let mut topks = 0;
        self.body().walk(&mut |operator| {
            let Some(result) = operator.outputs().next() else { return };
            if let Some(shape) = self.shape_before(operator, result) {
                shapes_before.insert(result, shape);
            }
            let forgotten = match &operator.op {
                Op::Add(_) | Op::Sub(_) | Op::Mul(_) | Op::Max(_) | Op::Min(_) => {
                    self.lost_expansions(operator, result, &shapes_before)
                }
                Op::Slice(op) if op.steps.iter().any(|step| *step < 0) => {
                    (merged.contains(&result) || self.changes_several(op)).then_some(Forgotten::Backwards)
                }
                Op::Reduce(op) if matches!(op.mode, ReduceMode::ReduceL1 | ReduceMode::ReduceL2) => {
                    let is_reshape =
                        self.tensor(op.input).and_then(|input| Ok(input.elements() == self.tensor(result)?.elements()));
                    is_reshape.is_ok_and(|is| is).then_some(Forgotten::Magnitude)
                }
                Op::Relu(op) if op.relu_limit < 0.0 => limits.get(&op.input).copied().map(Forgotten::Limit),
                Op::TopK(op)
                    if self
                        .tensor(op.input)
                        .is_ok_and(|input| op.axis >= 0 && op.axis + 1 < input.shape.len() as i64) =>
                {
                    topks += 1;
                    (topks > 1).then_some(Forgotten::OtherAxis)
                }
                _ => None,
            };
            limits.extend(limit(&operator.op).map(|limit| (result, limit)));
            let next_shift = || self.added_number(&operator.op, result).map(Forgotten::NextShift);
            let forgotten = forgotten.or_else(|| scaled.contains(&result).then(next_shift).flatten());
            misread.extend(forgotten.map(|what| (result, what)));
        });
        misread
    }

    /// Returns the shape of what an operator expands, if it only repeats axes of size 1.
    fn shape_before(&self, operator: &Operator, result: Tensor) -> Option<Shape> {
        let (Op::Expand(_) | Op::Tile(_)) = &operator.op else { return None };
        let (_, input) = operator.op.operands().next()?;
        let (from, to) = (self.tensor(*input).ok()?.shape.clone(), &self.tensor(result).ok()?.shape);
        let mut sizes = from.iter().rev().zip(to.iter().rev());
        (from.len() <= to.len() && sizes.all(|(from, to)| from == to || *from == 1)).then_some(from)
    }

    /// Returns the expanded operands without which the result would be smaller.
    fn lost_expansions(
        &self,
        operator: &Operator,
        result: Tensor,
        shapes_before: &HashMap<Tensor, Shape>,
    ) -> Option<Forgotten> {
        // An operand of integers cannot be passed on without its scale.
        if self.mode == Mode::Quantized {
            return None;
        }
        let whole = &self.tensor(result).ok()?.shape;
        let operands: Vec<Tensor> = operator.op.operands().map(|(_, t)| *t).collect();
        let mut kept: Vec<Tensor> = Vec::new();
        for &candidate in operands.iter().filter(|t| shapes_before.contains_key(t)) {
            let shape = |t: &Tensor| {
                let before = shapes_before.get(t).filter(|_| !kept.contains(t));
                before.or_else(|| self.tensor(*t).ok().map(|info| &info.shape))
            };
            if broadcast(operands.iter().filter_map(shape)) != *whole {
                kept.push(candidate);
            }
        }
        (!kept.is_empty()).then_some(Forgotten::Expansions(kept))
    }

    /// Returns the results of slices that tpuc-opt merges with another: what it makes a slice of is beside them.
    fn merged_slices(&self) -> HashSet<Tensor> {
        let (mut parts, mut merged) = (HashSet::new(), HashSet::new());
        self.body().walk(&mut |operator| {
            let (Op::Slice(_) | Op::Gather(_) | Op::Split(_)) = &operator.op else { return };
            if let Some((_, input)) = operator.op.operands().next().filter(|(_, input)| parts.contains(*input)) {
                merged.insert(*input);
                merged.extend(operator.outputs());
            }
            parts.extend(operator.outputs());
        });
        merged
    }

    /// Returns the operands of Scale and BatchNorm.
    fn scaled_tensors(&self) -> HashSet<Tensor> {
        let mut scaled = HashSet::new();
        self.body().walk(&mut |operator| match &operator.op {
            Op::Scale(op) => scaled.extend([op.input]),
            Op::BatchNorm(op) => scaled.extend([op.input]),
            _ => {}
        });
        scaled
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

    /// Whether a slice changes or reverses more than one axis, or a single one of which it takes one entry.
    fn changes_several(&self, op: &Slice<Tensor>) -> bool {
        let Ok(input) = self.tensor(op.input) else { return false };
        let Ok(ranges) = slice_ranges(&input.shape, op) else { return false };
        let backwards = op.steps.iter().filter(|step| **step < 0).count();
        let is_changed = |(range, size): &(&Span, &usize)| range.count != **size || range.step > 1;
        let forwards = ranges.iter().zip(&input.shape).filter(|(range, _)| range.step > 0).filter(is_changed).count();
        // The step of a single entry is 1, whatever the slice has.
        let reversed = ranges.iter().filter(|range| range.step < 0).count();
        backwards > 1 || reversed == 0 || forwards > 0
    }
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
    /// Replaces operators that are misread by some of which nothing is forgotten.
    pub(super) fn replace_misread(&mut self, block: &mut Block, misread: &Misread) -> Result<()> {
        let mut operators = Vec::with_capacity(block.operators.len());
        for mut operator in std::mem::take(&mut block.operators) {
            operator.blocks.iter_mut().try_for_each(|inner| self.replace_misread(inner, misread))?;
            let forgotten = operator.outputs().next().and_then(|t| misread.get(&t));
            match forgotten {
                Some(forgotten) => operators.append(&mut self.replaced(operator, forgotten)?),
                None => operators.push(operator),
            }
        }
        if !misread.is_empty() {
            block.calls = calls_of(&operators);
        }
        block.operators = operators;
        Ok(())
    }

    fn replaced(&mut self, mut operator: Operator, forgotten: &Forgotten) -> Result<Vec<Operator>> {
        match (forgotten, &operator.op) {
            (Forgotten::Expansions(expanded), _) => {
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
            (Forgotten::Backwards, Op::Slice(op)) => {
                let forwards = self.forwards(op)?;
                self.in_turn(op.input, forwards, operator)
            }
            (Forgotten::Magnitude, Op::Reduce(op)) => {
                let shape = self.graph.tensor(op.input)?.shape.clone();
                let ops = vec![(Abs::new(op.input).into(), shape), (operator.op.clone(), Shape::new())];
                self.in_turn(op.input, ops, operator)
            }
            // It merges no difference.
            (Forgotten::NextShift(number), op) => {
                let is_computed = |t: &&Tensor| self.graph.tensor(**t).is_ok_and(|info| !info.is_coefficient());
                let input = op.operands().map(|(_, t)| t).find(is_computed).copied();
                if let Some(input) = input {
                    operator.op = SubConst::new(input, -number).into();
                }
                Ok(vec![operator])
            }
            (Forgotten::Limit(limit), Op::Relu(op)) => {
                operator.op = Relu { relu_limit: *limit, ..(**op).clone() }.into();
                Ok(vec![operator])
            }
            (Forgotten::OtherAxis, Op::TopK(op)) => self.along_the_last_axis(op, &operator),
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

    /// Returns the ops that compute a slice that goes backwards: a slice that goes forwards, and a Reverse of each axis that goes
    /// backwards.
    fn forwards(&self, op: &Slice<Tensor>) -> Result<Vec<(Op<Tensor>, Shape)>> {
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
        let (axis, last) = (op.axis as usize, shape.len() - 1);
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

fn computing(op: Op<Tensor>, results: Vec<Option<Tensor>>) -> Operator {
    Operator { op, results, blocks: Vec::new(), is_edited: false }
}
