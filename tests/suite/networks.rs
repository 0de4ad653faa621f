//! Patterns of real networks that single calls do not have.
use tpulang::{
    Array, Dtype, Graph, Tensor,
    exec::{CpuBackend, RunOptions, run},
    mlir,
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

/// tpu_mlir aborts on such a product, so the coefficient is emitted transposed.
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

/// If the product is not split, the flag stays, as in TpuLang.
#[test]
fn other_products_keep_their_flag() {
    let g = fused_qkv(|g, m| Ok(vec![g.relu(m).call()?]));
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
