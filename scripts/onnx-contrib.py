#!/usr/bin/env python3
"""Writes tests/onnx/microsoft.npz: models with a single operator, most of onnxruntime's domain com.microsoft, their inputs, and its results.

    target/bench-peer/bin/python scripts/onnx-contrib.py
"""
import os

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T, helper as h, numpy_helper

TO = os.path.join(os.path.dirname(__file__), "..", "tests", "onnx", "microsoft.npz")
RNG = np.random.default_rng(5)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def bytes_of(kind, *shape):
    limits = np.iinfo(kind)
    return RNG.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


class Case:
    """An operator with its operands: those of `inputs` are fed, `constants` are initializers, `None` is left out."""

    def __init__(self, op, operands, outputs=1, constants=(), domain="com.microsoft", **attributes):
        self.domain = domain
        self.op, self.operands, self.constants, self.outputs, self.attributes = op, operands, constants, outputs, attributes

    def model(self):
        names = [name if value is not None else "" for name, value in self.operands.items()]
        results = ["result%d" % i for i in range(self.outputs)]
        node = h.make_node(self.op, names, results, domain=self.domain, **self.attributes)
        kind = lambda array: h.np_dtype_to_tensor_dtype(array.dtype)
        given = {name: value for name, value in self.operands.items() if value is not None}
        inputs = [h.make_tensor_value_info(n, kind(v), v.shape) for n, v in given.items() if n not in self.constants]
        known = [numpy_helper.from_array(v, n) for n, v in given.items() if n in self.constants]
        graph = h.make_graph([node], "case", inputs, [onnx.ValueInfoProto(name=name) for name in results], known)
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20), h.make_opsetid("com.microsoft", 1)])
        model.ir_version = 9
        return model.SerializeToString()

    def feeds(self):
        return {n: v for n, v in self.operands.items() if v is not None and n not in self.constants}


def array(value, kind=np.float32):
    return np.array(value, kind)


def attention():
    x, w, bias = floats(2, 5, 8), floats(8, 24), floats(24)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], np.int32)
    operands = dict(x=x, w=w, bias=bias)
    yield Case("Attention", dict(operands, mask=mask), constants=("w", "bias"), num_heads=2)
    past = floats(2, 2, 2, 3, 4)
    yield Case("Attention", dict(operands, mask=None, past=past), 2, ("w", "bias"), num_heads=2, unidirectional=1)
    yield Case("Attention", dict(operands, mask=np.ones((2, 8), np.int32), past=past), 2, ("w", "bias"), num_heads=2)
    whole = dict(x=bytes_of(np.uint8, 2, 5, 8), w=bytes_of(np.int8, 8, 24), bias=bias, x_scale=array(0.02), w_scale=array(0.01))
    known = ("w", "bias", "x_scale", "w_scale", "x_zero", "w_zero")
    zeros = dict(x_zero=array(120, np.uint8), w_zero=array(3, np.int8))
    yield Case("QAttention", dict(whole, mask=mask, **zeros), 1, known, num_heads=2)
    yield Case("QAttention", dict(whole, mask=None, **zeros, past=past), 2, known, num_heads=2, unidirectional=1)
    counted = dict(operands, mask=np.array([[2, 1, 3, 1, -1], [1, 1, 1, 0, 0]], np.int32))
    yield Case("Attention", counted, constants=("w", "bias"), num_heads=2)
    q, k, v = floats(2, 5, 8), floats(2, 7, 8), floats(2, 7, 8)
    yield Case("MultiHeadAttention", dict(q=q, k=k, v=v), num_heads=2, unidirectional=1)
    yield Case("MultiHeadAttention", dict(q=q, k=k, v=v, bias=floats(24)), num_heads=2, scale=0.3)
    kept = dict(past_k=floats(2, 2, 3, 4), past_v=floats(2, 2, 3, 4))
    short = dict(q=q, k=floats(2, 5, 8), v=floats(2, 5, 8), bias=None, mask=None)
    yield Case("MultiHeadAttention", dict(short, added=floats(1, 2, 5, 8), **kept), 3, num_heads=2)
    yield Case("MultiHeadAttention", dict(short, added=None, **kept), 3, num_heads=2, unidirectional=1)


def grouped():
    tables = dict(cos=floats(16, 8), sin=floats(16, 8))
    q, k, v = floats(2, 5, 64), floats(2, 5, 32), floats(2, 5, 32)
    counts = dict(num_heads=4, kv_num_heads=2)
    first = dict(q=q, k=k, v=v, past_k=None, past_v=None, last=array([4, 4], np.int32), total=array(5, np.int32))
    yield Case("GroupQueryAttention", first, 3, ("total",), **counts)
    yield Case("GroupQueryAttention", dict(first, **tables), 3, ("total",), do_rotary=1, local_window_size=3, **counts)
    wide = dict(first, q=floats(2, 5, 128), k=floats(2, 5, 64), v=floats(2, 5, 64))
    yield Case("GroupQueryAttention", dict(wide, **tables), 3, ("total",), do_rotary=1, **counts)
    packed = dict(first, q=floats(2, 5, 128), k=None, v=None)
    yield Case("GroupQueryAttention", dict(packed, **tables), 3, ("total",), do_rotary=1, rotary_interleaved=1, softcap=2.0, **counts)
    past = dict(past_k=floats(2, 2, 6, 16), past_v=floats(2, 2, 6, 16))
    later = dict(q=q, k=k, v=v, **past, last=array([10, 10], np.int32), total=array(11, np.int32))
    later = {name: array[:1] if array.ndim else array for name, array in later.items()}
    yield Case("GroupQueryAttention", dict(later, **tables), 3, ("total",), do_rotary=1, **counts)
    yield Case("GroupQueryAttention", dict(later, **tables), 3, ("total", "last"), do_rotary=1, **counts)
    step = dict(later, **past, q=floats(2, 1, 64), k=floats(2, 1, 32), v=floats(2, 1, 32), last=array([6, 4], np.int32), total=array(7, np.int32))
    yield Case("GroupQueryAttention", dict(step, **tables), 3, ("total",), do_rotary=1, smooth_softmax=1, **counts)
    yield Case("GroupQueryAttention", dict(step, **tables), 3, ("total",), do_rotary=1, local_window_size=2, **counts)
    more = dict(cos=None, sin=None, at=None, added=floats(2, 4, 1, 7), sink=floats(4))
    yield Case("GroupQueryAttention", dict(step, **more), 3, ("total",), **counts)


def quantized():
    x, y = bytes_of(np.uint8, 2, 6), bytes_of(np.uint8, 2, 6)
    scales = lambda name, scale, zero: {name + "_scale": array(scale), name + "_zero": array(zero, np.uint8)}
    operands = dict(c=RNG.integers(0, 2, (2, 6)).astype(bool), x=x, **scales("x", 0.02, 100), y=y, **scales("y", 0.03, 90), **scales("z", 0.04, 128))
    known = tuple(name for name in operands if "_" in name)
    yield Case("QLinearWhere", operands, 1, known)
    image = dict(x=bytes_of(np.uint8, 1, 6, 6, 4), **scales("x", 0.02, 120))
    known = ("x_scale", "x_zero", "y_scale", "y_zero", "w", "w_scale", "w_zero", "bias")
    last = dict(channels_last=1)
    window = dict(kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield Case("QLinearAveragePool", dict(image, **scales("y", 0.01, 110)), 1, known, **window, **last)
    yield Case("QLinearGlobalAveragePool", dict(image, **scales("y", 0.01, 110)), 1, known, **last)
    yield Case("NhwcMaxPool", dict(x=image["x"]), **window)
    weights = dict(w=bytes_of(np.int8, 5, 4, 3, 3), w_scale=array(0.01), w_zero=array(0, np.int8), **scales("y", 0.2, 128))
    yield Case("QLinearConv", dict(image, **weights, bias=RNG.integers(-900, 900, 5).astype(np.int32)), 1, known, **window, **last)
    ids, segments = RNG.integers(0, 9, (2, 5)).astype(np.int32), RNG.integers(0, 2, (2, 5)).astype(np.int32)
    rows = dict(word=9, position=6, segment=2, gamma=None, beta=None)
    tables = {name: bytes_of(np.uint8, count, 8) if count else bytes_of(np.uint8, 8) for name, count in rows.items()}
    scale = {name + "_scale": array(0.01) for name in rows}
    zero = {name + "_zero": array(120, np.uint8) for name in rows}
    known = (*tables, *scale, *zero)
    yield Case("QEmbedLayerNormalization", dict(ids=ids, segments=segments, **tables, mask=None, **scale, **zero), 2, known)


def others():
    x, w = dict(a=bytes_of(np.uint8, 3, 6), a_scale=array(0.02), a_zero=array(100, np.uint8)), dict(w=bytes_of(np.int8, 6, 4), w_scale=array(0.01), w_zero=array(0, np.int8))
    c = dict(c=RNG.integers(-900, 900, 4).astype(np.int32))
    known = ("a_scale", "a_zero", "w", "w_scale", "w_zero", "c")
    yield Case("QGemm", dict(x, **w, **c), 1, known, alpha=0.5)
    y = dict(x=bytes_of(np.uint8, 2, 3, 4), x_scale=array(0.05), x_zero=array(100, np.uint8), y_scale=array(1 / 256), y_zero=array(0, np.uint8))
    known = ("x_scale", "x_zero", "y_scale", "y_zero")
    yield Case("QLinearSoftmax", y, 1, known, opset=12, axis=1)
    yield Case("QLinearSoftmax", y, 1, known, opset=13, axis=1)
    zeros = dict(a=np.zeros((3, 6), np.float32), **w)
    yield Case("DynamicQuantizeMatMul", zeros, 1, ("w", "w_scale", "w_zero"))
    heads = dict(x=floats(2, 5, 2 * 32), at=array(np.arange(5)[None].repeat(2, 0), np.int64), cos=floats(8, 8), sin=floats(8, 8))
    yield Case("RotaryEmbedding", heads, 1, num_heads=2, rotary_embedding_dim=16)
    yield Case("CDist", dict(a=floats(4, 3), b=floats(5, 3)), metric="sqeuclidean")
    yield Case("CDist", dict(a=floats(4, 3), b=floats(5, 3)), metric="euclidean")


def integers():
    vector, rows = bytes_of(np.uint8, 6), bytes_of(np.int8, 2, 3, 6)
    of_bytes = dict(w=bytes_of(np.uint8, 6, 4), x_zero=array(100, np.uint8), w_zero=array(120, np.uint8))
    of_int8 = dict(w=bytes_of(np.int8, 6, 4), x_zero=array(-5, np.int8), w_zero=array(3, np.int8))
    yield Case("MatMulInteger", dict(x=vector, **of_bytes), 1, ("w", "w_zero"), "")
    yield Case("MatMulInteger", dict(x=rows, **of_int8), 1, ("w", "x_zero", "w_zero"), "")
    yield Case("MatMulInteger", dict(x=rows, w=of_int8["w"]), 1, ("w",), "")
    quantized = lambda name, x, zero: {name: x, name + "_scale": array(0.02), name + "_zero": array(zero, x.dtype)}
    operands = dict(**quantized("x", vector, 100), **quantized("w", of_bytes["w"], 120), y_scale=array(0.1), y_zero=array(90, np.uint8))
    yield Case("QLinearMatMul", operands, 1, tuple(name for name in operands if name != "x"), "")


def pools():
    """Numbers of windows that are rounded up, with unequal padding before and after an axis."""
    windows = [
        ((1, 2, 3, 3), [3, 3], [3, 1], [1, 0, 0, 1]),
        ((1, 2, 7, 1), [1, 3], [1, 2], [0, 2, 0, 1]),
        ((2, 1, 5, 8), [3, 2], [2, 3], [0, 1, 2, 0]),
        ((1, 1, 6, 7), [2, 3], [3, 2], [1, 1, 0, 2]),
    ]
    for op, more in [("MaxPool", {}), ("AveragePool", {}), ("AveragePool", dict(count_include_pad=1))]:
        for shape, kernel, strides, pads in windows:
            window = dict(kernel_shape=kernel, strides=strides, pads=pads, ceil_mode=1)
            yield Case(op, dict(x=floats(*shape)), 1, (), "", **window, **more)


def packed():
    """Matrices of packed integers, with a few rows and with more; blocks that the last columns do not fill; each kind of zero points."""
    for rows, k, n, block, bits, zeros in [
        (2, 64, 5, 32, 4, None), (3, 128, 7, 32, 4, "packed"), (9, 96, 4, 32, 4, "packed"), (2, 40, 5, 16, 4, "packed"),
        (2, 64, 3, 16, 4, "reals"), (2, 64, 3, 32, 8, None), (2, 96, 3, 32, 8, "packed"),
    ]:
        blocks = -(-k // block)
        scales = (floats(n * blocks) * 0.005).astype(np.float32)
        points = {None: None, "packed": bytes_of(np.uint8, n * ((blocks * bits + 7) // 8)), "reals": np.abs(floats(n * blocks)) * 8}[zeros]
        operands = dict(x=floats(rows, k), w=bytes_of(np.uint8, n, blocks, block * bits // 8), scales=scales, zeros=points)
        yield Case("MatMulNBits", operands, 1, ("w", "scales", "zeros"), K=k, N=n, bits=bits, block_size=block)
    biased = dict(x=floats(2, 3, 64), w=bytes_of(np.uint8, 5, 2, 16), scales=floats(10) * np.float32(0.005), zeros=None, g_idx=None, bias=floats(5))
    yield Case("MatMulNBits", biased, 1, ("w", "scales", "bias"), K=64, N=5, bits=4, block_size=32)
    constants, indices = ("data", "scales", "zeros"), np.array([[3, 0, -1], [2, 2, 6]], np.int64)
    for bits, entries in [(4, 64), (8, 32), (2, 64)]:
        for zeros in (None, bytes_of(np.uint8, 7, entries // 16 * bits // 8)):
            operands = dict(data=bytes_of(np.uint8, 7, entries * bits // 8), indices=indices, scales=floats(7, entries // 16), zeros=zeros)
            yield Case("GatherBlockQuantized", operands, 1, constants, bits=bits, block_size=16)
    whole = dict(data=RNG.integers(-8, 8, (7, 40)).astype("int8").astype(ml_dtypes.int4), indices=indices, scales=floats(7, 3))
    yield Case("GatherBlockQuantized", whole, 1, constants, block_size=16)
    columns = dict(whole, scales=floats(1, 40), indices=np.array([1, 5], np.int32))
    yield Case("GatherBlockQuantized", columns, 1, constants, block_size=16, gather_axis=1, quantize_axis=0)


def main():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    arrays = {}
    for i, case in enumerate(case for family in (attention, grouped, quantized, others, integers, pools, packed) for case in family()):
        name, model = "%02d-%s" % (i, case.op), case.model()
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        arrays[name + "/model"] = np.frombuffer(model, np.uint8)
        arrays.update({"%s/input/%s" % (name, n): v for n, v in case.feeds().items()})
        results = session.run(None, case.feeds())
        arrays.update({"%s/output/result%d" % (name, i): v for i, v in enumerate(results)})
    np.savez_compressed(TO, **arrays)
    print("%d cases in %s" % (sum(name.endswith("/model") for name in arrays), os.path.normpath(TO)))


if __name__ == "__main__":
    main()
