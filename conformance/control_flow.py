#!/usr/bin/env python3
"""Compares tpulang with TPU-MLIR on random networks with branches, and loops that `tpulang convert` unrolls.

    control_flow.py --bin TPULANG [--seeds FROM:TO] [--keep DIR]

For each network, tpuc-opt must accept what `tpulang convert` writes, and the Top executor must compute the same outputs as
`tpulang run` does for the spec, the converted module and tpuc-opt's module, whichever branches are taken.
"""
import argparse
import json
import os
import random
import re
import sys
import tempfile

from compare import compare_arrays
from judge import TOLERANCE
from peer import ToolChain, call, forked

chain = ToolChain()
if "TPULANG_CONTROL_FLOW" not in os.environ:
    # The loader reads the library path only when a process starts.
    os.execve(sys.executable, [sys.executable] + sys.argv, dict(chain.env, TPULANG_CONTROL_FLOW="1"))
import numpy as np
import tpu_mlir  # sets the paths of what follows
import pymlir

SHAPES = [[2, 3], [1, 4], [4], [1], [2, 1, 3], [1, 2, 3, 3]]


class ControlFlowNetwork:
    """A spec under construction. All tensors that operators share have one shape."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.shape, self.made = self.r.choice(SHAPES), 0
        # The executor computes 0 for a branch in a branch.
        self.in_branch = False
        float32 = lambda shape: {"dtype": "float32", "shape": list(shape)}
        self.tensors = {"x": float32(self.shape), "y": float32(self.shape), "c": float32([1])}
        self.weights = {"w": self.draw(self.shape), "m": self.draw([self.shape[-1]] * 2)}
        self.tensors.update({k: dict(float32(v.shape), coeff=True) for k, v in self.weights.items()})

    def draw(self, shape):
        return self.numbers.standard_normal(shape).astype(np.float32)

    def name(self, stem="t"):
        self.made += 1
        return "%s%d" % (stem, self.made)

    def simple(self, known):
        """Returns a call on known tensors."""
        a, b = self.r.sample(known, 2)
        number = self.r.choice([0.0, 1.0, -0.5, 2.0])
        pair = lambda first, second: {"tensor_i0": first, "tensor_i1": second}
        kinds = [("add", pair(a, b)), ("sub", pair(a, b)), ("mul", pair(a, number)), ("add", pair(a, number)), ("relu", {"input": a}),
                 ("tanh", {"input": a}), ("abs", {"input": a}), ("max", pair(a, b)), ("add", pair(a, "w")),
                 ("reshape", {"tensor": a, "new_shape": self.shape})]
        if len(self.shape) > 1:
            kinds += [("matmul", {"input": a, "right": "m"})] * 2
        op, args = self.r.choice(kinds)
        return {"op": op, "args": args, "out": self.name()}

    def block(self, known, depth, length):
        """Returns calls, and the tensors that are known after them."""
        ops, known = [], list(known)
        for _ in range(length):
            made = self.r.choice([self.simple] * 3 + [self.loop] * (depth > 0) + [self.cond] * (depth > 0 and not self.in_branch))
            added = [made(known)] if made == self.simple else made(known, depth - 1)
            ops += added
            known += [t for op in added for t in (op["out"] if isinstance(op["out"], list) else [op["out"]]) if t not in ("i", "")]
            known = [t for t in known if not t.startswith(("i", "s"))]
        return ops, known

    def yielded(self, known, outer, count, constants=("w",)):
        """Chooses values that a block yields: mostly new ones."""
        new = [t for t in known if t not in outer]
        return [self.r.choice(new if new and self.r.random() < 0.7 else known + list(constants)) for _ in range(count)]

    def cond(self, known, depth):
        count, blocks, self.in_branch = self.r.randint(1, 3), {}, True
        for branch in ("then", "else"):
            ops, inner = self.block(known, depth, self.r.randint(0, 3))
            blocks[branch] = {"ops": ops, "outputs": self.yielded(inner, known, count)}
        self.in_branch = False
        outs = [self.name() for _ in range(count)]
        return [{"op": "top.If", "args": {"cond": "c"}, **blocks, "out": outs, "out_dtype": ["float32"] * count,
                 "out_shape": [self.shape] * count}]

    def loop(self, known, depth):
        """A loop that carries two tensors, and stacks up to two, which are then summed up."""
        rounds, count = self.name("rounds"), self.r.randint(0, 3)
        stacked = self.r.randint(0, 2) if count else 0
        self.tensors[rounds] = {"dtype": "int32", "shape": [1], "coeff": True, "data": [count]}
        number, again, a, b = self.name("i"), self.name("i"), self.name(), self.name()
        dtype = self.r.choice(["int32", "float32"])
        inputs = {number: {"dtype": dtype, "shape": [1]}, again: {"shape": [1]}, a: {"shape": self.shape}, b: {"shape": self.shape}}
        ops, inner = [], known + [a, b]
        if self.r.random() < 0.5:
            if dtype == "int32":
                cast = self.name("i")
                ops.append({"op": "cast", "args": {"tensor_i": number, "out_dtype": "float32"}, "out": cast})
                number = cast
            ops.append({"op": "add", "args": {"tensor_i0": self.r.choice(inner), "tensor_i1": number}, "out": self.name()})
            inner.append(ops[-1]["out"])
        more, inner = self.block(inner, depth, self.r.randint(0, 3))
        # tpuc-opt loses the values of stacked constants in a branch.
        outputs = [again] + self.yielded(inner, known, 2) + self.yielded(inner, known, stacked, ())
        outs, stacks = [self.name(), self.name()], [self.name("s") for _ in range(stacked)]
        result = [{"op": "top.Loop", "args": {"M": rounds, "v_initial": [self.r.choice(known), self.r.choice(known)]},
                   "body": {"inputs": inputs, "ops": ops + more, "outputs": outputs}, "out": outs + stacks,
                   "out_dtype": ["float32"] * (2 + stacked), "out_shape": [self.shape] * 2 + [[count] + self.shape] * stacked}]
        for stack in stacks:
            result.append({"op": "reduce", "args": {"input": stack, "axes": [0], "keep_dims": False}, "out": self.name()})
        return result

    def spec(self):
        ops, known = self.block(["x", "y"], 2, self.r.randint(2, 5))
        # Different outputs: tpuc-opt merges equal ones, and removes operators that change nothing.
        last = [t for t in known if t not in ("x", "y")][-4:]
        outputs = ["o%d" % i for i in range(len(last))]
        ops += [{"op": "mul", "args": {"tensor_i0": t, "tensor_i1": 1.5 + i}, "out": o} for i, (t, o) in enumerate(zip(last, outputs))]
        used = json.dumps(ops)
        inputs = [t for t in ("x", "y", "c") if '"%s"' % t in used] or ["x"]
        tensors = {k: v for k, v in self.tensors.items() if "coeff" in v or k in inputs}
        return {"version": 1, "name": "net", "weights": "net.npz", "tensors": tensors, "inputs": inputs, "ops": ops,
                "outputs": outputs}


def execute(path, feeds, out, names):
    """Run the Top executor in a child process, since it may crash; return the problem or None."""

    def infer():
        os.chdir(os.path.dirname(path))
        # Otherwise the executor overwrites tensors that blocks use.
        pymlir.set_mem_mode("force_value_mem")
        module = pymlir.module()
        module.load(os.path.basename(path))
        # Inputs that are not used are removed; results that are equal to others may have another name.
        for name in module.input_names:
            module.set_tensor(name, feeds[name], list(feeds[name].shape))
        module.invoke()
        found = [module.get_tensor(name) for name in module.output_names]
        np.savez(out, **dict(zip(names, found, strict=True)))

    problem = forked(infer, out + ".log")
    return problem and "the executor: " + problem


def problem_of(binary, seed, folder):
    """Return what is wrong with the network of a seed, or None."""
    network = ControlFlowNetwork(seed)
    spec = network.spec()
    at = lambda name: os.path.join(folder, name)
    json.dump(spec, open(at("net.json"), "w"))
    np.savez(at("net.npz"), **network.weights)
    rc, text = call(binary, "convert", at("net.json"), "-o", folder)
    if rc:
        return "convert: " + text[-500:]
    if "top.Loop" in open(at("net_origin.mlir")).read():
        return "a loop is left"
    rc, text = chain.canonicalize(folder, "net_origin.mlir", "net.mlir")
    if rc:
        return "tpuc-opt ended with %d: %s" % (rc, text[:500])
    feeds = {name: network.draw(spec["tensors"][name]["shape"]) for name in spec["inputs"]}
    for condition in (0, 1):
        if "c" in feeds:
            feeds["c"] = np.array([condition], np.float32)
        np.savez(at("feeds.npz"), **feeds)
        problem = execute(at("net.mlir"), feeds, at("theirs.npz"), spec["outputs"])
        if problem:
            return problem
        theirs = dict(np.load(at("theirs.npz")))
        removed = set(feeds) - set(re.findall(r'loc\("(\w+)"\)', open(at("net.mlir")).read()))
        for model in ("net.json", "net_origin.mlir", "net.mlir"):
            if model == "net.mlir":
                np.savez(at("feeds.npz"), **{k: v for k, v in feeds.items() if k not in removed})
            rc, text = call(binary, "run", at(model), "-i", at("feeds.npz"), "-o", at("ours.npz"))
            if rc:
                return "run %s: %s" % (model, text[-500:])
            # tpuc-opt may rename outputs.
            for name, value in zip(spec["outputs"], np.load(at("ours.npz")).values(), strict=True):
                problem = compare_arrays(name, theirs[name], value, TOLERANCE)
                if problem:
                    return "%s with the condition %d: %s" % (model, condition, problem)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", default="0:60", metavar="FROM:TO")
    parser.add_argument("--keep", metavar="DIR")
    args = parser.parse_args()
    first, last = (int(n) for n in args.seeds.split(":"))
    if first >= last:
        parser.error("--seeds %s: no seed" % args.seeds)
    failed = 0
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as work:
            folder = os.path.join(os.path.abspath(args.keep), str(seed)) if args.keep else work
            os.makedirs(folder, exist_ok=True)
            problem = problem_of(os.path.abspath(args.bin), seed, folder)
        if problem:
            failed += 1
            print("seed %d: %s" % (seed, problem), flush=True)
    print("control flow: %d networks, %d failures" % (last - first, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
