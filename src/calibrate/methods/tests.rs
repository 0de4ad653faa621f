//! Compares thresholds with the methods' definitions on the numbers themselves.
use super::*;
use proptest::prelude::*;

fn of(numbers: &[f32]) -> Histogram {
    let mut histogram = Histogram::default();
    histogram.add(numbers);
    histogram
}

/// Sums of uniform numbers, which are nearly normal, and some that are far away.
fn numbers() -> impl Strategy<Value = Vec<f32>> {
    (
        prop::collection::vec(prop::array::uniform4(-1f32..1.0), 500..3000),
        prop::collection::vec(-9f32..9.0, 0..3),
        any::<bool>(),
        0.01f32..100.0,
    )
        .prop_map(|(sums, far, is_positive, scale)| {
            let all = sums.into_iter().map(|parts| parts.iter().sum()).chain(far);
            all.map(|x: f32| scale * if is_positive { x.max(0.0) } else { x }).collect()
        })
}

fn squared_error(numbers: &[f32], threshold: f64, levels: u32) -> f64 {
    let scale = threshold / f64::from(levels);
    let rounded = |x: f64| (x.abs() / scale).round().min(f64::from(levels)) * scale * x.signum();
    numbers.iter().map(|x| (f64::from(*x) - rounded(f64::from(*x))).powi(2)).sum()
}

fn sorted_sizes(numbers: &[f32]) -> Vec<f32> {
    let mut sizes: Vec<f32> = numbers.iter().map(|x| x.abs()).collect();
    sizes.sort_by(f32::total_cmp);
    sizes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_other_threshold_has_a_smaller_squared_error(numbers in numbers(), precision in prop::sample::select(vec![Precision::Int8, Precision::Int4])) {
        let histogram = of(&numbers);
        let levels = precision.levels(histogram.min() < 0.0);
        let chosen = Method::Mse.entry(&histogram, precision).threshold.into();
        let found = squared_error(&numbers, chosen, levels);
        // A number is within half a bin of the bin's center, and its error is at most half the distance of levels.
        let largest = f64::from(histogram.largest());
        let used = numbers.iter().filter(|x| **x != 0.0).count() as f64;
        let of_bins = used * histogram.width() * largest / f64::from(levels);
        for i in 1..100 {
            let other = squared_error(&numbers, f64::from(histogram.largest()) * f64::from(i) / 100.0, levels);
            prop_assert!(found <= other * 1.02 + of_bins, "{chosen}: {found}; {i} %: {other}");
        }
    }

    #[test]
    fn a_percentile_is_that_of_the_sorted_sizes(numbers in numbers()) {
        let histogram = of(&numbers);
        let found = f64::from(Method::Percentile.entry(&histogram, Precision::Int8).threshold);
        let sizes = sorted_sizes(&numbers);
        // Beyond it there is less than one number, since there are fewer than 10,000.
        let (last, before) = (f64::from(sizes[sizes.len() - 1]), f64::from(sizes[sizes.len() - 2]));
        prop_assert!((before - histogram.width()..=last).contains(&found), "{before} {found} {last}");
    }

    #[test]
    fn analytical_thresholds_are_those_of_the_numbers(numbers in numbers()) {
        let (histogram, n) = (of(&numbers), numbers.len() as f64);
        let mean = numbers.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
        let deviation = numbers.iter().map(|x| (f64::from(*x) - mean).abs()).sum::<f64>() / n;
        let largest = f64::from(histogram.largest());
        let is_signed = histogram.min() < 0.0;
        let laplace = (mean.abs() + if is_signed { 9.89675982 } else { 11.16 } * deviation).min(largest);
        let found = f64::from(Method::AciqLaplace.entry(&histogram, Precision::Int8).threshold);
        prop_assert!((found - laplace).abs() <= 1e-3 * largest, "{found} {laplace}");
        let range = f64::from(histogram.max() - histogram.min());
        let factor = if is_signed { 3.92403337 } else { 4.2 };
        let gauss = mean.abs() + factor * range * 0.35 * 0.5 * (1.0 + (std::f64::consts::PI * 4f64.ln()).sqrt()) / (2.0 * n.ln()).sqrt();
        let found = f64::from(Method::AciqGauss.entry(&histogram, Precision::Int8).threshold);
        prop_assert!((found - gauss.min(largest)).abs() <= 1e-3 * largest, "{found} {gauss}");
    }

    #[test]
    fn thresholds_are_in_range(numbers in prop::collection::vec(any::<f32>(), 0..40)) {
        let histogram = of(&numbers);
        let largest = histogram.largest();
        for method in Method::all() {
            for precision in [Precision::Int8, Precision::Int4] {
                let Entry { threshold, min, max } = method.entry(&histogram, precision);
                prop_assert!(threshold >= LEAST_THRESHOLD && threshold <= if largest == 0.0 { 1.0 } else { largest.max(LEAST_THRESHOLD) }, "{method} {threshold}");
                prop_assert!(min <= max && min.is_finite() && max.is_finite(), "{method} {min} {max}");
            }
        }
    }
}

/// Returns the divergence of the definition, from the counts of all bins.
fn divergence(counts: &[f64], n: usize, levels: usize) -> f64 {
    let mut reference = counts[..n].to_vec();
    reference[n - 1] += counts[n..].iter().sum::<f64>();
    let mut quantized = vec![0.0; n];
    for level in 0..levels {
        let part = level * n / levels..(level + 1) * n / levels;
        let used = counts[part.clone()].iter().filter(|c| **c > 0.0).count() as f64;
        let sum: f64 = counts[part.clone()].iter().sum();
        part.filter(|i| counts[*i] > 0.0).for_each(|i| quantized[i] = sum / used);
    }
    let (p, q): (f64, f64) = (reference.iter().sum(), quantized.iter().sum());
    let term = |(a, b): (&f64, &f64)| if *a > 0.0 { a / p * (a / p / (b / q)).ln() } else { 0.0 };
    reference.iter().zip(&quantized).map(term).sum()
}

#[test]
fn the_least_divergence_is_found() {
    // Bins of width 1, two of which are far away.
    let counts: Vec<f64> = (0..600)
        .map(|i| (10_000.0 * (-f64::from(i) / 60.0).exp()).floor())
        .chain([0.0; 200])
        .chain([1.0, 2.0])
        .collect();
    let numbers: Vec<f32> =
        (0..).zip(&counts).flat_map(|(i, n)| std::iter::repeat_n(-(i as f32) - 0.5, *n as usize)).collect();
    let found = Method::Kl.entry(&of(&numbers), Precision::Int8).threshold;
    let all: Vec<f64> = (128..=counts.len()).map(|n| divergence(&counts, n, 128)).collect();
    let best = (128..).zip(&all).min_by(|a, b| a.1.total_cmp(b.1)).map(|(n, _)| n);
    // The histogram has several bins for each of these.
    let of_found = divergence(&counts, found.round() as usize, 128);
    let least = all[best.unwrap() - 128];
    assert!(of_found <= 1.2 * least && found < 700.0, "{found}: {of_found}; {best:?}: {least}");
}

#[test]
fn thresholds_of_unusual_tensors_represent_their_numbers() {
    // A constant is far from 0, and is clipped around its mean.
    for numbers in [vec![5.0; 100], (0..1000).map(|i| 100.0 + (i as f32).sin() * 0.1).collect()] {
        for method in Method::all() {
            let entry = method.entry(&of(&numbers), Precision::Int8);
            assert!(entry.threshold >= 0.99 * numbers[0], "{method}: {entry:?}");
        }
    }
    // Zeros are represented by any threshold.
    assert_eq!(Method::Kl.entry(&of(&[0.0; 9]), Precision::Int8), Entry { threshold: 1.0, min: 0.0, max: 1.0 });
    // Nearly all numbers are 0.
    let sparse: Vec<f32> = [1.0, 0.5].into_iter().chain([0.0; 40_000]).collect();
    let entry = Method::Percentile.entry(&of(&sparse), Precision::Int8);
    assert_eq!(entry, Entry { threshold: 1.0, min: 0.0, max: 1.0 });
}

#[test]
fn few_large_numbers_are_cut_off_by_kl() {
    // Sizes of normally distributed numbers, and three outliers.
    let normal =
        |i: usize| (2.0 * -((i as f64 + 0.5) / 1e5).ln()).sqrt() * (i as f64 * 0.618_034 * std::f64::consts::TAU).cos();
    let sizes: Vec<f32> = (0..100_000).map(|i| normal(i).abs() as f32).chain([45.0, 60.0, 64.0]).collect();
    let signed: Vec<f32> = sizes.iter().copied().chain([-0.01]).collect();
    let [of_sizes, of_signed] = [sizes, signed].map(|x| Method::Kl.entry(&of(&x), Precision::Int8).threshold);
    assert!((3.5..6.0).contains(&of_sizes) && (3.5..6.0).contains(&of_signed), "{of_sizes} {of_signed}");
}

#[test]
fn methods_are_found_by_name() {
    for method in Method::all() {
        assert_eq!(method.name().parse::<Method>().unwrap(), method);
    }
    assert_eq!("percentile".parse::<Method>().unwrap(), Method::Percentile);
    let error = "entropy".parse::<Method>().unwrap_err().to_string();
    assert!(error.contains("max, percentile9999, kl, mse, aciq_gauss, aciq_laplace"), "{error}");
}
