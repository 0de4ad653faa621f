//! Compares products and convolutions of bytes, and their rounding, with the definitions.
use super::{
    PackedBytes, Rounding,
    dot::{DotProduct, Sums},
    product::{Contiguous, Panels},
};
use crate::{
    Array, CpuBackend, Dtype, Graph, Layout, Precision, Quantization, RunOptions, ValueType,
    cpu::blocked::InstructionSet, quant::RoundMode, run,
};
use proptest::prelude::*;

fn all_dot_products() -> Vec<DotProduct> {
    InstructionSet::all().into_iter().flat_map(DotProduct::all).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// With the instructions of every processor, on rows and columns that fill no tile.
    #[test]
    fn packed_products_are_exact(
        rows in 1usize..40, k in 1usize..70, n in 1usize..150, flips: bool, low in -255i16..1, zero: u8, extreme: bool,
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
            let packed = PackedBytes::new(dot, [k, n], (low, high), column).unwrap();
            let flip = if flips { 0x80 } else { 0 };
            let (begin, mut out) = (packed.begin(zero).collect::<Vec<_>>(), vec![0; rows * (n + 3)]);
            let finish = |sums: &[Sums], _: usize, Panels { outs, first }: Panels<i32>| {
                let blocks = sums.len() / outs.len();
                for (out, sums) in outs.iter_mut().zip(sums.chunks_exact(blocks)) {
                    out[first..].iter_mut().zip(sums.as_flattened()).for_each(|(o, s)| *o = *s);
                }
            };
            packed.product((&Contiguous { data: &left, k }, flip), &begin, (&mut out, 2, n + 3), &finish).unwrap();
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

    /// Real numbers near ties, at ties, beyond the range, and none at all.
    #[test]
    fn bytes_are_rounded_by_the_definition(
        scale in prop_oneof![Just(0.5), Just(0.1), 1e-3f64..10.0], zero in 0i64..256, signed: bool,
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

    #[test]
    fn products_of_bytes_are_exact(
        m in 1usize..9, k in 1usize..300, n in 1usize..40, signed: [bool; 2], zeros: [u8; 2], transposed: bool, extreme: bool,
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
