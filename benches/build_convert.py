#!/usr/bin/env python3
"""Time to build and convert a graph: tpulang beside TpuLang's Python, in one run, in pairs.

    build_convert.py --bin TPULANG [--runs N] [--minilm build/minilm]

Both sides read the same spec and weights and write `_origin.mlir` and npz. Whole processes are timed, and for TpuLang
also its work alone (building and emitting, without starting Python and importing it). Graphs: a chain of 10,000
operators, and MiniLM where `make minilm` has left it.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

PEER = r'''
import json, os, sys, time
import numpy as np
import tpu_mlir
import transform.TpuLang as tpul
from transform.TpuLangConverter import TpuLangConverter
spec_file, out = sys.argv[1:3]
start = time.perf_counter()
spec = json.load(open(spec_file))
def weights(path):
    if path.endswith(".npz"):
        return np.load(path)
    from safetensors.numpy import load_file
    return load_file(path)
data = weights(os.path.join(os.path.dirname(spec_file), spec["weights"])) if "weights" in spec else {}
tpul.init("bm1684x")
t = {}
for n, d in spec["tensors"].items():
    coeff = d.get("coeff", False)
    t[n] = tpul.Tensor(name=n, shape=d["shape"], dtype=d.get("dtype", "float32"), ttype="coeff" if coeff else "neuron", data=data[n] if coeff else None)
def value(v):
    return t[v] if isinstance(v, str) and v in t else v
for o in spec["ops"]:
    args = {k: value(v) for k, v in o["args"].items()}
    # numbers are taken by position only
    first = [args.pop(k) for k in ("tensor_i0", "tensor_i1") if k in args]
    first = [tpul.Scalar(v, "float32") if isinstance(v, (int, float)) else v for v in first]
    t[o["out"]] = getattr(tpul, o["op"])(*first, **args, out_name=o["out"])
g = tpul.TpuLang.graph
g.inputs, g.outputs = [t[n] for n in spec["inputs"]], [t[n] for n in spec["outputs"]]
g.quantized_type_inference()
os.chdir(out)
TpuLangConverter(name="peer", graph=g, mode="f32", no_save=False).generate_mlir("peer_origin.mlir", log_level="quiet")
print(time.perf_counter() - start)
'''


def chain(path, n):
    ops = []
    for i in range(n):
        source = "x" if i == 0 else "t%d" % (i - 1)
        if i % 2:
            ops.append({"op": "add", "args": {"tensor_i0": source, "tensor_i1": 1.0}, "out": "t%d" % i})
        else:
            ops.append({"op": "relu", "args": {"input": source}, "out": "t%d" % i})
    spec = {"version": 1, "name": "chain", "tensors": {"x": {"shape": [1, 8]}}, "inputs": ["x"], "ops": ops, "outputs": ["t%d" % (n - 1)]}
    json.dump(spec, open(path, "w"))


def timed(*command):
    start = time.perf_counter()
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr[-2000:])
    return time.perf_counter() - start, p.stdout


def measure(name, spec, binary, runs, work):
    peer_file = os.path.join(work, "peer.py")
    open(peer_file, "w").write(PEER)
    rows = []
    for i in range(runs + 1):
        ours, _ = timed(binary, "convert", spec, "-o", os.path.join(work, "ours"))
        peer, text = timed(sys.executable, peer_file, os.path.abspath(spec), work)
        if i:  # the first run warms the caches
            rows.append((ours, peer, float(text.split()[-1])))
    ours, peer, inner = (statistics.median(c) for c in zip(*rows))
    whole = statistics.median(p / o for o, p, _ in rows)
    work_alone = statistics.median(w / o for o, _, w in rows)
    print("%-24s tpulang %.3f s   TpuLang %.3f s (its work alone %.3f s)   ratio %.0fx (work alone %.1fx)" % (name, ours, peer, inner, whole, work_alone))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin", required=True)
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--minilm", default="build/minilm")
    a = ap.parse_args()
    import importlib.util
    lib = os.path.join(os.path.dirname(importlib.util.find_spec("tpu_mlir").origin), "lib")
    os.environ["LD_LIBRARY_PATH"] = ":".join([lib, os.path.join(lib, "third_party")])
    with tempfile.TemporaryDirectory() as work:
        os.environ.setdefault("REGRESSION_PATH", work)
        spec = os.path.join(work, "chain.json")
        chain(spec, 10000)
        measure("chain of 10000 operators", spec, os.path.abspath(a.bin), a.runs, work)
        minilm = os.path.join(a.minilm, "minilm.json")
        if os.path.exists(minilm):
            measure("MiniLM (161 operators)", minilm, os.path.abspath(a.bin), a.runs, work)
        else:
            print("MiniLM: `make minilm` first")


if __name__ == "__main__":
    main()
