//! Random weights for the networks in `examples/models` and `examples/networks`, to try them without a download:
//!
//! ```sh
//! cargo run --example model_weights -- bert bert.npz
//! tpulang check examples/models/bert.json --param weights=$PWD/bert.npz
//! ```
use tpulang::{Array, Error, Result, array::write_npz};

/// The widths of a network.
#[derive(Clone, Copy)]
struct Size {
    /// Channels after the first convolution, or elements of a token.
    width: usize,
    /// Layers, unless the spec fixes them.
    layers: usize,
    words: usize,
    /// The part of `width` that keys and values have: 1 / `group`.
    group: usize,
}

/// Shapes by name.
type Shapes = Vec<(String, Vec<usize>)>;

fn linear(to: &mut Shapes, name: &str, out: usize, input: usize, has_bias: bool) {
    to.push((format!("{name}.weight"), vec![out, input]));
    to.extend(has_bias.then(|| (format!("{name}.bias"), vec![out])));
}

fn norm(to: &mut Shapes, name: &str, parts: &[&str], width: usize) {
    to.extend(parts.iter().map(|part| (format!("{name}.{part}"), vec![width])));
}

fn resnet50(size: Size) -> Shapes {
    let mut to = Shapes::new();
    let conv = |to: &mut Shapes, conv: &str, bn: &str, shape: [usize; 4]| {
        to.push((format!("{conv}.weight"), shape.into()));
        norm(to, bn, &["weight", "bias", "running_mean", "running_var"], shape[0]);
    };
    conv(&mut to, "conv1", "bn1", [size.width, 3, 7, 7]);
    let mut input = size.width;
    for (stage, blocks) in [3, 4, 6, 3].into_iter().enumerate() {
        let inner = size.width << stage;
        for block in 0..blocks {
            let at = |part: &str| format!("layer{}.{block}.{part}", stage + 1);
            conv(&mut to, &at("conv1"), &at("bn1"), [inner, input, 1, 1]);
            conv(&mut to, &at("conv2"), &at("bn2"), [inner, inner, 3, 3]);
            conv(&mut to, &at("conv3"), &at("bn3"), [4 * inner, inner, 1, 1]);
            if block == 0 {
                conv(&mut to, &at("downsample.0"), &at("downsample.1"), [4 * inner, input, 1, 1]);
            }
            input = 4 * inner;
        }
    }
    linear(&mut to, "fc", 1000, input, true);
    to
}

fn bert(size: Size) -> Shapes {
    let (mut to, width) = (Shapes::new(), size.width);
    for (table, rows) in [("word", size.words), ("position", 512), ("token_type", 2)] {
        to.push((format!("embeddings.{table}_embeddings.weight"), vec![rows, width]));
    }
    norm(&mut to, "embeddings.LayerNorm", &["weight", "bias"], width);
    for layer in 0..size.layers {
        let at = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            linear(&mut to, &at(&format!("attention.{part}")), width, width, true);
        }
        norm(&mut to, &at("attention.output.LayerNorm"), &["weight", "bias"], width);
        linear(&mut to, &at("intermediate.dense"), 4 * width, width, true);
        linear(&mut to, &at("output.dense"), width, 4 * width, true);
        norm(&mut to, &at("output.LayerNorm"), &["weight", "bias"], width);
    }
    to
}

fn llama(size: Size) -> Shapes {
    let (mut to, width) = (Shapes::new(), size.width);
    to.push(("model.embed_tokens.weight".into(), vec![size.words, width]));
    for layer in 0..size.layers {
        let at = |part: &str| format!("model.layers.{layer}.{part}");
        for (part, out, input) in [
            ("self_attn.q_proj", width, width),
            ("self_attn.k_proj", width / size.group, width),
            ("self_attn.v_proj", width / size.group, width),
            ("self_attn.o_proj", width, width),
            ("mlp.gate_proj", 4 * width, width),
            ("mlp.up_proj", 4 * width, width),
            ("mlp.down_proj", width, 4 * width),
        ] {
            linear(&mut to, &at(part), out, input, false);
        }
        norm(&mut to, &at("input_layernorm"), &["weight"], width);
        norm(&mut to, &at("post_attention_layernorm"), &["weight"], width);
    }
    norm(&mut to, "model.norm", &["weight"], width);
    to
}

/// Returns random numbers between -1 and 1, always the same.
fn uniform() -> impl FnMut() -> f32 {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        // xorshift64
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// Returns int8 weights, int32 biases and scales that use the range of the results.
fn quantized() -> Result<Vec<(String, Array)>> {
    let mut uniform = uniform();
    let mut all = vec![("input_scale".to_owned(), Array::from([1f32 / 127.0]))];
    let layers = [
        ("conv1", vec![16, 3, 3, 3]),
        ("conv2", vec![16, 16, 3, 3]),
        ("conv3", vec![32, 16, 3, 3]),
        ("fc", vec![10, 2048]),
    ];
    for (name, shape) in layers {
        let (outputs, count): (usize, usize) = (shape[0], shape.iter().product());
        let weights = (0..count).map(|_| (127.0 * uniform()) as i8).collect();
        let biases: Vec<i32> = (0..outputs).map(|_| (1000.0 * uniform()) as i32).collect();
        let weight_scale = (3.0 * outputs as f32 / count as f32).sqrt() / 127.0;
        all.push((format!("{name}.weight"), Array::from_vec(shape, weights)?));
        all.push((format!("{name}.bias"), Array::from(biases)));
        all.push((format!("{name}.weight_scale"), Array::from([weight_scale])));
        all.push((format!("{name}.output_scale"), Array::from([2f32 / 127.0])));
    }
    Ok(all)
}

/// Returns weights that keep the size of what passes through: of a deviation of 1 / sqrt(inputs), and near 1 in norms.
pub fn weights(model: &str, is_small: bool) -> Result<Vec<(String, Array)>> {
    let (width, layers, words, group) = match (model, is_small) {
        (_, true) => (if model == "resnet50" { 8 } else { 32 }, 2, 100, 2),
        ("resnet50", _) => (64, 0, 0, 1),
        ("bert", _) => (768, 12, 30522, 1),
        _ => (2048, 16, 128_256, 4),
    };
    let size = Size { width, layers, words, group };
    let shapes = match model {
        "quantized" => return quantized(),
        "resnet50" => resnet50(size),
        "bert" => bert(size),
        "llama" => llama(size),
        other => {
            return Err(Error::new(format!("the model is {other:?}; expected resnet50, bert, llama or quantized")));
        }
    };
    let mut uniform = uniform();
    let array = |(name, shape): (String, Vec<usize>)| {
        let inputs: usize = shape[1..].iter().product();
        // The lists are those of norms, and biases.
        let (middle, range) = match shape.len() {
            1 if name.ends_with("weight") || name.ends_with("var") => (1.0, 0.2),
            1 => (0.0, 0.2),
            _ => (0.0, (3.0 / inputs as f32).sqrt()),
        };
        let values = (0..shape.iter().product()).map(|_| middle + range * uniform()).collect();
        Ok((name, Array::from_vec(shape, values)?))
    };
    shapes.into_iter().map(array).collect()
}

#[cfg_attr(test, allow(dead_code, reason = "the tests use the weights only"))]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model, path, is_small) = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [model, path] => (model.to_string(), path.to_string(), false),
        [model, path, "--small"] => (model.to_string(), path.to_string(), true),
        _ => return Err(Error::new("usage: model_weights resnet50|bert|llama|quantized FILE.npz [--small]")),
    };
    let weights = weights(&model, is_small)?;
    write_npz(path, weights)
}
