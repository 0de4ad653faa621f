use super::{
    Kernel,
    elementwise::{binary, unary},
    task::CpuTask,
};
use crate::{array::Array, graph::Result, quant::Quantization};

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
    t.store(binary((&a, t.shape(0)?), (&b, t.shape(1)?), t.result_shape()?, |a, b| f32::from(u8::from(f(a, b))))?)
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
    t.store(unary(&t.reals(0)?, |v| f32::from(u8::from(if inversed { f(c, v) } else { f(v, c) })))?)
}
