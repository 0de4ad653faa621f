use super::{
    Kernel,
    elementwise::{binary, unary},
    task::CpuTask,
};
use crate::{
    array::Array,
    graph::{Dtype, Result},
    quant::Quantization,
};

pub(super) const KERNELS: &[(&str, Kernel)] = &[("Compare", compare), ("CompareConst", compare_const)];

fn predicate(mode: &str) -> fn(f32, f32) -> bool {
    match mode {
        "Equal" => |a, b| a == b,
        "NotEqual" => |a, b| a != b,
        "Greater" => |a, b| a > b,
        "GreaterOrEqual" => |a, b| a >= b,
        "Less" => |a, b| a < b,
        "LessOrEqual" => |a, b| a <= b,
        "And" => |a, b| a != 0.0 && b != 0.0,
        "Xor" => |a, b| (a != 0.0) != (b != 0.0),
        // Not looks at its left side only.
        _ => |a, _| a == 0.0,
    }
}

fn compare(t: &CpuTask) -> Result<Vec<Array>> {
    let f = predicate(t.attributes().str("mode"));
    let (a, b) = (t.reals(0)?, t.reals(1)?);
    store(t, binary((&a, t.shape(0)?), (&b, t.shape(1)?), t.result_shape()?, f)?)
}

fn compare_const(t: &CpuTask) -> Result<Vec<Array>> {
    let f = predicate(t.attributes().str("mode"));
    let mut c = t.attributes().float("const_val");
    // The compiler rounds the number to the tensor's scale, so that only stored values are compared.
    if let Some(([scale], _)) =
        t.operand(0)?.0.quantization.map(Quantization::values).as_ref().map(|(s, z)| (s.as_slice(), z))
    {
        c = (c / scale).round() * scale;
    }
    let (c, inversed) = (c as f32, t.attributes().bool("inversed"));
    store(t, unary(&t.reals(0)?, |v| if inversed { f(c, v) } else { f(v, c) })?)
}

/// 1 and 0 as they are, also in a quantized result, whose scale they do not have: so the compiler lowers comparisons.
fn store(t: &CpuTask, holds: Vec<bool>) -> Result<Vec<Array>> {
    if t.result(0)?.buffer_dtype() == Dtype::Float32 {
        return t.store(holds.into_iter().map(|h| f32::from(u8::from(h))).collect());
    }
    t.store_ints(holds.into_iter().map(i64::from).collect())
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
        let feeds = [("x".to_owned(), Array::from([1i8, 2, 3, -4]))].into_iter().collect();
        let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
        assert_eq!(got["a"], Array::from([0i8, 1, 1, 0]));
        assert_eq!(got["b"], Array::from([0i8, 1, 0, 0]));
    }
}
