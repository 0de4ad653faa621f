//! The CPU backend: a kernel for every op, one file a family, by the names of `src/ops`.

mod activation;
mod arithmetic;
mod cast;
mod compare;
mod conv;
mod elementwise;
mod gather;
mod gemm;
mod layout;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod select;
mod task;

use super::{Backend, Task};
use crate::{
    array::Array,
    graph::{Cause, Result},
};
use task::CpuTask;

/// Runs one operator.
type Kernel = fn(&CpuTask) -> Result<Vec<Array>>;

/// Kernels by op, one table a family.
const FAMILIES: &[&[(&str, Kernel)]] = &[
    activation::KERNELS,
    arithmetic::KERNELS,
    cast::KERNELS,
    compare::KERNELS,
    conv::KERNELS,
    gather::KERNELS,
    layout::KERNELS,
    matmul::KERNELS,
    norm::KERNELS,
    pool::KERNELS,
    reduce::KERNELS,
    select::KERNELS,
];

fn kernel(op: &str) -> Option<Kernel> {
    FAMILIES.iter().flat_map(|f| f.iter()).find(|(name, _)| *name == op).map(|(_, k)| *k)
}

/// The reference: every op, on the CPU, in float32 or exact integers.
#[derive(Debug, Default)]
pub struct CpuBackend;

impl CpuBackend {
    /// The backend.
    pub fn new() -> Self {
        CpuBackend
    }
}

impl Backend for CpuBackend {
    type Buffer = Array;
    fn name(&self) -> &'static str {
        "cpu"
    }
    fn supports(&self, op: &str) -> bool {
        kernel(op).is_some()
    }
    fn upload(&self, array: &Array) -> Result<Array> {
        Ok(array.clone())
    }
    fn download(&self, buffer: &Array) -> Result<Array> {
        Ok(buffer.clone())
    }
    fn run(&self, task: &Task<Array>) -> Result<Vec<Array>> {
        let kernel = kernel(task.op.name)
            .ok_or_else(|| Cause::Operator { op: task.op.name.into(), problem: "there is no kernel for it".into() })?;
        kernel(&CpuTask(task))
    }
    fn synchronise(&self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::OPS;

    #[test]
    fn every_op_has_a_kernel() {
        for op in OPS.iter().filter(|o| !["None", "Input", "Weight"].contains(&o.name)) {
            assert!(kernel(op.name).is_some(), "{}", op.name);
        }
    }
}
