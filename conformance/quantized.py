#!/usr/bin/env python3
"""Measures, by function, how far tpulang's integers are from those of the network lowered for bm1684x.

    quantized.py --bin TPULANG --cases DIR [--only REGEX]

Uses the recorded cases that were lowered as quantized networks and run (tpu_outputs.npz, which has quantized tensors as
real numbers); tests/cases has none. Prints a table, in steps of the stored integers. It does not judge the steps, because
lowering replaces functions by tables and by fixed-point products. Exits 1 if tpulang refuses a case, or if there is none.
"""
import argparse
import collections
import json
import os
import re
import sys
import tempfile

import numpy as np

from peer import call

TYPE = re.compile(r'-> tensor<[\dx]*x?(?:!quant\.uniform<\w+:f32, ([-+.\de]+)(?::(-?\d+))?>|(\w+))> loc\((#\w+)\)')


def integers(module):
    """Return {name: (scale, zero point)} of tensors that are quantized per tensor, or integers."""
    names = dict(re.findall(r'^(#\w+) = loc\("([^"]*)"\)', module, re.M))
    found = {}
    for scale, zero, dtype, loc in TYPE.findall(module):
        if loc in names and (scale or re.fullmatch(r"[us]?i\d+", dtype)):
            found[names[loc]] = (float(scale or 1), int(zero or 0))
    return found


def steps(tpulang, case, work):
    """Return the largest difference in steps, and the numbers of equal elements and of all, over common tensors; or an error."""
    out = os.path.join(work, "out.npz")
    code, text = call(tpulang, "run", os.path.join(case, "spec.json"), "-i", os.path.join(case, "inputs.npz"), "-o", out, "--all")
    if code:
        return text.strip()[:300] or "exit status %d" % code
    ours, theirs = np.load(out), np.load(os.path.join(case, "tpu_outputs.npz"))
    far, equal, count = 0.0, 0, 0
    stored = integers(open(os.path.join(case, "peer.mlir")).read())
    for name, (scale, zero) in integers(open(os.path.join(case, "tpu.mlir")).read()).items():
        if name not in stored or name not in ours or name not in theirs or theirs[name].size != ours[name].size:
            continue
        theirs_stored = np.round(theirs[name].astype(np.float64).ravel() / scale + zero)
        d = np.abs(ours[name].astype(np.float64).ravel() - theirs_stored)
        far, equal, count = max(far, d.max(initial=0)), equal + int((d == 0).sum()), count + d.size
    return far, equal, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--only", default=".*")
    args = parser.parse_args()
    table = collections.defaultdict(list)
    for folder, _, files in sorted(os.walk(args.cases)):
        if not {"tpu_outputs.npz", "inputs.npz", "spec.json", "meta.json"} <= set(files) or not re.search(args.only, folder):
            continue
        meta = json.load(open(os.path.join(folder, "meta.json")))
        if meta["mode"] != "quantized":
            continue
        with tempfile.TemporaryDirectory() as work:
            table[", ".join(sorted(meta["functions"]))].append((os.path.basename(folder), steps(os.path.abspath(args.bin), folder, work)))
    print("| functions | cases | elements | equal | largest step |\n| --- | --- | --- | --- | --- |")
    for functions, cases in sorted(table.items()):
        # Lowering may leave no integer tensor of a case.
        good = [r for _, r in cases if not isinstance(r, str) and r[2]]
        if good:
            count = sum(r[2] for r in good)
            print("| %s | %d | %d | %.3f %% | %.3g |" % (functions, len(good), count, 100 * sum(r[1] for r in good) / count, max(r[0] for r in good)))
    failed = ["%s: %s" % (name, result) for cases in table.values() for name, result in cases if isinstance(result, str)]
    if not table:
        failed.append("%s: no quantized case with tpu_outputs.npz" % args.cases)
    print(*failed, sep="\n", file=sys.stderr)
    return bool(failed)


sys.exit(main())
