//! What a session does for given feeds and wanted tensors: the operators that are needed, rewritten by [`Rule`]s, each made
//! a kernel, and what is freed after each.

mod attention;
mod draft;
mod explain;
mod layout;
mod memory;
mod network;
mod room;
mod rules;
#[cfg(test)]
mod tests;
mod work;

pub(super) use draft::{Node, for_compute};
pub(super) use network::{Network, Operation, Slot};

use super::{Backend, CpuBackend, RunOptions};
use crate::{
    array::Array,
    base::{CallContext, Cause, Error, MAX_ERRORS, Result},
    ops::OpDef,
};
use draft::{Draft, signature};
use room::Room;
use rules::Rule;
use std::collections::{HashMap, HashSet};

/// What a run does, in order.
pub(super) struct Plan<B: Backend> {
    pub steps: Vec<Step<B::Kernel>>,
    /// What nobody reads any more after each step.
    pub freed: Vec<Vec<usize>>,
    /// Tensors, those of the network first; constants as they are for computing.
    pub tensors: Vec<Option<Slot>>,
    /// Constants that kernels read, in place.
    pub constants: HashMap<usize, B::Buffer>,
    /// How often each rule did something.
    applied: Vec<(Rule, usize)>,
    /// The most bytes that results and kernels take at once, and the step at which they do.
    peak: (u64, usize),
    /// What the backend remembers of it.
    pub memo: B::Memo,
}

/// Operators that are ready to run as one.
pub(super) struct Step<K> {
    pub node: Node,
    pub kernel: Kernel<K>,
    pub operands: Vec<usize>,
    pub outputs: Vec<usize>,
}

pub(super) enum Kernel<K> {
    Here(K),
    /// The backend declined.
    OnCpu(Box<<CpuBackend as Backend>::Kernel>),
    /// Prepared in each run anew, and forgotten: the memory is not enough for its weights beside others.
    Streamed(Streamed),
}

/// What is known of a kernel that is not there.
pub(super) struct Streamed {
    pub on_cpu: bool,
    /// Bytes that it takes while it is there, with its weights.
    pub temporary: u64,
}

impl<K> Kernel<K> {
    pub fn is_on_cpu(&self) -> bool {
        match self {
            Kernel::Here(_) => false,
            Kernel::OnCpu(_) => true,
            Kernel::Streamed(streamed) => streamed.on_cpu,
        }
    }
}

/// A kernel, and the constants that it reads when it runs.
pub(super) struct Prepared<K> {
    pub kernel: Kernel<K>,
    pub reads: Vec<(usize, Array)>,
}

/// The operators that `wanted` need, given what is fed.
fn needed(network: &Network, fed: &[usize], wanted: &[usize]) -> Result<Vec<usize>> {
    let fed: HashSet<usize> = fed.iter().copied().collect();
    let known = |t: &usize| fed.contains(t) || network.slot(*t).is_ok_and(|s| s.constant.is_some());
    let (mut needed, mut missing) = (vec![false; network.operators.len()], HashSet::new());
    let mut open: Vec<usize> = wanted.iter().filter(|t| !known(t)).copied().collect();
    while let Some(tensor) = open.pop() {
        match network.made_by.get(tensor).copied().flatten() {
            None => drop(missing.insert(tensor)),
            Some(at) if !needed[at] => {
                needed[at] = true;
                open.extend(network.operators[at].op.operands().map(|(_, t)| *t).filter(|t| !known(t)));
            }
            Some(_) => {}
        }
    }
    let is_missing = network.inputs.iter().chain(&missing).filter(|t| missing.contains(t));
    let mut told = HashSet::new();
    let errors = is_missing.filter(|t| told.insert(**t)).map(|t| {
        let slot = network.slot(*t)?;
        let problem = format!("the input {:?} ({}) is not fed", slot.ty.name, slot.type_text);
        Err(Cause::MissingData(problem).into())
    });
    Error::collect(errors.filter_map(Result::<()>::err).take(MAX_ERRORS + 1).collect())?;
    Ok((0..needed.len()).filter(|i| needed[*i]).collect())
}

impl<B: Backend> Plan<B> {
    /// For these feeds and wanted tensors, in so much memory.
    ///
    /// # Errors
    /// An input is missing, an op has no kernel (with `strict`: none of the backend), or the memory is not enough for the
    /// coefficients.
    pub fn new(
        network: &Network,
        backends: (&B, &CpuBackend),
        (fed, wanted): (&[usize], &[usize]),
        options: &RunOptions,
        available: fn(&B) -> u64,
    ) -> Result<Plan<B>> {
        let mut draft = Draft::new(network, &needed(network, fed, wanted)?, fed, wanted);
        let applied = if options.unfused { Vec::new() } else { rules::rewrite(&mut draft, backends.0)? };
        let (tensors, nodes) = draft.into_nodes();
        let steps = nodes.into_iter().map(|node| {
            let kernel = Kernel::Streamed(Streamed { on_cpu: false, temporary: 0 });
            Step { operands: node.operands(), outputs: node.outputs().collect(), node, kernel }
        });
        let (steps, constants) = (steps.collect(), HashMap::new());
        let mut plan =
            Plan { steps, freed: Vec::new(), tensors, constants, applied, peak: (0, 0), memo: B::Memo::default() };
        plan.freed = plan.last_uses(wanted);
        plan.prepare(backends, wanted, options, available)?;
        plan.peak = memory::peak(&plan, backends);
        Ok(plan)
    }

    /// Makes the kernels, and puts the constants in place that they read, as long as there is room.
    fn prepare(
        &mut self,
        backends: (&B, &CpuBackend),
        wanted: &[usize],
        options: &RunOptions,
        available: fn(&B) -> u64,
    ) -> Result<()> {
        let mut room = Room::new(self, options.weight_budget, || available(backends.0));
        let mut ready: HashMap<usize, Array> = HashMap::new();
        for i in 0..self.steps.len() {
            let step = &self.steps[i];
            let prepared = self.prepared(&step.node, backends, &ready, options.strict);
            let Prepared { kernel, reads } = prepared.map_err(|e| e.in_call(self.context(&step.node)))?;
            let read = reads.iter().map(|(t, _)| *t).collect();
            self.steps[i].kernel = match room.keep(self, &step.operands, &read) {
                Ok(()) => {
                    ready.extend(reads);
                    kernel
                }
                Err(weights) => {
                    let temporary = weights.saturating_add(memory::temporary(&kernel, backends));
                    Kernel::Streamed(Streamed { on_cpu: kernel.is_on_cpu(), temporary })
                }
            };
        }
        for t in wanted {
            if let Some(array) = &self.slot(*t)?.constant {
                ready.insert(*t, for_compute(array)?);
            }
        }
        for (t, array) in ready {
            let array = self.slot(t)?.ty.buffered(&array)?;
            self.constants.insert(t, backends.0.upload(&array)?);
        }
        Ok(())
    }

    /// A node's kernel; `ready` has constants as they are computed with.
    ///
    /// # Errors
    /// There is none (with `strict`: none of the backend), a constant cannot be read, or the memory is not enough.
    pub fn prepared(
        &self,
        node: &Node,
        (backend, cpu): (&B, &CpuBackend),
        ready: &HashMap<usize, Array>,
        strict: bool,
    ) -> Result<Prepared<B::Kernel>> {
        let mut own: HashMap<usize, Array> = HashMap::new();
        let constant = |t: usize| -> Result<Option<Array>> {
            let Some(array) = &self.slot(t)?.constant else { return Ok(None) };
            if let Some(array) = ready.get(&t).or_else(|| own.get(&t)) {
                return Ok(Some(array.clone()));
            }
            let array = for_compute(array)?;
            own.insert(t, array.clone());
            Ok(Some(array))
        };
        let signature = signature(node, |t| self.slot(t), constant)?;
        let op = || node.stages.first().map_or("", |s| s.op.name());
        let kernel = match backend.prepare(&signature)? {
            Some(kernel) => Kernel::Here(kernel),
            None if strict => {
                let name = backend.name();
                let problem =
                    format!("the backend {name} has no kernel for it, and strict forbids running it on the cpu");
                return Err(Cause::Operator { op: op().into(), problem }.into());
            }
            None => Kernel::OnCpu(cpu.prepare(&signature.in_float32())?.map(Box::new).ok_or_else(|| {
                let def = node.stages.first().map(|s| s.op.def());
                let why = def.and_then(OpDef::why_not_computed).unwrap_or("not with these operands and attributes");
                let problem = format!("tpulang has no kernel for it: {why}");
                Error::from(Cause::Operator { op: op().into(), problem })
            })?),
        };
        let reads = |place: usize| match &kernel {
            Kernel::Here(kernel) => backend.reads(kernel, place),
            Kernel::OnCpu(kernel) => cpu.reads(kernel, place),
            Kernel::Streamed(_) => false,
        };
        let operands = node.operands();
        let read = operands.iter().enumerate().filter(|(place, _)| reads(*place)).map(|(_, t)| *t);
        let reads = read.filter_map(|t| Some((t, own.remove(&t)?))).collect();
        Ok(Prepared { kernel, reads })
    }

    /// What is read or made last at each step, save what is wanted, which lives on in the results.
    fn last_uses(&self, wanted: &[usize]) -> Vec<Vec<usize>> {
        let mut last_use = vec![None; self.tensors.len()];
        for (at, step) in self.steps.iter().enumerate() {
            step.operands.iter().chain(&step.outputs).for_each(|t| last_use[*t] = Some(at));
        }
        wanted.iter().for_each(|t| last_use[*t] = None);
        let mut freed = vec![Vec::new(); self.steps.len()];
        for (t, at) in last_use.iter().enumerate() {
            at.iter().for_each(|at| freed[*at].push(t));
        }
        freed
    }

    /// # Errors
    /// There is no such tensor.
    pub fn slot(&self, tensor: usize) -> Result<&Slot> {
        let slot = self.tensors.get(tensor).and_then(Option::as_ref);
        slot.ok_or_else(|| Cause::ForeignTensor(tensor as u32).into())
    }
    /// Where an error of a node belongs.
    pub fn context(&self, node: &Node) -> CallContext {
        let slot = |t: &usize| self.slot(*t).ok();
        let (function, index) = node.last().map_or((String::new(), 0), |o| (format!("top.{}", o.op.name()), o.index));
        let operands = node.operands();
        let rows = operands.iter().filter_map(slot).take(8).enumerate();
        CallContext {
            function,
            out: node.outputs().next().and_then(|t| slot(&t)).map(|s| s.ty.name.clone()),
            index,
            operands: rows.map(|(i, s)| [format!("operand {i}"), s.ty.name.clone(), s.type_text.clone()]).collect(),
        }
    }
}
