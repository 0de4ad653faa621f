"""Gathering by index."""
import numpy as np

from random_graph import R, any_axis, maybe, quantized, shape


def index_select(s):
    x = shape(1, 4)
    axis = any_axis(len(x))
    n = shape(1, 2, 4) if R.random() < 0.7 else [1]
    # Constants are written as floats that count from the start.
    s.other_text = R.random() < 0.6
    i = s.tensor("i", n, "int32", s.other_text, np.random.randint(-x[axis] if R.random() < 0.3 else 0, x[axis], n).astype("int32"))
    s.call("index_select", input=s.tensor("x", x), index=i, axis=axis, keep_dims=maybe(0.3, lambda: False))


def lut(s, d):
    table = s.tensor("table", [256], R.choice(["int8", "uint8"]), True)
    s.call("lut", input=s.tensor("x", shape(1, 5), d), table=table)


def gather_elements(s):
    x = shape(1, 4)
    axis = R.randint(0, len(x) - 1)
    n = [R.randint(1, 6) if a == axis else R.randint(1, d) for a, d in enumerate(x)]
    # tpu_mlir reads the wrong element if an index is negative.
    i = s.tensor("i", n, "int32", False, np.random.randint(0, x[axis], n).astype("int32"))
    s.call("gather_elements", input=s.tensor("x", x), index=i, axis=axis - len(x) if R.random() < 0.3 else axis)


KINDS = {"index_select": index_select, "lut": quantized(lut), "gather_elements": gather_elements}
