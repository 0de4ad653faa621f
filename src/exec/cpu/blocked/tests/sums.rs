//! Tests of long sums.
use super::*;

/// Varied numbers from 0 to 1, whose sums only grow.
fn positive(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        })
        .collect()
}

/// Checks the mean relative error of products of `k` elements, which is several times as large for a single chain of additions.
fn check_error(kind: &str, m: usize, k: usize, n: usize, product: impl Fn(InstructionSet, &[f32], &[f32], &mut [f32])) {
    let (x, w) = (positive(m * k, 1), positive(k * n, 2));
    let mut want = vec![0.0; m * n];
    for (row, want) in x.chunks(k).zip(want.chunks_mut(n)) {
        for (x, w) in row.iter().zip(w.chunks(n)) {
            want.iter_mut().zip(w).for_each(|(sum, w)| *sum += f64::from(*x) * f64::from(*w));
        }
    }
    for isa in InstructionSet::all() {
        let mut out = vec![f32::NAN; m * n];
        product(isa, &x, &w, &mut out);
        let errors = out.iter().zip(&want).map(|(got, want)| (f64::from(*got) - want).abs() / want);
        let error = errors.sum::<f64>() / want.len() as f64;
        assert!(error < 3e-7, "{kind}: {error}");
    }
}

fn matrix(k: usize, n: usize, data: &[f32]) -> Mat<'_, f32> {
    Mat { data, rows: k, cols: n, transposed: false }
}

#[test]
fn errors_of_long_sums_are_small() {
    check_error("packed", 3, 25_088, 33, |isa, x, w, out| {
        PackedB::of(isa, matrix(25_088, 33, w)).unwrap().product(x, None, out).unwrap();
    });
    check_error("packed for one row", 1, 25_088, 80, |isa, x, w, out| {
        let matrix = matrix(25_088, 80, w);
        let packed = PackedB::for_rows(1, isa, [25_088, 80], |row, column| matrix.square(row, column));
        packed.unwrap().product(x, None, out).unwrap();
    });
    check_error("row", 1, 4096, 3080, |isa, x, w, out| product_of_row(isa, x, w, out).unwrap());
}

#[test]
fn errors_of_convolutions_of_many_channels_are_small() {
    let side = axis(5, 1, 1, 1, [0, 0]).unwrap();
    let g = ConvShape { batch: 1, ic: 8192, oc: 24, group: 1, slices: Axis::ONE, rows: side, cols: side };
    check_error("convolution", 25, g.ic, g.oc, |isa, x, w, out| {
        // The pixels are the rows of `x`, and the weights of an output channel a column of `w`.
        let transposed = |data: &[f32], rows: usize, cols: usize| -> Vec<f32> {
            (0..rows * cols).map(|i| data[i % rows * cols + i / rows]).collect()
        };
        let (x, w) = (transposed(x, 25, g.ic), transposed(w, g.ic, g.oc));
        let conv = Conv2d::new(isa, g, &w, ConvEpilogue::default()).unwrap().unwrap();
        let mut result = vec![f32::NAN; blocked_len(1, g.oc, 25)];
        conv.run(&blocked(&x, g.ic, 25), None, &mut result, &mut [], &|_, _| {}).unwrap();
        out.copy_from_slice(&transposed(&plain(&result, 1, g.oc, 25), g.oc, 25));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn tiny_matrices_give_the_numbers_of_others(
        m in 1usize..20, k in 1usize..=64, n in 1usize..=16, transposed: bool, pairs in prop::collection::vec((0usize..3, 0usize..2), 1..40),
    ) {
        let (left, right) = (positive(3 * m * k, 1), positive(2 * k * n, 2));
        for isa in InstructionSet::all() {
            let mut got = vec![f32::NAN; pairs.len() * m * n];
            let matrices = TinyMatrices { left: &left, right: &right, transposed, sizes: [m, k, n] };
            matrices.multiply(isa, &pairs, &mut got);
            for (got, (i, j)) in got.chunks(m * n).zip(&pairs) {
                let matrix = Mat { data: &right[j * k * n..][..k * n], rows: k, cols: n, transposed };
                let mut want = vec![f32::NAN; m * n];
                PackedB::of(isa, matrix).unwrap().product(&left[i * m * k..][..m * k], None, &mut want).unwrap();
                prop_assert_eq!(got, &want);
            }
        }
    }

    /// A packed small matrix has few rows, which are a single part of other matrices.
    #[test]
    fn small_matrices_give_the_numbers_of_others(
        m in 1usize..50, k in prop_oneof![1usize..=384, 385usize..1200], n in prop_oneof![1usize..50, Just(48)], transposed: bool,
    ) {
        let (x, w, bias) = (positive(m * k, 1), positive(k * n, 2), positive(n, 3));
        let matrix = Mat { data: &w, rows: k, cols: n, transposed };
        for isa in InstructionSet::all() {
            let [mut small, mut packed, mut in_place] = [(); 3].map(|()| vec![f32::NAN; m * n]);
            PackedB::of(isa, matrix).unwrap().product(&x, Some(&bias), &mut packed).unwrap();
            if SmallB::is_faster(m, [k, n]) {
                SmallB::new(isa, matrix).unwrap().product(&x, Some(&bias), &mut small).unwrap();
                prop_assert_eq!(&small, &packed);
            }
            if let Some(matrix) = SmallB::in_place(isa, matrix) {
                matrix.product(&x, Some(&bias), &mut in_place).unwrap();
                prop_assert_eq!(&in_place, &packed);
            }
        }
    }
}
