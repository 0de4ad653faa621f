"""Whole models with a loss. Each function returns the spec's calls, the data by name, and PyTorch's loss as a function of them."""
import math

import numpy as np
import torch
from torch.nn import functional as F

from .table import Weight, constant, is_coefficient

GENERATOR = np.random.default_rng(30)
MODELS = {}


def model(name):
    def add(build):
        MODELS[name] = lambda: build().finished()
        return build
    return add


class ModelWithLoss:
    """Adds each operator to a spec, and the same computation to a list for PyTorch."""

    def __init__(self):
        self.arrays, self.ops, self.steps = {}, [], []

    def tensor(self, name, *shape, scale=1.0, around=0.0):
        self.arrays[name] = (around + GENERATOR.normal(0, scale, shape)).astype(np.float32)
        return name

    def data(self, name, array):
        self.arrays[name] = array
        return name

    def weight(self, name, *shape, fan):
        return self.tensor(name, *shape, scale=1 / math.sqrt(fan))

    def add(self, op, arguments, function, *operands, out=None, **more):
        """Adds a call. `function` computes its first result from `operands`."""
        name = "t%d" % len(self.ops)
        self.ops.append({"op": op, "args": arguments, "out": [name, *out] if out else name, **more})
        self.steps.append((name, function, operands))
        return name

    def evaluate(self, leaves):
        values = dict(leaves)
        for name, function, operands in self.steps:
            values[name] = function(*(values[o] for o in operands))
        return values[self.steps[-1][0]]

    def finished(self):
        for name, array in self.arrays.items():
            if name != "x" and not is_coefficient(array):
                self.arrays[name] = array.view(Weight)
        inputs = [n for n, a in self.arrays.items() if not is_coefficient(a)]
        return {"inputs": inputs, "ops": self.ops, "outputs": [self.steps[-1][0]]}, self.arrays, self.evaluate

    def linear(self, x, name, n, m):
        w, b = self.weight(name + "_w", n, m, fan=n), self.tensor(name + "_b", m, scale=0.1)
        return self.add("matmul", {"input": x, "right": w, "bias": b}, lambda x, w, b: x @ w + b, x, w, b)

    def relu(self, x):
        return self.add("relu", {"input": x}, torch.relu, x)

    def sum(self, a, b):
        return self.add("add", {"tensor_i0": a, "tensor_i1": b}, torch.add, a, b)

    def layer_norm(self, x, name, n):
        gamma, beta = self.tensor(name + "_gamma", n, scale=0.1, around=1), self.tensor(name + "_beta", n, scale=0.1)
        return self.add("layer_norm", {"input": x, "gamma": gamma, "beta": beta, "axis": -1}, lambda x, g, b: F.layer_norm(x, (n,), g, b), x, gamma, beta)

    def cross_entropy(self, logits, rows, classes):
        """The mean over the rows, from the logarithm of the softmax and targets as rows of a unit matrix."""
        targets = GENERATOR.integers(0, classes, rows)
        picked = self.data("targets", constant(np.eye(classes, dtype=np.float32)[targets]))
        logs = self.add("top.Softmax", {"input": logits, "axis": -1, "log": True}, lambda x: F.log_softmax(x, -1), logits)
        products = self.add("mul", {"tensor_i0": logs, "tensor_i1": picked}, torch.mul, logs, picked)
        total = self.add("top.Reduce", {"input": products, "axes": [0, 1], "keepdims": True, "mode": "ReduceSum"}, lambda x: x.sum(), products)
        return self.add("top.MulConst", {"input": total, "const_val": -1 / rows}, lambda x: x * (-1 / rows), total)


def batch_norm(y, mean, variance, gamma, beta):
    """PyTorch's does not differentiate the statistics."""
    mean, factor, beta = (t.view(1, -1, 1, 1) for t in (mean, torch.rsqrt(variance + 1e-5) * gamma, beta))
    return (y - mean) * factor + beta


def resnet(training, images):
    net = ModelWithLoss()

    def conv(x, name, n, m, size, stride):
        w = net.weight(name + "_w", m, n, size, size, fan=n * size * size / 2)
        y = net.add("conv", {"input": x, "weight": w, "stride": [stride] * 2, "pad": [size // 2] * 4},
                    lambda x, w: F.conv2d(x, w, None, stride, size // 2), x, w)
        gamma, beta = net.tensor(name + "_gamma", m, scale=0.1, around=1), net.tensor(name + "_beta", m, scale=0.1)
        if training:
            mean, var = (net.data(name + n, constant(np.ones(m, np.float32))) for n in ("_mean", "_var"))
            return net.add("top.BatchNormTrain", {"input": y, "mean": mean, "var": var, "gamma": gamma, "beta": beta},
                           lambda y, g, b: F.batch_norm(y, None, None, g, b, training=True), y, gamma, beta, out=[name + "_%d" % i for i in range(4)])
        mean, var = net.tensor(name + "_mean", m, scale=0.1), net.data(name + "_var", GENERATOR.uniform(0.5, 2, m).astype(np.float32))
        return net.add("batch_norm", {"input": y, "mean": mean, "variance": var, "gamma": gamma, "beta": beta},
                       batch_norm, y, mean, var, gamma, beta)

    x = net.relu(conv(net.tensor("x", images, 3, 64, 64), "stem", 3, 64, 7, 2))
    x = net.add("maxpool2d", {"input": x, "kernel": [3, 3], "stride": [2, 2], "pad": [1] * 4}, lambda x: F.max_pool2d(x, 3, 2, 1), x)
    n = 64
    for i, m in enumerate((64, 64, 128, 128, 256, 256, 512, 512)):
        stride, name = 1 if m == n else 2, "block%d" % i
        y = conv(net.relu(conv(x, name + "a", n, m, 3, stride)), name + "b", m, m, 3, 1)
        x = net.relu(net.sum(y, x if m == n else conv(x, name + "c", n, m, 1, stride)))
        n = m
    x = net.add("top.Reduce", {"input": x, "axes": [2, 3], "keepdims": False, "mode": "ReduceMean"}, lambda x: x.mean((2, 3)), x)
    net.cross_entropy(net.linear(x, "head", n, 10), images, 10)
    return net


model("ResNet-18, 2x3x64x64, statistics given")(lambda: resnet(False, 2))
# With 2 images, the last statistics are of 8 numbers, and float32 loses a digit more, in PyTorch too.
model("ResNet-18, 4x3x64x64, training (BatchNormTrain)")(lambda: resnet(True, 4))


@model("Transformer encoder: 2 layers of attention, layer norm and GELU")
def transformer():
    net, (batch, length, n, heads) = ModelWithLoss(), (2, 12, 32, 4)
    x = net.tensor("x", batch, length, n)
    for layer in range(2):
        name = "layer%d_" % layer
        y, parts = net.layer_norm(x, name + "norm1", n), []
        for part in "qkv":
            p = net.linear(y, name + part, n, n)
            p = net.add("reshape", {"tensor": p, "new_shape": [batch, length, heads, n // heads]}, lambda p: p.view(batch, length, heads, -1), p)
            parts.append(net.add("permute", {"input": p, "order": [0, 2, 1, 3]}, lambda p: p.transpose(1, 2), p))
        q, k, v = parts
        scores = net.add("matmul", {"input": q, "right": k, "right_transpose": True}, lambda q, k: q @ k.mT, q, k)
        scores = net.add("mul", {"tensor_i0": scores, "tensor_i1": (n // heads) ** -0.5}, lambda s: s * (n // heads) ** -0.5, scores)
        weights = net.add("softmax", {"input": scores, "axis": -1}, lambda s: s.softmax(-1), scores)
        y = net.add("matmul", {"input": weights, "right": v}, torch.matmul, weights, v)
        y = net.add("permute", {"input": y, "order": [0, 2, 1, 3]}, lambda y: y.transpose(1, 2), y)
        y = net.add("reshape", {"tensor": y, "new_shape": [batch, length, n]}, lambda y: y.reshape(batch, length, n), y)
        x = net.sum(x, net.linear(y, name + "out", n, n))
        y = net.linear(net.layer_norm(x, name + "norm2", n), name + "up", n, 4 * n)
        y = net.add("gelu", {"input": y}, F.gelu, y)
        x = net.sum(x, net.linear(y, name + "down", 4 * n, n))
    x = net.layer_norm(x, "norm", n)
    logits = net.linear(x, "head", n, 10)
    logits = net.add("reshape", {"tensor": logits, "new_shape": [batch * length, 10]}, lambda x: x.reshape(-1, 10), logits)
    net.cross_entropy(logits, batch * length, 10)
    return net


LENGTH, BATCH, SIZE, HIDDEN = 10, 3, 8, 16


def lstm_weights(net, directions):
    shape = [directions] if directions else []
    return (net.weight("filter", *shape, 4 * HIDDEN, SIZE, fan=SIZE), net.weight("recurrence", *shape, 4 * HIDDEN, HIDDEN, fan=HIDDEN),
            net.tensor("bias", *shape, (8 if directions else 4) * HIDDEN, scale=0.1), net.tensor("h", *shape, BATCH, HIDDEN), net.tensor("c", *shape, BATCH, HIDDEN))


def cell(gates, c):
    """The gates are input, output, forget and cell."""
    i, o, f, g = gates.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


@model("LSTM (top.LSTM), a linear layer and cross entropy")
def lstm():
    net = ModelWithLoss()
    x, (w, r, bias, h, c) = net.tensor("x", LENGTH, BATCH, SIZE), lstm_weights(net, 1)

    def function(x, w, r, bias, h, c):
        h, c = h[0], c[0]
        for step in x:
            h, c = cell(step @ w[0].mT + h @ r[0].mT + bias[0].view(2, -1).sum(0), c)
        return h[None]

    # The last hidden state is the second result.
    y = net.add("top.LSTM", {"input": x, "filter": w, "recurrence": r, "bias": bias, "initial_h": h, "initial_c": c, "hidden_size": HIDDEN, "bidirectional": False},
                function, x, w, r, bias, h, c)
    net.ops[-1]["out"] = ["all", y, "last_c"]
    y = net.add("reshape", {"tensor": y, "new_shape": [BATCH, HIDDEN]}, lambda y: y.reshape(BATCH, HIDDEN), y)
    net.cross_entropy(net.linear(y, "head", HIDDEN, 5), BATCH, 5)
    return net


@model("LSTM cell in a loop (top.Loop), a linear layer and cross entropy")
def lstm_loop():
    net = ModelWithLoss()
    x, (w, r, bias, h, c) = net.tensor("x", LENGTH, BATCH, SIZE), lstm_weights(net, 0)
    net.data("steps", constant(np.array([LENGTH], dtype=np.int32)))
    state = {"dtype": "float32", "shape": [BATCH, HIDDEN]}
    ops = [
        {"op": "top.Gather", "args": {"input": x, "indices": "i", "axis": 0, "keepdims": True}, "out": "row"},
        {"op": "reshape", "args": {"tensor": "row", "new_shape": [BATCH, SIZE]}, "out": "step"},
        {"op": "matmul", "args": {"input": "step", "right": w, "right_transpose": True, "bias": bias}, "out": "of_input"},
        {"op": "matmul", "args": {"input": "h_now", "right": r, "right_transpose": True}, "out": "of_state"},
        {"op": "add", "args": {"tensor_i0": "of_input", "tensor_i1": "of_state"}, "out": "gates"},
        {"op": "top.Split", "args": {"input": "gates", "axis": 1, "num": 4}, "out": ["in0", "out0", "forget0", "cell0"]},
        *({"op": "top.Sigmoid", "args": {"input": n + "0"}, "out": n + "1"} for n in ("in", "out", "forget")),
        {"op": "tanh", "args": {"input": "cell0"}, "out": "cell1"},
        {"op": "mul", "args": {"tensor_i0": "forget1", "tensor_i1": "c_now"}, "out": "kept"},
        {"op": "mul", "args": {"tensor_i0": "in1", "tensor_i1": "cell1"}, "out": "added"},
        {"op": "add", "args": {"tensor_i0": "kept", "tensor_i1": "added"}, "out": "c_next"},
        {"op": "tanh", "args": {"input": "c_next"}, "out": "squashed"},
        {"op": "mul", "args": {"tensor_i0": "out1", "tensor_i1": "squashed"}, "out": "h_next"},
    ]
    body = {"inputs": {"i": {"dtype": "int32", "shape": [1]}, "go": {"shape": [1]}, "h_now": state, "c_now": state}, "ops": ops, "outputs": ["go", "h_next", "c_next"]}

    def function(x, w, r, bias, h, c):
        for step in x:
            h, c = cell(step @ w.mT + h @ r.mT + bias, c)
        return h

    y = net.add("top.Loop", {"M": "steps", "cond": net.data("go0", constant(np.ones(1, np.float32))), "v_initial": [h, c]}, function, x, w, r, bias, h, c, out=["last_c"], body=body,
                out_dtype=["float32"] * 2, out_shape=[[BATCH, HIDDEN]] * 2)
    net.cross_entropy(net.linear(y, "head", HIDDEN, 5), BATCH, 5)
    return net
