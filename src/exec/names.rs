//! The names of the tensors that a session can be fed and asked for.
use super::plan::{Network, TensorIndex};
use crate::{
    base::{Cause, Result, Suggestions, argument, misfit, truncated},
    graph::Graph,
};
use std::collections::{HashMap, HashSet};

/// Names are listed in messages if there are at most this many.
const MAX_LISTED: usize = 12;

pub(super) struct Names {
    by_name: HashMap<String, TensorIndex>,
    /// Tensors of branches and loops.
    within_blocks: HashSet<String>,
    suggestions: Suggestions,
}

impl Names {
    pub fn new(graph: &Graph, network: &Network) -> Names {
        let (mut by_name, mut within_blocks) = (HashMap::new(), HashSet::new());
        for (tensor, info) in graph.tensors() {
            match network.tensors.get(tensor.index()) {
                Some(Some(_)) => drop(by_name.insert(info.name.clone(), TensorIndex(tensor.index()))),
                _ => drop(within_blocks.insert(info.name.clone())),
            }
        }
        Names { by_name, within_blocks, suggestions: Suggestions::default() }
    }
    pub fn get(&self, name: &str) -> Option<TensorIndex> {
        self.by_name.get(name).copied()
    }
    /// # Errors
    /// Returns an error if there is no tensor of this name, with the most similar input or tensor, or if it is in a block.
    pub fn find(&self, kind: &'static str, name: &str, network: &Network) -> Result<TensorIndex> {
        if let Some(tensor) = self.get(name) {
            return Ok(tensor);
        }
        if self.within_blocks.contains(name) {
            let problem = "it is within a branch or loop; only tensors outside of them can be fed or fetched";
            return Err(misfit(format!("the tensor {name:?}:"), problem));
        }
        let inputs = network.inputs.iter().filter_map(|i| network.entry(*i).ok());
        let inputs: Vec<&str> = inputs.map(|s| s.ty.name.as_str()).collect();
        let is_input = kind == "input";
        let nearest = match is_input {
            true => self.suggestions.nearest(name, inputs.iter().copied()),
            false => self.suggestions.nearest(name, self.by_name.keys().map(String::as_str)),
        };
        let known = inputs.iter().filter(|_| is_input && inputs.len() <= MAX_LISTED);
        let known = known.map(|name| (*name).to_owned()).collect();
        Err(Cause::UnknownName { kind, name: truncated(name), nearest, known }.into())
    }
    /// Finds the tensors that an option lists. `kind` says what they are called in messages.
    ///
    /// # Errors
    /// Returns an error if there is no tensor of a name, or if a name is given twice.
    pub fn all(
        &self,
        (option, kind): (&str, &'static str),
        names: &[String],
        network: &Network,
    ) -> Result<Vec<TensorIndex>> {
        let mut seen = HashSet::new();
        let find = |name: &String| match self.find(kind, name, network)? {
            tensor if seen.insert(tensor) => Ok(tensor),
            _ => Err(argument(option, format!("{:?} twice", truncated(name)), "expected each name once")),
        };
        names.iter().map(find).collect()
    }
}
