"""Activations, and softmax."""
from random_graph import R, any_axis, float_type, maybe, quantized, scale, shape, zero


def unary(op):
    return lambda s: s.call(op, input=s.tensor("x", shape(1, 5), float_type()))


def leaky_relu(s):
    s.call("leaky_relu", input=s.tensor("x", shape(1, 5)), negative_slope=R.choice([0.1, 0.5]))


def softmax(s):
    x = shape(1, 5)
    s.call("softmax", input=s.tensor("x", x), axis=any_axis(len(x)))


def prelu(s):
    x, d = shape(2, 5), float_type()
    slope = R.choice([[1], [x[1]], [1] * len(x), [1, x[1]] + [1] * (len(x) - 2)])
    s.call("prelu", input=s.tensor("x", x, d), slope=s.tensor("slope", slope, d, True))


def swish(s):
    s.call("swish", input=s.tensor("x", shape(1, 5), float_type()), beta=R.choice([0.5, 1.0, 1.702, -1.0]))


def softmax_int(s, d):
    x = shape(1, 4)
    s.call("softmax_int", input=s.tensor("x", x, d), axis=any_axis(len(x)), scale=[scale(), scale()],
           zero_point=maybe(0.5, lambda: [zero(d), zero(d)]), round_mode=maybe(0.3, lambda: R.choice(["half_up", "half_to_even", "down"])))


def activation_quant(s, d):
    op = R.choice(["sigmoid", "tanh", "gelu", "swish"])
    s.call(op, beta=1.5 if op == "swish" else None, input=s.tensor("x", shape(1, 4), d), scale=[scale(), scale()], zero_point=maybe(0.5, lambda: [zero(d), zero(d)]),
           round_mode=maybe(0.4, lambda: R.choice(["half_up", "half_down", "half_to_even", "towards_zero", "up", "down"])))


KINDS = {
    **{n: unary(n) for n in ("abs", "relu", "sigmoid", "tanh", "gelu")},
    "leaky_relu": leaky_relu,
    "prelu": prelu,
    "swish": swish,
    "softmax": softmax,
    "softmax_int": quantized(softmax_int),
    "activation_quant": quantized(activation_quant),
}
