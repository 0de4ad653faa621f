//! Speed, beside the product of matrices that other convolutions are made of (and alone):
//! `cargo test --release --lib blocked::bench -- --ignored --nocapture`.
use super::{Axis, BLOCK, Conv2d, Epilogue, Geometry, InstructionSet, blocked_len};
use crate::{
    exec::cpu::{
        gemm::{Mat, gemm_f32},
        grid::Grid,
    },
    ops::Window,
};
use std::time::Instant;

/// Channels in and out, side of the input, kernel, stride, and how many of them there are.
type Layer = (usize, usize, usize, usize, usize, usize);

/// ResNet-50, of a 224 x 224 image.
#[rustfmt::skip]
const RESNET50: [Layer; 20] = [
    (3, 64, 224, 7, 2, 1),
    (64, 64, 56, 1, 1, 1), (64, 64, 56, 3, 1, 3), (64, 256, 56, 1, 1, 4), (256, 64, 56, 1, 1, 2),
    (256, 128, 56, 1, 1, 1), (128, 128, 56, 3, 2, 1), (128, 512, 28, 1, 1, 4), (256, 512, 56, 1, 2, 1), (512, 128, 28, 1, 1, 3), (128, 128, 28, 3, 1, 3),
    (512, 256, 28, 1, 1, 1), (256, 256, 28, 3, 2, 1), (256, 1024, 14, 1, 1, 6), (512, 1024, 28, 1, 2, 1), (1024, 256, 14, 1, 1, 5), (256, 256, 14, 3, 1, 5),
    (1024, 512, 14, 1, 1, 1), (512, 512, 14, 3, 2, 1), (512, 2048, 7, 1, 1, 3),
];
/// Those of its last stage, apart for the length of a line.
#[rustfmt::skip]
const LAST_STAGE: [Layer; 3] = [(1024, 2048, 14, 1, 2, 1), (2048, 512, 7, 1, 1, 2), (512, 512, 7, 3, 1, 2)];

/// MobileNetV2's, where input and output channels are the groups.
#[rustfmt::skip]
const DEPTHWISE: [Layer; 10] = [
    (32, 32, 112, 3, 1, 1), (96, 96, 112, 3, 2, 1), (144, 144, 56, 3, 1, 1), (144, 144, 56, 3, 2, 1), (192, 192, 28, 3, 1, 2),
    (192, 192, 28, 3, 2, 1), (384, 384, 14, 3, 1, 4), (576, 576, 14, 3, 1, 2), (576, 576, 14, 3, 2, 1), (960, 960, 7, 3, 1, 3),
];

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919) % 17) as f32 * 0.1 - 0.8).collect()
}

/// The shortest of some runs, in seconds.
fn shortest(mut f: impl FnMut()) -> f64 {
    (0..15).fold(f64::MAX, |best, _| {
        let start = Instant::now();
        f();
        best.min(start.elapsed().as_secs_f64())
    })
}

/// Seconds of the new kernel and of im2col with a product, which `old` asks for, and multiply-adds.
fn layer((ic, oc, side, kernel, stride, _): Layer, group: usize, old: bool) -> (f64, f64, f64) {
    let windows = [(); 2].map(|()| Window {
        input: side,
        kernel: kernel as i64,
        stride: stride as i64,
        dilation: 1,
        pads: [kernel as i64 / 2; 2],
    });
    let axis = Axis::new(&windows[0]).unwrap().unwrap();
    let g = Geometry { batch: 1, ic, oc, group, rows: axis, cols: axis };
    let depth = ic / group * kernel * kernel;
    let (x, w) = (numbers(blocked_len(1, ic, g.area())), numbers(oc * depth));
    let mut y = vec![0.0; blocked_len(1, oc, g.pixels())];
    let conv = Conv2d::new(InstructionSet::best(), g, &w, Epilogue::default()).unwrap().unwrap();
    let new = shortest(|| conv.run(&x, None, &mut y).unwrap());
    let mut products = f64::NAN;
    if old {
        let grid = Grid::new(&windows, &[side; 2], &[axis.output; 2]);
        let mut columns = vec![0.0; depth * g.pixels()];
        products = shortest(|| {
            let b = if grid.is_pointwise() {
                &x[..ic * g.area()]
            } else {
                grid.columns(&x[..ic * g.area()], 0.0, &mut columns);
                &columns
            };
            let a = Mat { data: &w, rows: oc, cols: depth, transposed: false };
            let b = Mat { data: b, rows: depth, cols: g.pixels(), transposed: false };
            gemm_f32(&mut y[..oc * g.pixels()], a, b).unwrap();
        });
    }
    (new, products, (oc * depth * g.pixels()) as f64)
}

/// What products have reached, where they were asked for.
fn beside(value: f64, unit: &str) -> String {
    if value.is_nan() { String::new() } else { format!("; products {value:.2} {unit}") }
}

fn table(name: &str, layers: &[Layer], depthwise: bool) {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut new, mut old) = (0.0, 0.0);
        for &l in layers {
            let group = if depthwise { l.0 } else { 1 };
            let (a, b, macs) = pool.install(|| layer(l, group, !depthwise));
            let speed = |t: f64| 2e-9 * macs / t;
            println!("{threads} {l:?}: {:.3} ms, {:.0} GFLOP/s{}", a * 1e3, speed(a), beside(speed(b), "GFLOP/s"));
            (new, old) = (new + a * l.5 as f64, old + b * l.5 as f64);
        }
        println!("{name}, {threads} threads: {:.2} ms{}", new * 1e3, beside(old * 1e3, "ms"));
    }
}

#[test]
#[ignore = "measures"]
fn speed() {
    assert_eq!(BLOCK, 16);
    table("ResNet-50", &[&RESNET50[..], &LAST_STAGE].concat(), false);
    table("MobileNetV2's depthwise", &DEPTHWISE, true);
}
