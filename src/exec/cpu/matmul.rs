use super::{
    Kernel,
    elementwise::binary,
    gemm::{Mat, gemm_f32, gemm_int},
    layout::permuted,
    task::CpuTask,
};
use crate::{
    array::{Array, zeros},
    graph::{Dtype, Result, Shape},
    ops::Product,
};
use rten_gemm::GemmExecutor;

pub(super) const KERNELS: &[(&str, Kernel)] = &[("MatMul", matmul)];

fn matmul(t: &CpuTask) -> Result<Vec<Array>> {
    let a = t.attributes();
    let (lt, rt) = (a.bool("left_transpose"), a.bool("right_transpose"));
    let p = Product::new(t.shape(0)?, t.shape(1)?, lt, rt)?;
    if t.dtype(0)? == Dtype::Float32 {
        return float(t, &p, lt, rt);
    }
    integer(t, &p, lt, rt)
}

/// For each matrix of the result, which matrices of the operands.
fn pairs(p: &Product) -> Vec<(usize, usize)> {
    let index = |batch: &Shape, mut i: usize| {
        let (mut at, mut step) = (0, 1);
        for (back, &d) in p.batch.iter().rev().enumerate() {
            let own = batch.len().checked_sub(back + 1).map_or(1, |j| batch[j]);
            at += if own == 1 { 0 } else { (i % d) * step };
            step *= own;
            i /= d;
        }
        at
    };
    (0..p.batch.iter().product()).map(|i| (index(&p.left_batch, i), index(&p.right_batch, i))).collect()
}

fn float(t: &CpuTask, p: &Product, lt: bool, rt: bool) -> Result<Vec<Array>> {
    let (left, right) = (t.reals(0)?, t.reals(1)?);
    let executor = GemmExecutor::new();
    let (m, k, n) = (p.m, p.k, p.n);
    let mut out = zeros(p.batch.iter().product::<usize>() * m * n)?;
    let right_of = |j: usize| Mat { data: &right[j * k * n..(j + 1) * k * n], rows: k, cols: n, transposed: rt };
    if p.right_batch.iter().all(|&d| d == 1) && !lt {
        // One right matrix for all: a single tall product.
        let rows = left.len() / k;
        gemm_f32(&executor, &mut out, Mat { data: &left, rows, cols: k, transposed: false }, right_of(0))?;
    } else {
        for ((i, j), c) in pairs(p).into_iter().zip(out.chunks_mut(m * n)) {
            let left = Mat { data: &left[i * m * k..(i + 1) * m * k], rows: m, cols: k, transposed: lt };
            gemm_f32(&executor, c, left, right_of(j))?;
        }
    }
    let out = finish(t, p, out, |x, y| x + y, |i| t.reals(i).map(|v| v.into_owned()))?;
    t.store(out)
}

fn integer(t: &CpuTask, p: &Product, lt: bool, rt: bool) -> Result<Vec<Array>> {
    let centred = |i: usize| -> Result<Vec<i32>> {
        let zero = t.operand(i)?.0.quantization.map_or(0, |q| q.values().1[0]);
        Ok(t.ints(i)?.into_iter().map(|v| (v - zero) as i32).collect())
    };
    let (left, right) = (centred(0)?, centred(1)?);
    let (m, k, n) = (p.m, p.k, p.n);
    let mut out = zeros::<i64>(p.batch.iter().product::<usize>() * m * n)?;
    for ((i, j), c) in pairs(p).into_iter().zip(out.chunks_mut(m * n)) {
        let left = Mat { data: &left[i * m * k..(i + 1) * m * k], rows: m, cols: k, transposed: lt };
        let right = Mat { data: &right[j * k * n..(j + 1) * k * n], rows: k, cols: n, transposed: rt };
        gemm_int(c, left, right)?;
    }
    let mut out = finish(t, p, out, |x, y| x.saturating_add(y), |i| t.ints(i))?;
    if t.attributes().bool("do_relu") {
        let limit = t.attributes().float("relu_limit");
        let top = if limit > 0.0 { limit as i64 } else { i64::MAX };
        out.iter_mut().for_each(|v| *v = (*v).clamp(0, top));
    }
    t.store_ints(out)
}

/// Transposes the result where asked for, and adds the bias.
fn finish<T: Copy + Default + Send + Sync>(
    t: &CpuTask,
    p: &Product,
    mut out: Vec<T>,
    add: fn(T, T) -> T,
    read: impl Fn(usize) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let batch: usize = p.batch.iter().product();
    let shape = t.result_shape()?.to_vec();
    if t.has(2) {
        let bias = read(2)?;
        // n elements belong to the columns, before any transposition; other shapes to the result.
        let rows = [batch * p.m, p.n];
        if bias.len() == p.n {
            out = binary((&out, &rows), (&bias, &[p.n]), &rows, add)?;
            return transposed(t, p, out);
        }
        let out = transposed(t, p, out)?;
        return binary((&out, &shape), (&bias, t.shape(2)?), &shape, add);
    }
    transposed(t, p, out)
}

fn transposed<T: Copy + Send + Sync>(t: &CpuTask, p: &Product, out: Vec<T>) -> Result<Vec<T>> {
    if !t.attributes().bool("output_transpose") {
        return Ok(out);
    }
    permuted(&out, &[p.batch.iter().product(), p.m, p.n], &[0, 2, 1])
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions, run},
    };
    use proptest::prelude::*;

    fn values(n: usize, seed: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 37 + seed * 101) % 19) as f32 - 9.0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn products_are_the_definition(b in 1usize..3, m in 1usize..6, k in 1usize..6, n in 1usize..6, lt: bool, rt: bool, shared: bool, int: bool) {
            let (l, r) = (if lt { [b, k, m] } else { [b, m, k] }, if rt { [n, k] } else { [k, n] });
            let r: Vec<usize> = if shared { r.to_vec() } else { [&[b], &r[..]].concat() };
            let dtype = if int { Dtype::Int8 } else { Dtype::Float32 };
            let (lv, rv) = (values(b * m * k, 1), values(r.iter().product(), 2));
            let array = |s: &[usize], v: &[f32]| Array::from_f64s(dtype, s, v.iter().map(|&x| f64::from(x))).unwrap();
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", dtype, l).unwrap();
            let w = array(&r, &rv);
            let y = if int {
                g.matmul_int(x, w).input_transpose(lt).right_transpose(rt).input_zp(1).right_zp(-2).out_name("y").call()
            } else {
                g.matmul(x, w).input_transpose(lt).right_transpose(rt).out_name("y").call()
            }.unwrap();
            g.set_outputs(&[y]).unwrap();
            let got = run(&g, &[("x".to_owned(), array(&l, &lv))].into_iter().collect(), &CpuBackend::new(), &RunOptions::default()).unwrap();
            let (zl, zr) = if int { (1.0, -2.0) } else { (0.0, 0.0) };
            let mut want = Vec::new();
            for i in 0..b { for row in 0..m { for col in 0..n {
                want.push((0..k).map(|j| {
                    let a = lv[if lt { (i * k + j) * m + row } else { (i * m + row) * k + j }];
                    let base = if shared { 0 } else { i * k * n };
                    let c = rv[base + if rt { col * k + j } else { j * n + col }];
                    (a - zl) * (c - zr)
                }).sum::<f32>());
            } } }
            prop_assert_eq!(got.tensors["y"].to_f32().unwrap(), want);
        }
    }
}
