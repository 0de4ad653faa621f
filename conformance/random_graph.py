"""A builder of random specs, and random choices that kinds share."""
import random

import numpy as np

R = random.Random()


class Spec:
    """A spec under construction, with the values of its tensors."""

    def __init__(self):
        self.tensors, self.inputs, self.ops, self.data = {}, [], [], {}
        self.mode = "f32"
        # Whether its MLIR deliberately differs from TpuLang's.
        self.other_text = False

    def tensor(self, name, shape, dtype="float32", coeff=False, values=None):
        self.tensors[name] = {"dtype": dtype, "shape": list(shape), **({"coeff": True} if coeff else {})}
        if values is None:
            kind = np.dtype(dtype)
            if kind.kind == "f":
                values = np.random.standard_normal(shape).astype(kind)
            else:
                low = 0 if kind.kind == "u" else -100
                values = np.random.randint(low, 100, shape).astype(kind)
        self.data[name] = np.asarray(values).reshape(shape)
        if not coeff:
            self.inputs.append(name)
        return name

    def call(self, op, outs="y", **args):
        self.ops.append({"op": op, "args": {k: v for k, v in args.items() if v is not None}, "out": outs})
        return outs

    def json(self):
        outs = self.ops[-1]["out"]
        return {"version": 1, "name": "fuzz", "mode": self.mode, "weights": "weights.npz", "tensors": self.tensors,
                "inputs": self.inputs, "ops": self.ops, "outputs": outs if isinstance(outs, list) else [outs]}


def shape(low=1, high=5, most=7):
    return [R.randint(1, most) for _ in range(R.randint(low, high))]


def broadcast_pair():
    s = shape(1, 5)
    t = [d if R.random() < 0.7 else 1 for d in s]
    t = t[R.randint(0, len(t) - 1):] if R.random() < 0.4 else t
    return (s, t) if R.random() < 0.7 else (t, s)


def maybe(p, f):
    return f() if R.random() < p else None


def any_axis(rank):
    return R.randint(-rank, rank - 1)


def float_type():
    return "float16" if R.random() < 0.15 else "float32"


def scale():
    return R.choice([0.5, 0.1, 0.003, 2.0, 0.0078125])


def zero(dtype):
    return R.choice([0, 0, 3, 128 if dtype.startswith("u") else -7])


def quantized(build):
    """Return a kind in quantized mode; `build` also takes the dtype of its integers."""
    def wrapped(s):
        s.mode = "quantized"
        build(s, R.choice(["int8", "int8", "uint8"]))
    return wrapped
