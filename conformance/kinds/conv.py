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
           dilation=maybe(0.4, lambda: [R.randint(1, 2), R.randint(1, 2)]),
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
    s.call("conv_quant", input=x, weight=f, bias=b, group=g, pad=maybe(0.5, lambda: [1, 1, 1, 1]), input_scale=scale(), weight_scale=ws,
           output_scale=maybe(0.9, scale), input_zp=maybe(0.7, lambda: zero(d)), weight_zp=maybe(0.5, lambda: 0),
           output_zp=maybe(0.5, lambda: zero(d)), out_dtype=maybe(0.3, lambda: R.choice(["int8", "uint8"])))


def conv_requant(s, d):
    oc = R.randint(1, 5)
    x = s.tensor("x", [1, 3, 5, 5], d)
    y = s.call("conv_int", "a", input=x, weight=s.tensor("w", [oc, 3, 2, 2], "int8", True), input_zp=zero(d), weight_zp=0)
    many = R.random() < 0.5
    s.call("requant_int", tensor_i=y, mul=[R.randint(1, 2**31 - 1) for _ in range(oc)] if many else R.randint(1, 2**20),
           shift=[-R.randint(1, 31) for _ in range(oc)] if many else -R.randint(1, 31), offset=zero("int8"), requant_mode=R.randint(0, 2))


KINDS = {
    "conv": conv,
    "conv_int": conv_int,
    "conv_quant": quantized(conv_quant),
    "conv_requant": quantized(conv_requant),
}
