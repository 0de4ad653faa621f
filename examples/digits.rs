//! Trains a small convolutional network on handwritten digits, and writes the trained network for the tool chain.
//!
//! ```sh
//! cargo run --release --example digits -- build/digits
//! ```
//!
//! The digits are those of scikit-learn: 1,797 images of 8 x 8 pixels from 0 to 16 (Alpaydin and Kaynak, Optical Recognition of
//! Handwritten Digits, UCI Machine Learning Repository). The last 360 are kept for the test. conformance/digits.py trains the same
//! network with PyTorch, from the same weights.
use std::path::Path;
use tpulang::{
    Array, Dtype, Graph, GraphBuilder, Result, Value,
    array::{read_npz, write_npz},
    exec::{CpuBackend, RunOptions, Session},
    graph::optimizers::Adam,
    mlir,
    ops::{self, ReduceMode::ReduceSum},
};

const BATCH: usize = 64;
const TRAINING: usize = 1437;

/// Numbers of a linear congruential generator, the same everywhere.
struct Numbers(u64);

impl Numbers {
    /// Returns a number from 0 to `end`, without `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
    /// Returns weights, uniform between plus and minus `1 / sqrt(inputs)`.
    fn weights(&mut self, shape: &[usize], inputs: usize) -> Result<Array> {
        let limit = (inputs as f32).sqrt().recip();
        let mut number = || (self.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * limit;
        Array::from_vec(shape, (0..shape.iter().product()).map(|_| number()).collect())
    }
    /// Returns the numbers below `count` in random order.
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).rev().for_each(|i| order.swap(i, self.below(i as u64 + 1) as usize));
        order
    }
}

/// The network, two convolutions with pools and then a fully connected layer, and the same with a training step.
struct Digit {
    network: Graph,
    training: Graph,
}

impl Digit {
    fn new() -> Result<Digit> {
        let (g, mut numbers) = (GraphBuilder::new("digits")?, Numbers(1));
        let mut weights = Vec::new();
        let mut weight = |name: &str, shape: &[usize], inputs: usize| -> Result<Value> {
            let weight = g.coefficient(name, numbers.weights(shape, inputs)?)?;
            weights.push(weight);
            Ok(weight)
        };
        let x = g.input("image", Dtype::Float32, [BATCH, 1, 8, 8])?;
        let x = layer(x, weight("w1", &[16, 1, 3, 3], 9)?, weight("b1", &[16], 9)?)?;
        let x = layer(x, weight("w2", &[32, 16, 3, 3], 144)?, weight("b2", &[32], 144)?)?;
        let x = x.reshape([BATCH, 128]).call()?;
        let (w3, b3) = (weight("w3", &[128, 10], 128)?, weight("b3", &[10], 128)?);
        let logits = x.matmul(w3).bias(b3).out_name("logits").call()?;
        let network = g.build(logits)?;

        // The cross entropy with labels of ones and zeros, and Adam.
        let labels = g.input("labels", Dtype::Float32, [BATCH, 10])?;
        let log = g.op(ops::Softmax { log: true, ..ops::Softmax::new(logits, 1) }).call()?[0];
        let sum = (log * labels).call()?.reduce().method(ReduceSum).axes([0, 1]).keep_dims(false).call()?;
        let loss = (sum * (-1.0 / BATCH as f64)).out_name("loss").call()?;
        g.minimize(loss, weights, &Adam::new(2e-3))?;
        Ok(Digit { network, training: g.build(loss)? })
    }
}

/// A convolution, which keeps height and width, a relu, and a pool, which halves them.
fn layer<'g>(x: Value<'g>, weight: Value<'g>, bias: Value<'g>) -> Result<Value<'g>> {
    let x = x.conv(weight).bias(bias).pad(1).call()?.relu().call()?;
    x.maxpool2d().kernel(2).stride(2).call()
}

/// The images, from 0 to 1, and their labels.
struct Digits {
    images: Vec<f32>,
    labels: Vec<usize>,
}

impl Digits {
    fn read() -> Result<Digits> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/digits/digits.npz");
        let arrays = read_npz(file)?;
        let labels = arrays["labels"].to_f32()?.into_iter().map(|v| v as usize).collect();
        Ok(Digits { images: arrays["images"].to_f32()?.into_iter().map(|v| v / 16.0).collect(), labels })
    }
    /// Returns the images of a batch, and their labels as ones among zeros.
    fn batch(&self, indices: &[usize]) -> Result<[(&'static str, Array); 2]> {
        let images = indices.iter().flat_map(|i| &self.images[i * 64..(i + 1) * 64]).copied().collect();
        let mut labels = vec![0f32; indices.len() * 10];
        indices.iter().enumerate().for_each(|(row, i)| labels[row * 10 + self.labels[*i]] = 1.0);
        let labels = Array::from_vec([indices.len(), 10], labels)?;
        Ok([("image", Array::from_vec([indices.len(), 1, 8, 8], images)?), ("labels", labels)])
    }
    /// Returns the part of the test images that the network recognizes.
    fn accuracy(&self, session: &Session<CpuBackend>) -> Result<f64> {
        let test: Vec<usize> = (TRAINING..self.labels.len()).collect();
        let mut correct = 0;
        for images in test.chunks(BATCH) {
            // The last batch is filled up.
            let filled: Vec<usize> = images.iter().copied().chain(std::iter::repeat(0)).take(BATCH).collect();
            let [images_of, _] = self.batch(&filled)?;
            let logits = session.fetch(&[images_of], &["logits"])?["logits"].to_f32()?;
            for (row, i) in logits.chunks(10).zip(images) {
                let best = (0..10).max_by(|a, b| row[*a].total_cmp(&row[*b]));
                correct += usize::from(best == Some(self.labels[*i]));
            }
        }
        Ok(correct as f64 / test.len() as f64)
    }
}

/// Trains for `epochs`, and writes the trained network, the initial weights and the losses to `folder`. Returns the accuracy.
pub fn train(epochs: u64, folder: &Path) -> Result<f64> {
    let (digits, Digit { mut network, training }) = (Digits::read()?, Digit::new()?);
    let session = Session::new(&training, CpuBackend::new(), &RunOptions::default())?;
    let initial = session.variables()?;
    let mut losses = Vec::new();
    for epoch in 0..epochs {
        for indices in Numbers(epoch).order(TRAINING).chunks_exact(BATCH) {
            losses.extend(session.run(&digits.batch(indices)?)?["loss"].to_f32()?);
        }
        if epoch % 5 == 4 {
            let loss = losses.last().copied().unwrap_or_default();
            println!("epoch {}: loss {loss:.4}, accuracy {:.4}", epoch + 1, digits.accuracy(&session)?);
        }
    }
    session.save_variables(&mut network)?;
    let written = mlir::write_pair(&network, folder)?;
    let losses = Array::from_vec([losses.len()], losses)?;
    let initial = initial.iter().map(|(name, array)| (name.as_str(), array));
    write_npz(folder.join("training.npz"), initial.chain([("losses", &losses)]))?;
    println!("{}", written.mlir.display());
    digits.accuracy(&session)
}

pub fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "build/digits".to_owned());
    println!("accuracy {:.4}", train(20, Path::new(&folder))?);
    Ok(())
}
