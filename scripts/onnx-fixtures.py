#!/usr/bin/env python3
"""Writes the ONNX files that the tests read, to tests/onnx: one node test of each operator, and a few networks.

    target/bench-peer/bin/python scripts/onnx-fixtures.py
"""
import os
import re
import sys

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "conformance"))
import onnx_nodes

TO = os.path.join(os.path.dirname(__file__), "..", "tests", "onnx")


def nodes():
    """The smallest converted node test of each operator, as arrays of bytes."""
    best = {}
    refused = list(onnx_nodes.exceptions(os.path.join(TO, "..", "onnx_exceptions.toml")))
    for case in onnx_nodes.collect(None):
        if any(re.fullmatch(pattern, case.name) for pattern in refused) or "expanded" in case.name:
            continue
        prepared = onnx_nodes.prepare(case)
        if isinstance(prepared, str):
            continue
        model = prepared[0].SerializeToString()
        op = prepared[0].graph.node[-1].op_type
        if op not in best or len(model) < len(best[op][1]):
            best[op] = (case.name, model)
    arrays = {name: np.frombuffer(model, np.uint8) for name, model in sorted(best.values()) if len(model) < 20000}
    np.savez_compressed(os.path.join(TO, "nodes.npz"), **arrays)


def value(name, shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def weight(name, *shape):
    rng = np.random.default_rng(len(name) + sum(shape))
    return numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name)


def save(name, graph, **more):
    model = h.make_model(graph, opset_imports=more.pop("opsets", [h.make_opsetid("", 20)]), producer_name="tpulang", **more)
    model.ir_version = 9
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(TO, name + ".onnx"))


def classifier():
    """A network with a symbolic batch, whose last reshape follows from the shape of its operand."""
    node = h.make_node
    graph = h.make_graph(
        [
            node("Conv", ["image", "conv.weight", "conv.bias"], ["/conv/Conv_output_0"], "/conv/Conv", pads=[1, 1, 1, 1]),
            node("Relu", ["/conv/Conv_output_0"], ["/relu/Relu_output_0"], "/relu/Relu"),
            node("GlobalAveragePool", ["/relu/Relu_output_0"], ["/pool/Pool_output_0"], "/pool/Pool"),
            node("Shape", ["/pool/Pool_output_0"], ["/Shape_output_0"], "/Shape"),
            node("Gather", ["/Shape_output_0", "zero"], ["/Gather_output_0"], "/Gather"),
            node("Unsqueeze", ["/Gather_output_0", "axes"], ["/Unsqueeze_output_0"], "/Unsqueeze"),
            node("Concat", ["/Unsqueeze_output_0", "rest"], ["/Concat_output_0"], "/Concat", axis=0),
            node("Reshape", ["/pool/Pool_output_0", "/Concat_output_0"], ["/Reshape_output_0"], "/Reshape"),
            node("Gemm", ["/Reshape_output_0", "fc.weight", "fc.bias"], ["scores"], "/fc/Gemm", transB=1),
        ],
        "classifier",
        [value("image", ["batch", 3, 8, 8])],
        [value("scores", ["batch", 10])],
        [
            weight("conv.weight", 4, 3, 3, 3), weight("conv.bias", 4), weight("fc.weight", 10, 4), weight("fc.bias", 10),
            numpy_helper.from_array(np.array(0), "zero"), numpy_helper.from_array(np.array([0]), "axes"),
            numpy_helper.from_array(np.array([-1]), "rest"),
        ],
    )
    save("classifier", graph)


def unsupported():
    """Three nodes that cannot be converted, and one after them that could be."""
    node = h.make_node
    graph = h.make_graph(
        [
            node("NonZero", ["x"], ["indices"], "find"),
            node("RandomNormalLike", ["x"], ["noise"], "noise"),
            node("RandomNormalLike", ["x"], ["more"], "more"),
            node("Add", ["x", "noise"], ["y"], "add"),
        ],
        "unsupported", [value("x", [2, 3])], [value("y", [2, 3]), value("indices", [2, None], T.INT64)],
    )
    save("unsupported", graph)


def functions():
    """A function that calls another, with attributes of the call."""
    inner = h.make_function(
        "local", "Scaled", ["v"], ["w"], [h.make_node("LeakyRelu", ["v"], ["w"])], [h.make_opsetid("", 20)], ["alpha"])
    reference = inner.node[0].attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "alpha", onnx.AttributeProto.FLOAT
    call = h.make_node("Scaled", ["a"], ["b"], domain="local")
    reference = call.attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "slope", onnx.AttributeProto.FLOAT
    outer = h.make_function(
        "local", "Twice", ["a"], ["c"], [call, h.make_node("Add", ["b", "b"], ["c"])],
        [h.make_opsetid("", 20), h.make_opsetid("local", 1)], ["slope"])
    graph = h.make_graph(
        [h.make_node("Twice", ["x"], ["y"], "block", domain="local", slope=0.5)],
        "functions", [value("x", [2])], [value("y", [2])])
    save("functions", graph, functions=[inner, outer], opsets=[h.make_opsetid("", 20), h.make_opsetid("local", 1)])


def loop():
    """A loop that ends when a condition no longer holds, around a branch."""
    node = h.make_node
    then = h.make_graph([node("Mul", ["v", "two"], ["t"])], "then", [], [value("t", [1])])
    other = h.make_graph([node("Neg", ["v"], ["e"])], "else", [], [value("e", [1])])
    body = h.make_graph(
        [
            node("Greater", ["v", "zero"], ["positive"]),
            node("If", ["positive"], ["next"], then_branch=then, else_branch=other),
            node("Less", ["next", "limit"], ["again"]),
        ],
        "body",
        [value("i", [], T.INT64), value("c", [], T.BOOL), value("v", [1])],
        [value("again", [1], T.BOOL), value("next", [1])],
    )
    constants = {"two": 2.0, "zero": 0.0, "limit": 100.0}
    graph = h.make_graph(
        [node("Loop", ["", "", "x"], ["y"], "grow", body=body)], "loop", [value("x", [1])], [value("y", [1])],
        [numpy_helper.from_array(np.array([v], np.float32), k) for k, v in constants.items()])
    save("loop", graph)


def external():
    """Weights in a file beside the model."""
    graph = h.make_graph(
        [h.make_node("MatMul", ["x", "w"], ["y"])], "external", [value("x", [1, 16])], [value("y", [1, 32])], [weight("w", 16, 32)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)])
    model.ir_version = 9
    path = os.path.join(TO, "external.onnx")
    for old in [path, path + ".data"]:
        if os.path.exists(old):
            os.remove(old)
    onnx.save(model, path, save_as_external_data=True, location="external.onnx.data", size_threshold=0)


if __name__ == "__main__":
    os.makedirs(TO, exist_ok=True)
    for make in [nodes, classifier, unsupported, functions, loop, external]:
        make()
