"""Sorting."""
from random_graph import R, any_axis, maybe, shape


def topk(s):
    x = shape(1, 4)
    # tpu_mlir infers shapes only for the last axis.
    s.call("topk", ["y", "z"], input=s.tensor("x", x), axis=R.choice([-1, len(x) - 1]), k=R.randint(1, x[-1]))


def arg(s):
    x = shape(1, 5)
    s.call("arg", ["y", "z"], input=s.tensor("x", x), method=maybe(0.7, lambda: R.choice(["max", "min"])), axis=maybe(0.8, lambda: any_axis(len(x))),
           keep_dims=maybe(0.5, lambda: R.random() < 0.5))


def ordered(s, op, outs):
    x = shape(1, 4)
    # tpu_mlir loses entries if an axis is negative.
    s.call(op, outs, input=s.tensor("x", x), axis=R.randint(0, len(x) - 1), descending=maybe(0.6, lambda: R.random() < 0.5))


def sort_by_key(s):
    x = shape(1, 4)
    axis = any_axis(len(x))
    s.call("sort_by_key", ["y", "z"], input=s.tensor("x", x), key=s.tensor("k", [x[axis]]), axis=axis, descending=maybe(0.6, lambda: R.random() < 0.5))


KINDS = {
    "arg": arg,
    "sort": lambda s: ordered(s, "sort", ["y", "z"]),
    "argsort": lambda s: ordered(s, "argsort", "y"),
    "sort_by_key": sort_by_key,
    "topk": topk,
}
