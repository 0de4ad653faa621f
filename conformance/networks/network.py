"""Builds a network call by call. PyTorch evaluates each call immediately, in float64 and in float32. The values determine which
steps fit next, and serve as the reference afterwards.

    net = Network(seed); x = net.input([1, 3, 8, 8]); y = net.call("relu", input=x)
"""
import random

import numpy as np
import torch

from .reference import evaluate_call, evaluate_rounded, operands_of, relative_error, results_of

# The processes that share the work have a thread each.
torch.set_num_threads(1)
# Results in float32 beyond this relative error mean that the network itself amplifies rounding errors.
ILL_CONDITIONED = 1e-4
LARGEST = 1e3
MOST_ELEMENTS = 12_000
NUMPY = {torch.float64: "float32", torch.float32: "float32", torch.int8: "int8", torch.uint8: "uint8", torch.int16: "int16", torch.int32: "int32"}


class Unfit(Exception):
    """A step does not fit the network, which remains unchanged."""


class Network:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        # The dtype of floats, which are computed in float32 whatever it is.
        self.mode, self.float = "f32", "float32"
        self.tensors, self.inputs, self.ops, self.data = {}, [], [], {}
        # The value of each tensor, the value with rounding errors, and their relative difference.
        self.values, self.rounded, self.error = {}, {}, {}
        # Tensors without rounding errors.
        self.exact = set()
        # (scale, zero point) of the 8-bit tensors of a quantized network.
        self.scales = {}
        # Names of tensors in blocks that are complete.
        self.inner = set()
        # Tensors that calls may use, those among them that none uses yet, and how often the next call takes one of these.
        self.live, self.leaves = [], []
        self.leaf_preference = self.choice([0.4, 0.7, 0.9])

    # Inputs and constants.

    def declare(self, prefix, array, coeff):
        array = np.asarray(array)
        array = array.astype(self.float) if array.dtype.kind == "f" else array
        name = "%s%d" % (prefix, len(self.tensors))
        self.tensors[name] = {"dtype": str(array.dtype), "shape": list(array.shape), **({"coeff": True} if coeff else {})}
        self.data[name] = array
        value = torch.from_numpy(np.ascontiguousarray(array).reshape(array.shape))
        is_float = value.is_floating_point()
        self.values[name], self.rounded[name] = (value.double(), value.float()) if is_float else (value, value)
        self.error[name] = 0.0
        self.exact.add(name)
        return name

    def input(self, shape, dtype="float32", array=None):
        name = self.declare("x", self.draw(shape, dtype) if array is None else array, False)
        self.inputs.append(name)
        if self.mode == "quantized" and self.dtype(name) in ("int8", "uint8"):
            self.tensors[name].update(zip(("scale", "zero_point"), self.quantization(name)))
        self.live.append(name)
        return name

    def constant(self, shape, dtype="float32", gain=1.0, array=None):
        return self.declare("w", self.draw(shape, dtype, gain) if array is None else array, True)

    def draw(self, shape, dtype, gain=1.0):
        if dtype == "float32":
            return (self.numbers.standard_normal(shape) * gain).astype("float32")
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if info.bits == 8 else (-3000, 3000)
        return self.numbers.integers(low, high + 1, shape).astype(dtype)

    # Calls.

    def call(self, function, outputs=1, exact=False, quantization=None, **arguments):
        """Adds a call and returns the names of its results. `exact` means that the function only moves or selects values, so that
        its results are exact if its operands are, and have their quantization."""
        arguments = {k: v for k, v in arguments.items() if v is not None}
        names = self.new_names(outputs)
        self.add({"op": function, "args": arguments, "out": names if outputs > 1 else names[0]}, exact, quantization)
        return names if outputs > 1 else names[0]

    def new_names(self, count):
        return ["t%d" % (len(self.values) + len(self.inner) + i) for i in range(count)]

    def add(self, op, exact=False, quantization=None):
        """Adds a call that is written out, with its results."""
        names = results_of(op)
        operands = [n for n in operands_of(op) if n in self.values]
        before = max([self.error[n] for n in operands], default=0.0)
        results = self.evaluated(op)
        for name, (value, rounded) in zip(names, results):
            self.values[name], self.rounded[name] = value, rounded
            self.error[name] = max(before, relative_error(rounded, value))
            if exact and all(n in self.exact for n in operands):
                self.exact.add(name)
        self.set_quantization(op, quantization or (self.scales.get(operands[0]) if exact else None))
        self.ops.append(op)
        self.live += names
        self.leaves = [n for n in self.leaves if n not in operands] + names

    def evaluated(self, op):
        """Returns for each result the value in float64 and in float32."""
        both = evaluate_call(op, self.values, torch.float64), evaluate_rounded(op, self.values, self.rounded)
        for value, rounded in zip(*both):
            if not 0 < value.numel() <= MOST_ELEMENTS:
                raise Unfit("%d elements" % value.numel())
            if value.is_floating_point():
                if not torch.isfinite(value).all() or value.abs().max() > LARGEST:
                    raise Unfit("large numbers")
                if relative_error(rounded, value) > ILL_CONDITIONED:
                    raise Unfit("rounding errors grow")
        return list(zip(*both))

    def attempt(self, step):
        """Returns whether the step fitted; otherwise the network is unchanged."""
        kept = {k: v.copy() for k, v in vars(self).items() if isinstance(v, (dict, list, set))}
        try:
            step(self)
            return True
        except Unfit:
            vars(self).update(kept)
            return False

    # Choices.

    def shape(self, name):
        return list(self.values[name].shape)

    def is_float(self, name):
        return self.values[name].is_floating_point()

    def dtype(self, name):
        return NUMPY[self.values[name].dtype]

    def quantization(self, name):
        """Returns scale and zero point. Those of a constant are chosen on first use."""
        return self.scales.setdefault(name, self.any_quantization(self.dtype(name)))

    def any_quantization(self, dtype):
        return self.choice([0.5, 0.1, 0.02]), self.choice([0, 0, 3, 128 if dtype == "uint8" else -7])

    def set_quantization(self, op, quantization):
        """Sets the quantization of all results, explicitly in the spec, so that none is propagated from elsewhere."""
        quantizations = []
        for name in results_of(op):
            is_quantized = self.mode == "quantized" and self.dtype(name) in ("int8", "uint8")
            if is_quantized:
                self.scales[name] = quantization or self.any_quantization(self.dtype(name))
            quantizations.append(dict(zip(("scale", "zero_point"), self.scales[name])) if is_quantized else None)
        if any(quantizations):
            op["out_quant"] = quantizations if len(quantizations) > 1 else quantizations[0]

    def chance(self, p):
        return self.random.random() < p

    def maybe(self, p, make):
        return make() if self.chance(p) else None

    def choice(self, all_of_them):
        if not all_of_them:
            raise Unfit("nothing to choose from")
        return self.random.choice(all_of_them)

    def pick(self, fits=lambda name: True):
        """Returns a random input or result; unused and recent ones are more likely."""
        for pool in [self.leaves] * self.chance(self.leaf_preference) + [self.live[-8:]] * self.chance(0.5) + [self.live]:
            found = [n for n in pool if fits(n)]
            if found:
                return self.choice(found)
        raise Unfit("no such tensor")

    def pick_float(self, low=1, high=6):
        return self.pick(lambda n: self.is_float(n) and low <= len(self.shape(n)) <= high)

    def spec(self, outputs):
        return {"version": 1, "name": "net", "mode": self.mode, "weights": "net.npz", "tensors": self.tensors, "inputs": self.inputs,
                "ops": self.ops, "outputs": outputs}

    def outputs(self):
        """Returns the unused results and some inner tensors."""
        inner = [n for n in self.live if n not in self.leaves and n not in self.inputs and self.chance(0.04)]
        return self.leaves + inner
