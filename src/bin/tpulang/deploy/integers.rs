//! Integers that the tool chain rounds.
use super::{stage::Arrays, target::Target};
use std::collections::{HashMap, HashSet};
use tpulang::{
    Dtype, Graph, Mode, Result, Tensor,
    calibrate::{self, QuantizeTable},
    ops::Op,
};

/// The largest integer up to which float16 represents all of them.
const MAX_EXACT_INTEGER: f64 = 2048.0;

/// Returns a remark about integers that are too large for the float32 in which the chip computes them, if there are any.
pub fn beyond_float32(graph: &Graph, arrays: &Arrays) -> Result<Option<String>> {
    if graph.mode == Mode::Quantized {
        return Ok(None);
    }
    let bound = Graph::MAX_EXACT_DIVIDEND;
    for name in QuantizeTable::of_integers(graph).modes.keys() {
        let Some(array) = arrays.get(name) else { continue };
        if let Some(x) = array.to_f64()?.into_iter().find(|x| x.abs() > bound) {
            return Ok(Some(format!(
                "the chip computes the integers of {name:?}, such as {x}, in 32-bit floats; beyond {bound}, quotients and \
                 remainders may be wrong, and beyond 16777216, all results"
            )));
        }
    }
    Ok(None)
}

/// Returns a remark about a Slice whose integers the chip rounds, if there is one. TPU-MLIR 1.30 slices integers in F16 only. That moves
/// all of their bits from an input to a Gather, and elsewhere it converts them. `arrays` has the network's tensors.
pub fn rounded_slice(graph: &Graph, target: &Target, arrays: &Arrays) -> Result<Option<String>> {
    if target.float_mode() == calibrate::Mode::F32 || graph.mode == Mode::Quantized {
        return Ok(None);
    }
    let mut converted: HashSet<Tensor> = HashSet::new();
    let mut slices: HashMap<Tensor, Tensor> = HashMap::new();
    for operator in graph.operators() {
        let is_gather = matches!(operator.op, Op::Gather(_));
        converted.extend(operator.uses().into_iter().filter(|_| !is_gather));
        let input = match &operator.op {
            Op::Slice(op) => op.input,
            Op::Split(op) => op.input,
            _ => continue,
        };
        slices.extend(operator.outputs().map(|t| (t, input)));
    }
    for t in graph.operators().iter().flat_map(|operator| operator.outputs()) {
        let (Some(input), info) = (slices.get(&t), graph.tensor(t)?) else { continue };
        let moves_bits = graph.inputs().contains(input) && !converted.contains(&t);
        if !info.dtype.is_int() || info.quantization.is_some() || moves_bits {
            continue;
        }
        let Some(array) = arrays.get(&info.name) else { continue };
        let (numbers, rounded) = (array.to_f64()?, array.to_dtype(Dtype::Float16)?.to_f64()?);
        if let Some((x, rounded)) = numbers.iter().zip(&rounded).find(|(x, rounded)| x != rounded) {
            let name = &info.name;
            return Ok(Some(format!(
                "the chip rounds integers of {name:?}, such as {x} to {rounded}: TPU-MLIR slices integers in 16-bit floats, \
                 which represent all of them up to {MAX_EXACT_INTEGER}"
            )));
        }
    }
    Ok(None)
}
