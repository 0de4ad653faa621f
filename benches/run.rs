//! Measures building, emitting and running with `cargo bench`.
use criterion::{Criterion, criterion_group, criterion_main};
use std::{hint::black_box, time::Duration};
use tpulang::{
    Array, Dtype, Graph,
    exec::{CpuBackend, RunOptions, run},
    mlir,
};

fn chain(n: usize) -> Graph {
    let mut g = Graph::new("chain").expect("a name");
    let mut t = g.input("x", Dtype::Float32, [1, 8]).expect("an input");
    for i in 0..n {
        let call = if i % 2 == 0 { g.relu(t).call() } else { g.add(t, 1.0).call() };
        t = call.expect("a call");
    }
    g.set_outputs(&[t]).expect("an output");
    g
}

fn conv() -> (Graph, indexmap::IndexMap<String, Array>) {
    let mut g = Graph::new("conv").expect("a name");
    let x = g.input("x", Dtype::Float32, [1, 64, 56, 56]).expect("an input");
    let w = Array::filled(Dtype::Float32, [64, 64, 3, 3], 0.1).expect("weights");
    let y = g.conv(x, w).pad([1, 1, 1, 1]).call().expect("a call");
    g.set_outputs(&[y]).expect("an output");
    let feed = Array::filled(Dtype::Float32, [1, 64, 56, 56], 0.5).expect("a feed");
    (g, [("x".to_owned(), feed)].into_iter().collect())
}

fn benches(c: &mut Criterion) {
    c.bench_function("build a chain of 10000", |b| b.iter(|| black_box(chain(10_000))));
    let g = chain(10_000);
    c.bench_function("emit a chain of 10000", |b| b.iter(|| mlir::emit(black_box(&g)).expect("text")));
    let (g, feeds) = conv();
    let backend = CpuBackend::new();
    c.bench_function("run a 3x3 convolution, 64 x 56 x 56", |b| {
        b.iter(|| run(&g, &feeds, &backend, &RunOptions::default()).expect("results"))
    });
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3));
    targets = benches
}
criterion_main!(all);
