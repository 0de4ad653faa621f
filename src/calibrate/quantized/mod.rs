//! Networks as a chip computes them with 8-bit integers.
mod aligned;
mod attention;
mod canonical;
mod fixed;
mod kernel;
mod layer;
mod lowering;
mod modes;
mod products;
mod range;
mod ranges;
#[cfg(test)]
mod tests;

use super::{Mode, QuantizeTable, Table};
use crate::{
    array::Array,
    base::{Dtype, Result, invalid},
    exec::{CpuBackend, Feeds, RunOptions, Session},
    graph::{Graph, Tensor, TensorInfo},
    ops::{Attribute, Op},
};
pub(super) use aligned::aligned;
use attention::Attention;
use indexmap::IndexMap;
use kernel::Kernel;
use layer::Layer;
use lowering::Context;
pub(crate) use lowering::is_copy;
use modes::Defaults;
use products::Products;
use range::{Range, rounded_to_half};
use rayon::prelude::*;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::OnceLock,
};

/// A network as a chip computes it: with 8-bit integers where a calibration table has ranges, and with floats elsewhere. The arithmetic
/// is that of bm1684x, as TPU-MLIR 1.30 lowers INT8 networks for it: weights with a scale per channel, exact sums, and multipliers and
/// shifts of integers.
///
/// The layers are those of the canonical module, which the tool chain lowers: factors and summands per channel, a Relu and the like are
/// computed within the layer before, and have no integers of their own.
///
/// ```
/// use tpulang::{Array, Dtype, Graph, calibrate::{QuantizeTable, QuantizedNetwork, Table}};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [1, 2])?;
/// let y = g.matmul(x, Array::from_vec([2, 1], vec![1f32, 0.5])?).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let table = Table::parse("x 1.27 -1.27 1.27\ny 2.54 -2.54 2.54")?;
/// let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default())?;
/// // 0.994 is rounded to 0.99, and the product 1.49 to a multiple of 0.02.
/// let results = network.run(&[("x", Array::from_vec([1, 2], vec![0.994f32, 1.0])?)], &mut |_, _| Ok(()))?;
/// assert_eq!(results["y"].to_f32()?, [1.5]);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub struct QuantizedNetwork {
    graph: Graph,
    layers: Vec<Layer>,
    /// The integer arithmetic of each layer that has one.
    kernels: Vec<Option<Kernel>>,
    modes: Vec<Mode>,
    attentions: Vec<Attention>,
    /// The layers that run in F16 here although the chip computes them in integers, by index.
    unemulated: Vec<usize>,
    /// The layers with operands or results that are too large for float16, or all too small.
    beyond_half: HashSet<usize>,
    /// The layers with operands or results that are infinite, by index.
    infinite: BTreeSet<usize>,
    /// The sums that are the only readers of layers, by index.
    summed_by: HashMap<usize, usize>,
    ranges: HashMap<Tensor, Range>,
    products: Products,
    floats: Session<CpuBackend>,
    /// With coefficients that are rounded to 16 bits.
    halves: OnceLock<Session<CpuBackend>>,
    /// Without upper limits of Relus, for operators that compute integers. `None` if there are no limits.
    unlimited: OnceLock<Option<Session<CpuBackend>>>,
}

/// A tensor of a run.
#[derive(Clone)]
struct Value {
    /// Integers as stored, or numbers in float32.
    array: Array,
    form: Form,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Floats, or integers that are no real numbers, such as indices.
    Plain,
    /// Floats that were rounded to 16 bits.
    Half,
    /// Integers of the tensor's range.
    Stored,
}

/// Gets the real numbers of each tensor, by name.
type Visit<'v> = &'v mut dyn FnMut(&str, &Array) -> Result<()>;

/// The tensors of a run in floats, by which others are compared.
pub(super) type Exact = HashMap<Tensor, Array>;

impl QuantizedNetwork {
    /// Prepares a network of floats. Layers whose results have no range in `table` are computed in floats, and so are those that
    /// `modes` names.
    ///
    /// # Errors
    /// Returns an error if the network has integers already, `modes` names a layer that it lacks, or weights cannot be read.
    pub fn new(graph: &Graph, table: &Table, modes: &QuantizeTable) -> Result<QuantizedNetwork> {
        QuantizedNetwork::check(graph)?;
        let original = graph;
        let canonical = canonical::canonical(original)?;
        let graph = &canonical;
        let layers = layer::layers(graph)?;
        let ranges = ranges::Ranges::of(graph, &layers, table);
        let mut products = Products::new()?;
        let mut context = Context { graph, ranges: &ranges, products: &mut products };
        let kernels = layers.iter().map(|layer| context.kernel(layer)).collect::<Result<Vec<_>>>()?;
        let floats = by_layer(graph, &layers)?;
        let defaults = Defaults::of((graph, &layers), &kernels, &ranges, table)?;
        let attentions = attention::attentions(graph, &layers);
        let summed_by = layer::summed_by(graph, &layers);
        let (halves, unlimited) = (OnceLock::new(), OnceLock::new());
        let mut network = QuantizedNetwork {
            graph: canonical,
            layers,
            kernels,
            modes: defaults.modes,
            attentions,
            unemulated: defaults.unemulated,
            beyond_half: defaults.beyond_half,
            infinite: defaults.infinite,
            summed_by,
            ranges,
            products,
            floats,
            halves,
            unlimited,
        };
        network.set_modes(modes, original)?;
        Ok(network)
    }

    /// Checks that a network can be quantized, before it is calibrated.
    ///
    /// # Errors
    /// Returns an error if the network lacks data of a coefficient, or has quantized tensors already.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, Quantization, calibrate::QuantizedNetwork};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Int8, [1, 2])?;
    /// g.quantize(x, &Quantization::per_tensor(0.1, 0))?;
    /// let y = g.relu(x).call()?;
    /// g.set_outputs(&[y])?;
    /// let error = QuantizedNetwork::check(&g).unwrap_err();
    /// assert_eq!(error.to_string(), "the network is quantized already: \"x\" has a scale");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn check(graph: &Graph) -> Result<()> {
        graph.check_complete()?;
        match graph.tensors().find(|(_, info)| info.quantization.is_some()) {
            Some((_, info)) => Err(invalid(format!("the network is quantized already: {:?} has a scale", info.name))),
            None => Ok(()),
        }
    }

    /// Returns the results of layers without a range in the calibration table, which are therefore computed in floats. Canonical modules
    /// have layers that tables of the network lack; these are left out if they only move integers.
    pub fn uncalibrated(&self) -> Vec<&str> {
        let integers = QuantizeTable::of_integers(&self.graph).modes;
        let is_missing = |t: &Tensor| {
            let info = self.graph.tensor(*t);
            let needs_one = info.is_ok_and(|info| info.dtype.is_float() && !integers.contains_key(&info.name));
            needs_one && !self.ranges.contains_key(t)
        };
        let layers = self.layers.iter().filter(|layer| !matches!(layer.op, Op::Reshape(_)));
        let missing = layers.flat_map(Layer::stored_results).filter(is_missing);
        missing.filter_map(|t| Some(self.graph.tensor(t).ok()?.name.as_str())).collect()
    }

    /// Returns the output projections of attentions that the tool chain fuses into one operator, and that are INT8. The fused operator
    /// then has far larger errors than its layers, of which [`QuantizedNetwork::run`] has those only.
    pub fn fused_attentions(&self) -> Vec<&str> {
        let projections = self.attentions.iter().map(|attention| attention.projection);
        let integers = projections.filter(|i| self.modes[*i] == Mode::Int8);
        integers.filter_map(|i| self.name(i).ok()).collect()
    }

    /// Returns the layers that are computed in F16 although the chip computes them in integers, so that their INT8 errors are unknown:
    /// selections by a condition, comparisons, maxima, transposed convolutions with groups and others. Those that the quantize table
    /// makes floats are left out.
    pub fn unemulated(&self) -> Vec<&str> {
        self.unemulated.iter().filter_map(|i| self.name(*i).ok()).collect()
    }

    /// Returns the layers that the chip computes in F16 unless the quantize table names them, although float16 does not represent
    /// their numbers. (`calibrate --search` makes them F32.)
    pub fn beyond_half(&self) -> Vec<&str> {
        self.overflowing().filter_map(|i| self.name(i).ok()).collect()
    }

    /// The canonical network.
    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the name of each layer's result, with the dtypes that it is computed in.
    pub fn layers(&self) -> impl Iterator<Item = (&str, Mode)> {
        let name = |layer: &Layer| self.graph.tensor(layer.result).map_or("", |info| info.name.as_str());
        self.layers.iter().map(name).zip(self.modes.iter().copied())
    }

    /// Runs the network, and returns the real numbers of its outputs. `visit` gets the real numbers of each tensor, by name.
    ///
    /// # Errors
    /// Same as for [`Session::run`], and the first error of `visit`.
    pub fn run(
        &self,
        feeds: &(impl Feeds + ?Sized),
        visit: &mut dyn FnMut(&str, &Array) -> Result<()>,
    ) -> Result<IndexMap<String, Array>> {
        self.run_as(feeds, &self.modes, None, Some(visit))
    }

    /// Runs the network in other dtypes. Layers in float32 whose operands are those of `exact` have its results, too.
    pub(super) fn run_as(
        &self,
        feeds: &(impl Feeds + ?Sized),
        modes: &[Mode],
        exact: Option<&Exact>,
        mut visit: Option<Visit>,
    ) -> Result<IndexMap<String, Array>> {
        let mut values: HashMap<Tensor, Value> = HashMap::new();
        for (name, array) in self.floats.fed(feeds)? {
            values.insert(self.graph.find(&name)?, Value { array, form: Form::Plain });
        }
        let last_readers = self.last_readers();
        let mut changed: HashSet<Tensor> = HashSet::new();
        for (i, layer) in self.layers.iter().enumerate() {
            let is_exact = modes[i] == Mode::F32 && !layer.uses.iter().any(|t| changed.contains(t));
            match exact.filter(|_| is_exact) {
                Some(exact) => {
                    let known = layer.results().filter_map(|t| Some((t, exact.get(&t)?.clone())));
                    values.extend(known.map(|(t, array)| (t, Value { array, form: Form::Plain })));
                }
                None => {
                    changed.extend(layer.results());
                    for (tensor, value) in self.computed(i, modes, &values)? {
                        if let Some(visit) = &mut visit {
                            visit(&self.graph.tensor(tensor)?.name, &self.real(tensor, &value, false)?)?;
                        }
                        values.insert(tensor, value);
                    }
                }
            }
            for tensor in last_readers.get(&i).into_iter().flatten() {
                values.remove(tensor);
            }
        }
        let outputs = self.graph.outputs().iter();
        outputs
            .map(|t| {
                let name = self.graph.tensor(*t)?.name.clone();
                let value = values.get(t).ok_or_else(|| invalid(format!("the output {name:?} was not computed")))?;
                Ok((name, self.real(*t, value, false)?))
            })
            .collect()
    }

    /// The tensors that no layer reads after each layer.
    fn last_readers(&self) -> HashMap<usize, Vec<Tensor>> {
        let mut last: HashMap<Tensor, usize> = HashMap::new();
        for (i, layer) in self.layers.iter().enumerate() {
            last.extend(layer.uses.iter().map(|t| (*t, i)));
        }
        last.retain(|t, _| !self.graph.outputs().contains(t));
        let mut by_layer: HashMap<usize, Vec<Tensor>> = HashMap::new();
        last.into_iter().for_each(|(t, i)| by_layer.entry(i).or_default().push(t));
        by_layer
    }

    /// Computes the results of a layer.
    fn computed(&self, i: usize, modes: &[Mode], values: &HashMap<Tensor, Value>) -> Result<Vec<(Tensor, Value)>> {
        let (layer, mode) = (&self.layers[i], modes[i]);
        if let Some(value) = self.reshaped(layer, values)? {
            return Ok(vec![(layer.result, value)]);
        }
        if let (Mode::Int8, Some(kernel), Some(to)) = (mode, &self.kernels[i], self.ranges.get(&layer.result)) {
            let is_wide = self.summed_by.get(&i).is_some_and(|sum| modes[*sum] != Mode::Int8);
            let results = self.integers(layer, (kernel, is_wide), *to, values)?.into_iter();
            return Ok(results.map(|(t, array)| (t, Value { array, form: Form::Stored })).collect());
        }
        let in_half = mode != Mode::F32 && !layer.lacks_half(&self.graph);
        let mut fed = Vec::new();
        for tensor in &layer.uses {
            if let Some(value) = values.get(tensor) {
                let array = self.real(*tensor, value, in_half)?;
                let is_rounded = in_half && value.form == Form::Plain && array.dtype().is_float();
                fed.push((*tensor, if is_rounded { rounded_to_half(&array)? } else { array }));
            }
        }
        let results = self.in_floats(if in_half { self.halves()? } else { &self.floats }, layer, &fed)?;
        results
            .into_iter()
            .map(|(tensor, array)| {
                let is_half = in_half && array.dtype().is_float();
                // The tool chain's executor leaves the results of a LayerNorm as they are, and whatever is only moved.
                let is_rounded = is_half && !matches!(layer.op, Op::LayerNorm(_)) && !lowering::is_copy(&layer.op);
                let array = if is_rounded { rounded_to_half(&array)? } else { array };
                Ok((tensor, Value { array, form: if is_half { Form::Half } else { Form::Plain } }))
            })
            .collect()
    }

    /// Returns the result of a Reshape of floats, which stay what they are.
    fn reshaped(&self, layer: &Layer, values: &HashMap<Tensor, Value>) -> Result<Option<Value>> {
        let Op::Reshape(op) = &layer.op else { return Ok(None) };
        let Some(value) = values.get(&op.input).filter(|value| value.form != Form::Stored) else { return Ok(None) };
        let array = value.array.reshaped(self.graph.tensor(layer.result)?.shape.as_slice())?;
        Ok(Some(Value { array, form: value.form }))
    }

    /// Returns the session whose coefficients are rounded to 16 bits, but for those that the chip keeps in float32.
    fn halves(&self) -> Result<&Session<CpuBackend>> {
        if let Some(session) = self.halves.get() {
            return Ok(session);
        }
        let mut graph = self.graph.clone();
        let exact: HashSet<Tensor> = self.layers.iter().filter_map(Layer::exact_bias).collect();
        let is_rounded = |(t, info): &(Tensor, &TensorInfo)| info.dtype == Dtype::Float32 && !exact.contains(t);
        let coefficients = self.graph.tensors().filter(is_rounded).filter_map(|(t, info)| Some((t, info.data()?)));
        for (tensor, data) in coefficients {
            graph.set_data(tensor, rounded_to_half(data)?)?;
        }
        let session = by_layer(&graph, &self.layers)?;
        Ok(self.halves.get_or_init(|| session))
    }

    /// Returns the session whose Relus have no upper limit, which would be compared with integers.
    fn unlimited(&self) -> Result<&Session<CpuBackend>> {
        const LIMIT: &str = "relu_limit";
        let is_limited = |op: &Op<Tensor>| matches!(op.attributes().get(LIMIT), Some(Attribute::Float(x)) if *x > 0.0);
        if let Some(session) = self.unlimited.get() {
            return Ok(session.as_ref().unwrap_or(&self.floats));
        }
        let limited = self.graph.operators().iter().filter(|operator| is_limited(&operator.op));
        let limited: Vec<Tensor> = limited.filter_map(|operator| operator.outputs().next()).collect();
        let session = if limited.is_empty() {
            None
        } else {
            let mut graph = self.graph.clone();
            for result in limited {
                graph.set_attribute(result, LIMIT, Some(Attribute::Float(-1.0)))?;
            }
            Some(by_layer(&graph, &self.layers)?)
        };
        Ok(self.unlimited.get_or_init(|| session).as_ref().unwrap_or(&self.floats))
    }

    /// Runs a layer's operators in floats.
    fn in_floats(
        &self,
        session: &Session<CpuBackend>,
        layer: &Layer,
        fed: &[(Tensor, Array)],
    ) -> Result<Vec<(Tensor, Array)>> {
        let name = |t: Tensor| Ok(self.graph.tensor(t)?.name.as_str());
        // An operator may read a tensor twice.
        let fed = fed.iter().map(|(t, array)| Ok((name(*t)?, array.clone()))).collect::<Result<IndexMap<_, _>>>()?;
        let fed: Vec<_> = fed.into_iter().collect();
        let results: Vec<Tensor> = layer.stored_results().collect();
        let wanted = results.iter().map(|t| name(*t)).collect::<Result<Vec<_>>>()?;
        let mut found = session.fetch_from(&fed[..], &wanted)?;
        let pairs = results.into_iter().zip(wanted);
        Ok(pairs.filter_map(|(t, name)| Some((t, found.shift_remove(name)?))).collect())
    }

    /// Computes the stored results of a layer in integers.
    fn integers(
        &self,
        layer: &Layer,
        (kernel, is_wide): (&Kernel, bool),
        to: Range,
        values: &HashMap<Tensor, Value>,
    ) -> Result<Vec<(Tensor, Array)>> {
        let only = |array: Array| vec![(layer.result, array)];
        let stored = |t: Tensor| values.get(&t).map(|value| self.stored(t, value)).transpose();
        let operands: Vec<Tensor> = layer.operands().collect();
        let first = operands.first().map(|t| stored(*t)).transpose()?.flatten();
        if let (Kernel::Products { index, multipliers, rounding, wide }, Some(first)) = (kernel, &first) {
            let second = operands.get(1).map(|t| stored(*t)).transpose()?.flatten();
            let sums = self.products.run(*index, first, second.as_ref())?;
            return match wide.filter(|_| is_wide) {
                Some(multiplier) => kernel::requantized_to_wide(&sums, multiplier),
                None => kernel::requantized(&sums, (multipliers, *rounding), to, layer.has_relu),
            }
            .map(only);
        }
        if let (Kernel::Table, Some(tensor), Some(first)) = (kernel, operands.first(), &first) {
            return self.looked_up(layer, (*tensor, first), to).map(only);
        }
        if let Some(done) = first.as_ref().map(|q| kernel.element_wise(q, to, layer.has_relu)).transpose()?.flatten() {
            return Ok(only(done));
        }
        let mut fed = Vec::new();
        for (i, tensor) in operands.iter().enumerate() {
            let integers = stored(*tensor)?;
            if let Some(array) = kernel.prepared(i, integers.as_ref())? {
                fed.push((*tensor, array));
            }
        }
        let computed = self.in_floats(self.unlimited()?, layer, &fed)?;
        computed.iter().map(|(t, array)| Ok((*t, kernel.finished(array, to)?))).collect()
    }

    /// Returns the integers that a table of the chip has for the integers of a tensor: a function of their real numbers.
    fn looked_up(&self, layer: &Layer, (tensor, integers): (Tensor, &Array), to: Range) -> Result<Array> {
        let value = Value { array: integers.clone(), form: Form::Stored };
        let reals = self.real(tensor, &value, false)?;
        let (numbers, has_pole) = match &layer.op {
            // The chip's function has no epsilon.
            Op::Rsqrt(_) => (reals.to_f32()?.into_iter().map(|x| x.sqrt().recip()).collect(), true),
            op => {
                let computed = self.in_floats(&self.floats, layer, &[(tensor, reals)])?;
                let numbers = computed.first().map(|(_, array)| array.to_f32()).transpose()?.unwrap_or_default();
                (numbers, matches!(op, Op::Pow(op) if op.exponent < 0.0))
            }
        };
        let scale = to.scale();
        // The tool chain's tables have 0 for a pole.
        let is_pole = |q: f32| has_pole && q == 0.0;
        let entry = |(x, q): (f32, f32)| if is_pole(q) { 0 } else { (f64::from(x) / scale).round() as i64 };
        to.stored(integers.shape(), numbers.into_par_iter().zip(integers.to_f32()?).map(entry))
    }

    /// Returns the integers of a tensor.
    fn stored(&self, tensor: Tensor, value: &Value) -> Result<Array> {
        match self.ranges.get(&tensor) {
            Some(range) if value.form != Form::Stored => range.quantized(&value.array, value.form == Form::Half),
            _ => Ok(value.array.clone()),
        }
    }

    /// Returns the real numbers of a tensor.
    fn real(&self, tensor: Tensor, value: &Value, in_half: bool) -> Result<Array> {
        match self.ranges.get(&tensor) {
            Some(range) if value.form == Form::Stored => range.real(&value.array, in_half),
            _ => Ok(value.array.clone()),
        }
    }

    pub(super) fn name(&self, layer: usize) -> Result<&str> {
        Ok(&self.graph.tensor(self.layers[layer].result)?.name)
    }
    /// Returns all tensors of a run in floats.
    pub(super) fn exact(&self, feeds: &(impl Feeds + ?Sized)) -> Result<Exact> {
        let mut all = Exact::new();
        let modes = vec![Mode::F32; self.layers.len()];
        let mut insert = |name: &str, array: &Array| {
            all.insert(self.graph.find(name)?, array.clone());
            Ok(())
        };
        self.run_as(feeds, &modes, None, Some(&mut insert))?;
        Ok(all)
    }
}

/// Returns a session that keeps a plan for each layer. Only the first layer is prepared before it is needed.
fn by_layer(graph: &Graph, layers: &[Layer]) -> Result<Session<CpuBackend>> {
    let first = layers.first().map(|layer| graph.tensor(layer.result).map(|info| info.name.clone())).transpose()?;
    Session::new(graph, CpuBackend::new(), &RunOptions::default().kept_plans(layers.len()).fetched(first))
}
