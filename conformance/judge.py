#!/usr/bin/env python3
"""Compares tpulang with tpu_mlir on recorded cases.

    judge.py --bin TPULANG --cases DIR [--exceptions FILE] [--only REGEX] [--keep DIR]

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
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import tomli

import mlir_text

FLAGS = ["--struct-optimize", "--shape-infer", "--canonicalize", "--extra-optimize"]
TOLERANCE, TOLERANCE_F16 = 1e-5, 5e-3


def call(*args, **kw):
    p = subprocess.run(args, capture_output=True, timeout=300, **kw)
    return p.returncode, (p.stderr + p.stdout).decode("utf8", "replace")


def tool_chain():
    """Return the path of tpuc-opt, and its environment."""
    site = os.path.dirname(importlib.util.find_spec("tpu_mlir").origin)
    libs = [os.path.join(site, "lib"), os.path.join(site, "lib", "third_party"), os.environ.get("LD_LIBRARY_PATH", "")]
    return os.path.join(site, "bin", "tpuc-opt"), dict(os.environ, LD_LIBRARY_PATH=":".join(x for x in libs if x))


def canonicalize(opt, env, folder, source, out):
    """Run tpuc-opt on a file of the folder."""
    return call(opt, source, *FLAGS, "-o", out, cwd=folder, env=env)


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


def compare_arrays(name, a, b, tolerance, integer):
    if a.size != b.size:
        return "%s: shapes %s and %s" % (name, a.shape, b.shape)
    x, y = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    if (np.isnan(x) != np.isnan(y)).any():
        return "%s: NaN in %d and %d places" % (name, np.isnan(x).sum(), np.isnan(y).sum())
    inf = np.isinf(x) | np.isinf(y)
    if (x[inf] != y[inf]).any():
        return "%s: different infinities" % name
    ok = ~(np.isnan(x) | inf)
    norm, error = np.linalg.norm(x[ok]), np.linalg.norm(x[ok] - y[ok])
    if error > (0 if integer else tolerance * norm):
        return "%s: relative L2 error %.2e" % (name, error / norm if norm else float("inf"))
    return None


def compare_outputs(case, ours, renamed, peer, spec):
    types = mlir_text.types(peer)
    tolerance = TOLERANCE_F16 if "xf16" in peer else TOLERANCE
    problems = []
    doubtful = os.path.join(case, "independent_outputs.npz")
    other = dict(np.load(doubtful)) if os.path.exists(doubtful) else {}
    with np.load(os.path.join(case, "top_outputs.npz")) as want, np.load(ours) as got:
        for name in want.files:
            own = name if name in got.files else renamed.get(name)
            if own not in got.files:
                if name in spec["outputs"]:
                    problems.append("%s: missing" % name)
                continue
            integer = bool(re.search(r"x?(si|ui|i)\d+>$", types.get(name, ""))) and "quant" not in types[name]
            problem = compare_arrays(name, want[name], got[own], tolerance, integer)
            if problem and name in other:
                problem = compare_arrays(name, other[name], got[own], tolerance, False)
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


def judge(binary, case, work, opt, env):
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
    rc, text = canonicalize(opt, env, work, origin, "ours.mlir")
    peer = open(join(case, "peer.mlir")).read() if os.path.exists(join(case, "peer.mlir")) else None
    if rc:
        return "tpuc-opt: " + text[-300:] if peer else None
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
            problem = compare_outputs(case, outputs, renamed, peer, spec)
            if problem:
                return problem
    return run_canonical(binary, case, work, np.load(outputs), spec)


def run_canonical(binary, case, work, ours, spec):
    """Check that tpuc-opt's module and weights are read and compute the same outputs."""
    path = os.path.join(work, "canonical.npz")
    rc, text = call(binary, "run", os.path.join(work, "ours.mlir"), "-i", os.path.join(case, "inputs.npz"), "-o", path)
    if rc:
        return "run of the canonical form: " + text[-300:]
    got = np.load(path)
    half = any(t.get("dtype") == "float16" for t in spec["tensors"].values())
    tolerance = TOLERANCE_F16 if half else TOLERANCE
    for name in (n for n in spec["outputs"] if n in got.files):
        problem = compare_arrays(name, ours[name], got[name], tolerance, ours[name].dtype.kind in "iu")
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
    opt, env = tool_chain()
    cases, other = {}, 0
    for folder, _, files in sorted(os.walk(a.cases)):
        if "spec.json" in files and "meta.json" in files:
            name = os.path.relpath(folder, a.cases)
            functions = set(json.load(open(os.path.join(folder, "meta.json")))["functions"])
            if not functions <= known:
                other += 1
            elif re.search(a.only, name):
                cases[name] = functions

    def one(name):
        with tempfile.TemporaryDirectory() as work:
            try:
                return judge(binary, os.path.join(a.cases, name), work, opt, env)
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
    print("\n%d cases; %d more use functions that tpulang does not have yet" % (len(cases), other))
    excepted = sum(1 for name, p in results.items() if p and name in exceptions)
    print("conformance: %d passed, %d failed, %d exceptions" % (passed, failed, excepted))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
