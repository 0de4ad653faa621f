//! Tests that norms over channels are their definition.
use super::*;

/// The definition in f64.
fn definition(x: &[f32], area: usize, norm: &PixelNorm) -> Vec<f32> {
    let mut out = vec![0.0; x.len()];
    let n = norm.channels as f64;
    for (image, pixel) in (0..x.len() / (norm.channels * area)).flat_map(|i| (0..area).map(move |p| (i, p))) {
        let at = |c: usize| (image * norm.channels + c) * area + pixel;
        let values = || (0..norm.channels).map(|c| f64::from(x[at(c)]));
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        for (c, v) in values().enumerate() {
            let y = (v - mean) / (variance + f64::from(norm.eps)).sqrt();
            out[at(c)] = (y * f64::from(norm.weight[c]) + f64::from(norm.bias[c])) as f32;
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
                for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                    let is_close = (got - want).abs() <= 2e-6 * (1.0 + offset) * eps.sqrt().recip().min(10.0) * (1.0 + want.abs());
                    prop_assert!(is_close || got.is_nan() && want.is_nan(), "{} is {got}, not {want}", i);
                }
            }
        }
    }
}
