//! Execution plans: the operators needed for the requested tensors, rewritten by [`Rule`]s, their kernels, and the tensors
//! freed after each step.

mod attention;
mod branches;
mod control;
mod explain;
mod layout;
mod memory;
mod network;
mod padding;
mod parts;
mod per_channel;
mod permutations;
mod quantized;
mod rewrite_graph;
mod row_table;
mod rules;
mod shared_kernels;
mod stored;
#[cfg(test)]
mod tests;
mod weight_budget;
mod work;
mod written;

pub(super) use control::{BlockPlan, ControlFlow};
pub(super) use network::{Network, Operation, TensorEntry, TensorIndex};
pub(super) use rewrite_graph::{Node, for_compute, signature};
pub(super) use row_table::{RowTable, Rows};

use super::{
    Backend, FusionLevel, Kernel, Recorder, RunOptions,
    placement::{PlacedKernel, Placement},
};
use crate::{
    array::Array,
    base::{CallContext, Error, MAX_ERRORS, Result, misfit},
    graph::Graph,
    heap::Gaps,
};
use rewrite_graph::RewriteGraph;
use rules::Rule;
use shared_kernels::SharedKernels;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use weight_budget::WeightBudget;

/// The steps of a run, in execution order.
pub(super) struct Plan<B: Backend> {
    pub steps: Vec<Step<B>>,
    /// Tensors that are dead after each step.
    pub freed: Vec<Vec<TensorIndex>>,
    /// All tensors, those of the network first.
    pub tensors: Vec<Option<TensorEntry>>,
    /// Constants that rules made and that kernels have in a form of their own.
    pub packed: HashSet<TensorIndex>,
    /// Uploaded constants, those that kernels read.
    pub constants: HashMap<TensorIndex, B::Buffer>,
    /// Number of times each rule was applied.
    applied: Vec<(Rule, usize)>,
    /// Peak memory of results and workspace in bytes, and the step that reaches it.
    peak: (u64, usize),
    /// The tensors that wanted ones are views of: [`written::sources`].
    pub sources: HashMap<TensorIndex, TensorIndex>,
    /// What preparation has freed.
    pub gaps: Gaps,
    /// The backend's recorder of this plan's runs.
    pub recorder: Option<Box<dyn Recorder<B::Buffer>>>,
}

/// Operators that run as one kernel, or control flow.
pub(super) struct Step<B: Backend> {
    pub node: Node,
    pub kernel: StepKernel<B>,
    pub operands: Vec<TensorIndex>,
    pub outputs: Vec<TensorIndex>,
}

pub(super) enum StepKernel<B: Backend> {
    /// Prepared with the plan.
    Kept(Arc<PlacedKernel<B::Kernel>>),
    /// Prepared on every run and dropped, as its weights do not fit in memory.
    Streamed(Streamed),
    /// Runs the plans of blocks.
    Control(Box<ControlFlow<B>>),
}

/// Where the steps of a plan run.
pub(super) struct PlanPlacement {
    /// Whether no step streams its weights.
    pub is_repeatable: bool,
    /// Whether a step runs on the host: on the CPU, or as control flow.
    pub has_host_steps: bool,
}

/// Metadata of a streamed kernel.
pub(super) struct Streamed {
    pub on_cpu: bool,
    /// Bytes that the prepared kernel takes, with its weights.
    pub workspace: u64,
    /// The table of which only some rows are read.
    pub table: Option<RowTable>,
}

impl<B: Backend> StepKernel<B> {
    /// Whether the operators run on the CPU because the backend lacks them.
    pub fn is_on_cpu(&self) -> bool {
        match self {
            StepKernel::Kept(kernel) => kernel.is_on_cpu(),
            StepKernel::Streamed(streamed) => streamed.on_cpu,
            StepKernel::Control(_) => false,
        }
    }
    /// Workspace in bytes.
    pub fn workspace(&self) -> u64 {
        match self {
            StepKernel::Kept(kernel) => kernel.workspace(),
            StepKernel::Streamed(streamed) => streamed.workspace,
            StepKernel::Control(control) => control.workspace,
        }
    }
}

/// A kernel, and the constants that it reads at run time.
pub(super) struct Prepared<K> {
    pub kernel: Arc<PlacedKernel<K>>,
    pub reads: Vec<(TensorIndex, Array)>,
    /// Bytes of the other constants that were read from a file or converted, and are freed already.
    pub freed: u64,
}

fn bytes(array: &Array) -> u64 {
    (array.len() as u64).saturating_mul(array.dtype().size() as u64)
}

/// Returns the indices of the operators that are needed to compute `wanted` from `fed`.
///
/// # Errors
/// Returns an error if an input is needed and not fed, or if results are wanted of which all are fed.
pub(super) fn needed(network: &Network, fed: &[TensorIndex], wanted: &[TensorIndex]) -> Result<Vec<usize>> {
    let fed: HashSet<TensorIndex> = fed.iter().copied().collect();
    let known = |t: &TensorIndex| fed.contains(t) || network.entry(*t).is_ok_and(|s| s.constant.is_some());
    let (mut needed, mut missing) = (vec![false; network.operators.len()], HashSet::new());
    let mut open: Vec<TensorIndex> = wanted.iter().filter(|t| !known(t)).copied().collect();
    let result = wanted.iter().find(|t| network.made_by.get(t.0).is_some_and(Option::is_some));
    if let (Some(result), true) = (result, open.is_empty()) {
        let name = &network.entry(*result)?.ty.name;
        return Err(misfit(
            format!("the array fed to {name:?}:"),
            "it leaves nothing to compute; feed the inputs instead",
        ));
    }
    while let Some(tensor) = open.pop() {
        match network.made_by.get(tensor.0).copied().flatten() {
            None => drop(missing.insert(tensor)),
            Some(at) if !needed[at] => {
                needed[at] = true;
                open.extend(network.operators[at].operands().filter(|t| !known(t)));
            }
            Some(_) => {}
        }
    }
    let is_missing = network.inputs.iter().chain(&missing).filter(|t| missing.contains(t));
    let mut reported = HashSet::new();
    let errors = is_missing.filter(|t| reported.insert(**t)).map(|t| Err(network.entry(*t)?.not_fed()));
    Error::collect(errors.filter_map(Result::<()>::err).take(MAX_ERRORS + 1).collect())?;
    Ok((0..needed.len()).filter(|i| needed[*i]).collect())
}

/// Returns the results of all operators; or, if other tensors are fed than the inputs, of those that the outputs need.
///
/// # Errors
/// Returns an error if an input is needed and not fed.
pub(super) fn computed(graph: &Graph, network: &Network, fed: &[TensorIndex]) -> Result<Vec<TensorIndex>> {
    let all = |tensors: &[TensorIndex]| tensors.iter().copied().collect::<HashSet<_>>();
    let operators: Vec<usize> = match all(&network.fed()) == all(fed) {
        true => (0..network.operators.len()).collect(),
        false => {
            let outputs: Vec<_> = graph.outputs().iter().map(|t| TensorIndex(t.index())).collect();
            needed(network, fed, &outputs)?
        }
    };
    Ok(operators.into_iter().flat_map(|i| network.operators[i].outputs()).collect())
}

impl<B: Backend> Plan<B> {
    /// Returns where the steps run. Control flow counts as a step on the host.
    pub fn placement(&self) -> PlanPlacement {
        let host = |step: &Step<B>| match &step.kernel {
            StepKernel::Control(_) => true,
            kernel => kernel.is_on_cpu(),
        };
        PlanPlacement {
            is_repeatable: self.steps.iter().all(|step| !matches!(step.kernel, StepKernel::Streamed(_))),
            has_host_steps: self.steps.iter().any(host),
        }
    }
    /// Creates the plan for these feeds and wanted tensors, within the available memory.
    ///
    /// # Errors
    /// Returns an error if an input is missing, an op has no kernel (with `strict`, none in the backend), or memory does not
    /// suffice for the coefficients.
    pub fn new(
        network: &Network,
        placement: &Placement<B>,
        (fed, wanted): (&[TensorIndex], &[TensorIndex]),
        options: &RunOptions,
        available: fn(&B) -> u64,
    ) -> Result<Plan<B>> {
        let needed = needed(network, fed, wanted)?;
        let mut kept = [wanted, &placement.kept(network)].concat();
        if options.fusion == FusionLevel::Layouts {
            kept.extend(needed.iter().flat_map(|i| network.operators[*i].outputs()));
        }
        let mut graph = RewriteGraph::new(network, &needed, fed, &kept);
        let rules: &[Rule] = match options.fusion {
            FusionLevel::Full => &Rule::ALL,
            // The others remove tensors.
            FusionLevel::Layouts => &[Rule::Layout],
            FusionLevel::None => &[],
        };
        let streams_weights =
            weight_budget::is_exceeded(&graph, options.weight_budget, || available(&placement.backend));
        let applied = rules::rewrite(&mut graph, placement, rules, streams_weights)?;
        let (tensors, nodes) = graph.into_nodes();
        let steps = nodes.into_iter().map(|node| {
            let kernel = StepKernel::Streamed(Streamed { on_cpu: false, workspace: 0, table: None });
            Step { operands: node.operands(), outputs: node.outputs().collect(), node, kernel }
        });
        let (steps, constants) = (steps.collect(), HashMap::new());
        let recorder = placement.backend.recorder();
        let (freed, sources, packed) = (Vec::new(), HashMap::new(), HashSet::new());
        let gaps = Gaps::default();
        let mut plan =
            Plan { steps, freed, tensors, packed, constants, applied, peak: (0, 0), sources, gaps, recorder };
        plan.freed = plan.last_uses(wanted);
        plan.prepare(network, placement, wanted, options, available)?;
        plan.peak = memory::peak(&plan);
        plan.sources = written::sources(&plan, wanted);
        Ok(plan)
    }

    /// Prepares the kernels and uploads the constants that they read, as long as memory suffices. Constants that the network does not
    /// have were made by rules.
    fn prepare(
        &mut self,
        network: &Network,
        placement: &Placement<B>,
        wanted: &[TensorIndex],
        options: &RunOptions,
        available: fn(&B) -> u64,
    ) -> Result<()> {
        let mut budget = WeightBudget::new(self, options.weight_budget, || available(&placement.backend));
        let (mut ready, mut read_later) = (HashMap::<TensorIndex, Array>::new(), HashSet::<TensorIndex>::new());
        let mut shared = placement.shares_kernels().then(|| SharedKernels::new(self));
        let is_given = |t: TensorIndex| network.entry(t).is_ok_and(|entry| entry.constant.is_some());
        for i in 0..self.steps.len() {
            let step = &self.steps[i];
            if step.node.has_blocks() {
                let control = self.control_flow(&step.node, placement, (options, available), &mut budget)?;
                ready.extend(self.constants_of_control_flow(&step.node, &control)?);
                control.blocks.iter().for_each(|block| self.gaps.merge(&block.plan.gaps));
                read_later.extend(step.node.operands());
                self.steps[i].kernel = StepKernel::Control(Box::new(control));
                continue;
            }
            let table = self.row_table(&step.node).filter(|of| budget.reads_rows && !ready.contains_key(&of.table));
            let key = shared.as_ref().map(|shared| shared.key(self, &step.node)).transpose()?.flatten();
            let prepared = match key.as_ref().and_then(|key| shared.as_ref()?.find(key)) {
                Some(kernel) => Ok(Prepared { kernel, reads: Vec::new(), freed: 0 }),
                None => self.prepared(&step.node, placement, &ready, table),
            };
            let Prepared { kernel, reads, mut freed } = prepared.map_err(|e| e.in_call(self.context(&step.node)))?;
            let read = reads.iter().map(|(t, _)| *t).collect();
            self.steps[i].kernel = match budget.keep(self, &step.operands, &read, table) {
                Ok(()) => {
                    ready.extend(reads);
                    if let (Some(shared), Some(key)) = (&mut shared, key) {
                        shared.add(key, kernel.clone());
                    }
                    StepKernel::Kept(kernel)
                }
                Err(weights) => {
                    read_later.extend(&step.operands);
                    let workspace = weights.saturating_add(kernel.workspace());
                    StepKernel::Streamed(Streamed { on_cpu: kernel.is_on_cpu(), workspace, table })
                }
            };
            let last = self.freed[i].iter().filter(|t| !is_given(**t) && !read_later.contains(t));
            for t in last {
                let entry = self.tensors[t.0].as_mut();
                if let Some(constant) = entry.and_then(|entry| entry.constant.take()) {
                    if constant.source_path().is_none() && !ready.contains_key(t) {
                        freed = freed.saturating_add(bytes(&constant));
                    }
                    self.packed.insert(*t);
                }
            }
            self.gaps.add(freed, budget.total);
        }
        for t in wanted {
            if let Some(array) = &self.entry(*t)?.constant {
                ready.insert(*t, for_compute(array)?);
            }
        }
        for (t, array) in ready {
            let array = self.entry(t)?.ty.buffered(&array)?;
            self.constants.insert(t, placement.backend.upload(&array)?);
        }
        Ok(())
    }

    /// Prepares the kernel of a node; `ready` has the constants that are converted already. A `table` is not read: the kernel
    /// gets its rows at run time.
    ///
    /// # Errors
    /// Returns an error if there is no kernel, a constant cannot be read, or memory runs out.
    pub fn prepared(
        &self,
        node: &Node,
        placement: &Placement<B>,
        ready: &HashMap<TensorIndex, Array>,
        table: Option<RowTable>,
    ) -> Result<Prepared<B::Kernel>> {
        let mut own: HashMap<TensorIndex, Array> = HashMap::new();
        let constant = |t: TensorIndex| -> Result<Option<Array>> {
            let is_table = table.is_some_and(|of| of.table == t);
            let Some(array) = self.entry(t)?.constant.as_ref().filter(|_| !is_table) else { return Ok(None) };
            if let Some(array) = ready.get(&t).or_else(|| own.get(&t)) {
                return Ok(Some(array.clone()));
            }
            let array = for_compute(array)?;
            own.insert(t, array.clone());
            Ok(Some(array))
        };
        let mut signature = signature(node, |t| self.entry(t), constant)?;
        table.iter().for_each(|of| of.narrow(&mut signature));
        let kernel = Arc::new(placement.prepare(&signature)?);
        let operands = node.operands();
        let read = operands.iter().enumerate().filter(|(place, _)| kernel.reads(*place)).map(|(_, t)| *t);
        let reads = read.filter_map(|t| Some((t, own.remove(&t)?))).collect();
        let is_copy =
            |constant: &Array, array: &Array| constant.source_path().is_some() || constant.dtype() != array.dtype();
        let copies = own.iter().filter(|(t, array)| {
            self.entry(**t).is_ok_and(|entry| entry.constant.as_ref().is_some_and(|constant| is_copy(constant, array)))
        });
        let freed = copies.map(|(_, array)| bytes(array)).fold(0, u64::saturating_add);
        Ok(Prepared { kernel, reads, freed })
    }

    /// Returns the first error recorded by a kernel. All work must be complete.
    pub fn check_faults(&self) -> Result<()> {
        self.take_errors().into_iter().next().map_or(Ok(()), Err)
    }

    /// Takes the errors that kernels have recorded. Every kernel is queried, or the next run would report a stale error.
    fn take_errors(&self) -> Vec<Error> {
        let errors = |step: &Step<B>| match &step.kernel {
            StepKernel::Kept(kernel) => {
                kernel.take_error().map(|e| e.in_call(self.context(&step.node))).into_iter().collect()
            }
            StepKernel::Streamed(_) => Vec::new(),
            StepKernel::Control(control) => control.blocks.iter().flat_map(|block| block.plan.take_errors()).collect(),
        };
        self.steps.iter().flat_map(errors).collect()
    }

    /// Visits every step, each before those in its blocks, with the number of plans visited before its own.
    pub fn walk<'p>(&'p self, plans: &mut usize, visit: &mut dyn FnMut(usize, &'p Step<B>)) {
        let own = *plans;
        *plans += 1;
        for step in &self.steps {
            visit(own, step);
            if let StepKernel::Control(control) = &step.kernel {
                control.blocks.iter().for_each(|block| block.plan.walk(plans, visit));
            }
        }
    }

    /// Returns the tensors whose last use is each step, except the wanted ones.
    fn last_uses(&self, wanted: &[TensorIndex]) -> Vec<Vec<TensorIndex>> {
        let mut last_use = vec![None; self.tensors.len()];
        for (at, step) in self.steps.iter().enumerate() {
            step.operands.iter().chain(&step.outputs).for_each(|t| last_use[t.0] = Some(at));
        }
        wanted.iter().for_each(|t| last_use[t.0] = None);
        let mut freed = vec![Vec::new(); self.steps.len()];
        for (t, at) in last_use.iter().enumerate() {
            at.iter().for_each(|at| freed[*at].push(TensorIndex(t)));
        }
        freed
    }

    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn entry(&self, tensor: TensorIndex) -> Result<&TensorEntry> {
        network::entry(&self.tensors, tensor)
    }
    /// The context for an error of a node: its first operator, since those fused into it cannot fail.
    pub fn context(&self, node: &Node) -> CallContext {
        let Some(stage) = node.stages.first() else { return CallContext::default() };
        let rows = stage.op.operands().filter_map(|(name, t)| Some((name, self.entry(*t).ok()?)));
        let row =
            |(name, entry): (&str, &TensorEntry)| [name.to_owned(), entry.ty.name.clone(), entry.type_text.clone()];
        CallContext {
            function: format!("top.{}", stage.op.name()),
            out: stage.outputs().next().and_then(|t| self.entry(t).ok()).map(|s| s.ty.name.clone()),
            index: stage.origin.call,
            operands: rows.take(8).map(row).collect(),
        }
    }
}
