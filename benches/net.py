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

from forms import OPS

Op = collections.namedtuple("Op", "kind inputs attributes output")
# Operators for which PyTorch has one function.
Group = collections.namedtuple("Group", "ops inputs torch output")


class Net:
    # The largest relative L2 error of a result.
    tolerance = 1e-3

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

    def conv(self, x, ic, oc, kernel, stride=1, pad=None, group=1, dilation=1, gain=1.0):
        pad = dilation * (kernel // 2) if pad is None else pad
        w, b = self.weight(oc, ic // group, kernel, kernel, gain=gain), self.weight(oc, fan=100)
        return self.add_op("conv", x, w, b, **window(kernel, stride, pad, dilation), group=group)

    def conv1d(self, x, ic, oc, kernel, stride=1, group=1, dilation=1, gain=1.0):
        """Add a convolution of a sequence."""
        w, b = self.weight(oc, ic // group, kernel, gain=gain), self.weight(oc, fan=100)
        sizes = window(kernel, stride, dilation * (kernel // 2), dilation, dims=1)
        return self.add_op("conv1d", x, w, b, **sizes, group=group)

    def deconv1d(self, x, ic, oc, kernel, stride):
        """Add a transposed convolution of a sequence, whose result has `stride` times the length."""
        w, b = self.weight(oc, ic, kernel, fan=ic * max(kernel // stride, 1)), self.weight(oc, fan=100)
        return self.add_op("deconv1d", x, w, b, **window(kernel, stride, (kernel - stride) // 2, dims=1), group=1)

    def conv3d(self, x, ic, oc, kernel, stride=1, group=1, gain=1.0):
        """Add a convolution over frames, rows and columns. `kernel` and `stride` are three numbers, or one for all."""
        sizes = window(kernel, stride, pad=None, dims=3)
        w, b = self.weight(oc, ic // group, *sizes["kernel"], gain=gain), self.weight(oc, fan=100)
        return self.add_op("conv3d", x, w, b, **sizes, group=group)

    def deconv(self, x, ic, oc, kernel, stride):
        """Add a transposed convolution without padding."""
        # Each result is a sum over the inputs that reach it.
        fan = ic * max(kernel // stride, 1) ** 2
        w, b = self.weight(oc, ic, kernel, kernel, fan=fan), self.weight(oc, fan=100)
        return self.add_op("deconv", x, w, b, **window(kernel, stride, 0), group=1)

    def recurrent(self, kind, x, size, hidden):
        """Add an `lstm` or `gru` over length x 1 x size, which returns length x 1 x 1 x hidden."""
        gates = {"lstm": 4, "gru": 3}[kind] * hidden
        w, r = self.weight(1, gates, size, fan=size), self.weight(1, gates, hidden, fan=hidden)
        return self.add_op(kind, x, w, r, self.weight(1, 2 * gates, fan=100), hidden=hidden)

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

    def integers(self):
        return any(op.kind.endswith("_int") for op in self.ops())

    def peers(self):
        """Return the programs that have all operators of the network; None stands for all programs."""
        return ["onnxruntime"] if self.integers() else None

    def ops(self):
        for step in self.steps:
            yield from step.ops if isinstance(step, Group) else [step]

    # Forms.

    def write(self, folder):
        """Write the network for every program, and inputs.npz; return the file that tpulang runs."""
        spec = self.write_spec(folder)
        with open(os.path.join(folder, "net.onnx"), "wb") as f:
            f.write(self.onnx())
        return spec

    def write_spec(self, folder):
        """Write net.json, net.npz and inputs.npz."""
        os.makedirs(folder, exist_ok=True)
        declared = lambda a: {"dtype": str(a.dtype), "shape": list(a.shape)}
        tensors = {n: declared(a) for n, a in self.inputs.items()}
        tensors.update({n: dict(declared(a), coeff=True) for n, a in self.weights.items()})
        calls = []
        for op in self.ops():
            (function, arguments), absent = OPS[op.kind].spec(op), [None] * OPS[op.kind].absent
            calls.append({"op": function, "args": arguments, "out": [op.output, *absent] if absent else op.output})
        spec = {"version": 1, "name": "net", "mode": "quantized" if self.integers() else "f32", "tensors": tensors,
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
        weights = [numpy_helper.from_array(a, n) for n, a in self.laid_out("onnx_layout").items() if n in used]
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
                for name, array in net.laid_out("torch_layout").items():
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

    def laid_out(self, program):
        """Return the weights in the layout of a program: `onnx_layout` or `torch_layout` of the operators."""
        arrays = dict(self.weights)
        for op in self.ops():
            for i, change in getattr(OPS[op.kind], program).items():
                if i < len(op.inputs):
                    arrays[op.inputs[i]] = np.ascontiguousarray(change(self.weights[op.inputs[i]]))
        return arrays


def window(kernel, stride, pad, dilation=1, dims=2):
    """Return the sizes of a convolution as lists; without `pad`, half of the kernel."""
    each = lambda value: [value] * dims if isinstance(value, int) else list(value)
    kernel = each(kernel)
    pad = [k // 2 for k in kernel] if pad is None else each(pad)
    return {"kernel": kernel, "stride": each(stride), "pad": pad, "dilation": each(dilation)}


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
