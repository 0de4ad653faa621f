use super::{Kernel, task::CpuTask};
use crate::{
    array::Array,
    graph::{Dtype, Result},
    quant::{Quantization, multiplier_shift, tflite},
};

pub(super) const KERNELS: &[(&str, Kernel)] = &[("Cast", cast), ("RequantInt", requant_int)];

fn cast(t: &CpuTask) -> Result<Vec<Array>> {
    let (from, to) = (t.operand(0)?.0, t.result(0)?);
    let plain_ints = from.buffer_dtype() != Dtype::Float32 && to.buffer_dtype() != Dtype::Float32;
    if plain_ints && from.quantization.is_none() && to.quantization.is_none() {
        return t.store_ints(t.ints(0)?);
    }
    t.store(t.reals(0)?.into_owned())
}

fn requant_int(t: &CpuTask) -> Result<Vec<Array>> {
    let a = t.attributes();
    let (shape, mode) = (t.shape(0)?, t.round_mode());
    let (multipliers, shifts) = (a.ints("multiplier"), a.ints("rshift"));
    let (_, zero_points) = t.result(0)?.quantization.map_or((vec![1.0], vec![0]), Quantization::values);
    let input_zero = t.operand(0)?.0.quantization.map_or(0, |q| q.values().1[0]);
    let axis = a.int("rq_axis").rem_euclid(shape.len() as i64) as usize;
    let inner: usize = shape[axis + 1..].iter().product();
    let is_tflite = a.str("quant_mode") != "MultiplierShift";
    let mut values = t.ints(0)?;
    for (i, run) in values.chunks_mut(inner).enumerate() {
        let c = i % shape[axis];
        let of = |list: &[i64]| list.get(c).or(list.first()).copied().unwrap_or(0);
        let (m, s, z) = (of(&multipliers), of(&shifts), of(&zero_points));
        for v in run {
            let x = *v - input_zero;
            *v = if is_tflite { tflite(x, m, -s, mode) } else { multiplier_shift(x, m, s, mode) }.saturating_add(z);
        }
    }
    t.store_ints(values)
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions, run},
    };

    #[test]
    fn requantizes_by_channel() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [1, 2, 2]).unwrap();
        let y = g.requant_int(x, vec![1 << 30, 1 << 29], vec![-30, -30], 3, 2).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let x = Array::from_vec([1, 2, 2], vec![10, 1000, 11, -11]).unwrap();
        let out =
            run(&g, &[("x".to_owned(), x)].into_iter().collect(), &CpuBackend::new(), &RunOptions::default()).unwrap();
        assert_eq!(out.tensors["y"].elements::<i8>().unwrap()[..], [13, 127, 9, -3]);
    }
}
