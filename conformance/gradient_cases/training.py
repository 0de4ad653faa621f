"""Gradients that are ops themselves, differentiated again."""
import numpy as np
import torch
from torch.nn import functional as F

from .table import case, constant, integers, uniform

GEOMETRY = dict(stride=[2, 2], padding=[1] * 4, dilations=[1, 1], groups=2)


def conv_gradients(dy, x, w):
    return torch.ops.aten.convolution_backward(dy, x, w, [w.shape[0]], [2, 2], [1, 1], [1, 1], False, [0, 0], 2, [True, True, True])


operands = {"grad_out": uniform(2, 6, 4, 4), "input": uniform(2, 4, 8, 7), "kernel": uniform(6, 2, 3, 3)}
case("Convbwd", "conv2d's gradient", lambda t: conv_gradients(t.grad_out, t.input, t.kernel), operands,
     grad_input_enable=True, grad_weight_enable=True, grad_bias_enable=True, inserts=[0, 0], grad_out_shape=[2, 6, 4, 4], input_shape=[2, 4, 8, 7],
     kernel_shape=[6, 2, 3, 3], **GEOMETRY)
case("ConvBwd_Weight", "conv2d's gradient", lambda t: conv_gradients(t.gradout, t.input, torch.zeros(6, 2, 3, 3, dtype=torch.float64))[1],
     {"input": operands["input"], "gradout": operands["grad_out"], "gradout_transpose": constant(uniform(6, 2, 4, 4))},
     grad_bias_enable=False, grad_out_shape=[2, 6, 4, 4], input_shape=[2, 4, 8, 7], kernel_shape=[3, 3], **GEOMETRY)
case("SoftmaxBwd", "softmax's gradient", lambda t: t.output * (t.grad_output - (t.grad_output * t.output).sum(1, keepdim=True)),
     {"grad_output": uniform(3, 4), "output": F.softmax(torch.from_numpy(uniform(3, 4)), 1).numpy()}, dim=1)
# The integers stand for the numbers that the result has.
case("DequantizeLinear", "fake_quantize_per_tensor_affine", lambda t: t.input, {"input": integers(3, 4, dtype=np.int8)}, x_scale=[0.5], x_zero_point=[0], out_dtype="float32", straight_through=True)
