//! The parts of an output that several tensors are moved to.
use crate::{
    CpuBackend, RunOptions, Session,
    array::Array,
    base::{Dtype, Result},
    graph::{Graph, Operator, Tensor, TensorInfo},
    ops::{AddConst, Op},
    random::moves,
};
use indexmap::{IndexMap, IndexSet};
use std::collections::{HashMap, HashSet};

/// The label of the first source. Constants that are concatenated are unlikely to have such numbers, and float32 represents them.
const FIRST: usize = 1 << 20;
/// The attribute that has the upper limit of a Relu.
const LIMIT: &str = "relu_limit";
/// An output of more parts counts as one.
const MAX_PARTS: usize = 64;

/// Which numbers of an output are moved from which tensor.
///
/// A detector often returns boxes of hundreds of pixels and scores from 0 to 1 in one tensor, the result of a Concat. The error of the
/// whole says nothing about the scores.
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
/// assert_eq!(parts.sources().iter().map(|source| &source.tensor).collect::<Vec<_>>(), ["boxes", "scores"]);
/// assert_eq!(parts.split(&[200, 300, 0, 1]), [[200, 300], [0, 1]]);
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    sources: Vec<Source>,
    /// The source of each number by its index, or another number for constants.
    labels: Vec<usize>,
}

/// A tensor that the numbers of a part are moved from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the tensor.
    pub tensor: String,
    /// Whether its numbers are converted integers, such as the labels of a detector.
    pub is_integer: bool,
}

impl Parts {
    /// Returns the parts of each output that has several, by its name. Arithmetic with constants, such as a factor, may follow where the
    /// parts are joined. Outputs are left out if their numbers come from more than 64 tensors or are not float32.
    ///
    /// # Errors
    /// Returns an error if a coefficient has no data, or memory runs out.
    pub fn of_outputs(graph: &Graph) -> Result<HashMap<String, Parts>> {
        let walk = Walk::new(graph);
        let mut outputs: Vec<(Tensor, IndexSet<Tensor>)> = Vec::new();
        for output in graph.outputs() {
            let sources = walk.sources(*output).filter(|sources| sources.len() > 1);
            outputs.extend(sources.map(|sources| (*output, sources)));
        }
        if outputs.is_empty() {
            return Ok(HashMap::new());
        }
        let all: IndexSet<Tensor> = outputs.iter().flat_map(|(_, sources)| sources).copied().collect();
        let labelled = walk.labelled(&all, &outputs.iter().map(|(output, _)| *output).collect::<Vec<_>>())?;
        let mut parts = HashMap::new();
        for (output, sources) in outputs {
            let name = graph.tensor(output)?.name.clone();
            let Some(array) = labelled.get(&name) else { continue };
            let source =
                |label: f64| all.get_index((label as usize).wrapping_sub(FIRST)).filter(|_| label.fract() == 0.0);
            let place = |label: f64| source(label).and_then(|t| sources.get_index_of(t)).unwrap_or(usize::MAX);
            let labels = array.to_f64()?.into_iter().map(place).collect();
            let sources = sources.iter().map(|t| walk.source(*t)).collect::<Result<_>>()?;
            parts.insert(name, Parts { sources, labels });
        }
        Ok(parts)
    }

    /// Returns the tensors that the parts are moved from.
    pub fn sources(&self) -> &[Source] {
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

/// A graph with the operators that compute its tensors.
struct Walk<'g> {
    graph: &'g Graph,
    made_by: HashMap<Tensor, &'g Operator>,
}

impl<'g> Walk<'g> {
    fn new(graph: &'g Graph) -> Walk<'g> {
        let made_by = graph.operators().iter().flat_map(|operator| operator.outputs().map(move |t| (t, operator)));
        Walk { graph, made_by: made_by.collect() }
    }

    fn is_float32(&self, tensor: Tensor) -> bool {
        self.graph.tensor(tensor).is_ok_and(|info| info.dtype == Dtype::Float32 && info.quantization.is_none())
    }

    fn is_coefficient(&self, tensor: Tensor) -> bool {
        self.graph.tensor(tensor).is_ok_and(TensorInfo::is_coefficient)
    }

    /// Returns the operands whose numbers become those of a result in other places.
    fn moved(&self, tensor: Tensor) -> Option<Vec<Tensor>> {
        let op = &self.made_by.get(&tensor)?.op;
        let operands: Vec<Tensor> = op.operands().map(|(_, t)| *t).filter(|t| !self.is_coefficient(*t)).collect();
        (moves(op) && operands.iter().all(|t| self.is_float32(*t))).then_some(operands)
    }

    /// Returns the operand of arithmetic with constants that keeps each number in its place.
    fn scaled(&self, tensor: Tensor) -> Option<Tensor> {
        let op = &self.made_by.get(&tensor)?.op;
        let is_arithmetic = matches!(
            op,
            Op::Add(_)
                | Op::AddConst(_)
                | Op::Clip(_)
                | Op::Div(_)
                | Op::MaxConst(_)
                | Op::MinConst(_)
                | Op::Mul(_)
                | Op::MulConst(_)
                | Op::Relu(_)
                | Op::Scale(_)
                | Op::Sub(_)
                | Op::SubConst(_)
        );
        let mut operands = op.operands().map(|(_, t)| *t).filter(|t| !self.is_coefficient(*t));
        let (Some(operand), None) = (operands.next(), operands.next()) else { return None };
        let shape = |t| self.graph.tensor(t).ok().map(|info| &info.shape);
        (is_arithmetic && shape(operand) == shape(tensor)).then_some(operand)
    }

    /// Returns the computed tensors that the numbers of an output are moved from; `None` if there are too many, or if they are not
    /// float32.
    fn sources(&self, output: Tensor) -> Option<IndexSet<Tensor>> {
        let (mut sources, mut seen) = (IndexSet::new(), HashSet::new());
        // Only the arithmetic that follows the Concat is looked through.
        let mut left = vec![(output, false)];
        while let Some((tensor, is_joined)) = left.pop() {
            if !seen.insert(tensor) {
                continue;
            }
            if !self.is_float32(tensor) || sources.len() >= MAX_PARTS {
                return None;
            }
            match (self.moved(tensor), self.scaled(tensor).filter(|_| !is_joined)) {
                // The first operand comes first.
                (Some(operands), _) => {
                    let is_joined = is_joined || operands.len() > 1;
                    left.extend(operands.into_iter().rev().map(|t| (t, is_joined)));
                }
                (None, Some(operand)) => left.push((operand, false)),
                (None, None) => drop(sources.insert(tensor)),
            }
        }
        Some(sources)
    }

    fn source(&self, tensor: Tensor) -> Result<Source> {
        let cast = self.made_by.get(&tensor).filter(|operator| matches!(operator.op, Op::Cast(_)));
        let is_integer = |t: Tensor| self.graph.tensor(t).is_ok_and(|info| !info.dtype.is_float());
        let is_integer = cast.is_some_and(|operator| operator.op.operands().any(|(_, t)| is_integer(*t)));
        Ok(Source { tensor: self.graph.tensor(tensor)?.name.clone(), is_integer })
    }

    /// Computes the outputs with a label of its own in place of all numbers of each source, and without arithmetic.
    fn labelled(&self, sources: &IndexSet<Tensor>, outputs: &[Tensor]) -> Result<IndexMap<String, Array>> {
        let labels = (FIRST..).zip(sources).map(|(label, t)| {
            let info = self.graph.tensor(*t)?;
            Ok((info.name.clone(), Array::filled(Dtype::Float32, info.shape.as_slice(), label as f64)?))
        });
        let feeds = labels.collect::<Result<Vec<_>>>()?;
        let mut part = self.graph.part(&sources.iter().copied().collect::<Vec<_>>(), outputs)?;
        let results: Vec<Tensor> = part.operators().iter().flat_map(Operator::outputs).collect();
        for result in results {
            if let Some(operand) = self.scaled(result) {
                part.replace_operator(result, AddConst::new(operand, 0.0).into())?;
            } else if self.made_by.get(&result).is_some_and(|operator| operator.op.attributes().get(LIMIT).is_some()) {
                // Labels are beyond the limits of Relus.
                part.set_attribute(result, LIMIT, None)?;
            }
        }
        Session::new(&part, CpuBackend::new(), &RunOptions::default())?.run(&feeds[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Cast, Concat};

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
        let sources = |parts: &Parts| parts.sources().iter().map(|source| source.tensor.clone()).collect::<Vec<_>>();
        let parts = &all[name(y)];
        assert_eq!(sources(parts), ["a", "b", "c"]);
        let numbers: Vec<usize> = (0..20).collect();
        let expected = [vec![0, 1, 2, 6, 7, 8], vec![3, 4, 5, 9, 10, 11], (14..20).collect()];
        assert_eq!(parts.split(&numbers), expected);
        assert_eq!(sources(&all[name(first)]), ["a", "b"]);
        assert!(!all.contains_key(name(last)));
    }

    #[test]
    fn parts_of_a_concat_with_a_limited_relu_are_whole() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2]).unwrap();
        let inputs = ["a", "b"].map(|name| g.exp(x).out_name(name).call().unwrap()).to_vec();
        let concat = Concat { do_relu: true, relu_limit: 6.0, ..Concat::new(inputs) };
        let y = g.op(concat).out_name("y").call().unwrap();
        g.set_outputs(&y).unwrap();
        assert_eq!(Parts::of_outputs(&g).unwrap()["y"].split(&[1, 2, 3, 4]), [[1, 2], [3, 4]]);
    }

    /// Labels are converted integers, and factors may follow the Concat.
    #[test]
    fn parts_are_found_before_arithmetic_with_constants() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 1]).unwrap();
        let label = g.input("label", Dtype::Int32, [2, 1]).unwrap();
        let boxes = g.exp(x).out_name("boxes").call().unwrap();
        let cast = Cast { to: "F32".to_owned(), ..Cast::new(label) };
        let label = g.op(cast).out_dtypes([Dtype::Float32]).out_name("label_f").call().unwrap()[0];
        let joined = g.concat(vec![boxes, label]).axis(1).call().unwrap();
        let scaled = g.mul(joined, Array::from([0.5f32, 1.0])).call().unwrap();
        let y = g.relu(scaled).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let parts = &Parts::of_outputs(&g).unwrap()["y"];
        let source = |tensor: &str, is_integer| Source { tensor: tensor.to_owned(), is_integer };
        assert_eq!(parts.sources(), [source("boxes", false), source("label_f", true)]);
        assert_eq!(parts.split(&[1, 2, 3, 4]), [[1, 3], [2, 4]]);
    }
}
