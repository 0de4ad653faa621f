//! Measures building, emitting and running with `cargo bench`.
use criterion::{Criterion, criterion_group, criterion_main};
use std::{hint::black_box, time::Duration};
use tpulang::{
    exec::{CpuBackend, RunOptions, run},
    mlir,
};
use tpulang_benches::{chain, conv};

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
