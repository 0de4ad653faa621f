//! Builds a [`Program`]: converts operands, allocates memory, adds launches and stores results.
use super::{
    chain::Chain,
    constants::Constants,
    context::Context,
    float::Float,
    formula::{Formula, Input, PostOp},
    geometry::Geometry,
    library_call::LibraryCall,
    math_libraries::MathLibraries,
    program::{Launch, Output, Program, Work},
    slot::{Argument, Slot},
    source::{File, Source},
    walk::divided,
};
use crate::{
    base::{Dtype, Result, invalid},
    exec::{Operand, Signature, ValueType, semantics},
};
use std::sync::Arc;

/// A kernel that accumulates products. Its last parameters are those of the `EPILOGUE`.
pub(super) struct AccumKernel {
    pub file: File,
    pub function: String,
    pub geometry: Geometry,
    pub arguments: Vec<Argument>,
}

/// Builds the program of one signature.
pub(super) struct Builder<'a> {
    cuda: &'a Context,
    signature: &'a Signature,
    fused: Vec<Formula>,
    constants: Constants<'a>,
    program: Program,
}

/// Builds a list of launch arguments.
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => { [$($crate::slot::Argument::from($argument)),*] };
}
pub(super) use arguments;

impl<'a> Builder<'a> {
    /// Creates a builder. `fused` are the formulas of the operators that are fused into this one.
    pub fn new(cuda: &'a Context, signature: &'a Signature, fused: Vec<Formula>) -> Builder<'a> {
        let results = signature.outputs().map(|ty| Output { ty: ty.clone(), shares: None }).collect();
        Builder {
            cuda,
            signature,
            fused,
            constants: Constants::new(cuda),
            program: Program { results, ..Program::default() },
        }
    }
    /// Returns the program, after adding a launch for fused operators that no kernel has applied.
    ///
    /// # Errors
    /// Same as for [`Builder::chain`].
    pub fn finished(mut self) -> Result<Program> {
        let fused = self.fused_formulas();
        if !fused.is_empty() {
            let (ty, to) = (self.result_type(0)?.clone(), self.result(0));
            let formulas = [vec![Formula::copy(Input::slot(to, ty.clone()))], fused].concat();
            self.chain(Chain::new(formulas, to, ty))?;
        }
        Ok(Program { constants: self.constants.into_blocks(), ..self.program })
    }
    /// Takes the formulas of the fused operators; the caller must apply them.
    pub fn fused_formulas(&mut self) -> Vec<Formula> {
        std::mem::take(&mut self.fused)
    }
    /// Like [`Builder::fused_formulas`], for a kernel that iterates over `counts`, which subdivides the axes of the result.
    ///
    /// # Errors
    /// Returns an error if the operator has no result.
    pub fn fused_formulas_over(&mut self, counts: &[usize]) -> Result<Vec<Formula>> {
        let shape = self.result_type(0)?.shape.as_slice();
        let mut fused = self.fused_formulas();
        if counts != shape {
            let inputs = fused.iter_mut().flat_map(|formula| &mut formula.inputs);
            inputs.for_each(|input| input.view = Some(divided(&input.shape, shape, counts)));
        }
        Ok(fused)
    }
    /// Whether any fused operators are still to be applied.
    pub fn has_fused_ops(&self) -> bool {
        !self.fused.is_empty()
    }

    /// Returns the type of a result.
    ///
    /// # Errors
    /// Returns an error if the operator has no such result.
    pub fn result_type(&self, i: usize) -> Result<&'a ValueType> {
        let result = self.signature.results.get(i).and_then(Option::as_ref);
        result.ok_or_else(|| invalid(format!("the operator has no result {i}")))
    }
    /// Returns the memory of a result, in its buffer's dtype.
    pub fn result(&self, i: usize) -> Slot {
        Slot::Result(self.signature.results.iter().take(i).flatten().count())
    }
    /// Returns an operand's real values in float32, converted if they are stored differently.
    pub fn reals(&mut self, operand: &Operand) -> Result<Slot> {
        self.floats(operand, Float::Single)
    }
    /// Returns float16 if the operand and the first result are stored as float16, otherwise float32.
    pub fn float(&self, operand: &Operand) -> Result<Float> {
        Ok(Float::of([&operand.ty, self.result_type(0)?]))
    }
    /// Like [`Builder::reals`], in the given float type.
    pub fn floats(&mut self, operand: &Operand, float: Float) -> Result<Slot> {
        if operand.ty.buffer_dtype() == float.dtype() {
            return Slot::of(operand);
        }
        let ty = float.type_like(&operand.ty);
        let to = self.temporary(ty.bytes());
        self.chain(Chain::new(vec![Formula::copy(Input::of(operand))], to, ty))?;
        Ok(to)
    }
    /// Returns an operand's stored elements as 64-bit integers, truncated and saturated, with NaN as 0.
    pub fn ints(&mut self, operand: &Operand) -> Result<Slot> {
        if operand.ty.buffer_dtype() == Dtype::Int64 {
            return Slot::of(operand);
        }
        let ty = ValueType { dtype: Dtype::Int64, quantization: None, ..operand.ty.clone() };
        let to = self.temporary(ty.bytes());
        self.chain(Chain::new(vec![Formula::whole(vec![Input::of(operand)], "x")], to, ty))?;
        Ok(to)
    }
    /// Like [`Builder::reals`]; if the operand is absent, returns `otherwise`, which kernels do not read.
    pub fn reals_or(&mut self, operand: &Option<Operand>, otherwise: Slot) -> Result<Slot> {
        self.floats_or(operand, Float::Single, otherwise)
    }
    /// Like [`Builder::reals_or`], in this float type.
    pub fn floats_or(&mut self, operand: &Option<Operand>, float: Float, otherwise: Slot) -> Result<Slot> {
        operand.as_ref().map_or(Ok(otherwise), |o| self.floats(o, float))
    }
    /// Returns an operand's elements in the dtype and scale of a result, converted if necessary.
    pub fn converted(&mut self, operand: &Operand, result: usize) -> Result<Slot> {
        let result = self.result_type(result)?;
        if semantics::stores_the_same(&operand.ty, result) {
            return Slot::of(operand);
        }
        let ty = ValueType { shape: operand.ty.shape.clone(), ..result.clone() };
        let to = self.temporary(ty.bytes());
        self.chain(Chain::new(vec![Formula::copy(Input::of(operand))], to, ty))?;
        Ok(to)
    }
    /// Returns memory for a result's real values in float32. [`Builder::store`] must follow.
    pub fn real_result(&mut self, i: usize) -> Result<Slot> {
        self.float_result(i, Float::Single)
    }
    /// Like [`Builder::real_result`], in the given float type. [`Builder::store_floats`] must follow.
    pub fn float_result(&mut self, i: usize, float: Float) -> Result<Slot> {
        let ty = self.result_type(i)?;
        let is_stored_so = ty.buffer_dtype() == float.dtype();
        Ok(if is_stored_so { self.result(i) } else { self.temporary(float.type_like(ty).bytes()) })
    }
    /// Stores a result's real values, which a kernel has written to `from`, in its dtype and scale, after applying the fused
    /// operators.
    pub fn store(&mut self, i: usize, from: Slot, post_op: PostOp) -> Result<()> {
        self.store_floats(i, from, Float::Single, post_op)
    }
    /// Like [`Builder::store`], from the given float type.
    pub fn store_floats(&mut self, i: usize, from: Slot, float: Float, post_op: PostOp) -> Result<()> {
        let (ty, to) = (self.result_type(i)?, self.result(i));
        let mut formulas = vec![Formula::copy(Input::slot(from, float.type_like(ty))).post_op(post_op)];
        if i == 0 {
            formulas.extend(self.fused_formulas());
        }
        if from == to && formulas.len() == 1 && post_op.relu.is_none() {
            return Ok(());
        }
        self.chain(Chain::new(formulas, to, ty.clone()))
    }
    /// Stores integers of a dtype, which a kernel has written to `from`, as a saturated result.
    pub fn store_ints(&mut self, i: usize, dtype: Dtype, from: Slot) -> Result<()> {
        let result = self.result_type(i)?.clone();
        let input = Input::slot(from, ValueType { dtype, quantization: None, ..result.clone() });
        self.chain(Chain::new(vec![Formula::whole(vec![input], "x")], self.result(i), result))
    }
    /// Lets a result share an operand's memory.
    pub fn share(&mut self, i: usize, from: Slot) -> Result<()> {
        let Slot::Result(place) = self.result(i) else { return Ok(()) };
        match from {
            Slot::Operand(operand) if self.fused.is_empty() => {
                self.program.results[place].shares = Some(operand);
                Ok(())
            }
            from => {
                let ty = self.result_type(i)?.clone();
                let input = Input::slot(from, ty.clone());
                let formula = if ty.dtype.is_float() { Formula::copy(input) } else { Formula::moved(input) };
                let formulas = [vec![formula], self.fused_formulas()].concat();
                self.chain(Chain::new(formulas, self.result(i), ty))
            }
        }
    }

    /// Returns the record for indices out of range.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn faults(&mut self) -> Result<Slot> {
        if self.program.faults.is_none() {
            self.program.faults = Some(self.cuda.faults.record()?);
        }
        Ok(Slot::Faults)
    }
    /// Returns workspace of `bytes` bytes.
    pub fn temporary(&mut self, bytes: u64) -> Slot {
        self.program.temporaries.push(bytes);
        Slot::Temporary(self.program.temporaries.len() - 1)
    }
    /// Returns workspace for `n` floats.
    pub fn temporary_reals(&mut self, n: usize) -> Slot {
        self.temporary((n as u64).saturating_mul(4))
    }
    /// Uploads values that the program keeps on the device.
    pub fn constant<T: bytemuck::NoUninit>(&mut self, numbers: &[T]) -> Result<Slot> {
        self.constants.add(numbers)
    }

    /// Adds a launch of a file's kernel, unless the geometry is empty.
    pub fn launch(
        &mut self,
        file: File,
        function: impl Into<String>,
        geometry: Geometry,
        arguments: impl IntoIterator<Item = Argument>,
    ) -> Result<()> {
        self.launch_source(Source::new(file, function), geometry, arguments.into_iter().collect())
    }
    /// Adds a launch of elementwise operators.
    pub fn chain(&mut self, chain: Chain) -> Result<()> {
        let (source, geometry, arguments) = chain.compile(&mut self.constants)?;
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
    /// Records that something runs slower than it could.
    pub fn note(&self, note: String) {
        self.cuda.notes.add(note);
    }
    /// Returns the mathematics libraries.
    pub fn libraries(&self) -> &'a MathLibraries {
        &self.cuda.libraries
    }
    /// Adds a library call on these slots.
    pub fn call(&mut self, call: Arc<dyn LibraryCall>, slots: Vec<Slot>) -> Result<()> {
        let workspace = (call.workspace() > 0).then(|| self.temporary(call.workspace()));
        let arguments = slots.into_iter().chain(workspace).map(Argument::from).collect();
        self.program.launches.push(Launch { work: Work::LibraryCall(call), arguments });
        Ok(())
    }
    /// Adds a launch of a kernel that stores its accumulators.
    pub fn accumulate(&mut self, kernel: AccumKernel, to: Slot) -> Result<()> {
        let arguments = kernel.arguments.into_iter().chain([to.into()]);
        self.launch(kernel.file, kernel.function, kernel.geometry, arguments)
    }
    /// Adds a launch of a kernel that applies `chain` to its accumulators.
    pub fn accumulate_with_epilogue(&mut self, kernel: AccumKernel, chain: Chain) -> Result<()> {
        let (epilogue, more) = chain.epilogue(&mut self.constants)?;
        let arguments = [kernel.arguments, more].concat();
        self.launch_source(Source::with_epilogue(kernel.file, kernel.function, &epilogue), kernel.geometry, arguments)
    }
}

/// Returns the unsigned type as wide as a dtype's elements, for kernels that only move them.
pub(super) fn bits_type(dtype: Dtype) -> &'static str {
    match dtype.size() {
        1 => "u8",
        2 => "u16",
        4 => "unsigned",
        _ => "u64",
    }
}
