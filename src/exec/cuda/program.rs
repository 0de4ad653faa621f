//! The program of an operator: a sequence of launches on memory slots, all determined when it is prepared.
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
    base::{Cause, Result, invalid, pluralized},
    exec::{KernelInfo, ValueType},
};
use std::sync::Arc;

/// A kernel launch or a library call.
pub(super) enum Work {
    Kernel { source: Source, kernel: Loaded, geometry: Geometry },
    LibraryCall(Arc<dyn LibraryCall>),
}

/// One step of a program. A library call takes only addresses.
pub(super) struct Launch {
    pub work: Work,
    pub arguments: Vec<Argument>,
}

impl Launch {
    /// Returns a human-readable description.
    pub fn describe(&self) -> KernelInfo {
        let (source, geometry) = match &self.work {
            Work::Kernel { source, geometry, .. } => (source, geometry),
            Work::LibraryCall(call) => return KernelInfo { text: call.describe(), source: None },
        };
        let product = |sizes: [u32; 3]| sizes.iter().map(|n| u64::from(*n)).product::<u64>();
        let (blocks, threads) = (product(geometry.blocks), product(geometry.threads));
        let size = format!("{} of {threads} threads", pluralized(blocks as usize, "block"));
        let text = match source.file {
            GENERATED => format!("a generated kernel, {size}"),
            file => format!("{} of {file}, {size}", source.function),
        };
        KernelInfo { text, source: source.own_text().map(str::to_owned) }
    }
}

/// A prepared operator.
#[derive(Default)]
pub struct Program {
    pub(super) launches: Vec<Launch>,
    /// The sizes of the temporaries in bytes.
    pub(super) temporaries: Vec<u64>,
    pub(super) constants: Vec<Arc<Block>>,
    /// The record for indices out of range, if a kernel may detect any.
    pub(super) faults: Option<FaultRecord>,
    /// The results that are present, in the definition's order.
    pub(super) results: Vec<Output>,
}

/// A result.
pub(super) struct Output {
    pub ty: ValueType,
    /// The operand whose memory the result shares.
    pub shares: Option<usize>,
}

/// The memory of a run.
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
    /// Returns an error if there is not enough memory, or the device has failed.
    pub(super) fn run(&self, cuda: &Context, operands: &[Option<DeviceArray>]) -> Result<Vec<DeviceArray>> {
        let operands = &*cuda.admitted_operands(operands)?;
        let result = |output: &Output| {
            let (dtype, shape) = (output.ty.buffer_dtype(), output.ty.shape.clone());
            let block = match output.shares {
                None => Arc::new(cuda.pool.block(output.ty.bytes())?),
                Some(i) => {
                    let operand = operands.get(i).and_then(Option::as_ref);
                    operand.ok_or_else(|| invalid("internal error: a shared operand has no memory"))?.block.clone()
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
