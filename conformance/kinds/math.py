"""Element-wise mathematics, and activations without arguments."""
import numpy as np

from random_graph import R, float_type, maybe, quantized, scale, shape, zero

QUANTIZED = ["ceil", "floor", "sin", "cos", "sinh", "cosh", "exp", "ln", "sqrt", "rsqrt", "square", "erf", "sign", "elu", "silu",
             "mish", "hswish", "hsigmoid"]
# Domains of functions: from, to.
DOMAINS = {"ln": (0.01, 9), "sqrt": (0, 9), "rsqrt": (0.01, 9), "arccos": (-1, 1), "arctanh": (-0.99, 0.99), "tan": (-1.4, 1.4)}


def unary(op):
    def build(s):
        x, d = shape(1, 5), float_type()
        values = np.random.uniform(*DOMAINS[op], x).astype(d) if op in DOMAINS else None
        s.call(op, input=s.tensor("x", x, d, values=values))
    return build


def unary_quant(s, d):
    s.call(R.choice(QUANTIZED), input=s.tensor("x", shape(1, 4), d), scale=[scale(), scale()],
           zero_point=maybe(0.5, lambda: [zero(d), zero(d)]))


def clamp(s):
    low = R.choice([-1.0, -0.5, 0.0])
    s.call("clamp", input=s.tensor("x", shape(1, 5), float_type()), min=low, max=low + R.choice([0.0, 0.75, 2.0]))


def pow_(s):
    kind = R.random()
    a = shape(1, 5)
    positive = lambda x, d: np.random.uniform(0.1, 3, x).astype(d)
    number = lambda *of: {"value": R.choice(of), "dtype": "float32"}
    d = float_type()
    if kind < 0.5:
        # With the exponent 1, TpuLang returns the input, which has another name.
        s.call("pow", base=s.tensor("x", a, d, values=positive(a, d)), expn=number(2.0, 0.5, 3.0, -1.5))
    elif kind < 0.75:
        s.call("pow", base=number(2.0, 0.5, 10.0), expn=s.tensor("x", a, d))
    else:
        # The Top executor does not broadcast.
        s.call("pow", base=s.tensor("x", a, d, values=positive(a, d)), expn=s.tensor("z", a, d))


KINDS = {
    **{n: unary(n) for n in QUANTIZED + ["round", "tan", "arccos", "arctanh"]},
    "math_quant": quantized(unary_quant),
    "clamp": clamp,
    "pow": pow_,
}
