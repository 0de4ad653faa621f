#!/usr/bin/env python3
"""Compares the gradients of random networks with PyTorch's in float64: those of all inputs and weights.

    fuzz_gradients.py --bin TPULANG [--seeds FROM:TO] [--jobs N] [--keep FOLDER]

The networks are those of fuzz_networks.py, with floats only and without loops whose trip count is computed. For a seed that fails,
the first wrong gradient is printed; --keep writes the network to a folder. Needs Python with PyTorch.
"""
import argparse
import importlib.util
import multiprocessing
import pathlib
import sys
import tempfile
import time
import traceback

if not importlib.util.find_spec("torch"):
    sys.exit("fuzz_gradients.py needs PyTorch; use the Python of the environment that benches/setup.sh makes")

import numpy as np
import torch

from fuzz_networks import seeds
from networks import generate
from networks.reference import disturbed, evaluate_call, results_of
from networks.ways import Failed, Runner, write

# A gradient may be off by this part of its norm, plus MARGIN times the error to expect from rounding.
TOLERANCE = 1e-5
MARGIN = 50


def gradients(spec, data, floats, noise):
    """Return PyTorch's gradients of the sum of the outputs, computed in the type `floats`."""
    values, leaves = {}, {}
    for name in spec["tensors"]:
        value = torch.from_numpy(np.array(data[name]))
        if value.is_floating_point():
            value = (disturbed(value.float()) if noise else value).to(floats)
            leaves[name] = value.clone().requires_grad_()
            value = leaves[name]
        values[name] = value
    for op in spec["ops"]:
        values.update(zip(results_of(op), evaluate_call(op, values, floats)))
    outputs = [values[n] for n in spec["outputs"] if values[n].is_floating_point()]
    loss = sum(o.sum() for o in outputs)
    if not isinstance(loss, torch.Tensor) or not loss.requires_grad:
        return None
    found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    return {n: torch.zeros_like(leaves[n]) if g is None else g for n, g in zip(leaves, found)}


def problem(spec, data, runner):
    """Return the first wrong gradient, or None."""
    expected = gradients(spec, data, torch.float64, False)
    if not expected or not all(torch.isfinite(g).all() and g.abs().max() < 1e12 for g in expected.values()):
        return None
    rounded = gradients(spec, data, torch.float32, True)
    with tempfile.TemporaryDirectory() as folder:
        folder = write(spec, data, folder)
        names = ",".join(expected)
        try:
            runner.command("gradients", str(folder / "net.json"), "--with-respect-to", names, "-o", str(folder / "grad.json"))
            found = runner.run(folder, model="grad.json")
        except Failed as failure:
            return str(failure)
    # What cancels out leaves rounding errors of the size of the network's gradients.
    noise = 2e-7 * max(g.norm().item() for g in expected.values())
    for name, value in expected.items():
        ours = torch.from_numpy(found[name + "_grad"]).double()
        # A function may give a weight more axes of size 1.
        if ours.shape != value.shape and not (name.startswith("w") and ours.squeeze().shape == value.squeeze().shape):
            return "the gradient of %s is %s instead of %s" % (name, list(ours.shape), list(value.shape))
        size = value.norm().item()
        error = (ours.reshape(value.shape) - value).norm().item()
        allowed = TOLERANCE * size + MARGIN * (rounded[name].double() - value).norm().item()
        if not error <= allowed + noise:
            return "the gradient of %s is off by %.3g of its norm %.6g (allowed: %.3g)" % (name, error / max(size, 1e-30), size, allowed / max(size, 1e-30))
    return None


def has_computed_trip_count(op):
    """Return whether an operator is a loop whose condition is computed, or has one in a block; such loops have no gradient."""
    if op["op"] == "top.Loop" and "cond" in op["args"]:
        return True
    blocks = [op[k] for k in ("then", "else", "body") if k in op]
    return any(has_computed_trip_count(inner) for block in blocks for inner in block["ops"])


def worker(job):
    seed, runner, arguments = job
    try:
        network = generate(seed, arguments.most)
        if network.mode == "quantized" or network.float != "float32":
            return seed, None, None
        spec = network.spec(network.outputs())
        if any(has_computed_trip_count(op) for op in spec["ops"]):
            return seed, None, None
        wrong = problem(spec, network.data, runner)
        if wrong and arguments.keep:
            folder = pathlib.Path(arguments.keep) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            write(spec, network.data, folder)
        return seed, len(spec["ops"]), wrong and "seed %d: %s\n  ops: %s" % (seed, wrong, sorted({op["op"] for op in spec["ops"]}))
    except Exception:
        return seed, 0, "seed %d: the fuzzer itself failed\n%s" % (seed, traceback.format_exc())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", default="0:200", help="FROM:TO, without TO; or several, with commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=60, help="the largest number of operators")
    parser.add_argument("--keep", metavar="FOLDER")
    arguments = parser.parse_args()
    runner, begun = Runner(arguments.bin), time.time()
    networks = operators = failures = 0
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for seed, count, wrong in pool.imap_unordered(worker, ((seed, runner, arguments) for seed in seeds(arguments.seeds))):
            if count is None:
                continue
            networks, operators, failures = networks + 1, operators + count, failures + bool(wrong)
            if wrong:
                print(wrong, flush=True)
    print("%d networks of %d operators, %d failures in %.0f s" % (networks, operators, failures, time.time() - begun))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
