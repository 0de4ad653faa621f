use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// One row and several, columns that are computed together and alone, and zero points that are 8 or others.
    #[test]
    fn products_of_4_bit_integers_are_the_definition(
        rows in 1usize..10, blocks in 1usize..5, columns in 0usize..30, group in prop::sample::select(vec![32usize, 64, 96]), is_moved: bool,
    ) {
        let k = blocks * group;
        let (x, scales) = (numbers(rows * k, 1), numbers(columns * blocks, 2));
        let bytes: Vec<u8> = (0..columns * k / 2).map(|i| (i * 37 % 256) as u8).collect();
        let zeros: Vec<u8> = (0..columns * blocks).map(|i| if is_moved { (i * 5 % 16) as u8 } else { 8 }).collect();
        let weight = |row: usize, column: usize| {
            let (i, of) = (column * k + row, column * blocks + row / group);
            (f64::from(bytes[i / 2] >> (i % 2 * 4) & 15) - f64::from(zeros[of])) * f64::from(scales[of])
        };
        for isa in InstructionSet::all() {
            let matrix = FourBits::new(isa, [k, group], &bytes, &scales, &zeros).unwrap().unwrap();
            let product = |threads| {
                let mut out = vec![f32::NAN; rows * columns];
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| matrix.product(&x, &mut out)).unwrap();
                out
            };
            let got = product(1);
            for (i, got) in got.iter().enumerate() {
                let (r, c) = (i / columns, i % columns);
                let want: f64 = (0..k).map(|j| f64::from(x[r * k + j]) * weight(j, c)).sum();
                prop_assert!((f64::from(*got) - want).abs() <= 1e-5 * k as f64, "row {}, column {}: {}, not {}", r, c, got, want);
            }
            prop_assert_eq!(product(3), got);
        }
    }
}

#[test]
fn many_columns_are_divided_among_tasks() {
    let (k, columns) = (64, 5000);
    let bytes: Vec<u8> = (0..columns * k / 2).map(|i| (i * 11 % 256) as u8).collect();
    let (x, scales, zeros) = (numbers(3 * k, 1), numbers(columns, 2), vec![8; columns]);
    let matrix = FourBits::new(InstructionSet::best(), [k, k], &bytes, &scales, &zeros).unwrap().unwrap();
    let mut out = vec![f32::NAN; 3 * columns];
    matrix.product(&x, &mut out).unwrap();
    let whole: Vec<f32> = (0..columns * k).map(|i| f32::from(bytes[i / 2] >> (i % 2 * 4) & 15) - 8.0).collect();
    for (i, got) in out.iter().enumerate() {
        let (r, c) = (i / columns, i % columns);
        let want: f32 = (0..k).map(|j| x[r * k + j] * whole[c * k + j]).sum::<f32>() * scales[c];
        assert!((got - want).abs() < 1e-3, "row {r}, column {c}: {got}, not {want}");
    }
}

#[test]
fn other_blocks_are_not_supported() {
    let new = |k, group| FourBits::new(InstructionSet::best(), [k, group], &[], &[], &[]).unwrap();
    assert!([(64, 16), (48, 32), (0, 32), (64, 0)].into_iter().all(|(k, group)| new(k, group).is_none()));
}
