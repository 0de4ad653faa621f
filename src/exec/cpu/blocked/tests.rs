use super::*;
use crate::{
    cpu::gemm::{ConstantB, Mat},
    heads::{AttentionSizes, HeadStrides},
};
use proptest::prelude::*;

mod bands;
mod conv;
mod expanded;
mod four_bits;
mod pixel_norm;
mod sums;

/// Number of floats of a blocked activation.
fn blocked_len(batch: usize, channels: usize, area: usize) -> usize {
    batch.saturating_mul(channels.div_ceil(BLOCK)).saturating_mul(area).saturating_mul(BLOCK)
}

/// Varied numbers from -1.1 to 1.1.
fn numbers(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + seed * 31) % 23) as f32 * 0.1 - 1.1).collect()
}

fn blocked(x: &[f32], channels: usize, area: usize) -> Vec<f32> {
    // NaN reveals elements that are not written.
    let mut out = vec![f32::NAN; blocked_len(x.len() / (channels * area), channels, area)];
    to_blocked(x, channels, area, &mut out);
    out
}

fn plain(x: &[f32], batch: usize, channels: usize, area: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; batch * channels * area];
    from_blocked(x, channels, area, &mut out);
    out
}

/// Returns the non-zero padding after the last channel, which must be empty.
fn beyond(x: &[f32], channels: usize, area: usize) -> Vec<f32> {
    let blocks = channels.div_ceil(BLOCK);
    let last = x.chunks(area * BLOCK).skip(blocks - 1).step_by(blocks);
    let pixels = last.flat_map(|plane| plane.chunks(BLOCK));
    pixels.flat_map(|p| p[(channels - 1) % BLOCK + 1..].iter().copied()).filter(|v| v.to_bits() != 0).collect()
}

/// The elements of a window that are inside along an axis: their index in the kernel, and their position.
fn inside(a: &Axis, position: usize) -> impl Iterator<Item = (usize, usize)> {
    let a = *a;
    (0..a.kernel).filter_map(move |k| {
        let at = (position * a.stride + k * a.dilation).checked_sub(a.pad)?;
        (at < a.input).then_some((k, at))
    })
}

/// Calls `f` with the kernel element and the offset in the plane, for the elements of each window.
fn windows(rows: &Axis, cols: &Axis, mut f: impl FnMut(usize, usize, usize)) {
    for pixel in 0..rows.output * cols.output {
        for (i, y) in inside(rows, pixel / cols.output) {
            for (j, x) in inside(cols, pixel % cols.output) {
                f(pixel, i * cols.kernel + j, y * cols.input + x);
            }
        }
    }
}

fn axis(input: usize, kernel: usize, stride: usize, dilation: usize, pads: [usize; 2]) -> Option<Axis> {
    let pads = pads.map(|p| p as i64);
    let window = Window { input, kernel: kernel as i64, stride: stride as i64, dilation: dilation as i64, pads };
    Axis::new(&window).ok()?
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let pads = prop::array::uniform2(0usize..4);
    (1usize..20, 1usize..6, 1usize..4, 1usize..4, pads)
        .prop_filter_map("fits", |(input, kernel, stride, dilation, pads)| axis(input, kernel, stride, dilation, pads))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pools_are_the_definition(
        batch in 1usize..3, channels in 1usize..40, rows in any_axis(), cols in any_axis(), kind in 0..3, relu: bool,
    ) {
        let kind = [PoolKind::Max, PoolKind::Average { include_pad: true }, PoolKind::Average { include_pad: false }][kind as usize];
        let (area, pixels) = (rows.input * cols.input, rows.output * cols.output);
        let x = numbers(batch * channels * area, 5);
        let mut expected = vec![];
        for from in x.chunks(area) {
            let mut found: Vec<Vec<f64>> = vec![vec![]; pixels];
            windows(&rows, &cols, |pixel, _, at| found[pixel].push(from[at].into()));
            expected.extend(found.into_iter().map(|found| match kind {
                PoolKind::Max if found.is_empty() => f64::from(f32::MIN),
                PoolKind::Max => found.into_iter().fold(f64::MIN, f64::max),
                PoolKind::Average { include_pad: true } => found.iter().sum::<f64>() / (rows.kernel * cols.kernel) as f64,
                PoolKind::Average { .. } => found.iter().sum::<f64>() / found.len().max(1) as f64,
            }));
        }
        for isa in InstructionSet::all() {
            let pool = Pool2d { isa, kind, channels, rows, cols, relu: relu.then_some(f32::INFINITY) };
            let mut out = vec![f32::NAN; blocked_len(batch, channels, pixels)];
            pool.run(&blocked(&x, channels, area), &mut out).unwrap();
            prop_assert_eq!(beyond(&out, channels, pixels), Vec::<f32>::new());
            for (got, expected) in plain(&out, batch, channels, pixels).iter().zip(&expected) {
                let expected = if relu { expected.max(0.0) } else { *expected };
                prop_assert!((f64::from(*got) - expected).abs() <= 2e-6, "{got}, not {expected}");
            }
        }
    }

    #[test]
    fn layouts_are_each_other_s_inverse(batch in 0usize..4, channels in 1usize..50, area in 1usize..2000) {
        let x = numbers(batch * channels * area, 6);
        let there = blocked(&x, channels, area);
        for (i, v) in there.iter().enumerate() {
            let (plane, place, lane) = (i / BLOCK / area, i / BLOCK % area, i % BLOCK);
            let blocks = channels.div_ceil(BLOCK);
            let c = plane % blocks * BLOCK + lane;
            prop_assert_eq!(*v, if c < channels { x[(plane / blocks * channels + c) * area + place] } else { 0.0 });
        }
        prop_assert_eq!(plain(&there, batch, channels, area), x);
    }
}

#[test]
fn nan_stays_nan() {
    let side = axis(3, 2, 1, 1, [0, 0]).unwrap();
    let mut x = numbers(9 * BLOCK, 1);
    x[4 * BLOCK + 5] = f32::NAN;
    for isa in InstructionSet::all() {
        let pool = Pool2d { isa, kind: PoolKind::Max, channels: BLOCK, rows: side, cols: side, relu: Some(6.0) };
        let mut out = vec![0.0; 4 * BLOCK];
        pool.run(&x, &mut out).unwrap();
        let nan = |(i, v): (usize, &f32)| assert_eq!(v.is_nan(), i % BLOCK == 5);
        out.iter().enumerate().for_each(nan);
    }
}

#[test]
fn nothing_is_converted_of_nothing() {
    to_blocked(&[], 0, 7, &mut []);
    to_blocked(&[], 7, 0, &mut []);
    from_blocked(&[], 0, 7, &mut []);
    from_blocked(&[], 7, 0, &mut []);
}

/// Checks the product with every instruction set against numpy's, and that the number of threads does not change the
/// bytes.
fn check_product(m: usize, k: usize, n: usize, transposed: bool, with_bias: bool) {
    let (x, w, bias) = (numbers(m * k, 1), numbers(k * n, 2), numbers(n, 3));
    let at = |r: usize, c: usize| if transposed { w[c * k + r] } else { w[r * n + c] };
    let bias = with_bias.then_some(&bias[..]);
    let sum = |i: usize, c: usize| (0..k).map(|j| f64::from(x[i * k + j]) * f64::from(at(j, c))).sum::<f64>();
    let want: Vec<f64> = (0..m * n).map(|i| sum(i / n, i % n) + bias.map_or(0.0, |b| f64::from(b[i % n]))).collect();
    for isa in InstructionSet::all() {
        let matrix = Mat { data: &w, rows: k, cols: n, transposed };
        let square = |row, column| matrix.square(row, column);
        let panels = [1, 2].map(|rows| PackedB::for_rows(rows, isa, [k, n], square).unwrap()).map(ConstantB::Panels);
        let small = ConstantB::Small(SmallB::new(isa, matrix).unwrap());
        let column = (n == 1).then(|| ConstantB::Column(w.clone()));
        let chosen = ConstantB::new(m, matrix).unwrap();
        for columns in panels.into_iter().chain([small, chosen]).chain(column) {
            let product = |threads| {
                let mut out = vec![f32::NAN; m * n];
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| columns.product(&x, bias, &mut out)).unwrap();
                out
            };
            let got = product(1);
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                assert!((f64::from(*got) - want).abs() < 1e-5 * k as f64, "{i} of {m} x {k} x {n}: {got}, not {want}");
            }
            assert_eq!(product(3), got);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn products_are_the_definition(m in 1usize..40, k in 1usize..70, n in 1usize..80, transposed: bool, bias: bool) {
        check_product(m, k, n, transposed, bias);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    /// Matrices of one task and of several, columns that fill no vector, and rows that are read one at a time and together.
    #[test]
    fn products_of_one_row_are_the_definition(
        (k, n) in prop_oneof![(1usize..20, 1usize..150), (1000usize..1500, 1usize..150), (0usize..300, 3060usize..3100), (380usize..800, 3073usize..3090), (1usize..20, 0usize..2)]
    ) {
        let (x, w) = (numbers(k, 1), numbers(k * n, 2));
        for isa in InstructionSet::all() {
            let product = |threads| {
                let mut out = vec![f32::NAN; n];
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| product_of_row(isa, &x, &w, &mut out)).unwrap();
                out
            };
            let got = product(1);
            for (c, got) in got.iter().enumerate() {
                let want: f64 = (0..k).map(|r| f64::from(x[r]) * f64::from(w[r * n + c])).sum();
                prop_assert!((f64::from(*got) - want).abs() <= 1e-5 * k as f64, "column {} of {} x {}: {}, not {}", c, k, n, got, want);
            }
            prop_assert_eq!(product(3), got);
        }
    }
}

/// Several parts of rows, of their elements and of columns, the last ones shorter.
#[test]
fn products_of_many_parts() {
    check_product(230, 900, 70, false, true);
    check_product(3, 400, 1000, true, false);
    check_product(460, 20, 100, false, false);
    check_product(3000, 3, 1, false, true);
    check_product(300, 333, 1, true, true);
    check_product(1500, 17, 33, true, true);
}

/// The padding of the last block is multiplied too, and must not affect the result.
#[test]
fn infinite_rows_stay_by_themselves() {
    let (mut x, w) = (numbers(3 * 17, 1), numbers(17 * 19, 2));
    x[20] = f32::INFINITY;
    for isa in InstructionSet::all() {
        let matrix = Mat { data: &w, rows: 17, cols: 19, transposed: false };
        let panels = PackedB::of(isa, matrix).map(ConstantB::Panels);
        for columns in [panels, SmallB::new(isa, matrix).map(ConstantB::Small)] {
            let mut out = vec![0.0; 3 * 19];
            columns.unwrap().product(&x, None, &mut out).unwrap();
            assert!(out.iter().enumerate().all(|(i, v)| v.is_finite() != (i / 19 == 1)), "{out:?}");
        }
    }
}

fn close(got: &[f32], want: &[f64]) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((f64::from(*got) - want).abs() <= 2e-5 * want.abs().max(1.0), "{i}: {got}, not {want}");
    }
}

proptest! {
    #[test]
    fn rows_are_those_of_the_definition(rows in 1usize..4, n in 1usize..200, beta in prop::sample::select(vec![1.0f32, -2.0, 0.0]), log: bool, has_mean: bool) {
        let (x, gamma) = (numbers(rows * n, 5), numbers(n, 2));
        let scaled: Vec<f64> = x.iter().map(|v| f64::from(*v) * f64::from(beta)).collect();
        let powers = scaled.chunks(n).flat_map(|row| {
            let sum: f64 = row.iter().map(|v| v.exp()).sum();
            row.iter().map(move |v| if log { v - sum.ln() } else { v.exp() / sum })
        });
        let normal = x.chunks(n).flat_map(|row| {
            let mean = |f: &dyn Fn(f64) -> f64| row.iter().map(|v| f(f64::from(*v))).sum::<f64>() / n as f64;
            let middle = if has_mean { mean(&|v| v) } else { 0.0 };
            let scale = 1.0 / (mean(&|v| (v - middle).powi(2)) + 0.01).sqrt();
            row.iter().zip(&gamma).map(move |(v, g)| (f64::from(*v) - middle) * scale * f64::from(*g) + f64::from(*g))
        });
        let (powers, normal): (Vec<f64>, Vec<f64>) = (powers.collect(), normal.collect());
        for isa in InstructionSet::all() {
            let mut to = vec![f32::NAN; x.len()];
            isa.run(Softmax { from: &x, to: &mut to, n, beta, log });
            close(&to, &powers);
            let weights = Some(&gamma[..]);
            isa.run(RowNorm { from: &x, to: &mut to, n, has_mean, eps: 0.01, gamma: weights, beta: weights });
            close(&to, &normal);
        }
    }
}

/// The float32 sum of so many large numbers would be far off. The mean is a float32.
#[test]
fn long_rows_of_large_numbers_are_normalized() {
    let n = 52_000;
    let x: Vec<f32> = (0..n).map(|i| 1e6 + (i * 7919 % 65) as f32 / 16.0).collect();
    let mean = x.iter().map(|v| f64::from(*v)).sum::<f64>() / n as f64;
    let variance = x.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / n as f64;
    let want: Vec<f64> = x.iter().map(|v| (f64::from(*v) - mean) / (variance + 0.01).sqrt()).collect();
    for isa in InstructionSet::all() {
        let mut to = vec![f32::NAN; n];
        isa.run(RowNorm { from: &x, to: &mut to, n, has_mean: true, eps: 0.01, gamma: None, beta: None });
        close(&to, &want);
    }
}

#[test]
fn softmax_of_infinities() {
    let x = [0.0, f32::NEG_INFINITY, 0.0, f32::NAN, 1.0, 2.0];
    for isa in InstructionSet::all() {
        let mut to = [1.0; 6];
        isa.run(Softmax { from: &x, to: &mut to, n: 3, beta: 1.0, log: false });
        assert!(to[..3] == [0.5, 0.0, 0.5] && to[3..].iter().all(|v| v.is_nan()), "{to:?}");
    }
}

/// `softmax(scale * Q K^T + mask) V`, with heads before rows.
fn attention(sizes: AttentionSizes, [q, k, v]: [&[f32]; 3], mask: &[f32], scale: f32, is_causal: bool) -> Vec<f64> {
    let AttentionSizes { heads, kv_heads, queries, keys, elements, values } = sizes;
    let mut out = vec![];
    for head in 0..heads {
        let of_keys = head / (heads / kv_heads);
        for i in 0..queries {
            let query = &q[(head * queries + i) * elements..][..elements];
            let weight = |j: usize| {
                let key = &k[(of_keys * keys + j) * elements..][..elements];
                let dot: f64 = query.iter().zip(key).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                let added = mask.get((head * queries + i) * keys + j).copied().unwrap_or(0.0);
                if is_causal && j > i { 0.0 } else { (dot * f64::from(scale) + f64::from(added)).exp() }
            };
            let weights: Vec<f64> = (0..keys).map(weight).collect();
            let value = |j: usize, c: usize| f64::from(v[(of_keys * keys + j) * values + c]);
            let sum: f64 = weights.iter().sum();
            out.extend((0..values).map(|c| (0..keys).map(|j| weights[j] * value(j, c)).sum::<f64>() / sum));
        }
    }
    out
}

/// Returns attention with a scale of 0.5 to heads that are stored one after the other.
fn unmasked_attention<'a>(isa: InstructionSet, sizes: AttentionSizes, [q, k, v]: [&'a [f32]; 3]) -> Attention<'a> {
    let AttentionSizes { queries, keys, elements, values, .. } = sizes;
    let heads = |data, rows: usize, row: usize| Heads { data, places: HeadStrides { head: rows * row, row, batch: 0 } };
    Attention {
        isa,
        sizes,
        query: heads(q, queries, elements),
        key: heads(k, keys, elements),
        value: heads(v, keys, values),
        scale: 0.5,
        mask: None,
        is_causal: false,
    }
}

proptest! {
    #[test]
    fn attention_is_the_definition(
        kv_heads in 1usize..3, groups in 1usize..3, queries in 1usize..40, keys in 1usize..70, elements in 1usize..20,
        values in 1usize..40, masked: bool, is_causal: bool, heads_inside: bool,
    ) {
        let sizes = AttentionSizes { heads: kv_heads * groups, kv_heads, queries, keys, elements, values };
        let (q, k) = (numbers(sizes.heads * queries * elements, 1), numbers(kv_heads * keys * elements, 2));
        let v = numbers(kv_heads * keys * values, 3);
        let mask = if masked { numbers(sizes.heads * queries * keys, 4) } else { vec![] };
        let want = attention(sizes, [&q, &k, &v], &mask, 0.5, is_causal);
        let read = |row: usize, out: &mut [f32]| out.copy_from_slice(&mask[row * keys..][..out.len()]);
        for isa in InstructionSet::all() {
            let unmasked = unmasked_attention(isa, sizes, [&q, &k, &v]);
            let attention = Attention { mask: masked.then_some(&read as _), is_causal, ..unmasked };
            let mut out = vec![f32::NAN; want.len()];
            attention.run(heads_inside, &mut out, &mut []).unwrap();
            if heads_inside {
                let place = |head: usize, query: usize| (query * sizes.heads + head) * values;
                let rows = (0..sizes.heads).flat_map(|head| (0..queries).map(move |query| (head, query)));
                out = rows.flat_map(|(head, query)| out[place(head, query)..][..values].to_vec()).collect();
            }
            close(&out, &want);
        }
    }
}

/// Of several parts of keys and groups of queries. Values of keys that are much later than all queries are not read.
#[test]
fn causal_attention_ends_at_the_keys_that_queries_see() {
    // Keys and values are packed for many queries, and small matrices for fewer, of which values of 16 elements are used in place.
    for (queries, keys, values) in [(300, 1500, 11), (300, 70, 11), (200, 1500, 16), (200, 1500, 11), (200, 70, 11)] {
        let sizes = AttentionSizes { heads: 2, kv_heads: 1, queries, keys, elements: 8, values };
        let AttentionSizes { heads, queries, elements, values, .. } = sizes;
        let (q, k) = (numbers(heads * queries * elements, 1), numbers(keys * elements, 2));
        let mut v = numbers(keys * values, 3);
        let want = attention(sizes, [&q, &k, &v], &[], 0.5, true);
        if keys > 2 * queries {
            v[(keys - 1) * values..].fill(f32::INFINITY);
        }
        for isa in InstructionSet::all() {
            let attention = Attention { is_causal: true, ..unmasked_attention(isa, sizes, [&q, &k, &v]) };
            let results = [1, 3, 8].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = vec![f32::NAN; want.len()];
                pool.install(|| attention.run(false, &mut out, &mut [])).unwrap();
                out
            });
            close(&results[0], &want);
            assert!(results[1..].iter().all(|out| *out == results[0]));
        }
    }
}

/// The rows of a head are apart, and may be shorter than a vector.
#[test]
fn attention_to_heads_that_are_side_by_side() {
    for (heads, values) in [(2, 8), (4, 4), (1, 16), (3, 5), (2, 16)] {
        let sizes = AttentionSizes { heads, kv_heads: heads, queries: 9, keys: 21, elements: 6, values };
        let of = |rows: usize, row: usize, seed: usize| numbers(heads * rows * row, seed);
        let (q, k, v) = (of(9, 6, 1), of(21, 6, 2), of(21, values, 3));
        let side_by_side = |by_head: &[f32], rows: usize, row: usize| -> Vec<f32> {
            let places = (0..rows).flat_map(|r| (0..heads).map(move |h| (h * rows + r) * row));
            places.flat_map(|at| by_head[at..at + row].to_vec()).collect()
        };
        let [queries, keys, of_values] =
            [(&q, 9, 6), (&k, 21, 6), (&v, 21, values)].map(|(x, n, row)| side_by_side(x, n, row));
        let heads_of = |data, row: usize| Heads { data, places: HeadStrides { head: row, row: heads * row, batch: 0 } };
        for isa in InstructionSet::all() {
            let attention = Attention {
                query: heads_of(&queries, 6),
                key: heads_of(&keys, 6),
                value: heads_of(&of_values, values),
                ..unmasked_attention(isa, sizes, [&q, &k, &v])
            };
            let mut out = vec![f32::NAN; heads * 9 * values];
            attention.run(false, &mut out, &mut []).unwrap();
            close(&out, &self::attention(sizes, [&q, &k, &v], &[], 0.5, false));
        }
    }
}

/// Sums of weighted values are added in parts.
#[test]
fn attention_to_many_keys() {
    for (queries, values) in [(8, 16), (20, 11), (256, 32), (257, 32)] {
        let sizes = AttentionSizes { heads: 2, kv_heads: 2, queries, keys: 1000, elements: 24, values };
        let AttentionSizes { heads, keys, elements, .. } = sizes;
        let (q, k) = (numbers(heads * queries * elements, 1), numbers(heads * keys * elements, 2));
        let v = numbers(heads * keys * values, 3);
        let want = attention(sizes, [&q, &k, &v], &[], 0.5, false);
        for isa in InstructionSet::all() {
            let mut out = vec![f32::NAN; want.len()];
            unmasked_attention(isa, sizes, [&q, &k, &v]).run(false, &mut out, &mut []).unwrap();
            close(&out, &want);
        }
    }
}

/// As in vocoders: 48 seconds of sound are more than a million samples.
#[test]
fn sequences_may_be_longer_than_sides_of_images() {
    let long = Window { input: 1_058_400, kernel: 11, stride: 1, dilation: 5, pads: [25, 25] };
    let short = Window { input: 1, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };
    let wide = Window { kernel: (1 << 20) + 1, dilation: 1, ..long };
    let [slices, rows, cols] = Axis::of_windows(std::slice::from_ref(&long)).unwrap().unwrap();
    let g = ConvShape { batch: 1, ic: 32, oc: 32, group: 1, slices, rows, cols }.oriented();
    assert_eq!((g.rows.output, g.cols.output), (1_058_400, 1));
    let conv = Conv2d::new(InstructionSet::best(), g, &vec![0.5; 32 * 32 * 11], ConvEpilogue::default());
    // Much less than a column for each element of the kernel.
    assert!(conv.unwrap().unwrap().workspace() < 1 << 27);
    assert!(Axis::new(&long).unwrap().is_none() && Axis::of_windows(&[long, short]).unwrap().is_none());
    assert!(Axis::of_windows(&[wide]).unwrap().is_none(), "a kernel of that size");
}

proptest! {
    #[test]
    fn channels_are_gathered(
        sources in prop::collection::vec(1usize..70, 1..4), picks in prop::collection::vec((0usize..4, 0usize..70, 1usize..40), 1..5),
        area in prop_oneof![1usize..20, 500usize..530], batch in 1usize..3,
    ) {
        // Runs of adjacent channels, of which some begin where the block of the result does.
        let runs = picks.iter().flat_map(|&(source, first, n)| {
            let source = source % sources.len();
            (first..first + n).map(move |c| (source, c)).filter(|&(_, c)| c < sources[source]).collect::<Vec<_>>()
        });
        let channels: Vec<(usize, usize)> = [(0, 0)].into_iter().chain(runs).collect();
        let inputs: Vec<Vec<f32>> =
            sources.iter().enumerate().map(|(i, c)| numbers(batch * c * area, i)).collect();
        let blocks: Vec<Vec<f32>> = inputs.iter().zip(&sources).map(|(x, c)| blocked(x, *c, area)).collect();
        let mut out = vec![f32::NAN; blocked_len(batch, channels.len(), area)];
        let blocks: Vec<&[f32]> = blocks.iter().map(Vec::as_slice).collect();
        let gather = ChannelGather::new(&sources, &channels);
        gather.run(&blocks, area, &mut out, &|first, part| {
            part.iter_mut().enumerate().for_each(|(i, v)| *v += if (first + i) % BLOCK == 0 { 1.0 } else { 0.0 });
        });
        let expected = (0..batch).flat_map(|image| channels.iter().enumerate().flat_map(move |(i, c)| (0..area).map(move |p| (image, i, *c, p))));
        let expected: Vec<f32> = expected.map(|(image, i, (source, channel), p)| {
            inputs[source][(image * sources[source] + channel) * area + p] + if i % BLOCK == 0 { 1.0 } else { 0.0 }
        }).collect();
        prop_assert_eq!(plain(&out, batch, channels.len(), area), expected);
        prop_assert!(beyond(&out, channels.len(), area).is_empty());
    }
}

proptest! {
    /// Of any number of groups, which may begin within a block, as in ShuffleNet.
    #[test]
    fn channels_are_shuffled(
        groups in 1usize..10, each in 1usize..40, area in prop_oneof![1usize..20, 500usize..530], batch in 1usize..3,
    ) {
        let all = groups * each;
        let (x, channel) = (numbers(batch * all * area, 7), |c: usize| c % groups * each + c / groups);
        let channels: Vec<(usize, usize)> = (0..all).map(|c| (0, channel(c))).collect();
        let mut out = vec![f32::NAN; blocked_len(batch, all, area)];
        ChannelGather::new(&[all], &channels).run(&[&blocked(&x, all, area)], area, &mut out, &|_, _| {});
        let places = (0..batch * all).flat_map(|i| (0..area).map(move |p| (i, p)));
        let expected: Vec<f32> =
            places.map(|(i, p)| x[(i / all * all + channel(i % all)) * area + p]).collect();
        prop_assert_eq!(plain(&out, batch, all, area), expected);
        prop_assert!(beyond(&out, all, area).is_empty());
    }
}

proptest! {
    #[test]
    fn padding_is_cleared(
        batch in 1usize..3, channels in 1usize..40, area in 1usize..30, part in (0usize..100, 0usize..100),
    ) {
        let mut x = vec![1.0; blocked_len(batch, channels, area)];
        let pixels = x.len() / BLOCK;
        let first = part.0 % pixels;
        let last = (first + part.1).min(pixels);
        Padding { channels, area }.clear(first * BLOCK, &mut x[first * BLOCK..last * BLOCK]);
        for (i, v) in x.iter().enumerate() {
            let (pixel, block) = (i / BLOCK, i / BLOCK / area % channels.div_ceil(BLOCK));
            let is_cleared = (first..last).contains(&pixel) && block * BLOCK + i % BLOCK >= channels;
            prop_assert_eq!(*v, if is_cleared { 0.0 } else { 1.0 });
        }
    }
}
