//! Results that overwrite a dead operand.
use super::{
    Operand, Signature, ValueType, arena::Arena, epilogues, is_elementwise, kernel::Epilogue, on_fused_input,
    task::Task,
};
use crate::{array::Array, base::Result, ops::Op};
use std::sync::Arc;

/// Computes a result in the memory of a dead operand.
pub(super) struct InPlace {
    operand: usize,
    /// The operator itself, unless it is a reshape, and the fused ones.
    epilogues: Vec<Epilogue>,
}

impl InPlace {
    /// Returns `None` unless the operator is element-wise, or a reshape with fused element-wise operators, on floats without a
    /// scale, and reads the operand once.
    pub fn new(signature: &Signature) -> Option<InPlace> {
        let [Some(result)] = signature.results.as_slice() else { return None };
        let may = |o: &Operand| o.constant.is_none() && o.ty.is_plain_float() && o.ty.elements() == result.elements();
        let (_, first) =
            signature.op.operands().find(|(_, o)| result.is_plain_float() && may(o) && o.ty.layout == result.layout)?;
        let operand = first.index()?;
        let ops = [&signature.op].into_iter().chain(&signature.fused_ops);
        if ops.flat_map(Op::operands).filter(|(_, o)| o.index() == Some(operand)).count() > 1 {
            return None;
        }
        let own = match &signature.op {
            op if op.viewed_from().is_some() => None,
            op if is_elementwise(op) && first.ty.shape == result.shape => Some(on_fused_input(op, first)),
            _ => return None,
        };
        let epilogues = epilogues(own.iter().chain(&signature.fused_ops), signature)?;
        (!epilogues.is_empty()).then_some(InPlace { operand, epilogues })
    }

    /// Returns the result, or `None` if the operand is not uniquely owned.
    pub fn run(
        &self,
        operands: &mut [Option<Array>],
        results: &[Option<ValueType>],
        arena: &Arc<Arena>,
    ) -> Result<Option<Vec<Array>>> {
        let Some(array) = operands[self.operand].take() else { return Ok(None) };
        match array.into_mut() {
            Ok(memory) => Task::over(memory, operands, results, &self.epilogues, arena)?.finish().map(Some),
            Err(array) => {
                operands[self.operand] = Some(array);
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Backend, CpuBackend, Layout, Operand, Precision, Signature, ValueType,
        array::{Array, ArrayMut},
        base::Dtype,
        cpu::CpuKernel,
        ops,
    };

    /// x + y, then Relu.
    fn kernel(backend: &CpuBackend) -> CpuKernel {
        let ty = |name: &str| {
            let (name, shape) = (name.into(), vec![2, 3]);
            ValueType {
                name,
                shape,
                layout: Layout::Plain,
                dtype: Dtype::Float32,
                quantization: None,
                precision: Precision::F32,
            }
        };
        let [x, y] = [(0, "x"), (1, "y")].map(|(i, name)| Operand::new(ty(name), None, i));
        let relu = ops::Relu::new(Operand::fused_input(ty("sum"))).into();
        let op = ops::Add::new(vec![x, y]).into();
        let signature = Signature { op, fused_ops: vec![relu], results: vec![Some(ty("z"))] };
        backend.prepare(&signature).unwrap().unwrap()
    }

    fn computed(values: [f32; 6]) -> Array {
        let mut memory = ArrayMut::zeros(Dtype::Float32, &[2, 3]).unwrap();
        memory.elements().unwrap().copy_from_slice(&values);
        memory.freeze()
    }

    #[test]
    fn a_result_takes_the_memory_of_what_nobody_reads_any_more() {
        let backend = CpuBackend::new();
        let kernel = kernel(&backend);
        let (x, y) = (computed([1.0, -2.0, 3.0, -4.0, 5.0, -6.0]), computed([1.0; 6]));
        let place = |array: &Array| array.bytes().unwrap().as_ptr();
        let (of_x, kept) = (place(&x), x.clone());
        let z = backend.run(&kernel, &mut [Some(x), Some(y.clone())]).unwrap().remove(0);
        assert_ne!(place(&z), of_x, "somebody else has it");
        assert_eq!(kept.to_f32().unwrap(), [1.0, -2.0, 3.0, -4.0, 5.0, -6.0]);
        let again = backend.run(&kernel, &mut [Some(kept), Some(y)]).unwrap().remove(0);
        assert_eq!(place(&again), of_x);
        for z in [z, again] {
            assert_eq!(z.to_f32().unwrap(), [2.0, 0.0, 4.0, 0.0, 6.0, 0.0]);
        }
    }
}
