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
    refused, _ = onnx_nodes.exceptions(os.path.join(TO, "..", "onnx_exceptions.toml"))
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


def scopes():
    """Nodes with the paths of their modules, as PyTorch records them."""
    node = h.make_node
    nodes = [node("Relu", ["x"], ["relu"]), node("Neg", ["relu"], ["neg"]), node("Sqrt", ["relu"], ["y"])]
    for made, path in zip(nodes, ["['', 'encoder', 'encoder.layers.0', 'relu']", "['', 'neg']", "['', 'head', 'sqrt']"]):
        entry = made.metadata_props.add()
        entry.key, entry.value = "pkg.torch.onnx.name_scopes", path
    save("scopes", h.make_graph(nodes, "scopes", [value("x", [2])], [value("y", [2]), value("neg", [2])]))


def mask():
    """A constant mask and a computed one, as in decoders."""
    node = h.make_node
    nodes = [
        node("Unsqueeze", ["mask", "axes"], ["row"]), node("Cast", ["row"], ["is_word"], to=T.BOOL),
        node("And", ["causal", "is_word"], ["is_seen"]), node("Where", ["is_seen", "scores", "low"], ["y"])]
    weights = [
        numpy_helper.from_array(np.array([1], np.int64), "axes"), numpy_helper.from_array(np.tril(np.ones((1, 3, 3), bool)), "causal"),
        numpy_helper.from_array(np.array(-9, np.float32), "low")]
    inputs = [value("mask", [1, 3], T.INT64), value("scores", [1, 3, 3])]
    save("mask", h.make_graph(nodes, "mask", inputs, [value("y", [1, 3, 3])], weights))


def quantized():
    """A network that onnxruntime quantized, with its results."""
    node = h.make_node
    graph = h.make_graph(
        [
            node("Conv", ["image", "first.weight", "first.bias"], ["first"], pads=[1, 1, 1, 1]),
            node("Relu", ["first"], ["relu"]),
            node("MaxPool", ["relu"], ["pool"], kernel_shape=[2, 2], strides=[2, 2]),
            node("Conv", ["pool", "second.weight"], ["second"], pads=[1, 1, 1, 1]),
            node("Add", ["second", "pool"], ["sum"]),
            node("GlobalAveragePool", ["sum"], ["mean"]),
            node("Flatten", ["mean"], ["flat"]),
            node("Gemm", ["flat", "head.weight", "head.bias"], ["logits"], transB=1),
        ],
        "quantized", [value("image", [1, 3, 8, 8])], [value("logits", [1, 5])],
        [weight("first.weight", 8, 3, 3, 3), weight("first.bias", 8), weight("second.weight", 8, 8, 3, 3), weight("head.weight", 5, 8), weight("head.bias", 5)],
    )
    rng = np.random.default_rng(2)
    samples = [{"image": rng.standard_normal((1, 3, 8, 8)).astype(np.float32)} for _ in range(5)]
    quantize("quantized", graph, samples, "QDQ", per_channel=True)


def quantized_operators():
    """A network of operators on integers (QLinearMatMul and others), with weights of uint8, a table, and layouts in between."""
    node = h.make_node
    graph = h.make_graph(
        [
            node("Gather", ["table", "ids"], ["rows"]),
            node("MatMul", ["rows", "weight"], ["product"]),
            node("Add", ["product", "rows"], ["sum"]),
            node("Transpose", ["sum"], ["turned"], perm=[0, 2, 1]),
            node("Reshape", ["turned", "shape"], ["image"]),
            node("Conv", ["image", "filter", "bias"], ["features"], pads=[1, 1, 1, 1]),
            node("MaxPool", ["features"], ["pool"], kernel_shape=[2, 2], strides=[2, 2]),
            node("Flatten", ["pool"], ["flat"]),
            node("Gemm", ["flat", "head.weight", "head.bias"], ["logits"], transB=1),
        ],
        "quantized_operators", [h.make_tensor_value_info("ids", T.INT64, [1, 16])], [value("logits", [1, 5])],
        [weight("table", 20, 8), weight("weight", 8, 8), numpy_helper.from_array(np.array([1, 8, 4, 4]), "shape"), weight("filter", 6, 8, 3, 3),
         weight("bias", 6), weight("head.weight", 5, 24), weight("head.bias", 5)],
    )
    rng = np.random.default_rng(3)
    samples = [{"ids": rng.integers(0, 20, (1, 16))} for _ in range(5)]
    quantize("quantized_operators", graph, samples, "QOperator", "QUInt8")


def quantized_gates():
    """A network with the activations and channel gates of an EfficientNet or MobileNetV3, pools, and tensors that are joined."""
    node = h.make_node
    graph = h.make_graph(
        [
            node("Conv", ["image", "first.weight", "first.bias"], ["first"], pads=[1, 1, 1, 1]),
            node("Sigmoid", ["first"], ["first.sigmoid"]),
            node("Mul", ["first", "first.sigmoid"], ["silu"]),
            node("Conv", ["silu", "second.weight"], ["second"], pads=[1, 1, 1, 1], group=8),
            node("HardSigmoid", ["second"], ["second.sigmoid"]),
            node("Mul", ["second", "second.sigmoid"], ["activation"]),
            node("GlobalAveragePool", ["activation"], ["mean"]),
            node("Conv", ["mean", "gate.weight", "gate.bias"], ["gate"]),
            node("Sigmoid", ["gate"], ["gate.sigmoid"]),
            node("Mul", ["activation", "gate.sigmoid"], ["gated"]),
            # Sums of nine integers are never halfway between two means.
            node("AveragePool", ["gated"], ["padded"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
            node("Concat", ["gated", "padded"], ["joint"], axis=1),
            node("AveragePool", ["joint"], ["pool"], kernel_shape=[3, 3], strides=[2, 2]),
            node("Conv", ["pool", "head.weight"], ["logits"]),
        ],
        "quantized_gates", [value("image", [1, 3, 8, 8])], [value("logits", [1, 5, 3, 3])],
        [weight("first.weight", 8, 3, 3, 3), weight("first.bias", 8), weight("second.weight", 8, 1, 3, 3), weight("gate.weight", 8, 8, 1, 1),
         weight("gate.bias", 8), weight("head.weight", 5, 16, 1, 1)],
    )
    rng = np.random.default_rng(5)
    samples = [{"image": rng.standard_normal((1, 3, 8, 8)).astype(np.float32)} for _ in range(5)]
    quantize("quantized_gates", graph, samples, "QDQ", "QUInt8")


def quantized_moves():
    """A network of operators on integers, some of which only move them: parts, margins and pixels of several channels."""
    node = h.make_node
    graph = h.make_graph(
        [
            node("Conv", ["image", "first.weight", "first.bias"], ["first"], pads=[1, 1, 1, 1]),
            node("Split", ["first", "sizes"], ["left", "right"], axis=1),
            node("Pad", ["left", "margins"], ["padded"]),
            node("Conv", ["padded", "second.weight"], ["second"]),
            node("Pad", ["right", "margins"], ["mirrored"], mode="reflect"),
            node("Conv", ["mirrored", "third.weight"], ["third"]),
            node("Add", ["second", "third"], ["sum"]),
            node("DepthToSpace", ["sum"], ["larger"], blocksize=2),
            node("Conv", ["larger", "head.weight"], ["logits"]),
        ],
        "quantized_moves", [value("image", [1, 3, 6, 6])], [value("logits", [1, 3, 12, 12])],
        [weight("first.weight", 8, 3, 3, 3), weight("first.bias", 8), numpy_helper.from_array(np.array([3, 5]), "sizes"),
         numpy_helper.from_array(np.array([0, 0, 1, 0, 0, 0, 1, 2]), "margins"), weight("second.weight", 8, 3, 3, 3),
         weight("third.weight", 8, 5, 3, 3), weight("head.weight", 3, 2, 1, 1)],
    )
    rng = np.random.default_rng(6)
    samples = [{"image": rng.standard_normal((1, 3, 6, 6)).astype(np.float32)} for _ in range(5)]
    quantize("quantized_moves", graph, samples, "QOperator", "QUInt8")


def quantized_dynamic():
    """Networks whose operands are quantized while they run, with weights of int8 and of uint8."""
    graph = h.make_graph(
        [
            h.make_node("MatMul", ["x", "first"], ["product"]),
            h.make_node("Relu", ["product"], ["relu"]),
            h.make_node("MatMul", ["relu", "second"], ["y"]),
        ],
        "quantized_dynamic", [value("x", [2, 3, 300])], [value("y", [2, 3, 5])], [weight("first", 300, 7), weight("second", 7, 5)],
    )
    x = np.random.default_rng(4).standard_normal((2, 3, 300)).astype(np.float32)
    for dtype in ["QInt8", "QUInt8"]:
        quantize(f"quantized_dynamic_{dtype[1:].lower()}", graph, [{"x": x}], None, dtype)


def quantize(name, graph, samples, form, dtype="QInt8", **options):
    """Write a network that onnxruntime quantizes, and its results for the first sample. The others calibrate it. Without a form, it is
    quantized dynamically."""
    import tempfile

    import onnxruntime
    from onnxruntime import quantization

    class Samples(quantization.CalibrationDataReader):
        left = samples[1:]

        def get_next(self):
            return self.left.pop() if self.left else None

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "float.onnx")
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)])
        model.ir_version = 9
        onnx.save(model, path)
        to = os.path.join(TO, name + ".onnx")
        dtype = quantization.QuantType[dtype]
        if form:
            form = quantization.QuantFormat[form]
            quantization.quantize_static(path, to, Samples(), form, activation_type=dtype, weight_type=dtype, **options)
        else:
            quantization.quantize_dynamic(path, to, weight_type=dtype)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(to, options, providers=["CPUExecutionProvider"])
    np.savez_compressed(os.path.join(TO, name + ".npz"), **samples[0], **{graph.output[0].name: session.run(None, samples[0])[0]})


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


def trees(of, targets, modes=("BRANCH_LEQ", "BRANCH_GT")):
    """Attributes of two trees: one of two decisions, one of one. Each of the five leaves has a weight for each target."""
    first, second = modes
    return {
        "nodes_treeids": [0] * 5 + [1] * 3, "nodes_nodeids": [0, 1, 2, 3, 4, 0, 1, 2],
        "nodes_featureids": [0, 0, 2, 0, 0, 1, 0, 0], "nodes_values": [0.5, 0, -0.25, 0, 0, 0.0, 0, 0],
        "nodes_modes": [first, "LEAF", first, "LEAF", "LEAF", second, "LEAF", "LEAF"],
        "nodes_truenodeids": [1, 0, 3, 0, 0, 1, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0, 2, 0, 0],
        "nodes_missing_value_tracks_true": [0, 0, 1, 0, 0, 1, 0, 0], "nodes_hitrates": [1.0] * 8,
        f"{of}_treeids": [tree for tree in (0, 0, 0, 1, 1) for _ in range(targets)],
        f"{of}_nodeids": [node for node in (1, 3, 4, 1, 2) for _ in range(targets)], f"{of}_ids": list(range(targets)) * 5,
    }


def machine_learning():
    """The operators of scikit-learn, each with an output, and onnxruntime's results."""
    import onnxruntime

    rng, made, outputs = np.random.default_rng(1), [], []

    def node(op, inputs, outs, **attributes):
        made.append(h.make_node(op, inputs, [name for name, _ in outs], domain="ai.onnx.ml", **attributes))
        rank = lambda name: 1 if name.endswith("_label") else 3 if name == "one_hot" else 2
        outputs.extend(value(name, [None] * rank(name), kind) for name, kind in outs)

    plain = lambda op, name, **attributes: node(op, ["x"], [(name, T.FLOAT)], **attributes)
    weights = lambda n: rng.standard_normal(n).astype(np.float32).tolist()
    plain("Scaler", "scaler", offset=weights(3), scale=weights(3))
    for norm in ("MAX", "L1", "L2"):
        plain("Normalizer", "normalizer_" + norm, norm=norm)
    plain("Binarizer", "binarizer", threshold=0.25)
    plain("Imputer", "imputer", imputed_value_floats=weights(3), replaced_value_float=float("nan"))
    plain("LinearRegressor", "linear_regressor", coefficients=weights(6), intercepts=weights(2), targets=2)
    for kernel in ("RBF", "POLY", "SIGMOID", "LINEAR"):
        plain("SVMRegressor", "svm_" + kernel, kernel_type=kernel, kernel_params=[0.3, 0.5, 2.0], n_supports=4,
              coefficients=weights(4), support_vectors=weights(12), rho=weights(1))
    node("FeatureVectorizer", ["x", "x"], [("vectorizer", T.FLOAT)], inputdimensions=[3, 3])
    node("ArrayFeatureExtractor", ["x", "positions"], [("extractor", T.FLOAT)])
    node("OneHotEncoder", ["k"], [("one_hot", T.FLOAT)], cats_int64s=[0, 2, 5])
    node("LabelEncoder", ["k"], [("encoder", T.INT64)], keys_int64s=[0, 2], values_int64s=[7, 9])
    classified = lambda name: [(name + "_label", T.INT64), (name + "_scores", T.FLOAT)]
    node("LinearClassifier", ["x"], classified("linear"), coefficients=weights(9), intercepts=weights(3), classlabels_ints=[4, 7, 9],
         post_transform="SOFTMAX")
    plain("TreeEnsembleRegressor", "trees_regressor", n_targets=2, target_weights=weights(10), base_values=weights(2),
          **trees("target", 2))
    plain("TreeEnsembleRegressor", "trees_average", n_targets=1, target_weights=weights(5), aggregate_function="AVERAGE",
          **trees("target", 1, ("BRANCH_LT", "BRANCH_LT")))
    forms = {
        "three": dict(class_weights=weights(15), classlabels_int64s=[3, 5, 8], post_transform="SOFTMAX", **trees("class", 3)),
        "probability": dict(class_weights=[0.1, 0.5, 0.2, 0.3, 0.45], classlabels_int64s=[3, 5], **trees("class", 1)),
        "logistic": dict(class_weights=weights(5), classlabels_int64s=[0, 1], post_transform="LOGISTIC", **trees("class", 1)),
        "both": dict(class_weights=[0.1, 0.4, 0.3, 0.2, 0.45, 0.05, 0.15, 0.35, 0.25, 0.25], classlabels_int64s=[0, 1], **trees("class", 2)),
    }
    for name, attributes in forms.items():
        node("TreeEnsembleClassifier", ["x"], classified("trees_" + name), **attributes)
    inputs = {"x": rng.standard_normal((6, 3)).astype(np.float32), "k": np.array([[0], [5], [2], [1]], np.int64)}
    graph = h.make_graph(
        made, "machine_learning", [value("x", [6, 3]), value("k", [4, 1], T.INT64)], outputs,
        [numpy_helper.from_array(np.array([2, 0], np.int64), "positions")])
    save("machine_learning", graph, opsets=[h.make_opsetid("", 20), h.make_opsetid("ai.onnx.ml", 3)])
    session = onnxruntime.InferenceSession(os.path.join(TO, "machine_learning.onnx"), providers=["CPUExecutionProvider"])
    results = dict(zip((o.name for o in session.get_outputs()), session.run(None, inputs)))
    np.savez_compressed(os.path.join(TO, "machine_learning.npz"), **inputs, **results)


if __name__ == "__main__":
    os.makedirs(TO, exist_ok=True)
    for make in [nodes, classifier, unsupported, functions, loop, scopes, mask, quantized, quantized_operators, quantized_dynamic, quantized_gates, quantized_moves, external, machine_learning]:
        make()
