//! Post-processes the accumulators of products, in the producing kernel if possible.
use super::{
    builder::{AccumKernel, Builder},
    chain::Chain,
    float::Float,
    formula::{Formula, Input, PostOp, name},
    library_call::LibraryCall,
    slot::Slot,
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand, ValueType,
        semantics::{self, AccumKind},
    },
};
use std::sync::Arc;

/// The types of a product's operands and of its accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccumType {
    /// Accumulated in float32.
    Float(Float),
    /// 16-bit integers (operands minus their zero points), accumulated exactly.
    Narrow,
    /// Wider integers; the accumulator saturates.
    Wide,
}

impl AccumType {
    pub fn of(left: &ValueType, right: &ValueType) -> AccumType {
        match semantics::accum_kind(left, right) {
            AccumKind::Real => AccumType::Float(Float::of([left, right])),
            AccumKind::Narrow => AccumType::Narrow,
            AccumKind::Wide => AccumType::Wide,
        }
    }
    /// The operands' type in CUDA C.
    pub fn c_type(self) -> &'static str {
        match self {
            AccumType::Float(float) => float.c_type(),
            AccumType::Narrow => "int",
            AccumType::Wide => "i64",
        }
    }
    pub fn is_real(self) -> bool {
        matches!(self, AccumType::Float(_))
    }
    /// The accumulators' type.
    fn dtype(self) -> Dtype {
        if self.is_real() { Dtype::Float32 } else { Dtype::Int64 }
    }
}

/// Accumulators, row-major in `shape`, and their post-processing.
pub(super) struct Accumulation {
    pub kind: AccumType,
    pub shape: Vec<usize>,
    /// The number of columns of each product.
    pub columns: usize,
    /// The bias, which broadcasts to `shape`.
    pub bias: Option<Operand>,
    pub bias_shape: Vec<usize>,
    /// The real value of 1 in an integer accumulator, or `None` if the result is not quantized.
    pub scale: Option<Input>,
    pub post_op: PostOp,
}

impl Accumulation {
    /// Emits the launches that compute and store the result. `call` returns a library call for operands and results of these
    /// float types, with or without a bias, or `None` if there is none. The call takes the addresses of `factors`, the bias
    /// and the result. `own` returns the built-in kernel.
    pub fn emit(
        self,
        b: &mut Builder,
        factors: [Slot; 2],
        call: impl Fn(&Builder, Float, Float, bool) -> Option<Arc<dyn LibraryCall>>,
        own: impl FnOnce(&mut Builder) -> Result<AccumKernel>,
    ) -> Result<()> {
        if let AccumType::Float(float) = self.kind {
            if let Some(bias) = self.bias.as_ref().filter(|bias| self.is_column_bias(bias, b, float))
                && let Some(call) = call(b, float, float, true)
            {
                return b.call(call, [&factors[..], &[Slot::of(bias)?, b.result(0)]].concat());
            }
            // Values with further post-processing are not rounded to float16 first.
            let is_result = b.result_type(0)?.buffer_dtype() == float.dtype() && self.are_stored(b);
            let attempts: &[Float] = match float {
                Float::Half if !is_result => &[Float::Single, Float::Half],
                _ => &[float],
            };
            for to in attempts {
                if let Some(call) = call(b, float, *to, false) {
                    return self.of_call(b, factors, *to, call);
                }
            }
        }
        let (kernel, dtype) = (own(b)?, self.kind.dtype());
        if b.result_type(0)?.buffer_dtype() == dtype && self.kind.is_real() && self.are_stored(b) {
            return b.accumulate(kernel, b.result(0));
        }
        let chain = self.chain(b, |shape| Input::accumulator(dtype, shape))?;
        b.accumulate_with_epilogue(kernel, chain)
    }
    /// Emits a library call, and a kernel for the remaining operators.
    fn of_call(self, b: &mut Builder, factors: [Slot; 2], float: Float, call: Arc<dyn LibraryCall>) -> Result<()> {
        let ty = float.type_like(b.result_type(0)?);
        let to = b.float_result(0, float)?;
        b.call(call, [&factors[..], &[to]].concat())?;
        if to == b.result(0) && self.are_stored(b) {
            return Ok(());
        }
        let chain = self.chain(b, |shape| Input::slot(to, ValueType { shape, ..ty }))?;
        b.chain(chain)
    }
    /// Whether the accumulators are the result.
    fn are_stored(&self, b: &Builder) -> bool {
        self.bias.is_none() && self.post_op.relu.is_none() && !b.has_fused_ops()
    }
    /// Whether a per-column bias is the only post-processing, which a library can apply. Relu is not left to libraries,
    /// because theirs maps NaN to 0.
    fn is_column_bias(&self, bias: &Operand, b: &Builder, float: Float) -> bool {
        let is_stored_so = |ty: &ValueType| ty.buffer_dtype() == float.dtype();
        let by_column = self.bias_shape == [self.columns] && self.shape.last() == Some(&self.columns);
        let is_result = b.result_type(0).is_ok_and(is_stored_so) && self.post_op.relu.is_none() && !b.has_fused_ops();
        is_result && by_column && is_stored_so(&bias.ty)
    }

    /// Returns the elementwise operators that compute the result from the accumulators. `sums` returns the input that reads
    /// the accumulators in a given shape.
    fn chain(self, b: &mut Builder, sums: impl FnOnce(Vec<usize>) -> Input) -> Result<Chain> {
        let result = b.result_type(0)?.clone();
        let mut inputs = vec![sums(self.shape.clone())];
        let is_real = self.kind.is_real();
        if let Some(bias) = &self.bias {
            let bias = if is_real { Input::of(bias).in_reals() } else { Input::of(bias).in_integers() };
            inputs.push(bias.shaped(self.bias_shape));
        }
        let sum = match (inputs.len() > 1, is_real) {
            (false, _) => "x",
            (true, true) => "x + y",
            (true, false) => "saturating_add(x, y)",
        };
        let formula = match (is_real, self.scale) {
            (true, _) => Formula::real(inputs, sum),
            (false, None) => Formula::whole(inputs, sum),
            (false, Some(scale)) => {
                let name = name(inputs.len());
                let inputs: Vec<Input> = inputs.into_iter().map(Input::in_integers).chain([scale]).collect();
                Formula::real(inputs, format!("(float)((double){sum} * {name})"))
            }
        };
        let formulas = [vec![formula.post_op(self.post_op)], b.fused_formulas_over(&self.shape)?].concat();
        Ok(Chain::new(formulas, b.result(0), result).over(&self.shape))
    }
}
