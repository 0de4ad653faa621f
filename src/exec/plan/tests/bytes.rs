//! Networks of bytes: convolutions, functions of bytes, and operators that move them.
use super::{input, session, steps, values};
use crate::{
    Array, Dtype, Graph, Quantization, Tensor,
    ops::{AvgPool, Conv},
    quant::RoundMode,
};
use proptest::prelude::*;

/// The kinds of quantized tensors that a network may have, in turns.
const QUANTIZED: [(Dtype, f64, i64); 4] =
    [(Dtype::Int8, 0.02, 0), (Dtype::Uint8, 0.03, 117), (Dtype::Int8, 0.011, -5), (Dtype::Uint8, 0.05, 0)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Sequences and volumes, too.
    #[test]
    fn convolutions_of_bytes_are_the_same_by_plan(
        axes in prop::sample::select(vec![1usize, 3]), channels in [1usize..20, 1usize..20], size in 4usize..8, batch in 1usize..3,
        kernel in 1usize..5, stride in 1i64..3, kinds: [bool; 2], joined: bool,
    ) {
        let mut g = Graph::new("g").unwrap();
        let shape = |channels: usize| [vec![batch, channels], vec![size; axes]].concat();
        let bytes = |dtype, shape: Vec<usize>, step: usize| {
            let n = shape.iter().product::<usize>();
            let low = if dtype == Dtype::Int8 { -128.0 } else { 0.0 };
            Array::from_f64s(dtype, shape, (0..n).map(|i| low + (i * step % 256) as f64)).unwrap()
        };
        let x = g.input("x", Dtype::Uint8, shape(channels[0])).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.03, 117)).unwrap();
        let mut t = x;
        for (i, is_depthwise) in kinds.into_iter().enumerate() {
            let ic = g.tensor(t).unwrap().shape[1];
            let (oc, group) = if is_depthwise { (ic, ic) } else { (channels[1], 1) };
            let weights = bytes(Dtype::Int8, [vec![oc, ic / group], vec![kernel; axes]].concat(), 37);
            let filter = g.coefficient(&format!("w{i}"), weights).unwrap();
            g.quantize(filter, &Quantization::per_tensor(0.01, 0)).unwrap();
            let pads = [vec![kernel as i64 / 2; axes], vec![(kernel as i64 - 1) / 2; axes]].concat();
            let conv = Conv { group: group as i64, ..Conv::new(t, filter, vec![kernel as i64; axes], vec![1; axes], pads) };
            let conv = Conv { strides: vec![if i == 1 { stride } else { 1 }; axes], ..conv };
            t = g.op(conv).out_dtypes([Dtype::Uint8]).call().unwrap()[0];
            g.quantize(t, &Quantization::per_tensor(0.4, 100)).unwrap();
            if joined && i == 0 {
                t = g.concat([t, t]).axis(1).dtype(Dtype::Uint8).call().unwrap();
                g.quantize(t, &Quantization::per_tensor(0.4, 100)).unwrap();
            }
        }
        g.set_outputs(&[t]).unwrap();
        let feeds = [("x", bytes(Dtype::Uint8, shape(channels[0]), 91))];
        let (fast, slow) = (session(&g, false).run(&feeds).unwrap(), session(&g, true).run(&feeds).unwrap());
        prop_assert_eq!(fast, slow);
    }

    /// Bytes are the same whatever the layout: all of these operators are exact.
    #[test]
    fn networks_of_bytes_are_the_same_by_plan(
        channels in prop::collection::vec(1usize..40, 3), kinds in prop::collection::vec((0usize..12, 0usize..4), 1..8),
        size in (4usize..9, 4usize..9), batch in 1usize..3, stride in 1i64..3, narrow: bool, per_channel: bool,
    ) {
        let quantized = |g: &mut Graph, t: Tensor, i: usize| {
            let (_, scale, zero) = QUANTIZED[i];
            g.quantize(t, &Quantization::per_tensor(scale, zero)).unwrap();
        };
        let weights = |dtype: Dtype, shape: &[usize], seed: usize| {
            let n = shape.iter().product::<usize>();
            let (low, range) = if narrow { (64.0, 129) } else { (0.0, 256) };
            let low = if dtype == Dtype::Int8 { low - 128.0 } else { low };
            Array::from_f64s(dtype, shape.to_vec(), (0..n).map(|i| low + ((i * 37 + seed * 101) % range) as f64)).unwrap()
        };
        let scales = |scale: f64, channels: usize| match per_channel {
            true => (0..channels).map(|c| scale * (1.0 + c as f64 / 7.0)).collect(),
            false => vec![scale],
        };
        let mut g = Graph::new("g").unwrap();
        let mut t = g.input("x", QUANTIZED[0].0, [batch, channels[0], size.0, size.1]).unwrap();
        quantized(&mut g, t, 0);
        let mut seen = vec![t];
        for (i, &(kind, q)) in kinds.iter().enumerate() {
            let info = g.tensor(t).unwrap();
            let (shape, dtype, own) = (info.shape.clone(), info.dtype, info.quantization.clone().unwrap());
            let (ic, oc, (to, scale, zero)) = (shape[1], channels[i % channels.len()], QUANTIZED[q]);
            let own = own.values();
            let alike: Vec<Tensor> = seen.iter().copied().filter(|s| g.tensor(*s).unwrap().shape == shape).collect();
            let other = alike[i % alike.len()];
            let of_weights = if i % 3 == 0 { Dtype::Uint8 } else { Dtype::Int8 };
            let zero_of_weights = if of_weights == Dtype::Uint8 { 128 + (i as i64 % 2) * 7 } else { 0 };
            let bias = Array::from_f64s(Dtype::Int32, vec![oc], (0..oc).map(|c| (c * 900) as f64 - 5000.0)).unwrap();
            let group = if ic % 2 == 0 && oc % 2 == 0 { 2 } else { 1 };
            t = match kind {
                0..=2 => {
                    let kernel = if kind == 2 { 1 } else { 3 };
                    let w = weights(of_weights, &[oc, ic / group, kernel, kernel], i);
                    let pad = if kernel == 3 { [1, 2, 1, 0] } else { [0; 4] };
                    let conv = g.conv_quant(t, w).stride([stride, 1]).pad(pad).group(group as i64).out_dtype(to);
                    let conv = conv.input_scale(own.0[0]).input_zp(own.1[0]).weight_scale(scales(1e-3, oc)).weight_zp(zero_of_weights);
                    conv.bias(bias).output_scale(scale).output_zp(zero).call()
                }
                3 => {
                    let w = weights(Dtype::Int8, &[ic, 1, 3, 3], i);
                    let conv = g.conv_quant(t, w).stride([1, stride]).pad([1, 1, 1, 1]).group(ic as i64).out_dtype(to);
                    let conv = conv.input_scale(own.0[0]).input_zp(own.1[0]).weight_scale(scales(2e-3, ic)).weight_zp(0);
                    conv.output_scale(scale).output_zp(zero).call()
                }
                4 => {
                    let of_other = g.tensor(other).unwrap().quantization.clone().unwrap().values();
                    let scales = [own.0[0], of_other.0[0], scale];
                    g.add(t, other).out_dtype(to).scale(scales).zero_point([own.1[0], of_other.1[0], zero]).call()
                }
                5 => g.maxpool2d(t).kernel([3, 3]).stride([stride, 1]).pad([1, 1, 1, 1]).call(),
                6 => g.relu(t).call(),
                8 => {
                    let sigmoid = gate(&mut g, t, dtype);
                    g.mul(t, sigmoid).out_dtype(to).scale([own.0[0], 0.004, scale]).zero_point([own.1[0], 0, zero]).call()
                }
                9 => {
                    let mean = g.op(AvgPool::new(t, vec![shape[2] as i64, shape[3] as i64], vec![1, 1], vec![0; 4]));
                    let mean = mean.out_dtypes([dtype]).call().unwrap()[0];
                    g.quantize(mean, &Quantization::per_tensor(0.015, own.1[0])).unwrap();
                    let mean = gate(&mut g, mean, dtype);
                    g.mul(t, mean).out_dtype(to).scale([own.0[0], 0.004, scale]).zero_point([own.1[0], 0, zero]).call()
                }
                10 => {
                    let pool = AvgPool { count_include_pad: i % 2 == 0, ..AvgPool::new(t, vec![3, 2], vec![stride, 1], vec![1, 1, 1, 0]) };
                    g.op(pool).out_dtypes([dtype]).call().map(|results| results[0])
                }
                11 => {
                    let reals = [t, alike[0]].map(|t| g.cast(t).call().unwrap());
                    let joint = g.concat([reals[0], reals[1], reals[0]]).axis(1).call().unwrap();
                    g.cast(joint).out_dtype(dtype).round_mode(RoundMode::HalfToEven).call()
                }
                _ => g.concat([t, t]).axis(1).dtype(dtype).call(),
            }.unwrap();
            if g.tensor(t).unwrap().quantization.is_none() {
                let same = if kind >= 5 { Quantization::per_tensor(own.0[0], own.1[0]) } else { Quantization::per_tensor(scale, zero) };
                g.quantize(t, &same).unwrap();
            }
            seen.push(t);
        }
        g.set_outputs(&[t]).unwrap();
        let feeds = [("x", weights(QUANTIZED[0].0, &[batch, channels[0], size.0, size.1], 3))];
        let (fast, slow) = (session(&g, false).run(&feeds).unwrap(), session(&g, true).run(&feeds).unwrap());
        prop_assert_eq!(fast, slow);
    }
}

/// The sigmoid of a quantized tensor.
fn gate(g: &mut Graph, t: Tensor, dtype: Dtype) -> Tensor {
    let real = g.cast(t).call().unwrap();
    let sigmoid = g.sigmoid(real).call().unwrap();
    let stored = g.cast(sigmoid).out_dtype(dtype).call().unwrap();
    g.quantize(stored, &Quantization::per_tensor(0.004, 0)).unwrap();
    stored
}

/// The activation of an EfficientNet, and the gate of its channels.
#[test]
fn gates_of_bytes_keep_the_layout() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 16, 6, 6]);
    let mut y = g.cast(x).out_dtype(Dtype::Uint8).call().unwrap();
    g.quantize(y, &Quantization::per_tensor(0.02, 0)).unwrap();
    let conv = |g: &mut Graph, y: Tensor| {
        let weights = Array::from_f64s(Dtype::Int8, [16, 16, 1, 1], (0..256).map(|i| (i * 37 % 100) as f64 - 50.0));
        let conv = g.conv_quant(y, weights.unwrap()).out_dtype(Dtype::Uint8);
        conv.input_scale(0.02).weight_scale(0.01).output_scale(0.02).output_zp(100).call().unwrap()
    };
    y = conv(&mut g, y);
    let sigmoid = gate(&mut g, y, Dtype::Uint8);
    y = g.mul(y, sigmoid).scale([0.02, 0.004, 0.02]).zero_point([100, 0, 100]).call().unwrap();
    let mean = g.op(AvgPool::new(y, vec![6, 6], vec![1, 1], vec![0; 4])).out_dtypes([Dtype::Uint8]).call().unwrap()[0];
    g.quantize(mean, &Quantization::per_tensor(0.02, 100)).unwrap();
    let mean = conv(&mut g, mean);
    let mean = gate(&mut g, mean, Dtype::Uint8);
    y = g.mul(y, mean).scale([0.02, 0.004, 0.02]).zero_point([100, 0, 0]).call().unwrap();
    let y = g.cast(y).call().unwrap();
    let activation = "Cast + Sigmoid + Cast + Mul";
    let gate = ["AvgPool", "Conv", "Cast + Sigmoid + Cast", "Mul"];
    assert_eq!(
        steps(&mut g, &[y]),
        [&["Cast", "Reshape", "Conv", activation][..], &gate, &["Reshape", "Cast"]].concat()
    );
}

#[test]
fn bytes_are_concatenated_without_their_reals() {
    let of = |round_mode, is_pinned: bool, dtype| {
        let mut g = Graph::new("g").unwrap();
        let [x, y] = [("x", Dtype::Uint8, 0.1), ("y", dtype, 0.2)].map(|(name, dtype, scale)| {
            let real = input(&mut g, name, &[2, 3]);
            let stored = g.cast(real).out_dtype(dtype).call().unwrap();
            g.quantize(stored, &Quantization::per_tensor(scale, 10)).unwrap();
            g.cast(stored).call().unwrap()
        });
        let joint = g.concat([x, y, x]).axis(0).call().unwrap();
        let stored = g.cast(joint).out_dtype(Dtype::Uint8).round_mode(round_mode).call().unwrap();
        g.quantize(stored, &Quantization::per_tensor(0.15, 100)).unwrap();
        let y = g.cast(stored).call().unwrap();
        steps(&mut g, &[y, joint][..if is_pinned { 2 } else { 1 }])
    };
    let all = ["Cast", "Cast", "Cast", "Cast", "Concat", "Cast", "Cast"];
    let few = ["Cast", "Cast", "Concat", "Cast"];
    assert_eq!(of(RoundMode::HalfToEven, false, Dtype::Uint8), few);
    assert_eq!(of(RoundMode::HalfToEven, true, Dtype::Uint8), all, "the reals are needed");
    assert_eq!(of(RoundMode::HalfToEven, false, Dtype::Int8), all, "different dtypes");
    assert_eq!(of(RoundMode::Down, false, Dtype::Uint8), all, "another rounding");
}

/// Quantizes `x`, dequantizes and permutes it, and quantizes it again.
fn permuted_integers(g: &mut Graph, scales: [f64; 2], round_mode: RoundMode) -> Vec<String> {
    let mut y = input(g, "x", &[2, 3, 4]);
    for (i, scale) in scales.into_iter().enumerate() {
        let stored = g.cast(y).out_dtype(Dtype::Uint8).round_mode(round_mode).call().unwrap();
        g.quantize(stored, &Quantization::per_tensor(scale, 128)).unwrap();
        y = g.cast(stored).call().unwrap();
        if i == 0 {
            y = g.permute(y, [2, 0, 1]).call().unwrap();
            y = g.reshape(y, [4, 6]).call().unwrap();
        }
    }
    steps(g, &[y])
}

#[test]
fn integers_are_moved_without_their_reals() {
    let of = |scales, round_mode| permuted_integers(&mut Graph::new("g").unwrap(), scales, round_mode);
    assert_eq!(of([0.1, 0.1], RoundMode::HalfToEven), ["Cast", "Permute", "Reshape", "Cast"]);
    let all = ["Cast", "Cast", "Permute", "Reshape", "Cast", "Cast"];
    assert_eq!(of([0.1, 0.2], RoundMode::HalfToEven), all, "another scale");
    assert_eq!(
        of([0.1, 0.1], RoundMode::Down),
        all,
        "numbers may be a little smaller than the integers they stand for"
    );
}

#[test]
fn rows_of_dequantized_tables_are_gathered_as_integers() {
    let stored = |dtype| Array::from_f64s(dtype, [5, 3], (0..15).map(|i| i as f64)).unwrap();
    let float = |scale: f64| f64::from(scale as f32);
    let of = |dtype, scales: Vec<f64>, zero_points: Vec<i64>, axis| {
        let mut g = Graph::new("g").unwrap();
        let table = stored(dtype).dequantized(scales, zero_points, 0).unwrap();
        let table = g.coefficient("table", table).unwrap();
        let indices = g.input("i", Dtype::Int32, [4]).unwrap();
        let y = g.index_select(table, indices).axis(axis).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let feeds = [("i", Array::from_vec([4], vec![0i32, 2, 1, 2]).unwrap())];
        let [fused, unfused] = [false, true].map(|unfused| session(&g, unfused));
        assert_eq!(fused.run(&feeds[..]).unwrap(), unfused.run(&feeds[..]).unwrap());
        fused.plan.steps.iter().map(|s| s.node.text()).collect::<Vec<_>>()
    };
    for (dtype, zero) in [(Dtype::Uint8, 3), (Dtype::Int8, -7)] {
        assert_eq!(of(dtype, vec![float(0.1)], vec![zero], 0), ["Gather", "Cast"]);
        assert_eq!(of(dtype, vec![float(0.1)], vec![], 1), ["Gather", "Cast"]);
    }
    assert_eq!(of(Dtype::Uint8, vec![0.1], vec![], 0), ["Gather"], "the scale is not a float32");
    assert_eq!(of(Dtype::Int16, vec![float(0.1)], vec![], 0), ["Gather"]);
    assert_eq!(of(Dtype::Uint8, vec![0.5; 5], vec![], 0), ["Gather"], "several scales");
}

#[test]
fn several_gathers_share_a_table_of_integers() {
    let of = |is_read_elsewhere: bool| {
        let mut g = Graph::new("g").unwrap();
        let stored = Array::from_f64s(Dtype::Uint8, [5, 3], (0..15).map(|i| i as f64)).unwrap();
        let table = g.coefficient("table", stored.dequantized(vec![0.5], vec![3], 0).unwrap()).unwrap();
        let i = g.input("i", Dtype::Int32, [2]).unwrap();
        let mut outputs: Vec<Tensor> = (0..2).map(|axis| g.index_select(table, i).axis(axis).call().unwrap()).collect();
        if is_read_elsewhere {
            let x = input(&mut g, "x", &[2, 5]);
            outputs.push(g.matmul(x, table).call().unwrap());
        }
        g.set_outputs(&outputs).unwrap();
        let mut feeds = vec![("i", Array::from_vec([2], vec![2i32, 0]).unwrap())];
        feeds.extend(is_read_elsewhere.then(|| ("x", values(&[2, 5], 1))));
        let [fused, unfused] = [false, true].map(|unfused| session(&g, unfused));
        assert_eq!(fused.run(&feeds[..]).unwrap(), unfused.run(&feeds[..]).unwrap());
        let gathers = fused.plan.steps.iter().filter(|step| step.node.text() == "Gather");
        gathers.map(|step| (step.operands[0], fused.plan.entry(step.operands[0]).unwrap().ty.dtype)).collect::<Vec<_>>()
    };
    let [(first, dtype), (second, _)] = of(false)[..] else { panic!("two gathers") };
    assert_eq!((first, dtype), (second, Dtype::Uint8));
    assert!(of(true).iter().all(|(_, dtype)| *dtype == Dtype::Float32), "the reals are needed by the product");
}

/// Between convolutions of bytes, whose results have their channels last.
#[test]
fn functions_of_bytes_keep_the_layout() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 16, 6, 6]);
    let weights =
        || Array::from_f64s(Dtype::Int8, [16, 16, 3, 3], (0..16 * 144).map(|i| (i * 37 % 100) as f64 - 50.0)).unwrap();
    let mut y = g.cast(x).out_dtype(Dtype::Uint8).call().unwrap();
    for _ in 0..2 {
        let conv = g.conv_quant(y, weights()).pad([1, 1, 1, 1]).out_dtype(Dtype::Uint8);
        let sums = conv.input_scale(0.02).weight_scale(0.01).output_scale(0.05).call().unwrap();
        let real = g.cast(sums).call().unwrap();
        let real = g.silu(real).call().unwrap();
        let real = g.mul(real, Array::from_vec([1, 1, 1, 1], vec![0.9f32]).unwrap()).call().unwrap();
        y = g.cast(real).out_dtype(Dtype::Uint8).call().unwrap();
    }
    g.quantize(y, &Quantization::per_tensor(0.1, 0)).unwrap();
    let y = g.cast(y).call().unwrap();
    let all = steps(&mut g, &[y]);
    assert_eq!(all.iter().filter(|step| *step == "Cast + SiLU + Mul + Cast").count(), 2, "{all:?}");
    assert_eq!(all.iter().filter(|step| *step == "Reshape").count(), 2, "only at both ends: {all:?}");
}

/// Each channel's weights have their own scale, and a zero point that is the same in all.
#[test]
fn filters_quantized_per_channel_are_multiplied_as_bytes() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Uint8, [1, 4, 8, 8]).unwrap();
    for group in [1, 4] {
        let w = Array::from_f64s(Dtype::Int8, [4, 4 / group, 3, 3], (0..144 / group).map(|i| (i % 200) as f64 - 100.0))
            .unwrap();
        let conv = g
            .conv_quant(x, w)
            .group(group as i64)
            .out_dtype(Dtype::Uint8)
            .input_scale(0.1)
            .weight_scale([0.1, 0.2, 0.3, 0.4]);
        let y = conv.output_scale(30.0).call().unwrap();
        let mut one = g.clone();
        one.set_outputs(&[y]).unwrap();
        let text = session(&one, false).explain();
        assert!(text.contains("1 step on images with channels in blocks or last"), "{text}");
    }
}
