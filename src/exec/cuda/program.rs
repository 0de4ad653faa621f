//! What an operator becomes: launches, one after the other, on slots of memory. All of it is known when it is prepared.
use super::{
    context::Context,
    device::{KernelValue, Loaded},
    device_array::DeviceArray,
    faults::FaultRecord,
    geometry::Geometry,
    library_call::LibraryCall,
    memory::Block,
    slot::{Argument, Slot},
    source::{GENERATED, Source},
};
use crate::{
    base::{Cause, Result, counted, invalid},
    exec::{KernelInfo, ValueType},
};
use std::sync::Arc;

/// What the GPU is told to do.
pub(super) enum Work {
    Kernel { source: Source, kernel: Loaded, geometry: Geometry },
    LibraryCall(Arc<dyn LibraryCall>),
}

/// What the GPU is told once. A call gets addresses alone.
pub(super) struct Launch {
    pub work: Work,
    pub arguments: Vec<Argument>,
}

impl Launch {
    /// For people.
    pub fn doing(&self) -> KernelInfo {
        let (source, geometry) = match &self.work {
            Work::Kernel { source, geometry, .. } => (source, geometry),
            Work::LibraryCall(call) => return KernelInfo { text: call.doing(), source: None },
        };
        let product = |sizes: [u32; 3]| sizes.iter().map(|n| u64::from(*n)).product::<u64>();
        let (blocks, threads) = (product(geometry.blocks), product(geometry.threads));
        let size = format!("{} of {threads} threads", counted(blocks as usize, "block"));
        let text = match source.file {
            GENERATED => format!("a kernel of its own, {size}"),
            file => format!("{} of {file}, {size}", source.function),
        };
        KernelInfo { text, source: source.own_text().map(str::to_owned) }
    }
}

/// An operator, ready to run.
#[derive(Default)]
pub struct Program {
    pub(super) launches: Vec<Launch>,
    /// Bytes of each.
    pub(super) temporaries: Vec<u64>,
    pub(super) constants: Vec<Arc<Block>>,
    /// Of impossible indices, where a kernel may find any.
    pub(super) faults: Option<FaultRecord>,
    /// Those that are there, in the definition's order.
    pub(super) results: Vec<Output>,
}

/// A result.
pub(super) struct Output {
    pub ty: ValueType,
    /// It has this operand's memory, not its own.
    pub shares: Option<usize>,
}

/// What a run has in its hands.
struct Running<'a> {
    program: &'a Program,
    operands: &'a [Option<DeviceArray>],
    results: Vec<DeviceArray>,
    temporaries: Vec<Block>,
}

impl Running<'_> {
    fn value(&self, argument: Argument) -> Result<KernelValue> {
        let slot = match argument {
            Argument::Number(value) => return Ok(value),
            Argument::Slot(slot) => slot,
        };
        let address = match slot {
            Slot::Operand(i) => self.operands.get(i).and_then(Option::as_ref).map(|o| o.block.address),
            Slot::Result(i) => self.results.get(i).map(|r| r.block.address),
            Slot::Temporary(i) => self.temporaries.get(i).map(|t| t.address),
            Slot::Constant(i) => self.program.constants.get(i).map(|c| c.address),
            Slot::Faults => self.program.faults.as_ref().map(FaultRecord::address),
        };
        let missing = || Cause::MissingData(format!("{slot:?} of a kernel has no values"));
        Ok(KernelValue::Address(address.ok_or_else(missing)?))
    }
}

impl Program {
    /// # Errors
    /// The memory is not enough, or the device has failed.
    pub(super) fn run(&self, cuda: &Context, operands: &[Option<DeviceArray>]) -> Result<Vec<DeviceArray>> {
        operands.iter().flatten().try_for_each(|operand| cuda.check_device(operand))?;
        let result = |output: &Output| {
            let (dtype, shape) = (output.ty.buffer_dtype(), output.ty.shape.clone());
            let block = match output.shares {
                None => Arc::new(cuda.pool.block(output.ty.bytes())?),
                Some(i) => {
                    let operand = operands.get(i).and_then(Option::as_ref);
                    operand.ok_or_else(|| invalid("a tensor that is shared has no values"))?.block.clone()
                }
            };
            Ok(DeviceArray { block, dtype, shape })
        };
        let results = self.results.iter().map(result).collect::<Result<_>>()?;
        let temporaries = self.temporaries.iter().map(|bytes| cuda.pool.block(*bytes)).collect::<Result<_>>()?;
        let running = Running { program: self, operands, results, temporaries };
        if self.launches.is_empty() || !cuda.device.begin_work()? {
            return Ok(running.results);
        }
        let mut values = Vec::new();
        for launch in &self.launches {
            values.clear();
            for argument in &launch.arguments {
                values.push(running.value(*argument)?);
            }
            match &launch.work {
                Work::Kernel { kernel, geometry, .. } => cuda.device.launch(*kernel, *geometry, &values)?,
                Work::LibraryCall(call) => call.run(&values.iter().filter_map(|v| v.address()).collect::<Vec<_>>())?,
            }
        }
        Ok(running.results)
    }
}
