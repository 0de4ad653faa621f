"""Functions that move values without changing them."""
import numpy as np

from random_graph import R, any_axis, float_type, maybe, quantized, scale, shape, zero


def reshape(s):
    x = shape(1, 5)
    to = R.choice([[-1], [int(np.prod(x))], [0, -1], [1, 1, -1], x[::-1], x + [1]])
    s.call("reshape", tensor=s.tensor("x", x, float_type()), new_shape=to)


def copy(s):
    # The Top executor reads the wrong elements, except in one dimension.
    s.call("copy", input=s.tensor("x", shape(1, 1), float_type()))


def permute(s):
    x = shape(1, 5)
    s.call("permute", input=s.tensor("x", x), order=R.sample(range(len(x)), len(x)))


def squeeze(s):
    x = [1 if R.random() < 0.5 else R.randint(2, 5) for _ in range(R.randint(2, 5))]
    ones = [i for i, d in enumerate(x) if d == 1]
    axes = [a - len(x) if R.random() < 0.3 else a for a in R.sample(ones, R.randint(0, len(ones)))]
    s.call("squeeze", tensor_i=s.tensor("x", x), axis=axes)


def unsqueeze(s):
    x = shape(1, 4)
    n = R.randint(1, 2)
    axes = R.sample(range(len(x) + n), n)
    s.call("unsqueeze", input=s.tensor("x", x), axes=[a - len(x) - n if R.random() < 0.3 else a for a in axes])


def concat(s):
    x = shape(1, 5)
    axis = any_axis(len(x))
    parts = []
    for i in range(R.randint(2, 4)):
        part = list(x)
        part[axis] = R.randint(1, 4)
        parts.append(s.tensor("x%d" % i, part, "float32", i > 0 and R.random() < 0.3))
    s.call("concat", inputs=parts, axis=axis)


def split(s):
    x = shape(1, 5)
    axis, num = any_axis(len(x)), R.randint(2, 4)
    if R.random() < 0.5:
        size = [R.randint(1, 4) for _ in range(num)]
        x[axis] = sum(size)
    else:
        size, x[axis] = None, num * R.randint(1, 4)
    s.call("split", ["y%d" % i for i in range(num)], input=s.tensor("x", x), axis=axis, num=num, size=size)


def pad(s):
    method = R.choice([None, "constant", "reflect", "edge"])
    x = shape(4, 4)
    # tpu_mlir supports reflect and edge padding only for height and width.
    first = 2 if method in ("reflect", "edge") else 0
    count = lambda a: R.randint(0, x[a] - 1 if method == "reflect" else 3) if a >= first else 0
    value = maybe(0.5, lambda: R.choice([0.0, 1.5, -2.0])) if first == 0 else None
    s.call("pad", input=s.tensor("x", x, float_type()), method=method, value=value,
           padding=maybe(0.9, lambda: [count(a) for _ in range(2) for a in range(4)]))


def concat_quant(s, d):
    x = shape(2, 4)
    parts = [s.tensor("x%d" % i, x, d) for i in range(R.randint(2, 3))]
    n = len(parts) + 1
    s.call("concat", inputs=parts, axis=R.randint(0, len(x) - 1), scales=[scale() for _ in range(n)], dtype=R.choice([d, d, None]),
           zero_points=maybe(0.5, lambda: [zero(d) for _ in range(n)]))


def transparent_chain(s, d):
    """functions that propagate a scale, which may be set at either end"""
    x = s.tensor("x", [2, 3, 4], d)
    if R.random() < 0.5:
        s.tensors["x"]["scale"] = scale()
    t = x
    for i in range(R.randint(1, 5)):
        op = R.choice(["relu", "leaky_relu", "permute", "reshape", "unsqueeze", "slice"])
        name = "t%d" % i
        if op == "permute":
            t = s.call("permute", name, input=t, order=[0, 1, 2])
        elif op == "reshape":
            t = s.call("reshape", name, tensor=t, new_shape=[2, 3, -1])
        elif op == "unsqueeze":
            t = s.call("squeeze", name + "s", tensor_i=s.call("unsqueeze", name, input=t, axes=[0]), axis=[0])
        elif op == "slice":
            t = s.call("slice", name, input=t, starts=[0], ends=[2], axes=[0])
        else:
            t = s.call(op, name, input=t)
    if not s.ops:
        s.call("relu", input=t)
    elif R.random() < 0.5:
        s.call("tanh", input=t, scale=[s.tensors["x"].get("scale", scale()), scale()])


KINDS = {
    "copy": copy,
    "reshape": reshape,
    "permute": permute,
    "squeeze": squeeze,
    "unsqueeze": unsqueeze,
    "concat": concat,
    "split": split,
    "pad": pad,
    "concat_quant": quantized(concat_quant),
    "transparent_chain": quantized(transparent_chain),
}
