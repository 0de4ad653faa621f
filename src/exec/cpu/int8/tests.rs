//! Compares products and convolutions of bytes, and their rounding, with the definitions.
use super::{
    Completion, DepthwiseBytes, PackedBytes, ResultMemory, Rounding, SumsEpilogue,
    dot::DotProduct,
    lines::{LineSource, Strip, WindowLines},
    product::{Contiguous, ElementFormat, RowWriters, Rows},
    taps::GroupProducts,
};
use crate::{
    Array, CpuBackend, Dtype, Graph, Layout, Operand, Precision, Quantization, RunOptions, ValueType,
    array::ArrayMut,
    cpu::blocked::{Axis, InstructionSet},
    ops::{Attribute, Conv},
    quant::RoundMode,
    run,
};
use ndarray::ArrayD;
use proptest::prelude::*;

fn all_dot_products() -> Vec<DotProduct> {
    InstructionSet::all().into_iter().flat_map(DotProduct::all).collect()
}

/// A dtype of bytes, and a zero point in it.
fn signed_type(signed: bool, zero: u8) -> (Dtype, i64) {
    if signed { (Dtype::Int8, i64::from(zero) - 128) } else { (Dtype::Uint8, i64::from(zero)) }
}

/// Windows of lines, and copies for processors that need them.
struct Windows<'a> {
    lines: LineSource<'a>,
    copies: Contiguous<'a>,
}

impl Rows for Windows<'_> {
    fn copy(&self, first: usize, to: &mut RowWriters) {
        self.copies.copy(first, to);
    }
    fn lines(&self) -> Option<LineSource<'_>> {
        Some(self.lines)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// With the instructions of every processor, on rows and columns that fill no tile.
    #[test]
    fn packed_products_are_exact(
        rows in prop_oneof![4 => 1usize..40, 1 => 40usize..300], k in prop_oneof![4 => 1usize..70, 1 => 70usize..400], n in 1usize..150,
        flips: bool, low in -255i16..1, zero: u8, extreme: bool,
        narrow in prop::option::of(prop_oneof![Just(64i16), 1i16..33, 33i16..64]),
    ) {
        let byte = |i: usize| if extreme { (i % 2 * 255) as u8 } else { (i * 7919 % 256) as u8 };
        let left: Vec<u8> = (0..rows * k).map(byte).collect();
        let (low, high) = narrow.map_or((low, low + 255), |most| (-most, most));
        let range = (high - low) as usize;
        let right = |i: usize, j: usize| match extreme {
            true => low + ((i / 2 + j) % 2 * range) as i16,
            false => low + ((i * 31 + j * 17) % (range + 1)) as i16,
        };
        let column = |j: usize, to: &mut [i16]| to.iter_mut().enumerate().for_each(|(i, to)| *to = right(i, j));
        for dot in all_dot_products().into_iter().filter(|dot| narrow.is_some() || !dot.needs_pairs()) {
            let packed = PackedBytes::new(dot, [k, n], None, (low, high), column).unwrap();
            let flip = if flips { 0x80 } else { 0 };
            let (begin, mut out) = (packed.begin(zero).collect::<Vec<_>>(), vec![0; rows * (n + 3)]);
            let sums = Completion::sums(begin.into_iter());
            let rows = (&Contiguous { data: &left, k } as &dyn Rows, flip);
            packed.product(rows, sums.begin(), (&mut out, 2, n + 3), &sums.ints().unwrap()).unwrap();
            for (i, row) in out.chunks_exact(n + 3).enumerate() {
                let element = |e: usize| i32::from(left[i * k + e] ^ flip) - i32::from(zero);
                for j in 0..n {
                    let want: i32 = (0..k).map(|e| element(e) * i32::from(right(e, j))).sum();
                    prop_assert_eq!(row[2 + j], want);
                }
                prop_assert_eq!([row[0], row[1], row[n + 2]], [0; 3], "columns of others");
            }
        }
    }

    /// With the instructions of every processor. Many sums are ties.
    #[test]
    fn products_become_bytes_by_the_definition(
        rows in 1usize..120, k in 1usize..80, n in 1usize..150, zero: u8, result_zero: u8, shift in -3i32..16, scales: bool, signed: bool,
        relu in prop::option::of(prop_oneof![Just(f64::INFINITY), 1.0f64..100.0]),
    ) {
        const FIRST: usize = 3;
        let columns = n + FIRST + 2;
        let left: Vec<u8> = (0..rows * k).map(|i| (i * 7919 % 256) as u8).collect();
        let right = |i: usize, j: usize| ((i * 31 + j * 17) % 65) as i16 - 32;
        let column = |j: usize, to: &mut [i16]| to.iter_mut().enumerate().for_each(|(i, to)| *to = right(i, j));
        let (dtype, result_zero) = signed_type(signed, result_zero);
        let (low, high) = dtype.int_range().unwrap();
        let ty = ValueType {
            name: "y".into(), shape: vec![rows, columns], layout: Layout::Plain, dtype, precision: Precision::F32,
            quantization: Some(Quantization::per_tensor(2f64.powi(shift), result_zero)),
        };
        let scale = |column: usize| if scales { 1.0 + column as f64 * 0.01 } else { 2f64.powi(column as i32 % 2) };
        for dot in all_dot_products() {
            let packed = PackedBytes::new(dot, [k, n], None, (-32, 32), column).unwrap();
            let begin = [0; FIRST].into_iter().chain(packed.begin(zero)).chain([0; 2]);
            let end = SumsEpilogue { relu, ..SumsEpilogue::default() };
            let completion = Completion::new(begin, (0..columns).map(scale), &ty, end).unwrap();
            let mut out = vec![7; rows * columns];
            let left_rows = (&Contiguous { data: &left, k } as &dyn Rows, 0);
            completion.product(&packed, left_rows, ResultMemory::Bytes(&mut out), (FIRST, columns)).unwrap();
            for (i, row) in out.chunks_exact(columns).enumerate() {
                for j in 0..n {
                    let sum: i32 = (0..k).map(|e| (i32::from(left[i * k + e]) - i32::from(zero)) * i32::from(right(e, j))).sum();
                    let real = (f64::from(sum) * scale(FIRST + j)) as f32;
                    let real = relu.map_or(real, |bound| real.max(0.0).min(bound as f32));
                    let want = RoundMode::default().round(f64::from(real) / 2f64.powi(shift)) + result_zero as f64;
                    prop_assert_eq!(row[FIRST + j], want.clamp(low as f64, high as f64) as i64 as u8, "row {}, column {}", i, j);
                }
                prop_assert_eq!([row[0], row[FIRST - 1], row[n + FIRST], row[columns - 1]], [7; 4], "columns of others");
            }
        }
    }

    /// With the instructions of every processor, on lines that fill no group, and on images of several strips.
    #[test]
    fn windows_of_lines_are_those_of_the_definition(
        images in prop_oneof![3 => 1usize..3, 1 => 20usize..60], size in prop_oneof![6 => [1usize..12, 1usize..12], 1 => [30usize..50, 200usize..300]], channels in 1usize..20,
        n in prop_oneof![4 => 1usize..4, 1 => 60usize..70], kernel in [1usize..6, 1usize..6], stride in [1usize..3, 1usize..3],
        dilation in 1usize..4, pads in [0usize..4, 0usize..4], after in [0usize..4, 0usize..4], flips: bool, zero: u8, small: bool,
    ) {
        let (images, n) = if size[1] < 200 { (images, n) } else { (images.min(2), 2) };
        let axis = |i: usize, dilation: usize| {
            let room = (size[i] + pads[i] + after[i]).checked_sub((kernel[i] - 1) * dilation + 1)?;
            let (input, output) = (size[i], room / stride[i] + 1);
            Some(Axis { input, kernel: kernel[i], stride: stride[i], dilation, pad: pads[i], output })
        };
        let (Some(rows), Some(cols)) = (axis(0, dilation), axis(1, 1)) else { return Ok(()) };
        let Some(lines) = WindowLines::new([Axis::ONE, rows, cols], channels) else { return Ok(()) };
        let x: Vec<u8> = (0..images * size[0] * size[1] * channels).map(|i| (i * 7919 % 251) as u8).collect();
        let flip = if flips { 0x80 } else { 0 };
        let (k, positions) = (kernel[0] * kernel[1] * channels, rows.output * cols.output);
        let element = |row: usize, e: usize| {
            let (at, tap) = (row % positions, e / channels);
            let y = (at / cols.output * stride[0] + tap / kernel[1] * dilation).checked_sub(pads[0])?;
            let z = (at % cols.output * stride[1] + tap % kernel[1]).checked_sub(pads[1])?;
            let pixel = (row / positions * size[0] + y) * size[1] + z;
            (y < size[0] && z < size[1]).then(|| x[pixel * channels + e % channels])
        };
        let windows: Vec<u8> = (0..images * positions * k).map(|i| element(i / k, i % k).unwrap_or(zero ^ flip)).collect();
        let source = LineSource { windows: &lines, images: &x, zero };
        let at_a_time = lines.windows_at_a_time(1);
        for first in (0..images * positions).step_by(7) {
            let mut strip = Strip::default();
            source.copy(first..(images * positions).min(first + at_a_time), ElementFormat { wide: false, flip }, &mut strip).unwrap();
            let used = strip.bytes.len() + size_of_val(&strip.starts[..]);
            prop_assert!(used <= lines.bytes(1), "{} bytes, more than {}", used, lines.bytes(1));
        }
        let rows = Windows { lines: source, copies: Contiguous { data: &windows, k } };
        let most = if small { 8 } else { 63 };
        let right = |i: usize, j: usize| ((i * 31 + j * 17) % (2 * most as usize + 1)) as i16 - most;
        let column = |j: usize, to: &mut [i16]| to.iter_mut().enumerate().for_each(|(i, to)| *to = right(i, j));
        for dot in all_dot_products() {
            let packed = PackedBytes::new(dot, [k, n], Some(lines.runs()), (-most, most), column).unwrap();
            prop_assert_eq!(packed.reads_runs(), dot.reads_runs());
            let sums = Completion::sums(packed.begin(zero).collect::<Vec<_>>().into_iter());
            let mut out = vec![0; images * positions * n];
            packed.product((&rows, flip), sums.begin(), (&mut out, 0, n), &sums.ints().unwrap()).unwrap();
            for (got, window) in out.chunks_exact(n).zip(windows.chunks_exact(k)) {
                for (j, got) in got.iter().enumerate() {
                    let elements = window.iter().enumerate();
                    let want: i32 = elements.map(|(i, x)| (i32::from(x ^ flip) - i32::from(zero)) * i32::from(right(i, j))).sum();
                    prop_assert_eq!(*got, want);
                }
            }
        }
    }

    /// With the instructions of every processor, on kernels that fill no group of rows, and channels that fill no block.
    #[test]
    fn depthwise_convolutions_are_exact(
        size in [(1usize..12).boxed(), prop_oneof![4 => 1usize..12, 1 => 90usize..130].boxed()], channels in 2usize..40, kernel in [1usize..10, 1usize..6], stride in [1i64..4, 1i64..4],
        dilation in [1i64..3, 1i64..3], pads in [0i64..3, 0i64..3, 0i64..3, 0i64..3], signed: [bool; 2], zeros: [u8; 2],
        range in prop_oneof![Just(256usize), 1usize..256], signed_result: bool, relu in prop::option::of(10f64..1e4),
    ) {
        const IMAGES: usize = 2;
        let dtypes = signed.map(|s| if s { Dtype::Int8 } else { Dtype::Uint8 });
        // The bytes of a dtype's numbers.
        let flips = signed.map(|s| if s { 0x80u8 } else { 0 });
        let ty = |dtype, shape: &[usize], layout, scale, zero| {
            let quantization = Some(Quantization::per_tensor(scale, zero));
            ValueType { name: "t".into(), shape: shape.to_vec(), layout, dtype, quantization, precision: Precision::F32 }
        };
        let zero = |i: usize| i64::from(zeros[i]) - if signed[i] { 128 } else { 0 };
        let [height, width] = size;
        let positions = |axis: usize| {
            let all = size[axis] as i64 + pads[axis] + pads[axis + 2];
            all.checked_sub(dilation[axis] * (kernel[axis] as i64 - 1) + 1).filter(|rest| *rest >= 0).map(|rest| (rest / stride[axis] + 1) as usize)
        };
        let (Some(rows), Some(cols)) = (positions(0), positions(1)) else { return Ok(()) };
        let x: Vec<u8> = (0..IMAGES * height * width * channels).map(|i| (i * 7919 % 256) as u8).collect();
        let w: Vec<u8> = (0..channels * kernel[0] * kernel[1]).map(|i| zeros[1].wrapping_add((i * 31 % range) as u8)).collect();
        let stored = |bytes: &[u8], i: usize| bytes.iter().map(|byte| byte ^ flips[i]).collect::<Vec<_>>();
        let weights = Array::from_le_bytes(dtypes[1], [channels, 1, kernel[0], kernel[1]], &stored(&w, 1)).unwrap();
        let input = ty(dtypes[0], &[IMAGES, height, width, channels], Layout::ChannelsLast, 1.0, zero(0));
        let filter = ty(dtypes[1], &[channels, 1, kernel[0], kernel[1]], Layout::Plain, 1.0, zero(1));
        let (input, filter) = (Operand::new(input, None, 0), Operand::new(filter, Some(weights), 1));
        let mut op = Conv::new(input, filter, kernel.map(|k| k as i64).to_vec(), stride.to_vec(), pads.to_vec());
        (op.group, op.dilations) = (channels as i64, Some(dilation.to_vec()));
        let scale = 64.0;
        let (result_dtype, result_zero) = signed_type(signed_result, 100);
        let (low, high) = result_dtype.int_range().unwrap();
        let result = ty(result_dtype, &[IMAGES, rows, cols, channels], Layout::ChannelsLast, scale, result_zero);
        for by in GroupProducts::of(all_dot_products()) {
            let convolution = DepthwiseBytes::computed_by(by, &op).unwrap().unwrap();
            let completion = convolution.completion(&op, &result, SumsEpilogue { relu, ..SumsEpilogue::default() }).unwrap();
            let mut out = ArrayMut::zeros(result_dtype, &result.shape).unwrap();
            convolution.run(&stored(&x, 0), &completion, &mut out).unwrap();
            let sums = ValueType { dtype: Dtype::Int32, quantization: None, ..result.clone() };
            let completion = convolution.completion(&op, &sums, SumsEpilogue::default()).unwrap();
            let mut ints = ArrayMut::zeros(Dtype::Int32, &result.shape).unwrap();
            convolution.run(&stored(&x, 0), &completion, &mut ints).unwrap();
            let ints = ints.elements::<i32>().unwrap();
            for (i, got) in out.bytes().iter().enumerate() {
                let (image, row) = (i / channels / cols / rows, i / channels / cols % rows);
                let (col, channel) = (i / channels % cols, i % channels);
                let mut sum = 0;
                for a in 0..kernel[0] {
                    for b in 0..kernel[1] {
                        let y = row as i64 * stride[0] + a as i64 * dilation[0] - pads[0];
                        let z = col as i64 * stride[1] + b as i64 * dilation[1] - pads[1];
                        if (0..height as i64).contains(&y) && (0..width as i64).contains(&z) {
                            let pixel = x[((image * height + y as usize) * width + z as usize) * channels + channel];
                            let weight = w[(channel * kernel[0] + a) * kernel[1] + b];
                            sum += (i64::from(pixel) - i64::from(zeros[0])) * (i64::from(weight) - i64::from(zeros[1]));
                        }
                    }
                }
                let real = relu.map_or(sum as f64, |bound| (sum as f64).max(0.0).min(f64::from(bound as f32)));
                let want = RoundMode::default().round(real / scale) + result_zero as f64;
                prop_assert_eq!(*got, want.clamp(low as f64, high as f64) as i64 as u8, "row {}, column {}, channel {}", row, col, channel);
                prop_assert_eq!(i64::from(ints[i]), sum);
            }
        }
    }

    /// Real numbers near ties, at ties, beyond the range, and none at all.
    #[test]
    fn bytes_are_rounded_by_the_definition(
        scale in prop_oneof![Just(0.5), Just(0.1), 1e-3f64..10.0, Just(1e-30), Just(1e30), Just(1e-40)], zero in 0i64..256, signed: bool,
        mode in prop::sample::select(RoundMode::arguments().map(|(mode, _)| mode).collect::<Vec<_>>()),
        numbers in prop::collection::vec((-300i32..300, prop_oneof![Just(0.5f64), Just(0.0), -1.0f64..1.0, Just(0.5 - 1e-6)]), 1..100),
    ) {
        let (dtype, zero) = if signed { (Dtype::Int8, zero - 128) } else { (Dtype::Uint8, zero) };
        let quantization = Some(Quantization::per_tensor(scale, zero));
        let ty = ValueType { name: "y".into(), shape: vec![1], layout: Layout::Plain, dtype, quantization, precision: Precision::F32 };
        let Some(rounding) = Rounding::new(&ty, mode) else { return Ok(()) };
        let mut reals: Vec<f32> = numbers.iter().map(|(i, f)| ((f64::from(*i) + f) * scale) as f32).collect();
        reals.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0]);
        let mut stored = vec![0; reals.len()];
        rounding.write_reals(&reals, &mut stored);
        let (low, high) = dtype.int_range().unwrap();
        for (real, stored) in reals.iter().zip(stored) {
            let exact = mode.round(f64::from(*real) / scale) + zero as f64;
            let want = if exact.is_nan() { 0.0 } else { exact.clamp(low as f64, high as f64) };
            prop_assert_eq!(stored, want as i64 as u8, "{} of scale {}", real, scale);
        }
    }

    /// With scales that are powers of two, and with others of the same ratios, whose results may be near ties.
    #[test]
    fn sums_of_bytes_are_rounded_by_the_definition(
        shifts in [-20i32..5, -6i32..5, -6i32..5], base in prop_oneof![3 => Just(1.0), 1 => 0.5f64..1.0], zeros: [u8; 3], subtracts: bool,
        relu in prop::option::of(prop_oneof![Just(-1.0), Just(f64::from(5.5f32.next_down())), 0.1f64..20.0]),
    ) {
        const N: usize = 256 * 9;
        let scales = shifts.map(|shift| base * 2f64.powi(shift));
        let inputs = [1, 5].map(|step| (0..N).map(|i| (i * step / 3) as u8).collect::<Vec<_>>());
        let mut g = Graph::new("g").unwrap();
        let [x, y] = [("x", 0), ("y", 1)].map(|(name, i)| {
            let t = g.input(name, Dtype::Uint8, [N]).unwrap();
            g.quantize(t, &Quantization::per_tensor(scales[i], zeros[i].into())).unwrap();
            t
        });
        let (dtype, zero) = signed_type(subtracts, zeros[2]);
        let zero_points = [zeros[0].into(), zeros[1].into(), zero];
        let sum = match subtracts {
            false => g.add(x, y).scale(scales).zero_point(zero_points).out_dtype(dtype).out_name("sum").call().unwrap(),
            true => g.sub(x, y).scale(scales).zero_point(zero_points).out_dtype(dtype).out_name("sum").call().unwrap(),
        };
        if let Some(limit) = relu {
            g.set_attribute(sum, "do_relu", Some(Attribute::Bool(true))).unwrap();
            g.set_attribute(sum, "relu_limit", Some(Attribute::Float(limit))).unwrap();
        }
        g.set_outputs(&[sum]).unwrap();
        let feeds = [("x", 0), ("y", 1)].map(|(name, i)| (name, Array::from_vec([N], inputs[i].clone()).unwrap()));
        let got = run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors["sum"].clone();
        let got = got.bytes().unwrap();
        let (low, high) = if subtracts { (-128.0, 127.0) } else { (0.0, 255.0) };
        for e in 0..N {
            let [a, b] = [0, 1].map(|i| (f32::from(inputs[i][e]) - f32::from(zeros[i])) * scales[i] as f32);
            let real = if subtracts { a - b } else { a + b };
            let most = relu.filter(|limit| *limit > 0.0).map_or(f32::INFINITY, |limit| limit as f32);
            let real = if relu.is_some() { real.max(0.0).min(most) } else { real };
            let want = RoundMode::default().round(f64::from(real) / scales[2]) + zero as f64;
            prop_assert_eq!(got[e], want.clamp(low, high) as i64 as u8, "{} and {}", inputs[0][e], inputs[1][e]);
        }
    }

    #[test]
    fn broadcast_bytes_are_combined_by_the_definition(
        axes in prop::collection::vec((1usize..9, any::<bool>(), any::<bool>()), 1..5), rows in prop_oneof![4 => 1usize..4, 1 => 300usize..400],
        absent in 0usize..3, scales in prop::array::uniform3(1e-2f64..1.0), zeros: [u8; 3],
    ) {
        let axes = [vec![(rows, false, false)], axes].concat();
        let absent = absent.min(axes.len() - 1);
        let shape: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
        // Each axis is that of an operand at least.
        let left: Vec<usize> = axes.iter().enumerate().map(|(i, axis)| if axis.1 && i >= absent { 1 } else { axis.0 }).collect();
        let right: Vec<usize> = axes.iter().map(|axis| if axis.2 && !axis.1 { 1 } else { axis.0 }).skip(absent).collect();
        let arrays = [(left, 7), (right, 11)].map(|(shape, step)| {
            let n = shape.iter().product::<usize>();
            Array::from_vec(shape, (0..n).map(|i| (i * step % 256) as u8).collect::<Vec<_>>()).unwrap()
        });
        let mut g = Graph::new("g").unwrap();
        let [x, y] = [("x", 0), ("y", 1)].map(|(name, i)| g.input(name, Dtype::Uint8, arrays[i].shape()).unwrap());
        let product = g.mul(x, y).scale(scales).zero_point(zeros.map(i64::from)).out_dtype(Dtype::Uint8).call().unwrap();
        g.set_outputs(&[product]).unwrap();
        let feeds = [("x", arrays[0].clone()), ("y", arrays[1].clone())];
        let got = run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].clone();
        let [a, b] = [0, 1].map(|i| {
            let real = |byte: f64| (byte as f32 - f32::from(zeros[i])) * scales[i] as f32;
            let reals = arrays[i].to_f64().unwrap().into_iter().map(real).collect();
            let reals = ArrayD::from_shape_vec(arrays[i].shape(), reals).unwrap();
            reals.broadcast(&shape[..]).unwrap().to_owned()
        });
        for (got, real) in got.bytes().unwrap().iter().zip(&(a * b)) {
            let want = RoundMode::default().round(f64::from(*real) / scales[2]) + f64::from(zeros[2]);
            prop_assert_eq!(*got, want.clamp(0.0, 255.0) as u8, "{}", real);
        }
    }

    #[test]
    fn products_of_bytes_are_exact(
        m in 1usize..9, k in 1usize..300, n in prop_oneof![3 => 1usize..40, 1 => 60usize..150], signed: [bool; 2], zeros: [u8; 2],
        transposed: bool, extreme: bool,
        computed: bool,
    ) {
        let dtype = |s: bool| if s { Dtype::Int8 } else { Dtype::Uint8 };
        let moved = |s: bool, v: i64| if s { v - 128 } else { v };
        let number = |i: usize, s: bool| moved(s, if extreme { (i % 2 * 255) as i64 } else { (i * 7919 % 256) as i64 });
        let x: Vec<i64> = (0..m * k).map(|i| number(i, signed[0])).collect();
        let w: Vec<i64> = (0..k * n).map(|i| number(i / 3, signed[1])).collect();
        let [zx, zw] = [0, 1].map(|i| moved(signed[i], zeros[i].into()));
        let array = |d, shape: [usize; 2], v: &[i64]| Array::from_f64s(d, shape, v.iter().map(|v| *v as f64)).unwrap();
        let mut g = Graph::new("g").unwrap();
        let input = g.input("x", dtype(signed[0]), [m, k]).unwrap();
        let right = array(dtype(signed[1]), if transposed { [n, k] } else { [k, n] }, &w);
        let mut feeds = vec![("x", array(dtype(signed[0]), [m, k], &x))];
        let right = if computed {
            feeds.push(("w", right.clone()));
            g.input("w", right.dtype(), right.shape()).unwrap()
        } else {
            g.coefficient("w", right).unwrap()
        };
        let y = g.matmul_int(input, right).right_transpose(transposed).input_zp(zx).right_zp(zw).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let got = run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors["y"].to_f64().unwrap();
        for (i, got) in got.iter().enumerate() {
            let at = |j: usize| w[if transposed { i % n * k + j } else { j * n + i % n }];
            let want: i64 = (0..k).map(|j| (x[i / n * k + j] - zx) * (at(j) - zw)).sum();
            prop_assert_eq!(*got, want as f64);
        }
    }
}

/// Lines are divided among threads, also where two or four of them are computed from the same interleaved lines.
#[test]
fn lines_of_depthwise_convolutions_are_divided() {
    let scale = Quantization::per_tensor(1.0, 0);
    let ty = |dtype, shape: &[usize], layout| {
        let (name, quantization) = ("t".to_owned(), Some(scale.clone()));
        ValueType { name, shape: shape.to_vec(), layout, dtype, quantization, precision: Precision::F32 }
    };
    for (images, height, kernel) in [(1, 29, 3), (5, 11, 3), (3, 31, 1), (2, 30, 5)] {
        let (width, channels) = (40, 40);
        let input = ty(Dtype::Uint8, &[images, height, width, channels], Layout::ChannelsLast);
        let x: Vec<u8> = (0..input.elements()).map(|i| (i * 7919 % 256) as u8).collect();
        let w: Vec<u8> = (0..channels * kernel * 3).map(|i| (i * 31 % 256) as u8).collect();
        let shape = [channels, 1, kernel, 3];
        let weights = Array::from_le_bytes(Dtype::Int8, shape, &w).unwrap();
        let operands =
            (Operand::new(input, None, 0), Operand::new(ty(Dtype::Int8, &shape, Layout::Plain), Some(weights), 1));
        let mut op = Conv::new(operands.0, operands.1, vec![kernel as i64, 3], vec![1, 1], vec![0, 1, 0, 1]);
        op.group = channels as i64;
        let sums = ty(Dtype::Int32, &[images, height + 1 - kernel, width, channels], Layout::ChannelsLast);
        let sums = ValueType { quantization: None, ..sums };
        let convolution = DepthwiseBytes::new(&op).unwrap().unwrap();
        let completion = convolution.completion(&op, &sums, SumsEpilogue::default()).unwrap();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = ArrayMut::zeros(Dtype::Int32, &sums.shape).unwrap();
            pool.install(|| convolution.run(&x, &completion, &mut out)).unwrap();
            out.elements::<i32>().unwrap().to_vec()
        };
        let one = run(1);
        for threads in [2, 3, 4] {
            assert!(run(threads) == one, "{images} images of {height} lines, {kernel} rows, {threads} threads");
        }
    }
}
