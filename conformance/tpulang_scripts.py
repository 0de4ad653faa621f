#!/usr/bin/env python3
"""Compares tpulang's Python package with TpuLang on TpuLang's own scripts: the tests in tpu_mlir's wheel, and samples.

    tpulang_scripts.py --torch DIR --work DIR [--module NAME] [--exceptions FILE] [--only REGEX] [--whole]

Each script runs unchanged with either module as transform.TpuLang, with the same random seeds. Usually compile calls stop
at the canonical module. A case passes if, for each of its compile calls:
  - both write files of the same names;
  - the canonical modules are equal, except for FLOPs, weight file and generated names, and so are weights and inputs;
  - tpulang's executor computes what TPU-MLIR's Top executor does, where that one runs the module;
and if the script ends alike: both succeed, or both raise. --whole goes on to bmodels and their comparison, and counts the
scripts that succeed. Exits 1 if a case fails that is not an exception, or an exception passes.
--module transform.TpuLang compares TpuLang with itself.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import tomli

import mlir_text
from judge import TOLERANCE, TOLERANCE_F16, compare_arrays, compare_weights

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = "transform.TpuLang"
GENERATED = re.compile(r"BMTensor\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def start(module, out, a):
    """Start the scripts with a module in a process of its own."""
    python_path = [a.torch, os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, os.path.join(HERE, "tpulang_scripts_side.py"), module, "--out", out, "--only", a.only]
    command += ["--samples", os.path.join(HERE, "tpulang_samples.py")] + (["--whole"] if a.whole else [])
    return subprocess.Popen(command, env=dict(os.environ, PYTHONPATH=":".join(x for x in python_path if x)))


def read_results(folder):
    with open(os.path.join(folder, "results.jsonl")) as f:
        return {r["case"]: r for r in map(json.loads, f)}


def read(path):
    with open(path) as f:
        return f.read()


def given_names(text):
    """Return the names in a module that the script gave, not the front end."""
    return {name for op in mlir_text.parse(text)[2] for name in op.locs if not GENERATED.search(name)}


def output_names(text):
    """Return the names of the values that the module returns."""
    ops = mlir_text.parse(text)[2]
    names = {r: n for op in ops for r, n in zip(op.results, op.locs)}
    return [names[x] for x in next(op for op in ops if op.name == "return").operands if x in names]


def compare_inputs(peer, ours, given):
    a, b = np.load(peer, allow_pickle=True), np.load(ours, allow_pickle=True)
    if len(a.files) != len(b.files):
        return "inputs: %s <> %s" % (a.files, b.files)
    for p, q in zip(a.files, b.files):
        if p != q and p in given:
            return "input %s is called %s" % (p, q)
        if a[p].dtype != b[q].dtype or a[p].shape != b[q].shape or (a[p].dtype != object and a[p].tobytes() != b[q].tobytes()):
            return "input %s: other values" % p
    return None


def compare_outputs(text, peer, ours, renamed):
    types, needed = mlir_text.types(text), set(output_names(text))
    tolerance = TOLERANCE_F16 if "xf16" in text else TOLERANCE
    with np.load(peer) as want, np.load(ours) as got:
        for name in want.files:
            own = name if name in got.files else renamed.get(name)
            if own not in got.files:
                if name in needed:
                    return "%s: missing" % name
                continue
            integer = bool(re.search(r"x?(si|ui|i)\d+>$", types.get(name, ""))) and "quant" not in types[name]
            problem = compare_arrays(name, want[name], got[own], tolerance, integer)
            if problem:
                return problem
    return None


def compare_call(peer, ours, p, q):
    """Compare one compile call, given the folders of what it wrote and its records."""
    if (p["function"], p["name"]) != (q["function"], q["name"]):
        return "%s %s <> %s %s" % (p["function"], p["name"], q["function"], q["name"])
    if "error" in p or "error" in q:
        return None if "error" in p and "error" in q else q.get("error") or "no error; the peer: " + p["error"]
    if p["files"] != q["files"]:
        return "files: only the peer %s, only we %s" % (sorted(set(p["files"]) - set(q["files"])),
                                                       sorted(set(q["files"]) - set(p["files"])))
    a, b = (lambda f: os.path.join(peer, f)), (lambda f: os.path.join(ours, f))
    if not os.path.exists(a("module.mlir")):
        return None
    text = read(a("module.mlir"))
    given = given_names(text)
    problem, renamed = mlir_text.difference(text, read(b("module.mlir")), given)
    if problem:
        return "canonical: " + problem
    if os.path.exists(a("weights.npz")):
        problem = compare_weights(a("weights.npz"), b("weights.npz"), renamed)
    problem = problem or compare_inputs(a("inputs.npz"), b("inputs.npz"), given)
    if not problem and os.path.exists(a("outputs.npz")):
        problem = compare_outputs(text, a("outputs.npz"), b("outputs.npz"), renamed)
    return problem


def compare_case(folders, p, q):
    """Return the problems of a case, by compile call."""
    problems = {}
    for i, (x, y) in enumerate(zip(p["calls"], q["calls"])):
        peer, ours = (os.path.join(f, p["case"], "calls", str(i)) for f in folders)
        try:
            problem = compare_call(peer, ours, x, y)
        except Exception as e:
            problem = "%s: %s" % (type(e).__name__, e)
        if problem:
            problems["%s/%s" % (p["case"], x["name"])] = problem
    if not problems and ("error" in p) != ("error" in q):
        problems[p["case"]] = q.get("error") or "no error; the peer: " + p["error"]
    if not problems and len(p["calls"]) != len(q["calls"]):
        problems[p["case"]] = "%d compile calls; the peer: %d" % (len(q["calls"]), len(p["calls"]))
    return problems


def report(peer, ours, problems, exceptions, whole):
    """Print all cases with their times; return the number of failures."""
    failed = 0
    print("%-32s %6s %9s %9s  seconds: build, peer's build" % ("case", "calls", "equal", "ends"))
    for name, p in peer.items():
        q, wrong = ours[name], problems[name]
        ends = "%s/%s" % tuple("raises" if "error" in r else "ok" for r in (q, p))
        print("%-32s %6d %9d %9s  %.2f %.2f" %
              (name, len(p["calls"]), len(p["calls"]) - len(wrong), ends, q["build_seconds"], p["build_seconds"]))
        for call, problem in wrong.items():
            listed = call in exceptions
            failed += not listed
            print("  %s %s: %s" % ("exception" if listed else "FAIL", call, exceptions[call]["reason"] if listed else problem))
    found = {call for wrong in problems.values() for call in wrong}
    for call in sorted(set(exceptions) - found):
        if call.split("/")[0] in peer:
            failed += 1
            print("FAIL %s: it passes, but is listed as an exception; take it off the list" % call)
    for who, results in (("tpulang", ours), ("TpuLang", peer)):
        print("%s: %d of %d scripts succeed%s; %.0f seconds, %.1f without the tool chain" %
              (who, sum("error" not in r for r in results.values()), len(results), " to the bmodel" if whole else "",
               sum(r["seconds"] for r in results.values()), sum(r["build_seconds"] for r in results.values())))
    return failed


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--torch", required=True, help="folder with PyTorch, from tpulang_scripts.sh")
    ap.add_argument("--work", required=True, help="folder for what the scripts write")
    ap.add_argument("--module", default="tpulang")
    ap.add_argument("--exceptions")
    ap.add_argument("--only", default="")
    ap.add_argument("--whole", action="store_true")
    a = ap.parse_args()
    exceptions = {}
    if a.exceptions:
        with open(a.exceptions, "rb") as f:
            exceptions = {e["case"]: e for e in tomli.load(f).get("exception", [])}
    shutil.rmtree(a.work, ignore_errors=True)
    os.makedirs(a.work)
    a.torch = os.path.abspath(a.torch)
    folders = [os.path.join(os.path.abspath(a.work), side) for side in ("peer", "ours")]
    began = time.time()
    sides = [start(module, out, a) for module, out in zip((PEER, a.module), folders)]
    if any([side.wait() for side in sides]):
        return "a side failed"
    peer, ours = map(read_results, folders)
    problems = {name: compare_case(folders, peer[name], ours[name]) for name in peer}
    failed = report(peer, ours, problems, exceptions, a.whole)
    calls = sum(len(r["calls"]) for r in peer.values())
    wrong = sum(len(x) for x in problems.values())
    print("%d compile calls in %d scripts, %.0f seconds" % (calls, len(peer), time.time() - began))
    print("scripts: %d passed, %d failed, %d exceptions" % (calls - wrong, failed, wrong - failed))
    return 1 if failed or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
