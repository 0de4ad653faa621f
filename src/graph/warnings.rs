use super::{Graph, MadeBy, Mode, RecordedCall};
use crate::{
    array::Array,
    base::{CallContext, Place, Warning, WarningCode, WarningKind, Warnings},
};

impl Graph {
    /// Leaves warnings of this code out of [`Graph::warnings`], and out of what the command and Python tell about this
    /// graph. Specs have `"allow"` for it. On the command line, `--deny CODE` precedes it.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, base::WarningCode};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [4])?;
    /// g.input("mask", Dtype::Float32, [4])?;
    /// let y = g.relu(x).call()?;
    /// g.set_outputs(&[y])?;
    /// assert_eq!(g.warnings().len(), 1);
    /// g.allow(WarningCode::UnusedInput);
    /// assert!(g.warnings().is_empty());
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn allow(&mut self, code: WarningCode) {
        self.allowed.insert(code);
    }
    /// Returns the codes of [`Graph::allow`].
    pub fn allowed(&self) -> impl Iterator<Item = WarningCode> {
        self.allowed.iter().copied()
    }
    /// Whether warnings of this code are allowed ([`Graph::allow`]).
    pub fn allows(&self, code: WarningCode) -> bool {
        self.allowed.contains(&code)
    }
    /// Returns warnings about valid but probably unintended constructs, except for those that are allowed
    /// ([`Graph::allow`]). NaN and infinite elements of weights in a file are reported once the file has been read, by
    /// emission or by a session.
    pub fn warnings(&self) -> Warnings {
        let mut all = self.structural_warnings();
        all.extend(&self.weight_warnings());
        all.retain(|warning| !self.allows(warning.code()));
        all
    }
    /// Returns the warnings that do not depend on the elements of weights, including those that are allowed.
    #[doc(hidden)]
    pub fn structural_warnings(&self) -> Warnings {
        let mut all = Warnings::default();
        // The mode may have been set after the calls.
        let applies = |w: &&Warning| *w.kind() != WarningKind::QuantizedInF32 || self.mode == Mode::F32;
        self.warnings.iter().filter(applies).for_each(|w| all.push(w.clone()));
        self.lint().into_iter().for_each(|kind| all.push(self.placed(kind)));
        all
    }
    /// Returns the warnings about elements of weights that have been read, including those that are allowed.
    #[doc(hidden)]
    pub fn weight_warnings(&self) -> Warnings {
        let mut all = Warnings::default();
        for (_, info) in self.tensors().filter(|(_, info)| !info.of_call) {
            if let Some(found) = info.data().and_then(Array::non_finite).filter(|found| found.any()) {
                let (tensor, nan, infinite, first) = (info.name.clone(), found.nan, found.infinite, found.first);
                all.push(self.placed(WarningKind::NotFiniteWeight { tensor, nan, infinite, first }));
            }
        }
        all
    }
    /// Returns a warning with the place of the tensor that it is about.
    fn placed(&self, kind: WarningKind) -> Warning {
        let place = kind.tensor().and_then(|name| self.place_of(name));
        Warning::new(kind).at(place)
    }
    /// Adds a warning.
    #[doc(hidden)]
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
    /// Returns a remark for each coefficient whose data are converted as they are read ([`Array::fitted`]).
    pub fn conversions(&self) -> Warnings {
        let mut all = Warnings::default();
        for (_, info) in self.tensors() {
            let from = info.data().map(Array::stored_dtype).filter(|from| *from != info.dtype);
            let kind = from.map(|from| WarningKind::Converted { tensor: info.name.clone(), from, to: info.dtype });
            kind.into_iter().for_each(|kind| all.push(self.placed(kind)));
        }
        all
    }
    /// Returns the number of warnings raised by calls.
    #[doc(hidden)]
    pub fn recorded_warnings(&self) -> usize {
        self.warnings.len()
    }
    /// Returns the warnings raised by calls from index `first` on that are not allowed.
    #[doc(hidden)]
    pub fn warnings_since(&self, first: usize) -> Vec<Warning> {
        self.warnings.iter().skip(first).filter(|warning| !self.allows(warning.code())).cloned().collect()
    }
    /// Attaches a source position to the warnings from index `first` on.
    #[doc(hidden)]
    pub fn locate_warnings(&mut self, first: usize, place: impl Fn() -> Place) {
        self.warnings.locate(first, place);
    }
    /// Raises the warnings about a call whose operators are the last ones of the current block.
    pub(super) fn warn_about(&mut self, call: &RecordedCall) {
        if self.mode != Mode::F32 {
            return;
        }
        let operators = self.open.last().unwrap_or(&self.body).operators.iter().rev().take(call.operators);
        // A weight with a zero point also occurs in networks of floats, in products whose results are int32.
        let is_quantized = |t| self.tensor(t).is_ok_and(|info| info.quantization.is_some() && !info.is_coefficient());
        let quantized =
            operators.flat_map(|o| o.outputs().chain(o.op.operands().map(|(_, t)| *t))).find(|t| is_quantized(*t));
        if quantized.is_none() {
            return;
        }
        let function = match &call.made_by {
            MadeBy::Function(f) => f.function().to_owned(),
            MadeBy::Op => {
                let operators = &self.open.last().unwrap_or(&self.body).operators;
                operators.last().map_or(String::new(), |o| format!("top.{}", o.op.name()))
            }
        };
        let out = call.outputs.first().and_then(|t| self.tensor(*t).ok()).map(|info| info.name.clone());
        let call = CallContext { function, out, index: self.calls, operands: Vec::new() };
        self.warnings.push(Warning::new(WarningKind::QuantizedInF32).in_call(call));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, Dtype, Graph, Mode};

    #[test]
    fn quantized_calls_in_f32_and_weights_that_are_not_finite() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 2, 4, 4]).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Int8, [2, 2, 1, 1], 1.0).unwrap()).unwrap();
        g.conv_int(x, w).input_zp(0).weight_zp(0).out_name("y").call().unwrap();
        let b = g.coefficient("b", Array::from([f32::NAN, 1.0, f32::NEG_INFINITY])).unwrap();
        g.add(b, 1.0).call().unwrap();
        let told = |g: &Graph| g.warnings().iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let not_finite = "the coefficient \"b\" has 1 NaN and 1 infinite element, first at index 0";
        assert_eq!(
            told(&g),
            [
                "conv_int \"y\" (ops[0]): its tensors are quantized, but the model's mode is f32; expected the mode \"quantized\"",
                not_finite,
            ]
        );
        g.mode = Mode::Quantized;
        assert_eq!(told(&g), [not_finite]);
    }

    #[test]
    fn calls_whose_defaults_surprise() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4, 6, 6]).unwrap();
        let i = g.input("i", Dtype::Int32, [4]).unwrap();
        let table = Array::filled(Dtype::Float32, [6, 6], 0.5).unwrap();
        let filter = Array::filled(Dtype::Float32, [4, 4, 2, 2], 1.0).unwrap();
        let build = |g: &mut Graph| {
            g.avgpool2d(x).kernel(2).call()?;
            g.concat([x, x]).call()?;
            g.layer_norm(x).call()?;
            g.rope(x, table.clone(), table.clone()).call()?;
            g.rsqrt(x).call()?;
            g.deconv(x, filter).call()?;
            g.add(i, 0.5).call()?;
            // Nothing is left to a default, or it makes no difference.
            g.avgpool2d(x).call()?;
            g.maxpool2d(x).kernel(1).call()?;
            g.maxpool2d(x).kernel(2).stride(1).call()?;
            g.concat([x, x]).axis(0).call()?;
            g.add(i, 2.0).call()
        };
        build(&mut g).unwrap();
        let told: Vec<String> = g.warnings().iter().map(|w| format!("{}: {w}", w.code())).collect();
        assert_eq!(
            told,
            [
                "surprising-default: avgpool2d (ops[0]): stride is not given, so it is 1; PyTorch's default is the size of the window, 2x2",
                "surprising-default: concat (ops[1]): axis is not given, so it is 0, usually the batch; Keras joins the last axis, and ONNX has no default",
                "surprising-default: layer_norm (ops[2]): axis is not given, so it is 2, which normalizes the last axes from there; most networks normalize the last axis, -1\n   and 1 more warning like it",
                "added-epsilon: rsqrt (ops[4]): rsqrt computes 1 / sqrt(x + 1e-5) for floats; PyTorch's rsqrt adds nothing",
                "filter-order: deconv (ops[5]): weight has 4 output and 4 input channels; expected the output channels first (PyTorch's ConvTranspose has the input channels first)",
                "fractional-scalar: add (ops[6]): tensor_i1 is 0.5, but the result is int32, so it is rounded to integers; cast the tensor to float32 first",
            ]
        );
    }

    #[test]
    fn a_call_that_is_undone_warns_of_nothing() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [4]).unwrap();
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let failed = g.block(none, |g, _| {
            g.dequant_int_to_fp(x, 0.5, 0.0).call()?;
            g.relu("missing").call().map(|t| vec![t])
        });
        assert!(failed.is_err() && g.warnings().is_empty());
    }
}
