#!/usr/bin/env python3
"""Compares the gradients of every op that has some, and of whole models, with PyTorch's in float64.

    gradients.py --bin TPULANG [--only WORD] [--keep FOLDER] [--write]

The cases are the tables of gradient_cases/. Each is a spec, which `tpulang gradients` differentiates; all its float operands are
compared. --write rewrites docs/gradients.md, whose introduction is in gradient_cases/introduction.md. Needs Python with PyTorch.
"""
import argparse
import importlib.util
import multiprocessing
import pathlib
import re
import sys
import tempfile
import time
import traceback

if not importlib.util.find_spec("torch"):
    sys.exit("gradients.py needs PyTorch; use the Python of the environment that benches/setup.sh makes")

import numpy as np
import torch

from gradient_cases import CASES
from gradient_cases.models import MODELS
from gradient_cases.table import Constant, is_coefficient
from networks.ways import Failed, Runner, write

ROOT = pathlib.Path(__file__).parent.parent
# A gradient may be off by this part of its norm.
TOLERANCE = 1e-5
# It may also be off by this part of the largest norm of all operands' gradients: what cancels out leaves rounding errors.
NOISE = 1e-7


def dtype_of(array):
    return {"float32": "float32", "int32": "int32", "uint8": "uint8", "int8": "int8", "float16": "float16"}[str(array.dtype)]


def declared(arrays, dtypes):
    return {n: {"shape": list(a.shape) or [1], "dtype": dtypes.get(n, dtype_of(a)), **({"coeff": True} if is_coefficient(a) else {})} for n, a in arrays.items()}


def leaves_of(arrays, is_differentiated):
    """Returns the operands for PyTorch: in float64 what is differentiated and other floats, integers as they are."""
    leaves = {}
    for name, array in arrays.items():
        tensor = torch.from_numpy(np.array(array))
        wanted = is_differentiated(array)
        leaves[name] = tensor.double().requires_grad_(wanted) if wanted or tensor.is_floating_point() else tensor
    return leaves


def reference(case, arrays):
    """Returns weights for the results, and PyTorch's gradients of the weighted sum of all results."""
    leaves = leaves_of(arrays, case.is_differentiated)
    results = case.evaluate(leaves)
    # Few bits, for sums that are exact in float16.
    numbers = np.random.default_rng(len(arrays))
    weights = [None if r is None else (numbers.integers(32, 97, tuple(r.shape) or (1,)) / 64).astype(np.float32) for r in results]
    loss = sum((r.reshape(w.shape) * torch.from_numpy(w).double()).sum() for r, w in zip(results, weights) if r is not None)
    wanted = {n: t for n, t in leaves.items() if t.requires_grad}
    return weights, dict(zip(wanted, torch.autograd.grad(loss, list(wanted.values()))))


def relative_error(ours, expected, whole):
    difference = (torch.from_numpy(ours.astype(np.float64)).reshape(expected.shape) - expected).norm().item()
    if difference == 0:
        return 0.0
    norm = expected.norm().item()
    return difference / (whole if difference <= NOISE * whole else max(norm, 1e-30))


def compare(spec, arrays, expected, of, runner, whole, keep, *options):
    """Returns the relative errors of the gradients by operand. `keep` is a folder for the files, or None."""
    with tempfile.TemporaryDirectory() as folder:
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
        folder = write(spec, arrays, keep or folder)
        runner.command("gradients", str(folder / "net.json"), "--of", ",".join(of), "--with-respect-to", ",".join(expected), "-o", str(folder / "grad.json"), *options)
        found = runner.run(folder, model="grad.json")
    return {n: relative_error(found[n + "_grad"], e, whole) for n, e in expected.items()}


def check_case(job):
    """Returns the largest relative error of a case, or what went wrong."""
    index, runner, keep = job
    case = CASES[index]
    arrays = case.arrays()
    try:
        weights, expected = reference(case, arrays)
        whole = max(e.norm().item() for e in expected.values())
        outputs = ["y%d" % i for i in range(len(weights))]
        ops, losses = [case.call(outputs)], []
        for i, w in enumerate(weights):
            if w is not None:
                arrays["weights%d" % i] = w.astype("float16" if case.out_dtype == "float16" else "float32").view(Constant)
                ops.append({"op": "top.Mul", "args": {"inputs": ["y%d" % i, "weights%d" % i]}, "out": "loss%d" % i})
                losses.append("loss%d" % i)
        tensors = declared(arrays, {"weight": "fp8e4m3"} if case.op == "Fp8MatMul" else {})
        inputs = [n for n, a in arrays.items() if not is_coefficient(a)]
        spec = {"version": 1, "name": "case", "weights": "net.npz", "tensors": tensors, "inputs": inputs, "ops": ops, "outputs": losses}
        return index, compare(spec, arrays, expected, losses, runner, whole, keep and keep / ("%03d-%s" % (index, case.op)), *(["--straight-through"] if case.straight_through else [])), None
    except Failed as failure:
        return index, {}, str(failure)
    except Exception:
        return index, {}, traceback.format_exc()


def check_model(job):
    name, runner, keep = job
    try:
        torch.manual_seed(1)
        spec, arrays, evaluate = MODELS[name]()
        leaves = leaves_of(arrays, lambda array: array.dtype.kind == "f" and not isinstance(array, Constant))
        wanted = {n: t for n, t in leaves.items() if t.requires_grad}
        loss = evaluate(leaves)
        expected = dict(zip(wanted, torch.autograd.grad(loss.sum(), list(wanted.values()))))
        whole = max(e.norm().item() for e in expected.values())
        spec = {"version": 1, "name": "model", "weights": "net.npz", "tensors": declared(arrays, {}), **spec}
        return name, compare(spec, arrays, expected, spec["outputs"], runner, whole, keep and keep / re.sub(r"\W+", "-", name)), None
    except Failed as failure:
        return name, {}, str(failure)
    except Exception:
        return name, {}, traceback.format_exc()


def without_gradient():
    """Returns the ops whose derivative is 0, and those without one with the reason, from the table of rules; a test compares the
    document with it."""
    text = (ROOT / "src/graph/gradients/rules.rs").read_text()
    zero = re.search(r"\(\$form:ident\) => \{ zero! \{ @\$form\n(.*?)\} \};", text, re.S).group(1).split()
    refused = re.search(r"\(\$form:ident, \$op:expr\) => .*?\n(.*?)\n    \} \};", text, re.S).group(1)
    return zero, re.findall(r'(\w+): "(.*?)",', refused)


def power(error):
    """Rounds an error up to a power of ten."""
    return "0" if error == 0 else "1e%d" % int(np.ceil(np.log10(error)))


def table_of_ops(errors):
    rows = {}
    for case, found in zip(CASES, errors):
        row = rows.setdefault(case.op, {"operands": [], "against": [], "error": 0.0})
        row["operands"] += [n for n, v in case.operands.items() if any(map(case.is_differentiated, v if isinstance(v, list) else [v])) and n not in row["operands"]]
        row["against"] += [case.against] if case.against and case.against not in row["against"] else []
        row["error"] = max([row["error"], *found.values()])
    lines = ["| op | operands | compared with | error |", "| --- | --- | --- | --- |"]
    for op, row in sorted(rows.items(), key=lambda item: item[0].lower()):
        operands = ", ".join("`%s`" % n for n in row["operands"])
        lines.append("| %s | %s | %s | %s |" % (op, operands, "; ".join(row["against"]), power(row["error"])))
    return "\n".join(lines)


def table_of_models(models):
    lines = ["| model | tensors with gradient | largest error |", "| --- | --- | --- |"]
    lines += ["| %s | %d | %s |" % (name, len(found), power(max(found.values()))) for name, found in models.items()]
    return "\n".join(lines)


def document(errors, models):
    zero, refused = without_gradient()
    introduction = (ROOT / "conformance/gradient_cases/introduction.md").read_text()
    lists = {
        "OPS": table_of_ops(errors), "MODELS": table_of_models(models), "ZERO": ", ".join(zero) + ".",
        "REFUSED": "\n".join(["| op | reason |", "| --- | --- |"] + ["| %s | %s |" % row for row in refused]),
    }
    for name, text in lists.items():
        introduction = introduction.replace("<!-- %s -->" % name, text)
    return introduction


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="", help="cases of ops and models whose name contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="keep specs, inputs and results of each case and model")
    parser.add_argument("--write", action="store_true", help="write docs/gradients.md")
    arguments = parser.parse_args()
    if arguments.write and arguments.only:
        parser.error("--write needs all cases")
    runner, begun, failures = Runner(arguments.bin), time.time(), 0
    errors, models = [{} for _ in CASES], {}

    def report(what, found, problem):
        wrong = ["%s is off by %.2g" % item for item in found.items() if not item[1] <= TOLERANCE]
        if problem or wrong:
            print("%s: %s" % (what, problem or ", ".join(wrong)), flush=True)
        return bool(problem or wrong)

    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        jobs = [(i, runner, arguments.keep) for i, c in enumerate(CASES) if arguments.only in c.op]
        for i, found, problem in pool.imap(check_case, jobs):
            errors[i] = found
            failures += report("%s (case %d)" % (CASES[i].op, i), found, problem)
        for name, found, problem in pool.imap(check_model, [(n, runner, arguments.keep) for n in MODELS if arguments.only in n]):
            models[name] = found
            failures += report(name, found, problem)
    if arguments.write and not failures:
        (ROOT / "docs/gradients.md").write_text(document(errors, models))
    print("%d cases and %d models, %d failures in %.0f s" % (len(jobs), len(models), failures, time.time() - begun))
    return 1 if failures or not jobs and not models else 0


if __name__ == "__main__":
    sys.exit(main())
