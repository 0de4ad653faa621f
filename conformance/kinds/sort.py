"""Functions that put entries in order."""
from random_graph import R, shape


def topk(s):
    x = shape(1, 4)
    # The tool chain infers the last axis only.
    s.call("topk", ["y", "z"], input=s.tensor("x", x), axis=R.choice([-1, len(x) - 1]), k=R.randint(1, x[-1]))


KINDS = {
    "topk": topk,
}
