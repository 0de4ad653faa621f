"""Comparisons of two tensors, or of a tensor and a number."""
import numpy as np

from random_graph import R, broadcast_pair, float_type, maybe, quantized, scale, shape, zero


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


def logic(op):
    """a tensor of zeros and ones"""
    def build(s):
        d = float_type()
        bits = lambda name, x, coeff=False: s.tensor(name, x, d, coeff, values=np.random.randint(0, 2, x).astype(d))
        if op == "not_op":
            s.call(op, tensor_i0=bits("x", shape(1, 5)))
        elif op.endswith("s"):
            number = {"value": R.choice([0.0, 1.0]), "dtype": "float32"}
            s.call(op, tensor_i0=bits("x", shape(1, 5)), scalar_i1=number)
        else:
            a, b = broadcast_pair()
            s.call(op, tensor_i0=bits("x", a), tensor_i1=bits("z", b, R.random() < 0.3))
    return build


def logic_quant(s, d):
    op = R.choice(["or_op", "xor_op", "not_op", "ors", "xors"])
    k = scale()
    x = s.tensor("x", shape(1, 4), d)
    if op == "not_op":
        s.call(op, tensor_i0=x, scale=[k, scale()], zero_point=maybe(0.3, lambda: [zero(d), 1]))
    elif op.endswith("s"):
        s.call(op, tensor_i0=x, scalar_i1={"value": R.choice([0.0, 2.0]), "dtype": "float32"}, scale=[k, scale()],
               zero_point=maybe(0.3, lambda: [zero(d), 1]))
    else:
        other = k if op == "xor_op" else scale()
        s.call(op, tensor_i0=x, tensor_i1=s.tensor("z", s.tensors["x"]["shape"], d, R.random() < 0.4), scale=[k, other, scale()],
               zero_point=maybe(0.3, lambda: [0, 0, 1]) if op == "xor_op" else None)


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
    **{n: logic(n) for n in ("and_op", "or_op", "xor_op", "not_op", "ands", "ors", "xors")},
    "compare_quant": quantized(compare_quant),
    "logic_quant": quantized(logic_quant),
}
