#!/usr/bin/env python3
"""Runs graphs on a GPU and on the CPU, and compares every tensor: floats within a relative L2 error of 1e-5, integers exactly.

    gpu.py --bin TPULANG [--cases FOLDER] [--minutes N] [--seed N] [--only REGEX] [--no-sanitizer]

First the recorded cases (folders with spec.json and inputs.npz), fused and not, with the libraries that are there; those of
products and convolutions again with cuBLASLt alone, cuDNN alone and neither; and all with float16 in the place of float32,
within 4e-3. Then, if compute-sanitizer is installed, each of them under memcheck and racecheck; then random graphs of kinds/
for so many minutes, with the libraries and without in turn. Needs Python with numpy.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

from kinds import KINDS
from random_graph import R, Spec

TOLERANCE = 1e-5
OF_HALVES = 4e-3
# Libraries that are used, by their names in TPULANG_LIBRARIES; None for those that are there.
PATHS = [None, "cublaslt", "cudnn", "none"]
MADE_OF_PRODUCTS = re.compile(r'"op": "[a-z0-9_]*(matmul|conv|attention|lstm|gru|rnn|mlp|einsum)')


def run(command, libraries=None):
    environment = {k: v for k, v in os.environ.items() if k != "TPULANG_LIBRARIES"}
    if libraries:
        environment["TPULANG_LIBRARIES"] = libraries
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return done.returncode, (done.stdout + done.stderr).strip()


def differences(cpu, gpu, tolerance):
    """what differs between two archives"""
    with np.load(cpu) as a, np.load(gpu) as b:
        if sorted(a.files) != sorted(b.files):
            yield f"other tensors: {sorted(a.files)} and {sorted(b.files)}"
            return
        for name in a.files:
            x, y = a[name], b[name]
            if (x.dtype, x.shape) != (y.dtype, y.shape):
                yield f"{name}: {x.dtype} {x.shape} and {y.dtype} {y.shape}"
            elif x.dtype.kind != "f":
                if not np.array_equal(x, y):
                    yield f"{name}: {np.count_nonzero(x != y)} of {x.size} integers"
            else:
                with np.errstate(over="ignore"):
                    # What is beyond float16 is infinite there.
                    x = x.astype(np.float16).astype(x.dtype) if tolerance == OF_HALVES else x
                same = (x == y) | (np.isnan(x) & np.isnan(y))
                with np.errstate(all="ignore"):
                    error = np.linalg.norm(np.where(same, 0, x.astype(np.float64) - y))
                    norm = np.linalg.norm(np.where(np.isfinite(x), x, 0).astype(np.float64))
                if error and not error <= tolerance * norm:
                    yield f"{name}: relative L2 error {error / norm:.3g}"


def compare(binary, spec, inputs, folder, *more, libraries=None, tolerance=TOLERANCE, on_gpu=()):
    """what differs, or why it cannot be run; none where the CPU refuses it too"""
    cpu, gpu = os.path.join(folder, "cpu.npz"), os.path.join(folder, "gpu.npz")
    command = [binary, "run", spec, "-i", inputs, *more, "-o"]
    code, said = run(command + [cpu])
    if code:
        return None
    code, said = run(command + [gpu, "-d", "cuda", *on_gpu], libraries)
    return f"the GPU: {said[-500:]}" if code else "; ".join(differences(cpu, gpu, tolerance)) or None


def halves(case, folder):
    """a copy of a case with float16 in the place of float32: its spec and inputs"""
    spec = json.loads((case / "spec.json").read_text().replace('"float32"', '"float16"'))
    for name in filter(None, ["inputs.npz", spec.get("weights")]):
        with np.load(case / name) as arrays:
            cut = {n: a.astype(np.float16) if a.dtype == np.float32 else a for n, a in arrays.items()}
        np.savez(os.path.join(folder, name), **cut)
    path = os.path.join(folder, "spec.json")
    pathlib.Path(path).write_text(json.dumps(spec))
    return path, os.path.join(folder, "inputs.npz")


def in_halves(binary, case, folder):
    with np.errstate(over="ignore"):
        spec, inputs = halves(case, folder)
    return compare(binary, spec, inputs, folder, tolerance=OF_HALVES, on_gpu=["--precision", "f16"])


def there(binary, case, folder):
    """the paths of PATHS that this machine has"""
    for path in PATHS:
        command = [binary, "run", str(case / "spec.json"), "-i", str(case / "inputs.npz"), "-d", "cuda", "-o", os.path.join(folder, "out.npz")]
        code, said = run(command, path)
        if code:
            print(f"with {path}: {said[-300:]}: not run", flush=True)
        else:
            yield path


def recorded(binary, cases, only):
    all_cases = [p.parent for p in sorted(pathlib.Path(cases).glob("*/*/inputs.npz")) if re.search(only, p.parent.name)]
    if not all_cases:
        print(f"no recorded case in {cases} is called like {only!r}")
        return 1, []
    with tempfile.TemporaryDirectory() as folder:
        paths = list(there(binary, all_cases[0], folder))

    def one(case, path):
        with tempfile.TemporaryDirectory() as folder:
            spec, inputs = str(case / "spec.json"), str(case / "inputs.npz")
            if path == "float16":
                return case.name, in_halves(binary, case, folder)
            found = [compare(binary, spec, inputs, folder, *more, libraries=path) for more in ([], ["--all"], ["--no-fusion"])]
            return case.name, next((f for f in found if f), None)

    failures = 0
    for path in [*paths, "float16"]:
        chosen = all_cases
        if path in PATHS[1:]:
            chosen = [c for c in all_cases if MADE_OF_PRODUCTS.search((c / "spec.json").read_text())]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda case: one(case, path), chosen))
        wrong = [f"{name}: {problem}" for name, problem in results if problem]
        failures += len(wrong)
        what = {None: "the libraries that are there", "none": "tpulang's own kernels"}.get(path, path)
        print("\n".join(wrong + [f"recorded, {what}: {len(results) - len(wrong)} of {len(results)} agree"]), flush=True)
    return failures, all_cases


def sanitized(binary, cases):
    tool = shutil.which("compute-sanitizer")
    if not tool:
        print("compute-sanitizer is not installed: not run", flush=True)
        return 0
    failures = 0
    for check in ["memcheck", "racecheck"]:
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                command = [tool, "--tool", check, "--error-exitcode", "9", binary, "run", str(case / "spec.json"), "-i"]
                # The kernels of libraries are not ours to judge.
                command += [str(case / "inputs.npz"), "-d", "cuda", "-o", os.path.join(folder, "out.npz")]
                code, said = run(command, "none")
            if code == 9:
                failures += 1
                print(f"{check} of {case.name}: {said[-1500:]}", flush=True)
        print(f"{check}: {len(cases)} cases", flush=True)
    return failures


def random_graphs(binary, minutes, seed, only):
    kinds = [(name, kind) for name, kind in sorted(KINDS.items()) if re.fullmatch(only or ".*", name)]
    end, made, compared, failures = time.time() + 60 * minutes, 0, 0, 0
    while time.time() < end and kinds:
        name, kind = kinds[made % len(kinds)]
        R.seed(seed * 1_000_003 + made)
        np.random.seed((seed * 1_000_003 + made) % (1 << 32))
        made += 1
        s = Spec()
        kind(s)
        with tempfile.TemporaryDirectory() as folder:
            path = lambda file: os.path.join(folder, file)
            np.savez(path("weights.npz"), **{n: s.data[n] for n, t in s.tensors.items() if t.get("coeff")})
            np.savez(path("inputs.npz"), **{n: s.data[n] for n in s.inputs})
            json.dump(s.json(), open(path("spec.json"), "w"))
            libraries = [None, "none"][made // 2 % 2]
            problem = compare(binary, path("spec.json"), path("inputs.npz"), folder, *([["--all"], []][made % 2]), libraries=libraries)
            compared += os.path.exists(path("gpu.npz"))
            if problem:
                failures += 1
                print(f"random graph {made - 1} of seed {seed} ({name}): {problem}\n{open(path('spec.json')).read()}", flush=True)
    print(f"random: {made} graphs, {compared} ran on both, {failures} differ", flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-sanitizer", action="store_true")
    args = parser.parse_args()
    binary, failures = os.path.abspath(args.bin), 0
    if args.cases:
        failures, cases = recorded(binary, args.cases, args.only)
        failures += 0 if args.no_sanitizer else sanitized(binary, cases)
    failures += random_graphs(binary, args.minutes, args.seed, args.only)
    sys.exit(1 if failures else 0)


main()
