use super::{CallContext, Dtype, Place, error, escape::EscapeLines, pluralized};
use std::{
    fmt::{self, Write as _},
    mem::discriminant,
};

/// Something that is allowed but probably a mistake, with the call and the place that it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    kind: WarningKind,
    call: Option<CallContext>,
    place: Option<Place>,
    /// Number of further warnings of this kind that are not listed.
    more: usize,
}

/// The reason of a [`Warning`], with its numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// A call computes quantized tensors in a model that is emitted as a float module.
    #[error("its tensors are quantized, but the model's mode is f32; expected the mode \"quantized\"")]
    QuantizedInF32,
    /// A gradient was asked for that is zero.
    #[error("the gradient of {tensor:?} is zero; nothing that is differentiated depends on it")]
    ZeroGradient {
        /// Name of the tensor.
        tensor: String,
    },
    /// A coefficient has NaN or infinite elements.
    #[error("the coefficient {tensor:?} has {nan} NaN and {}; the first at index {first}", pluralized(*infinite, "infinite element"))]
    NotFinite {
        /// Name of the coefficient.
        tensor: String,
        /// Number of NaN elements.
        nan: usize,
        /// Number of infinite elements.
        infinite: usize,
        /// Index of the first of them, row-major.
        first: usize,
    },
    /// An array has a dtype that no tensor has, or a wider one, and is converted. A remark: every value fits, or reading it
    /// is an error.
    #[error("{tensor:?} is stored as {from}, and is converted to {to}")]
    Converted {
        /// Name of the tensor.
        tensor: String,
        /// The dtype of the array.
        from: Dtype,
        /// The dtype of the tensor.
        to: Dtype,
    },
    /// A tensor is fed that is no input. A remark: it was asked for.
    #[error("{tensor:?} is fed instead of {instead}")]
    FedInner {
        /// Name of the tensor.
        tensor: String,
        /// What is not used: `the result of top.Conv`.
        instead: String,
    },
    /// A loop was replaced by copies of its body. A remark: the model computes the same.
    #[error("the loop {name:?} is written as {} of its body, since the tool chain runs few loops", pluralized(*copies as usize, "copy"))]
    LoopUnrolled {
        /// Name of its first result.
        name: String,
        /// Number of its iterations.
        copies: u64,
    },
    /// An `If` is in a branch of another.
    #[error("the branches of {name:?} are in a branch, where the tool chain computes 0 for them")]
    NestedBranches {
        /// Name of the result of the inner one.
        name: String,
    },
    /// A loop is written as `top.Loop`.
    #[error("the loop {name:?} is written as top.Loop, which the tool chain may reject")]
    LoopKept {
        /// Name of its first result.
        name: String,
    },
}

impl Warning {
    /// A warning about no particular call or place.
    pub fn new(kind: WarningKind) -> Self {
        Warning { kind, call: None, place: None, more: 0 }
    }
    /// The reason.
    pub fn kind(&self) -> &WarningKind {
        &self.kind
    }
    /// The call that it is about.
    pub fn call(&self) -> Option<&CallContext> {
        self.call.as_ref()
    }
    /// The place in a file that it is about.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
    /// Attaches the call.
    pub fn in_call(self, call: CallContext) -> Self {
        Warning { call: Some(call), ..self }
    }
}

/// Formats a warning the way errors are formatted.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut f = EscapeLines(f);
        self.call.iter().try_for_each(|call| error::write_call(&mut f, call))?;
        write!(f, "{}", self.kind)?;
        self.place.iter().try_for_each(|place| error::write_place(&mut f, place))?;
        if self.more > 0 {
            write!(f, "\n   and {} like it", pluralized(self.more, "more warning"))?;
        }
        Ok(())
    }
}

/// Warnings in the order in which they were raised: each once, and a few of each kind.
#[derive(Debug, Clone, Default)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Warnings of one kind that are listed; further ones are counted.
    const MAX_OF_A_KIND: usize = 3;

    /// Adds a warning unless it is listed already.
    pub fn push(&mut self, warning: Warning) {
        let Warnings(list) = self;
        let alike = |w: &&mut Warning| discriminant(&w.kind) == discriminant(&warning.kind);
        if list.contains(&warning) {
            return;
        }
        let listed = list.iter_mut().filter(alike);
        match listed.fold((0, None), |(n, _), w| (n + 1, Some(w))) {
            (Self::MAX_OF_A_KIND, Some(last)) => last.more += 1 + warning.more,
            _ => list.push(warning),
        }
    }
    /// Number of warnings that are listed.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The warnings.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }
    /// Attaches a place to the warnings from the `first`-th on that have none.
    pub fn locate(&mut self, first: usize, place: impl Fn() -> Place) {
        for warning in self.0.iter_mut().skip(first).filter(|w| w.place.is_none()) {
            warning.place = Some(place());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_listed_once_and_further_ones_are_counted() {
        let mut all = Warnings::default();
        let of = |i: usize| WarningKind::NotFinite { tensor: format!("w{i}"), nan: 1, infinite: 2, first: i };
        (0..1000).chain(0..2).for_each(|i| all.push(Warning::new(of(i))));
        let call = CallContext { function: "conv_quant".into(), out: Some("y".into()), ..CallContext::default() };
        all.push(Warning::new(WarningKind::QuantizedInF32).in_call(call));
        all.locate(3, || Place { file: "net.json".into(), line: 4, column: 5, path: "ops[0]".into() });
        let text: Vec<_> = all.iter().map(Warning::to_string).collect();
        assert_eq!(
            text,
            [
                "the coefficient \"w0\" has 1 NaN and 2 infinite elements; the first at index 0",
                "the coefficient \"w1\" has 1 NaN and 2 infinite elements; the first at index 1",
                "the coefficient \"w2\" has 1 NaN and 2 infinite elements; the first at index 2\n   and 997 more warnings like it",
                "conv_quant \"y\" (ops[0]): its tensors are quantized, but the model's mode is f32; expected the mode \"quantized\"\n   --> net.json:4:5 (ops[0])",
            ]
        );
    }
}
