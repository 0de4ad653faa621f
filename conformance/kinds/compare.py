"""Comparisons of two tensors, or of a tensor and a number."""
import numpy as np

from random_graph import R, broadcast_pair, float_type, maybe, quantized, scale, shape


def compare(op):
    def build(s):
        if op.endswith("s"):
            s.call(op, tensor_i0=s.tensor("x", shape(1, 5), float_type()), scalar_i1=R.choice([0, 1, 0.5]))
        else:
            a, b = broadcast_pair()
            d = float_type()
            s.call(op, tensor_i0=s.tensor("x", a, d, values=np.random.randint(0, 3, a).astype(d)),
                   tensor_i1=s.tensor("z", b, d, R.random() < 0.3, values=np.random.randint(0, 3, b).astype(d)))
    return build


def compare_quant(s, d):
    k = scale()
    if R.random() < 0.5:
        a, b = broadcast_pair()
        s.call(R.choice(["gt", "ge", "lt", "le", "eq", "ne"]), tensor_i0=s.tensor("x", a, d),
               tensor_i1=s.tensor("z", b, d, R.random() < 0.4), scale=[k, k, scale()], zero_point=maybe(0.3, lambda: [0, 0, 1]))
    else:
        s.call(R.choice(["gts", "ges", "lts", "les", "eqs", "nes"]), tensor_i0=s.tensor("x", shape(1, 4), d), scalar_i1=R.choice([1, 0.5]),
               scale=[k, scale()], zero_point=maybe(0.3, lambda: [0, 1]))


KINDS = {
    **{n: compare(n) for n in ("gt", "ge", "lt", "le", "eq", "ne", "gts", "ges", "lts", "les", "eqs", "nes")},
    "compare_quant": quantized(compare_quant),
}
