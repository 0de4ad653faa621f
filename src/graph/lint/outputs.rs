//! Outputs that are constant, have no scale, or lose their names.
use crate::{
    Graph, Mode, Operator, Tensor, TensorInfo,
    base::{Dtype, Shape, WarningKind},
    ops::Op,
    quant::Quantization,
};
use std::collections::{HashMap, HashSet};

/// `quantizations` are those of all tensors, by index.
pub fn check(graph: &Graph, quantizations: &[Option<Quantization>], found: &mut Vec<WarningKind>) {
    let varying = varying(graph);
    let copied = Copied::new(graph);
    for &output in graph.outputs() {
        let Ok(info) = graph.tensor(output) else { continue };
        let tensor = info.name.clone();
        if !varying.contains(&output) {
            found.push(WarningKind::ConstantOutput { tensor: tensor.clone() });
        }
        let has_scale = quantizations.get(output.index()).is_some_and(Option::is_some);
        if graph.mode == Mode::Quantized && is_quantizable(info.dtype) && !has_scale {
            found.push(WarningKind::MissingScale { tensor: tensor.clone(), dtype: info.dtype });
        }
        if let Some(source) = copied.source(output) {
            found.push(WarningKind::RenamedTensor { tensor, renamed: source.name.clone() });
        }
    }
}

fn is_quantizable(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Int8 | Dtype::Uint8 | Dtype::Int16 | Dtype::Uint16)
}

/// Returns the tensors that depend on an input or a variable.
fn varying(graph: &Graph) -> HashSet<Tensor> {
    let mut varying: HashSet<Tensor> = graph.inputs().iter().copied().collect();
    varying.extend(graph.updates.iter().map(|(variable, _)| *variable));
    for operator in graph.operators() {
        if operator.uses().iter().any(|t| varying.contains(t)) {
            varying.extend(operator.outputs());
        }
    }
    varying
}

/// Tensors that tpuc-opt replaces by others, since their operators change nothing: seen with tpu_mlir 1.30.2.
struct Copied<'g> {
    graph: &'g Graph,
    /// The operator of each result.
    operators: HashMap<Tensor, &'g Operator>,
}

impl<'g> Copied<'g> {
    fn new(graph: &'g Graph) -> Self {
        let results = |o: &'g Operator| o.outputs().map(move |t| (t, o));
        Copied { graph, operators: graph.operators().iter().flat_map(results).collect() }
    }

    /// Returns the tensor whose name an output will have, unless it keeps its own.
    fn source(&self, output: Tensor) -> Option<&'g TensorInfo> {
        let mut source = None;
        let mut at = output;
        while let Some(operand) = self.operand(at) {
            source = Some(operand);
            at = operand;
        }
        // An input that is also an output is not renamed.
        self.graph.tensor(source?).ok()
    }

    /// Returns the equal operand of the operator that computes a tensor.
    fn operand(&self, tensor: Tensor) -> Option<Tensor> {
        let shape = |t: Tensor| self.graph.tensor(t).ok().map(|info| &info.shape);
        let same = |t: Tensor| -> bool { shape(t).zip(shape(tensor)).is_some_and(|(a, b): (&Shape, &Shape)| a == b) };
        match &self.operators.get(&tensor)?.op {
            Op::Reshape(op) => same(op.input).then_some(op.input),
            Op::Slice(op) => same(op.input).then_some(op.input),
            Op::MulConst(op) => (op.const_val == 1.0 && !op.do_relu).then_some(op.input),
            Op::Permute(second) => {
                let Op::Permute(first) = &self.operators.get(&second.input)?.op else { return None };
                let restored = second.order.iter().map(|axis| first.order.get(usize::try_from(*axis).ok()?).copied());
                let is_identity = restored.enumerate().all(|(i, axis)| axis == i64::try_from(i).ok());
                is_identity.then_some(first.input)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::warnings;
    use crate::{Array, Dtype, Mode};

    #[test]
    fn outputs_that_are_constant_or_have_no_scale() {
        let found = warnings(|g, x| {
            g.mode = Mode::Quantized;
            let c = g.coefficient("c", Array::from([1f32, 2.0]))?;
            let y = g.relu(c).out_name("y").call()?;
            let i = g.input("i", Dtype::Int8, [1, 4])?;
            let z = g.reshape(i, [4]).out_name("z").call()?;
            Ok(vec![y, z, g.relu(x).call()?])
        });
        assert_eq!(
            found,
            [
                "constant-output: the output \"y\" is constant: it depends on no input",
                "missing-scale: the output \"z\" is int8 and has no scale, so its real values are unknown",
            ]
        );
    }

    #[test]
    fn outputs_of_operators_that_change_nothing_are_renamed() {
        let found = warnings(|g, x| {
            let h = g.sigmoid(x).out_name("h").call()?;
            let p = g.permute(h, [0, 2, 3, 1]).call()?;
            let inner = g.reshape(h, [1, 4, 6, 6]).out_name("inner").call()?;
            Ok(vec![
                g.mul(inner, 1.0).out_name("scaled").call()?,
                g.permute(p, [0, 3, 1, 2]).out_name("back").call()?,
                g.permute(p, [0, 2, 3, 1]).out_name("turned").call()?,
                g.add(h, 0.0).out_name("added").call()?,
                g.reshape(h, [4, 36]).out_name("reshaped").call()?,
            ])
        });
        assert_eq!(
            found,
            [
                "renamed-tensor: tpuc-opt will rename \"scaled\" to \"h\"",
                "renamed-tensor: tpuc-opt will rename \"back\" to \"h\"",
            ]
        );
    }
}
