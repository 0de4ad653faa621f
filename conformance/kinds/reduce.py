"""Reductions over axes."""
from random_graph import R, maybe, shape


def reduce(s):
    x = shape(1, 5)
    axes = R.sample(range(len(x)), R.randint(1, len(x)))
    axes = [a - len(x) if R.random() < 0.3 else a for a in axes]
    method = R.choice(["ReduceMin", "ReduceMax", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceL1", "ReduceSum"])
    s.call("reduce", input=s.tensor("x", x), method=method, axes=axes if R.random() < 0.8 else axes[0], keep_dims=maybe(0.5, lambda: False))


KINDS = {"reduce": reduce}
