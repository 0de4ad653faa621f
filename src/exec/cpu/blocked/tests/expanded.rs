//! Tests that fused depthwise convolutions are those of the expanded image.
use super::*;
use std::sync::Mutex;

/// The axes of an expansion and of the depthwise convolution after it.
fn two_axes() -> impl Strategy<Value = [Axis; 2]> {
    let pads = prop::array::uniform2(0usize..4);
    let first = (1usize..24, prop_oneof![Just((1, 1)), Just((1, 2)), Just((3, 2)), Just((3, 1))]);
    let second = (prop::sample::select(vec![1usize, 2, 3, 5]), 1usize..4, 1usize..3, pads);
    (first, second).prop_filter_map("fits", |((input, (kernel, by)), (own, stride, dilation, pads))| {
        let first = axis(input, kernel, by, 1, [kernel / 2; 2])?;
        Some([first, axis(first.output, own, stride, dilation, pads)?])
    })
}

/// A function of each element of the expanded image that is not 0 at 0.
fn shifted(values: &mut [f32]) {
    values.iter_mut().for_each(|v| *v = *v * 0.5 + 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn strips_are_those_of_the_whole_image(
        batch in 1usize..3, few: bool, ic in 5usize..40, oc in 2usize..80, [rows, filtered_rows] in two_axes(),
        [cols, filtered_cols] in two_axes(), strip in 0usize..20_000, relus: [bool; 2], threads in 1usize..4,
    ) {
        let is_pointwise = [rows, cols].iter().all(|axis| axis.kernel * axis.stride == 1);
        let (ic, first_pixels) = (if few { ic % 4 + 1 } else { ic }, rows.output * cols.output);
        // Products of one pixel are summed in another order.
        prop_assume!(few || is_pointwise && first_pixels > 1);
        let first = ConvShape { batch, ic, oc, group: 1, slices: Axis::ONE, rows, cols };
        let second = ConvShape { ic: oc, group: oc, rows: filtered_rows, cols: filtered_cols, ..first };
        let relu = |relu: bool| relu.then_some(0.7);
        let (weights, bias) = (numbers(oc * ic * first.taps(), 1), numbers(oc, 2));
        let (filters, shift) = (numbers(oc * second.taps(), 3), numbers(oc, 4));
        let first_end = ConvEpilogue { bias: Some(&bias), relu: relu(relus[0]) };
        let second_end = ConvEpilogue { bias: Some(&shift), relu: relu(relus[1]) };
        let plain_x = numbers(batch * ic * first.area(), 5);
        let x = if few { plain_x } else { blocked(&plain_x, ic, first.area()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for isa in InstructionSet::all() {
            let mut expanded = vec![f32::NAN; blocked_len(batch, oc, first.pixels())];
            let mut want = vec![f32::NAN; blocked_len(batch, oc, second.pixels())];
            let conv = |g, weights: &[f32], end| Conv2d::new(isa, g, weights, end).unwrap().unwrap();
            let ignored: &OnPart = &|_, _| {};
            conv(first, &weights, first_end).run(&x, None, &mut expanded, &mut [], &|_, part| shifted(part)).unwrap();
            clear_padding(oc, first.pixels(), &mut expanded);
            conv(second, &filters, second_end).run(&expanded, None, &mut want, &mut [], ignored).unwrap();

            let both = ExpandedDepthwise::with_strips(
                strip, isa, (first, &weights, first_end), (second, &filters, second_end),
            ).unwrap();
            let mut got = vec![f32::NAN; want.len()];
            let parts = Mutex::new(vec![]);
            let on_expanded = |at: usize, part: &mut [f32]| {
                shifted(part);
                Padding { channels: oc, area: first.pixels() }.clear(at, part);
                // The place of a part is that of the expanded image.
                assert_eq!(part, &expanded[at..at + part.len()]);
            };
            let on_part = |at: usize, part: &mut [f32]| parts.lock().unwrap().push((at, part.to_vec()));
            pool.install(|| both.run(&x, &mut got, &on_expanded, &on_part)).unwrap();
            prop_assert_eq!(&got, &want);
            let mut parts = parts.into_inner().unwrap();
            parts.sort_by_key(|(at, _)| *at);
            let mut end = 0;
            for (at, part) in parts {
                prop_assert_eq!(at, end);
                end += part.len();
                prop_assert_eq!(&part, &got[at..end]);
            }
            prop_assert_eq!(end, got.len());
        }
    }
}

/// Zeroes the lanes after the last channel.
fn clear_padding(channels: usize, area: usize, values: &mut [f32]) {
    Padding { channels, area }.clear(0, values);
}
