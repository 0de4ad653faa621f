//! Tests of the division of convolutions into tasks.
use super::{
    conv::{definition, run},
    *,
};
use crate::cpu::blocked::parts::Division;
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// Checks a convolution with every instruction set and numbers of threads against the definition.
fn check_threads(g: &ConvShape, threads: &[usize]) {
    let x = numbers(g.batch * g.ic * g.slices.input * g.area(), 1);
    let w = numbers(g.oc * g.ic / g.group * g.slices.kernel * g.taps(), 2);
    check_numbers(g, threads, x, w);
}

/// The same, with this input and these weights.
fn check_numbers(g: &ConvShape, threads: &[usize], x: Vec<f32>, w: Vec<f32>) {
    let (area, pixels) = (g.slices.input * g.area(), g.slices.output * g.pixels());
    let (sums, sizes) = definition(g, &x, &w, &vec![0.0; g.oc]);
    let x = if g.method() == Some(Method::First) { x } else { blocked(&x, g.ic, area) };
    for isa in InstructionSet::all() {
        let conv = Conv2d::new(isa, *g, &w, ConvEpilogue::default()).unwrap().unwrap();
        let outs: Vec<Vec<f32>> = threads
            .iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(*threads).build().unwrap();
                pool.install(|| run(&conv, &x, None, blocked_len(g.batch, g.oc, pixels)))
            })
            .collect();
        assert!(outs.iter().all(|out| *out == outs[0]), "{g:?}");
        for (i, got) in plain(&outs[0], g.batch, g.oc, pixels).into_iter().enumerate() {
            let is_close = (f64::from(got) - sums[i]).abs() <= 2e-6 * (sizes[i] + 1.0);
            assert!(is_close, "{i} of {g:?} is {got}, not {}", sums[i]);
        }
    }
}

#[test]
fn large_ones_are_cut_and_still_the_definition() {
    let (rows, cols) = (axis(40, 3, 1, 1, [1, 1]).unwrap(), axis(53, 3, 1, 1, [1, 1]).unwrap());
    let (half, small) = (axis(41, 3, 2, 1, [0, 1]).unwrap(), axis(5, 3, 1, 1, [1, 1]).unwrap());
    let column = axis(9001, 5, 1, 7, [14, 10]).unwrap();
    let of = |batch, ic, oc, group, rows, cols| ConvShape { batch, ic, oc, group, slices: Axis::ONE, rows, cols };
    let volume = |g: ConvShape| ConvShape { slices: small, ..g };
    let geometries = [
        volume(of(1, 40, 40, 40, rows, cols)),
        volume(of(1, 20, 40, 1, rows, half)),
        volume(of(1, 24, 24, 8, rows, cols)),
        of(1, 20, 40, 1, rows, cols),
        of(2, 40, 20, 1, half, cols),
        of(1, 64, 200, 1, small, small),
        of(1, 3, 40, 1, rows, half),
        of(3, 40, 40, 40, rows, cols),
        of(1, 64, 96, 2, half, half),
        of(2, 64, 96, 2, rows, cols),
        of(1, 300, 40, 1, small, cols),
        of(2, 48, 72, 2, half, cols),
        of(1, 120, 72, 3, rows, cols),
        of(1, 20, 40, 1, column, Axis::ONE),
        of(1, 1, 40, 1, column, Axis::ONE),
        of(2, 32, 32, 8, column, Axis::ONE),
        of(1, 16, 16, 4, axis(9001, 3, 1, 1, [0, 0]).unwrap(), Axis::ONE),
        of(1, 72, 72, 3, rows, cols),
        of(2, 96, 160, 4, half, cols),
        of(1, 40, 40, 2, axis(3001, 10, 5, 1, [0, 0]).unwrap(), Axis::ONE),
    ];
    for g in geometries {
        check_threads(&g, &[1, 2, 3]);
    }
}

/// Fewer rows than tasks, rows that the bands do not divide, one set of output blocks, and weights that are larger than the input.
#[test]
fn few_rows_are_cut_and_still_the_definition() {
    let same = |n: usize, kernel: usize| axis(n, kernel, 1, 1, [kernel / 2; 2]).unwrap();
    let of = |[ic, oc]: [usize; 2], rows, cols| ConvShape { batch: 1, ic, oc, group: 1, slices: Axis::ONE, rows, cols };
    let geometries = [
        // Direct convolution, whose bands have 3 and 4 rows.
        of([128, 32], same(7, 3), same(7, 3)),
        of([96, 24], same(5, 3), same(5, 3)),
        of([96, 72], same(7, 1), same(28, 1)),
        of([32, 80], same(28, 1), same(28, 1)),
        of([40, 150], same(3, 1), same(40, 1)),
        of([64, 40], same(11, 5), same(9, 5)),
        // Minimal filtering, whose last tile may have one row.
        of([128, 32], same(14, 3), same(14, 3)),
        of([96, 96], same(13, 3), same(12, 3)),
        of([40, 24], same(29, 3), same(30, 3)),
        of([48, 80], axis(22, 3, 1, 3, [3, 3]).unwrap(), same(14, 3)),
    ];
    for g in geometries {
        check_threads(&g, &[1, 2, 3, 4, 7, 16]);
    }
}

/// The transformed weights do not stay in the second-level cache of any processor.
#[test]
fn minimal_filtering_with_large_weights_is_the_definition() {
    let (rows, cols) = (axis(11, 3, 1, 1, [1, 1]).unwrap(), axis(9, 3, 1, 1, [1, 1]).unwrap());
    let g = ConvShape { batch: 1, ic: 200, oc: 232, group: 1, slices: Axis::ONE, rows, cols };
    check_threads(&g, &[1, 2, 3, 8]);
}

/// As many phases as elements of the kernel: finding one must not take time for all of them. The sums are exact.
#[test]
fn large_kernels_are_the_definition() {
    let side = 50_021;
    let (long, one) = (axis(2 * side, side, side, 1, [0, 0]).unwrap(), axis(1, 1, 1, 1, [0, 0]).unwrap());
    for (ic, rows, cols) in [(1, one, long), (5, long, one)] {
        let g = ConvShape { batch: 1, ic, oc: 2, group: 1, slices: Axis::ONE, rows, cols };
        let small = |n: usize, step: usize| (0..n).map(|i| (i * step % 3) as f32 - 1.0).collect();
        check_numbers(&g, &[1, 2], small(ic * 2 * side, 7919), small(2 * ic * side, 31));
    }
}

/// Parts of many images are made a few images at a time.
#[test]
fn batches_of_many_small_images_are_the_definition() {
    let side = axis(1, 1, 1, 1, [0, 0]).unwrap();
    for (ic, oc, group) in [(16, 16, 1), (32, 32, 2)] {
        let g = ConvShape { batch: 9000, ic, oc, group, slices: Axis::ONE, rows: side, cols: side };
        check_threads(&g, &[1, 3]);
    }
}

/// An infinity is computed directly, by a convolution that is made in the first run and kept.
#[test]
fn infinities_are_computed_again_in_each_run() {
    let side = axis(20, 3, 1, 1, [1, 1]).unwrap();
    let g = ConvShape { batch: 1, ic: 40, oc: 24, group: 1, slices: Axis::ONE, rows: side, cols: side };
    let w = numbers(g.oc * g.ic * g.taps(), 2);
    let mut x = numbers(g.ic * g.area(), 1);
    x[1234] = f32::INFINITY;
    let (finite, infinite) = (blocked(&numbers(g.ic * g.area(), 5), g.ic, g.area()), blocked(&x, g.ic, g.area()));
    for isa in InstructionSet::all() {
        let winograd = || Conv2d { form: Form::Winograd(Winograd::new(isa, g, &w, ConvEpilogue::default()).unwrap()) };
        let (conv, other) = (winograd(), winograd());
        let n = blocked_len(1, g.oc, g.pixels());
        let bits = |conv: &Conv2d, x: &[f32]| run(conv, x, None, n).into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let before = bits(&conv, &finite);
        let first = bits(&conv, &infinite);
        assert_eq!(bits(&conv, &infinite), first);
        assert_eq!(bits(&other, &infinite), first);
        assert_eq!(bits(&conv, &finite), before);
    }
}

proptest! {
    /// Each pixel of a result belongs to one part, and the bands of a plane differ by at most one unit.
    #[test]
    fn parts_are_all_of_the_result(
        batch in 1usize..4, group in 1usize..3, blocks in 1usize..5, share in 1usize..4, slices in 1usize..3, rows in 1usize..30,
        cols in 1usize..4, step in prop::array::uniform3(1usize..4), first in prop::array::uniform3(0usize..3), bands in 1usize..40,
        unit in 1usize..5, more in 0usize..3, with_residual: bool,
    ) {
        let axis = |output: usize| Axis { input: output, output, ..Axis::ONE };
        let channels = group * blocks * BLOCK;
        let (slices, rows, cols) = (axis(slices), axis(rows), axis(cols));
        let g = ConvShape { batch, ic: channels, oc: channels, group, slices, rows, cols };
        let units = rows.output.div_ceil(unit);
        let bands = bands.min(units);
        let first: [usize; 3] = std::array::from_fn(|i| first[i].min(step[i] - 1));
        // The rows of other phases after the last one of this result are fewer than a step.
        let size = [slices, rows, cols].map(|axis| axis.output);
        let size: [usize; 3] = std::array::from_fn(|i| (size[i] - 1) * step[i] + first[i] + 1 + more.min(step[i] - 1 - first[i]));
        let place = Place { first, step, size };
        let volume = size.iter().product::<usize>();
        let mut out = vec![[0.0; BLOCK]; batch * group * blocks * volume];
        let residual: Vec<Pixel> = (0..out.len()).map(|i| [i as f32; BLOCK]).collect();
        let (found, handed) = (Mutex::new(vec![]), AtomicUsize::new(0));
        let division = Division { g: &g, place, blocks, share, bands, unit };
        division.try_for_each(with_residual.then_some(&residual[..]), &mut out, |mut part| {
            let height = place.rows(part.outs[0].len());
            for b in 0..part.outs.len() {
                for row in 0..height {
                    for col in 0..cols.output {
                        part.outs[b][place.offset(row, col)][0] += 1.0;
                    }
                }
            }
            assert_eq!(part.residual.len(), if with_residual { part.outs.len() } else { 0 });
            let starts: Vec<f32> = part.residual.iter().map(|r| r[0][0]).collect();
            found.lock().unwrap().push((part.image, part.group, part.block, part.slice, part.row, height));
            let n = part.outs.len();
            part.complete(0..n, &|at, pixels| {
                let is_there = starts.is_empty() || starts.iter().any(|start| *start as usize * BLOCK == at);
                assert!(is_there && pixels.len() % BLOCK == 0);
                handed.fetch_add(1, Ordering::Relaxed);
            });
            Ok(())
        }).unwrap();
        let inside = |i: usize, axis: usize| i % step[axis] == first[axis];
        for (i, pixel) in out.iter().enumerate() {
            let [slice, row, col] = [i / (size[1] * size[2]) % size[0], i / size[2] % size[1], i % size[2]];
            let is_written = inside(slice, 0) && inside(row, 1) && inside(col, 2);
            prop_assert_eq!(pixel[0], if is_written { 1.0 } else { 0.0 }, "pixel {}", i);
        }
        let found = found.into_inner().unwrap();
        prop_assert_eq!(found.len(), batch * group * blocks.div_ceil(share) * slices.output * bands);
        prop_assert_eq!(handed.into_inner(), batch * group * blocks * slices.output * bands);
        let heights = found.iter().map(|&(.., row, height)| (row % unit, height.div_ceil(unit)));
        prop_assert!(heights.clone().all(|(within, _)| within == 0));
        let (least, most) = heights.fold((usize::MAX, 0), |(least, most), (_, n)| (least.min(n), most.max(n)));
        prop_assert!(least > 0 && most - least <= 1, "{} to {} of {} units in {} bands", least, most, units, bands);
    }
}
