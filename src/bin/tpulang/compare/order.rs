//! The order in which a model computes its tensors.
use super::Compared;
use std::collections::HashMap;
use tpulang::{Graph, exec::Pair};

pub struct Order<'g> {
    graph: &'g Graph,
    positions: HashMap<&'g str, usize>,
}

impl<'g> Order<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        let mut positions = HashMap::new();
        let names = |tensors: &[tpulang::Tensor]| -> Vec<&'g str> {
            tensors.iter().filter_map(|t| graph.tensor(*t).ok()).map(|info| info.name.as_str()).collect()
        };
        for name in names(graph.inputs()) {
            positions.insert(name, positions.len());
        }
        graph.body().walk(&mut |operator| {
            for name in graph.result_names(operator) {
                let next = positions.len();
                positions.entry(name).or_insert(next);
            }
        });
        Order { graph, positions }
    }
    /// The position of the tensor that a pair is about; those that the model does not have are last.
    pub fn position(&self, pair: &Pair) -> usize {
        self.of_name(pair).map_or(usize::MAX, |(_, position)| position)
    }
    fn of_name<'p>(&self, pair: &'p Pair) -> Option<(&'p str, usize)> {
        let names = [&pair.first, &pair.second].into_iter().flatten();
        names.filter_map(|name| Some((name.as_str(), *self.positions.get(name.as_str())?))).next()
    }
    /// Returns the first tensor whose values fail, and what computes it: `computed by top.Conv`. Tensors are in order.
    pub fn first_divergence(&self, tensors: &[Compared]) -> Option<(String, String)> {
        let differs = |t: &&Compared| {
            let is_missing = t.pair.first.is_none() || t.pair.second.is_none();
            !t.passes && !is_missing
        };
        let found = tensors.iter().find(differs)?;
        let (name, _) = self.of_name(&found.pair)?;
        let made_by = match self.graph.find_operator(name) {
            Ok(operator) => format!("computed by top.{}", operator.op.name()),
            Err(_) => "an input of the model".to_owned(),
        };
        Some((name.to_owned(), made_by))
    }
}
