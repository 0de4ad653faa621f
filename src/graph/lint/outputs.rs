//! Outputs that are constant, have no scale, or lose their names.
use crate::{
    Graph, Mode, Operator, Tensor, TensorInfo,
    base::{Dtype, Shape, WarningKind},
    ops::{InterpMode, Op},
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
    /// The operator of each result so far.
    operators: HashMap<Tensor, &'g Operator>,
    /// The tensor that each one is reshaped from, by one operator or several in a row.
    reshaped_from: HashMap<Tensor, Tensor>,
    /// The tensor that each one is replaced by.
    sources: HashMap<Tensor, Tensor>,
}

impl<'g> Copied<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut copied =
            Copied { graph, operators: HashMap::new(), reshaped_from: HashMap::new(), sources: HashMap::new() };
        for operator in graph.operators() {
            for result in operator.outputs() {
                if let Some(operand) = copied.operand(&operator.op, result) {
                    let source = copied.sources.get(&operand).copied().unwrap_or(operand);
                    copied.sources.insert(result, source);
                }
                copied.operators.insert(result, operator);
            }
        }
        copied
    }

    /// Returns the tensor whose name an output will have, unless it keeps its own.
    fn source(&self, output: Tensor) -> Option<&'g TensorInfo> {
        self.graph.tensor(*self.sources.get(&output)?).ok()
    }

    fn shape(&self, tensor: Tensor) -> Option<&'g Shape> {
        self.graph.tensor(tensor).ok().map(|info| &info.shape)
    }

    /// Returns the earlier tensor that the result of an operator equals.
    fn operand(&mut self, op: &'g Op<Tensor>, result: Tensor) -> Option<Tensor> {
        let reshaped = match op {
            Op::Reshape(op) => Some(op.input),
            Op::Squeeze(op) => Some(op.input),
            Op::Unsqueeze(op) => Some(op.input),
            _ => None,
        };
        if let Some(input) = reshaped {
            let first = self.reshaped_from.get(&input).copied().unwrap_or(input);
            self.reshaped_from.insert(result, first);
            return (self.shape(first) == self.shape(result)).then_some(first);
        }
        if let Op::Permute(second) = op {
            let Op::Permute(first) = &self.operators.get(&second.input)?.op else { return None };
            let restored = second.order.iter().map(|axis| first.order.get(usize::try_from(*axis).ok()?).copied());
            let is_identity = restored.enumerate().all(|(i, axis)| axis == i64::try_from(i).ok());
            return is_identity.then_some(first.input);
        }
        let (input, changes_nothing) = match op {
            Op::Slice(op) => (op.input, op.steps.iter().all(|step| *step > 0)),
            Op::MulConst(op) => (op.input, op.const_val == 1.0 && !op.do_relu),
            Op::Concat(op) => (*op.inputs.first()?, op.inputs.len() == 1 && !op.do_relu),
            Op::Expand(op) => (op.input, true),
            Op::Upsample(op) => (op.input, !op.do_relu),
            Op::Interp(op) => (op.input, op.mode == InterpMode::Nearest),
            _ => return None,
        };
        (changes_nothing && self.shape(input) == self.shape(result)).then_some(input)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::warnings;
    use crate::{Array, Dtype, Mode, ops};

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
            let long = g.reshape(h, [144]).call()?;
            Ok(vec![
                g.mul(inner, 1.0).out_name("scaled").call()?,
                g.permute(p, [0, 3, 1, 2]).out_name("back").call()?,
                g.permute(p, [0, 2, 3, 1]).out_name("turned").call()?,
                g.add(h, 0.0).out_name("added").call()?,
                g.op(ops::Concat::new(vec![h])).out_name("alone").call()?[0],
                g.reshape(long, [1, 4, 6, 6]).out_name("restored").call()?,
                g.reshape(h, [4, 36]).out_name("reshaped").call()?,
                g.op(ops::Slice::new(h, vec![0, 0, 0, -1], vec![1, 1, 1, -1], vec![1, 4, 6, -7]))
                    .out_name("reversed")
                    .call()?[0],
            ])
        });
        assert_eq!(
            found,
            [
                "renamed-tensor: tpuc-opt will rename \"scaled\" to \"h\"",
                "renamed-tensor: tpuc-opt will rename \"back\" to \"h\"",
                "renamed-tensor: tpuc-opt will rename \"alone\" to \"h\"\n   and 1 more warning like it",
            ]
        );
    }
}
