#!/usr/bin/env python3
"""Compares corner cases of ONNX operators with onnxruntime, and reads hostile models.

    onnx_corners.py --bin TPULANG [--only REGEX]

A case is a node with its operands and attributes, or a network. Some operands must be known when it is read; these are initializers.
Integers must be equal, and floats close, NaN and infinity included. A hostile model must be read, or refused with a message, within a
minute and 8 GiB. Exits 1 if a case fails.
"""
import argparse
import re
import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from compare import has_shape
from peer import call

INF, NAN = np.inf, np.nan
SECONDS, BYTES = 60, 8 << 30


def floats(*values):
    return np.array(values, np.float32)


def ints(*values, dtype=np.int64):
    return np.array(values, dtype)


def of_bits(bits, *values):
    return np.array(values, f"uint{bits}")


def wave(*shape):
    return np.sin(np.arange(1, 1 + np.prod(shape), dtype=np.float32) ** 2).reshape(shape)


SMALL = floats(1e-7, -1e-6, 1e-5, 1e-4, -1e-3)

# Operator, after its domain unless that is ONNX's; operands; indices of known operands; attributes; opset; number of results.
CASES = {
    "exclusive sum beside a large number": ("CumSum", [floats(1, 1e10, 2), np.int64(0)], [1], {"exclusive": 1}),
    "exclusive sum of infinity": ("CumSum", [floats(INF, 1, 2), np.int64(0)], [1], {"exclusive": 1}),
    "exclusive sum from the end": ("CumSum", [floats(1, 2, 4), np.int64(0)], [1], {"exclusive": 1, "reverse": 1}),
    "exclusive sum of one entry": ("CumSum", [floats(3), np.int64(0)], [1], {"exclusive": 1}),
    "exclusive sum near the largest integer": ("CumSum", [ints(2 * 10**9, 10**8, dtype=np.int32), np.int64(0)], [1], {"exclusive": 1}),
    "one-hot of infinity": ("OneHot", [ints(0, 2), np.int64(3), floats(-INF, 0)], [1, 2], {}),
    "one-hot of large integers": ("OneHot", [ints(0, 2), np.int64(3), ints(100000001, 7)], [1, 2], {}),
    "one-hot of numbers far apart": ("OneHot", [ints(0, -1), np.int64(3), floats(1e8, 1)], [1, 2], {}),
    "sum with small numbers, normalized": ("com.microsoft.SkipLayerNormalization", [1e-4 * wave(2, 8), 1e-4 * wave(2, 8), wave(8)], [2], {}),
    "one-hot of computed values": ("OneHot", [ints(0, 1), np.int64(2), floats(-2, 5)], [1], {}),
    "left shift beyond the last bit": ("BitShift", [of_bits(8, 200, 129, 3), of_bits(8, 1, 7, 0)], [], {"direction": "LEFT"}),
    "left shift of 32 bits": ("BitShift", [of_bits(32, 0xC0000001), of_bits(32, 1)], [], {"direction": "LEFT"}),
    "left shift by a row": ("BitShift", [of_bits(8, 200, 129).reshape(2, 1), of_bits(8, 0, 1, 2)], [], {"direction": "LEFT"}),
    "right shift of 8 bits": ("BitShift", [of_bits(8, 255, 254), of_bits(8, 7, 0)], [], {"direction": "RIGHT"}),
    "sum of squares of integers": ("ReduceSumSquare", [ints(5001, 2, dtype=np.int32), ints(0)], [1], {}, 18),
    "sum of absolute integers": ("ReduceL1", [ints(16777217, -2, dtype=np.int32), ints(0)], [1], {}, 18),
    "sum of exponentials of nothing": ("ReduceLogSumExp", [floats([-INF, -INF], [0, -INF]), ints(1)], [1], {}, 18),
    "scale along the other axis": ("LayerNormalization", [np.arange(16, dtype=np.float32).reshape(1, 4, 4) ** 2, floats(1, 2, 3, 4).reshape(4, 1)], [1], {"axis": 2}),
    "scale of a further axis": ("LayerNormalization", [np.arange(8, dtype=np.float32).reshape(2, 4) ** 2, floats([1, 2, 3, 4])], [1], {}),
    "normalization of one channel": ("BatchNormalization", [floats(1, 2, 3), *[floats(0.5)] * 4], [1, 2, 3, 4], {}),
    "maximum of NaN": ("Max", [floats(0, NAN, 1), floats(NAN, 0, 2)], [], {}),
    "minimum of NaN": ("Min", [floats(0, NAN, 1), floats(NAN, 0, 2)], [], {}),
    "area sine of large numbers": ("Asinh", [floats(-1e30, 1e20, 1e3, 0.5, -3)], [], {}),
    "area sine of small numbers": ("Asinh", [SMALL], [], {}),
    "area cosine of large numbers": ("Acosh", [floats(1e30, 1e3, 1, 2)], [], {}),
    "area cosine of negative numbers": ("Acosh", [floats(-1e30, -1e10, -1e4, -3, -1, 0.5, -INF, INF)], [], {}),
    "arcsine of small numbers": ("Asin", [SMALL], [], {}),
    "arctangent of small numbers": ("Atan", [SMALL], [], {}),
    "arctangent of large numbers": ("Atan", [floats(1, -1.5, 20, 1e5, -1e30, INF)], [], {}),
    "product of a vector and a matrix": ("com.microsoft.FusedMatMul", [floats(1, 2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)], [], {"transA": 1}),
    # onnxruntime does not transpose the matrix if the other operand is a vector.
    "product of a transposed matrix and a column": ("com.microsoft.FusedMatMul", [np.arange(12, dtype=np.float32).reshape(3, 4), floats(1, 2, 3).reshape(3, 1)], [],
                                                    {"transA": 1, "alpha": 2.0}),
    "product of a vector and a transposed matrix": ("com.microsoft.FusedMatMul", [floats(1, 2, 3, 4), np.arange(12, dtype=np.float32).reshape(3, 4)], [], {"transB": 1}),
    "product of batches inside": ("com.microsoft.FusedMatMul", [np.arange(12, dtype=np.float32).reshape(3, 2, 2), np.arange(12, dtype=np.float32).reshape(2, 3, 2)], [],
                                  {"transBatchA": 1, "transB": 1}),
    "positions in a number": ("NonZero", [np.float32(3)], [0], {}),
    "no axes to squeeze": ("Squeeze", [floats([1, 2, 3]), ints()], [1], {}),
    "slope of more axes": ("PRelu", [floats(-1, 2, -3), floats([1, 2, 3], [4, 5, 6])], [1], {}),
    "slope of more axes, one number": ("PRelu", [floats(-1), floats([0.5])], [1], {}),
    "computed slope of more axes": ("PRelu", [floats(-1, 2, -3), floats([0.5])], [], {}),
    "negative powers of integers": ("Pow", [ints(2, -3, 10, dtype=np.int32), floats(-1, 3, 0.5)], [], {}),
    "mask of nothing dropped": ("Dropout", [floats(1, 2)], [], {}, 13, 2),
    "old mask of nothing dropped": ("Dropout", [floats(1, 2)], [], {}, 10, 2),
    "oldest mask of nothing dropped": ("Dropout", [floats(1, 2)], [], {}, 7, 2),
    "places in a sequence": ("MaxPool", [(np.arange(24, dtype=np.float32) * 7 % 11).reshape(2, 2, 6)], [],
                             {"kernel_shape": [3], "strides": [2], "pads": [1, 0]}, 17, 2),
    "bounded gates": ("LSTM", [wave(2, 1, 2), wave(1, 4, 2), wave(1, 4, 1), wave(1, 8), ints(2, dtype=np.int32), wave(1, 1, 1), 2 * np.ones((1, 1, 1), np.float32)],
                      [1, 2, 3, 4], {"hidden_size": 1, "clip": 0.3}, 17, 3),
    "categories of floats": ("ai.onnx.ml.OneHotEncoder", [floats([0, 1.7, 2, -0.5, 2.99, 5, NAN, -1.2, INF])], [], {"cats_int64s": [0, 1, 2, -1], "zeros": 1}),
    "two classes, one row": ("ai.onnx.ml.LinearClassifier", [floats([-2, 1], [0.3, 0], [0, 0], [20, 1])], [],
                             {"coefficients": [1.0, 0.5], "intercepts": [0.0], "classlabels_ints": [5, 7]}, 17, 2),
    "two classes, one logistic row": ("ai.onnx.ml.LinearClassifier", [floats([-2, 1], [0.3, 0], [0, 0], [20, 1])], [],
                                      {"coefficients": [1.0, 0.5], "intercepts": [0.1], "classlabels_ints": [5, 7], "post_transform": "LOGISTIC"}, 17, 2),
    "two classes, one row and a softmax": ("ai.onnx.ml.LinearClassifier", [floats([-2], [0.3])], [],
                                           {"coefficients": [1.0], "intercepts": [0.1], "classlabels_ints": [5, 7], "post_transform": "SOFTMAX"}, 17, 2),
    "product that broadcasts": ("Einsum", [np.ones((1, 2), np.float32), np.ones((2, 2), np.float32)], [], {"equation": "...l,...l"}),
    "product of integers": ("Einsum", [ints([1, 2], dtype=np.int32), ints([3], [4], dtype=np.int32)], [], {"equation": "ab,bc->ac"}),
    "the longest step back": ("Slice", [np.arange(6, dtype=np.float32), ints(-1), ints(0), ints(0), ints(-(2**63))], [1, 2, 3, 4], {}),
    "crop": ("Resize", [np.arange(12, dtype=np.float32).reshape(3, 4), floats(0.3, 0, 1, 1), floats(2, 1)], [1, 2],
             {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}),
    "nearest entry by half pixels": ("Resize", [np.arange(4, dtype=np.float32).reshape(1, 4), floats(), floats(1, 1.5)], [1, 2],
                                     {"mode": "nearest", "coordinate_transformation_mode": "tf_half_pixel_for_nn"}, 11),
    "filter wider than the operand": ("Resize", [np.arange(16, dtype=np.float32).reshape(1, 16) ** 2, floats(), floats(1, 0.2)], [1, 2],
                                      {"mode": "cubic", "antialias": 1}, 18),
}


def value_info(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


# The versions of other domains.
DOMAINS = {"com.microsoft": 1, "ai.onnx.ml": 3}

# Cases for which onnxruntime has no kernel, with their results by ONNX's definition.
DEFINED = {
    "one-hot of fractions": (("OneHot", [floats(1.7, 0.2, -0.5), np.int64(3), floats(0, 1)], [1, 2], {}), floats([0, 1, 0], [1, 0, 0], [1, 0, 0])),
    "a slope for each channel": (("PRelu", [-np.ones((1, 3, 2, 3), np.float32), floats(0.5, 0.25, 2)], [1], {}, 6),
                                 np.broadcast_to(floats(-0.5, -0.25, -2).reshape(3, 1, 1), (1, 3, 2, 3))),
    "powers along an axis": (("Pow", [floats([2, 3], [4, 5]), floats(2, 3)], [1], {"broadcast": 1, "axis": 0}, 6), floats([4, 9], [64, 125])),
    "comparison along an axis": (("Less", [floats([2, 3], [4, 5]), floats(3, 5)], [1], {"broadcast": 1, "axis": 0}, 6), np.array([[1, 0], [1, 0]], bool)),
}


def model(nodes, operands, known, outputs, opset):
    inputs = [value_info(name, array) for name, array in operands.items() if name not in known]
    constants = [numpy_helper.from_array(np.asarray(operands[name]), name) for name in known]
    untyped = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "corner", inputs, untyped, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*domain) for domain in [("", opset), *DOMAINS.items()]], ir_version=9)


def case_model(operator, operands, known, attributes, opset=17, results=1):
    named = {f"x{i}": np.asarray(array) for i, array in enumerate(operands)}
    outputs = [f"y{i}" for i in range(results)]
    domain, _, operator = operator.rpartition(".")
    node = helper.make_node(operator, list(named), outputs, domain=domain, **attributes)
    return model([node], named, [f"x{i}" for i in known], outputs, opset), named


def networks():
    """Networks of several nodes, with their operands."""
    node = helper.make_node
    x = {"x": floats(-200, -20, -3, 5, 200)}
    body = [node("Relu", ["a"], ["t"]), node("Neg", ["t"], ["b"])]
    call = [node("F", ["x"], ["z"], name="f", domain="local"), node("Add", ["z", "f/t"], ["y"])]
    made = model(call, x | {"f/t": floats(1, 2, 3, 4, 5)}, ["f/t"], ["y"], 17)
    made.functions.append(helper.make_function("local", "F", ["a"], ["b"], body, [helper.make_opsetid("", 17)]))
    made.opset_import.append(helper.make_opsetid("local", 1))
    yield "a function's value with the name of an initializer", made, x

    masks = {"q": floats([[1, 2], [3, 4]]), "k": floats([[1, 0], [0, 1]]), "mask": floats([0, 0], [-INF, -INF]).reshape(2, 2)}
    known = {"causal": floats([0, -INF], [0, 0]).reshape(2, 2), "half": floats(0.5).reshape(()), "zero": floats(0).reshape(())}
    scores = [node("MatMul", ["q", "k"], ["s"]), node("Add", ["s", "mask"], ["m"])]
    safe = [node("Softmax", ["c"], ["w"]), node("IsNaN", ["w"], ["n"]), node("Where", ["n", "zero", "w"], ["y"])]
    for name, last in ("a sum", node("Add", ["m", "causal"], ["c"])), ("a product", node("Mul", ["m", "half"], ["c"])):
        used = {name: known[name] for name in ("zero", *last.input) if name in known}
        yield f"a row masked as a whole before {name}", model([*scores, last, *safe], masks | used, list(used), ["y"], 18), masks

    zero = helper.make_tensor("zero", TensorProto.INT4, [], [0])
    constant = node("Constant", [], ["zero"], value=zero)
    scale = {"scale": floats(1).reshape(()), "one": floats(1).reshape(())}
    steps = [node("QuantizeLinear", ["x", "scale", "zero"], ["q"]), node("DequantizeLinear", ["q", "scale", "zero"], ["y"])]
    for name, source in ("a constant", [constant]), ("a cast", [node("Cast", ["one"], ["i"], to=TensorProto.INT4), node("Sub", ["one", "one"], ["o"]), node("Cast", ["o"], ["zero"], to=TensorProto.INT4)]):
        yield f"4 bits by {name}", model([*source, *steps], x | scale, list(scale), ["y"], 21), x

    ends = {"starts": ints(1), "last": ints(2**63 - 1), "none": ints(dtype=np.int64), "axes": ints(0), "at": ints(0)}
    for name, making in ("joined", [node("Concat", ["last", "none"], ["end"], axis=0)]), ("gathered", [node("Gather", ["last", "at"], ["end"])]):
        used = {name: array for name, array in ends.items() if name in ("starts", "axes", *making[0].input)}
        yield f"{name} end of a slice", model([*making, node("Slice", ["x", "starts", "end", "axes"], ["y"])], x | used, list(used), ["y"], 17), x

    double = {"low": np.float64(np.finfo(np.float64).min), "bound": floats(0).reshape(())}
    nodes = [node("Cast", ["x"], ["d"], to=TensorProto.DOUBLE), node("Greater", ["x", "bound"], ["c"]), node("Where", ["c", "d", "low"], ["m"]),
             node("Softmax", ["m"], ["s"]), node("Cast", ["s"], ["y"], to=TensorProto.FLOAT)]
    yield "a mask of float64", model(nodes, x | double, list(double), ["y"], 17), x

    made = model([node("Neg", ["x"], ["y"])], x, [], ["y"], 17)
    made.graph.initializer.append(helper.make_tensor("labels", TensorProto.STRING, [1], [b"cat"]))
    yield "strings that nothing needs", made, x


def hostile():
    """Small files that ask for much, or do not fit together."""
    scalar = {"x": floats(0).reshape(()), "shape": ints(8000, 8000)}
    expand = [helper.make_node("Expand", ["x", "shape"], [f"y{i}"]) for i in range(60)]
    yield "many large constants", model(expand, scalar, ["x", "shape"], [f"y{i}" for i in range(60)], 17)
    shrink = {"x": np.zeros((1,), np.float32), "rows": ints(1 << 22), "roi": floats(), "scales": floats(1e-6)}
    nodes = [
        helper.make_node("Expand", ["x", "rows"], ["large"]),
        helper.make_node("Resize", ["large", "roi", "scales"], ["y"], mode="cubic", antialias=1),
    ]
    yield "a filter of millions of entries", model(nodes, shrink, ["rows", "roi", "scales"], ["y"], 18)
    spectrum = {"x": np.zeros((1, 16385, 2), np.float32), "length": np.int64(32768), "axis": np.int64(1)}
    transform = helper.make_node("DFT", ["x", "length", "axis"], ["y"], inverse=1, onesided=1)
    yield "a long inverse transform", model([transform], spectrum, ["length", "axis"], ["y"], 20)
    empty = {"x": np.zeros((0, 2), np.float32)}
    yield "parts of nothing", model([helper.make_node("Split", ["x"], ["a", "b"])], empty, ["x"], ["a", "b"], 17)
    image = {"x": np.zeros((1, 1, 4, 4), np.float32), "w": np.zeros((1, 1, 3, 3), np.float32)}
    padded = helper.make_node("ConvTranspose", ["x", "w"], ["y"], output_padding=[1], auto_pad="SAME_UPPER")
    yield "padding of one axis", model([padded], image, ["w"], ["y"], 17)
    image["w"] = floats(1)
    flat = helper.make_node("ConvTranspose", ["x", "w"], ["y"], kernel_shape=[3, 3])
    yield "a filter of one dimension", model([flat], image, ["w"], ["y"], 17)
    entries = {"x": np.zeros((2, 2), np.float32), "at": ints([0, 1])}
    gather = helper.make_node("GatherND", ["x", "at"], ["y"], batch_dims=-1)
    yield "fewer than no batches", model([gather], entries, ["at"], ["y"], 17)
    product = {"x": np.zeros((2, 3), np.float32), "w": np.zeros((6, 4), np.float32)}
    yield "matrices that do not fit", model([helper.make_node("Gemm", ["x", "w"], ["y"])], product, ["w"], ["y"], 17)
    many = {"x": np.float32(1), "axes": np.arange(10**6 - 1, -1, -1)}
    yield "a million axes", model([helper.make_node("Unsqueeze", ["x", "axes"], ["y"])], many, ["axes"], ["y"], 17)
    state = helper.make_tensor_value_info("a", TensorProto.FLOAT, None)
    body = helper.make_graph([helper.make_node("Identity", ["a"], ["b"])], "body", [state], [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)])
    scan = helper.make_node("Scan", ["", "x"], ["y"], body=body, num_scan_inputs=1)
    yield "a scan of a number", model([scan], {"x": np.float32(1)}, [], ["y"], 8)
    huge = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1 << 62, 1 << 62, 0], raw_data=b"")
    made = model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": floats(1)}, [], ["y"], 17)
    made.graph.initializer.append(huge)
    yield "more elements than can be counted", made
    scaled = [helper.make_node("Mul", [f"t{i}" if i else "x", "c"], [f"t{i + 1}"]) for i in range(20000)]
    yield "a long chain of factors", model(scaled, {"x": floats(1), "c": floats(1.01)}, ["c"], ["t20000"], 17)
    turned = [helper.make_node("Reciprocal", [f"t{i}" if i else "x"], [f"t{i + 1}"]) for i in range(50000)]
    turned.append(helper.make_node("Mul", ["t50000", "x"], ["y"]))
    yield "a long chain of reciprocals", model(turned, {"x": floats(1)}, [], ["y"], 17)
    yield "loops of growing numbers", model(*loops(18), 17)


def loops(depth):
    """Returns nodes of loops within loops, whose value grows, and what `model` takes after them."""
    node = helper.make_node
    inner = [node("Concat", ["v0", "v0"], ["w0"], axis=0), node("Slice", ["w0", "zero", "two"], ["r0"])]
    for level in range(1, depth + 1):
        value = helper.make_tensor_value_info(f"v{level - 1}", TensorProto.FLOAT, None)
        i, go = helper.make_tensor_value_info(f"i{level}", TensorProto.INT64, []), helper.make_tensor_value_info(f"c{level}", TensorProto.BOOL, [])
        body = [*inner, node("Identity", [f"c{level}"], [f"d{level}"])]
        results = [onnx.ValueInfoProto(name=f"d{level}"), onnx.ValueInfoProto(name=f"r{level - 1}")]
        graph = helper.make_graph(body, f"body{level}", [i, go, value], results)
        inner = [node("Loop", ["one", "", f"v{level}"], [f"r{level}"], body=graph)]
    known = {"one": np.int64(1), "zero": ints(0), "two": ints(2)}
    return inner, {f"v{depth}": floats(1)} | known, list(known), [f"r{depth}"]


def limited():
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))


def are_same(found, expected):
    if not has_shape(found, expected):
        return False
    found = found.reshape(expected.shape)
    if expected.dtype.kind != "f":
        return np.array_equal(found, expected)
    # Small results are compared with small tolerance.
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    return np.allclose(found, expected, 1e-5, 1e-6 * min(largest, 1), equal_nan=True)


class Runner:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, Path(folder)

    def run(self, command, made, *more):
        path = self.folder / "model.onnx"
        path.write_bytes(made.SerializeToString())
        return call(self.binary, command, path, *more, limit=SECONDS, preexec_fn=limited)

    def case(self, made, operands, expected=None):
        """Returns what is wrong with a case, whose results are those of onnxruntime unless they are `expected`."""
        feeds = {i.name: operands[i.name] for i in made.graph.input}
        if expected is None:
            all_expected = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feeds)
        else:
            all_expected = [expected]
        np.savez(self.folder / "inputs.npz", **feeds)
        # Those of the case before must not be taken for this one's.
        (self.folder / "outputs.npz").unlink(missing_ok=True)
        status, message = self.run("run", made, "-i", self.folder / "inputs.npz", "-o", self.folder / "outputs.npz")
        if status:
            return message.strip() or f"exit status {status}"
        all_found = np.load(self.folder / "outputs.npz")
        for name, expected in zip([output.name for output in made.graph.output], map(np.asarray, all_expected)):
            if not are_same(all_found[name], expected):
                return f"{name}: {all_found[name].tolist()}; expected: {expected.tolist()}"
        return None

    def refusal(self, made):
        """Returns what is wrong with how a hostile model is read: it may be refused, but nothing else."""
        status, message = self.run("check", made)
        return None if status in (0, 2) else f"exit status {status}: {message[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.bin, folder)
        cases = [(name, lambda case=case: runner.case(*case_model(*case))) for name, case in CASES.items()]
        cases += [(name, lambda case=case, expected=expected: runner.case(*case_model(*case), expected)) for name, (case, expected) in DEFINED.items()]
        cases += [(name, lambda made=made, feeds=feeds: runner.case(made, feeds)) for name, made, feeds in networks()]
        cases += [(name, lambda made=made: runner.refusal(made)) for name, made in hostile()]
        for name, check in cases:
            if re.search(args.only, name):
                try:
                    problem = check()
                except Exception as error:
                    problem = f"{type(error).__name__}: {error}"
                count, failed = count + 1, failed + bool(problem)
                if problem:
                    print(f"{name}: {problem}")
    print(f"{count - failed} of {count} corner cases pass")
    sys.exit(failed > 0 or not count)


main()
