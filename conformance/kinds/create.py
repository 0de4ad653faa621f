"""Tensors made from shapes."""
from random_graph import R, maybe, quantized, shape


def shape_fetch(s):
    x = shape(1, 5)
    begin = maybe(0.6, lambda: R.randint(0, len(x) - 1))
    end = maybe(0.6, lambda: R.randint((begin or 0) + 1, len(x)))
    # tpu_mlir drops the step if all axes are named.
    part = (begin or 0) > 0 or (end or len(x)) < len(x)
    s.call("shape_fetch", tensor_i=s.tensor("x", x), begin_axis=begin, end_axis=end, step=maybe(0.5 if part else 0, lambda: R.randint(1, 3)))


def shape_fetch_quant(s, d):
    s.call("shape_fetch", tensor_i=s.tensor("x", shape(1, 4), d))


KINDS = {"shape_fetch": shape_fetch, "shape_fetch_quant": quantized(shape_fetch_quant)}
