#!/usr/bin/env python3
"""Runs ONNX's own node tests.

    onnx_nodes.py --bin TPULANG [--only REGEX] [--keep DIR] [--exceptions FILE] [--peer PYTHON] [--write]

The tests are made by the generators of the `onnx` wheel: a model of one node (or of the function that defines it), inputs,
and expected outputs. Operands that say what is computed (shapes, axes, pads) are made initializers, as they are in networks.
A test passes if every output is within the test's own tolerance. If it is not, but onnxruntime's result is that of tpulang,
the test is disputed. It is left out if a tensor is a string, a sequence or empty, since the Top dialect has none. With --peer,
the Python of tpu_mlir's virtual environment, the canonical module of what `tpulang convert` writes must compute the same.
Exits 1 if a result is wrong, if tpulang crashes, if a test is refused that is not among the exceptions, or if an exception is
needed no more. With --write a table goes to docs/onnx.md, unless a test fails.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import sys
import tempfile
import tomllib
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

import document
from canonical import CanonicalTool
from compare import has_shape
from peer import call

warnings.filterwarnings("ignore")

# Operands that must be known when a network is read, by position.
KNOWN = {
    "AffineGrid": [1], "BlackmanWindow": [0], "CenterCropPad": [1], "Col2Im": [1, 2], "ConstantOfShape": [0], "ConvTranspose": [1], "CumSum": [1], "CumProd": [1],
    "DFT": [1, 2], "DequantizeLinear": [1, 2], "Expand": [1], "HammingWindow": [0], "HannWindow": [0], "Loop": [0],
    "MaxUnpool": [2], "MelWeightMatrix": [0, 1, 2, 3, 4], "OneHot": [1, 2], "Pad": [1, 2, 3], "QuantizeLinear": [1, 2],
    "Range": [0, 1, 2], "ReduceL1": [1], "ReduceL2": [1], "ReduceLogSum": [1], "ReduceLogSumExp": [1], "ReduceMax": [1],
    "ReduceMean": [1], "ReduceMin": [1], "ReduceProd": [1], "ReduceSum": [1], "ReduceSumSquare": [1], "Reshape": [1],
    "Resize": [1, 2, 3], "STFT": [1, 3], "Slice": [1, 2, 3, 4], "Split": [1], "SplitToSequence": [1], "Squeeze": [1],
    "Tile": [1], "TopK": [1], "Trilu": [1], "Unsqueeze": [1], "Upsample": [1], "SequenceAt": [1], "BatchNormalization": [1, 2, 3, 4],
    "Compress": [1], "GRU": [4], "LSTM": [4], "NonMaxSuppression": [2, 3, 4], "RNN": [4], "ReverseSequence": [1], "Dropout": [1, 2], "Clip": [1, 2], "CastLike": [1],
}
# A test whose node is written out as the function that defines it.
EXPANDED = re.compile("_expanded.*")
# The table of exceptions that do not count.
OUTSIDE = "not of known shapes, not of numbers, or random"
# That of tests whose own numbers are right.
CANONICAL = "fails after tpuc-opt"


def collect(only):
    from onnx.backend.test.case.node import collect_testcases

    cases = collect_testcases(None)
    nodes = {case.name: case.model.graph.node for case in cases}
    for case in cases:
        # The operands of a function that is written out are those of the node.
        case.known = known_operands(nodes.get(EXPANDED.sub("", case.name), case.model.graph.node))
    return [case for case in cases if not only or re.search(only, case.name)]


def known_operands(nodes):
    """Return the names of operands that must be known when a network is read."""
    return {node.input[i] for node in nodes for i in KNOWN.get(node.op_type, []) if i < len(node.input)}


def arrays(values, infos):
    """Return the arrays of a data set by name, or None if one is no array."""
    made = {}
    for value, info in zip(values, infos):
        if value is None:
            continue
        if isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value)
        if not isinstance(value, (np.ndarray, np.generic, int, float)):
            return None
        made[info.name] = np.asarray(value)
    return made


def prepare(case):
    """Return the model with known operands as initializers, the other inputs and the expected outputs; or why it is left out."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    graph = model.graph
    inputs, outputs = case.data_sets[0]
    inputs, outputs = arrays(inputs, graph.input), arrays(outputs, graph.output)
    if inputs is None or outputs is None:
        return "a sequence or a missing value"
    for array in [*inputs.values(), *outputs.values()]:
        if array.dtype.kind in "OUSc" :
            return "strings or complex numbers"
    known = case.known | known_operands(graph.node)
    if EXPANDED.search(case.name) or len(graph.node) > 1:
        usual = "axes shape split steps starts ends pads axis sizes scales roi k repeats"
        known |= {i.name for i in graph.input if i.name in usual.split()}
    for name in sorted(known):
        if name in inputs:
            array = inputs.pop(name)
            graph.initializer.append(numpy_helper.from_array(array, name))
    for i in [i for i in graph.input if i.name in known]:
        graph.input.remove(i)
    if any(array.size == 0 for array in [*inputs.values(), *outputs.values()]):
        return "an empty tensor"
    for info in graph.input:
        shape = info.type.tensor_type.shape
        if info.name in inputs:
            del shape.dim[:]
            for d in inputs[info.name].shape:
                shape.dim.add().dim_value = d
    return model, inputs, outputs


def storable(array):
    """An array as a file of NumPy's can hold it."""
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float4_e2m1fn"):
        return array.astype(np.float32)
    if array.dtype.name in ("int4", "int2"):
        return array.astype(np.int8)
    if array.dtype.name in ("uint4", "uint2"):
        return array.astype(np.uint8)
    return array


def run(binary, case, keep, chain):
    prepared = prepare(case)
    if isinstance(prepared, str):
        return "left out", prepared
    model, inputs, expected = prepared
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.join(keep, case.name) if keep else folder
        os.makedirs(folder, exist_ok=True)
        at = lambda name: os.path.join(folder, name)
        onnx.save(model, at("model.onnx"))
        command = [binary, "run", at("model.onnx"), "-o", at("outputs.npz"), "-q"]
        if inputs:
            np.savez(at("inputs.npz"), **{name: storable(array) for name, array in inputs.items()})
            command += ["-i", at("inputs.npz")]
        code, text = call(*command, limit=120)
        if code not in (0, 1, 2) or "panicked" in text:
            return "crash", text[-300:]
        if code:
            return "refused", text.strip().replace(folder, "")[:300]
        status, detail = judge(case, model, inputs, expected, np.load(at("outputs.npz")))
        if chain and status == "pass":
            return canonical(chain, binary, case, {name: storable(array) for name, array in inputs.items()}, folder)
        return status, detail


def canonical(chain, binary, case, inputs, folder):
    """Compare the outputs of the canonical module with those of the model, which are right."""
    with np.load(os.path.join(folder, "outputs.npz")) as arrays:
        right = {name: arrays[name] for name in arrays.files}
    try:
        made = chain.outputs(binary, os.path.join(folder, "model.onnx"), inputs, folder)
    except RuntimeError as problem:
        return "canonical", str(problem)
    if len(made) != len(right):
        return "canonical", f"{len(made)} outputs, not {len(right)}"
    # tpuc-opt gives some outputs other names.
    status, detail = compare(case, right, dict(zip(right, made)))
    return ("pass", "") if status == "pass" else ("canonical", detail)


def reference(model, inputs):
    """Return onnxruntime's results by name, or nothing if it does not run the model."""
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    try:
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return dict(zip((o.name for o in session.get_outputs()), session.run(None, inputs)))
    except Exception:
        return {}


def judge(case, model, inputs, expected, results):
    """Compare the results with those that ONNX expects, and if they differ with onnxruntime's."""
    status, detail = compare(case, expected, results)
    if status == "wrong":
        theirs = reference(model, inputs)
        if theirs and compare(case, theirs, results)[0] == "pass":
            return "disputed", "onnxruntime computes the same as tpulang"
    return status, detail


def compare(case, expected, results):
    for name, right in expected.items():
        if name not in results:
            return "wrong", f"{name} is missing"
        ours, right = np.asarray(results[name]), storable(np.asarray(right))
        if right.dtype == bool:
            ours = ours != 0
        if not has_shape(ours, right):
            return "wrong", f"{name} has shape {ours.shape}, not {right.shape}"
        narrow = right.dtype == np.float16 or np.asarray(expected[name]).dtype.name.startswith(("bfloat", "float8"))
        rtol = max(case.rtol, 1e-2 if narrow else 0)
        ours, right = ours.reshape(right.shape).astype(np.float64), right.astype(np.float64)
        if not np.allclose(ours, right, rtol=rtol, atol=max(case.atol, 1e-6), equal_nan=True):
            worst = np.nanmax(np.abs(ours - right)) if np.isfinite(right).all() else "nan"
            return "wrong", f"{name} differs by {worst}"
    return "pass", ""


class Exceptions:
    """The tests that may be refused, or fail after tpuc-opt, as patterns of their names; and which patterns were needed."""

    def __init__(self, path):
        self.tables, self.needed = {}, set()
        if path:
            with open(path, "rb") as file:
                self.tables = {title: list(table) for title, table in tomllib.load(file).items()}

    def table_of(self, case, status):
        """Return the title of the table that excuses a test, or None."""
        for title, patterns in self.tables.items():
            for pattern in patterns if (title == CANONICAL) == (status == "canonical") else ():
                if re.fullmatch(pattern, case.name):
                    self.needed.add(pattern)
                    return title
        return None

    def not_needed(self, has_peer):
        tables = (patterns for title, patterns in self.tables.items() if has_peer or title != CANONICAL)
        return [pattern for patterns in tables for pattern in patterns if pattern not in self.needed]


NOT_PASSED = ("refused", "disputed", "outside", "left out")


def table_by_op(by_op):
    """The tests by operator, where some do not pass."""
    rows = [(op, c["pass"], *(c[status] for status in NOT_PASSED)) for op, c in sorted(by_op.items())]
    shown = [row for row in rows if sum(row[2:])]
    lines = ["| operator | pass | " + " | ".join(NOT_PASSED) + " |", "| --- " + "| ---: " * (1 + len(NOT_PASSED)) + "|"]
    lines += ["| " + " | ".join(str(cell) if cell != 0 else "" for cell in row) + " |" for row in shown]
    passing = sum(row[1] for row in rows if not sum(row[2:]))
    return lines + ["", f"All {passing} tests of the other {len(rows) - len(shown)} operators pass."]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only")
    parser.add_argument("--keep")
    parser.add_argument("--exceptions")
    parser.add_argument("--peer")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    cases = collect(args.only)
    if not cases:
        sys.exit(f"no test matches {args.only}")
    chain = CanonicalTool(args.peer) if args.peer else None
    exceptions = Exceptions(args.exceptions)
    counts, by_op, failed = collections.Counter(), collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {case.name: pool.submit(run, args.bin, case, args.keep, chain) for case in cases}
        for case in cases:
            status, detail = jobs[case.name].result()
            table = exceptions.table_of(case, status) if status in ("refused", "canonical") else None
            if status in ("wrong", "crash") or (status in ("refused", "canonical") and not table):
                failed += 1
                print(f"{status:8} {case.name}: {detail}", flush=True)
            elif status == "disputed":
                print(f"{status:8} {case.name}: {detail}", flush=True)
            elif table == OUTSIDE:
                status = "outside"
            if status == "canonical":
                # The model's own numbers are right.
                counts[status] += 1
                status = "pass"
            counts[status] += 1
            op = case.model.graph.node[-1].op_type if not EXPANDED.search(case.name) else "(written out)"
            by_op[op][status] += 1
    for pattern in () if args.only else exceptions.not_needed(chain):
        failed += 1
        print(f"no test needs the exception {pattern}; take it off the list")
    total = sum(counts[status] for status in ("pass", "refused", "wrong", "crash", "disputed"))
    summary = f"{counts['pass']} of {total} tests with known shapes and numbers pass ({100 * counts['pass'] / max(total, 1):.1f} %)"
    others = ", ".join(f"{counts[s]} {s}" for s in ("refused", "wrong", "crash", "disputed", "outside", "left out") if counts[s])
    print(f"{summary}; {others}")
    if chain:
        print(f"{counts['canonical']} tests that pass have a canonical module that gives other results or does not run")
    if args.write and not failed:
        document.write("node tests", [f"{summary}; {others}.", "", *table_by_op(by_op)])
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
