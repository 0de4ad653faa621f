//! Tests that reshapes and permutations that shuffle channels become one operator.
use super::*;

/// Shuffles the channels of an image as exporters write it. With `merged`, rows and columns are one axis between the reshapes.
fn shuffled(g: &mut Graph, x: Tensor, groups: usize, merged: bool) -> Tensor {
    let shape: Vec<i64> = g.tensor(x).unwrap().shape.iter().map(|n| *n as i64).collect();
    let groups = groups as i64;
    let pixels = if merged { vec![shape[2..].iter().product()] } else { shape[2..].to_vec() };
    let divided = g.reshape(x, [&[shape[0], groups, shape[1] / groups], &pixels[..]].concat()).call().unwrap();
    let order: Vec<i64> = [0, 2, 1].into_iter().chain(3..3 + pixels.len() as i64).collect();
    let swapped = g.permute(divided, order).call().unwrap();
    g.reshape(swapped, shape).call().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn shuffles_are_the_same_by_plan(
        batch in 1usize..3, groups in 2usize..5, each in 2usize..20, size in (1usize..6, 1usize..6), rank in 3usize..5, merged: bool,
    ) {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[batch, groups * each, size.0, size.1][..rank]);
        let y = shuffled(&mut g, x, groups, merged);
        prop_assert_eq!(steps(&mut g, &[y]), ["ShuffleChannel"]);
    }
}

/// As in ShuffleNet: between convolutions, channels stay in blocks.
#[test]
fn shuffles_stand_in_blocks() {
    for merged in [false, true] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 9, 8]);
        let a = g.conv(x, filter(&[58, 3, 3, 3], 1)).call().unwrap();
        let b = g.conv(a, filter(&[58, 58, 1, 1], 2)).call().unwrap();
        let b = g.relu(b).call().unwrap();
        let both = g.concat([a, b]).axis(1).call().unwrap();
        let mixed = shuffled(&mut g, both, 2, merged);
        let parts = g.split(mixed).axis(1).num(2).call().unwrap();
        let y = g.conv(parts[1], filter(&[20, 58, 1, 1], 3)).call().unwrap();
        let y = g.concat([parts[0], y]).axis(1).call().unwrap();
        let y = g.conv(y, filter(&[8, 78, 1, 1], 4)).call().unwrap();
        let expected =
            ["Conv", "Conv + Relu", "Concat", "ShuffleChannel", "Split", "Conv", "Concat", "Conv", "Reshape"];
        assert_eq!(steps(&mut g, &[y]), expected);
    }
}

/// A permutation of other axes, a result of another shape, and one that is also wanted by itself.
#[test]
fn other_permutations_stay() {
    let steps_of = |order: [i64; 4], shape: [i64; 3], is_wanted: bool| {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 12, 12]);
        let divided = g.reshape(x, [2, 3, 4, 12]).call().unwrap();
        let swapped = g.permute(divided, order).call().unwrap();
        let y = g.reshape(swapped, shape).call().unwrap();
        let wanted = [swapped, y];
        steps(&mut g, if is_wanted { &wanted } else { &wanted[1..] })
    };
    assert_eq!(steps_of([0, 2, 1, 3], [2, 12, 12], false), ["ShuffleChannel"]);
    let others =
        [([0, 1, 3, 2], [2, 12, 12], false), ([0, 2, 1, 3], [2, 4, 36], false), ([0, 2, 1, 3], [2, 12, 12], true)];
    for (order, shape, is_wanted) in others {
        let steps = steps_of(order, shape, is_wanted);
        assert!(steps.contains(&"Permute".into()), "{steps:?}");
    }
}
