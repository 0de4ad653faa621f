use super::{
    OpKernel, Operand,
    blocked::{fill_each, replace_each_with},
    chunks::CHUNK,
    elementwise::Pair,
    int8::ByteTable,
    kernel::PIECE,
    task::{PostOp, Task},
    unary::{OfEach, compute},
};
use crate::{
    array::Element,
    base::{Dtype, Result},
    ops::{Compare, CompareConst, CompareMode, LogicalAnd},
    semantics,
};
use rayon::prelude::*;

/// Evaluates a call in which `$holds` is the comparison of two numbers by a mode. As operands of logical operators, 0 is false and all other
/// numbers are true; Not ignores the second one.
macro_rules! with_comparison {
    ($mode:expr, $number:ty, $holds:ident, $call:expr) => {{
        let zero = <$number>::default();
        macro_rules! by {
            ($of:expr) => {{
                let $holds = $of;
                $call
            }};
        }
        match $mode {
            CompareMode::Equal => by!(|a: $number, b: $number| a == b),
            // Xor is intended for 0 and 1; for other numbers the tool chain also tests whether they differ.
            CompareMode::NotEqual | CompareMode::Xor => by!(|a: $number, b: $number| a != b),
            CompareMode::Greater => by!(|a: $number, b: $number| a > b),
            CompareMode::GreaterOrEqual => by!(|a: $number, b: $number| a >= b),
            CompareMode::Less => by!(|a: $number, b: $number| a < b),
            CompareMode::LessOrEqual => by!(|a: $number, b: $number| a <= b),
            CompareMode::And => by!(move |a: $number, b: $number| (a != zero) & (b != zero)),
            CompareMode::Not => by!(move |a: $number, _: $number| a == zero),
        }
    }};
}

/// Replaces each element of `left` by 1 if the comparison with the one of `right` at its place holds, and by 0 otherwise.
fn compare_each<T: Copy + Default + PartialOrd + From<bool>>(mode: CompareMode, left: &mut [T], right: &[T]) {
    with_comparison!(mode, T, holds, replace_each_with(left, right, move |a, b| T::from(holds(a, b))));
}

pub(super) fn compare(op: Compare<Operand>) -> OpKernel {
    pair(op.lhs, op.rhs, op.mode)
}

pub(super) fn logical_and(op: LogicalAnd<Operand>) -> Option<OpKernel> {
    let [a, b] = op.inputs.try_into().ok()?;
    Some(pair(a, b, CompareMode::And))
}

fn pair(lhs: Operand, rhs: Operand, mode: CompareMode) -> OpKernel {
    let exact = lhs.ty.is_plain_int() && rhs.ty.is_plain_int();
    OpKernel::new(move |t| {
        let shape = &t.result(0)?.shape;
        let dtypes = [t.array(&lhs)?.dtype(), t.array(&rhs)?.dtype(), t.result(0)?.buffer_dtype()];
        match dtypes {
            [Dtype::Float32, Dtype::Float32, Dtype::Float32] => return to_floats::<f32>(t, [&lhs, &rhs], mode),
            [Dtype::Int32, Dtype::Int32, Dtype::Float32] if exact => return to_floats::<i32>(t, [&lhs, &rhs], mode),
            [Dtype::Uint8, Dtype::Uint8, Dtype::Uint8] if exact => return to_bytes(t, [&lhs, &rhs], mode),
            _ => {}
        }
        let (a, b) = (t.source(&lhs, shape)?, t.source(&rhs, shape)?);
        store(t, |first, out| {
            if exact {
                let (mut left, mut right) = (vec![0; out.len()], vec![0; out.len()]);
                a.ints(first, &mut left);
                b.ints(first, &mut right);
                compare_each(mode, &mut left, &right);
                return fill_each(out, &left, |v: i64| v as f32);
            }
            let mut buffer = [0.0; PIECE];
            a.reals(first, out);
            compare_each(mode, out, b.read(first, &mut buffer[..out.len()]));
        })
    })
}

/// Compares operands of the same dtype, and writes float32.
fn to_floats<T: Element + Default + PartialOrd>(t: &mut Task, [a, b]: [&Operand; 2], mode: CompareMode) -> Result<()> {
    let pair = Pair::new([&a.ty.shape, &b.ty.shape], &t.result(0)?.shape);
    let (left, right) = (t.array(a)?.elements::<T>()?, t.array(b)?.elements::<T>()?);
    t.fill(0, 1, PostOp::default(), |first, out| {
        with_comparison!(mode, T, holds, pair.fill(first, &left, &right, out, move |a, b| f32::from(holds(a, b))));
        Ok(())
    })
}

/// Compares bytes, and writes bytes.
fn to_bytes(t: &mut Task, [a, b]: [&Operand; 2], mode: CompareMode) -> Result<()> {
    let pair = Pair::new([&a.ty.shape, &b.ty.shape], &t.result(0)?.shape);
    let (left, right) = (t.array(a)?.bytes()?, t.array(b)?.bytes()?);
    t.memory(0)?.bytes().par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
        with_comparison!(mode, u8, holds, pair.fill(c * CHUNK, left, right, out, move |a, b| u8::from(holds(a, b))));
    });
    Ok(())
}

pub(super) fn compare_const(op: CompareConst<Operand>) -> OpKernel {
    let (mode, number) = (op.mode, semantics::compared_number(&op));
    let (is_int, inversed) = (op.input.ty.is_plain_int(), op.inversed);
    OpKernel::new(move |t| {
        match [t.array(&op.input)?.dtype(), t.result(0)?.buffer_dtype()] {
            [Dtype::Float32, Dtype::Float32] => return floats_with(t, &op.input, mode, number as f32, inversed),
            [Dtype::Uint8, Dtype::Uint8] if is_int => return bytes_with(t, &op.input, mode, number, inversed),
            _ => {}
        }
        let source = t.source(&op.input, &op.input.ty.shape)?;
        store(t, |first, out| {
            if is_int {
                let (mut ints, mut left, mut right) =
                    (vec![0; out.len()], vec![number; out.len()], vec![number; out.len()]);
                source.ints(first, &mut ints);
                fill_each(if inversed { &mut right } else { &mut left }, &ints, |v| v as f64);
                compare_each(mode, &mut left, &right);
                return fill_each(out, &left, |v| v as f32);
            }
            let mut buffer = [number as f32; PIECE];
            let buffer = &mut buffer[..out.len()];
            source.reals(first, out);
            if inversed {
                compare_each(mode, buffer, out);
                out.copy_from_slice(buffer);
            } else {
                compare_each(mode, out, buffer);
            }
        })
    })
}

/// Compares float32 with a number, which is the first one if `inversed`, and writes float32.
fn floats_with(t: &mut Task, input: &Operand, mode: CompareMode, number: f32, inversed: bool) -> Result<()> {
    let source = t.source(input, &input.ty.shape)?;
    t.fill(0, 1, PostOp::default(), |first, out| {
        with_comparison!(mode, f32, holds, {
            if inversed {
                compute(&source, first, out, &OfEach(move |v| f32::from(holds(number, v))));
            } else {
                compute(&source, first, out, &OfEach(move |v| f32::from(holds(v, number))));
            }
        });
        Ok(())
    })
}

/// Like [`floats_with`], from bytes to bytes.
fn bytes_with(t: &mut Task, input: &Operand, mode: CompareMode, number: f64, inversed: bool) -> Result<()> {
    // The result for each byte.
    let mut table = [0; 256];
    for (byte, holds) in (0..=u8::MAX).zip(&mut table) {
        let pair = if inversed { [number, byte.into()] } else { [byte.into(), number] };
        *holds = with_comparison!(mode, f64, holds, u8::from(holds(pair[0], pair[1])));
    }
    let (table, bytes) = (ByteTable::new(table), t.array(input)?.bytes()?);
    let chunks = t.memory(0)?.bytes().par_chunks_mut(CHUNK).zip(bytes.par_chunks(CHUNK));
    chunks.for_each(|(out, bytes)| table.look_up(bytes, out));
    Ok(())
}

/// Stores the ones and zeros that `holds` writes. They are stored unscaled even if the result is quantized, as the
/// compiler stores them.
fn store(t: &mut Task, holds: impl Fn(usize, &mut [f32]) + Sync) -> Result<()> {
    if t.result(0)?.quantization.is_some() {
        return t.fill_ints(0, |first, out| {
            for (i, out) in out.chunks_mut(PIECE).enumerate() {
                let mut reals = [0.0; PIECE];
                holds(first + i * PIECE, &mut reals[..out.len()]);
                fill_each(out, &reals, |h| h as i64);
            }
        });
    }
    t.fill(0, 1, PostOp::default(), |first, out| {
        holds(first, out);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::Where, run};

    #[test]
    fn large_integers_are_compared_exactly() {
        const LARGE: i32 = 1 << 24;
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [3]).unwrap();
        let large = g.coefficient("large", Array::from([LARGE])).unwrap();
        let a = g.op(Compare::new(x, large, CompareMode::Greater)).call().unwrap()[0];
        let b = g.op(CompareConst::new(x, CompareMode::Greater, f64::from(LARGE), false)).call().unwrap()[0];
        // 16777217 is not representable in float32: a selection keeps it.
        let c = Where { tbrn: Some(x), y_is_const: true, y_const_val: 5.0, ..Where::new(a) };
        let c = g.op(c).call().unwrap()[0];
        g.set_outputs(&[a, b, c]).unwrap();
        let feeds = [("x", Array::from([LARGE - 1, LARGE, LARGE + 1]))];
        let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
        let numbers: Vec<_> = got.values().map(|a| a.to_f64().unwrap()).collect();
        assert_eq!(numbers, [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [5.0, 5.0, f64::from(LARGE + 1)]]);
    }

    /// Each dtype has its own loops.
    #[test]
    fn numbers_are_compared_as_defined() {
        use CompareMode::*;
        for dtype in [Dtype::Float32, Dtype::Int32, Dtype::Uint8, Dtype::Int8] {
            let numbers = [0.0, 3.0, 1.0, if dtype.is_float() { f64::NAN } else { 7.0 }];
            let array = |shape: [usize; 2]| Array::from_f64s(dtype, shape, numbers.iter().copied()).unwrap();
            for mode in [Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual, And, Xor, Not] {
                let mut g = Graph::new("g").unwrap();
                let (x, y) = (g.input("x", dtype, [4, 1]).unwrap(), g.input("y", dtype, [1, 4]).unwrap());
                let pairs = g.op(Compare::new(x, y, mode)).call().unwrap()[0];
                let [after, before] =
                    [false, true].map(|first| g.op(CompareConst::new(x, mode, 3.0, first)).call().unwrap()[0]);
                g.set_outputs(&[pairs, after, before]).unwrap();
                let feeds = [("x", array([4, 1])), ("y", array([1, 4]))];
                let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
                let holds = |a: f64, b: f64| match mode {
                    Equal => a == b,
                    NotEqual | Xor => a != b,
                    Greater => a > b,
                    GreaterOrEqual => a >= b,
                    Less => a < b,
                    LessOrEqual => a <= b,
                    And => a != 0.0 && b != 0.0,
                    Not => a == 0.0,
                };
                let of = |pairs: Vec<[f64; 2]>| pairs.iter().map(|[a, b]| f64::from(holds(*a, *b))).collect::<Vec<_>>();
                let all = of(numbers.iter().flat_map(|a| numbers.map(|b| [*a, b])).collect());
                assert_eq!(got[0].to_f64().unwrap(), all, "{dtype} {mode:?}");
                assert_eq!(got[1].to_f64().unwrap(), of(numbers.map(|v| [v, 3.0]).to_vec()), "{dtype} {mode:?}");
                assert_eq!(got[2].to_f64().unwrap(), of(numbers.map(|v| [3.0, v]).to_vec()), "{dtype} {mode:?}");
            }
        }
    }

    #[test]
    fn comparisons_are_of_real_numbers_and_give_stored_ones() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [4]).unwrap();
        let a = g.ge(x, Array::from([2i8])).scale([0.5, 0.5, 4.0]).zero_point([1, 1, 0]).out_name("a").call().unwrap();
        // 0.6 is rounded to the scale: 0.5, which is stored as 2.
        let b = g.eqs(x, 0.6).scale([0.5, 4.0]).zero_point([1, 0]).out_name("b").call().unwrap();
        g.set_outputs(&[a, b]).unwrap();
        let feeds = [("x", Array::from([1i8, 2, 3, -4]))];
        let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
        assert_eq!(got["a"], Array::from([0i8, 1, 1, 0]));
        assert_eq!(got["b"], Array::from([0i8, 1, 0, 0]));
    }
}
