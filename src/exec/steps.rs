//! Runs the steps of a plan.
use super::{
    Backend, Kernel, Session,
    placement::PlacedKernel,
    plan::{ControlFlow, Plan, RowTable, Rows, Step, StepKernel, Streamed, TensorIndex},
    session::StepObserver,
};
use crate::{
    array::Array,
    base::{Cause, Result},
};
use std::{collections::HashMap, time::Instant};

/// Buffers over the caller's memory, by the tensors that should be written there.
pub(super) type ResultBuffers<Buffer> = HashMap<TensorIndex, Buffer>;

/// The operands of a step, and the places of tensors.
type Memory<'m, B> = (&'m mut [Option<<B as Backend>::Buffer>], &'m mut ResultBuffers<<B as Backend>::Buffer>);

impl<B: Backend> Session<B> {
    /// Runs the steps of a plan without a recorder.
    pub(super) fn run_steps(
        &self,
        feeds: Vec<Array>,
        steps: &mut dyn FnMut(Vec<B::Buffer>) -> Result<Vec<B::Buffer>>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Array>> {
        let backend = &self.placement.backend;
        let results = steps(feeds.iter().map(|array| backend.upload(array)).collect::<Result<_>>()?)?;
        backend.synchronize()?;
        check()?;
        results.iter().map(|buffer| backend.download(buffer)).collect()
    }

    /// Runs the steps of a plan, from the fed buffers to the wanted ones. Steps take the `places` of the tensors that
    /// they write there.
    pub(super) fn steps(
        &self,
        plan: &Plan<B>,
        fed: impl Iterator<Item = (TensorIndex, B::Buffer)>,
        wanted: &[TensorIndex],
        places: &mut ResultBuffers<B::Buffer>,
        observer: &mut Option<StepObserver<B>>,
    ) -> Result<Vec<B::Buffer>> {
        let (mut buffers, mut operands) = (vec![None; plan.tensors.len()], Vec::new());
        fed.for_each(|(tensor, buffer)| buffers[tensor.0] = Some(buffer));
        for (i, (step, freed)) in plan.steps.iter().zip(&plan.freed).enumerate() {
            let begun = observer.is_some().then(Instant::now);
            operands.extend(step.operands.iter().map(|t| buffers[t.0].clone()));
            // On last use the kernel takes unique ownership.
            freed.iter().for_each(|t| buffers[t.0] = None);
            let run = |()| self.step(plan, step, (&mut operands, places));
            let mut results = self.placement.check_interrupt().and_then(run).map_err(|e| {
                // An interrupted run may be in the middle of a capture, in which nothing can be waited for.
                if e.is_interrupted() {
                    return e.in_call(plan.context(&step.node));
                }
                // An error that the device has recorded came first.
                let before = self.placement.backend.synchronize().and_then(|()| plan.check_faults()).err();
                before.unwrap_or_else(|| e.in_call(plan.context(&step.node)))
            })?;
            operands.clear();
            if let (Some(observer), Some(begun)) = (observer.as_mut(), begun) {
                self.placement.backend.synchronize()?;
                observer(i, begun.elapsed(), &mut results);
            }
            for (&tensor, buffer) in step.outputs.iter().zip(results) {
                // A fed tensor keeps its value.
                buffers[tensor.0].get_or_insert(buffer);
            }
            // Also unused results.
            freed.iter().for_each(|t| buffers[t.0] = None);
        }
        let result = |t: &TensorIndex| {
            let buffer = buffers[t.0].as_ref().or_else(|| plan.constants.get(t)).cloned();
            let missing = || Cause::MissingData(format!("internal error: tensor {} was not computed", t.0));
            buffer.ok_or_else(|| missing().into())
        };
        wanted.iter().map(result).collect()
    }

    fn step(&self, plan: &Plan<B>, step: &Step<B>, memory: Memory<B>) -> Result<Vec<B::Buffer>> {
        match &step.kernel {
            StepKernel::Kept(kernel) => self.run_kernel(plan, (step, kernel), memory, &plan.constants),
            StepKernel::Streamed(streamed) => self.streamed_step(plan, (step, streamed), memory),
            StepKernel::Control(control) => {
                self.control_step(plan, step, control, memory.0.iter_mut().map(Option::take).collect())
            }
        }
    }

    /// Runs control flow. In a recorded run it is not recorded, like a step on the CPU.
    fn control_step(
        &self,
        plan: &Plan<B>,
        step: &Step<B>,
        control: &ControlFlow<B>,
        operands: Vec<Option<B::Buffer>>,
    ) -> Result<Vec<B::Buffer>> {
        let Some(recorder) = &plan.recorder else { return self.run_control_flow(plan, step, control, operands) };
        let (mut operands, mut results) = (Some(operands), Vec::new());
        recorder.on_host(&mut || {
            results = self.run_control_flow(plan, step, control, operands.take().unwrap_or_default())?;
            Ok(())
        })?;
        results.into_iter().map(|result| recorder.place(result)).collect()
    }

    /// Prepares a kernel, runs it and drops it.
    fn streamed_step(
        &self,
        plan: &Plan<B>,
        (step, streamed): (&Step<B>, &Streamed),
        memory: Memory<B>,
    ) -> Result<Vec<B::Buffer>> {
        let backend = &self.placement.backend;
        let table = streamed.table.map(|of| self.read_rows(plan, of, memory.0)).transpose()?;
        let prepared = plan.prepared(&step.node, &self.placement, &HashMap::new(), table)?;
        let upload = |t: TensorIndex, array: &Array| backend.upload(&plan.entry(t)?.ty.buffered(array)?);
        let read = prepared.reads.iter().map(|(t, array)| Ok((*t, upload(*t, array)?)));
        let results = self.run_kernel(plan, (step, &prepared.kernel), memory, &read.collect::<Result<_>>()?)?;
        // The kernel is dropped, so its error is taken now.
        if !prepared.kernel.is_on_cpu() {
            backend.synchronize()?;
            prepared.kernel.take_error().map_or(Ok(()), Err)?;
        }
        Ok(results)
    }

    /// Replaces a table and indices, the first operands, by the rows that the indices name and their places.
    fn read_rows(&self, plan: &Plan<B>, of: RowTable, operands: &mut [Option<B::Buffer>]) -> Result<RowTable> {
        let backend = &self.placement.backend;
        let computed = operands[1].take().map(|indices| backend.download(&indices)).transpose()?;
        let Rows { table, places } = plan.rows(of, computed.as_ref())?;
        operands[..2].clone_from_slice(&[Some(backend.upload(&table)?), Some(backend.upload(&places)?)]);
        Ok(RowTable { rows: table.shape()[0], ..of })
    }

    fn run_kernel(
        &self,
        plan: &Plan<B>,
        (step, kernel): (&Step<B>, &PlacedKernel<B::Kernel>),
        (operands, places): Memory<B>,
        constants: &HashMap<TensorIndex, B::Buffer>,
    ) -> Result<Vec<B::Buffer>> {
        for (t, operand) in step.operands.iter().zip(&mut *operands).filter(|(_, operand)| operand.is_none()) {
            *operand = constants.get(t).cloned();
            let entry = plan.entry(*t)?;
            // A constant without a buffer is not read.
            if operand.is_none() && entry.constant.is_none() && !plan.packed.contains(t) {
                return Err(Cause::MissingData(format!("the tensor {:?} has no values", entry.ty.name)).into());
            }
        }
        let recorder = plan.recorder.as_deref();
        if places.is_empty() {
            return self.placement.run(kernel, operands, &mut [], recorder);
        }
        let mut into: Vec<Option<B::Buffer>> = step.outputs.iter().map(|t| places.remove(t)).collect();
        self.placement.run(kernel, operands, &mut into, recorder)
    }
}
