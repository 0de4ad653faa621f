//! Patterns of real networks that single calls do not have.
use tpulang::{
    Array, Dtype, Graph, Tensor,
    array::read_npz,
    exec::{CpuBackend, RunOptions, run},
    graph::MAX_NESTED_BLOCKS,
    mlir, ops,
};

fn weights(shape: [usize; 2]) -> Array {
    let n = shape[0] * shape[1];
    Array::from_f64s(Dtype::Float32, shape, (0..n).map(|i| ((i * 7) % 23) as f64 / 8.0 - 1.0)).unwrap()
}

/// A fused projection in PyTorch's layout: one transposed matrix [3 * hidden, hidden], whose product is split in three.
fn fused_qkv(cut: impl FnOnce(&mut Graph, Tensor) -> tpulang::Result<Vec<Tensor>>) -> Graph {
    let mut g = Graph::new("qkv").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 5, 8]).unwrap();
    let w = g.coefficient("w", weights([24, 8])).unwrap();
    let m = g.matmul(x, w).bias(vec![0.5f32; 24]).right_transpose(true).out_name("m").call().unwrap();
    let parts = cut(&mut g, m).unwrap_or_else(|e| panic!("{e}"));
    g.set_outputs(&parts).unwrap();
    g
}

/// The tool chain slices the coefficient of such a product as if it were not transposed, and aborts.
#[test]
fn a_fused_projection_is_emitted_straight() {
    let by_split = fused_qkv(|g, m| g.split(m).axis(2).num(3).call());
    let by_slices = fused_qkv(|g, m| {
        let r = g.reshape(m, [2, 5, 3, 2, 4]).call()?;
        let p = g.permute(r, [2, 0, 3, 1, 4]).call()?;
        (0..3).map(|i| g.slice(p, i, i + 1).axes(0).call()).collect()
    });
    let feeds = [("x", Array::from_f64s(Dtype::Float32, [2, 5, 8], (0..80).map(|i| f64::from(i % 9))).unwrap())];
    for g in [by_split, by_slices] {
        let dir = tempfile::tempdir().unwrap();
        let written = mlir::write_pair(&g, dir.path()).unwrap();
        let text = std::fs::read_to_string(&written.mlir).unwrap();
        assert!(text.contains("tensor<8x24xf32>") && text.contains("right_transpose = false"), "{text}");
        assert!(text.contains("loc(\"w_transposed\")") && !text.contains("loc(\"w\")"), "{text}");
        let again = mlir::read(&written.mlir, None).unwrap();
        let numbers = |g: &Graph| run(g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
        assert_eq!(numbers(&g), numbers(&again));
    }
}

/// Self-attention over 5 tokens, with weights in the layout of PyTorch's `Linear`. Keys and values share their weights.
fn attention() -> tpulang::Result<Graph> {
    let mut g = Graph::new("attention")?;
    let x = g.input("x", Dtype::Float32, [1, 5, 8])?;
    let mut heads = Vec::new();
    for name in ["q", "k", "k"] {
        let w = g.find(name).or_else(|_| g.coefficient(name, weights([8, 8])))?;
        let projected = g.matmul(x, w).right_transpose(true).call()?;
        let split = g.reshape(projected, [1, 5, 2, 4]).call()?;
        heads.push(g.permute(split, [0, 2, 1, 3]).call()?);
    }
    let scores = g.matmul(heads[0], heads[1]).right_transpose(true).call()?;
    let scores = g.mul(scores, 0.5).call()?;
    let shares = g.softmax(scores, -1).call()?;
    let mixed = g.matmul(shares, heads[2]).call()?;
    let mixed = g.permute(mixed, [0, 2, 1, 3]).call()?;
    let joined = g.reshape(mixed, [1, 5, 8]).call()?;
    let o = g.coefficient("o", weights([8, 8]))?;
    let y = g.matmul(joined, o).right_transpose(true).out_name("y").call()?;
    g.set_outputs(&[y])?;
    Ok(g)
}

/// The tool chain's fusion into `tpu.Attention` reads coefficients as k x n, regardless of the flag.
#[test]
fn projections_of_an_attention_are_emitted_straight() {
    let g = attention().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let written = mlir::write_pair(&g, dir.path()).unwrap();
    let text = std::fs::read_to_string(&written.mlir).unwrap();
    assert_eq!(text.matches("right_transpose = true").count(), 1, "only that of queries and keys: {text}");
    let names: Vec<String> = read_npz(&written.weights).unwrap().into_keys().collect();
    assert_eq!(names, ["q_transposed", "k_transposed", "o_transposed"]);
    let feeds = [("x", Array::from_f64s(Dtype::Float32, [1, 5, 8], (0..40).map(|i| f64::from(i % 9) / 8.0)).unwrap())];
    let numbers = |g: &Graph| run(g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
    assert_eq!(numbers(&g), numbers(&mlir::read(&written.mlir, None).unwrap()));
}

/// Each branch has its own `top.Weight`, because it cannot refer to the other's; the data are written once.
#[test]
fn branches_share_a_transposed_coefficient() {
    let mut g = Graph::new("branches").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4, 8]).unwrap();
    let cond = g.input("cond", Dtype::Float32, [1]).unwrap();
    let w = g.coefficient("w", weights([24, 8])).unwrap();
    let none: [(String, Dtype, [i64; 0]); 0] = [];
    let branch = |g: &mut Graph, first: i64| {
        g.block(none.clone(), |g, _| {
            let all = g.matmul(x, w).right_transpose(true).call()?;
            Ok(vec![g.slice(all, first, first + 8).axes(2).call()?])
        })
    };
    let (then, other) = (branch(&mut g, 0).unwrap(), branch(&mut g, 8).unwrap());
    let new = g.op(ops::If::new(cond)).owns(then).owns(other);
    let y = new.out_dtypes([Dtype::Float32]).out_shapes([[1, 4, 8]]).call().unwrap();
    g.set_outputs(&y).unwrap();
    let emitted = mlir::emit(&g).unwrap();
    assert_eq!(emitted.text.matches("tensor<8x24xf32> loc(").count(), 1, "{}", emitted.text);
    assert_eq!(emitted.weights.len(), 1);
    let again = mlir::read_text(&emitted.text).unwrap();
    assert_eq!(again.tensors().filter(|(_, t)| t.is_coefficient()).count(), 1);
}

/// A graph at the limit of nested blocks can still be read back from its module.
#[test]
fn what_nests_deepest_is_readable() {
    fn nested(g: &mut Graph, x: Tensor, cond: Tensor, depth: usize) -> tpulang::Result<Tensor> {
        if depth == 0 {
            return g.leaky_relu(x).negative_slope(0.5).call();
        }
        let none: [(String, Dtype, [i64; 0]); 0] = [];
        let then = g.block(none.clone(), |g, _| Ok(vec![nested(g, x, cond, depth - 1)?]))?;
        let other = g.block(none, |g, _| Ok(vec![g.tanh(x).call()?]))?;
        let new = g.op(ops::If::new(cond)).owns(then).owns(other);
        Ok(new.out_dtypes([Dtype::Float32]).out_shapes([[1, 4]]).call()?[0])
    }
    let mut g = Graph::new("nested").unwrap();
    let (x, cond) = (g.input("x", Dtype::Float32, [1, 4]).unwrap(), g.input("cond", Dtype::Float32, [1]).unwrap());
    let y = nested(&mut g, x, cond, MAX_NESTED_BLOCKS).unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    assert_eq!(mlir::emit(&mlir::read_text(&text).unwrap()).unwrap().text, text);
}

/// The tool chain aborts on two such products of floats with a GELU in between. Products of integers keep the flag, as in
/// TpuLang.
#[test]
fn products_of_integers_keep_their_flag() {
    let float = fused_qkv(|g, m| Ok(vec![g.relu(m).call()?]));
    let text = mlir::emit(&float).unwrap().text;
    assert!(text.contains("right_transpose = false") && text.contains("loc(\"w_transposed\")"), "{text}");
    let mut g = Graph::new("integers").unwrap();
    let x = g.input("x", Dtype::Int8, [1, 5, 8]).unwrap();
    let w = g.coefficient("w", Array::filled(Dtype::Int8, [24, 8], 2.0).unwrap()).unwrap();
    let y = g.matmul_int(x, w).right_transpose(true).input_zp(0).right_zp(0).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let text = mlir::emit(&g).unwrap().text;
    assert!(text.contains("right_transpose = true") && text.contains("loc(\"w\")"), "{text}");
}

/// Returning an error from `main` prints its message, not its fields.
#[test]
fn an_error_that_main_returns_is_readable() {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 3]).unwrap();
    let error = g.softmax(x, 5).call().unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
}
