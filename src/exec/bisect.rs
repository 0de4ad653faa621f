//! Finding the operator that computes something else than a reference does.
use super::{Backend, Comparison, Feeds, Session, Tolerance, plan::TensorIndex};
use crate::{
    array::Array,
    base::{Dtype, Result, invalid},
    graph::{Graph, Operator, Tensor, TensorInfo},
};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

/// A result that differs from the reference's.
#[derive(Debug, Clone, PartialEq)]
pub struct Culprit {
    /// The tensor's name.
    pub tensor: String,
    /// The operator that computes it: its op (`Conv`).
    pub op: String,
    /// Number of operators that compute it from `inputs`: more than one if the reference lacks the tensors between them. Each of them may
    /// be the one that is wrong.
    pub operators: usize,
    /// The difference from the reference, which is the first of the two.
    pub comparison: Comparison,
    /// The tensors that it was computed from, as they are fed.
    pub inputs: IndexMap<String, Array>,
}

/// The operators that differ from a reference.
#[derive(Debug, Clone, Default)]
pub struct Bisection {
    /// The first that differs although it was fed the reference's tensors: it is wrong by itself.
    pub alone: Option<Culprit>,
    /// The first that differs in a run from the network's inputs on: by itself, or since its operands do.
    pub propagated: Option<Culprit>,
    /// Number of tensors that were compared.
    pub compared: usize,
    /// Tensors that the reference lacks. What reads them was computed together with them.
    pub missing: Vec<String>,
}

/// Compares each operator with a reference: the tensors of a run of the same network by another program, by name. Each is fed the
/// reference's tensors, so that its own errors are told from those of its operands. A tensor of another size differs.
///
/// `session` is that of the graph, prepared with [`FusionLevel::None`](super::FusionLevel::None), so that there are all tensors.
/// `feeds` are the network's inputs.
///
/// ```
/// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session, Tolerance, bisect}};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [2])?;
/// let h = g.exp(x).out_name("h").call()?;
/// let s = g.add(h, 1.0).out_name("s").call()?;
/// let y = g.ln(s).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().unfused(true))?;
/// let feeds = [("x", Array::from([0f32, 0.0]))];
/// // Another program, whose addition is wrong.
/// let theirs = [("h", [1f32, 1.0]), ("s", [2f32, 3.0]), ("y", [2f32.ln(), 3f32.ln()])];
/// let theirs = theirs.map(|(name, numbers)| (name.to_owned(), Array::from(numbers))).into_iter().collect();
/// let found = bisect(&g, &session, &feeds, &theirs, &Tolerance { cosine: 0.9999, euclidean: 0.999 })?;
/// assert_eq!(found.alone.map(|c| (c.tensor, c.operators)), Some(("s".to_owned(), 1)));
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Same as for [`Session::run`]. Also returns an error if the reference has none of the graph's tensors.
pub fn bisect<B: Backend>(
    graph: &Graph,
    session: &Session<B>,
    feeds: &(impl Feeds + ?Sized),
    reference: &IndexMap<String, Array>,
    tolerance: &Tolerance,
) -> Result<Bisection> {
    let fed: HashMap<&str, &Array> = feeds.feeds().collect();
    let network = Network::new(graph, reference, &fed);
    let mut found = Bisection::default();
    let difference = |name: &str, array: &Array| -> Result<Option<(String, Comparison)>> {
        let comparison = reference.get(name).map(|expected| Comparison::of(expected, array)).transpose()?;
        Ok(comparison
            .filter(|comparison| !comparison.passes(tolerance))
            .map(|comparison| (name.to_owned(), comparison)))
    };
    // From the inputs on.
    let mut differ = None;
    session.visit(feeds, &mut |name, array| {
        if differ.is_none() {
            differ = difference(name, array)?;
        }
        Ok(())
    })?;
    // Each from the reference's tensors.
    let mut differ_alone: HashMap<String, Comparison> = HashMap::new();
    session.visit_replacing(feeds, &network.last(session)?, &mut |name, array| {
        differ_alone.extend(difference(name, array)?);
        graph.lookup(name).map_or(Ok(None), |tensor| network.of_reference(graph.tensor(tensor)?))
    })?;
    for operator in graph.operators() {
        let (known, missing): (Vec<_>, Vec<_>) =
            network.names(operator)?.into_iter().partition(|name| reference.contains_key(name));
        if known.is_empty() {
            found.missing.extend(missing);
        }
        found.compared += known.len();
        for tensor in known {
            let culprit = |comparison| -> Result<Option<Culprit>> {
                let (inputs, operators) = network.sources(operator)?;
                let op = operator.op.name().to_owned();
                Ok(Some(Culprit { tensor: tensor.clone(), op, operators, comparison, inputs }))
            };
            if let Some((_, comparison)) = differ.take_if(|(name, _)| *name == tensor) {
                found.propagated = culprit(comparison)?;
            }
            if let (None, Some(comparison)) = (&found.alone, differ_alone.remove(&tensor)) {
                found.alone = culprit(comparison)?;
            }
        }
    }
    match found.compared {
        0 => Err(invalid("the reference has no tensor that the network computes, by name")),
        _ => Ok(found),
    }
}

/// A graph, and what is known of its tensors.
struct Network<'a> {
    graph: &'a Graph,
    reference: &'a IndexMap<String, Array>,
    fed: &'a HashMap<&'a str, &'a Array>,
    made_by: HashMap<Tensor, &'a Operator>,
}

impl<'a> Network<'a> {
    fn new(graph: &'a Graph, reference: &'a IndexMap<String, Array>, fed: &'a HashMap<&'a str, &'a Array>) -> Self {
        let of_operator = |o: &'a Operator| o.outputs().map(move |t| (t, o));
        let made_by = graph.operators().iter().flat_map(of_operator).collect();
        Network { graph, reference, fed, made_by }
    }
    fn names(&self, operator: &Operator) -> Result<Vec<String>> {
        operator.outputs().map(|t| Ok(self.graph.tensor(t)?.name.clone())).collect()
    }
    /// Returns the reference's tensors that no other one depends on. Computing them computes all.
    fn last<B: Backend>(&self, session: &Session<B>) -> Result<Vec<TensorIndex>> {
        let (mut last, mut read) = (Vec::new(), HashSet::new());
        for operator in self.graph.operators().iter().rev() {
            let unread = operator.outputs().filter(|t| !read.contains(t)).collect::<Vec<_>>();
            let mut is_needed = unread.len() < operator.outputs().count();
            for tensor in unread {
                let name = &self.graph.tensor(tensor)?.name;
                if self.reference.contains_key(name) {
                    last.push(session.find("tensor", name)?);
                    is_needed = true;
                }
            }
            if is_needed {
                read.extend(operator.uses());
            }
        }
        Ok(last)
    }
    /// Returns the reference's array of a tensor, unless it has another size.
    fn of_reference(&self, info: &TensorInfo) -> Result<Option<Array>> {
        let size = info.shape.iter().product::<usize>();
        let known = self.reference.get(&info.name).filter(|array| array.len() == size);
        known.map(|array| fitted(array, info)).transpose()
    }
    /// Returns the arrays that an operator is computed from: operands of the reference, or what those that it lacks are computed from.
    /// Also returns the number of operators that compute its results from them.
    fn sources(&self, operator: &Operator) -> Result<(IndexMap<String, Array>, usize)> {
        let (mut sources, mut operators) = (IndexMap::new(), HashSet::from([operator.outputs().next()]));
        let mut seen: HashSet<Tensor> = HashSet::new();
        let mut open: Vec<Tensor> = operator.uses();
        while let Some(tensor) = open.pop() {
            let info = self.graph.tensor(tensor)?;
            if info.is_local || info.is_coefficient() || !seen.insert(tensor) {
                continue;
            }
            let made_by = self.made_by.get(&tensor);
            match (made_by.map_or(Ok(None), |_| self.of_reference(info))?, made_by) {
                (Some(array), _) => drop(sources.insert(info.name.clone(), array)),
                (None, Some(operator)) => {
                    operators.insert(operator.outputs().next());
                    open.extend(operator.uses());
                }
                (None, None) => {
                    if let Some(array) = self.fed.get(info.name.as_str()) {
                        sources.insert(info.name.clone(), (*array).clone());
                    }
                }
            }
        }
        Ok((sources, operators.len()))
    }
}

/// Returns an array as a tensor is fed. The reference's shape may differ by axes of size 1, and it may have other floats.
fn fitted(array: &Array, tensor: &TensorInfo) -> Result<Array> {
    let dtype = if tensor.dtype.is_float() { Dtype::Float32 } else { tensor.dtype };
    let array = if array.dtype() == dtype { array.clone() } else { array.to_dtype(dtype)? };
    if array.shape() == tensor.shape { Ok(array) } else { array.reshaped(tensor.shape.as_slice()) }
}
