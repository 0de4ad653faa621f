//! Tests that products whose results are taken apart are divided, and that attention is found in what PyTorch exports.
use super::*;
use crate::ops::{Slice, Split};

/// How the parts of a permuted product are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Taken {
    Split,
    Slices,
}

/// Takes the entries of the first axis, without that axis.
fn entries(g: &mut Graph, x: Tensor, taken: Taken) -> Vec<Tensor> {
    let shape = g.tensor(x).unwrap().shape.clone();
    let parts = match taken {
        Taken::Split => g.op(Split::new(x, 0, shape[0] as i64)).call().unwrap(),
        Taken::Slices => (0..shape[0] as i64)
            .flat_map(|i| {
                let one = Slice { axes: vec![0], ..Slice::new(x, vec![i], vec![1], vec![i + 1]) };
                g.op(one).call().unwrap()
            })
            .collect(),
    };
    let rest: Vec<i64> = shape[1..].iter().map(|d| *d as i64).collect();
    parts.into_iter().map(|part| g.reshape(part, rest.clone()).call().unwrap()).collect()
}

/// The queries, keys and values of three heads of 8, as rows of one product.
fn queries_keys_values(g: &mut Graph, taken: Taken) -> [Tensor; 3] {
    let x = input(g, "x", &[2, 17, 20]);
    let y = g.matmul(x, values(&[20, 72], 1)).call().unwrap();
    let y = g.add(y, values(&[72], 2)).call().unwrap();
    let y = g.reshape(y, [2, 17, 3, 3, 8]).call().unwrap();
    let y = g.permute(y, [2, 0, 3, 1, 4]).call().unwrap();
    entries(g, y, taken).try_into().unwrap()
}

/// Attention whose queries and keys are scaled, each by the root of the scale.
fn scaled_attention(g: &mut Graph, [q, k, v]: [Tensor; 3], keys: impl Fn(&mut Graph, Tensor) -> Tensor) -> Tensor {
    let q = g.mul(q, 0.6).call().unwrap();
    let k = keys(g, k);
    let k = g.mul(k, 0.6).call().unwrap();
    let scores = g.matmul(q, k).call().unwrap();
    let weights = g.softmax(scores, -1).call().unwrap();
    let y = g.matmul(weights, v).call().unwrap();
    g.permute(y, [0, 2, 1, 3]).call().unwrap()
}

/// Counts the steps by their operators; queries, keys and values are views of a product each.
fn counts(steps: Vec<String>) -> [usize; 4] {
    let all = ["MatMul + Add", "Reshape", "ScaleDotProductAttention"];
    let counts = all.map(|name| steps.iter().filter(|s| *s == name).count());
    [counts[0], counts[1], counts[2], steps.len()]
}

#[test]
fn attention_exported_by_pytorch() {
    for taken in [Taken::Split, Taken::Slices] {
        let mut g = Graph::new("g").unwrap();
        let parts = queries_keys_values(&mut g, taken);
        let y = scaled_attention(&mut g, parts, |g, k| g.permute(k, [0, 1, 3, 2]).call().unwrap());
        assert_eq!(counts(steps(&mut g, &[y])), [3, 4, 1, 8]);
        // The newer exporter transposes keys of merged heads.
        let mut g = Graph::new("g").unwrap();
        let parts = queries_keys_values(&mut g, taken);
        let y = scaled_attention(&mut g, parts, |g, k| {
            let k = g.reshape(k, [6, 17, 8]).call().unwrap();
            let k = g.permute(k, [0, 2, 1]).call().unwrap();
            g.reshape(k, [2, 3, 8, 17]).call().unwrap()
        });
        assert_eq!(counts(steps(&mut g, &[y])), [3, 4, 1, 8]);
    }
}

/// `MultiheadAttention` of PyTorch keeps rows before a batch of one, which is added for the attention, and moved behind the rows again.
#[test]
fn attention_of_a_batch_that_is_added() {
    for heads in [1, 3] {
        let mut g = Graph::new("g").unwrap();
        let [q, k, v] = [("q", 40), ("k", 17), ("v", 17)].map(|(name, rows)| input(&mut g, name, &[rows, heads, 8]));
        let mut by_head = |t: Tensor, order: [i64; 3]| {
            let moved = g.permute(t, order).call().unwrap();
            g.unsqueeze(moved).axes([0]).call().unwrap()
        };
        let [q, k, v] = [by_head(q, [1, 0, 2]), by_head(k, [1, 2, 0]), by_head(v, [1, 0, 2])];
        let [q, k] = [q, k].map(|t| g.mul(t, 0.6).call().unwrap());
        let scores = g.matmul(q, k).call().unwrap();
        let weights = g.softmax(scores, -1).call().unwrap();
        let y = g.matmul(weights, v).call().unwrap();
        let y = g.permute(y, [2, 0, 1, 3]).call().unwrap();
        let y = g.reshape(y, [40, 8 * heads as i64]).call().unwrap();
        let expected = ["Reshape", "Reshape", "Reshape", "ScaleDotProductAttention", "Reshape"];
        assert_eq!(steps(&mut g, &[y]), expected);
    }
}

#[test]
fn attention_whose_softmax_is_between_views() {
    let mut g = Graph::new("g").unwrap();
    let [q, k, v] = ["q", "k", "v"].map(|name| input(&mut g, name, &[3, 33, 8]));
    let scores = g.matmul(q, k).right_transpose(true).call().unwrap();
    let scores = g.unsqueeze(scores).axes([0]).call().unwrap();
    let weights = g.softmax(scores, 3).call().unwrap();
    let weights = g.squeeze(weights, [0]).call().unwrap();
    let y = g.matmul(weights, v).call().unwrap();
    assert_eq!(steps(&mut g, &[y]), ["ScaleDotProductAttention"]);
}

#[test]
fn a_reshape_that_mixes_rows_is_no_transposition() {
    let mut g = Graph::new("g").unwrap();
    let k = input(&mut g, "k", &[2, 6, 4]);
    let k = g.reshape(k, [3, 4, 4]).call().unwrap();
    let k = g.permute(k, [0, 2, 1]).call().unwrap();
    let k = g.reshape(k, [2, 4, 6]).call().unwrap();
    assert_eq!(steps(&mut g, &[k]), ["Reshape", "Permute", "Reshape"]);
}

/// Axes of size 1 may be anywhere.
#[test]
fn permutations_that_move_no_elements_are_views() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[1, 3, 1, 5]);
    let y = g.permute(x, [1, 0, 3, 2]).call().unwrap();
    let z = g.permute(x, [3, 0, 1, 2]).call().unwrap();
    assert_eq!(steps(&mut g, &[y, z]), ["Reshape", "Permute"]);
}

/// Also other axes of size 1 than leading ones.
#[test]
fn axes_that_are_added_to_a_permutation() {
    for axes in [vec![0], vec![0, 1], vec![1], vec![3]] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[2, 3, 4]);
        let y = g.permute(x, [2, 0, 1]).call().unwrap();
        let y = g.unsqueeze(y).axes(axes.clone()).call().unwrap();
        let expected = if axes[0] == 0 { ["Reshape", "Permute"] } else { ["Permute", "Unsqueeze"] };
        assert_eq!(steps(&mut g, &[y]), expected);
    }
}

#[test]
fn permutations_are_merged() {
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 4, 5]);
    let y = g.permute(x, [0, 2, 1, 3]).call().unwrap();
    let z = g.permute(y, [3, 0, -2, 1]).call().unwrap();
    assert_eq!(steps(&mut g, &[z]), ["Permute"]);
    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[2, 3, 4, 5]);
    let y = g.permute(x, [0, 2, 1, 3]).call().unwrap();
    let z = g.permute(y, [0, -2, 1, 3]).call().unwrap();
    assert_eq!(steps(&mut g, &[z]), ["Reshape"], "they cancel out");
}

/// The matrix is also an operand of the products that it is divided into.
#[test]
fn a_product_of_a_matrix_with_itself() {
    let mut g = Graph::new("g").unwrap();
    let w = g.coefficient("w", values(&[96, 5], 1)).unwrap();
    let y = g.matmul(w, w).right_transpose(true).call().unwrap();
    let y = g.reshape(y, [96, 3, 32]).call().unwrap();
    let y = g.permute(y, [1, 0, 2]).call().unwrap();
    let parts = entries(&mut g, y, Taken::Split);
    let names = steps(&mut g, &parts);
    assert_eq!(names.iter().filter(|name| *name == "MatMul").count(), 3, "{names:?}");
}

/// The products would be too narrow, or too many.
#[test]
fn products_of_narrow_or_many_parts() {
    for [count, width] in [[3, 8], [17, 16]] {
        let mut g = Graph::new("g").unwrap();
        let x = input(&mut g, "x", &[6, 20]);
        let y = g.matmul(x, values(&[20, count * width], 1)).call().unwrap();
        let y = g.reshape(y, [6, count as i64, width as i64]).call().unwrap();
        let y = g.permute(y, [1, 0, 2]).call().unwrap();
        let parts = entries(&mut g, y, Taken::Split);
        assert_eq!(steps(&mut g, &parts)[..4], ["MatMul", "Reshape", "Permute", "Split"]);
    }
}

/// Float32 cannot hold the product of both scales.
#[test]
fn extreme_scales_stay() {
    for scale in [1e30, 1e-25] {
        let mut g = Graph::new("g").unwrap();
        let [q, k, v] = ["q", "k", "v"].map(|name| input(&mut g, name, &[2, 17, 8]));
        let [q, k] = [q, k].map(|t| g.mul(t, scale).call().unwrap());
        let scores = g.matmul(q, k).right_transpose(true).call().unwrap();
        let weights = g.softmax(scores, -1).call().unwrap();
        let y = g.matmul(weights, v).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert!(session(&g, false).explain().contains("Softmax"));
    }
}

/// Parts that are requested, or taken twice, are not products of their own.
#[test]
fn products_that_stay_whole() {
    let mut g = Graph::new("g").unwrap();
    let [q, k, v] = queries_keys_values(&mut g, Taken::Split);
    let split = g.operators().iter().find(|o| o.op.name() == "Split").unwrap().outputs().next().unwrap();
    assert_eq!(steps(&mut g, &[q, k, v, split])[..4], ["MatMul + Add", "Reshape", "Permute", "Split"]);

    let mut g = Graph::new("g").unwrap();
    let x = input(&mut g, "x", &[6, 20]);
    let y = g.matmul(x, values(&[20, 48], 1)).call().unwrap();
    let y = g.reshape(y, [6, 3, 16]).call().unwrap();
    let y = g.permute(y, [1, 0, 2]).call().unwrap();
    let first = |g: &mut Graph| {
        let one = Slice { axes: vec![0], ..Slice::new(y, vec![1], vec![1], vec![2]) };
        let one = g.op(one).call().unwrap()[0];
        g.reshape(one, [6, 16]).call().unwrap()
    };
    let twice = [first(&mut g), first(&mut g)];
    assert_eq!(steps(&mut g, &twice)[..3], ["MatMul", "Reshape", "Permute"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn parts_of_products(
        count in 1usize..5, batch in 1usize..4, inner in prop::collection::vec(1usize..4, 0..3), front: bool, order in any::<u64>(),
        transposed: bool, has_bias: bool, is_added: bool, split: bool
    ) {
        let mut g = Graph::new("g").unwrap();
        // At least 16 columns per part.
        let inner = [inner, vec![16]].concat();
        let columns = count * inner.iter().product::<usize>();
        let x = input(&mut g, "x", &[batch, 6, 5]);
        let w = values(&if transposed { [columns, 5] } else { [5, columns] }, 1);
        let mut product = g.matmul(x, w).right_transpose(transposed);
        if has_bias {
            product = product.bias(values(&[columns], 2));
        }
        let mut y = product.call().unwrap();
        if is_added {
            y = g.add(values(&[1, columns], 3), y).call().unwrap();
        }
        // The rows may be in one axis or in two.
        let rows = if front { vec![batch * 6] } else { vec![batch, 6] };
        let shape = [&rows[..], &[count], &inner].concat();
        y = g.reshape(y, shape.iter().map(|d| *d as i64).collect::<Vec<_>>()).call().unwrap();
        let mut axes: Vec<i64> = (0..shape.len() as i64).filter(|a| *a != rows.len() as i64).collect();
        axes.sort_by_key(|&a| order.rotate_left(11 * a as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        y = g.permute(y, [vec![rows.len() as i64], axes].concat()).call().unwrap();
        let parts = entries(&mut g, y, if split { Taken::Split } else { Taken::Slices });
        let names = steps(&mut g, &parts);
        prop_assert_eq!(names.iter().filter(|n| n.starts_with("MatMul")).count(), count, "{:?}", names);
        prop_assert!(!names.iter().any(|n| n == "Split" || n == "Slice"), "{:?}", names);
    }
}
