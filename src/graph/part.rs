//! Parts of graphs: what computes some tensors from others.
use super::{Graph, Operator, Tensor, TensorKind};
use crate::base::{Result, argument, pluralized};
use indexmap::IndexSet;
use std::collections::{HashMap, HashSet};

/// Each part keeps a table of all tensors of the graph, so many parts of a large graph would take much memory.
const MAX_BOUNDARIES: usize = 1000;

impl Graph {
    /// Returns the part of the graph that computes `outputs` from `inputs`, which may be inner tensors. Tensors keep their names
    /// and handles.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let h = g.exp(x).out_name("h").call()?;
    /// let y = g.add(h, 1.0).out_name("y").call()?;
    /// g.relu(h).out_name("z").call()?;
    /// let part = g.part(&[h], &[y])?;
    /// assert_eq!((part.inputs(), part.operators().len()), (&[h][..], 1));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if an output is not computed from the inputs alone, if an input is a coefficient, occurs twice, or is
    /// computed together with what is needed, or if a tensor belongs to a branch or loop.
    pub fn part(&self, inputs: &[Tensor], outputs: &[Tensor]) -> Result<Graph> {
        let given: HashSet<Tensor> = inputs.iter().copied().collect();
        for tensor in inputs.iter().chain(outputs) {
            let info = self.tensor(*tensor)?;
            if info.is_local || info.is_coefficient() {
                let expected = "expected inputs and results of operators, outside of branches and loops";
                return Err(argument("the part's tensors", format!("{:?}", info.name), expected));
            }
        }
        if given.len() < inputs.len() {
            let found = format!("a list with a repetition, of {}", pluralized(inputs.len(), "tensor"));
            return Err(argument("inputs", found, "expected each tensor once"));
        }
        let mut needed: HashSet<Tensor> = outputs.iter().copied().filter(|t| !given.contains(t)).collect();
        let mut dead = vec![true; self.operators().len()];
        for (operator, dead) in self.operators().iter().zip(&mut dead).rev() {
            if operator.outputs().any(|t| needed.contains(&t)) {
                *dead = false;
                needed.extend(operator.uses().into_iter().filter(|t| !given.contains(t)));
            }
        }
        self.check_part(&given, &needed, &dead)?;
        let mut part = self.clone();
        part.body.ungroup_calls(|i| dead[i]);
        let removed = part.body.remove(&dead);
        removed.into_iter().filter(|t| !given.contains(t)).for_each(|t| part.forget(t));
        let others: Vec<Tensor> = part.inputs().iter().copied().filter(|t| !given.contains(t)).collect();
        others.into_iter().for_each(|t| part.forget(t));
        let unused = |(t, info): &(Tensor, &super::TensorInfo)| info.is_coefficient() && !needed.contains(t);
        let unused: Vec<Tensor> = part.tensors().filter(unused).map(|(t, _)| t).collect();
        unused.into_iter().for_each(|t| part.forget(t));
        for input in inputs {
            part.change(*input, |info| (info.kind, info.of_call) = (TensorKind::Input, false));
        }
        part.updates.retain(|(variable, next)| needed.contains(variable) && needed.contains(next));
        part.body.arguments = inputs.to_vec();
        part.set_outputs(outputs)?;
        Ok(part)
    }

    /// # Errors
    /// Returns an error if operators of a part need an input of the graph that is not given, or compute one that is.
    fn check_part(&self, given: &HashSet<Tensor>, needed: &HashSet<Tensor>, dead: &[bool]) -> Result<()> {
        if let Some(missing) = self.inputs().iter().find(|t| needed.contains(t)) {
            let name = &self.tensor(*missing)?.name;
            return Err(argument("inputs", format!("without {name:?}"), "the outputs are computed from it, too"));
        }
        let live = self.operators().iter().zip(dead).filter(|(_, dead)| !**dead).map(|(operator, _)| operator);
        match live.flat_map(Operator::outputs).find(|t| given.contains(t)) {
            Some(both) => {
                let found = format!("{:?}", self.tensor(both)?.name);
                Err(argument("inputs", found, "it is computed together with what the outputs need"))
            }
            None => Ok(()),
        }
    }

    /// Divides the graph at boundaries, each of which is a list of tensors. The first part computes those of the first boundary, the
    /// next one those of the second, and so on; the last one computes the rest. Tensors that a later part needs are outputs of
    /// the part that computes them, and inputs of the later one, so the parts, run one after the other, compute what the graph does.
    /// Parts without operators are left out. Each part has the name of the graph and a number: `net_1`.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let a = g.exp(x).out_name("a").call()?;
    /// let b = g.relu(a).out_name("b").call()?;
    /// let y = g.add(b, a).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let parts = g.split_at(&[vec![b]])?;
    /// assert_eq!(parts[0].outputs(), [a, b]);
    /// assert_eq!((parts[1].name(), parts[1].inputs()), ("net_2", &[a, b][..]));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the graph has no outputs or has variables, if a tensor of a boundary is not computed by an operator
    /// outside of branches and loops, or if there are more than 1000 boundaries.
    pub fn split_at(&self, boundaries: &[Vec<Tensor>]) -> Result<Vec<Graph>> {
        self.check_complete()?;
        if !self.updates.is_empty() {
            return Err(argument("the graph", "one with variables", "a run replaces them, so it cannot be divided"));
        }
        if boundaries.len() > MAX_BOUNDARIES {
            let expected =
                format!("expected at most {MAX_BOUNDARIES}; each part keeps a table of all tensors of the graph");
            return Err(argument("the number of boundaries", boundaries.len(), expected));
        }
        let part_of = self.parts_of_operators(boundaries)?;
        let mut operators = vec![Vec::new(); boundaries.len() + 1];
        // The last part that uses each tensor.
        let mut last_use: HashMap<Tensor, usize> = HashMap::new();
        for (operator, part) in self.operators().iter().zip(part_of).filter_map(|(o, part)| Some((o, part?))) {
            operators[part].push(operator);
            for tensor in operator.uses() {
                let last = last_use.entry(tensor).or_default();
                *last = part.max(*last);
            }
        }
        last_use.extend(self.outputs().iter().map(|t| (*t, usize::MAX)));
        let computed = self.operators().iter().flat_map(Operator::outputs);
        let order: HashMap<Tensor, usize> = self.inputs().iter().copied().chain(computed).zip(0..).collect();
        let mut parts = Vec::new();
        for (part, operators) in operators.iter().enumerate() {
            let made: IndexSet<Tensor> = operators.iter().flat_map(|operator| operator.outputs()).collect();
            let outputs: Vec<Tensor> =
                made.iter().copied().filter(|t| last_use.get(t).is_some_and(|last| *last > part)).collect();
            let used: HashSet<Tensor> = operators.iter().flat_map(|operator| operator.uses()).collect();
            let mut inputs: Vec<Tensor> =
                used.into_iter().filter(|t| order.contains_key(t) && !made.contains(t)).collect();
            inputs.sort_unstable_by_key(|t| order[t]);
            if !outputs.is_empty() {
                let name = format!("{}_{}", self.name(), parts.len() + 1);
                parts.push(self.part(&inputs, &outputs)?.named(name)?);
            }
        }
        Ok(parts)
    }

    /// Returns the part of each operator; `None` if nothing needs it.
    fn parts_of_operators(&self, boundaries: &[Vec<Tensor>]) -> Result<Vec<Option<usize>>> {
        let mut part_of = vec![None; self.operators().len()];
        for (part, boundary) in boundaries.iter().map(Vec::as_slice).chain([self.outputs()]).enumerate() {
            let mut needed: HashSet<Tensor> = boundary.iter().copied().collect();
            for tensor in boundary {
                let info = self.tensor(*tensor)?;
                if info.kind != TensorKind::Value || info.is_local {
                    let expected = "expected results of operators, outside of branches and loops";
                    return Err(argument("a boundary", format!("{:?}", info.name), expected));
                }
            }
            for (operator, place) in self.operators().iter().zip(&mut part_of).rev() {
                if place.is_none() && operator.outputs().any(|t| needed.contains(&t)) {
                    *place = Some(part);
                    needed.extend(operator.uses());
                }
            }
        }
        Ok(part_of)
    }
}
