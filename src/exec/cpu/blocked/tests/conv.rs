//! Tests that convolutions are their definition.
use super::*;
use proptest::test_runner::TestCaseError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The definition in f64: the sums, and the sums of absolute values, which bound the errors.
pub(super) fn definition(g: &ConvShape, x: &[f32], w: &[f32], bias: &[f32]) -> (Vec<f64>, Vec<f64>) {
    let (ic, oc, pixels) = (g.ic / g.group, g.oc / g.group, g.pixels());
    let (mut sums, mut sizes) = (vec![], vec![]);
    for block in 0..g.batch * g.oc {
        let (image, o) = (block / g.oc, block % g.oc);
        let mut of = vec![f64::from(bias[o]); g.slices.output * pixels];
        let mut size = vec![f64::from(bias[o].abs()); of.len()];
        for (c, slice) in (0..ic).flat_map(|c| (0..g.slices.output).map(move |slice| (c, slice))) {
            for (k, at) in inside(&g.slices, slice) {
                let from = &x[((image * g.ic + o / oc * ic + c) * g.slices.input + at) * g.area()..];
                let w = &w[((o * ic + c) * g.slices.kernel + k) * g.taps()..];
                windows(&g.rows, &g.cols, |pixel, tap, at| {
                    let product = f64::from(from[at]) * f64::from(w[tap]);
                    of[slice * pixels + pixel] += product;
                    size[slice * pixels + pixel] += product.abs();
                });
            }
        }
        sums.extend(of);
        sizes.extend(size);
    }
    (sums, sizes)
}

fn small_axis() -> impl Strategy<Value = Axis> {
    let pads = prop::array::uniform2(0usize..4);
    (1usize..7, 1usize..4, 1usize..3, 1usize..3, pads)
        .prop_filter_map("fits", |(input, kernel, stride, dilation, pads)| axis(input, kernel, stride, dilation, pads))
}

/// An axis of a transposed convolution that has phases.
fn transposed_axis() -> impl Strategy<Value = Axis> {
    let pads = prop::array::uniform2(0i64..4);
    (1usize..8, 1i64..6, 1i64..4, 1i64..4, pads, 0i64..3).prop_filter_map(
        "has phases",
        |(input, kernel, stride, dilation, pads, more)| {
            let window = Window { input, kernel, stride, dilation, pads };
            let output = window.transposed_output(more).ok()?;
            Axis::transposed(&window, output, LONGEST).filter(|axis| axis.phases().is_some())
        },
    )
}

fn axis_of_three() -> impl Strategy<Value = Axis> {
    let pads = prop::array::uniform2(0usize..4);
    (1usize..20, 1usize..5, pads).prop_filter_map("fits", |(input, dilation, pads)| axis(input, 3, 1, dilation, pads))
}

/// An axis of several tiles of neighboring pixels, whose windows share inputs.
fn long_axis() -> impl Strategy<Value = Axis> {
    let pads = prop::array::uniform2(0usize..4);
    (1usize..60, prop::sample::select(vec![3usize, 5, 7]), 1usize..3, pads)
        .prop_filter_map("fits", |(input, kernel, stride, pads)| axis(input, kernel, stride, 1, pads))
}

/// Channels of one group, or of groups of whole blocks.
fn any_channels_by_block() -> impl Strategy<Value = (usize, usize, usize)> {
    prop_oneof![
        (5usize..70, 1usize..70).prop_map(|(ic, oc)| (ic, oc, 1)),
        (1usize..3, 1usize..4, 2usize..4).prop_map(|(ic, oc, group)| (ic * BLOCK * group, oc * BLOCK * group, group)),
    ]
}

/// Channels of groups that are not whole blocks.
fn groups_of_any_channels() -> impl Strategy<Value = (usize, usize, usize)> {
    (FEWEST..40, FEWEST..40, 2usize..4).prop_map(|(ic, oc, group)| (ic * group, oc * group, group))
}

/// Channels of groups that may have few, and an axis of slices that makes the input a volume.
fn groups_of_few_channels() -> impl Strategy<Value = ((usize, usize, usize), Axis)> {
    let channels = (FEWEST_OF_VOLUMES..6, FEWEST_OF_VOLUMES..6, 2usize..12)
        .prop_map(|(ic, oc, group)| (ic * group, oc * group, group));
    (channels, small_axis().prop_filter("is a volume", |slices| !slices.is_one()))
}

/// Channels of groups of half blocks, an odd number for the output.
fn groups_of_halves() -> impl Strategy<Value = (usize, usize, usize)> {
    (1usize..6, 1usize..4, 2usize..6).prop_map(|(ic, oc, group)| {
        let half = BLOCK / 2;
        (ic * half * group, (2 * oc + 1) * half * group, group)
    })
}

/// Input channels, output channels and groups of each form.
fn any_channels() -> impl Strategy<Value = (usize, usize, usize)> {
    prop_oneof![
        (5usize..70, 1usize..70).prop_map(|(ic, oc)| (ic, oc, 1)),
        (1usize..5, 1usize..70).prop_map(|(ic, oc)| (ic, oc, 1)),
        (1usize..3, 1usize..4, 2usize..4).prop_map(|(ic, oc, group)| (ic * BLOCK * group, oc * BLOCK * group, group)),
        (2usize..50).prop_map(|c| (c, c, c)),
        (2usize..30, 2usize..5).prop_map(|(c, multiplier)| (c, multiplier * c, c)),
        groups_of_any_channels(),
        groups_of_halves(),
    ]
}

/// The same, and groups of few channels, as many for input and output.
fn any_channels_and_narrow_groups() -> impl Strategy<Value = (usize, usize, usize)> {
    let narrow = (1usize..4, 2usize..20).prop_map(|(size, group)| (group << size, group << size, group));
    prop_oneof![4 => any_channels(), 1 => narrow]
}

/// The definition of transposed convolutions in f64, like [`definition`].
fn transposed_definition(g: &ConvShape, x: &[f32], w: &[f32], bias: &[f32]) -> (Vec<f64>, Vec<f64>) {
    let (ic, oc, pixels) = (g.ic / g.group, g.oc / g.group, g.slices.output * g.pixels());
    let (area, taps) = (g.slices.input * g.area(), g.slices.kernel * g.taps());
    let mut sums: Vec<f64> = (0..g.batch * g.oc * pixels).map(|i| bias[i / pixels % g.oc].into()).collect();
    let mut sizes: Vec<f64> = sums.iter().map(|v| v.abs()).collect();
    let place = |a: &Axis, i: usize, k: usize| {
        (i * a.stride + k * a.dilation).checked_sub(a.pad).filter(|place| *place < a.output)
    };
    for (block, c) in (0..g.batch * g.oc).flat_map(|block| (0..ic).map(move |c| (block, c))) {
        let (image, o) = (block / g.oc, block % g.oc);
        let from = &x[(image * g.ic + o / oc * ic + c) * area..][..area];
        let w = &w[(o * ic + c) * taps..][..taps];
        for (at, tap) in (0..area).flat_map(|at| (0..taps).map(move |tap| (at, tap))) {
            let slice = place(&g.slices, at / g.area(), tap / g.taps());
            let row = place(&g.rows, at / g.cols.input % g.rows.input, tap / g.cols.kernel % g.rows.kernel);
            let col = place(&g.cols, at % g.cols.input, tap % g.cols.kernel);
            if let Some(((slice, row), col)) = slice.zip(row).zip(col) {
                let to = block * pixels + (slice * g.rows.output + row) * g.cols.output + col;
                let product = f64::from(from[at]) * f64::from(w[tap]);
                sums[to] += product;
                sizes[to] += product.abs();
            }
        }
    }
    (sums, sizes)
}

/// Compares results with sums in f64, to which `added` is added, and their sizes.
pub(super) fn check_sums(
    got: &[f32],
    (sums, sizes): &(Vec<f64>, Vec<f64>),
    added: &[f32],
    relu: Option<f32>,
) -> std::result::Result<(), TestCaseError> {
    for (i, got) in got.iter().enumerate() {
        let sum = sums[i] + f64::from(added[i]);
        let want = relu.map_or(sum, |bound| sum.clamp(0.0, bound.into()));
        let is_close = (f64::from(*got) - want).abs() <= 2e-6 * (sizes[i] + 1.0);
        let is_same = got.is_nan() && want.is_nan() || f64::from(*got) == want;
        prop_assert!(if want.is_finite() { is_close } else { is_same }, "{} is {got}, not {want}", i);
    }
    Ok(())
}

/// Checks a convolution with every instruction set against the definition.
fn check_convolution(
    g: &ConvShape,
    x: &[f32],
    with_residual: bool,
    relu: Option<f32>,
) -> std::result::Result<(), TestCaseError> {
    check_convolution_by(g, x, with_residual, relu, |isa, w, end| Ok(Conv2d::new(isa, *g, w, end).unwrap().unwrap()))
}

/// Like [`check_convolution`], for the form that `new` returns.
fn check_convolution_by(
    g: &ConvShape,
    x: &[f32],
    with_residual: bool,
    relu: Option<f32>,
    new: impl Fn(InstructionSet, &[f32], ConvEpilogue) -> std::result::Result<Conv2d, TestCaseError>,
) -> std::result::Result<(), TestCaseError> {
    let (area, pixels) = (g.slices.input * g.area(), g.slices.output * g.pixels());
    let w = numbers(g.oc * g.ic / g.group * g.slices.kernel * g.taps(), 2);
    let bias = numbers(g.oc, 3);
    let added = if with_residual { numbers(g.batch * g.oc * pixels, 4) } else { vec![0.0; g.batch * g.oc * pixels] };
    let want = definition(g, x, &w, &bias);
    let residual = blocked(&added, g.oc, pixels);
    let residual = with_residual.then_some(&residual[..]);
    let x = if g.method() == Some(Method::First) { x.to_vec() } else { blocked(x, g.ic, area) };
    for isa in InstructionSet::all() {
        let conv = new(isa, &w, ConvEpilogue { bias: Some(&bias), relu })?;
        let out = run(&conv, &x, residual, blocked_len(g.batch, g.oc, pixels));
        prop_assert_eq!(beyond(&out, g.oc, pixels), Vec::<f32>::new());
        check_sums(&plain(&out, g.batch, g.oc, pixels), &want, &added, relu)?;
    }
    Ok(())
}

/// Runs a convolution, and checks that each element is handed over once.
pub(super) fn run(conv: &Conv2d, x: &[f32], residual: Option<&[f32]>, n: usize) -> Vec<f32> {
    let (mut out, all) = (vec![f32::NAN; n], AtomicUsize::new(0));
    let first = out.as_ptr() as usize;
    conv.run(x, residual, &mut out, &mut vec![f32::NAN; conv.scratch()], &|at, part| {
        assert_eq!(part.as_ptr() as usize, first + at * size_of::<f32>());
        all.fetch_add(part.len(), Ordering::Relaxed);
    })
    .unwrap();
    // A convolution that is computed again hands over everything again.
    assert!([n, 2 * n].contains(&all.into_inner()));
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn convolutions_are_the_definition(
        batch in 1usize..3, (ic, oc, group) in any_channels_and_narrow_groups(), rows in any_axis(), cols in any_axis(),
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]),
    ) {
        let g = ConvShape { batch, ic, oc, group, slices: Axis::ONE, rows, cols };
        check_convolution(&g, &numbers(batch * ic * g.area(), 1), with_residual, relu)?;
    }

    /// One value is infinite, and must reach the windows that see it and no others.
    #[test]
    fn convolutions_of_columns_are_the_definition(
        batch in 1usize..3, (ic, oc, group) in any_channels_and_narrow_groups(), rows in any_axis(), with_residual: bool,
        relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let g = ConvShape { batch, ic, oc, group, slices: Axis::ONE, rows, cols: Axis::ONE };
        let mut x = numbers(batch * ic * g.area(), 1);
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        check_convolution(&g, &x, with_residual, relu)?;
    }

    /// The window is the whole image, or has gaps and ends in the padding. One value may be infinite, and must reach all channels.
    #[test]
    fn convolutions_of_one_pixel_are_the_definition(
        (ic, oc, rows, cols) in prop_oneof![(5usize..70, 1usize..70, 1usize..4, 1usize..4), (200usize..300, 400usize..500, 1usize..2, 1usize..2)],
        [of_rows, of_cols] in prop::array::uniform2(prop_oneof![4 => Just(1usize), 1 => Just(2)]),
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]),
        infinite in prop::option::of(any::<usize>()), batch in prop_oneof![Just(1usize), 2usize..20],
    ) {
        let whole = |n: usize, dilation: usize| axis(n, n, 1, dilation, [0, (n - 1) * (dilation - 1)]).unwrap();
        let (rows, cols) = (whole(rows, of_rows), whole(cols, of_cols));
        let g = ConvShape { batch, ic, oc, group: 1, slices: Axis::ONE, rows, cols };
        let mut x = numbers(batch * ic * g.area(), 1);
        if let Some(at) = infinite {
            let at = at % x.len();
            x[at] = f32::INFINITY;
        }
        check_convolution(&g, &x, with_residual, relu)?;
        let form = Conv2d::new(InstructionSet::best(), g, &vec![1.0; oc * ic * g.taps()], ConvEpilogue::default());
        let has_gaps = rows.len() * cols.len() > g.area();
        let form = form.unwrap().unwrap().form;
        let is_product = matches!((batch, form), (1, Form::OnePixel(_)) | (2.., Form::PixelRows(_)));
        prop_assert_eq!(is_product, !has_gaps);
    }

    /// Kernels and strides of 4, 8, 16 columns and so on. One value is infinite, and must reach the windows that see it and no others.
    #[test]
    fn patches_are_the_definition(
        batch in 1usize..3, ic in 1usize..5, oc in 1usize..40, rows in any_axis(),
        size in prop::sample::select(vec![4usize, 16]), [kernel, stride, more] in [1usize..3, 1..3, 0..3],
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let cols = axis(size * (kernel + more), size * kernel, size * stride, 1, [0; 2]).unwrap();
        let g = ConvShape { batch, ic, oc, group: 1, slices: Axis::ONE, rows, cols };
        let mut x = numbers(batch * ic * g.area(), 1);
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        check_convolution(&g, &x, with_residual, relu)?;
        let form = Conv2d::new(InstructionSet::best(), g, &vec![1.0; oc * ic * g.taps()], ConvEpilogue::default());
        let form = form.unwrap().unwrap().form;
        let is_by_columns = matches!((size, form), (_, Form::FirstBy16(_)) | (4, Form::FirstBy4(_)));
        prop_assert!(is_by_columns);
    }

    /// One value is infinite, and must reach the windows that see it and no others.
    #[test]
    fn depthwise_convolutions_are_the_definition(
        batch in 1usize..3, ic in 2usize..40, multiplier in 1usize..3, rows in any_axis(),
        cols in prop_oneof![any_axis(), long_axis()],
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let g = ConvShape { batch, ic, oc: ic * multiplier, group: ic, slices: Axis::ONE, rows, cols };
        let mut x = numbers(batch * ic * g.area(), 1);
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        check_convolution(&g, &x, with_residual, relu)?;
    }

    /// One value is infinite, and must reach the groups and windows that see it and no others.
    #[test]
    fn convolutions_in_narrow_groups_are_the_definition(
        batch in 1usize..3, size in 1u32..4, group in 2usize..7, rows in small_axis(), cols in prop_oneof![small_axis(), long_axis()],
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let channels = group << size;
        let g = ConvShape { batch, ic: channels, oc: channels, group, slices: Axis::ONE, rows, cols };
        let mut x = numbers(batch * channels * g.area(), 1);
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        check_convolution(&g, &x, with_residual, relu)?;
    }

    /// One value is infinite, and must reach the groups and windows that see it and no others.
    #[test]
    fn convolutions_of_half_blocks_are_the_definition(
        batch in 1usize..3, (ic, oc, group) in groups_of_halves(), rows in small_axis(), cols in prop_oneof![small_axis(), long_axis()],
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let g = ConvShape { batch, ic, oc, group, slices: Axis::ONE, rows, cols };
        let mut x = numbers(batch * ic * g.area(), 1);
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        check_convolution(&g, &x, with_residual, relu)?;
    }

    /// One value may be infinite, and must reach the windows that see it and no others.
    #[test]
    fn minimal_filtering_is_the_definition(
        batch in 1usize..3, (ic, oc, group) in any_channels_by_block(), rows in axis_of_three(), cols in axis_of_three(),
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]),
        infinite in prop::option::of(any::<usize>()),
    ) {
        let g = ConvShape { batch, ic, oc, group, slices: Axis::ONE, rows, cols };
        let mut x = numbers(batch * ic * g.area(), 1);
        if let Some(at) = infinite {
            let n = x.len();
            x[at % n] = f32::INFINITY;
        }
        check_convolution_by(&g, &x, with_residual, relu, |isa, w, end| {
            prop_assert!(Winograd::supports(&g, w));
            Ok(Conv2d { form: Form::Winograd(Winograd::new(isa, g, w, end).unwrap()) })
        })?;
    }

    /// One value is infinite, and must reach the windows that see it and no others.
    #[test]
    fn convolutions_of_volumes_are_the_definition(
        batch in 1usize..3, ((ic, oc, group), slices) in prop_oneof![3 => (any_channels(), small_axis()), 1 => groups_of_few_channels()],
        rows in small_axis(), cols in small_axis(),
        with_residual: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let g = ConvShape { batch, ic, oc, group, slices, rows, cols };
        let mut x = numbers(batch * ic * slices.input * g.area(), 1);
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        check_convolution(&g, &x, with_residual, relu)?;
    }

    #[test]
    fn transposed_convolutions_are_the_definition(
        batch in 1usize..3, (ic, oc, group) in any_channels(), slices in prop_oneof![Just(Axis::ONE), transposed_axis()],
        rows in transposed_axis(), cols in transposed_axis(), is_column: bool, relu in prop::option::of(prop_oneof![Just(f32::INFINITY), Just(1.5f32)]), infinite: usize,
    ) {
        let cols = if is_column { Axis::ONE } else { cols };
        let g = ConvShape { batch, ic, oc, group, slices, rows, cols };
        let (area, pixels) = (slices.input * g.area(), slices.output * g.pixels());
        let mut x = numbers(batch * ic * area, 1);
        let (w, bias) = (numbers(oc * ic / group * slices.kernel * g.taps(), 2), numbers(oc, 3));
        let at = infinite % x.len();
        x[at] = f32::INFINITY;
        let want = transposed_definition(&g, &x, &w, &bias);
        for isa in InstructionSet::all() {
            let deconv = Deconv2d::new(isa, g, &w, ConvEpilogue { bias: Some(&bias), relu }).unwrap();
            prop_assert!(deconv.is_some() || !Deconv2d::supports(&g));
            let Some(deconv) = deconv else { continue };
            let mut out = vec![f32::NAN; blocked_len(batch, oc, pixels)];
            let x = if g.method() == Some(Method::First) { x.clone() } else { blocked(&x, ic, area) };
            deconv.run(&x, &mut out, &mut vec![f32::NAN; deconv.scratch()]).unwrap();
            prop_assert_eq!(beyond(&out, oc, pixels), Vec::<f32>::new());
            check_sums(&plain(&out, batch, oc, pixels), &want, &vec![0.0; want.0.len()], relu)?;
        }
    }

    #[test]
    fn threads_change_no_byte(
        batch in 1usize..4, (ic, oc, group) in any_channels(), volume in small_axis(), rows in any_axis(), cols in any_axis(),
    ) {
        let g = ConvShape { batch, ic, oc, group, slices: volume, rows, cols };
        let (area, pixels) = (g.slices.input * g.area(), g.slices.output * g.pixels());
        let (x, w) = (numbers(blocked_len(batch, ic, area), 1), numbers(oc * ic / group * g.slices.kernel * g.taps(), 2));
        let conv = Conv2d::new(InstructionSet::best(), g, &w, ConvEpilogue::default()).unwrap().unwrap();
        let outs = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&conv, &x, None, blocked_len(batch, oc, pixels)))
        });
        let bits = outs.map(|out| out.into_iter().map(f32::to_bits).collect::<Vec<_>>());
        prop_assert_eq!(&bits[0], &bits[1]);
        prop_assert_eq!(&bits[0], &bits[2]);
    }
}

#[test]
fn groups_of_half_blocks_have_a_form_of_their_own() {
    let rows = axis(14, 3, 1, 1, [1, 1]).unwrap();
    let forms = InstructionSet::all().into_iter().map(|isa| {
        let g = ConvShape { batch: 1, ic: 72, oc: 72, group: 3, slices: Axis::ONE, rows, cols: rows };
        let w = numbers(g.oc * g.ic / g.group * g.taps(), 2);
        let form = Conv2d::new(isa, g, &w, ConvEpilogue::default()).unwrap().unwrap().form;
        assert_eq!(matches!(form, Form::Halves(_)), isa.lanes() == BLOCK / 2);
        form
    });
    assert!(forms.count() > 0);
}

#[test]
fn large_transposed_ones_are_cut_and_still_the_definition() {
    let axis = |input: usize, kernel: i64, stride: i64| {
        let window = Window { input, kernel, stride, dilation: 1, pads: [1, 1] };
        Axis::transposed(&window, window.transposed_output(0).unwrap(), LONGEST).unwrap()
    };
    let column = [Axis::ONE, axis(5000, 4, 2), Axis::ONE];
    let volume = [axis(4, 3, 2), axis(60, 3, 2), axis(20, 4, 3)];
    for [slices, rows, cols] in [column, volume] {
        let g = ConvShape { batch: 1, ic: 40, oc: 24, group: 1, slices, rows, cols };
        let (area, pixels) = (slices.input * g.area(), slices.output * g.pixels());
        let (x, w, bias) = (numbers(40 * area, 1), numbers(24 * 40 * slices.kernel * g.taps(), 2), numbers(24, 3));
        let want = transposed_definition(&g, &x, &w, &bias);
        let end = ConvEpilogue { bias: Some(&bias), relu: None };
        let deconv = Deconv2d::new(InstructionSet::best(), g, &w, end).unwrap().unwrap();
        let outs = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = vec![f32::NAN; blocked_len(1, 24, pixels)];
            pool.install(|| deconv.run(&blocked(&x, 40, area), &mut out, &mut [])).unwrap();
            out
        });
        assert!(outs[0] == outs[1]);
        check_sums(&plain(&outs[0], 1, 24, pixels), &want, &vec![0.0; want.0.len()], None).unwrap();
    }
}

#[test]
fn nothing_of_infinity_reaches_channels_beyond() {
    let side = axis(5, 3, 1, 1, [1, 1]).unwrap();
    for (ic, oc, group) in [(3, 17, 1), (20, 17, 1), (17, 17, 17), (17, 51, 17), (40, 18, 2)] {
        let g = ConvShape { batch: 2, ic, oc, group, slices: Axis::ONE, rows: side, cols: side };
        let w = numbers(oc * ic / group * 9, 1);
        for isa in InstructionSet::all() {
            let conv = Conv2d::new(isa, g, &w, ConvEpilogue::default()).unwrap().unwrap();
            let x = vec![f32::INFINITY; 2 * ic * 25];
            let x = if g.method() == Some(Method::First) { x } else { blocked(&x, ic, 25) };
            let out = run(&conv, &x, None, blocked_len(2, oc, 25));
            assert!(beyond(&out, oc, 25).is_empty());
        }
    }
}

#[test]
fn other_forms_are_left_to_others() {
    let side = axis(5, 3, 1, 1, [1, 1]).unwrap();
    let of = |batch, ic, oc, group| {
        let g = ConvShape { batch, ic, oc, group, slices: Axis::ONE, rows: side, cols: side };
        let weights = numbers(oc * ic / group * 9, 1);
        Conv2d::new(InstructionSet::best(), g, &weights, ConvEpilogue::default()).unwrap()
    };
    assert!(of(1, 6, 6, 2).is_none());
    assert!(of(1, 10, 12, 2).is_some());
    assert!(of(1, 10, 8, 2).is_none());
    assert!(of(1, 8, 8, 2).is_some());
    assert!(of(1, 16, 32, 8).is_none());
    assert!(of(0, 8, 8, 1).is_none());
    assert!(of(1, 32, 64, 2).is_some());
    assert!(axis(0, 1, 1, 1, [0, 1]).is_none());
    assert!(axis(1 << 20, 1, 1, 1, [0, 1]).is_none());
    assert!(axis(1, 9, 1, 1, [1, 1]).is_none());
}
