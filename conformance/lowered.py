#!/usr/bin/env python3
"""Compiles networks to F16 bmodels for bm1684x and compares the results of tpu_mlir's simulator with `tpulang run`.

    lowered.py --bin TPULANG [--only REGEX] [--keep DIR]

Each network goes through the stages of tpu_mlir, and the outputs of each stage are compared with tpulang's:
  canonical   the Top dialect after tpuc-opt, by the Top executor, in float32
  lowered     the Tpu dialect, float16, by the Tpu executor
  bmodel      the instructions of the chip, by its simulator
Exits 1 if a stage fails or its outputs differ by more than the limits. MiniLM is skipped if `scripts/minilm.sh` has not
fetched it. attention takes about 10 s, all networks a few minutes.
"""
import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

from judge import FLAGS, call, tool_chain
from lowered_networks import MINILM, NETWORKS

CHIP, MODE = "bm1684x", "F16"
# Limits of the relative L2 error and the cosine; float16 has 11 bits.
LIMITS = {"canonical": (1e-4, 1 - 1e-8), "lowered": (1e-2, 0.9999), "bmodel": (1e-2, 0.9999)}


class ToolChain:
    def __init__(self, folder, name):
        self.folder, self.name, (self.opt, env) = folder, name, tool_chain()
        self.site = os.path.dirname(os.path.dirname(self.opt))
        # tpu_mlir compiles its own kernels with CMake on first use and caches them, failures included.
        venv = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
        paths = [os.path.join(self.site, p) for p in ("bin", "python/tools", "cross_toolchains/ppl_compile/bin")]
        self.env = dict(env, PATH=os.pathsep.join(paths + [os.path.join(venv, "bin"), env["PATH"]]),
                        PPL_CACHE_PATH=os.path.join(venv, "ppl_cache") + "/")
        self.env["LD_LIBRARY_PATH"] += ":" + os.path.join(self.site, "lib", "capi")
        os.makedirs(self.env["PPL_CACHE_PATH"], exist_ok=True)

    def run(self, *args):
        rc, text = call(*args, cwd=self.folder, env=self.env)
        if rc:
            reason = re.search(r"\w+\.cpp:\d+:.*|Assertion .*|LLVM ERROR.*|^\w*Error:.*", text, re.M)
            raise RuntimeError(reason.group() if reason else text[-300:].strip())

    def tool(self, name, *args):
        self.run(sys.executable, os.path.join(self.site, "python", "tools", name + ".py"), *args)

    def outputs(self, module):
        self.tool("model_runner", "--input", "inputs.npz", "--model", module, "--output", "stage.npz")
        with np.load(os.path.join(self.folder, "stage.npz")) as arrays:
            return {n: arrays[n] for n in arrays.files}

    def deploy(self, *more):
        self.tool("model_deploy", "--mlir", "net.mlir", "--chip", CHIP, "--quantize", MODE, "--model", "net.bmodel", *more)

    def canonical(self):
        self.run(self.opt, self.name + "_origin.mlir", *FLAGS, "-o", "net.mlir")
        return self.outputs("net.mlir")

    def lowered(self):
        self.deploy("--not_gen_bmodel")
        return self.outputs("%s_%s_%s_tpu.mlir" % (self.name, CHIP, MODE.lower()))

    def bmodel(self):
        self.deploy()
        return self.outputs("net.bmodel")


def difference(name, ours, theirs):
    """Return relative error and cosine of the output `name`, to which tpu_mlir may add a suffix."""
    found = next((a for n, a in theirs.items() if re.fullmatch(re.escape(name) + r"(_f32)?", n)), None)
    if found is None:
        raise RuntimeError("no output %s among %s" % (name, ", ".join(theirs)))
    x, y = ours.astype(np.float64).ravel(), found.astype(np.float64).ravel()
    if x.size != y.size:
        raise RuntimeError("the output %s has %d elements; expected %d" % (name, y.size, x.size))
    return np.linalg.norm(x - y) / np.linalg.norm(x), x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


def prepare(binary, network, folder):
    """Write and convert the network; return the output's name and tpulang's values."""
    path, output, ours = network.write(folder), network.json()["outputs"][0], os.path.join(folder, "ours.npz")
    for command in (["convert", path, "-o", folder], ["run", path, "-i", os.path.join(folder, "inputs.npz"), "-o", ours]):
        rc, text = call(binary, *command)
        if rc:
            raise RuntimeError("tpulang %s: %s" % (command[0], text[:300]))
    return output, np.load(ours)[output]


def judge(binary, network, folder):
    """Return a line to print, and whether all stages agree with tpulang."""
    reports, start, stage = [], time.monotonic(), "tpulang"
    try:
        output, ours = prepare(binary, network, folder)
        chain = ToolChain(folder, network.name)
        for stage, (limit, least) in LIMITS.items():
            error, cosine = difference(output, ours, getattr(chain, stage)())
            reports.append("%s %.1e (cosine %.6f)" % (stage, error, cosine))
            if not (error <= limit and cosine >= least):
                raise RuntimeError("the limits are %g and %g" % (limit, least))
    except (RuntimeError, subprocess.TimeoutExpired) as e:
        return "; ".join(reports + ["FAIL in %s: %s" % (stage, e)]), False
    return "; ".join(reports + ["%.0f s" % (time.monotonic() - start)]), True


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin", required=True)
    ap.add_argument("--only", default=".*", metavar="REGEX", help="the networks whose whole name matches")
    ap.add_argument("--keep", metavar="DIR", help="keep all files there")
    a = ap.parse_args()
    names = [n for n in NETWORKS if re.fullmatch(a.only, n)]
    if not names:
        ap.error("no network matches " + a.only)
    failed = 0
    for name in names:
        if name == "minilm" and not os.path.exists(os.path.join(MINILM, "model.safetensors")):
            print("minilm      skipped: it is not in %s" % MINILM)
            continue
        with contextlib.ExitStack() as stack:
            folder = os.path.join(os.path.abspath(a.keep), name) if a.keep else stack.enter_context(tempfile.TemporaryDirectory())
            os.makedirs(folder, exist_ok=True)
            text, passed = judge(os.path.abspath(a.bin), NETWORKS[name](), folder)
        failed += not passed
        print("%-11s %s" % (name, text), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
