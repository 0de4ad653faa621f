"""Networks with integers of 8 and 4 bits: a float ONNX model, quantized by onnxruntime, or with packed weights."""
import logging
import os
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

from models import bert, efficientnet_b0, mobilenet_v2, qwen2_block, resnet50, yolo

# The operators of the networks that onnxruntime computes on integers.
KINDS = ["Conv", "MatMul", "Add", "MaxPool", "GlobalAveragePool", "Relu", "Clip", "Reshape", "Transpose", "Softmax", "Gather", "Mul",
         "Sigmoid", "Concat"]


class Quantized:
    """A quantized network, for programs that read ONNX files: with pairs of QuantizeLinear and DequantizeLinear (qdq; columns has a scale for
    each column of a matrix), of operators of integers such as QLinearConv (operators), of products of operands that are quantized while it
    runs (dynamic), or of floats and matrices of 4 bits (packed)."""

    # A sum in another order moves a value near the middle of two integers to the other one. Every further layer rounds again,
    # and makes more of these steps different. With a transformer of 6 layers, any two programs are 0.04 apart in the end,
    # and each is 0.08 from the network in floats.
    tolerance = 0.1

    def __init__(self, net, form="qdq"):
        self.net, self.form = net, form

    def peers(self):
        return ["onnxruntime", "openvino", "rten", "tract"] if self.form == "qdq" else ["onnxruntime"]

    def write(self, folder):
        """Write net.onnx and inputs.npz; return the file that tpulang runs."""
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "net.onnx")
        if self.form == "packed":
            pack(self.net, path)
        else:
            quantize(self.net, path, self.form)
        np.savez(os.path.join(folder, "inputs.npz"), **self.net.inputs)
        return path

    def read(self):
        """Return about the bytes of inputs and weights: a weight has one instead of four, or half of one and its share of a scale."""
        return self.net.read() * 5 // 32 if self.form == "packed" else self.net.read() // 4


def quantize(net, path, form):
    """Write the network with weights of int8 and activations of uint8, whose ranges are those of a few random inputs."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

    class Inputs(CalibrationDataReader):
        def __init__(self):
            self.rest = iter([net.inputs, *(other_inputs(net, seed) for seed in range(1, 4))])

        def get_next(self):
            return next(self.rest, None)

    # The quantizer advises a pass over the model that folds constants: there are none.
    logging.getLogger().setLevel(logging.ERROR)
    matrices = {op.inputs[1] for op in net.ops() if op.kind == "linear"}
    with tempfile.TemporaryDirectory() as work:
        floats = os.path.join(work, "floats.onnx")
        with open(floats, "wb") as f:
            f.write(net.onnx())
        # Weights of 7 bits: with 8, the instructions for bytes of processors without VNNI overflow in some programs.
        if form == "dynamic":
            return quantize_dynamic(floats, path, weight_type=QuantType.QInt8, reduce_range=True)
        options = dict(reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
        if form == "operators":
            return quantize_static(floats, path, Inputs(), QuantFormat.QOperator, KINDS, **options)
        # Filters have a scale per channel, and matrices a single one or one per column.
        single = [] if form == "columns" else matrices
        overrides = {n: [{"quant_type": QuantType.QInt8, "reduce_range": True}] for n in single}
        quantize_static(floats, path, Inputs(), QuantFormat.QDQ, KINDS, per_channel=True, **options,
                        extra_options={"TensorQuantOverrides": overrides})


def pack(net, path, block=32):
    """Write the network with constant matrices of 4 bits, and a scale for each block of a column."""
    model = onnx.load_from_string(net.onnx())
    graph = model.graph
    matrices = {t.name: t for t in graph.initializer if len(t.dims) == 2 and t.dims[0] % block == 0}
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in matrices:
            continue
        name = node.input[1]
        k, n = matrices[name].dims
        blocks = numpy_helper.to_array(matrices[name]).T.reshape(n, k // block, block)
        scales = np.maximum(np.abs(blocks).max(-1), 1e-12) / np.float32(7)
        whole = (np.clip(np.rint(blocks / scales[..., None]), -8, 7) + 8).astype(np.uint8)
        packed = whole[..., 0::2] | whole[..., 1::2] << 4
        graph.initializer.extend([numpy_helper.from_array(packed, name + "_packed"), numpy_helper.from_array(scales, name + "_scales")])
        node.CopyFrom(helper.make_node("MatMulNBits", [node.input[0], name + "_packed", name + "_scales"], node.output,
                                       domain="com.microsoft", K=k, N=n, bits=4, block_size=block))
    used = {name for node in graph.node for name in node.input}
    kept = [t for t in graph.initializer if t.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, path)


def other_inputs(net, seed):
    """Return inputs like the network's own, with other random values."""
    rng = np.random.default_rng(seed)
    return {n: rng.permutation(a.ravel()).reshape(a.shape) for n, a in net.inputs.items()}


QUANTIZED = {
    "resnet50_int8": lambda: Quantized(resnet50()),
    "mobilenet_v2_int8": lambda: Quantized(mobilenet_v2()),
    "minilm_128_int8": lambda: Quantized(bert("minilm_128", 6, 384, 12, 128)),
    "mobilenet_v2_int8_operators": lambda: Quantized(mobilenet_v2(), "operators"),
    "efficientnet_b0_int8": lambda: Quantized(efficientnet_b0()),
    "yolo_int8": lambda: Quantized(yolo()),
    "minilm_128_int8_columns": lambda: Quantized(bert("minilm_128", 6, 384, 12, 128), "columns"),
    "qwen2_decode_512_int4": lambda: Quantized(qwen2_block("qwen2_decode_512", 1, 512), "packed"),
    "minilm_128_int8_dynamic": lambda: Quantized(bert("minilm_128", 6, 384, 12, 128), "dynamic"),
}
