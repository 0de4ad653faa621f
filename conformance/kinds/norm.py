"""Normalizations."""
import numpy as np

from random_graph import R, any_axis, float_type, maybe, shape


def layer_norm(s):
    x = shape(1, 5)
    axis = any_axis(len(x))
    n = x[axis:] if R.random() < 0.5 else [int(np.prod(x[axis:]))]
    coeff = lambda name: s.tensor(name, n, "float32", True)
    s.call("layer_norm", input=s.tensor("x", x), gamma=maybe(0.7, lambda: coeff("g")), beta=maybe(0.7, lambda: coeff("b")),
           axis=axis, epsilon=maybe(0.5, lambda: 1e-3))


def batch_norm(s):
    x = shape(2, 5)
    c = x[1]
    positive = np.abs(np.random.standard_normal(c)).astype("float32") + 0.1
    coeff = lambda name, v=None: s.tensor(name, [c], "float32", True, v)
    s.call("batch_norm", input=s.tensor("x", x), mean=coeff("m"), variance=coeff("v", positive),
           gamma=maybe(0.7, lambda: coeff("g")), beta=maybe(0.7, lambda: coeff("b")))


def group_norm(s):
    x = shape(3, 5)
    groups = R.randint(1, 3)
    x[1] *= groups
    coeff = lambda name: s.tensor(name, [x[1]], "float32", True)
    s.call("group_norm", input=s.tensor("x", x), gamma=maybe(0.7, lambda: coeff("g")), beta=maybe(0.7, lambda: coeff("b")),
           num_groups=groups, epsilon=maybe(0.5, lambda: 1e-3))


def rms_norm(s):
    x, d = shape(2, 5), float_type()
    gamma = maybe(0.7, lambda: s.tensor("g", [x[-1]], d, True))
    s.call("rms_norm", input=s.tensor("x", x, d), gamma=gamma, epsilon=maybe(0.5, lambda: 1e-3),
           axis=maybe(0.5, lambda: R.choice([-1, len(x) - 1])))


def normalize(s):
    x = shape(2, 4)
    first = R.randrange(len(x))
    axes = R.choice([first, list(range(first, R.randint(first, len(x) - 1) + 1))])
    s.call("normalize", input=s.tensor("x", x, float_type()), p=R.choice([2.0, 2.0, 3.0, 1.5]), axes=axes, eps=maybe(0.5, lambda: 1e-6))


KINDS = {
    "layer_norm": layer_norm,
    "batch_norm": batch_norm,
    "group_norm": group_norm,
    "rms_norm": rms_norm,
    "normalize": normalize,
}
