//! Sums of products, from the kernel or the library that makes them to where they are stored: where it can be, within it.
use super::{
    builder::Builder,
    calls::Call,
    chain::Chain,
    float::Float,
    formula::{Finish, Formula, Input, name},
    geometry::Geometry,
    program::{Argument, Slot},
    source::File,
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand, ValueType,
        semantics::{self, AccumKind},
    },
};
use std::sync::Arc;

/// What factors are, and so their sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Summed in float32.
    Float(Float),
    /// Integers of 16 bits less a zero point, summed exactly.
    Narrow,
    /// Wider ones, whose sum saturates.
    Wide,
}

impl Kind {
    pub fn of(left: &ValueType, right: &ValueType) -> Kind {
        match semantics::accum_kind(left, right) {
            AccumKind::Real => Kind::Float(Float::of([left, right])),
            AccumKind::Narrow => Kind::Narrow,
            AccumKind::Wide => Kind::Wide,
        }
    }
    /// Of factors, in CUDA C.
    pub fn c_type(self) -> &'static str {
        match self {
            Kind::Float(float) => float.c_type(),
            Kind::Narrow => "int",
            Kind::Wide => "i64",
        }
    }
    pub fn is_real(self) -> bool {
        matches!(self, Kind::Float(_))
    }
    /// Of sums.
    fn dtype(self) -> Dtype {
        if self.is_real() { Dtype::Float32 } else { Dtype::Int64 }
    }
}

/// A kernel that makes sums. It ends with `EPILOGUE`, whose parameters are its last.
pub(super) struct Maker {
    pub file: File,
    pub function: String,
    pub geometry: Geometry,
    pub arguments: Vec<Argument>,
}

/// Sums, row-major in `shape`, and what becomes of them until they are the first result.
pub(super) struct Sums {
    pub kind: Kind,
    pub shape: Vec<usize>,
    /// Broadcast to the shape.
    pub bias: Option<Operand>,
    pub bias_shape: Vec<usize>,
    /// Of stored numbers, what is 1 in the sums; none where the result is of plain numbers.
    pub scale: Option<Input>,
    pub finish: Finish,
}

impl Sums {
    /// Makes and stores them. `call` gives a library's call that writes results of some floats as they lie, if there is one; its
    /// addresses are those of `factors`, of the bias if it is to add one, and of the result.
    pub fn made(
        self,
        b: &mut Builder,
        factors: [Slot; 2],
        call: impl Fn(&Builder, Float, Float, bool) -> Option<Arc<dyn Call>>,
        own: impl FnOnce(&mut Builder) -> Result<Maker>,
    ) -> Result<()> {
        if let Kind::Float(float) = self.kind {
            if let Some(bias) = self.bias.as_ref().filter(|bias| self.is_all(bias, b, float))
                && let Some(call) = call(b, float, float, true)
            {
                return b.call(call, [&factors[..], &[b.stored(bias)?, b.result(0)]].concat());
            }
            // What something is done with is not rounded before.
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
        let (maker, dtype) = (own(b)?, self.kind.dtype());
        if b.result_type(0)?.buffer_dtype() == dtype && self.kind.is_real() && self.are_stored(b) {
            return b.sums(maker, b.result(0));
        }
        let chain = self.chain(b, |shape| Input::sums(dtype, shape))?;
        b.with_epilogue(maker, chain)
    }
    /// Sums of a library, and then what is done with them.
    fn of_call(self, b: &mut Builder, factors: [Slot; 2], float: Float, call: Arc<dyn Call>) -> Result<()> {
        let ty = float.type_like(b.result_type(0)?);
        let to = b.float_result(0, float)?;
        b.call(call, [&factors[..], &[to]].concat())?;
        if to == b.result(0) && self.are_stored(b) {
            return Ok(());
        }
        let chain = self.chain(b, |shape| Input::slot(to, ValueType { shape, ..ty }))?;
        b.chain(chain)
    }
    /// Nothing is left to be done with sums that lie where the result does.
    fn are_stored(&self, b: &Builder) -> bool {
        self.bias.is_none() && self.finish.relu.is_none() && !b.has_tails()
    }
    /// A number of the bias for each column is all that is added to sums, which are then the result. Relu is not a library's:
    /// theirs make 0 of NaN.
    fn is_all(&self, bias: &Operand, b: &Builder, float: Float) -> bool {
        let lies_so = |ty: &ValueType| ty.buffer_dtype() == float.dtype();
        let by_column = self.bias_shape.len() == 1 && self.shape.last() == self.bias_shape.first();
        let is_result = b.result_type(0).is_ok_and(lies_so) && self.finish.relu.is_none() && !b.has_tails();
        is_result && by_column && lies_so(&bias.ty)
    }

    /// What stores them, read as `sums` says of a shape.
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
        let formulas = [vec![formula.finish(self.finish)], b.tails_over(&self.shape)?].concat();
        Ok(Chain::new(formulas, b.result(0), result).over(&self.shape))
    }
}
