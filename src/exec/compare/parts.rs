//! The parts of an output that several tensors are moved to.
use crate::{
    CpuBackend, RunOptions, Session,
    array::Array,
    base::{Dtype, Result},
    graph::{Graph, Operator, Tensor},
    random::moves,
};
use indexmap::{IndexMap, IndexSet};
use std::collections::{HashMap, HashSet};

/// The label of the first source. Constants that are concatenated are unlikely to have such numbers, and float32 represents them.
const FIRST: usize = 1 << 20;
/// An output of more parts counts as one.
const MAX_PARTS: usize = 64;

/// Which numbers of an output are moved from which tensor.
///
/// A detector often returns boxes of hundreds of pixels and scores from 0 to 1 in one tensor, the result of a Concat. The error of the
/// whole tells nothing about the scores.
///
/// ```
/// use tpulang::{Dtype, Graph, exec::Parts};
/// let mut g = Graph::new("detector")?;
/// let x = g.input("x", Dtype::Float32, [1, 2])?;
/// let boxes = g.mul(x, 100.0).out_name("boxes").call()?;
/// let scores = g.sigmoid(x).out_name("scores").call()?;
/// let y = g.concat(vec![boxes, scores]).axis(0).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let parts = &Parts::of_outputs(&g)?["y"];
/// assert_eq!(parts.sources(), ["boxes", "scores"]);
/// assert_eq!(parts.split(&[200, 300, 0, 1]), [[200, 300], [0, 1]]);
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    sources: Vec<String>,
    /// The source of each number by its index, or another number for constants.
    labels: Vec<usize>,
}

impl Parts {
    /// Returns the parts of each output that has several, by its name. Outputs are left out if their numbers come from more than 64
    /// tensors, or have not been float32 all the way.
    ///
    /// # Errors
    /// Returns an error if a coefficient has no data, or memory runs out.
    pub fn of_outputs(graph: &Graph) -> Result<HashMap<String, Parts>> {
        let movers = movers(graph);
        let mut outputs: Vec<(Tensor, IndexSet<Tensor>)> = Vec::new();
        for output in graph.outputs() {
            let sources = sources(graph, &movers, *output).filter(|sources| sources.len() > 1);
            outputs.extend(sources.map(|sources| (*output, sources)));
        }
        if outputs.is_empty() {
            return Ok(HashMap::new());
        }
        let all: IndexSet<Tensor> = outputs.iter().flat_map(|(_, sources)| sources).copied().collect();
        let labelled = labelled(graph, &all, &outputs.iter().map(|(output, _)| *output).collect::<Vec<_>>())?;
        let mut parts = HashMap::new();
        for (output, sources) in outputs {
            let name = graph.tensor(output)?.name.clone();
            let Some(array) = labelled.get(&name) else { continue };
            let source =
                |label: f64| all.get_index((label as usize).wrapping_sub(FIRST)).filter(|_| label.fract() == 0.0);
            let place = |label: f64| source(label).and_then(|t| sources.get_index_of(t)).unwrap_or(usize::MAX);
            let labels = array.to_f64()?.into_iter().map(place).collect();
            let names = sources.iter().map(|t| Ok(graph.tensor(*t)?.name.clone())).collect::<Result<Vec<_>>>()?;
            parts.insert(name, Parts { sources: names, labels });
        }
        Ok(parts)
    }

    /// Returns the tensors that the parts are moved from.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Returns the numbers of each part. Further numbers than the output has are left out.
    pub fn split<T: Copy>(&self, numbers: &[T]) -> Vec<Vec<T>> {
        let mut parts = vec![Vec::new(); self.sources.len()];
        for (number, label) in numbers.iter().zip(&self.labels) {
            if let Some(part) = parts.get_mut(*label) {
                part.push(*number);
            }
        }
        parts
    }
}

/// The operators that only move numbers, by their results.
type Movers<'g> = HashMap<Tensor, &'g Operator>;

fn movers(graph: &Graph) -> Movers<'_> {
    let moving = graph.operators().iter().filter(|operator| moves(&operator.op));
    moving.flat_map(|operator| operator.outputs().map(move |t| (t, operator))).collect()
}

/// Returns the computed tensors that the numbers of an output are moved from; `None` if there are too many, or if a tensor on the way has
/// another dtype than float32.
fn sources(graph: &Graph, movers: &Movers, output: Tensor) -> Option<IndexSet<Tensor>> {
    let (mut sources, mut seen, mut left) = (IndexSet::new(), HashSet::new(), vec![output]);
    while let Some(tensor) = left.pop() {
        let info = graph.tensor(tensor).ok()?;
        if !seen.insert(tensor) {
            continue;
        }
        let operator = movers.get(&tensor);
        if operator.is_none() && info.is_coefficient() {
            continue;
        }
        if info.dtype != Dtype::Float32 || info.quantization.is_some() || sources.len() >= MAX_PARTS {
            return None;
        }
        match operator {
            // The first operand comes first.
            Some(operator) => {
                left.extend(operator.op.operands().map(|(_, t)| *t).collect::<Vec<_>>().into_iter().rev())
            }
            None => drop(sources.insert(tensor)),
        }
    }
    Some(sources)
}

/// Computes the outputs with a label of its own in place of all numbers of each source.
fn labelled(graph: &Graph, sources: &IndexSet<Tensor>, outputs: &[Tensor]) -> Result<IndexMap<String, Array>> {
    let labels = (FIRST..).zip(sources).map(|(label, t)| {
        let info = graph.tensor(*t)?;
        Ok((info.name.clone(), Array::filled(Dtype::Float32, info.shape.as_slice(), label as f64)?))
    });
    let feeds = labels.collect::<Result<Vec<_>>>()?;
    let part = graph.part(&sources.iter().copied().collect::<Vec<_>>(), outputs)?;
    Session::new(&part, CpuBackend::new(), &RunOptions::default())?.run(&feeds[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes and scores of two scales, as YOLOv5 has them, and a constant.
    #[test]
    fn parts_are_found_through_reshapes_and_nested_concats() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| g.exp(x).out_name(name).call().unwrap());
        let first = g.concat(vec![a, b]).axis(1).call().unwrap();
        let first = g.reshape(first, [12]).call().unwrap();
        let last = g.reshape(c, [6]).call().unwrap();
        let constant = g.coefficient("constant", Array::from([1f32, -2.0])).unwrap();
        let y = g.concat(vec![first, constant, last]).axis(0).call().unwrap();
        g.set_outputs(&[first, last, y]).unwrap();
        let all = Parts::of_outputs(&g).unwrap();
        let name = |t| g.tensor(t).unwrap().name.as_str();
        let parts = &all[name(y)];
        assert_eq!(parts.sources(), ["a", "b", "c"]);
        let numbers: Vec<usize> = (0..20).collect();
        let expected = [vec![0, 1, 2, 6, 7, 8], vec![3, 4, 5, 9, 10, 11], (14..20).collect()];
        assert_eq!(parts.split(&numbers), expected);
        assert_eq!(all[name(first)].sources(), ["a", "b"]);
        assert!(!all.contains_key(name(last)));
    }
}
