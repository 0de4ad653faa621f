"""Shrinks a failing network: removes operators while it keeps failing, and turns their results into inputs."""
import tempfile

from .judge import Difference, Reference, examine
from .reference import operands_of, results_of
from .ways import PLAIN, write

MOST_TRIALS = 400


def kind_of(difference):
    """Returns what two failures of the same kind have in common: the way, and the start of an error message."""
    return difference.way, difference.tensor is None and str(difference).split('"')[0]


class Shrinker:
    def __init__(self, runner, ways, spec, data, difference):
        self.runner, self.spec, self.data, self.difference = runner, spec, dict(data), difference
        self.ways = {w: ways[w] for w in {PLAIN, difference.way}}
        self.trials = 0
        floats = "float16" if any(t["dtype"] == "float16" for t in spec["tensors"].values()) else "float32"
        for name, value in Reference.of(spec, data).values.items():
            if name not in self.data:
                self.data[name] = value.numpy().astype(floats if value.is_floating_point() else value.numpy().dtype)

    def candidate(self, ops, outputs):
        """Builds a network of these operators only; other tensors that they read become inputs."""
        made = {n for op in ops for n in results_of(op)}
        used = [n for op in ops for n in operands_of(op) if n in self.data and n not in made]
        tensors = {n: self.spec["tensors"].get(n) or self.fed(n) for n in used}
        kept = [n for n in outputs if n in made] or sorted(made)[-1:]
        inputs = [n for n in tensors if not tensors[n].get("coeff")]
        return {**self.spec, "tensors": tensors, "inputs": inputs, "ops": ops, "outputs": kept}

    def fed(self, name):
        """Declares a computed tensor as an input."""
        declared = {"dtype": str(self.data[name].dtype), "shape": list(self.data[name].shape)}
        for op in self.spec["ops"]:
            if name in results_of(op) and "out_quant" in op:
                quantization = op["out_quant"]
                declared.update((quantization[results_of(op).index(name)] if isinstance(quantization, list) else quantization) or {})
        return declared

    def fails(self, spec):
        """Returns the difference if the network fails in the same way."""
        self.trials += 1
        if not spec["ops"] or not spec["inputs"] or self.trials > MOST_TRIALS:
            return None
        try:
            with tempfile.TemporaryDirectory() as folder:
                examine(self.runner, write(spec, self.data, folder), spec, Reference.of(spec, self.data), self.ways)
        except Difference as difference:
            return difference if kind_of(difference) == kind_of(self.difference) else None
        return None

    def without(self, items, build):
        """Removes as many items as possible while the network that `build` makes of the rest fails."""
        size = max(len(items) // 2, 1)
        while True:
            at = len(items)
            while at > 0:
                at = max(at - size, 0)
                fewer = items[:at] + items[at + size:]
                found = fewer and self.fails(build(fewer))
                if found:
                    items, self.difference = fewer, found
            if size == 1:
                return items
            size //= 2

    def smallest(self):
        """Returns spec, data and difference of the smallest failing network."""
        outputs = self.spec["outputs"]
        if self.difference.tensor in outputs and (found := self.fails(self.candidate(self.spec["ops"], [self.difference.tensor]))):
            outputs, self.difference = [self.difference.tensor], found
        ops = self.without(self.spec["ops"], lambda ops: self.candidate(ops, outputs))
        outputs = self.without(self.candidate(ops, outputs)["outputs"], lambda names: self.candidate(ops, names))
        spec = self.candidate(ops, outputs)
        return spec, self.data, self.difference
