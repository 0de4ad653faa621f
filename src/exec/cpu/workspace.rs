//! The memory that kernels allocate in addition to their operands and results, which plans count.
use super::blocked::for_all_threads;
use crate::{Operand, Signature, ValueType, base::Dtype, semantics};
use std::ops::Add;

/// The workspace of a kernel: a sum of terms in bytes.
///
/// Some terms depend on the types of the results, which are unknown while a kernel is built. So a workspace is evaluated
/// later, by [`Workspace::bytes`]. All arithmetic saturates, as shapes may come from hostile input.
pub(super) struct Workspace(Box<Term>);

type Term = dyn Fn(&Signature) -> u64 + Send + Sync;

impl Workspace {
    fn new(bytes: impl Fn(&Signature) -> u64 + Send + Sync + 'static) -> Workspace {
        Workspace(Box::new(bytes))
    }
    /// The workspace of kernels that work in chunks: almost none.
    pub fn none() -> Workspace {
        Workspace::new(|_| 0)
    }
    /// The larger one, for memory that is freed before the other is allocated.
    pub fn max(self, other: Workspace) -> Workspace {
        Workspace::new(move |signature| self.bytes(signature).max(other.bytes(signature)))
    }
    /// Returns the bytes for an operator of these types.
    pub fn bytes(&self, signature: &Signature) -> u64 {
        (self.0)(signature)
    }
}

impl Add for Workspace {
    type Output = Workspace;
    fn add(self, other: Workspace) -> Workspace {
        Workspace::new(move |signature| self.bytes(signature).saturating_add(other.bytes(signature)))
    }
}

/// Returns the bytes of `n` numbers of `size` bytes.
fn bytes_of(n: usize, size: usize) -> u64 {
    (n as u64).saturating_mul(size as u64)
}

/// Returns the number of elements of these dimensions.
pub(super) fn product(dims: &[usize]) -> usize {
    dims.iter().fold(1, |n, &d| n.saturating_mul(d))
}

fn sum(all: impl Iterator<Item = u64>) -> u64 {
    all.fold(0, u64::saturating_add)
}

/// Returns the bytes of a tensor that is converted to float32; 0 if it has that dtype already.
fn as_reals(ty: &ValueType) -> u64 {
    if ty.buffer_dtype() == Dtype::Float32 { 0 } else { bytes_of(ty.elements(), 4) }
}

/// A number of bytes.
pub(super) fn bytes(n: u64) -> Workspace {
    Workspace::new(move |_| n)
}

/// A number of bytes that takes long to determine.
pub(super) fn bytes_by(count: impl Fn() -> u64 + Send + Sync + 'static) -> Workspace {
    Workspace::new(move |_| count())
}

/// `n` numbers of `size` bytes.
pub(super) fn numbers(n: usize, size: usize) -> Workspace {
    bytes(bytes_of(n, size))
}

/// `n` numbers of `size` bytes for each thread.
pub(super) fn of_threads(n: usize, size: usize) -> Workspace {
    bytes(for_all_threads(bytes_of(n, size)))
}

/// `n` numbers of `size` bytes for each thread, or for each task if there are fewer.
pub(super) fn of_tasks(tasks: usize, n: usize, size: usize) -> Workspace {
    let one = bytes_of(n, size);
    bytes(for_all_threads(one).min(one.saturating_mul(tasks as u64)))
}

/// `size` bytes per element of operands.
pub(super) fn elements<'o>(operands: impl IntoIterator<Item = &'o Operand>, size: usize) -> Workspace {
    bytes(sum(operands.into_iter().map(|o| bytes_of(o.ty.elements(), size))))
}

/// `size` bytes per element of the first result.
pub(super) fn result_elements(size: usize) -> Workspace {
    of_result(move |result| result.elements(), size)
}

/// As many numbers of `size` bytes as `count` returns for the first result.
pub(super) fn of_result(count: impl Fn(&ValueType) -> usize + Send + Sync + 'static, size: usize) -> Workspace {
    Workspace::new(move |signature| signature.outputs().next().map_or(0, |result| bytes_of(count(result), size)))
}

/// One workspace or the other, depending on the first result.
pub(super) fn if_result(
    condition: impl Fn(&ValueType) -> bool + Send + Sync + 'static,
    yes: Workspace,
    no: Workspace,
) -> Workspace {
    Workspace::new(move |signature| {
        let holds = signature.outputs().next().is_some_and(&condition);
        if holds { yes.bytes(signature) } else { no.bytes(signature) }
    })
}

/// Operands read by [`Task::ints`](super::task::Task::ints).
pub(super) fn ints<'o>(operands: impl IntoIterator<Item = &'o Operand>) -> Workspace {
    elements(operands, 8)
}

/// Operands read by [`Task::reals`](super::task::Task::reals).
pub(super) fn reals<'o>(operands: impl IntoIterator<Item = &'o Operand>) -> Workspace {
    bytes(sum(operands.into_iter().map(|o| as_reals(&o.ty))))
}

/// Results written by [`Task::write`](super::task::Task::write).
pub(super) fn result_reals() -> Workspace {
    Workspace::new(|signature| sum(signature.outputs().map(as_reals)))
}

/// Every operand read by [`Task::reals`](super::task::Task::reals), and every result written by
/// [`Task::write`](super::task::Task::write).
pub(super) fn all_reals() -> Workspace {
    let operands = Workspace::new(|signature| sum(signature.op.operands().map(|(_, o)| as_reals(&o.ty))));
    operands + result_reals()
}

/// The largest workspace of any result, for which `numbers` returns a count and a size in bytes.
pub(super) fn largest_result(numbers: impl Fn(&ValueType) -> (usize, usize) + Send + Sync + 'static) -> Workspace {
    Workspace::new(move |signature| {
        let bytes = signature.outputs().map(&numbers).map(|(n, size)| bytes_of(n, size));
        bytes.max().unwrap_or(0)
    })
}

/// Operands converted to the dtype and scale of a result by [`converted`](super::layout::converted). Several results are
/// computed one after the other.
pub(super) fn converted<'o>(operands: impl IntoIterator<Item = &'o Operand>) -> Workspace {
    let operands: Vec<ValueType> = operands.into_iter().map(|o| o.ty.clone()).collect();
    Workspace::new(move |signature| {
        let of = |result: &ValueType| {
            let copied = operands.iter().filter(|o| !semantics::stores_the_same(o, result));
            sum(copied.map(|o| bytes_of(o.elements(), result.buffer_dtype().size())))
        };
        signature.outputs().map(of).max().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use crate::{CpuBackend, Dtype, Graph, Quantization, RunOptions, Session, ops::Split};

    #[test]
    fn parts_of_another_scale_need_a_copy() {
        let peak = |scale: f64| {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Int8, [2, 1 << 20]).unwrap();
            g.quantize(x, &Quantization::per_tensor(0.5, 1)).unwrap();
            let parts = g.op(Split::new(x, 0, 2)).call().unwrap();
            parts.iter().for_each(|part| g.quantize(*part, &Quantization::per_tensor(scale, 1)).unwrap());
            g.set_outputs(&parts).unwrap();
            Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap().peak_bytes()
        };
        assert_eq!((peak(0.5), peak(0.25)), (2 << 20, 3 << 20));
    }
}
