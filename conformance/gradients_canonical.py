#!/usr/bin/env python3
"""Passes the graphs of gradients through the tool chain.

    gradients_canonical.py --bin TPULANG FOLDER

FOLDER is what `gradients.py --keep FOLDER` wrote. Each graph is converted and given to tpuc-opt. Then the results of tpuc-opt's
module are compared with those of the graph: by tpulang, and by TPU-MLIR's Top executor, which does not have all ops. Prints a
line for each difference, and a summary. Needs the Python of the environment that conformance/setup.sh makes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

from compare import lowered_name
from peer import TIMED_OUT, ToolChain, call, run

# Of a gradient's norm. tpuc-opt folds and reorders products, and the executor computes some functions otherwise.
TOLERANCE = 1e-5
NOISE = 1e-7


def differences(want, got):
    """Yields what differs, by name of the tensor."""
    largest = max(np.linalg.norm(a.astype(np.float64)) for a in want.values())
    for name, a in want.items():
        # The executor may add axes of size 1.
        found = lowered_name(name, a.size, got, want)
        if not found:
            yield "%s of shape %s is missing" % (name, a.shape)
            continue
        x, y = a.astype(np.float64).ravel(), got[found].astype(np.float64).ravel()
        difference, norm = np.linalg.norm(x - y), np.linalg.norm(x)
        if not difference <= TOLERANCE * norm + NOISE * largest:
            yield "%s is off by %.1e" % (name, difference / norm if norm else difference)


def has_grouped_convbwd(spec):
    """Whether a graph has a Convbwd of several groups. The executor reads the filter as that of one group, beyond its end: it
    crashes or returns what it finds there (docs/differences.md)."""
    calls = json.loads(spec.read_text())["ops"]
    return any(call["op"] == "top.Convbwd" and call["args"].get("groups", 1) != 1 for call in calls)


EXECUTOR = """
import sys, numpy as np, pymlir
pymlir.set_mem_mode("value_mem")
module = pymlir.module()
module.load(sys.argv[1])
with np.load(sys.argv[2]) as feeds:
    for name in module.input_names:
        module.set_tensor(name, np.ascontiguousarray(feeds[name], dtype=np.float32), feeds[name].shape)
module.invoke()
tensors = module.get_all_tensor()
np.savez(sys.argv[3], **{n: tensors[n] for n in sys.argv[4:]})
"""


def by_given_names(path, spec):
    """Return the outputs of a canonical module with the names that the spec has: tpuc-opt gives others to those that it computes."""
    with np.load(path) as arrays:
        return {name: arrays[found] for name, found in zip(json.loads(spec.read_text())["outputs"], arrays.files)}


class Judge:
    def __init__(self, binary):
        self.binary, self.chain = os.path.abspath(binary), ToolChain()

    def canonical(self, folder, spec, work, want):
        """Returns what is wrong with a spec after tpuc-opt, and the stage where it is; or None."""
        rc, text = call(self.binary, "convert", str(folder / spec), "-o", work)
        if rc:
            return "convert", text[-300:]
        origin = next(f for f in sorted(os.listdir(work)) if f.endswith("_origin.mlir"))
        rc, text = self.chain.canonicalize(work, origin, "net.mlir")
        if rc:
            found = re.findall(r"(?:ASSERT INFO|error):.*|#\d+ 0x\w+ .*(?:tpu_mlir|mlir::\w+::\w+Op|Pattern|Rewrite).*", text)
            return "tpuc-opt", "; ".join(found[:4])[:600] or text[-300:]
        inputs, got = str(folder / "inputs.npz"), os.path.join(work, "got.npz")
        rc, text = call(self.binary, "run", os.path.join(work, "net.mlir"), "-i", inputs, "-o", got)
        if "gradloadweight" in text:
            # A gradient that is a constant is folded, and becomes a weight.
            return "constant", ""
        wrong = [text[-300:]] if rc else list(differences(want, by_given_names(got, folder / spec)))
        return ("canonical", "; ".join(wrong[:3])) if wrong else None

    def executed(self, code, work):
        """Runs the tool chain's executor, which takes a second and was once seen to hang: it is started up to three times."""
        for attempts_left in (2, 1, 0):
            done = run(*code, limit=100, cwd=work, env=self.chain.with_modules())
            if done.returncode != TIMED_OUT or not attempts_left:
                return done
            print("the executor hangs, and is started again: %s" % work, file=sys.stderr, flush=True)

    def judge(self, folder):
        """Returns the stage that the graph reaches, and what is wrong there."""
        with np.load(folder / "out.npz") as arrays:
            want = {n: arrays[n] for n in arrays.files}
        with tempfile.TemporaryDirectory() as work:
            # Without gradients.
            outputs = json.loads((folder / "net.json").read_text())["outputs"]
            problem = self.canonical(folder, "net.json", work, {n: want[n] for n in outputs})
            if problem and problem[0] == "convert":
                return problem
            if problem:
                return "without gradients", ": ".join(problem)
        with tempfile.TemporaryDirectory() as work:
            problem = self.canonical(folder, "grad.json", work, want)
            if problem:
                return problem
            if has_grouped_convbwd(folder / "grad.json"):
                return "no executor", "its Convbwd assumes one group"
            module, inputs, got = os.path.join(work, "net.mlir"), str(folder / "inputs.npz"), os.path.join(work, "got.npz")
            code = [sys.executable, "-c", EXECUTOR, module, inputs, got, *want]
            done = self.executed(code, work)
            if done.returncode == TIMED_OUT:
                return "executor", "it hangs three times"
            if done.returncode:
                text = done.stderr + done.stdout
                reason = re.findall(r"not (?:supported|implemented).*|LLVM ERROR.*|Assertion.*|\w*Error:.*|UNREACHABLE.*", text)
                return "no executor", "; ".join(reason[:2]) or text[-200:] or "signal %d" % -done.returncode
            got = dict(np.load(got))
            if list(differences({n: want[n] for n in outputs}, got)):
                return "without gradients", "executor"
            wrong = list(differences(want, got))
            return ("executor", "; ".join(wrong[:3])) if wrong else ("passed", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    judge, stages = Judge(arguments.bin), collections.Counter()
    folders = sorted(p.parent for p in arguments.folder.resolve().glob("*/out.npz"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for folder, (stage, problem) in zip(folders, pool.map(judge.judge, folders)):
            stages[stage] += 1
            if problem:
                print("%s: %s: %s" % (folder.name, stage, problem.strip()), flush=True)
    print(", ".join("%s: %d" % item for item in sorted(stages.items())))
    bad = ("convert", "tpuc-opt", "canonical", "executor")
    return 1 if any(stages[stage] for stage in bad) or not stages["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
