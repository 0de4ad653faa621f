//! Tests which constants a plan has in memory, and how often weights are copied.
use super::*;
use crate::array::{NpzFile, write_npz_to};

/// Returns the same array, whose elements are in a file.
fn in_file(array: &Array) -> Array {
    let mut bytes = Vec::new();
    write_npz_to(&mut bytes, "w.npz", [("w", array)]).unwrap();
    NpzFile::from_reader(bytes.as_slice(), "w.npz").unwrap().array("w").unwrap()
}

/// Returns the numbers of elements of the constants that a plan has in memory, beside those of its kernels.
fn in_memory(session: &Session<CpuBackend>) -> Vec<usize> {
    let constants = session.plan.tensors.iter().flatten().filter_map(|entry| entry.constant.as_ref());
    constants.filter(|array| array.source_path().is_none()).map(Array::len).collect()
}

#[test]
fn constants_between_folded_operators_are_freed() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 6]);
    let mut w = g.coefficient("w", values(&[4, 6], 1)).unwrap();
    for _ in 0..3 {
        w = g.permute(w, [1, 0]).call().unwrap();
        w = g.abs(w).call().unwrap();
    }
    let y = g.matmul(x, w).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["MatMul"]);
    assert_eq!(in_memory(&session(&g, false)), [0; 0], "the kernel has its own form");
    assert_eq!(steps(&mut g, &[y, w]), ["MatMul"]);
    assert_eq!(in_memory(&session(&g, false)), [24], "what is wanted is there");
}

#[test]
fn constants_that_are_converted_to_blocks_are_freed() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 6, 6]);
    let a = g.conv(x, filter(&[40, 3, 3, 3], 1)).call().unwrap();
    let y = g.prelu(a, values(&[40], 2)).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv + PRelu", "Reshape"]);
    // The filter is the graph's.
    assert_eq!(in_memory(&session(&g, false)), [40 * 3 * 3 * 3]);
}

/// Otherwise the weights would be copied a thousand times for a thousand multiplications.
#[test]
fn a_convolution_takes_in_some_scales() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 4, 4]);
    let factors = g.coefficient("factors", Array::from_vec([4, 1, 1], vec![0.5f32, 1.0, 1.25, 2.0]).unwrap()).unwrap();
    let mut t = g.conv(x, values(&[4, 3, 1, 1], 1)).call().unwrap();
    for _ in 0..20 {
        t = g.mul(t, factors).call().unwrap();
    }
    let steps = steps(&mut g, &[t]);
    assert_eq!(steps.join(" ").matches("Mul").count(), 4, "{steps:?}");
}

/// Copies of weights that rules make would be in memory between runs.
#[test]
fn weights_that_are_not_kept_stay_in_their_file() {
    let mut g = Graph::new("g").unwrap();
    let weights = |g: &mut Graph, shape: &[usize]| {
        let name = format!("w{}", g.tensors().count());
        g.coefficient(&name, in_file(&small_integers(shape, name.len()))).unwrap()
    };
    let (x, rows) = (input(&mut g, "x", &[1, 64, 8, 8]), input(&mut g, "rows", &[6, 64]));
    // A scale, a sum of two branches, and a constant with the channels of blocks.
    let w = weights(&mut g, &[128, 64, 1, 1]);
    let scaled = g.conv(x, w).call().unwrap();
    let scaled = g.mul(scaled, Array::filled(Dtype::Float32, [128, 1, 1], 0.5).unwrap()).call().unwrap();
    let both = [0, 1].map(|_| {
        let w = weights(&mut g, &[128, 64, 1, 1]);
        g.conv(x, w).call().unwrap()
    });
    let sum = g.add(both[0], both[1]).call().unwrap();
    let places = weights(&mut g, &[1, 128, 8, 8]);
    let placed = g.add(sum, places).call().unwrap();
    // A permutation, and a product that is taken apart.
    let w = weights(&mut g, &[96, 64]);
    let turned = g.permute(w, [1, 0]).call().unwrap();
    let product = g.matmul(rows, turned).call().unwrap();
    let w = weights(&mut g, &[64, 96]);
    let divided = g.matmul(rows, w).call().unwrap();
    let divided = g.reshape(divided, [6, 3, 32]).call().unwrap();
    let divided = g.permute(divided, [1, 0, 2]).call().unwrap();
    let parts = g.split(divided).axis(0).num(3).call().unwrap();
    let parts: Vec<Tensor> = parts.into_iter().map(|part| g.reshape(part, [6, 32]).call().unwrap()).collect();
    // Enough weights to ask for the available memory.
    let large = Array::filled(Dtype::Float32, [64, 1 << 16], 1.0).unwrap();
    let wide = g.matmul(rows, large).call().unwrap();
    g.set_outputs(&[vec![scaled, placed, product, wide], parts].concat()).unwrap();
    let session = |budget: Option<u64>, available: fn(&CpuBackend) -> u64| {
        let options = RunOptions::default().threads(1).weight_budget(budget);
        Session::within(&g, (CpuBackend::new(), CpuBackend::new()), &options, available).unwrap()
    };
    let feeds = [("x", small_integers(&[1, 64, 8, 8], 1)), ("rows", small_integers(&[6, 64], 2))];
    let kept = session(None, |_| u64::MAX);
    for streamed in [session(Some(0), |_| u64::MAX), session(None, |_| 0)] {
        let large = in_memory(&streamed).into_iter().filter(|n| *n > 1 << 12);
        assert_eq!(large.collect::<Vec<_>>(), [64 << 16], "that of the graph: {}", streamed.explain());
        let (got, want) = (streamed.run(&feeds).unwrap(), kept.run(&feeds).unwrap());
        for (name, array) in &got {
            assert_eq!(array.to_f32().unwrap(), want[name].to_f32().unwrap(), "{name}");
        }
    }
}
