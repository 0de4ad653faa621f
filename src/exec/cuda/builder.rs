//! How kernels make a [`Program`]: operands as the numbers that they need, memory, launches, and results stored.
use super::{
    Cuda,
    calls::{Call, Calls},
    chain::Chain,
    float::Float,
    formula::{Finish, Formula, Input},
    geometry::Geometry,
    program::{Argument, Launch, Output, Program, Slot, Work},
    source::{File, Source},
    sums::Maker,
    walk::divided,
};
use crate::{
    base::{Dtype, Result, invalid},
    exec::{Operand, Signature, ValueType, semantics},
    ops::Op,
};
use std::sync::Arc;

/// Makes the program of one signature.
pub(super) struct Builder<'a> {
    cuda: &'a Cuda,
    signature: &'a Signature,
    fused_ops: &'a [Op<Operand>],
    program: Program,
}

/// The arguments of a launch.
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => { [$($crate::program::Argument::from($argument)),*] };
}
pub(super) use arguments;

impl<'a> Builder<'a> {
    pub fn new(cuda: &'a Cuda, signature: &'a Signature) -> Builder<'a> {
        let results = signature.outputs().map(|ty| Output { ty: ty.clone(), shares: None }).collect();
        Builder { cuda, signature, fused_ops: &signature.fused_ops, program: Program { results, ..Program::default() } }
    }
    /// The program, with what the plan has put behind the operator, if the kernel has not seen to that.
    ///
    /// # Errors
    /// As of [`Builder::chain`].
    pub fn finished(mut self) -> Result<Program> {
        let tails = self.tails()?;
        if !tails.is_empty() {
            let (ty, to) = (self.result_type(0)?.clone(), self.result(0));
            let formulas = [vec![Formula::copy(Input::slot(to, ty.clone()))], tails].concat();
            self.chain(Chain::new(formulas, to, ty))?;
        }
        Ok(self.program)
    }
    /// Formulas of what the plan has put behind the operator, which the caller then sees to.
    ///
    /// # Errors
    /// One has none, which the backend did not ask for.
    pub fn tails(&mut self) -> Result<Vec<Formula>> {
        let then = std::mem::take(&mut self.fused_ops);
        let of = |op: &Op<Operand>| {
            let formula = super::formula_of(op, self.result_type(0)?);
            formula.ok_or_else(|| invalid("a tail without a formula"))
        };
        then.iter().map(of).collect()
    }

    /// As [`Builder::tails`], for a kernel that goes over `counts`, into which the axes of the result are divided.
    ///
    /// # Errors
    /// As of [`Builder::tails`].
    pub fn tails_over(&mut self, counts: &[usize]) -> Result<Vec<Formula>> {
        let (mut tails, shape) = (self.tails()?, self.result_type(0)?.shape.as_slice());
        if counts != shape {
            let inputs = tails.iter_mut().flat_map(|tail| &mut tail.inputs);
            inputs.for_each(|input| input.view = Some(divided(&input.shape, shape, counts)));
        }
        Ok(tails)
    }

    /// Whether the plan has put something behind the operator that nobody has seen to.
    pub fn has_tails(&self) -> bool {
        !self.fused_ops.is_empty()
    }

    /// The type of a result.
    ///
    /// # Errors
    /// The operator has no such result.
    pub fn result_type(&self, i: usize) -> Result<&'a ValueType> {
        let result = self.signature.results.get(i).and_then(Option::as_ref);
        result.ok_or_else(|| invalid(format!("the operator has no result {i}")))
    }
    /// Where a result is written, in its buffer's dtype.
    pub fn result(&self, i: usize) -> Slot {
        Slot::Result(self.signature.results.iter().take(i).flatten().count())
    }
    /// The stored elements of an operand.
    pub fn stored(&self, operand: &Operand) -> Result<Slot> {
        operand.index().map(Slot::Operand).ok_or_else(|| invalid("an operand without a place"))
    }
    /// An operand as real numbers, in float32: as it is stored, or made so before.
    pub fn reals(&mut self, operand: &Operand) -> Result<Slot> {
        self.floats(operand, Float::Single)
    }
    /// float16 where the operand and the first result lie so, otherwise float32.
    pub fn float(&self, operand: &Operand) -> Result<Float> {
        Ok(Float::of([&operand.ty, self.result_type(0)?]))
    }
    /// As [`Builder::reals`], in these floats.
    pub fn floats(&mut self, operand: &Operand, float: Float) -> Result<Slot> {
        if operand.ty.buffer_dtype() == float.dtype() {
            return self.stored(operand);
        }
        let ty = float.type_like(&operand.ty);
        let to = self.temporary(ty.bytes());
        self.chain(Chain::new(vec![Formula::copy(Input::of(operand))], to, ty))?;
        Ok(to)
    }
    /// The stored elements of an operand as integers of 64 bits: fractions are cut, NaN is 0, and all saturates.
    pub fn ints(&mut self, operand: &Operand) -> Result<Slot> {
        if operand.ty.buffer_dtype() == Dtype::Int64 {
            return self.stored(operand);
        }
        let ty = ValueType { dtype: Dtype::Int64, quantization: None, ..operand.ty.clone() };
        let to = self.temporary(ty.bytes());
        self.chain(Chain::new(vec![Formula::whole(vec![Input::of(operand)], "x")], to, ty))?;
        Ok(to)
    }
    /// As [`Builder::reals`], where the operand may be absent: then it is `otherwise`, which is not read.
    pub fn reals_or(&mut self, operand: &Option<Operand>, otherwise: Slot) -> Result<Slot> {
        self.floats_or(operand, Float::Single, otherwise)
    }
    /// As [`Builder::reals_or`], in these floats.
    pub fn floats_or(&mut self, operand: &Option<Operand>, float: Float, otherwise: Slot) -> Result<Slot> {
        operand.as_ref().map_or(Ok(otherwise), |o| self.floats(o, float))
    }
    /// An operand's elements as stored, in the dtype and scale of a result: as they are, or stored anew. A result without a
    /// scale takes them as they are.
    pub fn converted(&mut self, operand: &Operand, result: usize, finish: Finish) -> Result<Slot> {
        let result = self.result_type(result)?;
        if semantics::stores_the_same(&operand.ty, result) {
            return self.stored(operand);
        }
        let ty = ValueType { shape: operand.ty.shape.clone(), ..result.clone() };
        let to = self.temporary(ty.bytes());
        self.chain(Chain::new(vec![Formula::copy(Input::of(operand)).finish(finish)], to, ty))?;
        Ok(to)
    }
    /// Where a kernel writes a result's real numbers, in float32; [`Builder::store`] must follow.
    pub fn real_result(&mut self, i: usize) -> Result<Slot> {
        self.float_result(i, Float::Single)
    }
    /// As [`Builder::real_result`], in these floats; [`Builder::store_floats`] must follow.
    pub fn float_result(&mut self, i: usize, float: Float) -> Result<Slot> {
        let ty = self.result_type(i)?;
        let is_there = ty.buffer_dtype() == float.dtype();
        Ok(if is_there { self.result(i) } else { self.temporary(float.type_like(ty).bytes()) })
    }
    /// Stores the real numbers of a result that a kernel has written to `from`: in its dtype and scale, after what the plan
    /// has put behind the operator.
    pub fn store(&mut self, i: usize, from: Slot, finish: Finish) -> Result<()> {
        self.store_floats(i, from, Float::Single, finish)
    }
    /// As [`Builder::store`], from these floats.
    pub fn store_floats(&mut self, i: usize, from: Slot, float: Float, finish: Finish) -> Result<()> {
        let (ty, to) = (self.result_type(i)?, self.result(i));
        let mut formulas = vec![Formula::copy(Input::slot(from, float.type_like(ty))).finish(finish)];
        if i == 0 {
            formulas.extend(self.tails()?);
        }
        if from == to && formulas.len() == 1 && finish.relu.is_none() {
            return Ok(());
        }
        self.chain(Chain::new(formulas, to, ty.clone()))
    }
    /// Stores plain integers of a dtype, which a kernel has written to `from`, as a result: saturated.
    pub fn store_ints(&mut self, i: usize, dtype: Dtype, from: Slot) -> Result<()> {
        let result = self.result_type(i)?.clone();
        let input = Input::slot(from, ValueType { dtype, quantization: None, ..result.clone() });
        self.chain(Chain::new(vec![Formula::whole(vec![input], "x")], self.result(i), result))
    }
    /// A result that shows an operand's memory.
    pub fn share(&mut self, i: usize, from: Slot) -> Result<()> {
        let Slot::Result(place) = self.result(i) else { return Ok(()) };
        match from {
            Slot::Operand(operand) if self.fused_ops.is_empty() => {
                self.program.results[place].shares = Some(operand);
                Ok(())
            }
            from => {
                let ty = self.result_type(i)?.clone();
                let input = Input::slot(from, ty.clone());
                let formula = if ty.dtype.is_float() { Formula::copy(input) } else { Formula::moved(input) };
                let formulas = [vec![formula], self.tails()?].concat();
                self.chain(Chain::new(formulas, self.result(i), ty))
            }
        }
    }

    /// Where kernels tell of impossible indices.
    ///
    /// # Errors
    /// There is no memory.
    pub fn faults(&mut self) -> Result<Slot> {
        if self.program.faults.is_none() {
            self.program.faults = Some(self.cuda.faults.record()?);
        }
        Ok(Slot::Faults)
    }
    /// Memory for so many bytes, while the program runs.
    pub fn temporary(&mut self, bytes: u64) -> Slot {
        self.program.temporaries.push(bytes);
        Slot::Temporary(self.program.temporaries.len() - 1)
    }
    /// Memory for so many floats, while the program runs.
    pub fn temporary_reals(&mut self, n: usize) -> Slot {
        self.temporary((n as u64).saturating_mul(4))
    }
    /// Numbers that the program keeps on the device.
    pub fn constant<T: bytemuck::NoUninit>(&mut self, numbers: &[T]) -> Result<Slot> {
        let bytes = bytemuck::cast_slice(numbers);
        let block = self.cuda.pool.block(bytes.len() as u64)?;
        self.cuda.device.write(block.address, bytes)?;
        self.program.constants.push(Arc::new(block));
        Ok(Slot::Constant(self.program.constants.len() - 1))
    }

    /// A kernel of a file; nothing where the geometry is empty.
    pub fn launch(
        &mut self,
        file: File,
        function: impl Into<String>,
        geometry: Geometry,
        arguments: impl IntoIterator<Item = Argument>,
    ) -> Result<()> {
        self.launch_source(Source::new(file, function), geometry, arguments.into_iter().collect())
    }
    /// Elementwise operators as one kernel.
    pub fn chain(&mut self, chain: Chain) -> Result<()> {
        let (source, geometry, arguments) = chain.compile(self)?;
        self.launch_source(source, geometry, arguments)
    }
    pub fn launch_source(&mut self, source: Source, geometry: Geometry, arguments: Vec<Argument>) -> Result<()> {
        if geometry.is_empty() {
            return Ok(());
        }
        let kernel = self.cuda.device.load(&source)?;
        self.program.launches.push(Launch { work: Work::Kernel { source, kernel, geometry }, arguments });
        Ok(())
    }
    /// The libraries that may be asked to compute.
    pub fn libraries(&self) -> &'a Calls {
        &self.cuda.calls
    }
    /// What a library computes, from and to the memory that it says.
    pub fn call(&mut self, call: Arc<dyn Call>, slots: Vec<Slot>) -> Result<()> {
        let workspace = (call.workspace() > 0).then(|| self.temporary(call.workspace()));
        let arguments = slots.into_iter().chain(workspace).map(Argument::from).collect();
        self.program.launches.push(Launch { work: Work::Call(call), arguments });
        Ok(())
    }
    /// A kernel that makes sums, and leaves them as they are.
    pub fn sums(&mut self, maker: Maker, to: Slot) -> Result<()> {
        let arguments = maker.arguments.into_iter().chain([to.into()]);
        self.launch(maker.file, maker.function, maker.geometry, arguments)
    }
    /// A kernel that makes sums, within which elementwise operators go on with them.
    pub fn with_epilogue(&mut self, maker: Maker, chain: Chain) -> Result<()> {
        let (epilogue, more) = chain.epilogue(self)?;
        let arguments = [maker.arguments, more].concat();
        self.launch_source(Source::with_epilogue(maker.file, maker.function, &epilogue), maker.geometry, arguments)
    }
}

/// The same numbers in float32.
pub(super) fn as_real(ty: &ValueType) -> ValueType {
    Float::Single.type_like(ty)
}

/// An unsigned type as wide as a dtype's elements, for kernels that only move them.
pub(super) fn bits_type(dtype: Dtype) -> &'static str {
    match dtype.size() {
        1 => "u8",
        2 => "u16",
        4 => "unsigned",
        _ => "u64",
    }
}
