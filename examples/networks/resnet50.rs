//! ResNet-50, with the weights of torchvision's `resnet50`.
use super::layers::{BatchNorm, Linear};
use tpulang::{Dtype, Graph, GraphBuilder, Result, Value, Weights, ops::ReduceMode};

/// A convolution without bias, and its normalization.
struct ConvBn<'g> {
    weight: Value<'g>,
    norm: BatchNorm<'g>,
    stride: i64,
    pad: i64,
}

impl<'g> ConvBn<'g> {
    fn new(conv: &Weights<'g>, norm: &Weights<'g>, stride: i64, pad: i64) -> Result<Self> {
        Ok(ConvBn { weight: conv.get("weight")?, norm: BatchNorm::new(norm)?, stride, pad })
    }
    fn forward(&self, x: Value<'g>) -> Result<Value<'g>> {
        self.norm.forward(x.conv(self.weight).stride(self.stride).pad(self.pad).call()?)
    }
}

/// Three convolutions, to which the shortcut is added.
struct Bottleneck<'g> {
    convs: [ConvBn<'g>; 3],
    downsample: Option<ConvBn<'g>>,
}

impl<'g> Bottleneck<'g> {
    fn new(w: &Weights<'g>, stride: i64) -> Result<Self> {
        let conv =
            |i: usize, stride, pad| ConvBn::new(&w.scope(format!("conv{i}")), &w.scope(format!("bn{i}")), stride, pad);
        // The first block of a stage changes the number of channels.
        let downsample = match w.has("downsample.0.weight") {
            true => Some(ConvBn::new(&w.scope("downsample.0"), &w.scope("downsample.1"), stride, 0)?),
            false => None,
        };
        Ok(Bottleneck { convs: [conv(1, 1, 0)?, conv(2, stride, 1)?, conv(3, 1, 0)?], downsample })
    }
    fn forward(&self, x: Value<'g>) -> Result<Value<'g>> {
        let [first, second, third] = &self.convs;
        let y = first.forward(x)?.relu().call()?;
        let y = second.forward(y)?.relu().call()?;
        let y = third.forward(y)?;
        let shortcut = match &self.downsample {
            Some(downsample) => downsample.forward(x)?,
            None => x,
        };
        (y + shortcut).call()?.relu().call()
    }
}

/// The network, for a batch of images of `size` x `size` pixels.
pub fn resnet50(weights: &str, batch: usize, size: usize) -> Result<Graph> {
    let g = GraphBuilder::new("resnet50")?;
    let w = g.weights(weights)?;
    let image = g.input("image", Dtype::Float32, [batch, 3, size, size])?;
    let x = ConvBn::new(&w.scope("conv1"), &w.scope("bn1"), 2, 3)?.forward(image)?.relu().call()?;
    let mut x = x.maxpool2d().kernel(3).stride(2).pad(1).call()?;
    for (stage, blocks) in [(1, 3), (2, 4), (3, 6), (4, 3)] {
        for block in 0..blocks {
            let stride = if stage > 1 && block == 0 { 2 } else { 1 };
            let weights = w.scope(format!("layer{stage}.{block}"));
            x = g.scope(&format!("layer{stage}.{block}"), || Bottleneck::new(&weights, stride)?.forward(x))?;
        }
    }
    let features = x.reduce().method(ReduceMode::ReduceMean).axes([2, 3]).keep_dims(false).call()?;
    g.build(Linear::new(&w.scope("fc"))?.forward(features)?)
}
