//! Numbers that a kernel could easily round, limit or multiply otherwise than the CPU: the emulated GPU gives the same bits.
use super::cuda::passed_emulated;
use tpulang::{
    Array, Dtype, Graph, Quantization, Tensor,
    exec::{Backend, CpuBackend, CudaBackend, Layout, Operand, Precision, RunOptions, Signature, ValueType, run},
    ops::{
        Add, AddConst, AvgPool, Conv, Deconv, DivConst, MatMul, MaxConst, MinConst, MulConst, Op, Reciprocal, Reduce,
        ReduceMode, SubConst,
    },
};

/// Makes an operator on its operands.
type Make = dyn Fn(&[Tensor]) -> Op<Tensor>;

/// One operator, and the type and the quantization of its result.
struct Example {
    feeds: Vec<(Array, Option<Quantization>)>,
    op: Box<Make>,
    dtype: Dtype,
    quantization: Option<Quantization>,
}

impl Example {
    fn new(feeds: &[Array], dtype: Dtype, op: impl Fn(&[Tensor]) -> Op<Tensor> + 'static) -> Example {
        let feeds = feeds.iter().map(|array| (array.clone(), None)).collect();
        Example { feeds, op: Box::new(op), dtype, quantization: None }
    }
    /// Quantizes the operands and the result.
    fn quantized(mut self, operands: &[Quantization], result: Quantization) -> Example {
        for ((_, own), quantization) in self.feeds.iter_mut().zip(operands) {
            *own = Some(quantization.clone());
        }
        Example { quantization: Some(result), ..self }
    }
    fn results<B: Backend>(&self, backend: &B) -> Array {
        let mut g = Graph::new("net").unwrap();
        let (mut inputs, mut feeds) = (Vec::new(), Vec::new());
        for (i, (array, quantization)) in self.feeds.iter().enumerate() {
            let (name, shape) = (format!("x{i}"), array.shape().iter().map(|d| *d as i64).collect::<Vec<_>>());
            let input = g.input(&name, array.dtype(), shape).unwrap();
            quantization.iter().for_each(|q| g.quantize(input, q).unwrap());
            inputs.push(input);
            feeds.push((name, array.clone()));
        }
        let result = g.op((self.op)(&inputs)).out_dtypes([self.dtype]).call().unwrap()[0];
        self.quantization.iter().for_each(|q| g.quantize(result, q).unwrap());
        g.set_outputs(&[result]).unwrap();
        let feeds: Vec<(&str, Array)> = feeds.iter().map(|(name, array)| (name.as_str(), array.clone())).collect();
        run(&g, &feeds[..], backend, &RunOptions::default().strict(true)).unwrap().tensors[0].clone()
    }
    fn check(&self, backend: &CudaBackend, name: &str) {
        let [expected, found] = [self.results(&CpuBackend::new()), self.results(backend)];
        assert_same_bits(&expected, &found, name);
    }
}

fn assert_same_bits(expected: &Array, found: &Array, name: &str) {
    assert_eq!((expected.dtype(), expected.shape()), (found.dtype(), found.shape()), "{name}");
    let [want, got] = [expected, found].map(|array| array.to_f64().unwrap());
    assert!(expected.bytes().unwrap() == found.bytes().unwrap(), "{name}: {want:?} is expected, not {got:?}");
}

/// An array of a dtype's element type.
macro_rules! array {
    ($shape:expr, $of:expr) => {{
        let shape: Vec<usize> = $shape.to_vec();
        let n = shape.iter().product::<usize>();
        Array::from_vec(shape, (0..n).map($of).collect::<Vec<_>>()).unwrap()
    }};
}

fn bytes(shape: &[usize], step: usize) -> Array {
    array!(shape, |i| (i * step % 251) as u8 as i8)
}

fn each(scales: &[f64]) -> Quantization {
    Quantization { scale: Some(scales.to_vec().into()), zero_point: None }
}

/// A convolution with a kernel of 3 x 3.
fn conv(t: &[Tensor]) -> Conv<Tensor> {
    Conv::new(t[0], t[1], vec![3; 2], vec![1; 2], vec![1; 4])
}

fn deconv(t: &[Tensor]) -> Deconv<Tensor> {
    Deconv::new(t[0], t[1], vec![3; 2], vec![1; 4], vec![2; 2])
}

/// Those that float32 does not have are used as they are.
#[test]
fn numbers_of_operators_are_not_rounded() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let x = [array!([101], |i| i as f32 * 0.37 - 17.3), Array::from([1.3f32, 0.1, 0.7, 1e-20, 5e5, 33554432.0])];
    for (x, c) in x.iter().flat_map(|x| [0.1, 0.25, -1.0 / 3.0, 16777217.0].map(|c| (x, c))) {
        let check = |name: &str, op: fn(Tensor, f64) -> Op<Tensor>| {
            let example = Example::new(std::slice::from_ref(x), Dtype::Float32, move |t| op(t[0], c));
            example.check(&backend, &format!("{name} with {c}"));
        };
        check("DivConst", |x, c| DivConst::new(x, c).into());
        check("reversed DivConst", |x, c| DivConst { is_reverse: true, ..DivConst::new(x, c) }.into());
        check("limited DivConst", |x, c| DivConst { do_relu: true, relu_limit: 2.7, ..DivConst::new(x, c) }.into());
        check("Reciprocal", |x, c| Reciprocal { const_val: c, ..Reciprocal::new(x) }.into());
        check("limited Reciprocal", |x, c| {
            Reciprocal { const_val: c, do_relu: true, relu_limit: 0.3, ..Reciprocal::new(x) }.into()
        });
        check("AddConst", |x, c| AddConst::new(x, c).into());
        check("SubConst", |x, c| SubConst { is_reverse: true, ..SubConst::new(x, c) }.into());
        check("MulConst", |x, c| MulConst::new(x, c).into());
        check("limited MulConst", |x, c| MulConst { do_relu: true, relu_limit: 0.1, ..MulConst::new(x, c) }.into());
        check("MaxConst", |x, c| MaxConst::new(x, c).into());
        check("MinConst", |x, c| MinConst::new(x, c).into());
    }
}

type OfOne = fn(Operand) -> Op<Operand>;

/// Computes an operator with a result of 64-bit integers, which no such operator of a graph has.
fn of_wide<B: Backend>(backend: &B, x: &Array, op: OfOne) -> Array {
    let ty = ValueType {
        name: "x".into(),
        shape: x.shape().to_vec(),
        layout: Layout::Plain,
        dtype: x.dtype(),
        quantization: None,
        precision: Precision::F32,
    };
    let op = op(Operand::new(ty.clone(), None, 0));
    let signature = Signature { op, fused_ops: Vec::new(), results: vec![Some(ty)] };
    let kernel = backend.prepare(&signature).unwrap().unwrap();
    let results = backend.run(&kernel, &mut [Some(backend.upload(x).unwrap())]).unwrap();
    backend.synchronize().unwrap();
    backend.download(&results[0]).unwrap()
}

#[test]
fn large_integers_and_numbers_are_combined_exactly() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let x = Array::from([(1i64 << 53) + 1, i64::MAX, i64::MIN, -5, 3 << 60]);
    let all: [(&str, OfOne); 7] = [
        ("AddConst", |x| AddConst::new(x, 1.0).into()),
        ("SubConst", |x| SubConst::new(x, 16777217.0).into()),
        ("reversed SubConst", |x| SubConst { is_reverse: true, ..SubConst::new(x, 3.0) }.into()),
        ("MulConst", |x| MulConst::new(x, -3.0).into()),
        ("limited MulConst", |x| MulConst { do_relu: true, relu_limit: 9e15, ..MulConst::new(x, 1.0) }.into()),
        ("MaxConst", |x| MaxConst::new(x, 16777217.0).into()),
        ("MinConst", |x| MinConst::new(x, 16777217.0).into()),
    ];
    for (name, op) in all {
        assert_same_bits(&of_wide(&CpuBackend::new(), &x, op), &of_wide(&backend, &x, op), name);
    }
}

/// Plain integers are limited by integers: 2.5 by 2, and 0.5 by 0.
#[test]
fn limits_of_integers_are_integers() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let numbers = array!([40], |i| i as i32 - 13);
    let (left, right) = (bytes(&[5, 7], 37), bytes(&[7, 6], 11));
    let (image, filter, turned) = (bytes(&[1, 2, 6, 5], 53), bytes(&[4, 2, 3, 3], 29), bytes(&[2, 4, 3, 3], 29));
    for limit in [-1.0, 0.5, 2.5, 1000.7, 1e300] {
        let check = |name: &str, feeds: &[Array], op: fn(&[Tensor], f64) -> Op<Tensor>| {
            let example = Example::new(feeds, Dtype::Int32, move |t| op(t, limit));
            example.check(&backend, &format!("{name} up to {limit}"));
        };
        let x = [numbers.clone()];
        check("MulConst", &x, |t, relu_limit| {
            MulConst { do_relu: true, relu_limit, ..MulConst::new(t[0], 1.0) }.into()
        });
        check("MulConst by a fraction", &x, |t, relu_limit| {
            MulConst { do_relu: true, relu_limit, ..MulConst::new(t[0], 0.3) }.into()
        });
        check("Add", &x, |t, relu_limit| Add { do_relu: true, relu_limit, ..Add::new(vec![t[0], t[0]]) }.into());
        check("Add of fractions", &x, |t, relu_limit| {
            let coeff = Some(vec![0.5, 0.25]);
            Add { do_relu: true, relu_limit, coeff, ..Add::new(vec![t[0], t[0]]) }.into()
        });
        check("MatMul", &[left.clone(), right.clone()], |t, relu_limit| {
            MatMul { do_relu: true, relu_limit, ..MatMul::new(t[0], t[1]) }.into()
        });
        check("Conv", &[image.clone(), filter.clone()], |t, relu_limit| {
            Conv { do_relu: true, relu_limit, ..conv(t) }.into()
        });
        check("Deconv", &[image.clone(), turned.clone()], |t, relu_limit| {
            Deconv { do_relu: true, relu_limit, ..deconv(t) }.into()
        });
    }
}

/// Sums of windows are whole multiples of the scale, so that means halfway between two integers are exact.
#[test]
fn means_of_quantized_integers_are_rounded_once() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let halfway = Array::from_vec([1, 1, 2, 2], vec![-4i8, -4, 3, 7]).unwrap();
    for (x, size, pad) in [(halfway, 2, 0), (bytes(&[1, 3, 9, 8], 37), 2, 0), (bytes(&[2, 2, 9, 7], 101), 4, 2)] {
        for (from, to) in [(0.1, 0.1), (0.3, 0.1), (0.05, 0.7)] {
            for count_include_pad in [true, false] {
                let op = move |t: &[Tensor]| {
                    let op = AvgPool::new(t[0], vec![size; 2], vec![1; 2], vec![pad; 4]);
                    AvgPool { count_include_pad, ..op }.into()
                };
                let example = Example::new(std::slice::from_ref(&x), Dtype::Int8, op);
                let quantized = [(from, 3), (to, -2)].map(|(scale, zero)| Quantization::per_tensor(scale, zero));
                let [of_x, of_y] = quantized;
                let name = format!("{:?} by {size}, {from} to {to}, {count_include_pad}", x.shape());
                example.quantized(&[of_x], of_y).check(&backend, &name);
            }
        }
    }
}

/// The scales of the right matrix are those of columns, which a transposed result has as rows.
#[test]
fn columns_of_products_have_scales_of_their_own() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let scales = [0.5, 0.01, 0.2, 0.03, 1.5, 0.125];
    let bias = array!([6], |i| 100 * i as i32 - 200);
    for (form, has_bias) in (0..8).flat_map(|form| [(form, false), (form, true)]) {
        let [right_transpose, output_transpose, folds] = [1, 2, 4].map(|bit| form & bit != 0);
        let right = bytes(if right_transpose { &[6, 9] } else { &[9, 6] }, 11);
        let feeds = [bytes(&[2, 5, 9], 37), right, bias.clone()];
        let example = Example::new(&feeds, Dtype::Int8, move |t| {
            let op = MatMul { right_transpose, output_transpose, keep_dims: !folds, ..MatMul::new(t[0], t[1]) };
            MatMul { bias: has_bias.then_some(t[2]), ..op }.into()
        });
        let (of_left, of_result) = (Quantization::per_tensor(0.1, 4), Quantization::per_tensor(20.0, 1));
        let name = format!("form {form}, bias: {has_bias}");
        example.quantized(&[of_left, each(&scales)], of_result).check(&backend, &name);
    }
}

/// The kernel gets the scales of the channels as parameters, beside its own variables.
#[test]
fn results_of_products_have_a_scale_per_channel() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let image = bytes(&[2, 4, 7, 6], 53);
    let single = || Quantization::per_tensor(0.1, 0);
    let check = |name: &str, filter: Array, op: fn(&[Tensor]) -> Op<Tensor>| {
        let example = Example::new(&[image.clone(), filter], Dtype::Int8, op);
        example.quantized(&[single(), single()], each(&[0.5, 3.0, 20.0, 7.0])).check(&backend, name);
    };
    check("Conv", bytes(&[4, 4, 3, 3], 29), |t| conv(t).into());
    check("depthwise Conv", bytes(&[4, 1, 3, 3], 29), |t| Conv { group: 4, ..conv(t) }.into());
    check("Deconv", bytes(&[4, 4, 3, 3], 29), |t| deconv(t).into());
}

/// Products of parts might be infinite or 0 where that of all is not.
#[test]
fn numbers_are_multiplied_in_order() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let all: [(&[usize], &[i64]); 5] =
        [(&[66], &[0]), (&[3, 66], &[1]), (&[66, 20], &[0]), (&[2, 66, 3, 6], &[1, 3]), (&[2, 6, 11, 5], &[1, 2])];
    for (shape, axes) in all {
        // Along any axes, large and small numbers alternate in some rows.
        let floats = array!(shape, |i| if i.count_ones() % 2 == 0 { 1e30f32 } else { 1e-30 });
        let alternating = array!(shape, |i| if i % 2 == 0 { 1e30f32 } else { 1e-30 });
        let integers = array!(shape, |i| if i % 5 == 0 { -3i32 } else { i as i32 % 3 });
        for (x, dtype) in [(floats, Dtype::Float32), (alternating, Dtype::Float32), (integers, Dtype::Int32)] {
            let axes = axes.to_vec();
            let op = move |t: &[Tensor]| Reduce::new(t[0], axes.clone(), true, ReduceMode::ReduceProd).into();
            Example::new(&[x], dtype, op).check(&backend, &format!("{shape:?} {dtype}"));
        }
    }
}
