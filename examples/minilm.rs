//! all-MiniLM-L6-v2, a sentence embedding model, built with the Rust API from its safetensors file.
//!
//! ```text
//! make minilm                                                  # downloads the model, then runs this
//! cargo run --release -p tpulang-minilm -- "one sentence" "another"
//! ```
//!
//! Without sentences, it compares its results with PyTorch's embeddings and writes `minilm_origin.mlir`, its weights and
//! the same graph as a JSON spec next to the model.
use ndarray::Axis;
use std::{error::Error, path::Path, process::ExitCode};
use tokenizers::{PaddingParams, PaddingStrategy, Tokenizer, TruncationParams};
use tpulang::{
    Array, Dtype, Graph, Result, Tensor,
    array::{WeightFile, read_npz},
    exec::{Comparison, CpuBackend, RunOptions, compare, run},
    mlir,
    ops::ReduceMode,
    spec,
};

const MODEL: &str = "build/minilm";
const LAYERS: usize = 6;
const HEADS: i64 = 12;
const HIDDEN: i64 = 384;
const LENGTH: usize = 32;

/// The network under construction, and the file with its coefficients.
struct Builder {
    graph: Graph,
    weights: WeightFile,
    batch: i64,
}

impl Builder {
    /// Returns the coefficient `name`; its data are loaded on demand.
    fn weight(&mut self, name: &str) -> Result<Tensor> {
        match self.graph.find(name) {
            Ok(tensor) => Ok(tensor),
            Err(_) => self.graph.coefficient(name, self.weights.read(name)?),
        }
    }
    /// Computes `x * weight^T + bias`; PyTorch stores the weights of linear layers transposed.
    fn linear(&mut self, x: Tensor, name: &str) -> Result<Tensor> {
        let (w, b) = (self.weight(&format!("{name}.weight"))?, self.weight(&format!("{name}.bias"))?);
        self.graph.matmul(x, w).bias(b).right_transpose(true).out_name(name).call()
    }
    fn layer_norm(&mut self, x: Tensor, name: &str) -> Result<Tensor> {
        let (w, b) = (self.weight(&format!("{name}.weight"))?, self.weight(&format!("{name}.bias"))?);
        self.graph.layer_norm(x).gamma(w).beta(b).axis(-1).epsilon(1e-12).out_name(name).call()
    }
    /// Splits n x length x hidden into n x heads x length x (hidden / heads).
    fn heads(&mut self, x: Tensor) -> Result<Tensor> {
        let g = &mut self.graph;
        let split = g.reshape(x, [self.batch, LENGTH as i64, HEADS, HIDDEN / HEADS]).call()?;
        g.permute(split, vec![0, 2, 1, 3]).call()
    }
    /// Returns the normalized sum of word, position and segment embeddings.
    fn embeddings(&mut self, ids: Tensor, segments: Tensor) -> Result<Tensor> {
        let words = self.weight("embeddings.word_embeddings.weight")?;
        let positions = self.weight("embeddings.position_embeddings.weight")?;
        let kinds = self.weight("embeddings.token_type_embeddings.weight")?;
        let g = &mut self.graph;
        let words = g.index_select(words, ids).axis(0).call()?;
        let kinds = g.index_select(kinds, segments).axis(0).call()?;
        let positions = g.slice(positions, 0, LENGTH as i64).axes(0).call()?;
        let sum = g.add(words, kinds).call()?;
        let sum = g.add(sum, positions).call()?;
        self.layer_norm(sum, "embeddings.LayerNorm")
    }
    /// Adds a transformer layer; `mask` is 0 for tokens and very negative for padding.
    fn layer(&mut self, x: Tensor, mask: Tensor, index: usize) -> Result<Tensor> {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let mut qkv = Vec::new();
        for part in ["query", "key", "value"] {
            let projected = self.linear(x, &name(&format!("attention.self.{part}")))?;
            qkv.push(self.heads(projected)?);
        }
        let g = &mut self.graph;
        let scores = g.matmul(qkv[0], qkv[1]).right_transpose(true).call()?;
        let scores = g.mul(scores, 1.0 / f64::from((HIDDEN / HEADS) as i32).sqrt()).call()?;
        let scores = g.add(scores, mask).call()?;
        let attention = g.softmax(scores, -1).call()?;
        let context = g.matmul(attention, qkv[2]).call()?;
        let context = g.permute(context, vec![0, 2, 1, 3]).call()?;
        let context = g.reshape(context, [self.batch, LENGTH as i64, HIDDEN]).call()?;
        let projected = self.linear(context, &name("attention.output.dense"))?;
        let sum = self.graph.add(projected, x).call()?;
        let x = self.layer_norm(sum, &name("attention.output.LayerNorm"))?;
        let wide = self.linear(x, &name("intermediate.dense"))?;
        let wide = self.graph.gelu(wide).call()?;
        let narrow = self.linear(wide, &name("output.dense"))?;
        let sum = self.graph.add(narrow, x).call()?;
        self.layer_norm(sum, &name("output.LayerNorm"))
    }
    /// Returns the mean over all tokens except padding, scaled to length 1.
    fn pool(&mut self, x: Tensor, mask: Tensor) -> Result<Tensor> {
        let g = &mut self.graph;
        let column = g.reshape(mask, [self.batch, LENGTH as i64, 1]).call()?;
        let kept = g.mul(x, column).call()?;
        let sum = g.reduce(kept).axes(1).keep_dims(false).call()?;
        let count = g.reduce(mask).axes(1).call()?;
        let mean = g.div(sum, count).call()?;
        let norm = g.reduce(mean).method(ReduceMode::ReduceL2).axes(1).call()?;
        g.div(mean, norm).out_name("embedding").call()
    }
}

fn build(batch: usize) -> Result<Graph> {
    let weights = WeightFile::open(Path::new(MODEL).join("model.safetensors"))?;
    let mut b = Builder { graph: Graph::new("minilm")?, weights, batch: batch as i64 };
    let mut input = |name| b.graph.input(name, Dtype::Int32, [batch, LENGTH]);
    let (ids, mask, segments) = (input("input_ids")?, input("attention_mask")?, input("token_type_ids")?);
    let mut x = b.embeddings(ids, segments)?;
    let mask = b.graph.cast(mask).call()?;
    let hidden = b.graph.sub(1.0, mask).call()?;
    // -1e9 would be infinite in float16, and 0 times it NaN.
    let hidden = b.graph.mul(hidden, -1e4).call()?;
    let hidden = b.graph.reshape(hidden, [batch as i64, 1, 1, LENGTH as i64]).call()?;
    for index in 0..LAYERS {
        x = b.layer(x, hidden, index)?;
    }
    let embedding = b.pool(x, mask)?;
    b.graph.set_outputs(&[embedding])?;
    Ok(b.graph)
}

type Feeds = indexmap::IndexMap<String, Array>;

fn tokenize(sentences: &[String]) -> Result<Feeds, Box<dyn Error + Send + Sync>> {
    let mut tokenizer = Tokenizer::from_file(Path::new(MODEL).join("tokenizer.json"))?;
    let truncation = TruncationParams { max_length: LENGTH, ..Default::default() };
    let padding = PaddingParams { strategy: PaddingStrategy::Fixed(LENGTH), ..Default::default() };
    tokenizer.with_padding(Some(padding)).with_truncation(Some(truncation))?;
    let encoded = tokenizer.encode_batch(sentences.to_vec(), true)?;
    let array = |f: fn(&tokenizers::Encoding) -> &[u32]| {
        let values = encoded.iter().flat_map(|e| f(e).iter().map(|&v| v as i32)).collect::<Vec<_>>();
        Array::from_vec([sentences.len(), LENGTH], values)
    };
    Ok(Feeds::from_iter([
        ("input_ids".to_owned(), array(|e| e.get_ids())?),
        ("attention_mask".to_owned(), array(|e| e.get_attention_mask())?),
        ("token_type_ids".to_owned(), array(|e| e.get_type_ids())?),
    ]))
}

fn embed(graph: &Graph, feeds: &Feeds) -> Result<Array> {
    let results = run(graph, feeds, &CpuBackend::new(), &RunOptions::default())?;
    Ok(results.tensors["embedding"].clone())
}

/// Prints the similarity of all pairs of sentences.
fn similarities(sentences: &[String]) -> Result<(), Box<dyn Error + Send + Sync>> {
    let embeddings = embed(&build(sentences.len())?, &tokenize(sentences)?)?.to_ndarray::<f32>()?;
    for (i, sentence) in sentences.iter().enumerate() {
        println!("{sentence}");
        for (j, other) in sentences.iter().enumerate().filter(|(j, _)| *j != i) {
            let (a, b) = (embeddings.index_axis(Axis(0), i), embeddings.index_axis(Axis(0), j));
            println!("  {:6.3}  {other}", (&a * &b).sum());
        }
    }
    Ok(())
}

/// Compares with PyTorch's embeddings, and writes the MLIR and the spec.
fn check() -> Result<bool, Box<dyn Error + Send + Sync>> {
    let mut reference = read_npz("tests/minilm/reference.npz")?;
    let expected = reference.swap_remove("embedding").ok_or("the reference has no embedding")?;
    let sentences: Vec<String> = serde_json::from_str(&std::fs::read_to_string("tests/minilm/sentences.json")?)?;
    let tokens_agree = tokenize(&sentences)?.iter().all(|(name, array)| reference.get(name) == Some(array));
    println!("tokens: {}", if tokens_agree { "equal" } else { "DIFFERENT" });
    let graph = build(sentences.len())?;
    let got = embed(&graph, &reference)?;
    let one = |a: Array| [("embedding".to_owned(), a)].into_iter().collect();
    let distance = compare(&one(expected), &one(got))?;
    let Some(Comparison::Values { relative_l2, max_abs, .. }) = distance.get("embedding") else {
        return Ok(false);
    };
    println!("embedding: relative L2 error {relative_l2:.2e}, largest difference {max_abs:.2e} (PyTorch)");
    let written = mlir::write_pair(&graph, MODEL)?;
    println!("{}\n{}", written.mlir.display(), written.weights.display());
    let path = Path::new(MODEL).join("minilm.json");
    std::fs::write(&path, spec::to_text(&graph, Some("model.safetensors"))?)?;
    let again = mlir::emit(&spec::read(&path, spec::Weights::Load)?)?;
    let same = again.text == mlir::emit(&graph)?.text;
    println!("{}: {}", path.display(), if same { "gives the same MLIR" } else { "gives DIFFERENT MLIR" });
    Ok(tokens_agree && *relative_l2 < 1e-5 && same)
}

fn main() -> ExitCode {
    let sentences: Vec<String> = std::env::args().skip(1).collect();
    let outcome = if sentences.is_empty() { check() } else { similarities(&sentences).map(|()| true) };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!("`make minilm` fetches the model to {MODEL}");
            ExitCode::from(2)
        }
    }
}
