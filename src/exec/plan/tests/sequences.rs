//! Tests that convolutions of sequences, and the operators that follow them, are computed on blocks of channels.
use super::*;
use crate::ops::{AvgPool, Conv, Deconv, InterpMode, MaxPool, Reduce, ReduceMode};

/// A convolution of a sequence, padded on both sides.
fn conv(g: &mut Graph, x: Tensor, filter: Array, [stride, dilation, pad, group]: [i64; 4]) -> Tensor {
    let (kernel, name) = (filter.shape()[2] as i64, format!("w{}", g.tensors().count()));
    let w = g.coefficient(&name, filter).unwrap();
    let op = Conv::new(x, w, vec![kernel], vec![stride], vec![pad; 2]);
    g.op(Conv { dilations: Some(vec![dilation]), group, ..op }).call().unwrap()[0]
}

fn deconv(g: &mut Graph, x: Tensor, filter: Array, [stride, pad, group]: [i64; 3]) -> Tensor {
    let (kernel, name) = (filter.shape()[2] as i64, format!("w{}", g.tensors().count()));
    let w = g.coefficient(&name, filter).unwrap();
    let op = Deconv::new(x, w, vec![kernel], vec![pad; 2], vec![stride]);
    g.op(Deconv { group, ..op }).call().unwrap()[0]
}

/// As in HiFi-GAN.
#[test]
fn dilated_convolutions_of_sequences_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 20, 50]);
    let a = conv(&mut g, x, filter(&[32, 20, 7], 1), [1, 1, 3, 1]);
    let a = g.leaky_relu(a).negative_slope(0.1).call().unwrap();
    let up = deconv(&mut g, a, filter(&[24, 32, 4], 2), [2, 1, 1]);
    let b = conv(&mut g, up, filter(&[24, 24, 3], 3), [1, 5, 5, 1]);
    let sum = g.add(b, up).call().unwrap();
    let y = conv(&mut g, sum, filter(&[1, 24, 7], 4), [1, 1, 3, 1]);
    let expected = ["Reshape", "Conv + LeakyRelu", "Deconv", "Conv + Add", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y]), expected);
}

/// As in wav2vec 2.0 and the Conformer.
#[test]
fn strided_and_depthwise_convolutions_of_sequences_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 1, 400]);
    let a = conv(&mut g, x, filter(&[32, 1, 10], 1), [5, 1, 0, 1]);
    let a = g.gelu(a).call().unwrap();
    let b = conv(&mut g, a, filter(&[32, 32, 3], 2), [2, 1, 0, 1]);
    let c = conv(&mut g, b, filter(&[32, 1, 31], 3), [1, 1, 15, 32]);
    let y = g.silu(c).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv + GELU", "Conv", "Conv + SiLU", "Reshape"]);
}

/// TpuLang has no convolution of sequences; its users write them as images of one row or column.
#[test]
fn images_of_one_row_or_column_are_sequences() {
    for shape in [[1, 20, 1, 50], [1, 20, 50, 1]] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &shape);
        let [rows, cols] = if shape[2] == 1 { [1, 5] } else { [5, 1] };
        let [top, left] = if shape[2] == 1 { [0, 2] } else { [2, 0] };
        let a = g.conv(x, filter(&[32, 20, rows, cols], 1)).pad([top, left, top, left]).call().unwrap();
        let y = g.conv(a, filter(&[32, 1, rows, cols], 2)).group(32).call().unwrap();
        assert_eq!(steps(&mut g, &[y]), ["Reshape", "Conv", "Conv", "Reshape"]);
    }
}

/// The sum of many numbers, which is computed in float64 otherwise.
#[test]
fn means_of_long_sequences_are_precise() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 100_000]);
    let a = conv(&mut g, x, values(&[16, 3, 1], 1), [1, 1, 0, 1]);
    let a = g.sigmoid(a).call().unwrap();
    let mean = g.op(Reduce::new(a, vec![2], true, ReduceMode::ReduceMean)).call().unwrap()[0];
    assert_eq!(steps_on(values, 2e-6, &mut g, &[mean]), ["Conv + Sigmoid", "AvgPool", "Reshape"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn networks_of_sequences_are_the_same_by_plan(
        channels in prop::collection::vec(1usize..40, 3), kinds in prop::collection::vec(0usize..15, 1..7),
        length in 6usize..70, batch in 1usize..3,
    ) {
        let mut g = Graph::new("g").unwrap();
        let mut t = input(&mut g, "x", &[batch, channels[0], length]);
        let mut seen = vec![t];
        for (i, kind) in kinds.iter().enumerate() {
            let shape = g.tensor(t).unwrap().shape.clone();
            let (ic, oc, length) = (shape[1], channels[i % channels.len()], shape[2]);
            let alike: Vec<Tensor> = seen.iter().copied().filter(|s| g.tensor(*s).unwrap().shape == shape).collect();
            let other = alike[i % alike.len()];
            t = match kind {
                0 => conv(&mut g, t, filter(&[oc, ic, 3], i), [1, 1, 1, 1]),
                1 => conv(&mut g, t, filter(&[oc, ic, 5], i), [1, 3, 6, 1]),
                2 if length > 4 => conv(&mut g, t, filter(&[oc, ic, 4], i), [2, 1, 1, 1]),
                3 => conv(&mut g, t, filter(&[ic, 1, 5], i), [1, 2, 4, ic as i64]),
                4 if ic % 2 == 0 => conv(&mut g, t, filter(&[ic, ic / 2, 3], i), [1, 1, 1, 2]),
                5 => deconv(&mut g, t, filter(&[oc, ic, 4], i), [3, 1, 1]),
                6 => g.add(t, other).call().unwrap(),
                7 => g.mul(t, values(&[1, ic, 1], i)).call().unwrap(),
                8 => g.concat([t, other]).axis(1).call().unwrap(),
                9 => g.op(AvgPool::new(t, vec![3], vec![1], vec![1, 1])).call().unwrap()[0],
                13 => g.interpolate(t, 1.0, 1.5).method(InterpMode::Linear).call().unwrap(),
                12 => g.prelu(t, values(&[ic], i)).call().unwrap(),
                11 => g.mul(t, values(&[batch, 1, length], i)).call().unwrap(),
                10 => g.op(MaxPool::new(t, vec![3], vec![2], vec![1, 1])).call().unwrap()[0],
                _ => g.silu(t).call().unwrap(),
            };
            seen.push(t);
        }
        let outputs = [t, seen[seen.len() / 2]];
        let outputs = if outputs[0] == outputs[1] || g.inputs().contains(&outputs[1]) { &outputs[..1] } else { &outputs };
        steps(&mut g, outputs);
    }
}
