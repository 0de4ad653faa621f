"""The canonical module of a network: what `tpuc-opt` makes of the one that `tpulang convert` writes, and what tpulang computes from it."""
import glob
import os
import re

import numpy as np

from peer import FLAGS, ToolChain, checked

# Seconds of each step.
LIMIT = 120


class CanonicalTool:
    """tpuc-opt of a virtual environment with tpu_mlir, whose Python need not be this one."""

    def __init__(self, python):
        self.chain = ToolChain(python)

    def outputs(self, binary, model, inputs, folder):
        """Return the outputs of a model's canonical module in their order; raise RuntimeError if something refuses it."""
        checked(binary, "convert", model, "-o", folder, "-q", limit=LIMIT)
        origin = os.path.basename(glob.glob(os.path.join(glob.escape(folder), "*_origin.mlir"))[0])
        module = os.path.join(folder, origin.removesuffix("_origin.mlir") + ".mlir")
        checked(self.chain.opt, origin, *FLAGS, "-o", module, cwd=folder, env=self.chain.env, limit=LIMIT)
        # tpuc-opt drops inputs that no output needs.
        with open(module) as file:
            named = set(re.findall(r'loc\("([^"]*)"', file.read()))
        fed = {name: array for name, array in inputs.items() if name in named}
        given = []
        if fed:
            np.savez(os.path.join(folder, "canonical_inputs.npz"), **fed)
            given = ["-i", os.path.join(folder, "canonical_inputs.npz")]
        checked(binary, "run", module, "-o", os.path.join(folder, "canonical.npz"), "-q", *given, limit=LIMIT)
        with np.load(os.path.join(folder, "canonical.npz")) as arrays:
            return [arrays[name] for name in arrays.files]
