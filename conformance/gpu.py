#!/usr/bin/env python3
"""Run graphs on a GPU and on the CPU, and compare every tensor: floats within a relative L2 error of 1e-5, integers exactly.

    gpu.py --bin TPULANG --part PART [--cases FOLDER] [--minutes N] [--seed N] [--only REGEX]

Each graph runs at least three times in one process: the second run is captured as a CUDA graph, the third replays it. The results of
the first and of the replayed run are compared with the CPU's.

    first      a small network, to see that the driver, NVRTC and the libraries work
    recorded   the recorded cases (folders with spec.json and inputs.npz), fused and unfused, with the installed libraries
    libraries  those of products and convolutions with cuBLASLt only, cuDNN only, and neither
    float16    the recorded cases with float16 instead of float32, within 4e-3
    random     random graphs of kinds/, alternately with and without the libraries
    sanitizer  the recorded cases under compute-sanitizer's memcheck and racecheck, if it is installed

A part ends after --minutes, and reports how many cases were left. Every command has a time limit. The exit code is 1 if anything
differs, fails, or exceeds its limit, or if nothing was compared. Needs Python with numpy.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import time

import numpy as np

from compare import compare_arrays
from kinds import KINDS
from peer import call
from random_graph import R, Spec

TOLERANCE = 1e-5
OF_HALVES = 4e-3
# Values of TPULANG_LIBRARIES; None for the installed ones.
PATHS = [None, "cublaslt", "cudnn", "none"]
HAS_PRODUCTS = re.compile(r'"op": "[a-z0-9_]*(matmul|conv|attention|lstm|gru|rnn|mlp|einsum)')
# Time limits in seconds: of one command, which compiles its kernels, and of one under compute-sanitizer.
LIMIT, SANITIZER_LIMIT = 120, 240
# Commands at a time. Each spends most of its time on the processor: it starts the driver and compiles kernels.
WORKERS = min(12, max(4, os.cpu_count() or 1))
# Warnings of the command that name a fallback.
FALLBACK = re.compile(r"warning: (.*(?:cannot be captured|declines).*)")
# The command says this of a library that is not installed.
MISSING = re.compile(r"lib\w+\.so is not found|a part of it, is not found")


class Deadline:
    """The end of a part."""

    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes

    def is_over(self):
        return time.monotonic() > self.end

    def share(self, count):
        """Return the end of the first of `count` parts that share the time that is left."""
        return Deadline((self.end - time.monotonic()) / 60 / count)


def run(command, libraries=None, limit=LIMIT):
    """Return the exit code, and the output or a line that says so."""
    environment = {k: v for k, v in os.environ.items() if k != "TPULANG_LIBRARIES"}
    if libraries:
        environment["TPULANG_LIBRARIES"] = libraries
    code, said = call(*command, limit=limit, env=environment)
    return code, said.strip() or f"exit code {code}"


def differences(cpu, gpu, tolerance, is_part=False):
    """Yield the differences between two archives. If `is_part`, the second may have only some of the tensors."""
    with np.load(cpu) as a, np.load(gpu) as b:
        if set(b.files) - set(a.files) or not b.files or (len(b.files) < len(a.files) and not is_part):
            yield f"other tensors: {sorted(a.files)} and {sorted(b.files)}"
            return
        for name in b.files:
            x, y = a[name], b[name]
            is_float = x.dtype.kind == "f"
            if is_float and tolerance == OF_HALVES:
                with np.errstate(over="ignore"):
                    # Values beyond float16's range are infinite in float16.
                    x = x.astype(np.float16).astype(x.dtype)
            problem = f"{name}: {x.dtype} and {y.dtype}" if x.dtype != y.dtype else compare_arrays(name, x, y, tolerance if is_float else 0)
            if problem:
                yield problem


class Outcome:
    """One graph: whether it ran on both, what differs, and which fallbacks were reported."""

    def __init__(self):
        self.compared, self.problem, self.fallbacks = False, None, []


def compare(binary, spec, inputs, folder, *more, libraries=None, tolerance=TOLERANCE, on_gpu=(), may_reject=False):
    """Run a graph on the CPU, on the GPU, and repeatedly on the GPU. One that the CPU may reject need not run on the GPU then."""
    path = lambda name: os.path.join(folder, name)
    outcome, given = Outcome(), [spec, "-i", inputs]
    code, said = run([binary, "run", *given, *more, "-o", path("cpu.npz")])
    if code:
        is_rejected = may_reject and code == 2 and "panicked" not in said
        outcome.problem = None if is_rejected else f"the CPU: {said[-500:]}"
        return outcome
    repeated = [m for m in more if m != "--all"]
    for name, command in [
        ("the first run", ["run", *given, *more]),
        ("the replayed run", ["bench", "--repeat", "1", *given, *repeated]),
    ]:
        code, said = run([binary, *command, "-o", path("gpu.npz"), "-d", "cuda", *on_gpu], libraries)
        outcome.fallbacks += FALLBACK.findall(said)
        found = said[-500:] if code else "; ".join(differences(path("cpu.npz"), path("gpu.npz"), tolerance, command[0] == "bench"))
        if found:
            outcome.problem = f"{name}: {found}"
            return outcome
    outcome.compared = True
    return outcome


def halves(case, folder):
    """Copy a case with float16 instead of float32; return the paths of its spec and inputs."""
    spec = json.loads((case / "spec.json").read_text().replace('"float32"', '"float16"'))
    for name in filter(None, ["inputs.npz", spec.get("weights")]):
        with np.load(case / name) as arrays, np.errstate(over="ignore"):
            cut = {n: a.astype(np.float16) if a.dtype == np.float32 else a for n, a in arrays.items()}
        np.savez(os.path.join(folder, name), **cut)
    path = os.path.join(folder, "spec.json")
    pathlib.Path(path).write_text(json.dumps(spec))
    return path, os.path.join(folder, "inputs.npz")


def recorded_cases(args):
    cases = [p.parent for p in sorted(pathlib.Path(args.cases or "").glob("*/*/inputs.npz")) if re.search(args.only, p.parent.name)]
    if not cases:
        sys.exit(f"--cases {args.cases}: no recorded case there matches {args.only!r}")
    return cases


def in_turn(what, cases, one, deadline, workers=WORKERS):
    """Run `one` on each case before the deadline, print the problems, and return the number of failed cases; 1 if none ran."""

    def timely(case):
        return None if deadline.is_over() else one(case)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = [(case, outcome) for case, outcome in zip(cases, pool.map(timely, cases)) if outcome]
    wrong = [f"{case.name}: {outcome.problem}" for case, outcome in results if outcome.problem]
    fallbacks = sorted({f for _, outcome in results for f in outcome.fallbacks})
    compared = sum(outcome.compared for _, outcome in results)
    left = f", {len(cases) - len(results)} left when the time was over" if len(results) < len(cases) else ""
    print("\n".join(wrong + [f"fallback: {f}" for f in fallbacks] + [f"{what}: {compared} of {len(cases)} agree{left}"]), flush=True)
    return len(wrong) or int(not compared)


def case_on(binary, libraries, *forms):
    """Return a function that compares a case in each of these forms, up to the first difference."""

    def one(case):
        fallbacks = []
        for more in forms:
            with tempfile.TemporaryDirectory() as folder:
                outcome = compare(binary, str(case / "spec.json"), str(case / "inputs.npz"), folder, *more, libraries=libraries)
            fallbacks += outcome.fallbacks
            if outcome.problem:
                break
        outcome.fallbacks = fallbacks
        return outcome

    return one


def small_network(binary, libraries=None):
    """Compare one small network, whose error is the whole output."""
    steps = [{"op": "relu", "args": {"input": "x"}, "out": "y"}, {"op": "softmax", "args": {"input": "y", "axis": -1}, "out": "z"}]
    spec = {"version": 1, "name": "first", "tensors": {"x": {"shape": [1, 3, 8, 8], "dtype": "float32"}}, "inputs": ["x"], "ops": steps, "outputs": ["z"]}
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        json.dump(spec, open(path("spec.json"), "w"))
        np.savez(path("inputs.npz"), x=np.linspace(-2, 2, 192, dtype=np.float32).reshape(1, 3, 8, 8))
        return compare(binary, path("spec.json"), path("inputs.npz"), folder, libraries=libraries)


def first(binary, args, deadline):
    outcome = small_network(binary)
    print("\n".join([*outcome.fallbacks, f"first: {outcome.problem or 'the GPU works'}"]), flush=True)
    return 1 if outcome.problem else 0


def recorded(binary, args, deadline):
    return in_turn("recorded", recorded_cases(args), case_on(binary, None, [], ["--all"], ["--no-fusion"]), deadline)


def libraries(binary, args, deadline):
    failures, cases = 0, [c for c in recorded_cases(args) if HAS_PRODUCTS.search((c / "spec.json").read_text())]
    paths = PATHS[1:]
    for at, path in enumerate(paths):
        problem = small_network(binary, path).problem
        if problem:
            print(f"libraries, {path}: not run: {problem}", flush=True)
            # A library may be missing; `none` needs none.
            failures += path == "none" or not MISSING.search(problem)
            continue
        failures += in_turn(f"libraries, {path}", cases, case_on(binary, path, [], ["--no-fusion"]), deadline.share(len(paths) - at))
    return failures


def float16(binary, args, deadline):
    def one(case):
        with tempfile.TemporaryDirectory() as folder:
            spec, inputs = halves(case, folder)
            # Some functions take float32 only.
            return compare(binary, spec, inputs, folder, tolerance=OF_HALVES, on_gpu=["--precision", "f16"], may_reject=True)

    return in_turn("float16", recorded_cases(args), one, deadline)


def sanitizer(binary, args, deadline):
    tool = shutil.which("compute-sanitizer")
    if not tool:
        print("sanitizer: compute-sanitizer is not installed: not run", flush=True)
        return 0

    def checked(check):
        def one(case):
            outcome = Outcome()
            with tempfile.TemporaryDirectory() as folder:
                command = [tool, "--tool", check, "--error-exitcode", "9", binary, "run", str(case / "spec.json"), "-i"]
                # Only the kernels of tpulang are checked, not those of the libraries.
                command += [str(case / "inputs.npz"), "-d", "cuda", "-o", os.path.join(folder, "out.npz")]
                code, said = run(command, "none", SANITIZER_LIMIT)
            outcome.compared = code == 0
            outcome.problem = said[-1500:] if code else None
            return outcome

        return one

    # Checked programs take many times as much memory.
    checks = ["memcheck", "racecheck"]
    return sum(in_turn(check, recorded_cases(args), checked(check), deadline.share(len(checks) - at), 4) for at, check in enumerate(checks))


def random_graph(seed, number, kind, folder):
    """Write a random graph with its weights and inputs to `folder`."""
    seed = seed * 1_000_003 + number
    R.seed(seed)
    np.random.seed(seed % (1 << 32))
    s = Spec()
    kind(s)
    path = lambda file: os.path.join(folder, file)
    np.savez(path("weights.npz"), **{n: s.data[n] for n, t in s.tensors.items() if t.get("coeff")})
    np.savez(path("inputs.npz"), **{n: s.data[n] for n in s.inputs})
    with open(path("spec.json"), "w") as file:
        json.dump(s.json(), file)


def random(binary, args, deadline):
    kinds = [(name, kind) for name, kind in sorted(KINDS.items()) if re.fullmatch(args.only or ".*", name)]
    if not kinds:
        sys.exit(f"--only {args.only}: no kind of random graph has such a name; there are {', '.join(sorted(KINDS))}")
    # The generator of random numbers is shared.
    making = threading.Lock()

    def one(number):
        turn, at = divmod(number, len(kinds))
        name, kind = kinds[at]
        # Neighbors take turns, too, so that a short run has all of it.
        more, chosen = [["--all"], []][(turn + at) % 2], [None, "none"][(turn + at) // 2 % 2]
        with tempfile.TemporaryDirectory() as folder:
            with making:
                random_graph(args.seed, number, kind, folder)
            spec = os.path.join(folder, "spec.json")
            outcome = compare(binary, spec, os.path.join(folder, "inputs.npz"), folder, *more, libraries=chosen, may_reject=True)
            if outcome.problem:
                print(f"random graph {number} of seed {args.seed} ({name}): {outcome.problem}\n{open(spec).read()}", flush=True)
        return outcome

    def until_over(first):
        numbers = itertools.takewhile(lambda _: not deadline.is_over(), itertools.count(first, WORKERS))
        return [one(number) for number in numbers]

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        outcomes = [outcome for each in pool.map(until_over, range(WORKERS)) for outcome in each]
    compared, failures = sum(o.compared for o in outcomes), sum(bool(o.problem) for o in outcomes)
    fallbacks = sorted({f for o in outcomes for f in o.fallbacks})
    print("\n".join([*(f"fallback: {f}" for f in fallbacks), f"random: {len(outcomes)} graphs, {compared} agree, {failures} differ"]), flush=True)
    return failures or int(not compared)


PARTS = {part.__name__: part for part in (first, recorded, libraries, float16, random, sanitizer)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--part", required=True, choices=PARTS)
    parser.add_argument("--cases")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    failures = PARTS[args.part](os.path.abspath(args.bin), args, Deadline(args.minutes))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
