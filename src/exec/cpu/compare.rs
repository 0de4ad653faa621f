use super::{
    Kernel, Operand,
    elementwise::{binary, unary},
    task::{Finish, Task},
};
use crate::{
    base::{Dtype, Result},
    ops::{Compare, CompareConst, CompareMode},
    quant::Quantization,
};

fn predicate(mode: CompareMode) -> fn(f32, f32) -> bool {
    match mode {
        CompareMode::Equal => |a, b| a == b,
        CompareMode::NotEqual => |a, b| a != b,
        CompareMode::Greater => |a, b| a > b,
        CompareMode::GreaterOrEqual => |a, b| a >= b,
        CompareMode::Less => |a, b| a < b,
        CompareMode::LessOrEqual => |a, b| a <= b,
        CompareMode::And => |a, b| a != 0.0 && b != 0.0,
        CompareMode::Xor => |a, b| (a != 0.0) != (b != 0.0),
        // Not looks at its left side only.
        CompareMode::Not => |a, _| a == 0.0,
    }
}

pub(super) fn compare(op: Compare<Operand>) -> Kernel {
    let f = predicate(op.mode);
    Box::new(move |t| {
        let (a, b) = (t.reals(&op.lhs)?, t.reals(&op.rhs)?);
        let shape = &t.result(0)?.shape;
        store(t, binary((&a, &op.lhs.ty.shape), (&b, &op.rhs.ty.shape), shape, f)?)
    })
}

pub(super) fn compare_const(op: CompareConst<Operand>) -> Kernel {
    let (f, mut c) = (predicate(op.mode), op.const_val);
    // The compiler rounds the number to the tensor's scale, so that only stored values are compared.
    if let Some(([scale], _)) =
        op.input.ty.quantization.as_ref().map(Quantization::values).as_ref().map(|(s, z)| (s.as_slice(), z))
    {
        c = (c / scale).round() * scale;
    }
    let (c, inversed) = (c as f32, op.inversed);
    Box::new(move |t| {
        let holds = unary(&t.reals(&op.input)?, |v| if inversed { f(c, v) } else { f(v, c) })?;
        store(t, holds)
    })
}

/// 1 and 0 as they are, also in a quantized result, whose scale they do not have: so the compiler lowers comparisons.
fn store(t: &mut Task, holds: Vec<bool>) -> Result<()> {
    if t.result(0)?.buffer_dtype() != Dtype::Float32 {
        return t.write_ints(0, holds.into_iter().map(i64::from).collect());
    }
    t.write(0, Finish::default(), |out| {
        out.iter_mut().zip(holds).for_each(|(o, h)| *o = f32::from(u8::from(h)));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions, run},
    };

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
