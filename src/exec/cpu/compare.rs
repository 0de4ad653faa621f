use super::{
    OpKernel, Operand,
    blocked::{fill_each, replace_each, replace_each_with},
    kernel::PIECE,
    task::{PostOp, Task},
};
use crate::{
    base::Result,
    ops::{Compare, CompareConst, CompareMode, LogicalAnd},
    semantics,
};

/// Replaces each element of `left` by 1 if the comparison with the one of `right` at its place holds, and by 0 otherwise. As operands of
/// logical operators, 0 is false and all other numbers are true; Not ignores `right`.
fn compare_each<T: Copy + Default + PartialOrd + From<bool>>(mode: CompareMode, left: &mut [T], right: &[T]) {
    let zero = T::default();
    match mode {
        CompareMode::Equal => replace_each_with(left, right, |a, b| T::from(a == b)),
        // Xor is intended for 0 and 1; for other numbers the tool chain also tests whether they differ.
        CompareMode::NotEqual | CompareMode::Xor => replace_each_with(left, right, |a, b| T::from(a != b)),
        CompareMode::Greater => replace_each_with(left, right, |a, b| T::from(a > b)),
        CompareMode::GreaterOrEqual => replace_each_with(left, right, |a, b| T::from(a >= b)),
        CompareMode::Less => replace_each_with(left, right, |a, b| T::from(a < b)),
        CompareMode::LessOrEqual => replace_each_with(left, right, |a, b| T::from(a <= b)),
        CompareMode::And => replace_each_with(left, right, move |a, b| T::from((a != zero) & (b != zero))),
        CompareMode::Not => replace_each(left, move |a| T::from(a == zero)),
    }
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

pub(super) fn compare_const(op: CompareConst<Operand>) -> OpKernel {
    let (mode, number) = (op.mode, semantics::compared_number(&op));
    let (is_int, inversed) = (op.input.ty.is_plain_int(), op.inversed);
    OpKernel::new(move |t| {
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

/// Stores the ones and zeros that `holds` writes. They are stored as they are even if the result is quantized: so the compiler lowers
/// comparisons.
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
