//! Networks of reals that are quantized in between.
use super::{input, session, small_integers};
use crate::{
    Array, Dtype, Graph, Tensor,
    array::PackedIntegers,
    ops::{Conv, DequantizeLinear, MatMul, QuantizeLinear},
};
use indexmap::IndexMap;
use proptest::prelude::*;

/// Scales are powers of two, so that reals are exact, too.
const KINDS: [(Dtype, f64, i64); 4] =
    [(Dtype::Int8, 0.25, 0), (Dtype::Uint8, 0.5, 117), (Dtype::Int8, 2.0, -5), (Dtype::Uint8, 8.0, 0)];

fn quantized(g: &mut Graph, t: Tensor, kind: usize) -> Tensor {
    let (dtype, scale, zero) = KINDS[kind];
    g.op(QuantizeLinear::new(t, vec![scale], vec![zero])).out_dtypes([dtype]).call().unwrap()[0]
}

fn dequantized(g: &mut Graph, t: Tensor, kind: usize) -> Tensor {
    let (_, scale, zero) = KINDS[kind];
    g.op(DequantizeLinear::new(t, vec![scale], vec![zero])).out_dtypes([Dtype::Float32]).call().unwrap()[0]
}

/// Weights with one scale, or one for each entry of an axis.
struct Weights {
    dtype: Dtype,
    zero: i64,
    has_own_scales: bool,
}

impl Weights {
    fn scales(&self, n: usize) -> Vec<f64> {
        let scale = |i: usize| [0.25, 0.125, 0.5][i % 3];
        (0..if self.has_own_scales { n } else { 1 }).map(scale).collect()
    }
    fn add(&self, g: &mut Graph, shape: Vec<usize>, axis: usize) -> Tensor {
        let low = if self.dtype == Dtype::Int8 { -128.0 } else { 0.0 };
        let n: usize = shape.iter().product();
        let numbers = (0..n).map(|i| low + ((i * 37 + n) % 256) as f64);
        let scales = self.scales(shape[axis]);
        let array = Array::from_f64s(self.dtype, shape, numbers).unwrap();
        let zeros = vec![self.zero; scales.len()];
        let name = format!("w{}", g.tensors().count());
        g.coefficient(&name, array.dequantized(scales, zeros, axis).unwrap()).unwrap()
    }
    /// Adds a bias that is stored in units of the sums' scales, or as numbers.
    fn bias(&self, g: &mut Graph, n: usize, of_operand: f64, is_stored: bool) -> Tensor {
        let scales: Vec<f64> = self.scales(n).into_iter().map(|scale| scale * of_operand).collect();
        let numbers = Array::from_vec([n], (0..n as i32).map(|i| i * 70 - 300).collect()).unwrap();
        let reals = numbers.dequantized(scales, vec![], 0).unwrap();
        let name = format!("b{}", g.tensors().count());
        let array = if is_stored { reals } else { Array::from(reals.to_f32().unwrap()) };
        g.coefficient(&name, array).unwrap()
    }
}

/// Runs a graph as planned, and operator by operator.
fn both(g: &Graph, feeds: &[(&str, Array); 1]) -> [IndexMap<String, Array>; 2] {
    let run = |unfused| session(g, unfused).run(feeds).unwrap();
    [run(false), run(true)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn products_of_bytes_are_those_of_reals(
        layers in prop::collection::vec((0usize..8, 0usize..4, any::<[bool; 4]>()), 1..6), channels in prop::collection::vec(1usize..40, 3),
        size in (2usize..7, 2usize..7), batch in 1usize..3, signed: bool, zero in 0i64..20, has_own_scales: bool, sums: bool,
    ) {
        let dtype = if signed { Dtype::Int8 } else { Dtype::Uint8 };
        let weights = Weights { dtype, zero: if signed { -zero } else { 128 + zero }, has_own_scales };
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[batch, channels[0], size.0, size.1]);
        let (mut kind, mut outputs) = (1, Vec::new());
        let mut t = quantized(&mut g, x, kind);
        for (i, (layer, to, [has_bias, is_stored, has_relu, is_output])) in layers.into_iter().enumerate() {
            let of_operand = KINDS[kind].1;
            let mut real = dequantized(&mut g, t, kind);
            let shape = g.tensor(real).unwrap().shape.clone();
            let n = channels[i % channels.len()];
            real = match layer {
                0 | 1 => {
                    let k = shape[3];
                    let right = weights.add(&mut g, if layer == 0 { vec![k, n] } else { vec![n, k] }, 1 - layer);
                    let bias = has_bias.then(|| weights.bias(&mut g, n, of_operand, is_stored));
                    let op = MatMul { bias, right_transpose: layer == 1, ..MatMul::new(real, right) };
                    g.op(op).out_dtypes([Dtype::Float32]).call().unwrap()[0]
                }
                2..=4 => {
                    let (oc, group, kernel) = match layer {
                        2 => (n, 1, 1),
                        3 => (n, 1, 2),
                        _ => (shape[1], shape[1], 2),
                    };
                    let filter = weights.add(&mut g, vec![oc, shape[1] / group, kernel, kernel], 0);
                    let bias = has_bias.then(|| weights.bias(&mut g, oc, of_operand, is_stored));
                    let pads = if kernel == 2 { vec![0, 0, 1, 1] } else { vec![0; 4] };
                    let op = Conv::new(real, filter, vec![kernel as i64; 2], vec![1; 2], pads);
                    let op = Conv { group: group as i64, bias, ..op };
                    g.op(op).out_dtypes([Dtype::Float32]).call().unwrap()[0]
                }
                // The same reals, twice; and with those of a tensor that others were made of.
                5 => g.add(real, real).call().unwrap(),
                _ => {
                    let (other, own) = (quantized(&mut g, real, to), dequantized(&mut g, t, kind));
                    let other = dequantized(&mut g, other, to);
                    if layer == 6 { g.add(own, other).call().unwrap() } else { g.mul(own, other).call().unwrap() }
                }
            };
            if has_relu {
                real = g.relu(real).call().unwrap();
            }
            if is_output {
                outputs.push(real);
            }
            t = quantized(&mut g, real, to);
            kind = to;
            if has_bias && is_stored {
                t = g.permute(t, [0, 1, 3, 2]).call().unwrap();
            }
        }
        // The sums themselves, read by an operator of reals.
        let real = dequantized(&mut g, t, kind);
        let shape = g.tensor(real).unwrap().shape.clone();
        outputs.push(if sums {
            let right = weights.add(&mut g, vec![shape[3], 5], 1);
            let product = g.op(MatMul::new(real, right)).out_dtypes([Dtype::Float32]).call().unwrap()[0];
            g.add(product, 1.0).call().unwrap()
        } else {
            real
        });
        g.set_outputs(&outputs).unwrap();
        let feeds = [("x", small_integers(&[batch, channels[0], size.0, size.1], 1))];
        let [fast, slow] = both(&g, &feeds);
        prop_assert_eq!(fast, slow);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Quotients of float32 lie halfway between two integers where those of float64 do not.
    #[test]
    fn halves_are_rounded_as_in_float32(
        numbers in prop::collection::vec(-300i32..300, 64), scales in prop::collection::vec(prop::sample::select(&[0.1f32, 0.05, 0.03, 0.2, 0.7]), 3),
        functions in prop::collection::vec(0usize..6, 2), zero in -3i64..4, has_nan: bool,
    ) {
        let mut g = Graph::new("g").unwrap();
        let mut t = input(&mut g, "x", &[1, 1, 8, 8]);
        for (i, scale) in scales.iter().map(|scale| f64::from(*scale)).enumerate() {
            let own = || (vec![scale], vec![zero]);
            let bytes = g.op(QuantizeLinear::new(t, own().0, own().1)).out_dtypes([Dtype::Int8]).call().unwrap()[0];
            t = g.op(DequantizeLinear::new(bytes, own().0, own().1)).out_dtypes([Dtype::Float32]).call().unwrap()[0];
            t = match functions.get(i) {
                Some(0) => g.relu(t).call(),
                Some(1) => g.mul(t, 1.5).call(),
                Some(2) => g.avgpool2d(t).kernel([2, 2]).stride([1, 1]).pad([0, 0, 1, 1]).count_include_pad(true).call(),
                Some(3) => g.permute(t, [0, 1, 3, 2]).call(),
                Some(4) => g.tanh(t).call(),
                Some(_) => g.hswish(t).call(),
                None => Ok(t),
            }.unwrap();
        }
        g.set_outputs(&[t]).unwrap();
        let mut halves: Vec<f32> = numbers.iter().map(|n| *n as f32 * (scales[0] / 2.0)).collect();
        if has_nan {
            halves[5] = f32::NAN;
        }
        let feeds = [("x", Array::from_vec([1, 1, 8, 8], halves).unwrap())];
        let [fast, slow] = both(&g, &feeds);
        prop_assert_eq!(fast, slow);
    }
}

/// Bytes that are read as numbers, or are results, are not quantized.
#[test]
fn integers_that_others_read_stay_integers() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 8]);
    let t = quantized(&mut g, x, 0);
    let weights = Weights { dtype: Dtype::Int8, zero: 0, has_own_scales: true };
    let real = dequantized(&mut g, t, 0);
    let right = weights.add(&mut g, vec![8, 4], 1);
    let product = g.op(MatMul::new(real, right)).out_dtypes([Dtype::Float32]).call().unwrap()[0];
    let number = g.cast(t).call().unwrap();
    g.set_outputs(&[product, number]).unwrap();
    let feeds = [("x", small_integers(&[1, 8], 1))];
    let [fast, slow] = both(&g, &feeds);
    assert_eq!(fast, slow);
}

/// A conversion to bytes is no quantization.
#[test]
fn reals_become_plain_integers() {
    for has_relu in [false, true] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[3, 8]);
        let t = quantized(&mut g, x, 1);
        let weights = Weights { dtype: Dtype::Int8, zero: 0, has_own_scales: true };
        let real = dequantized(&mut g, t, 1);
        let right = weights.add(&mut g, vec![8, 4], 1);
        let mut product = g.op(MatMul::new(real, right)).out_dtypes([Dtype::Float32]).call().unwrap()[0];
        if has_relu {
            product = g.relu(product).call().unwrap();
        }
        let sum = g.add(real, real).call().unwrap();
        let integers = [product, sum].map(|t| g.cast(t).out_dtype(Dtype::Int8).call().unwrap());
        g.set_outputs(&integers).unwrap();
        let feeds = [("x", small_integers(&[3, 8], 1))];
        let [fast, slow] = both(&g, &feeds);
        assert_eq!(fast, slow);
    }
}

#[test]
fn a_plan_says_which_products_are_of_bytes() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[4, 8]);
    let mut t = quantized(&mut g, x, 1);
    let weights = Weights { dtype: Dtype::Int8, zero: 0, has_own_scales: true };
    for is_stored in [true, false] {
        let real = dequantized(&mut g, t, 1);
        let right = weights.add(&mut g, vec![8, 8], 1);
        let bias = Some(weights.bias(&mut g, 8, 0.5, is_stored));
        let product = g.op(MatMul { bias, ..MatMul::new(real, right) }).out_dtypes([Dtype::Float32]).call().unwrap()[0];
        t = quantized(&mut g, product, 1);
    }
    let y = dequantized(&mut g, t, 1);
    g.set_outputs(&[y]).unwrap();
    let plan = session(&g, false).plan;
    assert!(plan.text("cpu").contains("- 2 operators on quantized integers instead of reals"), "{}", plan.text("cpu"));
    let steps: Vec<String> = plan.steps.iter().map(|s| s.node.text()).collect();
    // Without a stored bias, the sums are integers.
    assert_eq!(steps, ["QuantizeLinear", "MatMul + Cast", "MatMul", "Cast + Mul + Add + QuantizeLinear", "Cast"]);
}

/// Few rows are multiplied by the integers that weights were packed as, more by the reals.
#[test]
fn packed_integers_are_multiplied_by_few_rows() {
    for (rows, step) in [(3, "A16MatMul"), (20, "MatMul")] {
        let array = |shape: [usize; 2], numbers: &dyn Fn(usize) -> u8| {
            Array::from_vec(shape, (0..shape[0] * shape[1]).map(numbers).collect()).unwrap()
        };
        let packed = PackedIntegers {
            bytes: array([6, 32], &|i| (i * 37 % 256) as u8),
            bits: 4,
            block: 32,
            scales: Array::from_vec([6, 2], (0..12).map(|i| 0.25 * i as f32).collect()).unwrap(),
            zero_points: array([6, 2], &|i| i as u8),
        };
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[rows, 64]);
        let right = g.coefficient("w", Array::unpacked(packed).unwrap()).unwrap();
        let op = MatMul { right_transpose: true, ..MatMul::new(x, right) };
        let y = g.op(op).out_dtypes([Dtype::Float32]).call().unwrap()[0];
        g.set_outputs(&[y]).unwrap();
        let feeds = [("x", small_integers(&[rows, 64], 1))];
        let (fast, slow) = (session(&g, false), session(&g, true));
        assert_eq!(fast.plan.steps[0].node.text(), step);
        assert_eq!(fast.run(&feeds).unwrap(), slow.run(&feeds).unwrap());
    }
}
