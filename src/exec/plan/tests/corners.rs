//! Networks on which a rule once had too weak a condition: other ways to run them are right.
use super::{input, session, small_integers, steps, values};
use crate::{
    Array, CpuBackend, Dtype, Graph, Quantization, RunOptions, Session, Tensor,
    array::PackedIntegers,
    ops::{Add, CompareConst, CompareMode, Conv, Deconv, Gather, LRN, MatMul, QuantizeLinear, Softmax, Split},
};
use indexmap::IndexMap;

/// Returns the outputs of a network that runs as planned, after comparing them with those of the network run operator by operator.
fn same(g: &mut Graph, outputs: &[Tensor], feeds: &[(&str, Array)]) -> IndexMap<String, Array> {
    g.set_outputs(outputs).unwrap();
    let [fused, unfused] = [false, true].map(|unfused| session(g, unfused).run(feeds).unwrap());
    assert_eq!(fused, unfused);
    fused
}

/// Takes the entries of a row of three numbers apart.
fn taken_apart(g: &mut Graph, t: Tensor, shape: [i64; 2]) -> Vec<Tensor> {
    let [rows, columns] = shape;
    let t = g.reshape(t, [rows, 3, columns]).call().unwrap();
    let t = g.permute(t, [1, 0, 2]).call().unwrap();
    let parts = g.op(Split::new(t, 0, 3)).call().unwrap();
    parts.into_iter().map(|part| g.reshape(part, [rows, columns]).call().unwrap()).collect()
}

/// The products that take the place of the second one read the first.
#[test]
fn a_product_of_a_product_that_is_divided() {
    let mut g = Graph::new("g").unwrap();
    let a = input(&mut g, "a", &[2, 8]);
    let t = g.matmul(a, values(&[8, 48], 1)).call().unwrap();
    let product = g.matmul(t, values(&[48, 96], 2)).call().unwrap();
    let mut outputs = taken_apart(&mut g, product, [2, 32]);
    outputs.extend(taken_apart(&mut g, t, [2, 16]));
    assert_eq!(steps(&mut g, &outputs).iter().filter(|step| *step == "MatMul").count(), 4);
}

/// A table of all bytes has no channels.
#[test]
fn bytes_that_are_quantized_per_channel() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int8, [1, 2, 4]).unwrap();
    let real = g.cast(x).out_dtype(Dtype::Float32).call().unwrap();
    let op = QuantizeLinear { axis: 1, ..QuantizeLinear::new(real, vec![0.5, 2.0], vec![0, 0]) };
    let y = g.op(op).out_dtypes([Dtype::Int8]).out_name("y").call().unwrap();
    let outputs = same(&mut g, &y, &[("x", Array::filled(Dtype::Int8, [1, 2, 4], 4.0).unwrap())]);
    assert_eq!(outputs["y"].to_f32().unwrap(), [8.0, 8.0, 8.0, 8.0, 2.0, 2.0, 2.0, 2.0]);
}

/// Two axes of the left operand are multiplied by one of the right operand.
#[test]
fn products_over_two_axes_with_packed_integers() {
    let packed = PackedIntegers {
        bytes: Array::from_vec([4, 32], (0..128).map(|i| (i * 37 % 256) as u8).collect()).unwrap(),
        bits: 4,
        block: 32,
        scales: Array::filled(Dtype::Float32, [4, 2], 0.5).unwrap(),
        zero_points: Array::filled(Dtype::Uint8, [4, 2], 8.0).unwrap(),
    };
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 2, 32]);
    let right = g.coefficient("w", Array::unpacked(packed).unwrap()).unwrap();
    let y = g.op(MatMul { right_transpose: true, ..MatMul::new(x, right) }).call().unwrap();
    same(&mut g, &y, &[("x", small_integers(&[1, 2, 32], 1))]);
}

/// Plain integers are the nearest ones to the real numbers.
#[test]
fn bytes_that_become_plain_integers() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int8, [1, 2]).unwrap();
    g.quantize(x, &Quantization::per_tensor(0.5, 0)).unwrap();
    let real = g.cast(x).out_dtype(Dtype::Float32).call().unwrap();
    let joined = g.concat([real, real]).axis(1).call().unwrap();
    let y = g.cast(joined).out_dtype(Dtype::Int8).out_name("y").call().unwrap();
    let outputs = same(&mut g, &[y], &[("x", Array::from_vec([1, 2], vec![10i8, 20]).unwrap())]);
    assert_eq!(outputs["y"].to_f32().unwrap(), [5.0, 10.0, 5.0, 10.0]);
}

/// Only the rows of the table that are needed are read, by other indices than those that are multiplied.
#[test]
fn rows_that_are_multiplied_by_their_indices() {
    let mut g = Graph::new("g").unwrap();
    let table = g.coefficient("table", values(&[1000], 1)).unwrap();
    let index = input(&mut g, "index", &[4]);
    let rows = g.op(Gather { axis: 0, ..Gather::new(table, index) }).call().unwrap()[0];
    let y = g.mul(rows, index).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let feeds = [("index", Array::from([5f32, 5.0, 7.0, 9.0]))];
    let options = RunOptions::default().weight_budget(Some(0));
    let streamed = Session::new(&g, CpuBackend::new(), &options).unwrap().run(&feeds).unwrap();
    assert_eq!(streamed, session(&g, true).run(&feeds).unwrap());
}

/// A fed result is not computed, although another one of the operator is.
#[test]
fn one_of_two_results_is_fed() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 4]);
    let w = g.coefficient("w", values(&[8, 8], 1)).unwrap();
    let parts = g.op(Split::new(w, 0, 2)).out_names(["first", "second"]).call().unwrap();
    let [a, b] = [0, 1].map(|i| g.matmul(x, parts[i]).call().unwrap());
    let product = g.add(a, b).out_name("product").call().unwrap();
    let image = input(&mut g, "image", &[1, 16, 8, 8]);
    let conv = g.conv(image, values(&[32, 16, 3, 3], 2)).pad([1, 1, 1, 1]).call().unwrap();
    let halves = g.op(Split::new(conv, 1, 2)).out_names(["left", "right"]).call().unwrap();
    let left = g.relu(halves[0]).call().unwrap();
    let sum = g.add(left, halves[1]).out_name("sum").call().unwrap();
    g.set_outputs(&[product, sum]).unwrap();
    for (feeds, wanted) in [
        ([("x", values(&[2, 4], 3)), ("first", Array::filled(Dtype::Float32, [4, 8], 0.0).unwrap())], "product"),
        (
            [
                ("image", values(&[1, 16, 8, 8], 3)),
                ("left", Array::filled(Dtype::Float32, [1, 16, 8, 8], -1.0).unwrap()),
            ],
            "sum",
        ),
    ] {
        let [fused, unfused] = [false, true]
            .map(|unfused| session(&g, unfused).fetch_from(&feeds[..], &[wanted]).unwrap()[wanted].to_f32().unwrap());
        assert!(fused.iter().zip(&unfused).all(|(a, b)| (a - b).abs() < 1e-4), "{wanted}");
    }
}

/// Constants of integers with a scale stand for real numbers.
#[test]
fn quantized_constants_beside_floats() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 8, 8]);
    let mut stored = |name: &str, array: Array| {
        let t = g.coefficient(name, array).unwrap();
        g.quantize(t, &Quantization::per_tensor(0.5, 2)).unwrap();
        t
    };
    let summand = stored("summand", Array::from_vec([1, 16, 1, 1], (0..16).map(|i| i as i8).collect()).unwrap());
    let filter = stored("filter", Array::from_vec([16, 3, 1, 1], (0..48).map(|i| i as i8).collect()).unwrap());
    let ones = || vec![1, 1];
    let conv = g.conv(x, values(&[16, 3, 1, 1], 1)).call().unwrap();
    let sum = g.op(Add::new(vec![conv, summand])).out_name("sum").call().unwrap()[0];
    let other = g.op(Conv::new(x, filter, ones(), ones(), vec![0; 4])).out_name("other").call().unwrap()[0];
    steps(&mut g, &[sum, other]);
}

/// With a fast kernel for bytes and without, since a transposed result has none.
#[test]
fn products_of_bytes_that_become_plain_integers() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int8, [2, 2]).unwrap();
    let w = g.coefficient("w", Array::from_vec([2, 2], vec![4i8, 0, 0, 4]).unwrap()).unwrap();
    [x, w].into_iter().for_each(|t| g.quantize(t, &Quantization::per_tensor(0.5, 0)).unwrap());
    let mut product = |output_transpose| {
        let op = MatMul { output_transpose, ..MatMul::new(x, w) };
        g.op(op).out_dtypes([Dtype::Int8]).call().unwrap()[0]
    };
    let products = [false, true].map(&mut product);
    for array in same(&mut g, &products, &[("x", Array::from_vec([2, 2], vec![4i8, 0, 0, 4]).unwrap())]).values() {
        assert_eq!(array.to_f32().unwrap(), [4.0, 0.0, 0.0, 4.0]);
    }
}

#[test]
fn long_sums_keep_their_digits() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 1, 1024, 1024]);
    let mean = g.avgpool2d(x).kernel([1024, 1024]).out_name("mean").call().unwrap();
    let columns = g.reshape(x, [1 << 19, 2]).call().unwrap();
    let y = g.softmax(columns, 0).out_name("y").call().unwrap();
    g.set_outputs(&[mean, y]).unwrap();
    let outputs =
        session(&g, false).run(&[("x", Array::filled(Dtype::Float32, [1, 1, 1024, 1024], 0.1).unwrap())]).unwrap();
    let first = |name: &str| outputs[name].to_f32().unwrap()[0];
    assert!((first("mean") - 0.1).abs() < 2e-6, "{}", first("mean"));
    assert!((first("y") * (1 << 19) as f32 - 1.0).abs() < 1e-6, "{}", first("y"));
}

/// The filter of a transposed convolution is stored in another order if it is a coefficient, whether it is constant in the plan or not.
#[test]
fn filters_of_transposed_convolutions_that_become_constant_or_are_fed() {
    for (ic, oc, size) in [(2, 3, 3), (32, 16, 4), (16, 32, 4)] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[1, ic, size, size]);
        let w = g.coefficient("w", values(&[ic, oc, 2, 2], 1)).unwrap();
        let computed = g.abs(w).call().unwrap();
        let stored = g.coefficient("stored", values(&[oc, ic, 2, 2], 2)).unwrap();
        let mut deconv = |filter| g.op(Deconv::new(x, filter, vec![2, 2], vec![0; 4], vec![1, 1])).call().unwrap()[0];
        let outputs = [computed, stored].map(&mut deconv);
        steps(&mut g, &outputs);
        let x = ("x", values(&[1, ic, size, size], 3));
        let as_stored = session(&g, false).run(std::slice::from_ref(&x)).unwrap();
        let fed = session(&g, false).run(&[x, ("stored", values(&[oc, ic, 2, 2], 2))]).unwrap();
        let name = &g.tensor(outputs[1]).unwrap().name;
        let [a, b] = [&as_stored, &fed].map(|all| all[name].to_f32().unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4));
    }
}

/// 3 times 0.3 is not 0.9 in float32.
#[test]
fn quantized_numbers_equal_the_constant_that_rounds_to_them() {
    for inversed in [false, true] {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [3]).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.3, 0)).unwrap();
        let y = g.op(CompareConst::new(x, CompareMode::Equal, 0.9, inversed));
        let y = y.out_name("y").call().unwrap();
        let outputs = same(&mut g, &y, &[("x", Array::from([2i8, 3, 4]))]);
        assert_eq!(outputs["y"].to_f32().unwrap(), [0.0, 1.0, 0.0]);
    }
}

/// The table of exponentials would overflow.
#[test]
fn a_quantized_softmax_of_the_smallest_number() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Int8, [1, 2]).unwrap();
    g.quantize(x, &Quantization::per_tensor(1.0, 0)).unwrap();
    let y = g.op(Softmax { beta: -1.0, ..Softmax::new(x, 1) }).out_dtypes([Dtype::Int8]).out_name("y").call().unwrap();
    g.quantize(y[0], &Quantization::per_tensor(1.0 / 127.0, 0)).unwrap();
    let outputs = same(&mut g, &y, &[("x", Array::from_vec([1, 2], vec![0i8, -100]).unwrap())]);
    assert_eq!(outputs["y"].to_f32().unwrap(), [0.0, 127.0]);
}

/// Long windows are added up in another way, in which infinite numbers must stay where they are.
#[test]
fn responses_are_normalized_by_few_or_many_neighbors() {
    let (channels, inner) = (300, 2);
    let mut numbers = values(&[1, channels, inner], 1).to_f32().unwrap();
    numbers[40 * inner] = f32::INFINITY;
    for size in [5i64, 64, 65, 66, 299, 301, 1000, i64::MAX] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[1, channels, inner]);
        let y = g.op(LRN { alpha: 2.0, beta: 0.75, bias: 1.5, ..LRN::new(x, size) }).out_name("y").call().unwrap();
        let outputs = same(&mut g, &y, &[("x", Array::from_vec([1, channels, inner], numbers.clone()).unwrap())]);
        for (i, y) in outputs["y"].to_f32().unwrap().into_iter().enumerate() {
            let (c, p) = (i / inner, i % inner);
            let first = (c as i64).saturating_sub((size - 1) / 2).max(0) as usize;
            let last = (c as i64).saturating_add(size / 2).min(channels as i64 - 1) as usize;
            let squares: f64 = (first..=last).map(|c| f64::from(numbers[c * inner + p]).powi(2)).sum();
            let expected = f64::from(numbers[i]) / (1.5 + 2.0 / size as f64 * squares).powf(0.75);
            let is_close = (f64::from(y) - expected).abs() < 1e-5 || y.is_nan() && expected.is_nan();
            assert!(is_close, "{size}, {i}: {y}, expected {expected}");
        }
    }
}
