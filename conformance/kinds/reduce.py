"""Reductions over axes."""
from random_graph import R, any_axis, float_type, maybe, shape


def reduce(s):
    x = shape(1, 5)
    axes = R.sample(range(len(x)), R.randint(1, len(x)))
    axes = [a - len(x) if R.random() < 0.3 else a for a in axes]
    method = R.choice(["ReduceMin", "ReduceMax", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceL1", "ReduceSum"])
    s.call("reduce", input=s.tensor("x", x), method=method, axes=axes if R.random() < 0.8 else axes[0], keep_dims=maybe(0.5, lambda: False))


def cumsum(s):
    x, d = shape(1, 4), R.choice([float_type(), "int32", "uint32"])
    s.call("cumsum", input=s.tensor("x", x, d), axis=maybe(0.8, lambda: any_axis(len(x))))


KINDS = {"reduce": reduce, "cumsum": cumsum}
