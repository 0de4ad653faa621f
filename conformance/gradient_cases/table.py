"""The table of cases: an op with operands and attributes, and the PyTorch function to compare with."""
from types import SimpleNamespace

import numpy as np

CASES = []


class Case:
    def __init__(self, op, against, reference, operands, attributes):
        # What belongs to the call but is no attribute.
        self.out_dtype = attributes.pop("out_dtype", None)
        self.out_shape = attributes.pop("out_shape", None)
        # Operands that blocks use, and the blocks.
        self.captured = attributes.pop("captured", ())
        self.blocks = attributes.pop("blocks", {})
        # Whether integers stand for the numbers that they represent.
        self.straight_through = attributes.pop("straight_through", False)
        self.op, self.against, self.reference = op, against, reference
        self.operands, self.attributes = operands, attributes

    def arrays(self):
        """Returns the operands by the names of their tensors."""
        found = {}
        for name, value in self.operands.items():
            found.update({"%s_%d" % (name, i): v for i, v in enumerate(value)} if isinstance(value, list) else {name: value})
        return found

    def is_differentiated(self, array):
        return (array.dtype.kind == "f" or self.straight_through) and not isinstance(array, (Constant, Given))

    def call(self, outputs):
        """Returns the op's call in a spec."""
        names = {n: ["%s_%d" % (n, i) for i in range(len(v))] if isinstance(v, list) else n for n, v in self.operands.items()}
        names = {n: v for n, v in names.items() if n not in self.captured}
        call = {"op": "top." + self.op, "args": {**names, **self.attributes}, "out": outputs, **self.blocks}
        if self.out_dtype:
            call["out_dtype"] = self.out_dtype
        if self.out_shape:
            call["out_shape"] = self.out_shape
        return call

    def evaluate(self, tensors):
        """Returns the reference's results, of operands by the names of their tensors; None for what is not differentiated."""
        operands = {n: [tensors["%s_%d" % (n, i)] for i in range(len(v))] if isinstance(v, list) else tensors[n] for n, v in self.operands.items()}
        results = self.reference(SimpleNamespace(**operands))
        return list(results) if isinstance(results, (list, tuple)) else [results]


class Constant(np.ndarray):
    """An operand that is a coefficient, without gradient."""


class Weight(np.ndarray):
    """An operand that is a coefficient, with gradient."""


class Given(np.ndarray):
    """An operand that is an input, without gradient."""


def given(values):
    return np.asarray(values).view(Given)


def constant(values):
    return np.asarray(values).view(Constant)


def is_coefficient(array):
    return isinstance(array, (Constant, Weight))


GENERATOR = np.random.default_rng(20)


def uniform(*shape, low=-1.0, high=1.0):
    return GENERATOR.uniform(low, high, shape).astype(np.float32)


def positive(*shape):
    return uniform(*shape, low=0.5, high=2.0)


def integers(*shape, low=0, high=4, dtype=np.int32):
    return GENERATOR.integers(low, high, shape).astype(dtype)


def distinct(*shape):
    """Numbers in random order that are far from each other, for maxima and sorting."""
    count = int(np.prod(shape))
    return (GENERATOR.permutation(count).reshape(shape) / count * 4 - 2).astype(np.float32)


def case(op, against, reference, operands, **attributes):
    """Adds a case. Float operands are differentiated. `against` names the function in the document; "" adds another form of the op."""
    CASES.append(Case(op, against, reference, operands, attributes))
