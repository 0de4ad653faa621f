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
import sys
import tempfile
import time

import numpy as np

from compare import cosine, lowered_name, relative_error
from lowered_networks import MINILM, NETWORKS
from peer import FLAGS, ToolChain, checked

CHIP, MODE = "bm1684x", "F16"
# Limits of the relative L2 error and the cosine; float16 has 11 bits.
LIMITS = {"canonical": (1e-4, 1 - 1e-8), "lowered": (1e-2, 0.9999), "bmodel": (1e-2, 0.9999)}


class Stages:
    """A converted network in a folder, and what tpu_mlir makes of it."""

    def __init__(self, folder, name):
        self.folder, self.name, self.chain = folder, name, ToolChain()

    def outputs(self, module):
        self.chain.tool(self.folder, "model_runner", "--input", "inputs.npz", "--model", module, "--output", "stage.npz")
        with np.load(os.path.join(self.folder, "stage.npz")) as arrays:
            return {n: arrays[n] for n in arrays.files}

    def deploy(self, *more):
        self.chain.tool(self.folder, "model_deploy", "--mlir", "net.mlir", "--chip", CHIP, "--quantize", MODE, "--model", "net.bmodel", *more)

    def canonical(self):
        checked(self.chain.opt, self.name + "_origin.mlir", *FLAGS, "-o", "net.mlir", cwd=self.folder, env=self.chain.env)
        return self.outputs("net.mlir")

    def lowered(self):
        self.deploy("--not_gen_bmodel")
        return self.outputs("%s_%s_%s_tpu.mlir" % (self.name, CHIP, MODE.lower()))

    def bmodel(self):
        self.deploy()
        return self.outputs("net.bmodel")


def difference(name, ours, theirs):
    """Return relative error and cosine of the output `name`. Lowering may change its name, and sometimes adds axes of size 1."""
    found = lowered_name(name, ours.size, theirs)
    if not found:
        raise RuntimeError("no output %s of %d elements among %s" % (name, ours.size, ", ".join(theirs)))
    return relative_error(theirs[found], ours), cosine(theirs[found], ours)


def prepare(binary, network, folder):
    """Write and convert the network; return the output's name and tpulang's values."""
    path, output, ours = network.write(folder), network.json()["outputs"][0], os.path.join(folder, "ours.npz")
    checked(binary, "convert", path, "-o", folder)
    checked(binary, "run", path, "-i", os.path.join(folder, "inputs.npz"), "-o", ours)
    return output, np.load(ours)[output]


def judge(binary, network, folder):
    """Return a line to print, and whether all stages agree with tpulang."""
    reports, start, stage = [], time.monotonic(), "tpulang"
    try:
        output, ours = prepare(binary, network, folder)
        stages = Stages(folder, network.name)
        for stage, (limit, least) in LIMITS.items():
            error, likeness = difference(output, ours, getattr(stages, stage)())
            reports.append("%s %.1e (cosine %.6f)" % (stage, error, likeness))
            if not (error <= limit and likeness >= least):
                raise RuntimeError("the limits are %g and %g" % (limit, least))
    except RuntimeError as e:
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
    failed = judged = 0
    for name in names:
        if name == "minilm" and not os.path.exists(os.path.join(MINILM, "model.safetensors")):
            print("minilm      skipped: it is not in %s" % MINILM)
            continue
        judged += 1
        with contextlib.ExitStack() as stack:
            folder = os.path.join(os.path.abspath(a.keep), name) if a.keep else stack.enter_context(tempfile.TemporaryDirectory())
            os.makedirs(folder, exist_ok=True)
            text, passed = judge(os.path.abspath(a.bin), NETWORKS[name](), folder)
        failed += not passed
        print("%-11s %s" % (name, text), flush=True)
    return 1 if failed or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
