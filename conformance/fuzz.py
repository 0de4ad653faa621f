#!/usr/bin/env python3
"""Compares tpulang with TpuLang on random one-function graphs: canonical text, and numbers of the Top executor.

    fuzz.py --bin TPULANG [--seed N] [--count N] [--only FUNCTION]

Each graph is built by TpuLang itself and by `tpulang convert` from the same spec, both are taken through tpuc-opt, and
where the executor runs the peer's module its tensors are compared with `tpulang run`. Graphs that TpuLang or tpuc-opt
refuse are only counted.
"""
import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile

from judge import FLAGS, TOLERANCE, TOLERANCE_F16, call, compare_arrays, tool_chain

opt, env = tool_chain()
if "TPULANG_FUZZ" not in os.environ:
    # The loader reads the library path when a process starts.
    env["TPULANG_FUZZ"] = "1"
    os.execve(sys.executable, [sys.executable] + sys.argv, env)
os.environ.setdefault("REGRESSION_PATH", tempfile.gettempdir())
import mlir_text
import numpy as np
import tpu_mlir  # sets the paths of what follows
import transform.TpuLang as tpul
from transform.TpuLangConverter import TpuLangConverter
from tools.model_runner import mlir_inference

R = random.Random()


class Spec:
    """A graph in the making."""

    def __init__(self):
        self.tensors, self.inputs, self.ops, self.data = {}, [], [], {}
        self.mode = "f32"

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


def conv(s, op="conv"):
    g, icg, ocg = R.choice([1, 1, 2, 3]), R.randint(1, 4), R.randint(1, 4)
    h, w, kh, kw = R.randint(3, 12), R.randint(3, 12), R.randint(1, 3), R.randint(1, 3)
    d = float_type()
    x = s.tensor("x", [R.randint(1, 2), g * icg, h, w], d)
    f = s.tensor("w", [g * ocg, icg, kh, kw], d, True)
    b = maybe(0.6, lambda: s.tensor("b", R.choice([[g * ocg], [1, g * ocg, 1, 1]]), "float32", True))
    s.call(op, input=x, weight=f, bias=b, group=g, stride=maybe(0.6, lambda: [R.randint(1, 3), R.randint(1, 3)]),
           dilation=maybe(0.4, lambda: [R.randint(1, 2), R.randint(1, 2)]),
           pad=maybe(0.6, lambda: [R.randint(0, 2) for _ in range(4)]))


def conv_int(s):
    conv(s, "conv_int")
    for n in ("x", "w"):
        s.tensors[n]["dtype"] = R.choice(["int8", "uint8"])
        s.data[n] = np.random.randint(0, 100, s.data[n].shape).astype(s.tensors[n]["dtype"])
    if "b" in s.tensors:
        s.tensors["b"]["dtype"] = "int32"
        s.data["b"] = np.random.randint(-100, 100, s.data["b"].shape).astype("int32")
    s.ops[0]["args"].update(input_zp=R.randint(0, 5), weight_zp=R.randint(0, 5))


def matmul(s):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    batch = shape(0, 3, 3) if R.random() < 0.8 else []
    right_batch = R.choice([[], batch, [d if R.random() < 0.6 else 1 for d in batch]])
    lt, rt = R.random() < 0.2, R.random() < 0.3
    d = float_type()
    x = s.tensor("x", batch + ([k, m] if lt else [m, k]), d)
    coeff = R.random() < 0.6
    w = s.tensor("w", right_batch + ([n, k] if rt else [k, n]), d, coeff)
    b = maybe(0.5, lambda: s.tensor("b", [n], d, True))
    s.call("matmul", input=x, right=w, bias=b, input_transpose=lt or None, right_transpose=rt or None,
           output_transpose=maybe(0.1, lambda: True), keep_dims=maybe(0.2, lambda: False),
           do_relu=maybe(0.3, lambda: True), relu_limit=maybe(0.2, lambda: 6.0))


def binary(op):
    def build(s):
        d = float_type() if op == "div" or R.random() < 0.7 else R.choice(["int8", "uint8", "int16", "int32"] if op in ("max", "min") else ["int8", "uint8"])
        a, b = broadcast_pair()
        kind = R.random()
        if kind < 0.3:
            x, v = s.tensor("x", a, d), R.choice([2, -3, 0.5, 1.25])
            v = int(v) if d.find("int") >= 0 else float(v) if op == "div" else v
            s.call(op, tensor_i0=x, tensor_i1=v) if R.random() < 0.6 else s.call(op, tensor_i0=v, tensor_i1=x)
        elif kind < 0.5:
            s.call(op, tensor_i0=s.tensor("x", a, d), tensor_i1=s.tensor("w", b, d, True))
        elif kind < 0.6:
            s.call(op, tensor_i0=s.tensor("w", a, d, True), tensor_i1=s.tensor("x", b, d))
        else:
            s.call(op, tensor_i0=s.tensor("x", a, d), tensor_i1=s.tensor("z", b, d))
    return build


def compare(op):
    def build(s):
        if op.endswith("s"):
            s.call(op, tensor_i0=s.tensor("x", shape(1, 5), float_type()), scalar_i1=R.choice([0, 1, 0.5]))
        else:
            a, b = broadcast_pair()
            d = float_type()
            s.call(op, tensor_i0=s.tensor("x", a, d, values=np.random.randint(0, 3, a).astype(d)),
                   tensor_i1=s.tensor("z", b, d, R.random() < 0.3, values=np.random.randint(0, 3, b).astype(d)))
    return build


def unary(op):
    return lambda s: s.call(op, input=s.tensor("x", shape(1, 5), float_type()))


def leaky_relu(s):
    s.call("leaky_relu", input=s.tensor("x", shape(1, 5)), negative_slope=R.choice([0.1, 0.5]))


def softmax(s):
    x = shape(1, 5)
    s.call("softmax", input=s.tensor("x", x), axis=any_axis(len(x)))


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


def pool(op):
    def build(s):
        h, w = R.randint(3, 12), R.randint(3, 12)
        kernel = [R.randint(1, 3), R.randint(1, 3)]
        pad = maybe(0.5, lambda: [R.randint(0, kernel[i % 2] // 2) for i in range(4)])
        extra = {"count_include_pad": maybe(0.5, lambda: True)} if op == "avgpool2d" else {}
        s.call(op, input=s.tensor("x", [R.randint(1, 2), R.randint(1, 4), h, w]), kernel=maybe(0.9, lambda: kernel),
               stride=maybe(0.7, lambda: [R.randint(1, 3), R.randint(1, 3)]), pad=pad, ceil_mode=maybe(0.3, lambda: True), **extra)
    return build


def reduce(s):
    x = shape(1, 5)
    axes = R.sample(range(len(x)), R.randint(1, len(x)))
    axes = [a - len(x) if R.random() < 0.3 else a for a in axes]
    method = R.choice(["ReduceMin", "ReduceMax", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceL1", "ReduceSum"])
    s.call("reduce", input=s.tensor("x", x), method=method, axes=axes if R.random() < 0.8 else axes[0], keep_dims=maybe(0.5, lambda: False))


def reshape(s):
    x = shape(1, 5)
    to = R.choice([[-1], [int(np.prod(x))], [0, -1], [1, 1, -1], x[::-1], x + [1]])
    s.call("reshape", tensor=s.tensor("x", x, float_type()), new_shape=to)


def permute(s):
    x = shape(1, 5)
    s.call("permute", input=s.tensor("x", x), order=R.sample(range(len(x)), len(x)))


def squeeze(s):
    x = [1 if R.random() < 0.5 else R.randint(2, 5) for _ in range(R.randint(2, 5))]
    ones = [i for i, d in enumerate(x) if d == 1]
    s.call("squeeze", tensor_i=s.tensor("x", x), axis=[a - len(x) if R.random() < 0.3 else a for a in R.sample(ones, R.randint(0, len(ones)))])


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


def slice_(s):
    x = shape(1, 5, 9)
    axes = R.sample(range(len(x)), R.randint(1, len(x))) if R.random() < 0.7 else None
    n = len(axes) if axes else R.randint(1, len(x))
    bound = lambda: R.choice([R.randint(-9, 9), R.randint(0, 9), 2**63 - 1])
    s.call("slice", input=s.tensor("x", x), starts=[R.randint(-9, 8) if R.random() < 0.3 else R.randint(0, 3) for _ in range(n)],
           ends=[bound() for _ in range(n)], steps=maybe(0.5, lambda: [R.choice([1, 2, 3, -1, -2]) for _ in range(n)]), axes=axes)


def index_select(s):
    x = shape(1, 4)
    axis = any_axis(len(x))
    n = shape(1, 2, 4) if R.random() < 0.7 else [1]
    i = s.tensor("i", n, "int32", R.random() < 0.6, np.random.randint(-x[axis] if R.random() < 0.3 else 0, x[axis], n).astype("int32"))
    s.call("index_select", input=s.tensor("x", x), index=i, axis=axis, keep_dims=maybe(0.3, lambda: False))


def cast(s):
    d = R.choice(["float32", "float16", "int8", "uint8", "int32"])
    s.call("cast", tensor_i=s.tensor("x", shape(1, 4), d), out_dtype=R.choice(["float32", "float16", "int8", "uint8", "int32"]),
           round_mode=R.choice(["half_away_from_zero", "half_to_even", "towards_zero", "up", "down"]))


def cond_select(s):
    x = shape(1, 5)
    c = s.tensor("c", x, values=np.random.randint(0, 2, x).astype("float32"))
    branch = lambda n: s.tensor(n, x, "float32", R.random() < 0.3) if R.random() < 0.5 else {"value": R.choice([0.5, -2.0]), "dtype": "float32"}
    s.call("cond_select", cond=c, tbrn=branch("t"), fbrn=branch("f"))


def quantized(build):
    """a graph of integers with scales, in mode quantized"""
    def wrapped(s):
        s.mode = "quantized"
        build(s, R.choice(["int8", "int8", "uint8"]))
    return wrapped


def scale():
    return R.choice([0.5, 0.1, 0.003, 2.0, 0.0078125])


def zero(dtype):
    return R.choice([0, 0, 3, 128 if dtype == "uint8" else -7])


def conv_quant(s, d):
    g, icg, ocg = R.choice([1, 1, 2]), R.randint(1, 4), R.randint(1, 4)
    x = s.tensor("x", [1, g * icg, R.randint(3, 9), R.randint(3, 9)], d)
    f = s.tensor("w", [g * ocg, icg, R.randint(1, 3), R.randint(1, 3)], "int8", True)
    b = maybe(0.5, lambda: s.tensor("b", [g * ocg], "int32", True))
    ws = scale() if R.random() < 0.6 else [scale() for _ in range(g * ocg)]
    s.call("conv_quant", input=x, weight=f, bias=b, group=g, pad=maybe(0.5, lambda: [1, 1, 1, 1]), input_scale=scale(), weight_scale=ws,
           output_scale=maybe(0.9, scale), input_zp=maybe(0.7, lambda: zero(d)), weight_zp=maybe(0.5, lambda: 0),
           output_zp=maybe(0.5, lambda: zero(d)), out_dtype=maybe(0.3, lambda: R.choice(["int8", "uint8"])))


def matmul_requant(s, d):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    x = s.tensor("x", shape(0, 2, 3) + [m, k], d)
    rt = R.random() < 0.4
    w = s.tensor("w", [n, k] if rt else [k, n], "int8", True)
    y = s.call("matmul_int", "a", input=x, right=w, bias=maybe(0.4, lambda: s.tensor("b", [n], "int32", True)), right_transpose=rt or None,
               input_zp=zero(d), right_zp=0)
    s.call("requant_int", tensor_i=y, mul=R.randint(1, 2**31 - 1), shift=-R.randint(1, 40), offset=zero("int8"), requant_mode=R.randint(0, 2),
           out_dtype=R.choice(["int8", "uint8", "int16"]), round_mode=R.choice(["half_away_from_zero", "half_up", "half_to_even"]),
           rq_axis=-1, fuse_rq_to_matmul=maybe(0.3, lambda: True))


def conv_requant(s, d):
    oc = R.randint(1, 5)
    x = s.tensor("x", [1, 3, 5, 5], d)
    y = s.call("conv_int", "a", input=x, weight=s.tensor("w", [oc, 3, 2, 2], "int8", True), input_zp=zero(d), weight_zp=0)
    many = R.random() < 0.5
    s.call("requant_int", tensor_i=y, mul=[R.randint(1, 2**31 - 1) for _ in range(oc)] if many else R.randint(1, 2**20),
           shift=[-R.randint(1, 31) for _ in range(oc)] if many else -R.randint(1, 31), offset=zero("int8"), requant_mode=R.randint(0, 2))


def activation_quant(s, d):
    op = R.choice(["sigmoid", "tanh", "gelu"])
    s.call(op, input=s.tensor("x", shape(1, 4), d), scale=[scale(), scale()], zero_point=maybe(0.5, lambda: [zero(d), zero(d)]),
           round_mode=maybe(0.4, lambda: R.choice(["half_up", "half_down", "half_to_even", "towards_zero", "up", "down"])))


def binary_quant(s, d):
    op = R.choice(["add", "sub", "mul", "max", "min"])
    a, b = broadcast_pair()
    x = s.tensor("x", a, d)
    kind = R.random()
    if kind < 0.3:
        other = {"value": R.randint(1, 9), "dtype": d}
    else:
        other = s.tensor("z", b, d, kind < 0.6)
    pair = [x, other] if R.random() < 0.7 else [other, x]
    out = maybe(0.3, lambda: "int8")
    s.call(op, tensor_i0=pair[0], tensor_i1=pair[1], scale=[scale(), scale(), scale()], zero_point=maybe(0.4, lambda: [zero(d) for _ in range(3)]), out_dtype=out)


def compare_quant(s, d):
    k = scale()
    if R.random() < 0.5:
        a, b = broadcast_pair()
        s.call(R.choice(["gt", "ge", "lt", "le", "eq", "ne"]), tensor_i0=s.tensor("x", a, d), tensor_i1=s.tensor("z", b, d, R.random() < 0.4),
               scale=[k, k, scale()], zero_point=maybe(0.3, lambda: [0, 0, 1]))
    else:
        s.call(R.choice(["gts", "ges", "lts", "les", "eqs", "nes"]), tensor_i0=s.tensor("x", shape(1, 4), d), scalar_i1=R.choice([1, 0.5]),
               scale=[k, scale()], zero_point=maybe(0.3, lambda: [0, 1]))


def pool_quant(s, d):
    x = s.tensor("x", [1, 3, R.randint(4, 9), R.randint(4, 9)], d)
    k = scale()
    s.call(R.choice(["maxpool2d", "avgpool2d"]), input=x, kernel=[2, 2], stride=[2, 2], scale=[k, k if R.random() < 0.6 else scale()],
           zero_point=maybe(0.3, lambda: [zero(d)] * 2), round_mode=maybe(0.3, lambda: "half_up"))


def concat_quant(s, d):
    x = shape(2, 4)
    parts = [s.tensor("x%d" % i, x, d) for i in range(R.randint(2, 3))]
    n = len(parts) + 1
    s.call("concat", inputs=parts, axis=R.randint(0, len(x) - 1), scales=[scale() for _ in range(n)], dtype=R.choice([d, d, None]),
           zero_points=maybe(0.5, lambda: [zero(d) for _ in range(n)]))


def transparent_chain(s, d):
    x = s.tensor("x", [2, 3, 4], d)
    if R.random() < 0.5:
        s.tensors["x"]["scale"] = scale()
    t = x
    for i in range(R.randint(1, 5)):
        op = R.choice(["relu", "leaky_relu", "permute", "reshape", "unsqueeze", "slice", "squeeze"])
        name = "t%d" % i
        if op == "permute":
            t = s.call("permute", name, input=t, order=[0, 1, 2])
        elif op == "reshape":
            t = s.call("reshape", name, tensor=t, new_shape=[2, 3, -1])
        elif op == "unsqueeze":
            t = s.call("squeeze", name + "s", tensor_i=s.call("unsqueeze", name, input=t, axes=[0]), axis=[0])
        elif op == "slice":
            t = s.call("slice", name, input=t, starts=[0], ends=[2], axes=[0])
        elif op == "squeeze":
            continue
        else:
            t = s.call(op, name, input=t)
    if not s.ops:
        s.call("relu", input=t)
    elif R.random() < 0.5:
        s.call("tanh", input=t, scale=[s.tensors["x"].get("scale", scale()), scale()])


KINDS = {"conv": conv, "conv_int": conv_int, "matmul": matmul, "leaky_relu": leaky_relu, "softmax": softmax, "layer_norm": layer_norm,
         "batch_norm": batch_norm, "reduce": reduce, "reshape": reshape, "permute": permute, "squeeze": squeeze, "unsqueeze": unsqueeze,
         "concat": concat, "split": split, "slice": slice_, "index_select": index_select, "cast": cast, "cond_select": cond_select}
KINDS.update({n: binary(n) for n in ("add", "sub", "mul", "div", "max", "min")})
KINDS.update({n: compare(n) for n in ("gt", "ge", "lt", "le", "eq", "ne", "gts", "ges", "lts", "les", "eqs", "nes")})
KINDS.update({n: unary(n) for n in ("relu", "sigmoid", "tanh", "gelu")})
KINDS.update({n: pool(n) for n in ("maxpool2d", "avgpool2d")})
KINDS.update({f.__name__: quantized(f) for f in (conv_quant, matmul_requant, conv_requant, activation_quant, binary_quant, compare_quant,
                                                 pool_quant, concat_quant, transparent_chain)})


def forked(f, timeout=60):
    """whether f ran to its end in a child"""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            signal.alarm(timeout)
            f()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def by_tpulang(s, work):
    os.chdir(work)
    spec = s.json()
    tpul.init("bm1684x")
    tensors = {}
    for n, t in s.tensors.items():
        coeff = t.get("coeff", False)
        tensors[n] = tpul.Tensor(name=n, shape=t["shape"], dtype=t["dtype"], ttype="coeff" if coeff else "neuron",
                                 data=s.data[n] if coeff else None, scale=t.get("scale"))

    def value(k, v):
        if isinstance(v, str) and v in tensors:
            return tensors[v]
        if isinstance(v, list) and v and all(isinstance(x, str) and x in tensors for x in v):
            return [tensors[x] for x in v]
        if isinstance(v, dict):
            return tpul.Scalar(v["value"], v["dtype"])
        if k in ("tensor_i0", "tensor_i1", "scalar_i1") and isinstance(v, (int, float)):
            return tpul.Scalar(v, "int32" if isinstance(v, int) else "float32")
        return v

    for o in spec["ops"]:
        outs = o["out"]
        name = outs if isinstance(outs, str) else "out"
        out = getattr(tpul, o["op"])(**{k: value(k, v) for k, v in o["args"].items()}, out_name=name)
        for n, t in zip([outs] if isinstance(outs, str) else outs, [out] if isinstance(outs, str) else out):
            t.name = n
            tensors[n] = t
    g = tpul.TpuLang.graph
    g.inputs, g.outputs = [tensors[n] for n in spec["inputs"]], [tensors[n] for n in spec["outputs"]]
    g.quantized_type_inference()
    TpuLangConverter(name="fuzz", graph=g, mode=s.mode, no_save=False).generate_mlir("peer_origin.mlir", log_level="quiet")


def one(s, binary, work):
    """-> (verdict, detail)"""
    join = os.path.join
    spec = s.json()
    np.savez(join(work, "weights.npz"), **{n: s.data[n] for n, t in s.tensors.items() if t.get("coeff")})
    np.savez(join(work, "inputs.npz"), **{n: s.data[n] for n in s.inputs})
    json.dump(spec, open(join(work, "spec.json"), "w"))
    peer_ok = forked(lambda: by_tpulang(s, work))
    peer_ok = peer_ok and call(opt, "peer_origin.mlir", *FLAGS, "-o", "peer.mlir", cwd=work, env=env)[0] == 0
    ours = join(work, "ours")
    rc, text = call(binary, "convert", join(work, "spec.json"), "-o", ours)
    if rc < 0 or rc > 2 or "panicked" in text:
        return "crash", text[:300]
    if rc:
        return ("refused, the peer takes it", text[:400]) if peer_ok else ("both refuse", "")
    if not peer_ok:
        return "the peer refuses", ""
    rc, text = call(opt, "fuzz_origin.mlir", *FLAGS, "-o", "ours.mlir", cwd=ours, env=env)
    if rc:
        return "tpuc-opt refuses ours", text[-300:]
    peer = open(join(work, "peer.mlir")).read()
    names = set(spec["tensors"]) | {n for o in spec["ops"] for n in (o["out"] if isinstance(o["out"], list) else [o["out"]])}
    diff, renamed = mlir_text.difference(peer, open(join(ours, "ours.mlir")).read(), names)
    if diff:
        return "canonical differs", diff
    rc, text = call(binary, "run", join(work, "spec.json"), "-i", join(work, "inputs.npz"), "-o", join(work, "out.npz"), "--all")
    if rc:
        return "run refused", text[-300:]

    def infer():
        os.chdir(work)
        np.savez("top.npz", **mlir_inference({n: s.data[n] for n in s.inputs}, "peer.mlir", dump_all=True))

    # The executor computes with quantized values as if they were real ones.
    if "quant.uniform" in peer or not forked(infer):
        return "equal text, no numbers", ""
    top, out = np.load(join(work, "top.npz")), np.load(join(work, "out.npz"))
    tolerance = TOLERANCE_F16 if "xf16" in peer else TOLERANCE
    for n in out.files:
        own = n if n in top.files else next((p for p, q in renamed.items() if q == n and p in top.files), None)
        problem = own and compare_arrays(n, top[own], out[n], tolerance, False)
        if problem:
            return "numbers differ", problem
    return "equal", ""


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin", required=True)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--count", type=int, default=10, help="graphs a function")
    ap.add_argument("--only", default="")
    a = ap.parse_args()
    binary = os.path.abspath(a.bin)
    total = collections.Counter()
    for kind, build in sorted(KINDS.items()):
        if not re.fullmatch(a.only or ".*", kind):
            continue
        count = collections.Counter()
        for i in range(a.count):
            R.seed("%s %d %d" % (kind, a.seed, i))
            np.random.seed(R.randrange(2**32))
            s = Spec()
            build(s)
            with tempfile.TemporaryDirectory() as work:
                verdict, detail = one(s, binary, work)
            count[verdict] += 1
            if detail:
                print("%s #%d: %s: %s\n    %s" % (kind, i, verdict, detail.strip(), json.dumps({"tensors": s.tensors, "ops": s.ops})))
        total.update(count)
        print("%-14s %s" % (kind, dict(count)), flush=True)
    print(dict(total))
    bad = ("crash", "refused, the peer takes it", "tpuc-opt refuses ours", "canonical differs", "numbers differ", "run refused")
    return 1 if any(total[k] for k in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
