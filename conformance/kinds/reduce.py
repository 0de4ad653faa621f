"""Reductions over axes."""
from random_graph import R, any_axis, float_type, maybe, shape


def reduce(s):
    x = shape(1, 5)
    axes = R.sample(range(len(x)), R.randint(1, len(x)))
    axes = [a - len(x) if R.random() < 0.3 else a for a in axes]
    axes = axes if R.random() < 0.8 else axes[0]
    reduced = axes if isinstance(axes, list) else [axes]
    # tpuc-opt rewrites reductions over axes of size 1 as a Reshape, which keeps the sign.
    norms = [] if all(x[a] == 1 for a in reduced) else ["ReduceL2", "ReduceL1"]
    method = R.choice(norms + ["ReduceMin", "ReduceMax", "ReduceMean", "ReduceProd", "ReduceSum"])
    s.call("reduce", input=s.tensor("x", x), method=method, axes=axes, keep_dims=maybe(0.5, lambda: False))


def cumsum(s):
    x, d = shape(1, 4), R.choice([float_type(), "int32", "uint32"])
    s.call("cumsum", input=s.tensor("x", x, d), axis=maybe(0.8, lambda: any_axis(len(x))))


KINDS = {"reduce": reduce, "cumsum": cumsum}
