//! BERT, with the weights of transformers' `BertModel`.
use super::layers::{LayerNorm, Linear};
use tpulang::{Dtype, Graph, GraphBuilder, Result, Value, Weights};

const EPSILON: f64 = 1e-12;

/// The sizes that the weights do not tell.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    pub batch: usize,
    pub length: usize,
    pub layers: usize,
    pub heads: usize,
}

impl Config {
    pub const BASE: Config = Config { batch: 1, length: 128, layers: 12, heads: 12 };
}

struct Attention<'g> {
    query: Linear<'g>,
    key: Linear<'g>,
    value: Linear<'g>,
    heads: usize,
}

impl<'g> Attention<'g> {
    fn new(w: &Weights<'g>, heads: usize) -> Result<Self> {
        let linear = |name| Linear::new(&w.scope(name));
        Ok(Attention { query: linear("query")?, key: linear("key")?, value: linear("value")?, heads })
    }
    /// From batch x length x all elements to batch x heads x length x elements of a head.
    fn by_head(&self, x: Value<'g>) -> Result<Value<'g>> {
        let [batch, length, width] = x.dims()?;
        x.reshape([batch, length, self.heads, width / self.heads]).call()?.permute([0, 2, 1, 3]).call()
    }
    fn forward(&self, x: Value<'g>, mask: Value<'g>) -> Result<Value<'g>> {
        let query = self.by_head(self.query.forward(x)?)?;
        let key = self.by_head(self.key.forward(x)?)?;
        let value = self.by_head(self.value.forward(x)?)?;
        let [batch, heads, length, head] = query.dims()?;
        let products = query.matmul(key).right_transpose(true).call()?;
        let scores = (products * (head as f64).powf(-0.5) + mask).call()?;
        let mixed = scores.softmax(-1).call()?.matmul(value).call()?;
        mixed.permute([0, 2, 1, 3]).call()?.reshape([batch, length, heads * head]).call()
    }
}

/// A linear layer, whose result is added to the layer's input and normalized.
struct AddNorm<'g> {
    dense: Linear<'g>,
    norm: LayerNorm<'g>,
}

impl<'g> AddNorm<'g> {
    fn new(w: &Weights<'g>) -> Result<Self> {
        Ok(AddNorm { dense: Linear::new(&w.scope("dense"))?, norm: LayerNorm::new(&w.scope("LayerNorm"), EPSILON)? })
    }
    fn forward(&self, x: Value<'g>, residual: Value<'g>) -> Result<Value<'g>> {
        self.norm.forward((residual + self.dense.forward(x)?).call()?)
    }
}

struct Layer<'g> {
    attention: Attention<'g>,
    attended: AddNorm<'g>,
    intermediate: Linear<'g>,
    output: AddNorm<'g>,
}

impl<'g> Layer<'g> {
    fn new(w: &Weights<'g>, heads: usize) -> Result<Self> {
        Ok(Layer {
            attention: Attention::new(&w.scope("attention.self"), heads)?,
            attended: AddNorm::new(&w.scope("attention.output"))?,
            intermediate: Linear::new(&w.scope("intermediate.dense"))?,
            output: AddNorm::new(&w.scope("output"))?,
        })
    }
    fn forward(&self, x: Value<'g>, mask: Value<'g>) -> Result<Value<'g>> {
        let x = self.attended.forward(self.attention.forward(x, mask)?, x)?;
        self.output.forward(self.intermediate.forward(x)?.gelu().call()?, x)
    }
}

/// The encoder. The mask is 0 for a token, -10000 for padding.
pub fn bert(weights: &str, config: Config) -> Result<Graph> {
    let Config { batch, length, layers, heads } = config;
    let g = GraphBuilder::new("bert")?;
    let w = g.weights(weights)?;
    let embed = |name: &str| {
        let ids = g.input(name, Dtype::Int32, [batch, length])?;
        w.get(&format!("embeddings.{name}_embeddings.weight"))?.index_select(ids).axis(0).call()
    };
    let (words, types, positions) = (embed("word")?, embed("token_type")?, embed("position")?);
    let mask = g.input("mask", Dtype::Float32, [batch, 1, 1, length])?;
    let norm = LayerNorm::new(&w.scope("embeddings.LayerNorm"), EPSILON)?;
    let mut x = norm.forward((words + types + positions).call()?)?;
    for i in 0..layers {
        let layer = Layer::new(&w.scope(format!("encoder.layer.{i}")), heads)?;
        x = g.scope(&format!("layer{i}"), || layer.forward(x, mask))?;
    }
    g.build(x)
}
