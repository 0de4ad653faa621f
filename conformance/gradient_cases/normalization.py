"""Normalizations. The statistics that some of them return are differentiated, too."""
import torch
from torch.nn import functional as F

from .table import Weight, case, constant, positive, uniform

X = (3, 4, 5, 6)


def statistics(x, axes, eps):
    """Mean and 1 / sqrt(var + eps) over axes, which are kept."""
    mean = x.mean(axes, keepdim=True)
    return mean, torch.rsqrt(x.var(axes, correction=0, keepdim=True) + eps)


def channels(values):
    return values.view(1, -1, 1, 1)


case("BatchNorm", "batch_norm", lambda t: (t.input - channels(t.mean)) * channels(torch.rsqrt(t.variance + 1e-3) * t.gamma) + channels(t.beta),
     {"input": uniform(*X), **{n: f(4).view(Weight) for n, f in (("mean", uniform), ("variance", positive), ("gamma", uniform), ("beta", uniform))}}, epsilon=1e-3)


def batch_norm_train(t):
    axes = (0, 2, 3)
    mean, inverse = statistics(t.input, axes, 1e-5)
    y = (t.input - mean) * inverse * channels(t.gamma) + channels(t.beta)
    variance = t.input.var(axes, correction=1)
    return [y, mean.flatten(), inverse.flatten(), 0.9 * t.mean + 0.1 * mean.flatten(), 0.9 * t.var + 0.1 * variance]


case("BatchNormTrain", "batch_norm, mean, var", batch_norm_train,
     {"input": uniform(*X), "mean": uniform(4), "var": positive(4), "gamma": uniform(4), "beta": uniform(4)})
case("BatchNormTrain", "", lambda t: [F.batch_norm(t.input, None, None, t.gamma, t.beta, training=True), None, None, None, None],
     {"input": 3 + uniform(*X), "mean": constant(uniform(4)), "var": constant(positive(4)), "gamma": uniform(4), "beta": uniform(4)})


def mean_rstd(t):
    axes = (0, 2, 3)
    mean, inverse = (s.flatten() for s in statistics(t.input, axes, 1e-4))
    variance = t.input.var(axes, correction=1)
    scale = t.weight * inverse
    return [mean, inverse, 0.8 * t.running_mean + 0.2 * mean, 0.8 * t.running_var + 0.2 * variance, channels(scale), channels(t.bias - mean * scale)]


case("MeanRstd", "mean, var", mean_rstd,
     {"input": uniform(*X), "running_mean": uniform(4), "running_var": positive(4), "weight": uniform(4), "bias": uniform(4)}, eps=1e-4, momentum=0.2)
case("LayerNorm", "layer_norm", lambda t: F.layer_norm(t.input, (5, 6), t.weight, t.bias, 1e-4),
     {"input": uniform(*X), "weight": uniform(5, 6), "bias": uniform(5, 6)}, normalized_shape=[5, 6], axis=2, eps=1e-4)
case("LayerNorm", "", lambda t: F.layer_norm(t.input, (6,), eps=1e-4), {"input": uniform(*X)}, normalized_shape=[6], axis=3, eps=1e-4)
case("LayerNormTrain", "layer_norm, mean, var",
     lambda t: [F.layer_norm(t.input, (6,), t.weight, t.bias, 1e-4), *statistics(t.input, (3,), 1e-4)],
     {"input": uniform(*X), "weight": uniform(6), "bias": uniform(6)}, normalized_shape=[6], axis=3, eps=1e-4)
case("GroupNorm", "group_norm", lambda t: F.group_norm(t.input, 2, t.weight, t.bias, 1e-4),
     {"input": uniform(*X), "weight": uniform(4), "bias": uniform(4)}, num_groups=2, eps=1e-4)


def group_norm_train(t):
    mean, inverse = statistics(t.input.view(3, 2, -1), (2,), 1e-4)
    return [F.group_norm(t.input, 2, t.weight, t.bias, 1e-4), mean[..., 0], inverse[..., 0]]


case("GroupNormTrain", "group_norm, mean, var", group_norm_train,
     {"input": uniform(*X), "weight": uniform(4), "bias": uniform(4)}, num_groups=2, eps=1e-4)
case("InstanceNorm", "instance_norm", lambda t: F.instance_norm(t.input, weight=t.weight, bias=t.bias, eps=1e-4),
     {"input": uniform(*X), "weight": uniform(4), "bias": uniform(4)}, eps=1e-4)
case("RMSNorm", "rms_norm", lambda t: F.rms_norm(t.input, (6,), t.gamma, 1e-4), {"input": uniform(*X), "gamma": uniform(6)}, eps=1e-4)
case("Normalize", "normalize", lambda t: F.normalize(t.input, dim=1) * t.scale.view(1, -1, 1, 1),
     {"input": uniform(*X), "scale": uniform(4)}, channel_shared=False)
case("Normalize", "", lambda t: F.normalize(t.input.flatten(1)).view(X) * t.scale.view(1, -1, 1, 1),
     {"input": uniform(*X), "scale": uniform(4)}, across_spatial=True, channel_shared=False)


def pixel_norm(t):
    mean, inverse = statistics(t.input, (1,), 1e-4)
    return (t.input - mean) * inverse * channels(t.weight) + channels(t.bias)


case("PixelNorm", "layer_norm", pixel_norm, {"input": uniform(*X), "weight": uniform(4), "bias": uniform(4)}, eps=1e-4)
