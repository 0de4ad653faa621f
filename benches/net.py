"""A network defined once, with its forms for tpulang and the peers.

    net = Net("tiny"); x = net.input("x", (1, 8)); net.outputs(net.relu(x))
    net.write_spec(folder); net.onnx(); net.torch()

Weights and inputs are random with a fixed seed: equal in every process.
"""
import collections
import contextlib
import json
import os

import numpy as np

Op = collections.namedtuple("Op", "kind inputs attributes output")
# Operators for which PyTorch has one function.
Group = collections.namedtuple("Group", "ops inputs torch output")


class Net:
    def __init__(self, name, seed=0):
        self.name, self.rng = name, np.random.default_rng(seed)
        self.inputs, self.weights, self.steps, self.results = {}, {}, [], []
        self.count = 0

    # Building blocks.

    def input(self, name, shape, dtype="float32", below=None):
        """Add an input with random values; integers are from 0 to `below`."""
        if below is not None:
            self.inputs[name] = self.rng.integers(0, below, shape).astype(dtype)
        else:
            self.inputs[name] = self.rng.standard_normal(shape, dtype=np.float32).astype(dtype)
        return name

    def weight(self, *shape, fan=None, gain=1.0):
        """Add normal random values, scaled so that sums of `fan` products keep the magnitude of the inputs."""
        fan = fan or int(np.prod(shape[1:])) or 1
        return self.constant(self.rng.standard_normal(shape, dtype=np.float32) * np.float32(gain / np.sqrt(fan)))

    def constant(self, array):
        name = "w%d" % len(self.weights)
        self.weights[name] = np.ascontiguousarray(array)
        return name

    def outputs(self, *names):
        self.results = list(names)

    def add_op(self, kind, *inputs, **attributes):
        name = "t%d" % self.count
        self.count += 1
        self.steps.append(Op(kind, inputs, attributes, name))
        return name

    @contextlib.contextmanager
    def as_one(self, inputs, torch):
        """Let PyTorch compute the operators added inside with this function of the tensors and the library."""
        before, self.steps = self.steps, []
        yield
        before.append(Group(self.steps, inputs, torch, self.steps[-1].output))
        self.steps = before

    def conv(self, x, ic, oc, kernel, stride=1, pad=None, group=1, gain=1.0):
        pad = kernel // 2 if pad is None else pad
        w, b = self.weight(oc, ic // group, kernel, kernel, gain=gain), self.weight(oc, fan=100)
        return self.add_op("conv", x, w, b, kernel=kernel, stride=stride, pad=pad, group=group)

    def linear(self, x, k, n, bias=True, gain=1.0):
        w = self.weight(k, n, fan=k, gain=gain)
        return self.add_op("linear", x, w, *([self.weight(n, fan=100)] if bias else []))

    def layer_norm(self, x, n):
        return self.add_op("layer_norm", x, self.constant(np.ones(n, np.float32)), self.weight(n, fan=100))

    def rms_norm(self, x, n):
        return self.add_op("rms_norm", x, self.constant(np.ones(n, np.float32)))

    def reshape(self, x, *shape):
        return self.add_op("reshape", x, shape=list(shape))

    def permute(self, x, *order):
        return self.add_op("permute", x, order=list(order))

    def slice(self, x, axis, start, end, step=1):
        return self.add_op("slice", x, axis=axis, start=start, end=end, step=step)

    def concat(self, axis, *xs):
        return self.add_op("concat", *xs, axis=axis)

    def softmax(self, x):
        return self.add_op("softmax", x)

    def __getattr__(self, kind):
        if kind not in OPS:
            raise AttributeError(kind)
        return lambda *inputs, **attributes: self.add_op(kind, *inputs, **attributes)

    def half(self):
        """Return the network in float16."""
        for arrays in (self.inputs, self.weights):
            arrays.update({n: a.astype(np.float16) for n, a in arrays.items() if a.dtype == np.float32})
        for op in self.ops():
            if op.kind == "concat":
                op.attributes["dtype"] = "float16"
        return self

    def read(self):
        """Return the bytes of inputs and weights that any kernel reads; of a table, only the rows looked up."""
        arrays = {**self.inputs, **self.weights}
        rows = {op.inputs[0]: arrays[op.inputs[1]].size for op in self.ops() if op.kind == "embed"}
        return sum(a.nbytes * min(rows.get(n, len(a)), len(a)) // len(a) for n, a in arrays.items())

    def ops(self):
        for step in self.steps:
            yield from step.ops if isinstance(step, Group) else [step]

    # Forms.

    def write_spec(self, folder):
        """Write net.json, net.npz and inputs.npz."""
        os.makedirs(folder, exist_ok=True)
        declared = lambda a: {"dtype": str(a.dtype), "shape": list(a.shape)}
        tensors = {n: declared(a) for n, a in self.inputs.items()}
        tensors.update({n: dict(declared(a), coeff=True) for n, a in self.weights.items()})
        calls = []
        for op in self.ops():
            function, arguments = OPS[op.kind].spec(op)
            calls.append({"op": function, "args": arguments, "out": op.output})
        integers = any(call["op"].endswith("_int") for call in calls)
        spec = {"version": 1, "name": "net", "mode": "quantized" if integers else "f32", "tensors": tensors,
                "inputs": list(self.inputs), "ops": calls, "outputs": self.results}
        if self.weights:
            spec["weights"] = "net.npz"
            np.savez(os.path.join(folder, "net.npz"), **self.weights)
        with open(os.path.join(folder, "net.json"), "w") as f:
            json.dump(spec, f)
        np.savez(os.path.join(folder, "inputs.npz"), **self.inputs)
        return os.path.join(folder, "net.json")

    def onnx(self):
        """Return the bytes of an ONNX model."""
        import onnx
        from onnx import TensorProto, helper, numpy_helper
        graph = OnnxGraph(helper, numpy_helper)
        for op in self.ops():
            OPS[op.kind].onnx(op, graph)
        kinds = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int32"): TensorProto.INT32,
                 np.dtype("int8"): TensorProto.INT8, np.dtype("uint8"): TensorProto.UINT8}
        inputs = [helper.make_tensor_value_info(n, kinds[a.dtype], a.shape) for n, a in self.inputs.items()]
        integers = {op.output for op in self.ops() if op.kind.endswith("_int")}
        kind = lambda name: TensorProto.INT32 if name in integers else TensorProto.FLOAT
        outputs = [helper.make_tensor_value_info(n, kind(n), None) for n in self.results]
        used = {name for node in graph.nodes for name in node.input}
        weights = [numpy_helper.from_array(a, n) for n, a in self.weights.items() if n in used]
        made = helper.make_graph(graph.nodes, self.name, inputs, outputs, weights + graph.initializers)
        opsets = [helper.make_opsetid("", 23)]
        return onnx.ModelProto.SerializeToString(helper.make_model(made, opset_imports=opsets, ir_version=10))

    def torch(self):
        """Return a module that takes the inputs in order."""
        import torch
        net = self

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                for name, array in net.torch_weights().items():
                    self.register_buffer(name, torch.from_numpy(array))

            def forward(self, *inputs):
                t = dict(zip(net.inputs, inputs))
                of = lambda name: t[name] if name in t else getattr(self, name)
                for step in net.steps:
                    given = [of(i) for i in step.inputs]
                    if isinstance(step, Group):
                        t[step.output] = step.torch(torch, *given)
                    else:
                        t[step.output] = OPS[step.kind].torch(torch, step.attributes, *given)
                return tuple(t[n].contiguous() for n in net.results)

        return Module().eval()

    def torch_weights(self):
        """Return the matrices in the layout of PyTorch's linear layers: n x k."""
        swapped = {op.inputs[1] for op in self.ops() if op.kind == "linear"}
        return {n: np.ascontiguousarray(a.T) if n in swapped else a for n, a in self.weights.items()}


class OnnxGraph:
    def __init__(self, helper, numpy_helper):
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes, self.initializers = [], []

    def node(self, kind, inputs, output=None, **attributes):
        output = output or "n%d" % len(self.nodes)
        self.nodes.append(self.helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, values, dtype=np.int64):
        name = "c%d" % len(self.initializers)
        self.initializers.append(self.numpy_helper.from_array(np.array(values, dtype), name))
        return name


# A kind of operator in three forms: spec(op) returns a function and its arguments, onnx(op, graph) adds nodes,
# torch(library, attributes, *tensors) computes.
Form = collections.namedtuple("Form", "spec onnx torch")


def named(function, *arguments, **more):
    return lambda op: (function, dict(zip(arguments, op.inputs), **more))


def node(kind, **attributes):
    return lambda op, g: g.node(kind, op.inputs, op.output, **attributes)


def conv_spec(function, *names, **more):
    def spec(op):
        a = op.attributes
        sizes = {"stride": [a["stride"]] * 2, "pad": [a["pad"]] * 4, "group": a["group"]}
        return function, dict(zip(names, op.inputs), **sizes, **more)
    return spec


def conv_onnx(kind):
    def add(op, g):
        a = op.attributes
        g.node(kind, op.inputs, op.output, kernel_shape=[a["kernel"]] * 2, strides=[a["stride"]] * 2, pads=[a["pad"]] * 4, group=a["group"])
    return add


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
    "sigmoid": Form(named("sigmoid", "input"), node("Sigmoid"), lambda t, a, x: t.sigmoid(x)),
    "silu": Form(named("silu", "input"), silu_onnx, lambda t, a, x: t.nn.functional.silu(x)),
    "gelu": Form(named("gelu", "input"), node("Gelu"), lambda t, a, x: t.nn.functional.gelu(x)),
    "softmax": Form(named("softmax", "input", axis=-1), node("Softmax", axis=-1), lambda t, a, x: t.softmax(x, -1)),
    "conv": Form(conv_spec("conv", "input", "weight", "bias"), conv_onnx("Conv"),
                 lambda t, a, x, w, b: t.conv2d(x, w, b, a["stride"], a["pad"], 1, a["group"])),
    "maxpool": Form(named("maxpool2d", "input", kernel=[3, 3], stride=[2, 2], pad=[1, 1, 1, 1]),
                    node("MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
                    lambda t, a, x: t.max_pool2d(x, 3, 2, 1)),
    "mean_pool": Form(named("avgpool2d", "input"), node("GlobalAveragePool"),
                      lambda t, a, x: t.nn.functional.adaptive_avg_pool2d(x, 1)),
    "linear": Form(named("matmul", "input", "right", "bias"), linear_onnx, lambda t, a, *x: t.nn.functional.linear(*x)),
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
