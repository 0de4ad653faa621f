//! Tests that convolutions of one input whose results are added are merged.
use super::*;

/// As in MobileOne: three convolutions and a batch norm.
#[test]
fn parallel_convolutions_become_one() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 8, 7, 6]);
    let wide = g.conv(x, filter(&[8, 2, 3, 3], 1)).bias(values(&[8], 2)).group(4).pad([1, 1, 1, 1]).call().unwrap();
    let other = g.conv(x, filter(&[8, 2, 3, 3], 3)).group(4).pad([1, 1, 1, 1]).call().unwrap();
    let point = g.conv(x, filter(&[8, 1, 1, 1], 4)).bias(values(&[8], 5)).group(8).call().unwrap();
    let point = g.add(point, 0.0).call().unwrap();
    let same = g.batch_norm(x, values(&[8], 6), vec![0.7f32; 8]).beta(values(&[8], 7)).call().unwrap();
    let sum = g.add(same, point).call().unwrap();
    let sum = g.add(sum, wide).call().unwrap();
    let sum = g.add(other, sum).call().unwrap();
    let y = g.relu(sum).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["Reshape", "Conv + Relu", "Reshape"]);
}

/// Their results differ from those of one convolution.
#[test]
fn other_sums_are_left() {
    let steps_of = |change: &dyn Fn(&mut Graph, Tensor, Tensor) -> Tensor| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[1, 4, 6, 6]);
        let conv = g.conv(x, filter(&[4, 4, 3, 3], 1)).pad([1, 1, 1, 1]).call().unwrap();
        let other = change(&mut g, x, conv);
        let sum = g.add(conv, other).call().unwrap();
        steps(&mut g, &[sum]).len()
    };
    let point = |g: &mut Graph, x| g.conv(x, filter(&[4, 4, 1, 1], 2)).call().unwrap();
    let merged = steps_of(&|g, x, _| point(g, x));
    assert!(steps_of(&|g, _, conv| point(g, conv)) > merged, "another input");
    assert!(
        steps_of(&|g, x, _| {
            let y = point(g, x);
            g.relu(y).call().unwrap()
        }) > merged,
        "a Relu between"
    );
    let corner = |g: &mut Graph, x| g.conv(x, filter(&[4, 4, 3, 3], 2)).pad([2, 0, 0, 2]).call().unwrap();
    assert!(steps_of(&|g, x, _| corner(g, x)) > merged, "pixels that the first does not see");
}

/// A branch that is wanted is computed.
#[test]
fn wanted_branches_are_computed() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 4, 6, 6]);
    let a = g.conv(x, filter(&[4, 4, 3, 3], 1)).pad([1, 1, 1, 1]).call().unwrap();
    let b = g.conv(x, filter(&[4, 4, 1, 1], 2)).call().unwrap();
    let sum = g.add(a, b).call().unwrap();
    steps(&mut g, &[sum, b]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn merged_convolutions_are_their_sums(
        size in (5usize..9, 5usize..9), channels in (1usize..4, 1usize..4), groups in prop::array::uniform3(0usize..3),
        kernels in prop::array::uniform3((1usize..4, 1usize..4)), pads in prop::array::uniform3(prop::array::uniform2(0i64..2)),
        stride in 1i64..3, dilations in prop::array::uniform3(1i64..3), with_scale: bool,
    ) {
        // Groups are 1, 2 or 4.
        let (ic, oc) = (4 * channels.0, if with_scale { 4 * channels.0 } else { 4 * channels.1 });
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[1, ic, size.0, size.1]);
        let mut sum: Option<Tensor> = None;
        for i in 0..3 {
            let (group, k) = (1 << groups[i], kernels[i]);
            // Pads that keep the size of the result of a 1x1 kernel, shifted by up to one.
            let spans = [k.0, k.1].map(|k| (k as i64 - 1) * dilations[i]);
            let first = [0, 1].map(|a| (spans[a] / 2 - pads[i][a]).clamp(0, spans[a]));
            let pad = [first[0], first[1], spans[0] - first[0], spans[1] - first[1]];
            let w = filter(&[oc, ic / group, k.0, k.1], i);
            let conv = g.conv(x, w).bias(values(&[oc], i)).group(group as i64).stride([stride, stride]);
            let conv = conv.dilation([dilations[i]; 2]).pad(pad).call().unwrap();
            sum = Some(sum.map_or(conv, |sum| g.add(sum, conv).call().unwrap()));
        }
        if with_scale && stride == 1 {
            let scaled = g.batch_norm(x, values(&[ic], 6), vec![0.7f32; ic]).beta(values(&[ic], 7)).call().unwrap();
            sum = sum.map(|sum| g.add(scaled, sum).call().unwrap());
        }
        steps(&mut g, &[sum.unwrap()]);
    }
}
