//! Decoder layers of Qwen2-VL: `qwen2_block`, `qwen2_block_cache`.
use super::{argument::StringEnum, function, operands::Operands, qwen_layer::Layer};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result},
};

/// Packing format of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantMethod {
    /// GPTQ's format.
    Gptq,
}
impl StringEnum for QuantMethod {
    const NAME: &'static str = "method";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(Self::Gptq, "gptq")]
    }
}

function! {
    tensors Qwen2Weights {
        "Query projection: hidden_size to hidden_size; int32. A matrix of k rows and n columns is packed like `a16matmul`'s: k * weight_bits / 32 x n." q_proj_weights,
        "Scales, k / group_size x n; float32 or float16." q_proj_scales,
        "Zero points minus 1, k / group_size x n * weight_bits / 32; int32." q_proj_zps,
        "Bias, n elements; float32 or float16." q_proj_bias,
        "Key projection: hidden_size to num_key_value_heads * d, where d is hidden_size / num_attention_heads; int32." k_proj_weights,
        "Like q_proj_scales." k_proj_scales,
        "Like q_proj_zps." k_proj_zps,
        "Like q_proj_bias." k_proj_bias,
        "Value projection: hidden_size to num_key_value_heads * d; int32." v_proj_weights,
        "Like q_proj_scales." v_proj_scales,
        "Like q_proj_zps." v_proj_zps,
        "Like q_proj_bias." v_proj_bias,
        "Output projection: hidden_size to hidden_size; int32." o_proj_weights,
        "Like q_proj_scales." o_proj_scales,
        "Like q_proj_zps." o_proj_zps,
        "Down projection of the gated product: any size to hidden_size; int32." down_proj_weights,
        "Like q_proj_scales." down_proj_scales,
        "Like q_proj_zps." down_proj_zps,
        "Gate projection: hidden_size to the input size of down_proj; int32." gate_proj_weights,
        "Like q_proj_scales." gate_proj_scales,
        "Like q_proj_zps." gate_proj_zps,
        "Up projection: hidden_size to the input size of down_proj; int32." up_proj_weights,
        "Like q_proj_scales." up_proj_scales,
        "Like q_proj_zps." up_proj_zps,
        "hidden_size elements, of the dtype of hidden_states." input_layernorm_weight,
        "hidden_size elements; float32 or float16." post_attention_layernorm_weight,
    }
}

function! {
    set Qwen2Options {
        "Dtype of the computation: float32 or float16. Hidden states and caches of the other dtype are converted." out_dtype: Dtype = Dtype::Float16,
        "Rows of a matrix that share scale and zero point." group_size: i64 = 128i64,
        "Bits of a weight: 4 or 8." weight_bits: i64 = 4i64,
        "Elements of a hidden state." hidden_size: i64 = 3584i64,
        "Added to the mean square for numerical stability; not negative." rms_norm_eps: f64 = 1e-6,
        "Heads of queries; they divide hidden_size into vectors of d elements, an even number." num_attention_heads: i64 = 28i64,
        "Heads of keys and values; they divide num_attention_heads." num_key_value_heads: i64 = 4i64,
        "Number of the d / 2 angles in each table (time, height, width)." mrope_section: Vec<i64> = vec![16, 24, 24],
        "Packing of the weights." quant_method: QuantMethod = QuantMethod::Gptq,
        "Bias of the output projection, hidden_size elements; float32 or float16." o_proj_bias: Operand,
    }
}

function! {
    Qwen2Block -> [Tensor; 3] as ["mlp_out_add", "k_embed", "v_proj_reshape"] {
        "n x positions x hidden_size; float32 or float16." hidden_states: Operand,
        "Sections x n x positions: the row in the tables of each section; integers, possibly stored as floats." position_ids: Operand,
        "Added to the scores; broadcasts to n x num_attention_heads x positions x keys; float32 or float16." attention_mask: Operand,
        "Cosines, one table per entry n of mrope_section: rows x 1 x n; float32 or float16." cos: Operands,
        "Sines, in the form of `cos`." sin: Operands,
        ..weights: Qwen2Weights,
        ;
        ..options: Qwen2Options { out_dtype: Dtype, group_size: i64, weight_bits: i64, hidden_size: i64, rms_norm_eps: f64, num_attention_heads: i64, num_key_value_heads: i64, mrope_section: Vec<i64>, quant_method: QuantMethod, o_proj_bias: Operand },
    }
    qwen2_block: "A decoder layer of Qwen2-VL: `h = hidden_states + o_proj(attention(rms_norm(hidden_states)))`, then `h + down_proj(silu(gate_proj(m)) * up_proj(m))` with `m = rms_norm(h)`; also returns the keys and the values, both n x positions x num_key_value_heads x d. Attention is `softmax(q x k^T / sqrt(d) + attention_mask) x v`, where each head of keys and values serves several heads of queries; a query or key with halves a and b is rotated to `[a, b] * c + [-b, a] * s`, where c and s are the concatenated rows of the tables, repeated twice.",
        example |g, x, i| {
            let hidden = g.input("hidden", Dtype::Float32, [1, 5, 16])?;
            let ids = g.input("ids", Dtype::Int32, [2, 1, 5])?;
            let mask = g.input("mask", Dtype::Float32, [1, 1, 5, 5])?;
            let table = |angles| Array::filled(Dtype::Float32, [9, 1, angles], 0.5);
            for (name, k, n) in [("q", 16, 16), ("k", 16, 8), ("v", 16, 8), ("o", 16, 16), ("gate", 16, 24), ("up", 16, 24), ("down", 24, 16)] {
                g.coefficient(&format!("{name}_proj_weights"), Array::filled(Dtype::Int32, [k / 8, n], 1.0)?)?;
                g.coefficient(&format!("{name}_proj_scales"), Array::filled(Dtype::Float32, [k / 8, n], 0.5)?)?;
                g.coefficient(&format!("{name}_proj_zps"), Array::filled(Dtype::Int32, [k / 8, n / 8], 1.0)?)?;
                g.coefficient(&format!("{name}_proj_bias"), Array::filled(Dtype::Float32, [n], 0.1)?)?;
            };
            let norm = g.coefficient("input_layernorm_weight", Array::filled(Dtype::Float32, [16], 1.0)?)?;
            let norm = g.coefficient("post_attention_layernorm_weight", Array::filled(Dtype::Float32, [16], 1.0)?)?;
            let (cos, sin) = ([table(1)?, table(3)?], [table(1)?, table(3)?]);
            let [y, k, v] = hidden
                .qwen2_block(ids, mask, cos, sin, functions::args::Qwen2Weights::named(""))
                .o_proj_bias("o_proj_bias")
                .hidden_size(16)
                .num_attention_heads(2)
                .num_key_value_heads(1)
                .mrope_section(vec![1, 3])
                .group_size(8)
                .out_dtype(Dtype::Float32)
                .call()?;
            assert_eq!(y.shape()?, [1, 5, 16]);
            assert_eq!(k.shape()?, [1, 5, 1, 8]);
        },
        => |args, to| args.layer(None).lower(to);
}

function! {
    Qwen2BlockCache -> [Tensor; 3] as ["mlp_out_add", "k_embed", "v_proj_reshape"] {
        "n x positions x hidden_size; float32 or float16." hidden_states: Operand,
        "Sections x n x positions: the row in the tables of each section; integers, possibly stored as floats." position_ids: Operand,
        "Added to the scores; broadcasts to n x num_attention_heads x positions x keys, the cache's keys first; float32 or float16." attention_mask: Operand,
        "Keys of earlier positions: n x earlier positions x num_key_value_heads x d; float32 or float16." k_cache: Operand,
        "Values of earlier positions, of the same shape." v_cache: Operand,
        "Cosines, one table per entry n of mrope_section: rows x 1 x n; float32 or float16." cos: Operands,
        "Sines, in the form of `cos`." sin: Operands,
        ..weights: Qwen2Weights,
        ;
        ..options: Qwen2Options { out_dtype: Dtype, group_size: i64, weight_bits: i64, hidden_size: i64, rms_norm_eps: f64, num_attention_heads: i64, num_key_value_heads: i64, mrope_section: Vec<i64>, quant_method: QuantMethod, o_proj_bias: Operand },
    }
    qwen2_block_cache: "Like `qwen2_block`, with the keys and values of earlier positions in front of the new ones; returns only the new ones.",
        example |g, x, i| {
            let hidden = g.input("hidden", Dtype::Float32, [1, 1, 16])?;
            let ids = g.input("ids", Dtype::Int32, [1, 1, 1])?;
            let mask = g.input("mask", Dtype::Float32, [1, 1, 1, 7])?;
            let k_cache = g.input("k_cache", Dtype::Float32, [1, 6, 1, 8])?;
            let v_cache = g.input("v_cache", Dtype::Float32, [1, 6, 1, 8])?;
            let table = || Array::filled(Dtype::Float32, [9, 1, 4], 0.5);
            for (name, k, n) in [("q", 16, 16), ("k", 16, 8), ("v", 16, 8), ("o", 16, 16), ("gate", 16, 24), ("up", 16, 24), ("down", 24, 16)] {
                g.coefficient(&format!("{name}_proj_weights"), Array::filled(Dtype::Int32, [k / 4, n], 1.0)?)?;
                g.coefficient(&format!("{name}_proj_scales"), Array::filled(Dtype::Float32, [k / 8, n], 0.5)?)?;
                g.coefficient(&format!("{name}_proj_zps"), Array::filled(Dtype::Int32, [k / 8, n / 4], 1.0)?)?;
                g.coefficient(&format!("{name}_proj_bias"), Array::filled(Dtype::Float32, [n], 0.1)?)?;
            };
            let norm = g.coefficient("input_layernorm_weight", Array::filled(Dtype::Float32, [16], 1.0)?)?;
            let norm = g.coefficient("post_attention_layernorm_weight", Array::filled(Dtype::Float32, [16], 1.0)?)?;
            let [y, k, v] = hidden
                .qwen2_block_cache(ids, mask, k_cache, v_cache, [table()?], [table()?], functions::args::Qwen2Weights::named(""))
                .o_proj_bias("o_proj_bias")
                .hidden_size(16)
                .num_attention_heads(2)
                .num_key_value_heads(1)
                .mrope_section(vec![4])
                .group_size(8)
                .weight_bits(8)
                .out_dtype(Dtype::Float32)
                .call()?;
            assert_eq!(y.shape()?, [1, 1, 16]);
            assert_eq!(v.shape()?, [1, 1, 1, 8]);
        },
        => |args, to| args.layer(Some([&args.k_cache, &args.v_cache])).lower(to);
}

macro_rules! layer {
    ($($Args:ident)*) => { $(
        impl $Args {
            fn layer<'a>(&'a self, cache: Option<[&'a Operand; 2]>) -> Layer<'a> {
                Layer {
                    hidden_states: &self.hidden_states,
                    position_ids: &self.position_ids,
                    attention_mask: &self.attention_mask,
                    cache,
                    tables: [("cos", &self.cos.0), ("sin", &self.sin.0)],
                    weights: &self.weights,
                    options: &self.options,
                }
            }
        }
    )* };
}
layer!(Qwen2Block Qwen2BlockCache);

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;
    use serde_json::{Value as Json, json};
    use tpulang::{
        Array, Dtype, Graph, Tensor,
        exec::{self, CpuBackend, RunOptions},
        functions::{args::Qwen2Weights, function_def},
        spec,
    };

    const N: usize = 2;
    const POSITIONS: usize = 3;
    const HIDDEN: usize = 16;
    const HEADS: usize = 4;
    const SHARED: usize = 2;
    const D: usize = 4;
    const INNER: usize = 24;
    const GROUP: usize = 8;
    const ROWS: usize = 9;
    const SECTIONS: [usize; 2] = [1, 1];

    /// A builder of a layer whose values are generated from a seed and also kept as float64.
    struct Drawn {
        seed: u64,
        graph: Graph,
        feeds: IndexMap<String, Array>,
    }

    /// The matrix of a projection, in row-major order, and its bias.
    struct Matrix {
        rows: Vec<f64>,
        bias: Vec<f64>,
    }

    impl Drawn {
        /// Returns an integer below `end`.
        fn below(&mut self, end: u64) -> u64 {
            self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.seed >> 33) % end
        }
        fn floats(&mut self, count: usize) -> Vec<f32> {
            (0..count).map(|_| self.below(2000) as f32 / 1000.0 - 1.0).collect()
        }
        fn feed(&mut self, name: &str, shape: &[usize]) -> (Tensor, Vec<f64>) {
            let values = self.floats(shape.iter().product());
            let data = Array::from_vec(shape, values.clone()).unwrap();
            self.feeds.insert(name.into(), data);
            (self.graph.input(name, Dtype::Float32, shape).unwrap(), wide(&values))
        }
        fn coefficient(&mut self, name: &str, shape: &[usize]) -> (Tensor, Vec<f64>) {
            let values = self.floats(shape.iter().product());
            let data = Array::from_vec(shape, values.clone()).unwrap();
            (self.graph.coefficient(name, data).unwrap(), wide(&values))
        }
        /// Adds the packed coefficients of a projection from k to n elements.
        fn projection(&mut self, name: &str, k: usize, n: usize, bits: u64) -> Matrix {
            let (each, groups) = (32 / bits as usize, k / GROUP);
            let (mut words, mut zps) = (vec![0u32; k / each * n], vec![0u32; groups * n / each]);
            let (scales, bias) = (self.floats(groups * n), self.floats(n));
            let mut rows = vec![0.0; k * n];
            let zero_points: Vec<u64> = (0..groups * n).map(|_| self.below((1 << bits) - 1)).collect();
            for (i, z) in zero_points.iter().enumerate() {
                zps[i / each] |= (*z as u32) << (bits as usize * (i % each));
            }
            for (row, column) in (0..k).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let (weight, of) = (self.below(1 << bits), row / GROUP * n + column);
                words[row / each * n + column] |= (weight as u32) << (bits as usize * (row % each));
                let whole = weight as f64 - (zero_points[of] + 1) as f64;
                rows[row * n + column] = whole * f64::from(scales[of] / 16.0);
            }
            let ints = |v: Vec<u32>| v.into_iter().map(|w| w as i32).collect::<Vec<_>>();
            let scales: Vec<f32> = scales.iter().map(|s| s / 16.0).collect();
            for (what, data) in [
                ("weights", Array::from_vec([k / each, n], ints(words)).unwrap()),
                ("scales", Array::from_vec([groups, n], scales).unwrap()),
                ("zps", Array::from_vec([groups, n / each], ints(zps)).unwrap()),
                ("bias", Array::from_vec([n], bias.clone()).unwrap()),
            ] {
                self.graph.coefficient(&format!("{name}_proj_{what}"), data).unwrap();
            }
            let with_bias = !["gate", "up", "down"].contains(&name);
            Matrix { rows, bias: if with_bias { wide(&bias) } else { vec![0.0; n] } }
        }
    }

    fn wide(values: &[f32]) -> Vec<f64> {
        values.iter().map(|v| f64::from(*v)).collect()
    }

    impl Matrix {
        fn product(&self, x: &[f64]) -> Vec<f64> {
            let n = self.bias.len();
            let of_row = |x: &[f64]| -> Vec<f64> {
                (0..n)
                    .map(|c| {
                        self.bias[c] + x.iter().zip(self.rows[c..].iter().step_by(n)).map(|(a, b)| a * b).sum::<f64>()
                    })
                    .collect()
            };
            x.chunks(self.rows.len() / n).flat_map(of_row).collect()
        }
    }

    fn normed(x: &[f64], gamma: &[f64]) -> Vec<f64> {
        let of_row = |row: &[f64]| -> Vec<f64> {
            let mean = row.iter().map(|v| v * v).sum::<f64>() / row.len() as f64;
            row.iter().zip(gamma).map(|(v, g)| v / (mean + 1e-6).sqrt() * g).collect()
        };
        x.chunks(gamma.len()).flat_map(of_row).collect()
    }

    fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    /// Rotates each head; `angle` returns cosine and sine of an element at a position.
    fn turned(x: &[f64], heads: usize, angle: impl Fn(usize, usize) -> (f64, f64)) -> Vec<f64> {
        let element = |i: usize| {
            let (e, start) = (i % D, i - i % D);
            let (cos, sin) = angle(i / (heads * D), e % (D / 2));
            let other = if e < D / 2 { -x[start + e + D / 2] } else { x[start + e - D / 2] };
            x[i] * cos + other * sin
        };
        (0..x.len()).map(element).collect()
    }

    /// Returns the weighted values of all heads. Keys and values have one list per sample; the mask is positions x keys.
    fn attended(q: &[f64], k: &[Vec<f64>], v: &[Vec<f64>], mask: &[f64]) -> Vec<f64> {
        let mut out = Vec::new();
        for (row, head) in (0..N * POSITIONS).flat_map(|row| (0..HEADS).map(move |head| (row, head))) {
            let (n, shared, keys) = (row / POSITIONS, head / (HEADS / SHARED), k[0].len() / (SHARED * D));
            let query = &q[(row * HEADS + head) * D..][..D];
            let score = |key: usize| {
                let key_row = &k[n][(key * SHARED + shared) * D..][..D];
                let product: f64 = query.iter().zip(key_row).map(|(a, b)| a * b).sum();
                (product / (D as f64).sqrt() + mask[row % POSITIONS * keys + key]).exp()
            };
            let scores: Vec<f64> = (0..keys).map(score).collect();
            let total: f64 = scores.iter().sum();
            let element = |e: usize| {
                let weighted = scores.iter().enumerate().map(|(key, s)| s * v[n][(key * SHARED + shared) * D + e]);
                weighted.sum::<f64>() / total
            };
            out.extend((0..D).map(element));
        }
        out
    }

    /// Asserts that the error is small relative to the norm.
    fn assert_close(found: &Array, expected: &[f64]) {
        let found = found.to_f64().unwrap();
        assert_eq!(found.len(), expected.len());
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
        let off = norm(&mut found.iter().zip(expected).map(|(a, b)| a - b));
        assert!(off <= 1e-5 * norm(&mut expected.iter().copied()), "{off}");
    }

    /// Compares a layer after `earlier` cached positions with a computation in float64.
    fn check_numbers(earlier: Option<usize>, bits: u64) {
        let mut drawn = Drawn { seed: 7, graph: Graph::new("g").unwrap(), feeds: IndexMap::new() };
        let keys = POSITIONS + earlier.unwrap_or(0);
        let (hidden, x) = drawn.feed("hidden", &[N, POSITIONS, HIDDEN]);
        let (mask, of_mask) = drawn.feed("mask", &[POSITIONS, keys]);
        let ids: Vec<i32> = (0..2 * N * POSITIONS).map(|_| drawn.below(ROWS as u64) as i32).collect();
        let position_ids = drawn.graph.input("ids", Dtype::Int32, [2, N, POSITIONS]).unwrap();
        drawn.feeds.insert("ids".into(), Array::from_vec([2, N, POSITIONS], ids.clone()).unwrap());
        let table =
            |drawn: &mut Drawn, name: &str, i: usize| drawn.coefficient(&format!("{name}{i}"), &[ROWS, 1, SECTIONS[i]]);
        let cos = [0, 1].map(|i| table(&mut drawn, "cos", i));
        let sin = [0, 1].map(|i| table(&mut drawn, "sin", i));
        let (own, w) = (
            SHARED * D,
            [
                ("q", HIDDEN, HIDDEN),
                ("k", HIDDEN, SHARED * D),
                ("v", HIDDEN, SHARED * D),
                ("o", HIDDEN, HIDDEN),
                ("gate", HIDDEN, INNER),
                ("up", HIDDEN, INNER),
                ("down", INNER, HIDDEN),
            ],
        );
        let [wq, wk, wv, wo, gate, up, down] = w.map(|(name, k, n)| drawn.projection(name, k, n, bits));
        let (_, first) = drawn.coefficient("input_layernorm_weight", &[HIDDEN]);
        let (_, second) = drawn.coefficient("post_attention_layernorm_weight", &[HIDDEN]);
        let cache = earlier.map(|e| ["k_cache", "v_cache"].map(|name| drawn.feed(name, &[N, e, SHARED, D])));
        // Each section has a single angle, so an angle's index is its section's.
        let angle = |row: usize, a: usize| {
            let at = ids[a * N * POSITIONS + row] as usize;
            (cos[a].1[at], sin[a].1[at])
        };
        let m = normed(&x, &first);
        let (q, k, v) = (turned(&wq.product(&m), HEADS, angle), turned(&wk.product(&m), SHARED, angle), wv.product(&m));
        let of_samples = |i: usize, new: &[f64]| -> Vec<Vec<f64>> {
            let earlier =
                |n: usize| cache.as_ref().map_or(&[][..], |c| c[i].1.chunks(c[i].1.len() / N).nth(n).unwrap());
            new.chunks(POSITIONS * own).enumerate().map(|(n, new)| [earlier(n), new].concat()).collect()
        };
        let h = sum(&x, &wo.product(&attended(&q, &of_samples(0, &k), &of_samples(1, &v), &of_mask)));
        let m = normed(&h, &second);
        let gated: Vec<f64> =
            gate.product(&m).iter().zip(up.product(&m)).map(|(g, u)| g / (1.0 + (-g).exp()) * u).collect();
        let expected = [sum(&h, &down.product(&gated)), k, v];

        macro_rules! called {
            ($call:expr) => {
                $call
                    .out_dtype(Dtype::Float32)
                    .group_size(GROUP as i64)
                    .weight_bits(bits as i64)
                    .hidden_size(HIDDEN as i64)
                    .num_attention_heads(HEADS as i64)
                    .num_key_value_heads(SHARED as i64)
                    .mrope_section([1, 1])
                    .o_proj_bias("o_proj_bias")
                    .call()
            };
        }
        let (cos, sin, weights) = (cos.map(|t| t.0), sin.map(|t| t.0), Qwen2Weights::named(""));
        let g = &mut drawn.graph;
        let outputs = match &cache {
            None => called!(g.qwen2_block(hidden, position_ids, mask, cos, sin, weights)),
            Some([k, v]) => called!(g.qwen2_block_cache(hidden, position_ids, mask, k.0, v.0, cos, sin, weights)),
        };
        g.set_outputs(&outputs.unwrap()).unwrap();
        let found = exec::run(&drawn.graph, &drawn.feeds, &CpuBackend::new(), &RunOptions::default()).unwrap();
        found.tensors.values().zip(&expected).for_each(|(found, expected)| assert_close(found, expected));
    }

    #[test]
    fn numbers_are_those_of_the_definition() {
        for earlier in [None, Some(2)] {
            check_numbers(earlier, 4);
            check_numbers(earlier, 8);
        }
    }

    /// A float16 layer computes in float16, whatever the dtypes of hidden states and cache.
    #[test]
    fn all_is_computed_in_one_dtype_and_layers_follow_each_other() {
        let mut g = function_def("qwen2_block_cache").unwrap().example_graph().unwrap();
        let again = |g: &mut Graph, hidden: Tensor| {
            let find = |name: &str| g.find(name).unwrap();
            let (ids, mask, k, v) = (find("ids"), find("mask"), find("k_cache"), find("v_cache"));
            let table = || Array::filled(Dtype::Float32, [9, 1, 4], 0.5).unwrap();
            let weights = Qwen2Weights::named("");
            g.qwen2_block_cache(hidden, ids, mask, k, v, [table()], [table()], weights)
                .o_proj_bias("o_proj_bias")
                .hidden_size(16)
                .num_attention_heads(2)
                .num_key_value_heads(1)
                .mrope_section(vec![4])
                .group_size(8)
                .weight_bits(8)
                .call()
        };
        let hidden = g.find("hidden").unwrap();
        let [y, k, v] = again(&mut g, hidden).unwrap();
        let types = [y, k, v].map(|t| g.tensor(t).unwrap().type_text());
        assert_eq!(types, ["1x1x16 float16", "1x1x1x8 float16", "1x1x1x8 float16"]);
        let error = again(&mut g, y).unwrap_err().to_string();
        assert!(error.contains("input_layernorm_weight is float32; hidden_states are float16"), "{error}");
        let wide = g.cast(y).out_dtype(Dtype::Float32).call().unwrap();
        assert!(again(&mut g, wide).is_ok());
    }

    /// Returns the error of the example's call with one argument replaced by a value, or by a tensor of another type.
    fn told(function: &str, argument: &str, value: Json) -> String {
        let g = function_def(function).unwrap().example_graph().unwrap();
        let mut spec: Json = serde_json::from_str(&spec::to_text(&g, None).unwrap()).unwrap();
        spec["ops"][0]["args"][argument] = match value {
            Json::Object(declared) => {
                spec["tensors"]["wrong"] = Json::Object(declared);
                match argument {
                    "cos" | "sin" => json!([spec["ops"][0]["args"][argument][0], "wrong"]),
                    _ => json!("wrong"),
                }
            }
            value => value,
        };
        let error = spec::from_text(&spec.to_string(), "spec.json", None).unwrap_err();
        error.each()[0].to_string().lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |shape: &[usize]| json!({"shape": shape, "coeff": true});
        let words = |shape: &[usize]| json!({"dtype": "int32", "shape": shape, "coeff": true});
        let all: Vec<String> = [
            ("hidden_states", wrong(&[5, 16])),
            ("hidden_states", words(&[1, 5, 16])),
            ("hidden_size", json!(3584)),
            ("num_attention_heads", json!(3)),
            ("num_attention_heads", json!(0)),
            ("num_attention_heads", json!(16)),
            ("num_key_value_heads", json!(-1)),
            ("position_ids", words(&[3, 1, 5])),
            ("attention_mask", wrong(&[1, 1, 5, 6])),
            ("attention_mask", wrong(&[1, 1, 1, 5, 5])),
            ("mrope_section", json!([16, 24, 24])),
            ("mrope_section", json!([5, -1])),
            ("cos", json!([])),
            ("sin", wrong(&[9, 3])),
            ("cos", words(&[9, 1, 3])),
            ("out_dtype", json!("int8")),
            ("weight_bits", json!(16)),
            ("group_size", json!(5)),
            ("group_size", json!(0)),
            ("rms_norm_eps", json!(-1)),
            ("quant_method", json!("awq")),
            ("input_layernorm_weight", wrong(&[8])),
            ("post_attention_layernorm_weight", words(&[16])),
            ("q_proj_weights", words(&[16, 2])),
            ("k_proj_scales", wrong(&[1, 8])),
            ("v_proj_zps", wrong(&[2, 1])),
            ("o_proj_bias", wrong(&[8])),
            ("up_proj_weights", words(&[2, 16])),
            ("down_proj_zps", words(&[3, 16])),
            ("gate_proj_weights", words(&[2, 12])),
            ("gate_proj_weights", words(&[16])),
        ]
        .into_iter()
        .map(|(argument, value)| format!("{argument}: {}", told("qwen2_block", argument, value)))
        .chain(
            [("k_cache", wrong(&[1, 6, 2, 8])), ("v_cache", wrong(&[1, 5, 1, 8]))]
                .map(|(argument, value)| format!("{argument}: {}", told("qwen2_block_cache", argument, value))),
        )
        .collect();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("bad_calls_qwen", all.join("\n")));
    }
}
