"""Repetition and broadcasting."""
import numpy as np

from random_graph import R, float_type, maybe, quantized, shape


def tile(s):
    x = shape(1, 5, 5)
    s.call("tile", input=s.tensor("x", x, float_type()), reps=[R.choice([1, 1, 2, 3]) for _ in x])


def broadcast(s):
    x = [R.choice([1, 1, 2, 3]) for _ in range(R.randint(1, 4))]
    to = [d if d > 1 and R.random() < 0.8 else R.randint(1, 4) if d == 1 else 1 for d in x]
    s.call("broadcast", input=s.tensor("x", x, float_type()), reps=[R.randint(1, 3) for _ in range(R.choice([0, 0, 1]))] + to)


def repeat(s):
    x = shape(1, 4, 4)
    counts = [R.choice([1, 1, 2, 3]) for _ in range(len(x) + R.choice([0, 0, 1]))]
    dtype = R.choice(["float32", "int32"])
    reps = s.tensor("reps", [len(counts)], dtype, True, np.array(counts, dtype))
    s.call("repeat", input=s.tensor("x", x, float_type()), reps=reps)


def upsample(s):
    s.call("upsample", input=s.tensor("x", shape(4, 4), float_type()), scale=maybe(0.7, lambda: R.randint(1, 4)))


def tile_quant(s, d):
    s.call("tile", input=s.tensor("x", [2, 3, 4], d), reps=[R.randint(1, 3) for _ in range(3)])


def broadcast_quant(s, d):
    s.call("broadcast", input=s.tensor("x", [2, 1, 4], d), reps=[2, R.randint(1, 3), 4])


def upsample_quant(s, d):
    s.call("upsample", input=s.tensor("x", [1, 3, 4, 4], d), scale=R.randint(2, 3))


KINDS = {
    "tile": tile,
    "broadcast": broadcast,
    "repeat": repeat,
    "upsample": upsample,
    "tile_quant": quantized(tile_quant),
    "broadcast_quant": quantized(broadcast_quant),
    "upsample_quant": quantized(upsample_quant),
}
