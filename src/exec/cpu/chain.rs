//! Chains of element-wise operators that round to integers, as quantization does: numbers stay in the cache from the first operator to the
//! last.
use super::{
    OpKernel, Operand, Signature, ValueType, blocked::replace_each, convert::round_each, epilogue, epilogues,
    is_elementwise, kernel::Epilogue, on_fused_input, task::PostOp,
};
use crate::{
    Layout,
    base::Dtype,
    ops::{Cast, Op},
    quant::{RoundMode, single},
};
use std::ops::RangeInclusive;

/// A kernel that reads an operand, and the operators as its epilogues.
pub(super) struct Chain {
    pub run: OpKernel,
    pub epilogues: Vec<Epilogue>,
}

/// Whether `next`, whose result is `result`, continues a chain: a cast or a quantization from float32 to integers, or a cast back to float32
/// from int32 that the operator before it has rounded to.
pub(super) fn continues_with(signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
    let [Some(own)] = signature.results.as_slice() else { return false };
    let is_end = |End { input, .. }: End| input.is_fused_input();
    if !End::of(next, result).is_some_and(is_end) || [own, result].iter().any(|ty| ty.layout != Layout::Plain) {
        return false;
    }
    match signature.fused_ops.last() {
        Some(Op::Cast(_)) if own.dtype == Dtype::Int32 && own.is_plain_int() => result.is_plain_float32(),
        _ => own.is_plain_float32() && !result.dtype.is_float() && Start::of(&signature.op, own).is_some(),
    }
}

/// How a chain ends: with what stores its numbers as integers.
struct End<'o> {
    input: &'o Operand,
    /// What changes the numbers before they are stored.
    epilogue: Option<Epilogue>,
    round: RoundMode,
}

impl End<'_> {
    /// Returns `None` for other operators.
    fn of<'o>(op: &'o Op<Operand>, result: &ValueType) -> Option<End<'o>> {
        match op {
            Op::Cast(op) => Some(End { input: &op.input, epilogue: None, round: op.round_mode }),
            Op::QuantizeLinear(op) => {
                let stored = result.per_tensor_scale().filter(|(scale, _)| SCALES.contains(scale));
                let own = single(&op.y_scale, &op.y_zero_point).filter(|own| stored == Some(*own))?;
                Some(End {
                    input: &op.input,
                    epilogue: Some(to_multiples(own.0 as f32)?),
                    round: RoundMode::HalfToEven,
                })
            }
            _ => None,
        }
    }
}

/// Scales whose products with integers of a few bits are neither denormal nor infinite.
const SCALES: RangeInclusive<f64> = 1e-30..=1e30;

/// Returns the epilogue that rounds numbers to multiples of a scale as [`quantize_linear`](super::cast::quantize_linear) does, which divides in
/// float32; they are stored as these integers then, although the store divides in float64. NaN becomes 0.
fn to_multiples(scale: f32) -> Option<Epilogue> {
    Epilogue::each(move |numbers| {
        replace_each(numbers, move |v| {
            let multiple = (v / scale).round_ties_even() * scale;
            if multiple.is_nan() { 0.0 } else { multiple }
        });
    })
}

/// How a chain starts: with the operand that it reads.
struct Start {
    operand: Operand,
    /// The first operator on it, or `None` for a cast to float32.
    op: Option<Op<Operand>>,
}

impl Start {
    /// Returns `None` if a chain cannot begin with the operator.
    fn of(op: &Op<Operand>, result: &ValueType) -> Option<Start> {
        let is_plain = |o: &Operand| o.ty.layout == Layout::Plain && o.constant.is_none();
        if let Op::Cast(cast) = op {
            return is_plain(&cast.input).then(|| Start { operand: cast.input.clone(), op: None });
        }
        let fits = |o: &Operand| is_plain(o) && o.ty.is_plain_float32() && o.ty.shape == result.shape;
        let (_, operand) = op.operands().find(|(_, o)| fits(o))?;
        if !is_elementwise(op) || !op.operands().all(|(_, o)| o.ty.is_plain_float()) {
            return None;
        }
        let own = on_fused_input(op, operand);
        epilogue(&own)?;
        Some(Start { operand: operand.clone(), op: Some(own) })
    }
}

/// Returns the kernel of a chain that ends in integers, or `None` if the operators do not form one.
pub(super) fn prepare(signature: &Signature) -> Option<Chain> {
    let [Some(result)] = signature.results.as_slice() else { return None };
    let (last, before) = signature.fused_ops.split_last()?;
    let end = End::of(last, result)?;
    if result.dtype.is_float() || result.layout != Layout::Plain {
        return None;
    }
    let Start { operand, op } = Start::of(&signature.op, result)?;
    let mut epilogues = epilogues(op.iter().chain(before), signature)?;
    epilogues.extend(end.epilogue);
    let round = PostOp::round(end.round);
    let run = OpKernel::new(move |t| {
        let source = t.source(&operand, &operand.ty.shape)?;
        t.fill(0, 1, round, |first, out| {
            source.reals(first, out);
            Ok(())
        })
    });
    Some(Chain { run, epilogues })
}

/// Returns the epilogue of a cast within a chain, to int32 or back. Numbers that are rounded and saturated remain float32.
pub(super) fn cast(op: &Cast<Operand>) -> Option<Epilogue> {
    if !op.input.ty.dtype.is_float() {
        return Epilogue::each(|_| ());
    }
    let (mode, low, high) = (op.round_mode, i32::MIN as f32, i32::MAX as f32);
    Epilogue::each(move |numbers| {
        round_each(mode, numbers);
        replace_each(numbers, move |v| {
            let v = if v.is_nan() { 0.0 } else { v };
            let v = if v < low { low } else { v };
            // There is no negative integer 0.
            (if v > high { high } else { v }) + 0.0
        });
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, Quantization, RunOptions, Session, quant::RoundMode};
    use proptest::prelude::*;

    const MODES: &[RoundMode] =
        &[RoundMode::HalfAwayFromZero, RoundMode::HalfToEven, RoundMode::TowardsZero, RoundMode::Up, RoundMode::Down];

    fn number() -> impl Strategy<Value = f32> {
        let special = prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 3e9, -3e9, f32::MAX]);
        prop_oneof![4 => (-600i32..600).prop_map(|i| i as f32 * 0.5), 4 => -300f32..300.0, 1 => special]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn chains_have_the_results_of_their_operators(
            numbers in prop::collection::vec(number(), 1..400), begins: Option<bool>, functions in prop::collection::vec(0usize..7, 0..5),
            dtype in prop::sample::select(vec![Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16, Dtype::Int32, Dtype::Uint32]),
            modes in prop::array::uniform2(prop::sample::select(MODES)),
            scale in prop::option::of(1e-2f64..10.0), zero in 0i64..100,
        ) {
            let n = numbers.len();
            let mut g = Graph::new("g").unwrap();
            let x = Array::from_vec([1, n], numbers.clone()).unwrap();
            let (x, mut y) = match begins {
                None => (x, g.input("x", Dtype::Float32, [1, n]).unwrap()),
                // From quantized and from plain integers.
                Some(is_quantized) => {
                    let (from, array) = match is_quantized {
                        true => (Dtype::Int8, Array::from_vec([1, n], numbers.iter().map(|v| *v as i8).collect::<Vec<_>>())),
                        false => (Dtype::Int32, Array::from_vec([1, n], numbers.iter().map(|v| *v as i32).collect::<Vec<_>>())),
                    };
                    let y = g.input("x", from, [1, n]).unwrap();
                    if is_quantized {
                        g.quantize(y, &Quantization::per_tensor(0.3, 5)).unwrap();
                    }
                    (array.unwrap(), g.cast(y).call().unwrap())
                }
            };
            let one = g.input("one", Dtype::Float32, [1, 1]).unwrap();
            let column = g.input("column", Dtype::Float32, [1, n]).unwrap();
            y = g.mul(y, 0.7).call().unwrap();
            for (i, function) in functions.iter().enumerate() {
                y = match function {
                    0 => g.add(y, column).call(),
                    1 => g.div(one, y).call(),
                    2 => g.clamp(y, -100.0, 90.0).call(),
                    3 => g.tanh(y).call(),
                    4 => g.sub(y, one).call(),
                    5 => g.add(y, y).call(),
                    _ => {
                        let whole = g.cast(y).out_dtype(Dtype::Int32).round_mode(modes[i % 2]).call().unwrap();
                        g.cast(whole).call()
                    }
                }
                .unwrap();
            }
            let y = g.cast(y).out_dtype(dtype).round_mode(modes[0]).call().unwrap();
            if let (Some(scale), true) = (scale, dtype.size() == 1) {
                g.quantize(y, &Quantization::per_tensor(scale, zero)).unwrap();
            }
            g.set_outputs(&[y]).unwrap();
            let feeds = [
                ("x", x), ("one", Array::from_vec([1, 1], vec![1.5f32]).unwrap()),
                ("column", Array::from_vec([1, n], numbers.iter().rev().copied().collect::<Vec<_>>()).unwrap()),
            ];
            let result = |unfused: bool| {
                let options = RunOptions::default().unfused(unfused).threads(1);
                let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
                let used: Vec<_> = feeds.iter().filter(|(name, _)| g.inputs().iter().any(|t| g.tensor(*t).unwrap().name == *name)).cloned().collect();
                (session.run(&used[..]).unwrap()[0].clone(), session.plan.steps.len())
            };
            let ((fused, few), (unfused, all)) = (result(false), result(true));
            prop_assert_eq!(fused, unfused);
            prop_assert!(few < all || functions.contains(&5));
        }
    }
}
