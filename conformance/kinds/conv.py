"""Convolutions."""
import numpy as np

from random_graph import R, float_type, maybe, quantized, scale, zero


def conv(s, op="conv"):
    g, icg, ocg = R.choice([1, 1, 2, 3]), R.randint(1, 4), R.randint(1, 4)
    h, w, kh, kw = R.randint(3, 12), R.randint(3, 12), R.randint(1, 3), R.randint(1, 3)
    d = float_type()
    x = s.tensor("x", [R.randint(1, 2), g * icg, h, w], d)
    f = s.tensor("w", [g * ocg, icg, kh, kw], d, True)
    b = maybe(0.6, lambda: s.tensor("b", R.choice([[g * ocg], [1, g * ocg, 1, 1]]), "float32", True))
    s.call(op, input=x, weight=f, bias=b, group=g, stride=maybe(0.6, lambda: [R.randint(1, 3), R.randint(1, 3)]),
           # tpulang rejects kernels that do not fit; tpuc-opt sometimes accepts them.
           dilation=maybe(0.4, lambda: [R.randint(1, 2) if 2 * k - 1 <= n else 1 for k, n in ((kh, h), (kw, w))]),
           pad=maybe(0.6, lambda: [R.randint(0, 2) for _ in range(4)]))


def conv_int(s):
    conv(s, "conv_int")
    for n in ("x", "w"):
        s.tensors[n]["dtype"] = R.choice(["int8", "uint8"])
        s.data[n] = np.random.randint(0, 100, s.data[n].shape).astype(s.tensors[n]["dtype"])
    if "b" in s.tensors:
        s.tensors["b"]["dtype"] = "int32"
        s.data["b"] = np.random.randint(-100, 100, s.data["b"].shape).astype("int32")
    s.ops[0]["args"].update(input_zp=R.randint(0, 5), weight_zp=R.randint(0, 5))


def conv_quant(s, d):
    g, icg, ocg = R.choice([1, 1, 2]), R.randint(1, 4), R.randint(1, 4)
    x = s.tensor("x", [1, g * icg, R.randint(3, 9), R.randint(3, 9)], d)
    f = s.tensor("w", [g * ocg, icg, R.randint(1, 3), R.randint(1, 3)], "int8", True)
    b = maybe(0.5, lambda: s.tensor("b", [g * ocg], "int32", True))
    ws = scale() if R.random() < 0.6 else [scale() for _ in range(g * ocg)]
    out = maybe(0.3, lambda: R.choice(["int8", "uint8"]))
    s.call("conv_quant", input=x, weight=f, bias=b, group=g, pad=maybe(0.5, lambda: [1, 1, 1, 1]), input_scale=scale(), weight_scale=ws,
           output_scale=maybe(0.9, scale), input_zp=maybe(0.7, lambda: zero(d)), weight_zp=maybe(0.5, lambda: 0),
           output_zp=maybe(0.5, lambda: zero(out or d)), out_dtype=out)


def conv_requant(s, d):
    oc = R.randint(1, 5)
    x = s.tensor("x", [1, 3, 5, 5], d)
    y = s.call("conv_int", "a", input=x, weight=s.tensor("w", [oc, 3, 2, 2], "int8", True), input_zp=zero(d), weight_zp=0)
    many = R.random() < 0.5
    s.call("requant_int", tensor_i=y, mul=[R.randint(1, 2**31 - 1) for _ in range(oc)] if many else R.randint(1, 2**20),
           shift=[-R.randint(1, 31) for _ in range(oc)] if many else -R.randint(1, 31), offset=zero("int8"), requant_mode=R.randint(0, 2))


def three_axes(s, types=None):
    g, icg, ocg = R.choice([1, 1, 2, 3]), R.randint(1, 3), R.randint(1, 3)
    size, kernel = [R.randint(2, 6) for _ in range(3)], [R.randint(1, 2) for _ in range(3)]
    d = types or float_type()
    x = s.tensor("x", [R.randint(1, 2), g * icg] + size, d)
    f = s.tensor("w", [g * ocg, icg] + kernel, "int8" if types else d, True)
    b = maybe(0.6, lambda: s.tensor("b", [g * ocg], "int32" if types else "float32", True))
    pad = maybe(0.6, lambda: [R.randint(0, 1) for _ in range(6)])
    if pad and size[0] == kernel[0]:
        # tpuc-opt rewrites it as a 2-D convolution and drops the padding of the first axis.
        pad[0] = pad[3] = 0
    return dict(input=x, weight=f, bias=b, group=g, stride=maybe(0.6, lambda: [R.randint(1, 3) for _ in size]),
                dilation=maybe(0.3, lambda: [R.randint(1, 2) if n > 2 else 1 for n in size]), pad=pad)


def conv3d(s):
    s.call("conv3d", **three_axes(s))


def conv3d_int(s, d):
    s.call("conv3d_int", **three_axes(s, d), input_zp=zero(d), weight_zp=R.choice([0, 0, 2]))


def conv3d_quant(s, d):
    s.call("conv3d_quant", **three_axes(s, d), input_scale=scale(), weight_scale=scale(), output_scale=scale(),
           input_zp=maybe(0.7, lambda: zero(d)), output_zp=maybe(0.5, lambda: zero(d)))


def transposed(s, axes, types=None):
    g, icg, ocg = R.choice([1, 1, 2, 3]), R.randint(1, 3), R.randint(1, 3)
    kernel, stride = [R.randint(1, 3) for _ in range(axes)], [R.randint(1, 3) for _ in range(axes)]
    dilation = [R.randint(1, 2) for _ in range(axes)]
    d = types or float_type()
    x = s.tensor("x", [R.randint(1, 2), g * icg] + [R.randint(2, 6) for _ in range(axes)], d)
    f = s.tensor("w", [ocg, g * icg] + kernel, "int8" if types else d, True)
    b = maybe(0.6, lambda: s.tensor("b", [g * ocg], "int32" if types else "float32", True))
    pad = lambda: [R.randint(0, dilation[i % axes] * (kernel[i % axes] - 1) // 2) for i in range(2 * axes)]
    # The peer uses oneDNN, where the output padding must be less than the stride.
    more = lambda: [R.randint(0, n - 1) for n in stride]
    return dict(input=x, weight=f, bias=b, group=g, stride=stride, dilation=dilation,
                pad=maybe(0.5, pad), output_padding=maybe(0.3, more))


def deconv(s):
    s.call("deconv", **transposed(s, 2))


def deconv3d(s):
    s.call("deconv3d", **transposed(s, 3))


def deconv_int(s, d):
    s.call("deconv_int", **transposed(s, 2, d), input_zp=zero(d), weight_zp=R.choice([0, 0, 2]))


KINDS = {
    "conv": conv,
    "conv_int": conv_int,
    "conv_quant": quantized(conv_quant),
    "conv_requant": quantized(conv_requant),
    "conv3d": conv3d,
    "conv3d_int": quantized(conv3d_int),
    "conv3d_quant": quantized(conv3d_quant),
    "deconv": deconv,
    "deconv3d": deconv3d,
    "deconv_int": quantized(deconv_int),
}
