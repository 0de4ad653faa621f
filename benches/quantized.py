"""Networks that compute with 8-bit integers: a float ONNX model, quantized by onnxruntime."""
import logging
import os
import tempfile

import numpy as np

from models import bert, efficientnet_b0, mobilenet_v2, resnet50, yolo

# The operators of the networks that onnxruntime computes on integers.
KINDS = ["Conv", "MatMul", "Add", "MaxPool", "GlobalAveragePool", "Relu", "Clip", "Reshape", "Transpose", "Softmax", "Gather", "Mul",
         "Sigmoid", "Concat"]


class Quantized:
    """A network that onnxruntime quantized, for programs that read ONNX files: with pairs of QuantizeLinear and DequantizeLinear (qdq), of
    operators of integers such as QLinearConv (operators), or of products of operands that are quantized while it runs (dynamic)."""

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
        quantize(self.net, path, self.form)
        np.savez(os.path.join(folder, "inputs.npz"), **self.net.inputs)
        return path

    def read(self):
        """Return about the bytes of inputs and weights: a weight has one instead of four."""
        return self.net.read() // 4


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
        # Filters have a scale per channel, and matrices a single one.
        overrides = {n: [{"quant_type": QuantType.QInt8, "reduce_range": True}] for n in matrices}
        quantize_static(floats, path, Inputs(), QuantFormat.QDQ, KINDS, per_channel=True, **options,
                        extra_options={"TensorQuantOverrides": overrides})


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
    "minilm_128_int8_dynamic": lambda: Quantized(bert("minilm_128", 6, 384, 12, 128), "dynamic"),
}
