"""The canonical module of a network: what `tpuc-opt` makes of the one that `tpulang convert` writes, and what tpulang computes from it."""
import glob
import os
import re
import subprocess

import numpy as np


class ToolChain:
    """tpuc-opt of a virtual environment with tpu_mlir, whose Python need not be this one."""

    def __init__(self, python):
        code = "import judge; opt, env = judge.tool_chain(); print(opt); print(env['LD_LIBRARY_PATH']); print(*judge.FLAGS)"
        here = os.path.dirname(os.path.abspath(__file__))
        found = subprocess.run([os.path.abspath(python), "-c", code], cwd=here, capture_output=True, text=True, check=True)
        self.opt, libraries, flags = found.stdout.splitlines()
        self.flags = flags.split()
        self.env = dict(os.environ, LD_LIBRARY_PATH=libraries)

    def outputs(self, binary, model, inputs, folder):
        """Return the outputs of a model's canonical module in their order, or the text of what refused it."""
        text = failure([binary, "convert", model, "-o", folder, "-q"])
        if text:
            return "convert: " + text
        origin = os.path.basename(glob.glob(os.path.join(glob.escape(folder), "*_origin.mlir"))[0])
        module = os.path.join(folder, origin.removesuffix("_origin.mlir") + ".mlir")
        text = failure([self.opt, origin, *self.flags, "-o", module], cwd=folder, env=self.env)
        if text:
            return "tpuc-opt: " + text
        command = [binary, "run", module, "-o", os.path.join(folder, "canonical.npz"), "-q"]
        # tpuc-opt drops inputs that no output needs.
        with open(module) as file:
            named = set(re.findall(r'loc\("([^"]*)"', file.read()))
        fed = {name: array for name, array in inputs.items() if name in named}
        if fed:
            np.savez(os.path.join(folder, "canonical_inputs.npz"), **fed)
            command += ["-i", os.path.join(folder, "canonical_inputs.npz")]
        text = failure(command)
        if text:
            return "run: " + text
        with np.load(os.path.join(folder, "canonical.npz")) as arrays:
            return [arrays[name] for name in arrays.files]


def failure(command, **options):
    """Run a command, and return the end of what it prints if it fails."""
    try:
        process = subprocess.run(command, capture_output=True, timeout=120, text=True, errors="replace", **options)
    except subprocess.TimeoutExpired:
        return "it takes more than two minutes"
    if not process.returncode:
        return None
    printed = process.stderr + process.stdout
    reason = re.search(r"error: .*|ASSERT INFO.*|Assertion .*", printed)
    return (reason.group() if reason else printed[-300:].strip()) or f"exit status {process.returncode}"
