#!/usr/bin/env python3
"""Measures the time to build and convert a graph with tpulang and with TpuLang, interleaved in pairs.

    build_convert.py --bin TPULANG [--runs N] [--minilm build/minilm] [--most 1000000] [--out docs/performance/build.txt]

Both read the same spec and weights and write `_origin.mlir` and npz. Whole processes are timed, and for TpuLang also
the work without starting Python and importing modules. Graphs: one operator, a chain of 10,000, and MiniLM if
`make minilm` has made it. For tpulang only: a large weights file, compared with a plain copy that is synced, and
chains of up to a million operators. The tables are written to a file that compare.py includes.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conformance.peer import ToolChain, checked

# Seconds of a command: a chain of a million operators takes minutes.
LIMIT = 1800

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
    # TpuLang takes numbers only by position
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
    said = checked(*command, limit=LIMIT)
    return time.perf_counter() - start, said


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
    return [name, "%.3f" % ours, "%.3f" % peer, "%.3f" % inner, "%.0f" % whole, "%.1f" % work_alone]


def copy(source, target):
    """Return the seconds that a plain copy takes, including syncing to disk."""
    start = time.perf_counter()
    with open(source, "rb") as f, open(target, "wb") as t:
        while piece := f.read(1 << 20):
            t.write(piece)
        t.flush()
        os.fsync(t.fileno())
    return time.perf_counter() - start


def written(binary, runs, work):
    """Compare the conversion of a large weights file with a plain copy."""
    import numpy as np

    shape, folder = [1 << 13, 1 << 13], os.path.join(work, "weights")
    os.makedirs(folder)
    weights, spec = os.path.join(folder, "w.npz"), os.path.join(folder, "net.json")
    np.savez(weights, w=np.random.default_rng(0).standard_normal(shape, dtype="float32"))
    net = {"version": 1, "name": "heavy", "weights": "w.npz", "tensors": {"x": {"shape": [1, shape[0]]}, "w": {"shape": shape, "coeff": True}}}
    net.update(inputs=["x"], ops=[{"op": "matmul", "args": {"input": "x", "right": "w"}, "out": "y"}], outputs=["y"])
    json.dump(net, open(spec, "w"))
    ratios, times = [], []
    for i in range(runs + 1):
        plain = copy(weights, os.path.join(folder, "copy.npz"))
        ours, _ = timed(binary, "convert", spec, "-o", os.path.join(folder, "out"))
        if i:
            ratios.append(plain / ours)
            times.append((ours, plain))
    ours, plain = (statistics.median(t) for t in zip(*times))
    return ["%.0f MiB" % (os.path.getsize(weights) / 2 ** 20), "%.3f" % ours, "%.3f" % plain, "%.2f" % statistics.median(ratios)]


def growth(binary, runs, work, most):
    """Return the microseconds per operator, for chains of increasing length. The longest runs three times at most."""
    rows, n, folder = [], 1000, os.path.join(work, "growth")
    os.makedirs(folder)
    import numpy as np

    feeds = os.path.join(folder, "x.npz")
    np.savez(feeds, x=np.zeros([1, 8], "float32"))
    while n <= most:
        spec, mlir = os.path.join(folder, "chain.json"), os.path.join(folder, "chain_origin.mlir")
        chain(spec, n)
        times = [[] for _ in range(4)]
        for _ in range(runs if n < most else min(runs, 3)):
            times[0].append(timed(binary, "check", spec)[0])
            times[1].append(timed(binary, "convert", spec, "-o", folder)[0])
            told = json.loads(timed(binary, "bench", mlir, "-i", feeds, "--repeat", "3", "--json")[1])
            times[2].append(told["first_ms"] / 1e3)
            times[3].append(told["min_ms"] / 1e3)
        rows.append(["{:,}".format(n), *("%.2f" % (min(t) * 1e6 / n) for t in times)])
        n *= 10
    return rows


def table(heads, rows):
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "\n".join("| %s |" % " | ".join(line) for line in lines)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin", required=True)
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--minilm", default="build/minilm")
    ap.add_argument("--most", type=int, default=1000000, help="operators of the longest chain")
    ap.add_argument("--out", default="docs/performance/build.txt")
    a = ap.parse_args()
    # TpuLang runs in processes of its own, which need the libraries.
    os.environ["LD_LIBRARY_PATH"] = ToolChain().env["LD_LIBRARY_PATH"]
    binary = os.path.abspath(a.bin)
    with tempfile.TemporaryDirectory() as work:
        os.environ.setdefault("REGRESSION_PATH", work)
        spec = os.path.join(work, "chain.json")
        rows = []
        for n, name in [(1, "one operator"), (10000, "a chain of 10,000")]:
            chain(spec, n)
            rows.append(measure(name, spec, binary, a.runs, work))
        minilm = os.path.join(a.minilm, "minilm.json")
        if os.path.exists(minilm):
            rows.append(measure("MiniLM", minilm, binary, a.runs, work))
        else:
            print("MiniLM: `make minilm` first", file=sys.stderr)
        parts = ["## Converting", "Medians of %d pairs of whole processes. \"Without start\" leaves out starting Python and importing modules." % a.runs]
        parts.append(table(["", "tpulang s", "TpuLang s", "without start s", "/ TpuLang", "/ without start"], rows))
        parts.append("A large weights file, compared with a plain copy that is synced to disk:")
        parts.append(table(["weights", "tpulang s", "copy s", "/ copy"], [written(binary, a.runs, work)]))
        parts += ["## Growth", "Microseconds per operator in chains of small operators, minimum of %d, and of %d for the longest: whole processes that check or convert, the first result of a module (reading, preparing, running), and later runs." % (a.runs, min(a.runs, 3))]
        parts.append(table(["operators", "check", "convert", "first result", "run"], growth(binary, a.runs, work, a.most)))
    text = "\n\n".join(parts) + "\n"
    print(text)
    os.makedirs(os.path.dirname(os.path.abspath(a.out)), exist_ok=True)
    with open(a.out, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
