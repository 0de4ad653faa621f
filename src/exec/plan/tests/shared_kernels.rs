//! Tests that equal steps share a kernel, and that other ones do not.
use super::{super::StepKernel, *};
use std::{collections::HashSet, sync::Arc};

/// Returns the number of kernels of a plan, after checking its results.
fn kernels(g: &mut Graph, outputs: &[Tensor]) -> usize {
    steps(g, outputs);
    let session = session(g, false);
    let kernels = session.plan.steps.iter().filter_map(|step| match &step.kernel {
        StepKernel::Kept(kernel) => Some(Arc::as_ptr(kernel).addr()),
        _ => None,
    });
    kernels.collect::<HashSet<_>>().len()
}

/// As in a recurrent layer that is written out.
#[test]
fn steps_with_the_same_weights_share_a_kernel() {
    let mut g = Graph::new("g").unwrap();
    let w = g.coefficient("w", values(&[8, 8], 1)).unwrap();
    let mut h = input(&mut g, "h", &[2, 8]);
    for i in 0..4 {
        let x = input(&mut g, &format!("x{i}"), &[2, 8]);
        let product = g.matmul(h, w).call().unwrap();
        let sum = g.add(product, x).call().unwrap();
        h = g.tanh(sum).call().unwrap();
    }
    assert_eq!(kernels(&mut g, &[h]), 1);

    let mut g = Graph::new("g").unwrap();
    let filter = g.coefficient("w", filter(&[3, 3, 3, 3], 1)).unwrap();
    let mut x = input(&mut g, "x", &[1, 3, 9, 9]);
    for _ in 0..3 {
        x = g.conv(x, filter).pad([1, 1, 1, 1]).call().unwrap();
    }
    // Those between two convolutions read and write blocks of channels.
    assert!(kernels(&mut g, &[x]) <= 5);
}

/// Of another shape, with another epilogue, bias or operand that is read twice.
#[test]
fn steps_that_differ_do_not_share_a_kernel() {
    let mut g = Graph::new("g").unwrap();
    let w = g.coefficient("w", values(&[8, 8], 1)).unwrap();
    let [a, b] = ["a", "b"].map(|name| input(&mut g, name, &[2, 8]));
    let c = input(&mut g, "c", &[3, 8]);
    let mut results: Vec<Tensor> = [a, c].map(|x| g.matmul(x, w).call().unwrap()).to_vec();
    let product = g.matmul(b, w).call().unwrap();
    results.push(g.relu(product).call().unwrap());
    results.push(g.matmul(a, w).bias(values(&[8], 2)).call().unwrap());
    results.push(g.matmul(a, w).bias(values(&[8], 3)).call().unwrap());
    results.push(g.matmul(a, w).right_transpose(true).call().unwrap());
    for other in [a, b] {
        let product = g.matmul(a, w).call().unwrap();
        results.push(g.add(product, other).call().unwrap());
    }
    assert_eq!(kernels(&mut g, &results), results.len());
    // A name on its own makes no difference.
    results.push(g.matmul(b, w).out_name("another").call().unwrap());
    assert_eq!(kernels(&mut g, &results), results.len() - 1);
}
