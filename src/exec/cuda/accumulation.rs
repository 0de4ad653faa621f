//! Post-processing of accumulators of products, fused into the producing kernel if possible.
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

/// The types of the operands of products, and of their accumulators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccumType {
    /// Accumulated in float32.
    Float(Float),
    /// 16-bit integers minus a zero point, accumulated exactly.
    Narrow,
    /// Wider integers, whose accumulator saturates.
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

/// Accumulators, row-major in `shape`, and how the first result is computed from them.
pub(super) struct Accumulation {
    pub kind: AccumType,
    pub shape: Vec<usize>,
    /// Is broadcast to the shape.
    pub bias: Option<Operand>,
    pub bias_shape: Vec<usize>,
    /// The real value of 1 in an integer accumulator. `None` if the result is not quantized.
    pub scale: Option<Input>,
    pub post_op: PostOp,
}

impl Accumulation {
    /// Emits the launches that compute and store the result. `call` returns a library's call for operands and results of these
    /// float types, with or without bias, if there is one; its addresses are those of `factors`, the bias and the result. `own`
    /// returns the built-in kernel.
    pub fn emit(
        self,
        b: &mut Builder,
        factors: [Slot; 2],
        call: impl Fn(&Builder, Float, Float, bool) -> Option<Arc<dyn LibraryCall>>,
        own: impl FnOnce(&mut Builder) -> Result<AccumKernel>,
    ) -> Result<()> {
        if let AccumType::Float(float) = self.kind {
            if let Some(bias) = self.bias.as_ref().filter(|bias| self.is_all(bias, b, float))
                && let Some(call) = call(b, float, float, true)
            {
                return b.call(call, [&factors[..], &[Slot::of(bias)?, b.result(0)]].concat());
            }
            // Values that are processed further are not rounded to float16 first.
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
    /// Emits a library's call, and a kernel for the rest.
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
    /// Whether a per-column bias is the only post-processing, which a library can do. Relu is not left to libraries, as theirs
    /// turns NaN into 0.
    fn is_all(&self, bias: &Operand, b: &Builder, float: Float) -> bool {
        let lies_so = |ty: &ValueType| ty.buffer_dtype() == float.dtype();
        let by_column = self.bias_shape.len() == 1 && self.shape.last() == self.bias_shape.first();
        let is_result = b.result_type(0).is_ok_and(lies_so) && self.post_op.relu.is_none() && !b.has_fused_ops();
        is_result && by_column && lies_so(&bias.ty)
    }

    /// The elementwise operators that compute the result from the accumulators, which `sums` describes for a shape.
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
            (true, false) => "plus(x, y)",
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
        let formulas = [vec![formula.post_op(self.post_op)], b.fused_formulas()].concat();
        Ok(Chain::new(formulas, b.result(0), result).over(&self.shape))
    }
}
