//! Functions of a single byte whose results are bytes: a table has the result of each of the 256 bytes.
use super::{
    OpKernel, Operand, Signature, ValueType, arena::Arena, chunks::CHUNK, int8::ByteTable, is_elementwise, prepare,
    task::Task,
};
use crate::{
    array::Array,
    base::{Dtype, Result, invalid},
    ops::{Op, QuantizeLinear},
    quant::single,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Whether `next` completes a function of bytes: it starts with a cast of bytes to reals, and each further operator reads only the result
/// of the one before it, constant numbers and, like the multiplication in `x * sigmoid(x)`, those bytes.
pub(super) fn ends_with(signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
    source(signature).is_some_and(|source| is_function(next, source)) && has_one_scale(result)
}

/// Whether an operator with its fused ones is a function of bytes.
pub(super) fn supports(signature: &Signature) -> bool {
    function(signature).is_some()
}

/// Returns the source and the type of the result if the operators are a function of bytes.
fn function(signature: &Signature) -> Option<(&Operand, &ValueType)> {
    let [Some(result)] = signature.results.as_slice() else { return None };
    let is_complete = !signature.fused_ops.is_empty() && has_one_scale(result);
    let source = source(signature).filter(|source| is_complete && source.ty.layout == result.layout)?;
    Some((source, result))
}

/// Returns the bytes that the first operator casts and of which the others are functions.
fn source(signature: &Signature) -> Option<&Operand> {
    let Op::Cast(cast) = &signature.op else { return None };
    let source = &cast.input;
    let is_source = has_one_scale(&source.ty) && source.constant.is_none();
    (is_source && signature.fused_ops.iter().all(|op| is_function(op, source))).then_some(source)
}

/// Whether a fused operator computes each number from one of the preceding result and one of the source.
fn is_function(op: &Op<Operand>, source: &Operand) -> bool {
    let is_known = |o: &Operand| o.is_fused_input() || o.index() == source.index() || is_number(o);
    // Several scales belong to the indices of an axis, not to numbers.
    let has_one_scale = |op: &QuantizeLinear<Operand>| single(&op.y_scale, &op.y_zero_point).is_some();
    let is_of_numbers = match op {
        Op::Cast(_) => true,
        Op::QuantizeLinear(op) => has_one_scale(op),
        op => is_elementwise(op),
    };
    is_of_numbers && op.operands().all(|(_, o)| is_known(o))
}

fn is_number(o: &Operand) -> bool {
    o.constant.is_some() && o.ty.elements() == 1
}

fn has_one_scale(ty: &ValueType) -> bool {
    matches!(ty.dtype, Dtype::Int8 | Dtype::Uint8) && ty.per_tensor_scale().is_some()
}

/// Returns the kernel of a function of bytes, or `None` if the operators do not form one.
///
/// # Errors
/// Returns an error if one of the operators fails.
pub(super) fn kernel(signature: &Signature) -> Result<Option<OpKernel>> {
    let Some((source, result)) = function(signature) else { return Ok(None) };
    let (input, table) = (source.clone(), ByteTable::new(table(signature, source, result)?));
    Ok(Some(OpKernel::new(move |t| {
        let bytes = t.array(&input)?.bytes()?;
        let out = t.memory(0)?.bytes();
        out.par_chunks_mut(CHUNK).zip(bytes.par_chunks(CHUNK)).for_each(|(out, bytes)| table.look_up(bytes, out));
        Ok(())
    })))
}

/// Computes each operator for all bytes, by its own kernel: the results are the same as without a table.
fn table(signature: &Signature, source: &Operand, result: &ValueType) -> Result<[u8; 256]> {
    let all: [u8; 256] = std::array::from_fn(|i| i as u8);
    let row = |ty: &ValueType| ValueType { shape: vec![all.len()], layout: crate::Layout::Plain, ..ty.clone() };
    let source = Array::from_le_bytes(source.ty.dtype, [all.len()], &all)?;
    let mut ops = [&signature.op].into_iter().chain(&signature.fused_ops).peekable();
    let mut array = None;
    while let Some(op) = ops.next() {
        // The source, the result of the operator before, and constants.
        let mut operands = vec![Some(source.clone()), array];
        let op = op.try_map(&mut |o: &Operand| -> Result<Operand> {
            let Some(number) = o.constant.as_ref().filter(|_| is_number(o)) else {
                return Ok(Operand::new(row(&o.ty), None, usize::from(o.is_fused_input())));
            };
            let number = number.reshaped([1])?;
            operands.push(Some(number.clone()));
            Ok(Operand::new(ValueType { shape: vec![1], ..o.ty.clone() }, Some(number), operands.len() - 1))
        })?;
        let of_next = ops.peek().and_then(|next| next.operands().find(|(_, o)| o.is_fused_input()));
        let own = of_next.map_or(row(result), |(_, o)| row(&o.ty));
        let kernel = prepare(&op).ok_or_else(|| invalid("a table of an operator without a kernel"))?;
        let (results, arena) = ([Some(own)], Arc::<Arena>::default());
        let mut task = Task::new(&operands, &results, &[], &arena);
        (kernel.run)(&mut task)?;
        array = task.finish()?.pop();
    }
    let array = array.ok_or_else(|| invalid("a table without a result"))?;
    array.bytes()?.try_into().map_err(|_| invalid("a table has 256 bytes"))
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, Quantization, RunOptions, quant::RoundMode, run};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Dequantized, through some functions, and quantized to another scale.
        #[test]
        fn a_table_has_what_the_operators_compute(
            functions in prop::collection::vec(0usize..7, 0..4), signed: bool, to_signed: bool,
            scales in (1e-3f64..2.0, 1e-3f64..2.0), zeros in (0i64..128, 0i64..128), n in 1usize..400,
        ) {
            let dtype = |signed: bool| if signed { Dtype::Int8 } else { Dtype::Uint8 };
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", dtype(signed), [1, n]).unwrap();
            g.quantize(x, &Quantization::per_tensor(scales.0, zeros.0)).unwrap();
            let mut y = g.cast(x).call().unwrap();
            for function in functions {
                y = match function {
                    0 => g.gelu(y).call(),
                    1 => g.sigmoid(y).call(),
                    2 => g.mul(y, 0.37).call(),
                    3 => g.tanh(y).call(),
                    5 => g.sub(Array::from_vec([1, 1], vec![0.4f32]).unwrap(), y).call(),
                    // The bytes once more.
                    4 => {
                        let byte = g.cast(y).out_dtype(dtype(signed)).call().unwrap();
                        g.quantize(byte, &Quantization::per_tensor(0.01, 3)).unwrap();
                        let product = g.mul(x, byte).call().unwrap();
                        g.quantize(product, &Quantization::per_tensor(0.02, 5)).unwrap();
                        g.cast(product).call()
                    }
                    _ => g.relu(y).call(),
                }
                .unwrap();
            }
            let y = g.cast(y).out_dtype(dtype(to_signed)).round_mode(RoundMode::HalfToEven).call().unwrap();
            g.quantize(y, &Quantization::per_tensor(scales.1, zeros.1)).unwrap();
            g.set_outputs(&[y]).unwrap();
            let x = Array::from_le_bytes(dtype(signed), [1, n], &(0..n).map(|i| (i * 37) as u8).collect::<Vec<_>>()).unwrap();
            let result = |unfused: bool| {
                let options = RunOptions::default().unfused(unfused);
                run(&g, &[("x", x.clone())], &CpuBackend::new(), &options).unwrap().tensors[0].clone()
            };
            prop_assert_eq!(result(false), result(true));
        }
    }
}
