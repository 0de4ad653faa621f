//! Tests that convolutions, and the operators that follow them, are computed on blocks of channels.
use super::*;
use crate::{
    FusionLevel,
    ops::{AutoPad, Conv, InstanceNorm, InterpMode, PadMode, Reciprocal, Reduce, ReduceMode, ShuffleChannel},
};

#[test]
fn convolutions_and_what_lies_between_them_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 9, 8]);
    let a = g.conv(x, values(&[32, 3, 3, 3], 1)).pad([1, 1, 1, 1]).call().unwrap();
    let a = g.relu(a).call().unwrap();
    let p = g.maxpool2d(a).kernel([2, 2]).stride([2, 2]).call().unwrap();
    let b = g.conv(p, values(&[32, 32, 1, 1], 2)).call().unwrap();
    let s = g.silu(b).call().unwrap();
    let r = g.add(s, p).call().unwrap();
    let both = g.concat([r, p]).axis(1).call().unwrap();
    let y = g.conv(both, values(&[5, 64, 1, 1], 3)).call().unwrap();
    let expected = ["Conv + Relu", "MaxPool", "Conv + SiLU + Add", "Concat", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y]), expected, "one conversion, at the end");
}

#[test]
fn convolutions_of_volumes_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 4, 9, 8]);
    let a = g.conv3d(x, filter(&[40, 3, 3, 3, 3], 1)).pad([1, 1, 1, 1, 1, 1]).call().unwrap();
    let a = g.relu(a).call().unwrap();
    let b = g.conv3d(a, filter(&[40, 40, 3, 1, 1], 2)).bias(values(&[40], 5)).pad([1, 0, 0, 1, 0, 0]).call().unwrap();
    let b = g.add(b, a).call().unwrap();
    let b = g.relu(b).call().unwrap();
    let y = g.conv3d(b, filter(&[20, 40, 1, 2, 2], 4)).stride([2, 2, 1]).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv + Relu", "Conv + Add + Relu", "Conv", "Reshape"]);
}

#[test]
fn transposed_and_depthwise_convolutions_of_volumes_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 20, 3, 4, 5]);
    let up = g.deconv3d(x, filter(&[24, 20, 2, 4, 3], 1)).bias(values(&[24], 2)).stride([1, 2, 3]);
    let up = up.pad([0, 1, 0, 1, 0, 1]).output_padding([0, 1, 0]).call().unwrap();
    let up = g.relu(up).call().unwrap();
    let y = g.conv3d(up, filter(&[24, 1, 3, 3, 3], 3)).group(24).pad([1, 1, 1, 1, 1, 1]).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Reshape", "Deconv + Relu", "Conv", "Reshape"]);
}

/// A batch norm before its convolution, as in DenseNet, cannot be folded.
#[test]
fn batch_norms_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 9, 8]);
    let a = g.conv(x, values(&[32, 3, 3, 3], 1)).call().unwrap();
    let b = g.conv(a, values(&[16, 32, 1, 1], 2)).call().unwrap();
    let both = g.concat([a, b]).axis(1).call().unwrap();
    let n =
        g.batch_norm(both, values(&[48], 3), vec![2.0f32; 48]).gamma(values(&[48], 4)).beta(values(&[48], 5)).call();
    let n = g.relu(n.unwrap()).call().unwrap();
    let y = g.conv(n, filter(&[8, 48, 1, 1], 6)).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv", "Conv", "Concat + Mul + Add + Relu", "Conv", "Reshape"]);
}

/// As in GhostNet and ShuffleNet; the channels of a block do not stay together.
#[test]
fn channels_are_moved_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, filter(&[20, 3, 3, 3], 1)).call().unwrap();
    let b = g.conv(a, filter(&[24, 20, 1, 1], 2)).call().unwrap();
    let both = g.concat([a, b]).axis(1).call().unwrap();
    let both = g.relu(both).call().unwrap();
    let mixed = g.op(ShuffleChannel::new(both, 2)).call().unwrap()[0];
    let parts = g.split(mixed).axis(1).num(2).call().unwrap();
    let some = g.slice(parts[0], 1, 21).axes(1).call().unwrap();
    let y = g.conv(some, filter(&[8, 20, 1, 1], 3)).call().unwrap();
    let z = g.conv(parts[1], filter(&[8, 22, 1, 1], 4)).call().unwrap();
    let expected =
        ["Conv", "Conv", "Concat + Relu", "ShuffleChannel", "Split", "Slice", "Conv", "Reshape", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y, z]), expected);
}

/// The 12 channels of padding would become infinite, and infinity times a weight of 0 is NaN.
#[test]
fn padding_stays_zero() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 9, 8]);
    let a = g.conv(x, filter(&[20, 3, 3, 3], 1)).call().unwrap();
    let b = g.add(a, a).call().unwrap();
    let inverse = g.op(Reciprocal::new(b)).call().unwrap()[0];
    let y = g.conv(inverse, filter(&[8, 20, 1, 1], 2)).call().unwrap();
    assert_eq!(steps(&mut g, &[a, y]), ["Conv", "Reshape", "Add + Reciprocal", "Conv", "Reshape"]);
}

/// Their axes would be broadcast in another order.
#[test]
fn volumes_and_images_in_blocks_are_not_added() {
    let mut g = Graph::new("g").unwrap();
    let (x, z) = (input(&mut g, "x", &[1, 16, 16, 3, 4]), input(&mut g, "z", &[16, 16, 3, 4]));
    let a = g.conv3d(x, filter(&[16, 16, 1, 1, 1], 1)).call().unwrap();
    let b = g.conv(z, filter(&[16, 16, 1, 1], 2)).call().unwrap();
    let sum = g.add(a, b).call().unwrap();
    steps(&mut g, &[sum]);
}

#[test]
fn transposed_convolutions_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 20, 5, 6]);
    let a = g.conv(x, filter(&[32, 20, 1, 1], 1)).call().unwrap();
    let up =
        g.deconv(a, filter(&[24, 32, 4, 3], 2)).bias(values(&[24], 3)).stride([2, 2]).pad([1, 1, 1, 0]).call().unwrap();
    let up = g.relu(up).call().unwrap();
    let y = g.conv(up, filter(&[16, 24, 3, 3], 4)).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Reshape", "Conv", "Deconv + Relu", "Conv", "Reshape"]);
    // Few channels would mostly be padding.
    let few = g.deconv(a, filter(&[3, 32, 2, 2], 5)).stride([2, 2]).call().unwrap();
    assert_eq!(steps(&mut g, &[few]), ["Reshape", "Conv", "Reshape", "Deconv"]);
}

#[test]
fn means_of_images_are_pools() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
    let mean = g.op(Reduce::new(a, vec![-1, 2], true, ReduceMode::ReduceMean)).call().unwrap()[0];
    let gate = g.sigmoid(mean).call().unwrap();
    let y = g.mul(a, gate).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv", "AvgPool + Sigmoid", "Mul", "Reshape"]);
    // The sum of many numbers, which is computed in float64 otherwise.
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 600, 600]);
    let a =
        g.conv(x, values(&[16, 3, 1, 1], 1)).bias(Array::filled(Dtype::Float32, [16], 2.0).unwrap()).call().unwrap();
    let mean = g.op(Reduce::new(a, vec![2, 3], true, ReduceMode::ReduceMean)).call().unwrap()[0];
    assert_eq!(steps_on(values, 2e-6, &mut g, &[mean]), ["Conv", "AvgPool", "Reshape"]);
    // Without their axes, and not over some of them.
    let of_axes = |axes: Vec<i64>, keeps: bool| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 9, 8]);
        let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
        let mean = g.op(Reduce::new(a, axes, keeps, ReduceMode::ReduceMean)).call().unwrap()[0];
        let y = g.sigmoid(mean).call().unwrap();
        steps(&mut g, &[y])
    };
    assert_eq!(of_axes(vec![2, 3], false), ["Conv", "AvgPool", "Reshape + Sigmoid"]);
    assert_eq!(of_axes(vec![3], true), ["Conv", "Reshape", "Reduce + Sigmoid"]);
}

#[test]
fn reductions_of_pixels_stand_in_blocks() {
    use ReduceMode::*;
    for (mode, keeps) in
        [(ReduceMax, true), (ReduceMin, false), (ReduceSum, true), (ReduceL2, false), (ReduceProd, true)]
    {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 6, 50]);
        let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
        let y = g.op(Reduce::new(a, vec![3, 2], keeps, mode)).call().unwrap()[0];
        assert_eq!(steps(&mut g, &[y]), ["Conv", "Reduce", "Reshape"], "{mode:?}");
    }
}

/// As in networks for style transfer, and in BlazeFace.
#[test]
fn images_are_padded_in_blocks() {
    let padded = |mode: PadMode, value: f32, padding: [i64; 8]| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 9, 8]);
        let a = g.conv(x, values(&[20, 3, 3, 3], 1)).call().unwrap();
        let p = g.pad(a).method(mode).value(value).padding(padding).call().unwrap();
        let p = g.relu(p).call().unwrap();
        let ic = g.tensor(p).unwrap().shape[1];
        let y = g.conv(p, filter(&[8, ic, 3, 3], 2)).call().unwrap();
        steps(&mut g, &[y])
    };
    for (mode, value) in
        [(PadMode::Reflect, 0.0), (PadMode::Edge, 0.0), (PadMode::Symmetric, 0.0), (PadMode::Constant, 2.0)]
    {
        assert_eq!(padded(mode, value, [0, 0, 1, 3, 0, 0, 2, 0]), ["Conv", "Pad + Relu", "Conv", "Reshape"]);
    }
    for channels in [5, 12, 13, 40] {
        let padding = [0, 0, 0, 1, 0, channels, 2, 0];
        assert_eq!(padded(PadMode::Constant, 0.0, padding), ["Conv", "Pad + Relu", "Conv", "Reshape"]);
    }
    // Other numbers than zeros, and channels before the first.
    for (value, padding) in [(1.0, [0, 0, 0, 0, 0, 4, 0, 0]), (0.0, [0, 4, 0, 0, 0, 0, 0, 0])] {
        assert_eq!(
            padded(PadMode::Constant, value, padding),
            ["Conv", "Reshape", "Pad + Relu", "Reshape", "Conv", "Reshape"]
        );
    }
}

/// As in MobileFaceNet.
#[test]
fn slopes_per_channel_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
    let a = g.prelu(a, values(&[40], 2)).call().unwrap();
    let b = g.conv(a, filter(&[40, 40, 1, 1], 3)).call().unwrap();
    let sum = g.add(a, b).call().unwrap();
    let first = g.prelu(sum, values(&[1, 40, 1, 1], 4)).call().unwrap();
    let y = g.add(first, sum).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv + PRelu", "Conv + Add", "PRelu + Add", "Reshape"]);
    // A slope that is also added, along the last axis.
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 6, 18]);
    let slope = g.coefficient("slope", values(&[16], 1)).unwrap();
    let a = g.conv(x, values(&[16, 3, 3, 3], 2)).call().unwrap();
    let a = g.prelu(a, slope).call().unwrap();
    let y = g.add(a, slope).call().unwrap();
    steps(&mut g, &[y]);
}

/// The same slopes have another shape in each layout.
#[test]
fn images_and_volumes_in_blocks_share_slopes() {
    let mut g = Graph::new("g").unwrap();
    let (x, v) = (input(&mut g, "x", &[1, 3, 6, 6]), input(&mut g, "v", &[1, 3, 4, 6, 6]));
    let slopes = g.coefficient("slopes", values(&[40], 1)).unwrap();
    let a = g.conv(x, filter(&[40, 3, 3, 3], 2)).call().unwrap();
    let a = g.prelu(a, slopes).call().unwrap();
    let y = g.conv(a, filter(&[20, 40, 1, 1], 3)).call().unwrap();
    let b = g.conv3d(v, filter(&[40, 3, 3, 3, 3], 4)).call().unwrap();
    let b = g.prelu(b, slopes).call().unwrap();
    let z = g.conv3d(b, filter(&[20, 40, 1, 1, 1], 5)).call().unwrap();
    let expected = ["Conv + PRelu", "Conv", "Reshape", "Conv + PRelu", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y, z]), expected);
}

/// As in PiT and CoaT. Constants along some of the other axes are converted, too, and those without channels remain row-major.
#[test]
fn constants_with_channels_stand_in_blocks() {
    for (batch, shape) in
        [(1, &[1, 40, 9, 8][..]), (2, &[40, 9, 8]), (2, &[2, 40, 9, 8]), (2, &[40, 1, 8]), (2, &[9, 8]), (1, &[8])]
    {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[batch, 3, 9, 8]);
        let a = g.conv(x, values(&[40, 3, 3, 3], 1)).pad([1; 4]).call().unwrap();
        let a = g.add(a, values(shape, 2)).call().unwrap();
        let y = g.conv(a, filter(&[40, 40, 1, 1], 3)).call().unwrap();
        assert_eq!(steps(&mut g, &[y]), ["Conv + Add", "Conv", "Reshape"], "{shape:?}");
    }
    // The second addition reads the constant as it is.
    let mut g = Graph::new("g").unwrap();
    let (x, z) = (input(&mut g, "x", &[1, 3, 9, 8]), input(&mut g, "z", &[1, 40, 9, 8]));
    let c = g.coefficient("c", values(&[1, 40, 9, 8], 2)).unwrap();
    let a = g.conv(x, values(&[40, 3, 3, 3], 1)).pad([1; 4]).call().unwrap();
    let outputs = [g.add(a, c).call().unwrap(), g.add(z, c).call().unwrap()];
    assert_eq!(steps(&mut g, &outputs), ["Conv + Add", "Reshape", "Add"]);
}

/// As in ConvNeXt.
#[test]
fn norms_over_channels_stand_in_blocks() {
    let norm = |g: &mut Graph, x: Tensor, axis: i64| {
        let last = g.permute(x, [0, 2, 3, 1]).call().unwrap();
        let y = g.layer_norm(last).axis(axis).gamma(values(&[40], 4)).beta(values(&[40], 5)).call().unwrap();
        g.permute(y, [0, 3, 1, 2]).call().unwrap()
    };
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
    let a = norm(&mut g, a, 3);
    let a = g.relu(a).call().unwrap();
    let y = g.conv(a, filter(&[24, 40, 1, 1], 3)).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv", "PixelNorm + Relu", "Conv", "Reshape"]);
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 40, 9, 8]);
    let y = norm(&mut g, x, -1);
    assert_eq!(steps(&mut g, &[y]), ["PixelNorm"]);
}

/// As in PoolFormer and diffusion models.
#[test]
fn norms_of_groups_stand_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
    let b = g.group_norm(a).num_groups(4).gamma(values(&[40], 4)).beta(values(&[40], 5)).call().unwrap();
    let c = g.op(InstanceNorm::new(b, 1e-3)).call().unwrap()[0];
    let y = g.conv(c, filter(&[24, 40, 1, 1], 3)).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv", "GroupNorm", "InstanceNorm", "Conv", "Reshape"]);
}

/// As in YOLO and U-Net.
#[test]
fn images_are_resized_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, values(&[20, 3, 3, 3], 1)).call().unwrap();
    let up = g.upsample(a).call().unwrap();
    let linear = g.interpolate(a, 2.0, 2.0).method(InterpMode::Linear).call().unwrap();
    let both = g.concat([up, linear]).axis(1).call().unwrap();
    let y = g.conv(both, filter(&[8, 40, 3, 3], 2)).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv", "Upsample", "Interp", "Concat", "Conv", "Reshape"]);
}

/// As in networks exported from TensorFlow.
#[test]
fn padding_is_merged_into_convolutions() {
    let padded = |value: f32, padding: [i64; 8]| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 9, 8]);
        let p = g.pad(x).value(value).padding(padding).call().unwrap();
        let ic = g.tensor(p).unwrap().shape[1];
        let y = g.conv(p, values(&[16, ic, 3, 3], 1)).stride([2, 2]).pad([1, 0, 0, 0]).call().unwrap();
        steps(&mut g, &[y])
    };
    assert_eq!(padded(0.0, [0, 0, 0, 1, 0, 0, 1, 2]), ["Conv", "Reshape"]);
    assert_eq!(padded(1.0, [0, 0, 0, 1, 0, 0, 1, 2]), ["Pad", "Conv", "Reshape"]);
    assert_eq!(padded(0.0, [0, 1, 0, 1, 0, 0, 1, 2]), ["Pad", "Conv", "Reshape"]);
}

/// The padding that the operator computes itself depends on the size of its input.
#[test]
fn padding_stays_before_convolutions_that_compute_their_own() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 8, 8]);
    let p = g.pad(x).padding([0, 0, 1, 1, 0, 0, 1, 1]).call().unwrap();
    let w = g.coefficient("w", values(&[16, 3, 3, 3], 1)).unwrap();
    let conv = Conv { auto_pad: Some(AutoPad::SAMEUPPER), ..Conv::new(p, w, vec![3; 2], vec![1; 2], vec![0; 4]) };
    let y = g.op(conv).call().unwrap()[0];
    assert_eq!(steps(&mut g, &[y]), ["Pad", "Conv", "Reshape"]);
}

/// As in CBAM: the map is broadcast to the channels of a block.
#[test]
fn maps_are_for_all_channels_of_a_block() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 9, 8]);
    let a = g.conv(x, values(&[40, 3, 3, 3], 1)).call().unwrap();
    let map = g.conv(a, filter(&[1, 40, 1, 1], 2)).call().unwrap();
    let map = g.sigmoid(map).call().unwrap();
    let scaled = g.mul(a, map).call().unwrap();
    let b = g.conv(scaled, filter(&[20, 40, 1, 1], 3)).call().unwrap();
    // A mask of the pixels, after which the padding of the channels would not be 0.
    let b = g.add(b, offsets(&[7, 6], 4)).call().unwrap();
    let y = g.conv(b, filter(&[8, 20, 1, 1], 5)).call().unwrap();
    let expected = ["Conv", "Conv + Sigmoid", "Reshape", "Mul", "Conv + Add", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y]), expected);
}

/// As in EfficientNet: the convolution that computes the factors of the channels has few inputs, and reads them row-major.
#[test]
fn squeezed_channels_leave_the_others_in_blocks() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 20, 5, 6]);
    let a = g.conv(x, filter(&[32, 20, 1, 1], 1)).call().unwrap();
    let mean = g.avgpool2d(a).kernel([5, 6]).call().unwrap();
    let few = g.conv(mean, filter(&[4, 32, 1, 1], 2)).call().unwrap();
    let few = g.silu(few).call().unwrap();
    let factors = g.conv(few, filter(&[32, 4, 1, 1], 3)).call().unwrap();
    let factors = g.sigmoid(factors).call().unwrap();
    let scaled = g.mul(a, factors).call().unwrap();
    let y = g.conv(scaled, filter(&[16, 32, 1, 1], 4)).call().unwrap();
    let expected = ["Reshape", "Conv", "AvgPool", "Conv + SiLU", "Reshape", "Conv + Sigmoid", "Mul", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y]), expected);
}

/// Numbers from 2 to 4, which tensors of these networks rarely are: a difference of nearly equal numbers is mostly rounding errors.
fn offsets(shape: &[usize], seed: usize) -> Array {
    let numbers = values(shape, seed).to_f64().unwrap().into_iter().map(|v| v + 3.0);
    Array::from_f64s(Dtype::Float32, shape.to_vec(), numbers).unwrap()
}

fn one_or_several() -> impl Strategy<Value = usize> {
    prop_oneof![1 => Just(1usize), 4 => 4usize..9]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn networks_of_images_are_the_same_by_plan(
        channels in prop::collection::vec(1usize..40, 3), kinds in prop::collection::vec(0usize..30, 1..7),
        size in (one_or_several(), one_or_several()), batch in 1usize..3,
    ) {
        let mut g = Graph::new("g").unwrap();
        let mut t = input(&mut g, "x", &[batch, channels[0], size.0, size.1]);
        let mut seen = vec![t];
        for (i, kind) in kinds.iter().enumerate() {
            let shape = g.tensor(t).unwrap().shape.clone();
            let (ic, oc) = (shape[1], channels[i % channels.len()]);
            let alike: Vec<Tensor> = seen.iter().copied().filter(|s| g.tensor(*s).unwrap().shape == shape).collect();
            let other = alike[i % alike.len()];
            t = match kind {
                0 | 1 => g.conv(t, filter(&[oc, ic, 3, 3], i)).bias(values(&[oc], i)).pad([1, 1, 1, 1]).call(),
                2 => g.conv(t, filter(&[ic, 1, 3, 3], i)).group(ic as i64).pad([1, 1, 1, 1]).call(),
                3 => g.add(t, other).call(),
                4 => g.sigmoid(t).call(),
                5 => g.avgpool2d(t).kernel([3, 3]).stride([1, 1]).pad([1, 1, 1, 1]).count_include_pad(i % 2 == 0).call(),
                6 => g.concat([t, other]).axis(1).call(),
                7 => g.deconv(t, filter(&[oc, ic, 2, 3], i)).bias(values(&[oc], i)).stride([2, 1]).pad([0, 1, 0, 1]).call(),
                8 => g.mul(t, values(&[1, ic, 1, 1], i)).call(),
                9 => g.silu(t).call(),
                10 => g.gelu(t).call(),
                11 => g.add(offsets(&[ic, 1, 1], i), t).call(),
                12 => g.sub(t, offsets(&[1, ic, 1, 1], i)).call(),
                13 => g.batch_norm(t, values(&[ic], i), vec![0.7f32; ic]).beta(values(&[ic], i + 1)).call(),
                14 => g.slice(t, i as i64 % ic as i64, ic as i64).steps(1 + i as i64 % 2).axes(1).call(),
                15 if ic > 1 => {
                    let first = 1 + 5 * i as i64 % (ic as i64 - 1);
                    let parts = g.split(t).axis(1).num(2).size([first, ic as i64 - first]).call().unwrap();
                    seen.extend(&parts);
                    Ok(parts[parts.len() - 1])
                }
                16 => {
                    let t = g.concat([t, t]).axis(1).call().unwrap();
                    Ok(g.op(ShuffleChannel::new(t, if i % 2 == 0 { 2 } else { ic as i64 })).call().unwrap()[0])
                }
                17 => g.add(t, 1.5).call(),
                18 => g.hsigmoid(t).call(),
                19 => {
                    let map = g.conv(t, filter(&[1, ic, 1, 1], i)).call().unwrap();
                    let map = g.sigmoid(map).call().unwrap();
                    g.mul(map, t).call()
                }
                20 => g.add(t, if i % 2 == 0 { offsets(&shape[2..], i) } else { offsets(&[batch, 1, shape[2], shape[3]], i) }).call(),
                21 => g.prelu(t, values(&[ic], i)).call(),
                22 => {
                    let padded = g.pad(t).padding([0, 0, 1, i as i64 % 2, 0, 0, 0, 2]).call().unwrap();
                    g.conv(padded, filter(&[oc, ic, 2, 3], i)).pad([0, 0, 0, i as i64 % 2]).call()
                }
                23 if shape[2] > 1 => {
                    g.interpolate(t, 0.6, 1.3).method(if i % 2 == 0 { InterpMode::Linear } else { InterpMode::Nearest }).call()
                }
                24 if shape[2] < 20 => g.interpolate(t, 1.7, 1.0).method(InterpMode::Linear).call(),
                25 if shape[2] < 20 => g.upsample(t).call(),
                26 if shape[2] < 20 => {
                    let mode = [PadMode::Constant, PadMode::Edge, PadMode::Symmetric][i % 3];
                    g.pad(t).method(mode).value(1.5).padding([0, 0, 1, 0, 0, 0, 0, i as i64 % 2]).call()
                }
                27 => g.pad(t).padding([0, 0, 0, 1, 0, i as i64 * 7, 0, 0]).call(),
                28 => {
                    let mode = [ReduceMode::ReduceMax, ReduceMode::ReduceMean, ReduceMode::ReduceMin][i % 3];
                    let keeps = i % 2 == 0;
                    let reduced = g.op(Reduce::new(t, vec![2, 3], keeps, mode)).call().unwrap()[0];
                    let reduced = g.relu(reduced).call().unwrap();
                    let reduced = if keeps { reduced } else { g.reshape(reduced, [batch as i64, ic as i64, 1, 1]).call().unwrap() };
                    g.add(t, reduced).call()
                }
                _ => g.leaky_relu(t).negative_slope(0.1).call(),
            }.unwrap();
            seen.push(t);
        }
        let outputs = [t, seen[seen.len() / 2]];
        let outputs = if outputs[0] == outputs[1] || g.inputs().contains(&outputs[1]) { &outputs[..1] } else { &outputs };
        steps(&mut g, outputs);
    }
}

/// A visitor sees all tensors, row-major, although convolutions compute in blocks.
#[test]
fn every_tensor_is_visited_in_its_own_shape() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 16, 6, 5]);
    let a = g.conv(x, filter(&[32, 16, 3, 3], 1)).bias(values(&[32], 2)).call().unwrap();
    let r = g.relu(a).call().unwrap();
    let b = g.conv(r, filter(&[20, 32, 1, 1], 3)).call().unwrap();
    let constant = g.coefficient("c", values(&[20, 1, 1], 4)).unwrap();
    let folded = g.mul(constant, 0.5).call().unwrap();
    let y = g.add(b, folded).call().unwrap();
    let z = g.permute(y, [0, 2, 3, 1]).call().unwrap();
    g.set_outputs(&[z]).unwrap();
    let visited = |options: RunOptions| {
        let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
        let mut seen = Vec::new();
        let results = session.visit(&[("x", values(&[2, 16, 6, 5], 5))], &mut |name, array| {
            seen.push((name.to_owned(), array.shape().to_vec(), array.to_f32()?));
            Ok(())
        });
        results.unwrap();
        (seen, session.explain())
    };
    let (every, plan) = visited(RunOptions::default().fusion(FusionLevel::Layouts));
    let (unfused, _) = visited(RunOptions::default().unfused(true));
    assert!(plan.contains("on images with channels in blocks"), "{plan}");
    assert_eq!(every.len(), 6);
    for ((name, shape, numbers), (of, expected_shape, expected)) in every.iter().zip(&unfused) {
        assert!(name == of && shape == expected_shape, "{name} {of}");
        assert!(numbers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{name}");
    }
    let (fused, _) = visited(RunOptions::default());
    assert!(
        fused.iter().all(|(name, shape, _)| unfused.iter().any(|(of, expected, _)| name == of && shape == expected))
    );
}

/// As in MobileNet. The expanded image is larger than the second-level cache.
#[test]
fn depthwise_convolutions_are_fused_into_expansions() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 150, 146]);
    let first = g.conv(x, filter(&[16, 3, 3, 3], 1)).stride([2, 2]).pad([1, 1, 1, 1]).call().unwrap();
    let expanded = g.conv(first, filter(&[72, 16, 1, 1], 2)).bias(values(&[72], 3)).call().unwrap();
    let expanded = g.silu(expanded).call().unwrap();
    let deep = g.conv(expanded, filter(&[72, 1, 5, 5], 4)).group(72).pad([2, 2, 2, 2]).stride([2, 2]).call().unwrap();
    let deep = g.clamp(deep, 0.0, 6.0).call().unwrap();
    let y = g.conv(deep, filter(&[16, 72, 1, 1], 5)).call().unwrap();
    let expected = ["Conv", "Conv + SiLU + Conv + Clip", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[y]), expected);
    let expected = ["Conv", "Conv + SiLU", "Reshape", "Conv + Clip", "Conv", "Reshape"];
    assert_eq!(steps(&mut g, &[expanded, y]), expected, "the expanded image is wanted");
}

/// As in MobileNet: the first convolution reads an image, and what follows the depthwise one is added to it.
#[test]
fn depthwise_convolutions_of_first_convolutions() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 130, 130]);
    let first = g.conv(x, filter(&[64, 3, 3, 3], 1)).pad([1, 1, 1, 1]).stride([2, 2]).call().unwrap();
    let first = g.relu(first).call().unwrap();
    let small = g.maxpool2d(x).kernel([2, 2]).stride([2, 2]).call().unwrap();
    let small = g.conv(small, filter(&[64, 3, 1, 1], 2)).call().unwrap();
    let deep = g.conv(first, filter(&[64, 1, 3, 3], 3)).group(64).pad([1, 1, 1, 1]).call().unwrap();
    let sum = g.add(deep, small).call().unwrap();
    let y = g.relu(sum).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["MaxPool", "Conv", "Conv + Relu + Conv + Add + Relu", "Reshape"]);
}

/// Depthwise convolutions that are not fused: of a small image, of an image that is also added to the result, after another depthwise
/// convolution, and after an operator with an operand of its own.
#[test]
fn depthwise_convolutions_that_are_not_fused() {
    let deep = |g: &mut Graph, x: Tensor, seed: usize| {
        g.conv(x, filter(&[72, 1, 3, 3], seed)).group(72).pad([1, 1, 1, 1]).call().unwrap()
    };
    let expanded = |g: &mut Graph, side: usize| {
        let x = input(g, "x", &[1, 3, side, side]);
        let x = g.conv(x, filter(&[16, 3, 3, 3], 1)).pad([1, 1, 1, 1]).call().unwrap();
        (x, g.conv(x, filter(&[72, 16, 1, 1], 2)).call().unwrap())
    };
    let mut g = Graph::new("g").unwrap();
    let (_, small) = expanded(&mut g, 50);
    let y = deep(&mut g, small, 3);
    assert_eq!(steps(&mut g, &[y]), ["Conv", "Conv", "Conv", "Reshape"]);

    let mut g = Graph::new("g").unwrap();
    let (_, large) = expanded(&mut g, 70);
    let filtered = deep(&mut g, large, 3);
    let y = g.add(filtered, large).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Conv", "Conv", "Conv + Add", "Reshape"]);

    let mut g = Graph::new("g").unwrap();
    let (_, large) = expanded(&mut g, 70);
    let filtered = deep(&mut g, large, 3);
    let y = deep(&mut g, filtered, 4);
    assert_eq!(steps(&mut g, &[y]), ["Conv", "Conv + Conv", "Conv", "Reshape"]);

    let mut g = Graph::new("g").unwrap();
    let (x, large) = expanded(&mut g, 70);
    let gate = g.conv(x, filter(&[72, 16, 1, 1], 5)).call().unwrap();
    let gated = g.mul(large, gate).call().unwrap();
    let y = deep(&mut g, gated, 3);
    assert_eq!(steps(&mut g, &[y]), ["Conv", "Conv", "Conv + Mul", "Conv", "Reshape"]);
}

/// The padding of channels stays 0, although infinity times 0 is NaN, and the sigmoid of 0 is not 0.
#[test]
fn padding_between_fused_convolutions() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 20, 64, 66]);
    let positive = Array::filled(Dtype::Float32, [72, 20, 1, 1], 0.25).unwrap();
    let y = g.conv(x, positive).call().unwrap();
    let y = g.sigmoid(y).call().unwrap();
    let y = g.conv(y, filter(&[72, 1, 3, 3], 2)).group(72).pad([1, 1, 1, 1]).call().unwrap();
    let y = g.sigmoid(y).call().unwrap();
    let y = g.conv(y, filter(&[8, 72, 1, 1], 3)).call().unwrap();
    fn some_infinite(shape: &[usize], seed: usize) -> Array {
        let numbers = values(shape, seed).to_f32().unwrap().into_iter().enumerate();
        let numbers = numbers.map(|(i, v)| if i % 97 == 0 { f32::NEG_INFINITY } else { v });
        Array::from_vec(shape, numbers.collect()).unwrap()
    }
    assert_eq!(
        steps_on(some_infinite, 1e-5, &mut g, &[y]),
        ["Reshape", "Conv + Sigmoid + Conv + Sigmoid", "Conv", "Reshape"]
    );
}

/// Rows are divided among threads without changing a bit.
#[test]
fn fused_depthwise_convolutions_on_several_threads() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 24, 61, 59]);
    let y = g.conv(x, values(&[144, 24, 1, 1], 1)).call().unwrap();
    let y = g.silu(y).call().unwrap();
    let y = g.conv(y, filter(&[144, 1, 5, 5], 2)).group(144).pad([2, 2, 2, 2]).stride([2, 2]).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let feeds = [("x", values(&[2, 24, 61, 59], 3))];
    let run = |threads: usize| {
        let options = RunOptions::default().threads(threads);
        Session::new(&g, CpuBackend::new(), &options).unwrap().run(&feeds[..]).unwrap()
    };
    let one = run(1);
    assert!([2, 3, 16].iter().all(|threads| run(*threads) == one));
}
