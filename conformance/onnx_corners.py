#!/usr/bin/env python3
"""Compares corner cases of ONNX operators with onnxruntime, and reads hostile models.

    onnx_corners.py --bin TPULANG [--only REGEX]

A case is a node with its operands and attributes. Some operands must be known when a network is read; these are initializers. Integers
must be equal, and floats close, NaN and infinity included. A hostile model must be read, or refused with a message, within a
minute and 8 GiB. Exits 1 if a case fails.
"""
import argparse
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

INF, NAN = np.inf, np.nan
SECONDS, BYTES = 60, 8 << 30


def floats(*values):
    return np.array(values, np.float32)


def ints(*values, dtype=np.int64):
    return np.array(values, dtype)


def of_bits(bits, *values):
    return np.array(values, f"uint{bits}")


# Operator, operands, indices of known operands, attributes, opset.
CASES = {
    "exclusive sum beside a large number": ("CumSum", [floats(1, 1e10, 2), np.int64(0)], [1], {"exclusive": 1}),
    "exclusive sum of infinity": ("CumSum", [floats(INF, 1, 2), np.int64(0)], [1], {"exclusive": 1}),
    "exclusive sum from the end": ("CumSum", [floats(1, 2, 4), np.int64(0)], [1], {"exclusive": 1, "reverse": 1}),
    "exclusive sum of one entry": ("CumSum", [floats(3), np.int64(0)], [1], {"exclusive": 1}),
    "exclusive sum near the largest integer": ("CumSum", [ints(2 * 10**9, 10**8, dtype=np.int32), np.int64(0)], [1], {"exclusive": 1}),
    "one-hot of infinity": ("OneHot", [ints(0, 2), np.int64(3), floats(-INF, 0)], [1, 2], {}),
    "one-hot of large integers": ("OneHot", [ints(0, 2), np.int64(3), ints(100000001, 7)], [1, 2], {}),
    "one-hot of numbers far apart": ("OneHot", [ints(0, -1), np.int64(3), floats(1e8, 1)], [1, 2], {}),
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
    "area sine of large numbers": ("Asinh", [floats(-1e30, 1e20, 0.5, -3)], [], {}),
    "area cosine of large numbers": ("Acosh", [floats(1e30, 1, 2)], [], {}),
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


def model(nodes, operands, known, outputs, opset):
    inputs = [value_info(name, array) for name, array in operands.items() if name not in known]
    constants = [numpy_helper.from_array(np.asarray(operands[name]), name) for name in known]
    untyped = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "corner", inputs, untyped, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def case_model(operator, operands, known, attributes, opset=17):
    named = {f"x{i}": np.asarray(array) for i, array in enumerate(operands)}
    node = helper.make_node(operator, list(named), ["y"], **attributes)
    return model([node], named, [f"x{i}" for i in known], ["y"], opset), named


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
    huge = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1 << 62, 1 << 62, 0], raw_data=b"")
    made = model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": floats(1)}, [], ["y"], 17)
    made.graph.initializer.append(huge)
    yield "more elements than can be counted", made


def limited():
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))


def are_same(found, expected):
    # A scalar is stored with one dimension.
    if found.size != expected.size or (expected.ndim and found.shape != expected.shape):
        return False
    found = found.reshape(expected.shape)
    return np.allclose(found, expected, 1e-5, 1e-6, equal_nan=True) if expected.dtype.kind == "f" else np.array_equal(found, expected)


class Runner:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, Path(folder)

    def run(self, command, made, *more):
        path = self.folder / "model.onnx"
        path.write_bytes(made.SerializeToString())
        done = subprocess.run([self.binary, command, path, *more], capture_output=True, text=True, timeout=SECONDS, preexec_fn=limited)
        return done.returncode, done.stderr.strip()

    def case(self, case):
        """Returns what is wrong with a case."""
        made, operands = case_model(*case)
        feeds = {i.name: operands[i.name] for i in made.graph.input}
        (expected,) = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feeds)
        np.savez(self.folder / "inputs.npz", **feeds)
        status, message = self.run("run", made, "-i", self.folder / "inputs.npz", "-o", self.folder / "outputs.npz")
        if status:
            return message
        found = np.load(self.folder / "outputs.npz")["y"]
        return None if are_same(found, np.asarray(expected)) else f"{found.tolist()}; onnxruntime: {np.asarray(expected).tolist()}"

    def refusal(self, made):
        """Returns what is wrong with how a hostile model is read: it may be refused, but nothing else."""
        try:
            status, message = self.run("check", made)
        except subprocess.TimeoutExpired:
            return f"takes longer than {SECONDS} s"
        return None if status in (0, 2) else f"exit status {status}: {message[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.bin, folder)
        cases = [(name, lambda case=case: runner.case(case)) for name, case in CASES.items()]
        cases += [(name, lambda made=made: runner.refusal(made)) for name, made in hostile()]
        for name, check in cases:
            if re.search(args.only, name):
                problem = check()
                count, failed = count + 1, failed + bool(problem)
                if problem:
                    print(f"{name}: {problem}")
    print(f"{count - failed} of {count} corner cases")
    sys.exit(failed > 0)


main()
