#!/usr/bin/env python3
"""Compares tpulang with tpu_mlir on recorded cases.

    judge.py --bin TPULANG --cases DIR [--exceptions FILE] [--only REGEX]

A case is a folder with spec.json, meta.json and optionally weights.npz, inputs.npz, peer.mlir (TpuLang's graph after
tpuc-opt) and top_outputs.npz (every tensor, from TPU-MLIR's Top executor). A case passes if tpulang has all its
functions, and:
  - `tpulang convert` accepts it, and tpuc-opt accepts what it writes;
  - the canonical text equals peer.mlir, except for the module's FLOPs, its weight file and generated names;
  - the weights are those of the case;
  - `tpulang run --all` computes top_outputs.npz: integers exactly, floats within a relative L2 error of 1e-5 (5e-3 with
    float16: the executor computes in float32, but folds weights in float16);
  - `tpulang run` reads tpuc-opt's module and weights, and computes the same outputs.
A case whose meta.json has "expect": "error" must be rejected. If the coefficients were too large to record, random ones
replace them, and only the text is compared. Exits 1 if a case fails that is not an exception, or an exception passes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import sys
import tempfile

import numpy as np
import tomli

import mlir_text
from compare import compare_arrays
from peer import TIMED_OUT, ToolChain, call

TOLERANCE, TOLERANCE_F16 = 1e-5, 5e-3


def given_names(spec):
    """Return the names of all tensors, declared and computed."""
    outs = (o["out"] for o in spec["ops"])
    return set(spec["tensors"]).union(*([o] if isinstance(o, str) else o for o in outs))


def random_weights(spec, path):
    rng = np.random.default_rng(0)
    stored = {"float16": "float16", "fp8e4m3": "uint8", "fp8e5m2": "uint8"}
    arrays = {}
    for name, t in spec["tensors"].items():
        if t.get("coeff") and "data" not in t:
            dtype = np.dtype(stored.get(t.get("dtype", "float32"), t.get("dtype", "float32")))
            arrays[name] = rng.integers(0, 3, t["shape"]).astype(dtype)
    np.savez(path, **arrays)


def compare_outputs(text, theirs, ours, renamed, needed, doubtful=None):
    """Compare the tensors that the executor computes for a module with ours. We need not have all, but must have the `needed`.
    `doubtful` is a file with other values for tensors that the executor may compute wrongly."""
    types, problems = mlir_text.types(text), []
    tolerance = TOLERANCE_F16 if "xf16" in text else TOLERANCE
    other = dict(np.load(doubtful)) if doubtful and os.path.exists(doubtful) else {}
    with np.load(theirs) as want, np.load(ours) as got:
        for name in want.files:
            own = name if name in got.files else renamed.get(name)
            if own not in got.files:
                if name in needed:
                    problems.append("%s: missing" % name)
                continue
            integer = bool(re.search(r"x?(si|ui|i)\d+>$", types.get(name, ""))) and "quant" not in types[name]
            problem = compare_arrays(name, want[name], got[own], 0 if integer else tolerance)
            if problem and name in other:
                problem = compare_arrays(name, other[name], got[own], tolerance)
            if problem:
                problems.append(problem)
    return "; ".join(problems[:3]) or None


def compare_weights(want_file, got_file, renamed):
    want, got = dict(np.load(want_file)), dict(np.load(got_file))
    bits = lambda v: v.view(np.uint16) if v is not None and v.dtype == np.float16 else v
    for name, v in want.items():
        u = bits(got.get(renamed.get(name, name)))
        if u is None or u.size != v.size or u.tobytes() != bits(v).tobytes():
            return "the coefficient %s differs" % name
    return None


def judge(binary, case, work, chain):
    """Return None if the case passes, otherwise the problem."""
    join = os.path.join
    spec, meta = json.load(open(join(case, "spec.json"))), json.load(open(join(case, "meta.json")))
    source = join(work, "case")
    shutil.copytree(case, source)
    stored = "weights" not in spec or os.path.exists(join(case, "weights.npz"))
    if not stored:
        random_weights(spec, join(source, "weights.npz"))
    path = join(source, "spec.json")
    rc, text = call(binary, "convert", path, "-o", work)
    if rc not in (0, 1, 2) or "panicked" in text:
        return "convert crashed: " + text[-300:]
    if meta["expect"] == "error":
        return None if rc else "accepted; the peer: " + meta.get("message", "")
    if rc:
        return "refused: " + text[:300]
    origin = next(f for f in sorted(os.listdir(work)) if f.endswith("_origin.mlir"))
    rc, text = chain.canonicalize(work, origin, "ours.mlir")
    peer = open(join(case, "peer.mlir")).read() if os.path.exists(join(case, "peer.mlir")) else None
    if rc:
        return "tpuc-opt: " + text[-300:] if peer or rc == TIMED_OUT else None
    renamed = {}
    if peer and not meta.get("canonical_needs_data"):
        diff, renamed = mlir_text.difference(peer, open(join(work, "ours.mlir")).read(), given_names(spec))
        if diff:
            return "canonical: " + diff
    if not stored:
        return None
    weights = join(case, "peer_origin_weight.npz")
    if not os.path.exists(weights) and meta.get("peer_weight", {}).get("identical_to_weights"):
        weights = join(case, "weights.npz")
    if os.path.exists(weights) and meta.get("peer_weight", {}).get("tensors"):
        ours = re.search(r'module\.weight_file = "([^"]*)"', open(join(work, origin)).read()).group(1)
        problem = compare_weights(weights, join(work, ours), renamed)
        if problem:
            return problem
    if not os.path.exists(join(case, "inputs.npz")):
        return None
    outputs = join(work, "outputs.npz")
    # With every tensor, and as usual, with fusion.
    for extra in (["--all"], []):
        rc, text = call(binary, "run", path, "-i", join(case, "inputs.npz"), "-o", outputs, *extra)
        if rc:
            return "run: " + text[-300:]
        if os.path.exists(join(case, "top_outputs.npz")):
            problem = compare_outputs(peer, join(case, "top_outputs.npz"), outputs, renamed, spec["outputs"], join(case, "independent_outputs.npz"))
            if problem:
                return problem
    return run_canonical(binary, case, work, np.load(outputs), spec)


def run_canonical(binary, case, work, ours, spec):
    """Check that tpuc-opt's module and weights are read and compute the same outputs."""
    path = os.path.join(work, "canonical.npz")
    rc, text = call(binary, "run", os.path.join(work, "ours.mlir"), "-i", os.path.join(case, "inputs.npz"), "-o", path)
    if rc:
        return "run of the canonical form: " + text[-300:]
    half = any(t.get("dtype") == "float16" for t in spec["tensors"].values())
    tolerance = TOLERANCE_F16 if half else TOLERANCE
    # tpuc-opt may rename outputs.
    for name, got in zip(spec["outputs"], np.load(path).values(), strict=True):
        problem = compare_arrays(name, ours[name], got, 0 if ours[name].dtype.kind in "iu" else tolerance)
        if problem:
            return "run of the canonical form: " + problem
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin", required=True)
    ap.add_argument("--cases", required=True)
    ap.add_argument("--exceptions")
    ap.add_argument("--only", default="")
    a = ap.parse_args()
    binary = os.path.abspath(a.bin)
    known = {line.split()[0] for line in call(binary, "ops")[1].splitlines() if line.strip()}
    exceptions = {}
    if a.exceptions:
        with open(a.exceptions, "rb") as f:
            exceptions = {e["case"]: e for e in tomli.load(f).get("exception", [])}
    chain, cases = ToolChain(), {}
    for folder, _, files in sorted(os.walk(a.cases)):
        name = os.path.relpath(folder, a.cases)
        if "spec.json" in files and "meta.json" in files and re.search(a.only, name):
            cases[name] = set(json.load(open(os.path.join(folder, "meta.json")))["functions"])

    def one(name):
        if not cases[name] <= known:
            return "tpulang lacks " + ", ".join(sorted(cases[name] - known))
        with tempfile.TemporaryDirectory() as work:
            try:
                return judge(binary, os.path.join(a.cases, name), work, chain)
            except Exception as e:
                return "%s: %s" % (type(e).__name__, e)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(cases, pool.map(one, cases)))
    table = collections.defaultdict(lambda: [0, 0, 0])
    failed = 0
    for name, problem in results.items():
        listed = name in exceptions
        if problem and not listed:
            failed += 1
            print("FAIL %s: %s" % (name, problem))
        elif listed and not problem:
            failed += 1
            print("FAIL %s: it passes, but is listed as an exception; take it off the list" % name)
        elif listed:
            print("exception %s: %s" % (name, exceptions[name]["reason"]))
        for f in cases[name]:
            row = table[f]
            row[0] += 1
            row[1] += not problem
            row[2] += bool(problem) and listed
    print("\n%-16s %6s %6s %10s" % ("function", "cases", "equal", "exceptions"))
    for f, row in sorted(table.items()):
        print("%-16s %6d %6d %10d" % (f, *row))
    passed = sum(1 for p in results.values() if not p)
    excepted = sum(1 for name, p in results.items() if p and name in exceptions)
    print("\nconformance: %d cases: %d passed, %d failed, %d exceptions" % (len(cases), passed, failed, excepted))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
