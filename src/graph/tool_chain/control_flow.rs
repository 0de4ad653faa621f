//! Control flow in the forms that TPU-MLIR's tools run. Three forms crash them: an `If` of several results, a branch
//! that yields a value from outside, and equal operators in different blocks. A `Loop` needs a condition.
use super::Rewriter;
use crate::{
    Block, Operator, RecordedCall, Tensor, TensorKind,
    array::Array,
    base::{Result, pluralized},
    copies::{Bound, bound_to, calls_of},
    ops::{If, Op, op_def, operator_error},
};
use std::collections::{HashMap, HashSet};

/// Maximum number of operators in the branches that splitting makes.
const MAX_SPLIT: usize = 1 << 16;

/// The operators that were visited, with their operands and attributes, and the number of the place where one equal to
/// them may be: their block, or a place of its own for one that owns blocks.
#[derive(Default)]
pub(super) struct Seen {
    operators: HashMap<String, usize>,
    places: usize,
}

impl Seen {
    fn next_place(&mut self) -> usize {
        self.places += 1;
        self.places
    }
}

impl Rewriter<'_> {
    /// Splits each `If` of several results, and removes what no result needs; inner ones first.
    pub(super) fn split_all(&mut self, block: &mut Block) -> Result<()> {
        block.replace_where(&|operator| !operator.blocks.is_empty(), &mut |mut operator| {
            operator.blocks.iter_mut().try_for_each(|inner| self.split_all(inner))?;
            match operator.op.clone() {
                Op::If(op) => self.split(&op, &operator),
                _ => Ok(vec![operator]),
            }
        })
    }

    /// Gives branches an operator that computes what they yield, and loops a condition.
    pub(super) fn complete_all(&mut self, block: &mut Block) -> Result<()> {
        for operator in &mut block.operators {
            operator.blocks.iter_mut().try_for_each(|inner| self.complete_all(inner))?;
            match operator.op {
                Op::If(_) => self.computed(operator)?,
                Op::Loop(_) => self.conditional(operator)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns one `If` for each result, whose branches have the operators that it needs.
    fn split(&mut self, op: &If<Tensor>, operator: &Operator) -> Result<Vec<Operator>> {
        let mut branches: Vec<Branch> = operator.blocks.iter().map(Branch::new).collect();
        let mut made = Vec::with_capacity(operator.results.len());
        for (index, result) in operator.results.iter().enumerate() {
            let mut part =
                Operator { op: op.clone().into(), results: vec![*result], blocks: Vec::new(), is_edited: false };
            let scope = self.graph.name_of(&part)?;
            for branch in &mut branches {
                let block = self.part(branch, index, &scope, operator)?;
                part.blocks.push(block);
            }
            made.push(part);
        }
        for branch in &branches {
            self.forget_unneeded(branch);
        }
        Ok(made)
    }

    /// Returns the part of a branch that one of its values needs. An operator that several parts need is moved to the
    /// first, and copied to the others, in the scope of their result.
    fn part(&mut self, branch: &mut Branch, index: usize, scope: &str, operator: &Operator) -> Result<Block> {
        let yielded = branch.block.results[index];
        let needed = branch.needed_by(yielded);
        let mut bound = Bound::new();
        for &at in &needed {
            let operator = &branch.block.operators[at];
            self.made += 1;
            operator.blocks.iter().for_each(|b| b.walk(&mut |_| self.made += 1));
            if !std::mem::replace(&mut branch.is_moved[at], true) {
                defined_by(operator, &mut |t| bound.extend([(t, t)]));
            }
        }
        if self.made > MAX_SPLIT {
            let results = pluralized(operator.results.len(), "result");
            let problem = format!(
                "it has {results}, each of which is written as an operator of its own; their branches have more than {MAX_SPLIT} operators"
            );
            return Err(operator_error(op_def("If")?, problem));
        }
        let operators = needed.iter().map(|at| &branch.block.operators[*at]);
        let operators = self.graph.copied(operators, scope, &mut bound)?;
        Ok(Block {
            arguments: Vec::new(),
            calls: calls_of(&operators),
            operators,
            results: vec![bound_to(&bound, yielded)],
        })
    }

    fn forget_unneeded(&mut self, branch: &Branch) {
        let unneeded = branch.block.operators.iter().zip(&branch.is_moved).filter(|(_, is_moved)| !**is_moved);
        for (operator, _) in unneeded {
            defined_by(operator, &mut |t| self.graph.forget(t));
        }
    }

    /// Adds an operator to each branch that computes what it yields. The value may be from outside, and the tools
    /// remove or move operators that seem to change nothing; of these, `AddConst` is the one that they leave in place.
    fn computed(&mut self, operator: &mut Operator) -> Result<()> {
        let names = operator.op.def().blocks;
        let Some(result) = operator.outputs().next() else { return Ok(()) };
        for (block, name) in operator.blocks.iter_mut().zip(names) {
            let [yielded] = block.results[..] else { continue };
            // In a graph that was read from a module that this has written.
            if block.operators.last().is_some_and(|o| passes_on(&o.op) && o.outputs().any(|t| t == yielded)) {
                continue;
            }
            let name = format!("{}_{name}", self.graph.tensor(result)?.name);
            let (passed_on, operator) = self.pass_on(yielded, name)?;
            block.calls.push(RecordedCall::of_operator(&operator));
            block.operators.push(operator);
            block.results = vec![passed_on];
        }
        Ok(())
    }

    /// Changes operators that are equal to one in another block: their first operand is passed on to them. The tools
    /// merge equal operators, without looking at blocks: they fail if the operators are in different ones, and merge
    /// each `If` with others of its condition.
    pub(super) fn distinguish(&mut self, block: &mut Block, seen: &mut Seen) -> Result<()> {
        let here = seen.next_place();
        let mut passed_on = Bound::new();
        let mut operators = Vec::with_capacity(block.operators.len());
        for mut operator in std::mem::take(&mut block.operators) {
            let place = if operator.blocks.is_empty() { here } else { seen.next_place() };
            let is_new = *seen.operators.entry(format!("{:?}", operator.op)).or_insert(place) == place;
            let first = operator.op.operands().next().map(|(_, t)| *t);
            if let Some(first) = first.filter(|_| !is_new) {
                let shared = passed_on.get(&first).copied().filter(|_| operator.blocks.is_empty());
                let value = match shared {
                    Some(value) => value,
                    None => {
                        let name = format!("{}_operand", self.graph.name_of(&operator)?);
                        let (value, added) = self.pass_on(first, name)?;
                        operators.push(added);
                        value
                    }
                };
                passed_on.insert(first, value);
                operator.op = operator.op.map(|t| if *t == first { value } else { *t });
            }
            operators.push(operator);
        }
        if !passed_on.is_empty() {
            block.calls = calls_of(&operators);
        }
        block.operators = operators;
        let inner = block.operators.iter_mut().flat_map(|o| &mut o.blocks);
        inner.collect::<Vec<_>>().into_iter().try_for_each(|inner| self.distinguish(inner, seen))
    }

    /// Gives a loop a condition that always holds, if it has none.
    fn conditional(&mut self, operator: &mut Operator) -> Result<()> {
        let name = format!("{}_condition", self.graph.name_of(operator)?);
        let Operator { op: Op::Loop(op), blocks, .. } = operator else { return Ok(()) };
        let argument = blocks.first().and_then(|body| body.arguments.get(1).copied());
        let (None, Some(argument)) = (op.cond, argument) else { return Ok(()) };
        let info = self.graph.tensor(argument)?;
        if info.dtype.is_declared() {
            let (dtype, shape) = (info.dtype, info.shape.clone());
            let data = Array::from_f64s(dtype, &shape, std::iter::once(1.0))?;
            let kind = TensorKind::Coefficient(Some(data));
            op.cond = Some(self.graph.add_tensor(Some(&self.graph.freed(name)), dtype, shape, kind)?);
        }
        Ok(())
    }
}

/// A branch that is split.
struct Branch<'a> {
    block: &'a Block,
    /// The index of the operator that computes each tensor.
    producers: HashMap<Tensor, usize>,
    /// For each operator, those whose results it uses.
    uses: Vec<Vec<usize>>,
    /// For each operator, whether it is in a part already.
    is_moved: Vec<bool>,
}

impl Branch<'_> {
    fn new(block: &Block) -> Branch<'_> {
        let mut producers = HashMap::new();
        let mut uses = Vec::with_capacity(block.operators.len());
        for (at, operator) in block.operators.iter().enumerate() {
            uses.push(operator.uses().iter().filter_map(|t| producers.get(t).copied()).collect());
            producers.extend(operator.outputs().map(|t| (t, at)));
        }
        Branch { block, producers, uses, is_moved: vec![false; block.operators.len()] }
    }

    /// Returns the operators that a value needs, in order.
    fn needed_by(&self, value: Tensor) -> Vec<usize> {
        let mut open: Vec<usize> = self.producers.get(&value).copied().into_iter().collect();
        let mut needed: HashSet<usize> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            open.extend(self.uses[at].iter().filter(|used| needed.insert(**used)));
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        needed
    }
}

/// Visits the tensors that an operator and its blocks define.
fn defined_by(operator: &Operator, visit: &mut dyn FnMut(Tensor)) {
    operator.outputs().for_each(&mut *visit);
    for block in &operator.blocks {
        block.arguments.iter().copied().for_each(&mut *visit);
        block.operators.iter().for_each(|o| defined_by(o, visit));
    }
}

/// Whether an operator adds -0, and thus changes nothing.
fn passes_on(op: &Op<Tensor>) -> bool {
    let is_nothing = |value: f64| (value as f32).to_bits() == (-0.0f32).to_bits();
    matches!(op, Op::AddConst(op) if is_nothing(op.const_val) && !op.do_relu)
}
