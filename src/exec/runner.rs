use super::{Backend, CpuBackend, Task, Typed};
use crate::{
    array::{Array, as_declared, available_memory, byte_text},
    graph::{
        Cause, Dtype, Error, Graph, Operator, Result, Tensor, TensorInfo, TensorKind, argument, nearest, shape_text,
    },
    quant::Quantization,
};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Keep every tensor that is computed, not only the outputs.
    pub all: bool,
    /// Refuse to run operators that the backend lacks on the CPU instead.
    pub strict: bool,
    /// Threads of the CPU kernels; 0 means as many as there are cores.
    pub threads: usize,
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct RunResults {
    /// Outputs, or with [`RunOptions::all`] all computed tensors, by name, in the order of computation.
    pub tensors: IndexMap<String, Array>,
    /// How many operators ran where: `cpu: 41 ops`; for a fallback also which.
    pub summary: String,
}

/// Runs a graph on `feeds`, one array an input, by name.
///
/// Floats are computed, and returned, in float32, whatever their dtype; integers in their own. Tensors are freed
/// after their last use.
///
/// # Errors
/// A feed is missing, unknown, or of another shape or dtype; a coefficient has no data; the memory is not enough; an
/// index is out of range; with `strict`, the backend lacks an op.
pub fn run<B: Backend + Sync>(
    graph: &Graph,
    feeds: &IndexMap<String, Array>,
    backend: &B,
    options: &RunOptions,
) -> Result<RunResults>
where
    B::Buffer: Send,
{
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads.min(256))
        .build()
        .map_err(|e| argument("threads", options.threads, e))?;
    pool.install(|| {
        let run = Run::new(graph, backend, options)?;
        run.go(feeds)
    })
}

struct Run<'a, B: Backend> {
    graph: &'a Graph,
    backend: &'a B,
    cpu: CpuBackend,
    options: &'a RunOptions,
    quantization: Vec<Option<Quantization>>,
    /// The operator that uses each tensor last.
    last_use: Vec<usize>,
}

impl<'a, B: Backend> Run<'a, B> {
    fn new(graph: &'a Graph, backend: &'a B, options: &'a RunOptions) -> Result<Self> {
        graph.check_complete()?;
        let mut last_use = vec![0; graph.tensors().count()];
        for (i, operator) in graph.operators().iter().enumerate() {
            for t in operator.operands.iter().flatten().chain(&operator.results) {
                last_use[t.0 as usize] = i;
            }
        }
        for t in graph.outputs() {
            last_use[t.0 as usize] = usize::MAX;
        }
        let run = Run {
            graph,
            backend,
            cpu: CpuBackend::new(),
            options,
            quantization: graph.propagated_quantization()?,
            last_use,
        };
        run.check_memory()?;
        Ok(run)
    }

    /// The largest sum of tensors that live together must fit the memory.
    fn check_memory(&self) -> Result<()> {
        let size = |t: Tensor| {
            self.graph.tensor(t).map_or(0, |i| (i.elements() as u64).saturating_mul(i.dtype.size().max(4) as u64))
        };
        let (mut live, mut peak, mut at) = (0u64, 0u64, 0);
        for (i, operator) in self.graph.operators().iter().enumerate() {
            live = operator.results.iter().fold(live, |n, &t| n.saturating_add(size(t)));
            if live > peak {
                (peak, at) = (live, i);
            }
            if !self.options.all {
                live = live.saturating_sub(self.freed_after(i).map(size).sum());
            }
        }
        let available = available_memory();
        if peak > available {
            let name = self.graph.operators()[at]
                .results
                .first()
                .and_then(|t| self.graph.tensor(*t).ok())
                .map_or("", |t| &t.name);
            let what = format!("running the graph (at its peak, when {name:?} is computed)");
            let limit = format!("{} are available", byte_text(available));
            return Err(Cause::TooLarge { what, needed: byte_text(peak), limit }.into());
        }
        Ok(())
    }

    /// Computed tensors that the operator uses last.
    fn freed_after(&self, index: usize) -> impl Iterator<Item = Tensor> + '_ {
        let operator = &self.graph.operators()[index];
        let mut used: Vec<Tensor> = operator.operands.iter().flatten().chain(&operator.results).copied().collect();
        used.sort();
        used.dedup();
        used.into_iter().filter(move |t| self.last_use[t.0 as usize] == index)
    }

    fn go(&self, feeds: &IndexMap<String, Array>) -> Result<RunResults> {
        let mut buffers: Vec<Option<B::Buffer>> = vec![None; self.last_use.len()];
        for (tensor, array) in self.checked_feeds(feeds)? {
            buffers[tensor.0 as usize] = Some(self.backend.upload(&array)?);
        }
        let mut tensors = IndexMap::new();
        let mut fallback: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, operator) in self.graph.operators().iter().enumerate() {
            let results = self.operator(i, operator, &mut buffers, &mut fallback)?;
            for (&tensor, buffer) in operator.results.iter().zip(results) {
                if self.options.all || self.graph.outputs().contains(&tensor) {
                    tensors.insert(self.graph.tensor(tensor)?.name.clone(), self.backend.download(&buffer)?);
                }
                buffers[tensor.0 as usize] = Some(buffer);
            }
            for freed in self.freed_after(i) {
                buffers[freed.0 as usize] = None;
            }
        }
        self.backend.synchronise()?;
        Ok(RunResults { tensors, summary: self.summary(&fallback) })
    }

    fn summary(&self, fallback: &BTreeMap<&str, usize>) -> String {
        let there: usize = fallback.values().sum();
        let mut text = format!("{}: {} ops", self.backend.name(), self.graph.operators().len() - there);
        if there > 0 {
            let list: Vec<_> = fallback.iter().map(|(op, n)| format!("{op} x{n}")).collect();
            text += &format!(", cpu: {}", list.join(", "));
        }
        text
    }

    fn operator<'o>(
        &self,
        index: usize,
        operator: &'o Operator,
        buffers: &mut [Option<B::Buffer>],
        fallback: &mut BTreeMap<&'o str, usize>,
    ) -> Result<Vec<B::Buffer>> {
        let here = self.backend.supports(operator.op.name);
        if !here && self.options.strict {
            let problem = format!(
                "the backend {} has no kernel for it, and strict forbids running it on the cpu",
                self.backend.name()
            );
            return Err(Cause::Operator { op: operator.op.name.into(), problem }.into());
        }
        let mut operands = Vec::with_capacity(operator.operands.len());
        for operand in &operator.operands {
            operands.push(match operand {
                None => None,
                Some(t) => Some((self.typed(*t)?, self.buffer(*t, buffers)?)),
            });
        }
        let results = operator.results.iter().map(|&t| self.typed(t)).collect::<Result<Vec<_>>>()?;
        let task = Task { op: operator.op, attributes: &operator.attributes, operands, results };
        let done = if here {
            self.backend.run(&task)
        } else {
            self.on_cpu(&task).inspect(|_| *fallback.entry(operator.op.name).or_default() += 1)
        };
        done.map_err(|e| {
            let rows = task.operands.iter().flatten().zip(0..8);
            let context = crate::graph::CallContext {
                function: format!("top.{}", operator.op.name),
                out: task.results.first().map(|t| t.info.name.clone()),
                index,
                operands: rows
                    .map(|((t, _), i)| [format!("operand {i}"), t.info.name.clone(), t.info.type_text()])
                    .collect(),
            };
            e.in_call(context)
        })
    }

    fn on_cpu(&self, task: &Task<B::Buffer>) -> Result<Vec<B::Buffer>> {
        let operands = task
            .operands
            .iter()
            .map(|o| o.as_ref().map(|(t, b)| Ok((*t, self.backend.download(b)?))).transpose())
            .collect::<Result<Vec<_>>>()?;
        let on_cpu = Task { op: task.op, attributes: task.attributes, operands, results: task.results.clone() };
        self.cpu.run(&on_cpu)?.iter().map(|a| self.backend.upload(a)).collect()
    }

    fn typed(&self, tensor: Tensor) -> Result<Typed<'_>> {
        let quantization = self.quantization.get(tensor.0 as usize).and_then(Option::as_ref);
        Ok(Typed { info: self.graph.tensor(tensor)?, quantization })
    }

    /// The values of a tensor; a coefficient's are moved in at its first use.
    fn buffer(&self, tensor: Tensor, buffers: &mut [Option<B::Buffer>]) -> Result<B::Buffer> {
        if let Some(Some(buffer)) = buffers.get(tensor.0 as usize) {
            return Ok(buffer.clone());
        }
        let info = self.graph.tensor(tensor)?;
        let TensorKind::Coefficient(Some(data)) = &info.kind else {
            return Err(Cause::MissingData(format!("the tensor {:?} has no values", info.name)).into());
        };
        let buffer = self.backend.upload(&for_compute(data)?)?;
        buffers[tensor.0 as usize] = Some(buffer.clone());
        Ok(buffer)
    }

    fn checked_feeds(&self, feeds: &IndexMap<String, Array>) -> Result<Vec<(Tensor, Array)>> {
        let inputs =
            self.graph.inputs().iter().map(|&t| self.graph.tensor(t).map(|i| (t, i))).collect::<Result<Vec<_>>>()?;
        let mut errors: Vec<Error> = Vec::new();
        for name in feeds.keys().filter(|n| !inputs.iter().any(|(_, i)| i.name == **n)) {
            let nearest = nearest(name, inputs.iter().map(|(_, i)| i.name.as_str()));
            errors.push(Cause::UnknownName { kind: "input", name: name.clone(), nearest }.into());
        }
        let mut checked = Vec::new();
        for (tensor, info) in inputs {
            match feeds.get(&info.name) {
                None => errors.push(
                    Cause::MissingData(format!("the input {:?} ({}) is not fed", info.name, info.type_text())).into(),
                ),
                Some(array) => match checked_feed(info, array) {
                    Ok(array) => checked.push((tensor, array)),
                    Err(e) => errors.push(e),
                },
            }
        }
        Error::collect(errors)?;
        Ok(checked)
    }
}

/// A feed has the input's shape and dtype; any float may be fed as float32, and float16 as its bits.
fn checked_feed(info: &TensorInfo, array: &Array) -> Result<Array> {
    if array.shape() == info.shape {
        if array.dtype() == Dtype::Float32 && info.dtype.is_float() {
            return Ok(array.clone());
        }
        if let Ok(array) = as_declared(array.clone(), info.dtype, &info.shape) {
            return for_compute(&array);
        }
    }
    let found = format!("{} {}", shape_text(array.shape()), array.dtype());
    let or = if info.dtype.is_float() && info.dtype != Dtype::Float32 { " (or float32)" } else { "" };
    let expected = format!("the input is {}{or}", info.type_text());
    Err(argument(format!("the array fed to {:?}", info.name), found, expected))
}

/// Floats as float32, aligned.
fn for_compute(array: &Array) -> Result<Array> {
    if array.dtype().is_float() { array.to_dtype(Dtype::Float32) } else { Ok(array.clone()) }
}
