//! Tests that norms over channels, and over groups of channels, are their definition.
use super::*;

/// The definition of a group norm in f64.
fn definition_of_groups(x: &[f32], norm: &GroupNorm) -> Vec<f32> {
    let of_group = norm.channels / norm.groups * norm.area;
    let each = |(group, x): (usize, &[f32])| {
        let mean = x.iter().map(|v| f64::from(*v)).sum::<f64>() / of_group as f64;
        let variance = x.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / of_group as f64;
        let first = group % norm.groups * (norm.channels / norm.groups);
        let of = move |(i, v): (usize, &f32)| {
            let c = first + i / norm.area;
            let y = (f64::from(*v) - mean) / (variance + norm.eps).sqrt();
            (y * f64::from(norm.weight[c]) + f64::from(norm.bias[c])) as f32
        };
        x.iter().enumerate().map(of).collect::<Vec<f32>>()
    };
    x.chunks(of_group).enumerate().flat_map(each).collect()
}

/// The definition in f64, and by how much each difference from the mean is multiplied: its rounding error is, too.
fn definition(x: &[f32], area: usize, norm: &PixelNorm) -> Vec<(f32, f32)> {
    let mut out = vec![(0.0, 0.0); x.len()];
    let n = norm.channels as f64;
    for (image, pixel) in (0..x.len() / (norm.channels * area)).flat_map(|i| (0..area).map(move |p| (i, p))) {
        let at = |c: usize| (image * norm.channels + c) * area + pixel;
        let values = || (0..norm.channels).map(|c| f64::from(x[at(c)]));
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        let factor = (variance + f64::from(norm.eps)).sqrt().recip();
        for (c, v) in values().enumerate() {
            let y = (v - mean) * factor;
            out[at(c)] = ((y * f64::from(norm.weight[c]) + f64::from(norm.bias[c])) as f32, factor as f32);
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// One value may be infinite, and must reach its own pixel only.
    #[test]
    fn norms_over_channels_are_the_definition(
        batch in 1usize..3, channels in 1usize..70, area in 1usize..200, threads in 1usize..4, eps in 1e-6f32..1e-2,
        infinite in prop::option::of(0usize..1 << 16), offset in prop::sample::select(vec![0.0f32, 20.0]),
    ) {
        let mut x: Vec<f32> = numbers(batch * channels * area, 1).iter().map(|v| v + offset).collect();
        if let Some(infinite) = infinite {
            let at = infinite % x.len();
            x[at] = f32::INFINITY;
        }
        let (weight, bias) = (numbers(channels, 2), numbers(channels, 3));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for isa in InstructionSet::all() {
            let norm = PixelNorm { isa, channels, area, eps, weight: &weight, bias: &bias };
            let want = definition(&x, area, &norm);
            let (mut row_major, mut in_blocks) = (vec![f32::MAX; x.len()], vec![f32::MAX; blocked_len(batch, channels, area)]);
            pool.install(|| norm.row_major(&x, &mut row_major)).unwrap();
            pool.install(|| norm.blocked(&blocked(&x, channels, area), &mut in_blocks)).unwrap();
            prop_assert_eq!(beyond(&in_blocks, channels, area), Vec::<f32>::new());
            for got in [row_major, plain(&in_blocks, batch, channels, area)] {
                for (i, (got, (want, factor))) in got.iter().zip(&want).enumerate() {
                    let is_close = (got - want).abs() <= 5e-7 * (1.1 + offset) * factor + 2e-6 * (1.0 + want.abs());
                    prop_assert!(is_close || got.is_nan() && want.is_nan(), "{} is {got}, not {want}", i);
                }
            }
        }
    }

    #[test]
    fn norms_of_groups_are_the_definition(
        batch in 1usize..3, groups in 1usize..7, of_group in 1usize..40, area in prop_oneof![1usize..200, 1000usize..2100],
        threads in 1usize..4, offset in prop::sample::select(vec![0.0f32, 20.0, 1e4]),
    ) {
        let channels = groups * of_group;
        let x: Vec<f32> = numbers(batch * channels * area, 1).iter().map(|v| v + offset).collect();
        let (weight, bias) = (numbers(channels, 2), numbers(channels, 3));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for isa in InstructionSet::all() {
            let norm = GroupNorm { isa, channels, groups, area, eps: 1e-2, weight: &weight, bias: &bias };
            let mut got = vec![f32::MAX; blocked_len(batch, channels, area)];
            pool.install(|| norm.run(&blocked(&x, channels, area), &mut got)).unwrap();
            prop_assert_eq!(beyond(&got, channels, area), Vec::<f32>::new());
            for (i, (got, want)) in plain(&got, batch, channels, area).iter().zip(definition_of_groups(&x, &norm)).enumerate() {
                prop_assert!((got - want).abs() <= 1e-5 * (1.0 + want.abs()), "{} is {got}, not {want}", i);
            }
        }
    }
}
