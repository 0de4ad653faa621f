"""Compares the results of all ways of running a network with PyTorch and with each other."""
import numpy as np
import torch

from .integers import is_off_by_one
from .reference import evaluate_call, evaluate_rounded, operands_of, relative_error, results_of
from .ways import PLAIN, Failed

# A float may be off by the largest number of its tensor times TOLERANCE + MARGIN * the expected error.
TOLERANCE = 1e-5
MARGIN = 10


class Difference(Exception):
    """The first wrong tensor, in the order of computation, or a run that failed."""

    def __init__(self, way, tensor, what):
        super().__init__("%s: %s" % (way, what if tensor is None else "%s: %s" % (tensor, what)))
        self.way, self.tensor = way, tensor


class Reference:
    """The value of each tensor as PyTorch computes it, and the relative error to expect from computing it in float32."""

    def __init__(self, spec, values, error):
        self.ops, self.is_quantized, self.values, self.error = spec["ops"], spec["mode"] == "quantized", values, error

    @staticmethod
    def of(spec, data):
        given = {n: torch.from_numpy(np.array(data[n])) for n in spec["tensors"]}
        values = {n: v.double() if v.is_floating_point() else v for n, v in given.items()}
        rounded, error = dict(given), {n: 0.0 for n in given}
        for op in spec["ops"]:
            before = max((error.get(n, 0.0) for n in operands_of(op)), default=0.0)
            for name, value, other in zip(results_of(op), evaluate_call(op, values, torch.float64), evaluate_rounded(op, values, rounded)):
                values[name], rounded[name] = value, other
                error[name] = max(before, relative_error(other, value))
        return Reference(spec, values, error)

    def order(self):
        return [(op, name) for op in self.ops for name in results_of(op)]

    def check_plain(self, found):
        """Checks each tensor of the plain way. In a quantized network each operator is evaluated on the operands that were found,
        since an operand that is off by one would change the results of later operators."""
        for op, name in self.order():
            if self.is_quantized:
                # Operands that were not computed are inputs or constants.
                operands = {n: torch.from_numpy(found[n]) if n in found else self.values[n] for n in operands_of(op) if n in self.values}
                operands = {n: v.double() if v.is_floating_point() else v for n, v in operands.items()}
                value = dict(zip(results_of(op), evaluate_call(op, operands, torch.float64)))[name]
            else:
                value = self.values[name]
            self.check(PLAIN, op, name, found, value, 1 if is_off_by_one(op) else 0)

    def check_other(self, way, found, plain):
        for op, name in self.order():
            if name in found:
                exact = not self.values[name].is_floating_point()
                value = torch.from_numpy(plain[name]) if exact or self.is_quantized else self.values[name]
                self.check(way, op, name, found, value.double() if value.is_floating_point() else value, 0)

    def check(self, way, op, name, found, value, off_by):
        if name not in found:
            raise Difference(way, name, "not among the results")
        ours, value = found[name], value.numpy()
        kind = np.dtype("float32") if value.dtype.kind == "f" else value.dtype
        if (ours.dtype, ours.shape) != (kind, value.shape):
            raise Difference(way, name, "%s: %s %s instead of %s %s" % (op["op"], ours.dtype, ours.shape, kind, value.shape))
        difference = np.abs(ours.astype(np.float64) - value.astype(np.float64))
        if value.dtype.kind == "f":
            allowed = max(np.abs(value).max(), 1e-30) * (TOLERANCE + MARGIN * self.error[name])
        else:
            allowed = off_by
        # This is also true if the difference is NaN.
        if not (difference <= allowed).all():
            worst = np.unravel_index(np.nan_to_num(difference, nan=np.inf).argmax(), difference.shape)
            raise Difference(way, name, "%s: %.6g instead of %.6g at %s; %d of %d elements are off by more than %.3g" % (
                op["op"], ours[worst], value[worst], tuple(map(int, worst)), np.count_nonzero(~(difference <= allowed)), ours.size, allowed))


def examine(runner, folder, spec, reference, ways):
    """Runs the network in a folder in all these ways, the plain one first. Raises the first Difference."""
    plain = None
    for way in [PLAIN] + [w for w in ways if w != PLAIN]:
        try:
            found = ways[way](runner, folder)
        except Failed as failure:
            raise Difference(way, None, str(failure))
        if way == PLAIN:
            plain = found
            reference.check_plain(found)
        else:
            missing = [n for n in spec["outputs"] if n not in found]
            if missing:
                raise Difference(way, missing[0], "not among the results")
            reference.check_other(way, found, plain)
