use super::{CallContext, Place, WarningCode, WarningKind, error, escape::EscapeLines, pluralized};
use std::fmt::{self, Write as _};

/// Something that is allowed but probably a mistake, with the call and the place that it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    kind: WarningKind,
    call: Option<CallContext>,
    place: Option<Place>,
    /// Number of further warnings of this kind that are not listed.
    more: usize,
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
    /// The code of the reason: `unused-input`.
    pub fn code(&self) -> WarningCode {
        WarningCode::from(&self.kind)
    }
    /// The message, without the place and with the number of similar warnings.
    pub fn message(&self) -> String {
        Warning { place: None, ..self.clone() }.to_string()
    }
    /// The number of similar warnings that are not listed.
    pub fn more(&self) -> usize {
        self.more
    }
    /// The call that it is about.
    pub fn call(&self) -> Option<&CallContext> {
        self.call.as_ref()
    }
    /// The place in a file that it is about.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
    /// Attaches the place unless one is already set.
    pub fn at(self, place: Option<Place>) -> Self {
        Warning { place: self.place.or(place), ..self }
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
///
/// ```
/// use tpulang::{Dtype, GraphBuilder, base::WarningCode};
/// let g = GraphBuilder::new("net")?;
/// g.input("unused", Dtype::Float32, [2])?;
/// let graph = g.build(g.input("x", Dtype::Float32, [2])?.relu().call()?)?;
/// let warnings = graph.warnings();
/// assert!(warnings.to_string().starts_with("warning[unused-input]: "));
/// for warning in &warnings {
///     assert_eq!(warning.code(), WarningCode::UnusedInput);
/// }
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Warnings of one kind that are listed; further ones are counted.
    const MAX_OF_A_KIND: usize = 3;

    /// Adds a warning unless it is listed already.
    pub fn push(&mut self, warning: Warning) {
        let Warnings(list) = self;
        let alike = |w: &&mut Warning| w.code() == warning.code();
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
    /// Adds all of another list.
    pub fn extend(&mut self, others: &Warnings) {
        others.iter().for_each(|warning| self.push(warning.clone()));
    }
    /// Keeps the warnings for which this is true.
    pub fn retain(&mut self, keep: impl FnMut(&Warning) -> bool) {
        self.0.retain(keep);
    }
    /// Attaches a place to the warnings from the `first`-th on that have none.
    pub fn locate(&mut self, first: usize, place: impl Fn() -> Place) {
        for warning in self.0.iter_mut().skip(first).filter(|w| w.place.is_none()) {
            warning.place = Some(place());
        }
    }
}

/// Formats one warning after the other, each with its code: `warning[unused-input]: ..`.
impl fmt::Display for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|warning| writeln!(f, "warning[{}]: {warning}", warning.code()))
    }
}

impl IntoIterator for Warnings {
    type Item = Warning;
    type IntoIter = std::vec::IntoIter<Warning>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
impl<'a> IntoIterator for &'a Warnings {
    type Item = &'a Warning;
    type IntoIter = std::slice::Iter<'a, Warning>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Collects warnings about no particular call or place.
impl FromIterator<WarningKind> for Warnings {
    fn from_iter<I: IntoIterator<Item = WarningKind>>(kinds: I) -> Self {
        let mut all = Warnings::default();
        kinds.into_iter().for_each(|kind| all.push(Warning::new(kind)));
        all
    }
}

impl From<WarningKind> for Warnings {
    fn from(kind: WarningKind) -> Self {
        [kind].into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_listed_once_and_further_ones_are_counted() {
        let mut all = Warnings::default();
        let of = |i: usize| WarningKind::NotFiniteWeight { tensor: format!("w{i}"), nan: 1, infinite: 2, first: i };
        (0..1000).chain(0..2).for_each(|i| all.push(Warning::new(of(i))));
        let call = CallContext { function: "conv_quant".into(), out: Some("y".into()), ..CallContext::default() };
        all.push(Warning::new(WarningKind::QuantizedInF32).in_call(call));
        all.locate(3, || Place { file: "net.json".into(), line: 4, column: 5, path: "ops[0]".into() });
        let text: Vec<_> = all.iter().map(Warning::to_string).collect();
        assert_eq!(
            text,
            [
                "the coefficient \"w0\" has 1 NaN and 2 infinite elements, first at index 0",
                "the coefficient \"w1\" has 1 NaN and 2 infinite elements, first at index 1",
                "the coefficient \"w2\" has 1 NaN and 2 infinite elements, first at index 2\n   and 997 more warnings like it",
                "conv_quant \"y\" (ops[0]): its tensors are quantized, but the model's mode is f32; expected the mode \"quantized\"\n   --> net.json:4:5 (ops[0])",
            ]
        );
    }
}
