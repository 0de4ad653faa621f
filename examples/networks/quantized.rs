//! A small convolutional network of 8-bit integers. The scales are in the weights file, too.
use tpulang::{Dtype, Graph, GraphBuilder, Mode, Result, Value, Weights};

/// A layer that multiplies, and requantizes its sums to the scale of its output.
struct Quantized<'g> {
    weight: Value<'g>,
    bias: Value<'g>,
    weight_scale: f64,
    output_scale: f64,
}

impl<'g> Quantized<'g> {
    fn new(w: &Weights<'g>) -> Result<Self> {
        Ok(Quantized {
            weight: w.get("weight")?,
            bias: w.get("bias")?,
            weight_scale: number(w, "weight_scale")?,
            output_scale: number(w, "output_scale")?,
        })
    }
    fn conv(&self, x: Value<'g>) -> Result<Value<'g>> {
        let call = x.conv_quant(self.weight).bias(self.bias).pad(1);
        call.weight_scale(self.weight_scale).output_scale(self.output_scale).call()?.relu().call()
    }
    fn linear(&self, x: Value<'g>) -> Result<Value<'g>> {
        let call = x.matmul_quant(self.weight).bias(self.bias).right_transpose(true);
        call.right_scale(self.weight_scale).output_scale(self.output_scale).call()
    }
}

/// Returns a number of the weights file.
fn number(w: &Weights, name: &str) -> Result<f64> {
    Ok(w.array(name)?.to_f64()?[0])
}

/// Halves height and width, of input and output of one scale.
fn pool<'g>(x: Value<'g>, scale: f64) -> Result<Value<'g>> {
    x.maxpool2d().kernel(2).stride(2).scale([scale, scale]).call()
}

/// The network, for images of 32 x 32 pixels.
pub fn quantized(weights: &str) -> Result<Graph> {
    let g = GraphBuilder::new("quantized")?;
    g.edit(|graph| {
        graph.mode = Mode::Quantized;
        Ok(())
    })?;
    let w = g.weights(weights)?;
    let [conv1, conv2, conv3, fc] = ["conv1", "conv2", "conv3", "fc"].map(|name| Quantized::new(&w.scope(name)));
    let (conv1, conv2, conv3, fc) = (conv1?, conv2?, conv3?, fc?);
    let image = g.input("image", Dtype::Float32, [1, 3, 32, 32])?;
    let x = image.requant_fp_to_int(number(&w, "input_scale")?, 0, 0, Dtype::Int8).call()?;
    let x = conv2.conv(conv1.conv(x)?)?;
    let x = conv3.conv(pool(x, conv2.output_scale)?)?;
    let x = pool(x, conv3.output_scale)?;
    let [batch, channels, height, width] = x.dims()?;
    let logits = fc.linear(x.reshape([batch, channels * height * width]).call()?)?;
    g.build(logits.dequant_int_to_fp(fc.output_scale, 0.0).call()?)
}
