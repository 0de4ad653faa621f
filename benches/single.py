"""Single operators as networks, in realistic sizes."""
import numpy as np

from net import Net, window
from recurrent import recurrent


def gemm(m, k, n):
    def make():
        net = Net("gemm")
        net.outputs(net.linear(net.input("x", (m, k)), k, n, bias=False))
        return net
    return make


def matmul(batch, m, k, n):
    """Products of pairs of matrices, none of which is known before the run."""
    def make():
        net = Net("matmul")
        net.outputs(net.matmul(net.input("x", (batch, m, k)), net.input("y", (batch, k, n))))
        return net
    return make


def conv(ic, oc, side, kernel, stride=1, batch=1, **more):
    def make():
        net = Net("conv")
        net.outputs(net.conv(net.input("x", (batch, ic, side, side)), ic, oc, kernel, stride, **more))
        return net
    return make


def conv3d(ic, oc, frames, side, kernel, group=1):
    def make():
        net = Net("conv3d")
        net.outputs(net.conv3d(net.input("x", (1, ic, frames, side, side)), ic, oc, kernel, group=group))
        return net
    return make


def deconv(ic, oc, side, kernel, stride):
    def make():
        net = Net("deconv")
        net.outputs(net.deconv(net.input("x", (1, ic, side, side)), ic, oc, kernel, stride))
        return net
    return make


def by_element(kind, *shape):
    def make():
        net = Net(kind)
        net.outputs(getattr(net, kind)(net.input("x", shape)))
        return net
    return make


def layer_norm(rows, n):
    def make():
        net = Net("layer_norm")
        net.outputs(net.layer_norm(net.input("x", (1, rows, n)), n))
        return net
    return make


def permute(shape, *order):
    def make():
        net = Net("permute")
        net.outputs(net.permute(net.input("x", shape), *order))
        return net
    return make


def chain(*shape):
    """Five elementwise operators, which a single pass over memory could compute."""
    net = Net("chain")
    x, y = net.input("x", shape), net.input("y", shape)
    net.outputs(net.mul(net.sigmoid(net.add(net.relu(net.scale(x, by=0.5)), y)), x))
    return net


def of_two(kind, *shape, **attributes):
    def make():
        net = Net(kind)
        net.outputs(net.add_op(kind, net.input("x", shape), net.input("y", shape), **attributes))
        return net
    return make


def total(axis, *shape):
    def make():
        net = Net("sum")
        net.outputs(net.sum(net.input("x", shape), axis=axis))
        return net
    return make


def embed(rows, width, looked_up):
    def make():
        net = Net("embed")
        net.outputs(net.embed(net.weight(rows, width, fan=1), net.input("ids", (looked_up,), "int32", below=rows)))
        return net
    return make


def byte_weights(net, *shape):
    """Add weights of 7 bits: with 8, onnxruntime's products overflow on processors without VNNI."""
    return net.constant(net.rng.integers(-64, 64, shape).astype(np.int8))


def matmul_int(m, k, n):
    def make():
        net = Net("matmul_int")
        w = byte_weights(net, k, n)
        net.outputs(net.matmul_int(net.input("x", (m, k), "uint8", below=256), w))
        return net
    return make


def conv_int(ic, oc, side, kernel, group=1):
    def make():
        net = Net("conv_int")
        w = byte_weights(net, oc, ic // group, kernel, kernel)
        x = net.input("x", (1, ic, side, side), "uint8", below=256)
        net.outputs(net.conv_int(x, w, **window(kernel, 1, None), group=group))
        return net
    return make


SINGLE = {"gemm_%d" % n: gemm(n, n, n) for n in (64, 128, 256, 512, 1024, 2048)}
SINGLE.update({
    "gemm_1x896x4864": gemm(1, 896, 4864),
    "gemm_8x768x3072": gemm(8, 768, 3072),
    "gemm_128x768x768": gemm(128, 768, 768),
    "gemm_4096x64x64": gemm(4096, 64, 64),
    "gemm_3136x96x24": gemm(3136, 96, 24),
    "gemm_38416x4x4": gemm(38416, 4, 4),
    "gemm_1024x768x1": gemm(1024, 768, 1),
    "matmul_12_128x64x128": matmul(12, 128, 64, 128),
    "matmul_64_49x32x49": matmul(64, 49, 32, 49),
    "conv_1x1_256_64_56": conv(256, 64, 56, 1),
    "conv_1x1_512_2048_7": conv(512, 2048, 7, 1),
    "conv_3x3_64_56": conv(64, 64, 56, 3),
    "conv_3x3_512_7": conv(512, 512, 7, 3),
    "conv_3x3s2_128_56": conv(128, 128, 56, 3, 2),
    "conv_7x7s2_3_64_224": conv(3, 64, 224, 7, 2),
    "depthwise_3x3_144_56": conv(144, 144, 56, 3, group=144),
    "depthwise_3x3s2_96_112": conv(96, 96, 112, 3, 2, group=96),
    "depthwise_5x5_240_28": conv(240, 240, 28, 5, group=240),
    "conv_1x1_24_144_56": conv(24, 144, 56, 1),
    "conv_1x1_240_40_28": conv(240, 40, 28, 1),
    "conv_3x3_g32_128_56": conv(128, 128, 56, 3, group=32),
    "conv_3x3_g32_256_28": conv(256, 256, 28, 3, group=32),
    "conv_3x3_g9_216_28": conv(216, 216, 28, 3, group=9),
    "conv_3x3_dilated2_256_28": conv(256, 256, 28, 3, dilation=2),
    "conv_3x3_dilated12_512_28": conv(512, 256, 28, 3, dilation=12),
    "deconv_2x2s2_256_128_28": deconv(256, 128, 28, 2, 2),
    "deconv_4x4s2_128_64_28": deconv(128, 64, 28, 4, 2),
    "conv3d_3x3x3_64_8x28": conv3d(64, 64, 8, 28, 3),
    "depthwise3d_3x3x3_96_8x28": conv3d(96, 96, 8, 28, 3, group=96),
    "lstm_128x512": lambda: recurrent("lstm", layers=1),
    "gru_128x512": lambda: recurrent("gru", layers=1),
    "softmax_12x128x128": by_element("softmax", 1, 12, 128, 128),
    "softmax_12x512x512": by_element("softmax", 1, 12, 512, 512),
    "softmax_64x49x49": by_element("softmax", 1, 64, 49, 49),
    "softmax_9408x7": by_element("softmax", 1, 9408, 7),
    "maxpool_64x56x56": by_element("maxpool", 1, 64, 56, 56),
    "layer_norm_128x768": layer_norm(128, 768),
    "layer_norm_3136x96": layer_norm(3136, 96),
    "gelu_128x3072": by_element("gelu", 1, 128, 3072),
    "silu_512x4864": by_element("silu", 1, 512, 4864),
    "chain_64x112x112": lambda: chain(1, 64, 112, 112),
    "chain_128x768": lambda: chain(1, 128, 768),
    "permute_nhwc_64x112x112": permute((1, 64, 112, 112), 0, 2, 3, 1),
    "permute_heads_128x12x64": permute((1, 128, 12, 64), 0, 2, 1, 3),
    "permute_matrix_1024": permute((1024, 1024), 1, 0),
    "permute_outer_1024x4x512": permute((1024, 4, 512), 2, 1, 0),
    "matmul_int_512": matmul_int(512, 512, 512),
    "matmul_int_128x768x3072": matmul_int(128, 768, 3072),
    "conv_int_1x1_256_64_56": conv_int(256, 64, 56, 1),
    "conv_int_3x3_64_56": conv_int(64, 64, 56, 3),
})
