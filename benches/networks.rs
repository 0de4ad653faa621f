//! The graphs that the benchmarks measure.
use tpulang::{Array, Dtype, Graph};

/// Returns a chain of `n` element-wise operators.
pub fn chain(n: usize) -> Graph {
    let mut g = Graph::new("chain").expect("a name");
    let mut t = g.input("x", Dtype::Float32, [1, 8]).expect("an input");
    for i in 0..n {
        let call = if i % 2 == 0 { g.relu(t).call() } else { g.add(t, 1.0).call() };
        t = call.expect("a call");
    }
    g.set_outputs(&[t]).expect("an output");
    g
}

/// Returns a 3x3 convolution of 64 channels, and its inputs.
pub fn conv() -> (Graph, indexmap::IndexMap<String, Array>) {
    let mut g = Graph::new("conv").expect("a name");
    let x = g.input("x", Dtype::Float32, [1, 64, 56, 56]).expect("an input");
    let w = Array::filled(Dtype::Float32, [64, 64, 3, 3], 0.1).expect("weights");
    let y = g.conv(x, w).pad([1, 1, 1, 1]).call().expect("a call");
    g.set_outputs(&[y]).expect("an output");
    let feed = Array::filled(Dtype::Float32, [1, 64, 56, 56], 0.5).expect("a feed");
    (g, [("x".to_owned(), feed)].into_iter().collect())
}
