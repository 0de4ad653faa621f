"""The kinds of operators of net.py, each in three forms."""
import collections

import numpy as np

# spec(op) returns a function and its arguments, onnx(op, graph) adds nodes, torch(library, attributes, *tensors) computes.
# A spec's call has `absent` more results, which are not used. A layout maps the number of an input to the function that
# turns a weight of tpulang into that of the program.
Form = collections.namedtuple("Form", "spec onnx torch absent onnx_layout torch_layout", defaults=(0, {}, {}))


def named(function, *arguments, **more):
    return lambda op: (function, dict(zip(arguments, op.inputs), **more))


def node(kind, **attributes):
    return lambda op, g: g.node(kind, op.inputs, op.output, **attributes)


def swapped(array):
    return array.swapaxes(0, 1)


def conv_spec(function, *names, **more):
    def spec(op):
        a = op.attributes
        sizes = {"stride": a["stride"], "pad": a["pad"] * 2, "dilation": a["dilation"]}
        return function, dict(zip(names, op.inputs), **sizes, group=a["group"], **more)
    return spec


def conv_onnx(kind):
    def add(op, g):
        a = op.attributes
        sizes = {"kernel_shape": a["kernel"], "strides": a["stride"], "pads": a["pad"] * 2, "dilations": a["dilation"]}
        g.node(kind, op.inputs, op.output, **sizes, group=a["group"])
    return add


def sequence_spec(function):
    """TpuLang has no convolution of sequences; Top has."""
    names = {"kernel": "kernel_shape", "stride": "strides", "dilation": "dilations", "group": "group"}

    def spec(op):
        sizes = {names[k]: v for k, v in op.attributes.items() if k in names}
        return function, dict(zip(("input", "filter", "bias"), op.inputs), pads=op.attributes["pad"] * 2, **sizes)
    return spec


def conv_torch(t, a, x, w, b):
    function = [t.conv1d, t.conv2d, t.conv3d][len(a["kernel"]) - 1]
    return function(x, w, b, a["stride"], a["pad"], a["dilation"], a["group"])


def recurrent_spec(function, **more):
    names = "input", "filter", "recurrence", "bias"
    return lambda op: (function, dict(zip(names, op.inputs), hidden_size=op.attributes["hidden"], bidirectional=False, **more))


def recurrent_onnx(kind, **more):
    return lambda op, g: g.node(kind, op.inputs, op.output, hidden_size=op.attributes["hidden"], **more)


def recurrent_torch(kind):
    def compute(t, a, x, w, r, b):
        state = x.new_zeros(1, x.shape[1], a["hidden"])
        weights = [w[0], r[0], *b[0].chunk(2)]
        state = (state, state) if kind == "lstm" else state
        return getattr(t, kind)(x, state, weights, True, 1, 0.0, False, False, False)[0].unsqueeze(1)
    return compute


def gates(*order, halves=1):
    """Return a function that reorders the gates of recurrent weights, in each half if there are two."""
    def change(array):
        parts = np.split(array, len(order) * halves, axis=1)
        return np.concatenate([parts[h * len(order) + i] for h in range(halves) for i in order], axis=1)
    return change


def interpolate_spec(op):
    by = op.attributes["by"]
    return "interpolate", {"input": op.inputs[0], "scale_h": by, "scale_w": by, "method": "linear", "coord_mode": "half_pixel"}


def interpolate_onnx(op, g):
    by = op.attributes["by"]
    scales = g.constant([1, 1, by, by], np.float32)
    g.node("Resize", [op.inputs[0], "", scales], op.output, mode="linear", coordinate_transformation_mode="half_pixel")


def linear_onnx(op, g):
    if len(op.inputs) == 2:
        g.node("MatMul", op.inputs, op.output)
    else:
        g.node("Add", [g.node("MatMul", op.inputs[:2]), op.inputs[2]], op.output)


def clip_onnx(op, g):
    g.node("Clip", [op.inputs[0], g.constant(0, np.float32), g.constant(6, np.float32)], op.output)


def silu_onnx(op, g):
    g.node("Mul", [op.inputs[0], g.node("Sigmoid", op.inputs)], op.output)


def rms_norm_onnx(op, g):
    x, gamma = op.inputs
    mean = g.node("ReduceMean", [g.node("Pow", [x, g.constant(2, np.float32)]), g.constant([-1])], keepdims=1)
    root = g.node("Sqrt", [g.node("Add", [mean, g.constant(1e-6, np.float32)])])
    g.node("Mul", [g.node("Div", [x, root]), gamma], op.output)


def scale_onnx(op, g):
    g.node("Mul", [op.inputs[0], g.constant(op.attributes["by"], np.float32)], op.output)


def slice_onnx(op, g):
    a = op.attributes
    bounds = [g.constant([a[k]]) for k in ("start", "end", "axis", "step")]
    g.node("Slice", [op.inputs[0], *bounds], op.output)


def slice_torch(t, a, x):
    at = [slice(None)] * a["axis"] + [slice(a["start"], a["end"], a["step"])]
    return x[tuple(at)]


def rope_onnx(op, g):
    x, sine, cosine = op.inputs
    half = op.attributes["width"] // 2
    cut = lambda start, end: g.node("Slice", [x, g.constant([start]), g.constant([end]), g.constant([-1])])
    turned = g.node("Concat", [g.node("Neg", [cut(half, 2 * half)]), cut(0, half)], axis=-1)
    g.node("Add", [g.node("Mul", [x, cosine]), g.node("Mul", [turned, sine])], op.output)


def rope_torch(t, a, x, sine, cosine):
    first, second = x.chunk(2, -1)
    return x * cosine + t.cat([-second, first], -1) * sine


def reduce_onnx(op, g):
    g.node("ReduceSum", [op.inputs[0], g.constant([op.attributes["axis"]])], op.output, keepdims=0)


def concat_spec(op):
    # Defaults to float32.
    return "concat", {"inputs": list(op.inputs), **op.attributes}


def slice_spec(op):
    a = op.attributes
    return "slice", {"input": op.inputs[0], "starts": [a["start"]], "ends": [a["end"]], "steps": [a["step"]], "axes": [a["axis"]]}


OPS = {
    "add": Form(named("add", "tensor_i0", "tensor_i1"), node("Add"), lambda t, a, x, y: x + y),
    "mul": Form(named("mul", "tensor_i0", "tensor_i1"), node("Mul"), lambda t, a, x, y: x * y),
    "scale": Form(lambda op: ("mul", {"tensor_i0": op.inputs[0], "tensor_i1": op.attributes["by"]}), scale_onnx,
                  lambda t, a, x: x * a["by"]),
    "relu": Form(named("relu", "input"), node("Relu"), lambda t, a, x: t.relu(x)),
    "relu6": Form(named("clamp", "input", min=0.0, max=6.0), clip_onnx, lambda t, a, x: t.nn.functional.relu6(x)),
    "leaky_relu": Form(named("leaky_relu", "input", negative_slope=0.1), node("LeakyRelu", alpha=0.1),
                       lambda t, a, x: t.nn.functional.leaky_relu(x, 0.1)),
    "sigmoid": Form(named("sigmoid", "input"), node("Sigmoid"), lambda t, a, x: t.sigmoid(x)),
    "silu": Form(named("silu", "input"), silu_onnx, lambda t, a, x: t.nn.functional.silu(x)),
    "gelu": Form(named("gelu", "input"), node("Gelu"), lambda t, a, x: t.nn.functional.gelu(x)),
    "softmax": Form(named("softmax", "input", axis=-1), node("Softmax", axis=-1), lambda t, a, x: t.softmax(x, -1)),
    "conv": Form(conv_spec("conv", "input", "weight", "bias"), conv_onnx("Conv"), conv_torch),
    "conv1d": Form(sequence_spec("top.Conv"), conv_onnx("Conv"), conv_torch),
    "deconv1d": Form(sequence_spec("top.Deconv"), conv_onnx("ConvTranspose"),
                     lambda t, a, x, w, b: t.conv_transpose1d(x, w, b, a["stride"], a["pad"]),
                     onnx_layout={1: swapped}, torch_layout={1: swapped}),
    "conv3d": Form(conv_spec("conv3d", "input", "weight", "bias"), conv_onnx("Conv"), conv_torch),
    "deconv": Form(conv_spec("deconv", "input", "weight", "bias"), conv_onnx("ConvTranspose"),
                   lambda t, a, x, w, b: t.conv_transpose2d(x, w, b, a["stride"]),
                   onnx_layout={1: swapped}, torch_layout={1: swapped}),
    # The gates are input, output, forget, cell and update, reset, hidden; PyTorch's input, forget, cell, output and
    # reset, update, hidden.
    "lstm": Form(recurrent_spec("top.LSTM"), recurrent_onnx("LSTM"), recurrent_torch("lstm"), absent=2,
                 torch_layout={1: gates(0, 2, 3, 1), 2: gates(0, 2, 3, 1), 3: gates(0, 2, 3, 1, halves=2)}),
    "gru": Form(recurrent_spec("top.GRU", linear_before_reset=True), recurrent_onnx("GRU", linear_before_reset=1), recurrent_torch("gru"),
                absent=1, torch_layout={1: gates(1, 0, 2), 2: gates(1, 0, 2), 3: gates(1, 0, 2, halves=2)}),
    "interpolate": Form(interpolate_spec, interpolate_onnx,
                        lambda t, a, x: t.nn.functional.interpolate(x, scale_factor=a["by"], mode="bilinear")),
    "maxpool": Form(named("maxpool2d", "input", kernel=[3, 3], stride=[2, 2], pad=[1, 1, 1, 1]),
                    node("MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
                    lambda t, a, x: t.max_pool2d(x, 3, 2, 1)),
    "maxpool2": Form(named("maxpool2d", "input", kernel=[2, 2], stride=[2, 2]), node("MaxPool", kernel_shape=[2, 2], strides=[2, 2]),
                     lambda t, a, x: t.max_pool2d(x, 2)),
    "mean_pool": Form(named("avgpool2d", "input"), node("GlobalAveragePool"),
                      lambda t, a, x: t.nn.functional.adaptive_avg_pool2d(x, 1)),
    "linear": Form(named("matmul", "input", "right", "bias"), linear_onnx, lambda t, a, *x: t.nn.functional.linear(*x),
                   torch_layout={1: swapped}),
    "matmul": Form(named("matmul", "input", "right"), node("MatMul"), lambda t, a, x, y: x @ y),
    "layer_norm": Form(named("layer_norm", "input", "gamma", "beta", epsilon=1e-5, axis=-1),
                       node("LayerNormalization", axis=-1, epsilon=1e-5),
                       lambda t, a, x, g, b: t.layer_norm(x, g.shape, g, b, 1e-5)),
    "rms_norm": Form(named("rms_norm", "input", "gamma", epsilon=1e-6), rms_norm_onnx,
                     lambda t, a, x, g: t.rms_norm(x, g.shape, g, 1e-6)),
    "reshape": Form(lambda op: ("reshape", {"tensor": op.inputs[0], "new_shape": op.attributes["shape"]}),
                    lambda op, g: g.node("Reshape", [op.inputs[0], g.constant(op.attributes["shape"])], op.output),
                    lambda t, a, x: x.reshape(a["shape"])),
    "permute": Form(lambda op: ("permute", {"input": op.inputs[0], "order": op.attributes["order"]}),
                    lambda op, g: g.node("Transpose", op.inputs, op.output, perm=op.attributes["order"]),
                    lambda t, a, x: x.permute(a["order"])),
    "slice": Form(slice_spec, slice_onnx, slice_torch),
    "sum": Form(lambda op: ("reduce", {"input": op.inputs[0], "method": "ReduceSum", "axes": [op.attributes["axis"]], "keep_dims": False}),
                reduce_onnx, lambda t, a, x: x.sum(a["axis"])),
    "concat": Form(concat_spec,
                   lambda op, g: g.node("Concat", op.inputs, op.output, axis=op.attributes["axis"]),
                   lambda t, a, *xs: t.cat(xs, a["axis"])),
    "embed": Form(named("index_select", "input", "index", axis=0), node("Gather", axis=0), lambda t, a, x, i: t.embedding(x, i)),
    "rope": Form(named("rope", "input", "weight0", "weight1", rope_mode="contiguous_halves"), rope_onnx, rope_torch),
    # int8: PyTorch has no equivalent function.
    "conv_int": Form(conv_spec("conv_int", "input", "weight", input_zp=0, weight_zp=0), conv_onnx("ConvInteger"), None),
    "matmul_int": Form(named("matmul_int", "input", "right", input_zp=0, right_zp=0), node("MatMulInteger"), None),
}
