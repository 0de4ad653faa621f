#!/usr/bin/env python3
"""Writes the ONNX file of patterns that the tests read, tests/onnx/patterns.onnx, and PyTorch's results beside it.

    target/bench-peer/bin/python scripts/onnx-patterns.py

Each output is one pattern, in one of the ways in which networks write it, or something that only looks like one ("not_...").
"""
import os
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TO = os.path.join(os.path.dirname(__file__), "..", "tests", "onnx")


def variance(x, mean, axes=-1):
    return (x - mean).pow(2).mean(axes, keepdim=True)


def rotated_halves(x):
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def rotated_slices(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


class Patterns(nn.Module):
    def __init__(self):
        super().__init__()
        parameter = lambda *shape: nn.Parameter(torch.randn(shape))
        self.w, self.b, self.w2, self.b2 = parameter(8), parameter(8), parameter(3, 8), parameter(3, 8)
        self.w4, self.b4 = parameter(4), parameter(4)
        self.groups = nn.GroupNorm(2, 4)
        nn.init.normal_(self.groups.weight), nn.init.normal_(self.groups.bias)

    def norms(self, x, image):
        mean, channels = x.mean(-1, keepdim=True), image.mean(1, keepdim=True)
        power = x.pow(2).mean(-1, keepdim=True)
        scale = torch.rsqrt(variance(x, mean) + 1e-6) * self.w
        over_channels = (image - channels) / torch.sqrt(variance(image, channels, 1) + 1e-6)
        return {
            "layer_norm": F.layer_norm(x, (8,), self.w, self.b),
            "layer_norm_plain": F.layer_norm(x, (8,)),
            "layer_norm_of_two_axes": F.layer_norm(x, (3, 8), self.w2, self.b2),
            "layer_norm_without_bias": F.layer_norm(x, (8,), self.w),
            "layer_norm_of_tensorflow": x * scale + (self.b - mean * scale),
            "pixel_norm": self.w4[:, None, None] * over_channels + self.b4[:, None, None],
            "group_norm": self.groups(image),
            "rms_norm": self.w * (x * torch.rsqrt(power + 1e-6)),
            "rms_norm_by_quotient": x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * (1 + self.w),
            "rms_norm_by_power": x * (power + 1e-6).pow(-0.5),
            "not_layer_norm": (x - mean) / torch.sqrt(power + 1e-5),
            "not_rms_norm": x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-6),
            "not_its_weight": F.layer_norm(x, (8,)) * self.w2[:, :1],
        }

    def activations(self, x):
        cubic = lambda c: 0.7978845608028654 * (x + c * x * x * x)
        sigmoid = torch.sigmoid(x)
        return {
            "gelu": F.gelu(x),
            "gelu_by_hand": 0.5 * x * (1 + torch.erf(x / 1.4142135623730951)),
            "gelu_tanh": F.gelu(x, approximate="tanh"),
            "gelu_tanh_by_hand": 0.5 * x * (1 + torch.tanh(cubic(0.044715))),
            "gelu_tanh_factored": 0.5 * x * (1 + torch.tanh(x * 0.7978845608 * (1 + 0.044715 * x * x))),
            "gelu_sigmoid": x * torch.sigmoid(1.702 * x),
            "silu": F.silu(x),
            "silu_by_quotient": x / (1 + torch.exp(-x)),
            "silu_of_product": F.silu(x * x[:1]),
            "silu_of_a_gate_that_is_read_again": x * sigmoid,
            "swish": torch.sigmoid(0.5 * x) * x,
            "hard_sigmoid": F.relu6(x + 3) / 6,
            "hard_swish": F.hardswish(x),
            "hard_swish_by_hand": x * F.relu6(x + 3) / 6,
            "mish": F.mish(x),
            "not_gelu": 0.4 * x * (1 + torch.erf(x / 1.4142135623730951)),
            "not_gelu_tanh": 0.5 * x * (1 + torch.tanh(cubic(0.05))),
            "not_silu": x[:1] * sigmoid,
            "not_hard_swish": x * F.relu6(x + 2) / 6,
        }

    def positions(self, heads):
        angles = torch.arange(5.0)[:, None] * 10 ** -torch.arange(0, 1, 0.25)
        angles = torch.cat((angles, angles), -1)[None, None]
        cosines, sines = angles.cos(), angles.sin()
        return {
            "rope": heads * cosines + rotated_halves(heads) * sines,
            "rope_by_slices": rotated_slices(heads) * sines + heads * cosines,
            "not_rope": heads * cosines + rotated_halves(heads[:, :1]) * sines,
        }

    def forward(self, x, image, heads):
        return {**self.norms(x, image), **self.activations(x), **self.positions(heads)}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    model = Patterns().eval()
    inputs = {"x": torch.randn(2, 3, 8), "image": torch.randn(2, 4, 5, 5), "heads": torch.randn(1, 2, 5, 8)}
    with torch.no_grad():
        outputs = model(*inputs.values())
    torch.onnx.export(
        model, tuple(inputs.values()), os.path.join(TO, "patterns.onnx"), opset_version=13, dynamo=False,
        input_names=list(inputs), output_names=list(outputs))
    np.savez_compressed(os.path.join(TO, "patterns.npz"), **{k: v.numpy() for k, v in {**inputs, **outputs}.items()})
