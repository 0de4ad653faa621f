"""Writing by index."""
import numpy as np

from random_graph import R, shape


def places(n, count):
    """distinct indices: tpu_mlir writes in any order"""
    return np.array(R.sample(range(n), count))


def scatter(s):
    x = shape(1, 4, 6)
    axis = R.randint(0, len(x) - 1)
    i = list(x)
    i[axis] = R.randint(1, x[axis])
    for a in range(axis + 1, len(x)):
        i[a] = R.randint(1, x[a])
    index = np.zeros(i, "int32")
    for at in np.ndindex(*(i[:axis] + i[axis + 1:])):
        index[at[:axis] + (slice(None),) + at[axis:]] = places(x[axis], i[axis])
    # tpu_mlir writes to the wrong element if an index is negative.
    s.call("scatter", input=s.tensor("x", x), index=s.tensor("i", i, "int32", False, index), updates=s.tensor("u", i),
           axis=axis - len(x) if R.random() < 0.3 else axis)


def scatter_nd(s):
    x = shape(1, 4, 5)
    n = R.randint(1, len(x))
    all_places = list(np.ndindex(*x[:n]))
    chosen = R.sample(all_places, R.randint(1, len(all_places)))
    s.call("scatterND", input=s.tensor("x", x), indices=s.tensor("i", [len(chosen), n], "uint32", False, np.array(chosen, "uint32")),
           updates=s.tensor("u", [len(chosen)] + x[n:]))


KINDS = {"scatter": scatter, "scatter_nd": scatter_nd}
