use super::{
    OpKernel, Operand,
    task::{PostOp, Task},
};
use crate::{
    base::{Dtype, Result},
    ops::{Compare, CompareConst, CompareMode, LogicalAnd},
    semantics,
};

/// 0 is false.
fn predicate<T: PartialOrd + Default>(mode: CompareMode) -> fn(T, T) -> bool {
    match mode {
        CompareMode::Equal => |a, b| a == b,
        // Xor is intended for 0 and 1; for other numbers the tool chain also tests whether they differ.
        CompareMode::NotEqual | CompareMode::Xor => |a, b| a != b,
        CompareMode::Greater => |a, b| a > b,
        CompareMode::GreaterOrEqual => |a, b| a >= b,
        CompareMode::Less => |a, b| a < b,
        CompareMode::LessOrEqual => |a, b| a <= b,
        CompareMode::And => |a, b| a != T::default() && b != T::default(),
        // Not ignores the right-hand side.
        CompareMode::Not => |a, _| a == T::default(),
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
    let (reals, ints) = (predicate::<f32>(mode), predicate::<i64>(mode));
    OpKernel::new(move |t| {
        let shape = &t.result(0)?.shape;
        let (a, b) = (t.source(&lhs, shape)?, t.source(&rhs, shape)?);
        store(t, |first, out| {
            if exact {
                let (mut left, mut right) = (vec![0; out.len()], vec![0; out.len()]);
                a.ints(first, &mut left);
                b.ints(first, &mut right);
                let holds = left.into_iter().zip(right).map(|(l, r)| ints(l, r));
                return out.iter_mut().zip(holds).for_each(|(v, h)| *v = f32::from(u8::from(h)));
            }
            a.reals(first, out);
            let mut right = vec![0.0; out.len()];
            b.reals(first, &mut right);
            out.iter_mut().zip(right).for_each(|(v, r)| *v = f32::from(u8::from(reals(*v, r))));
        })
    })
}

pub(super) fn compare_const(op: CompareConst<Operand>) -> OpKernel {
    let (f, exact, c) = (predicate::<f32>(op.mode), predicate::<f64>(op.mode), semantics::compared_number(&op));
    let (is_int, inversed) = (op.input.ty.is_plain_int(), op.inversed);
    OpKernel::new(move |t| {
        let source = t.source(&op.input, &op.input.ty.shape)?;
        store(t, |first, out| {
            if is_int {
                let mut ints = vec![0; out.len()];
                source.ints(first, &mut ints);
                let holds = |v| if inversed { exact(c, v) } else { exact(v, c) };
                return out.iter_mut().zip(ints).for_each(|(o, v)| *o = f32::from(u8::from(holds(v as f64))));
            }
            let c = c as f32;
            source.reals(first, out);
            let holds = |v| if inversed { f(c, v) } else { f(v, c) };
            out.iter_mut().for_each(|v| *v = f32::from(u8::from(holds(*v))));
        })
    })
}

/// Stores 1 and 0 also in a quantized result, ignoring its scale: so the compiler lowers comparisons.
fn store(t: &mut Task, holds: impl Fn(usize, &mut [f32]) + Sync) -> Result<()> {
    if t.result(0)?.buffer_dtype() != Dtype::Float32 {
        return t.fill_ints(0, |first, out| {
            let mut reals = vec![0.0; out.len()];
            holds(first, &mut reals);
            out.iter_mut().zip(reals).for_each(|(o, h)| *o = h as i64);
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
    use crate::{Array, CpuBackend, Graph, RunOptions, ops::Where, run};

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
