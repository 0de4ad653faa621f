#!/usr/bin/env python3
"""Compares tpulang's Python package with TpuLang on TpuLang's own scripts: the tests in tpu_mlir's wheel, and samples.

    tpulang_scripts.py --torch DIR --work DIR [--module NAME] [--exceptions FILE] [--only REGEX] [--whole]

Each script runs unchanged with either module as transform.TpuLang, with the same random seeds. Usually compile calls stop
at the canonical module. A case passes if, for each of its compile calls:
  - both write files of the same names;
  - the canonical modules are equal, except for FLOPs, weight file and generated names, and so are weights and inputs;
  - tpulang's executor computes what TPU-MLIR's Top executor does, which runs networks of floats only;
and if the script ends alike: both succeed, or both raise. Exits 1 if a case fails that is not an exception, if an exception
passes, or if the Top executor runs no network. --whole goes on to bmodels, which TpuLang's tests compare themselves, and counts
the scripts that succeed; then only how calls and scripts end is compared here, and exceptions may pass.
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
from judge import compare_outputs, compare_weights
from peer import end_group

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = "transform.TpuLang"
GENERATED = re.compile(r"BMTensor\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def start(module, out, a):
    """Start the scripts with a module in a process of its own."""
    python_path = [a.torch, os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, os.path.join(HERE, "tpulang_scripts_side.py"), module, "--out", out, "--only", a.only]
    command += ["--samples", os.path.join(HERE, "tpulang_samples.py")] + (["--whole"] if a.whole else [])
    libraries = [a.torch, os.environ.get("LD_LIBRARY_PATH", "")]
    paths = {"PYTHONPATH": python_path, "LD_LIBRARY_PATH": libraries}
    return subprocess.Popen(command, env={**os.environ, **{k: ":".join(x for x in v if x) for k, v in paths.items()}}, start_new_session=True)


def results(sides, folders):
    """Yield the pairs of results as both sides have them."""
    found, given = ({}, {}), set()
    while True:
        ended = all([side.poll() is not None for side in sides])
        for results, folder in zip(found, folders):
            path = os.path.join(folder, "results.jsonl")
            lines = read(path).split("\n")[:-1] if os.path.exists(path) else ()
            results.update((r["case"], r) for r in map(json.loads, lines))
        for name in [name for name in found[0] if name in found[1] and name not in given]:
            given.add(name)
            yield found[0][name], found[1][name]
        if ended:
            return
        time.sleep(0.2)


def read(path):
    with open(path) as f:
        return f.read()


def given_names(text):
    """Return the names in a module that the script gave, not the front end."""
    return {name for op in mlir_text.parse(text)[2] for name in op.locs if not GENERATED.search(name)}


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


def compare_call(peer, ours, p, q):
    """Compare one compile call, given the folders of what it wrote and its records."""
    if (p["function"], p["name"]) != (q["function"], q["name"]):
        return "%s %s <> %s %s" % (p["function"], p["name"], q["function"], q["name"])
    if "error" in p or "error" in q:
        return None if "error" in p and "error" in q else q.get("error") or "no error; the peer: " + p["error"]
    if p.get("files") != q.get("files"):
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
        if q.get("executor"):
            return "our executor: " + q["executor"]
        problem = compare_outputs(text, a("outputs.npz"), b("outputs.npz"), renamed, mlir_text.output_names(text))
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


def print_case(p, q, wrong, exceptions):
    """Print a case with its times; return the number of failures."""
    ends = "%s/%s" % tuple("raises" if "error" in r else "ok" for r in (q, p))
    print("%-32s %6d %6d  %-13s %8.2f %8.2f" %
          (p["case"], len(p["calls"]), len(p["calls"]) - len(wrong), ends, q["build_seconds"], p["build_seconds"]), flush=True)
    for call, problem in wrong.items():
        listed = exceptions.get(call)
        print("  %s %s: %s" % ("exception" if listed else "FAIL", call, listed["reason"] if listed else problem))
    return len([call for call in wrong if call not in exceptions])


def print_sums(pairs, whole):
    for who, results in zip(("TpuLang", "tpulang"), zip(*pairs)):
        print("%s: %d of %d scripts succeed%s; %.0f seconds, %.1f without the tool chain" %
              (who, sum("error" not in r for r in results), len(results), " to the bmodel" if whole else "",
               sum(r["seconds"] for r in results), sum(r["build_seconds"] for r in results)))


def arguments():
    ap = argparse.ArgumentParser()
    ap.add_argument("--torch", required=True, help="folder with PyTorch, from tpulang_scripts.sh")
    ap.add_argument("--work", required=True, help="folder for what the scripts write; what differs remains there, listed exceptions only with --only")
    ap.add_argument("--module", default="tpulang")
    ap.add_argument("--exceptions")
    ap.add_argument("--only", default="")
    ap.add_argument("--whole", action="store_true")
    a = ap.parse_args()
    a.torch, a.work = os.path.abspath(a.torch), os.path.abspath(a.work)
    return a


def compare_sides(a, folders, exceptions):
    """Run the scripts on both sides; return the pairs of results, the problems by compile call, and the number of failures."""
    sides = [start(module, out, a) for module, out in zip((PEER, a.module), folders)]
    pairs, problems, failed = [], {}, 0
    try:
        for p, q in results(sides, folders):
            wrong = compare_case(folders, p, q)
            failures = print_case(p, q, wrong, exceptions)
            failed += failures
            pairs.append((p, q))
            problems.update(wrong)
            # The exceptions of all scripts take 3.5 GB; those of one are there to be looked at.
            if not failures and not (wrong and a.only):
                for folder in folders:
                    shutil.rmtree(os.path.join(folder, p["case"]))
    finally:
        for side in sides:
            end_group(side.pid)
    if not pairs or any(side.returncode for side in sides):
        sys.exit("a side failed; see above")
    return pairs, problems, failed


def main():
    a = arguments()
    exceptions = {}
    if a.exceptions:
        with open(a.exceptions, "rb") as f:
            exceptions = {e["case"]: e for e in tomli.load(f).get("exception", [])}
    shutil.rmtree(a.work, ignore_errors=True)
    os.makedirs(a.work)
    began = time.time()
    print("%-32s %6s %6s  %-13s %8s %8s" % ("case", "calls", "equal", "ends", "seconds", "peer's"))
    pairs, problems, failed = compare_sides(a, [os.path.join(a.work, side) for side in ("peer", "ours")], exceptions)
    cases = {p["case"] for p, _ in pairs}
    # What makes an exception is not compared with --whole.
    for call in () if a.whole else (call for call in exceptions if call.split("/")[0] in cases and call not in problems):
        failed += 1
        print("FAIL %s: it passes, but is listed as an exception; take it off the list" % call)
    print_sums(pairs, a.whole)
    calls = sum(len(p["calls"]) for p, _ in pairs)
    executed = [call["executor"] for p, _ in pairs for call in p["calls"] if "executor" in call]
    with_values = executed.count(None)
    if executed and not with_values and not a.only:
        failed += 1
        print("FAIL: the Top executor fails for every network: " + executed[0])
    print("%d compile calls in %d scripts, %d with values, %.0f seconds" % (calls, len(pairs), with_values, time.time() - began))
    print("scripts: %d passed, %d failed, %d exceptions" % (calls - len(problems), failed, len(set(problems) & set(exceptions))))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
