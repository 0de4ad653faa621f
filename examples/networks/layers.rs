//! Layers of floats. Each finds its weights by the names that PyTorch gives them.
use tpulang::{Result, Value, Weights};

/// A matrix product and a bias.
pub struct Linear<'g> {
    weight: Value<'g>,
    bias: Value<'g>,
}

impl<'g> Linear<'g> {
    pub fn new(weights: &Weights<'g>) -> Result<Self> {
        Ok(Linear { weight: weights.get("weight")?, bias: weights.get("bias")? })
    }
    pub fn forward(&self, x: Value<'g>) -> Result<Value<'g>> {
        x.matmul(self.weight).bias(self.bias).right_transpose(true).call()
    }
}

/// A normalization of the last axis.
pub struct LayerNorm<'g> {
    gamma: Value<'g>,
    beta: Value<'g>,
    epsilon: f64,
}

impl<'g> LayerNorm<'g> {
    pub fn new(weights: &Weights<'g>, epsilon: f64) -> Result<Self> {
        Ok(LayerNorm { gamma: weights.get("weight")?, beta: weights.get("bias")?, epsilon })
    }
    pub fn forward(&self, x: Value<'g>) -> Result<Value<'g>> {
        x.layer_norm().gamma(self.gamma).beta(self.beta).epsilon(self.epsilon).axis(-1).call()
    }
}

/// A normalization of each channel with the mean and variance of the training.
pub struct BatchNorm<'g> {
    mean: Value<'g>,
    variance: Value<'g>,
    gamma: Value<'g>,
    beta: Value<'g>,
}

impl<'g> BatchNorm<'g> {
    pub fn new(weights: &Weights<'g>) -> Result<Self> {
        let [mean, variance, gamma, beta] =
            ["running_mean", "running_var", "weight", "bias"].map(|name| weights.get(name));
        Ok(BatchNorm { mean: mean?, variance: variance?, gamma: gamma?, beta: beta? })
    }
    pub fn forward(&self, x: Value<'g>) -> Result<Value<'g>> {
        x.batch_norm(self.mean, self.variance).gamma(self.gamma).beta(self.beta).call()
    }
}
