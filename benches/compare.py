#!/usr/bin/env python3
"""Compares the speed of whole models and single operators with other programs, in one run.

    compare.py --bin TPULANG [--peer VENV] [--quick] [--only REGEX] [--threads 1,2] [--rounds N] [--out FILE.md]

Run it with the Python of benches/setup.sh; VENV is the one of conformance/setup.sh, for pymlir. Every network is written
as a spec, as ONNX, as a PyTorch module and as MLIR, with the same random weights. Outputs are compared first: a program
further than 1e-3 (relative L2) from onnxruntime is not timed, and the exit code is 1. Then the programs take turns: each
runs for --seconds per round, and the result is the median of the rounds' medians. Tables and picture are written to
FILE.md and FILE.svg, the measurements to FILE.json.
"""
import argparse
import collections
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys

import numpy as np

import report
from models import MODELS
from single import SINGLE

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-3
QUICK = r"resnet50|mobilenet_v2|minilm_128|qwen2_decode_512|gemm_512|conv_3x3_64_56|depthwise_3x3_144_56|layer_norm_128x768|chain_64x112x112|permute_nhwc.*|matmul_int_512"


class Ours:
    """`tpulang bench`, started for each round."""

    def __init__(self, binary, folder, threads):
        self.command = [binary, "bench", os.path.join(folder, "net.json"), "-i", os.path.join(folder, "inputs.npz"), "-j", str(threads), "--json"]
        self.first, self.peak, self.remark = [], 0, ""

    def measure(self, runs):
        figures = json.loads(said_by(self.command + ["--repeat", str(runs)]))
        self.first.append(figures["first_ms"])
        self.peak = max(self.peak, figures.get("peak_bytes", 0))
        return figures["median_ms"]

    def end(self):
        pass


class Peer:
    def __init__(self, python, kind, name, folder, threads):
        command = [python, os.path.join(HERE, "peers.py"), kind, name, folder, str(threads)]
        self.log = open(os.path.join(folder, "%s.log" % kind), "w")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        ready = self.hear()
        self.problem, self.version = ready.get("problem"), ready.get("version")
        self.outputs, self.remark = ready.get("outputs"), ready.get("remark", "")

    def hear(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"problem": "it ended, exit code %s" % self.process.wait()}

    def measure(self, runs):
        self.process.stdin.write("%d\n" % runs)
        self.process.stdin.flush()
        heard = self.hear()
        if "ms" not in heard:
            raise RuntimeError("a peer stopped: %s, see %s" % (heard, self.log.name))
        return statistics.median(heard["ms"])

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def said_by(command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), (p.stderr or p.stdout)[-1000:]))
    return p.stdout


def prepare(a, name, make):
    """Write all forms; return the network, its folder, and the operations and bytes that any kernel needs."""
    net, folder = make(), os.path.join(a.work, name)
    spec = net.write_spec(folder)
    with open(os.path.join(folder, "net.onnx"), "wb") as f:
        f.write(net.onnx())
    said_by([a.bin, "convert", spec, "-o", folder])
    outputs = os.path.join(folder, "outputs_ours.npz")
    run = [a.bin, "run", spec, "-i", os.path.join(folder, "inputs.npz"), "-o", outputs, "--profile=json"]
    profile = json.loads(said_by(run))
    with open(os.path.join(folder, "profile.json"), "w") as f:
        json.dump(profile, f, indent=1)
    with np.load(outputs) as results:
        written = sum(results[n].nbytes for n in results.files)
    operations = sum(s["operations"] for s in profile["steps"])
    return net, folder, {"operations": operations, "bytes": net.read() + written}


def distance(reference, found):
    """Return the largest relative L2 error; outputs are compared by name, or by position if a tool renames them."""
    with np.load(reference) as a, np.load(found) as b:
        pairs = zip(a.files, a.files if set(a.files) <= set(b.files) else b.files)
        worst = 0.0
        for x, y in ((a[i].astype(np.float64).ravel(), b[j].astype(np.float64).ravel()) for i, j in pairs):
            if x.size != y.size:
                return float("inf")
            error = np.linalg.norm(x - y) / max(np.linalg.norm(x), 1e-30)
            worst = max(worst, error if np.isfinite(error) else float("inf"))
        return worst


def measure(a, name, net, folder, threads, versions, wrong):
    """Return one row: the programs and their measurements."""
    players, row = {"tpulang": Ours(a.bin, folder, threads)}, {"remarks": {}}
    integers = any(op.kind.endswith("_int") for op in net.ops())
    for kind in a.peers:
        # tract's Python package uses one thread.
        if integers and kind != "onnxruntime" or kind == "tract" and threads > 1:
            continue
        peer = Peer(a.peer if kind == "pymlir" else sys.executable, kind, name, folder, threads)
        if peer.problem:
            row["remarks"][kind] = peer.problem
            peer.end()
        else:
            players[kind], versions[kind] = peer, peer.version
    reference = next((p.outputs for p in players.values() if isinstance(p, Peer)), None)
    for kind, player in list(players.items()):
        outputs = os.path.join(folder, "outputs_ours.npz") if kind == "tpulang" else player.outputs
        error = distance(reference, outputs) if reference else 0.0
        if error > TOLERANCE:
            wrong.append("%s: %s differs by %.1e" % (name, kind, error))
            row["remarks"][kind] = "other numbers (%.1e)" % error
            players.pop(kind).end()
        elif player.remark:
            row["remarks"][kind] = player.remark
    times = take_turns(a, players)
    row["ms"] = {kind: statistics.median(t) for kind, t in times.items()}
    if "tpulang" in players:
        row["first_ms"], row["peak_bytes"] = statistics.median(players["tpulang"].first), players["tpulang"].peak
    for player in players.values():
        player.end()
    return row


def take_turns(a, players):
    # The number of runs that fill the time.
    runs = {k: max(2, min(500, int(a.seconds * 1e3 / max(p.measure(2), 1e-3)))) for k, p in players.items()}
    times, order = {k: [] for k in players}, collections.deque(players)
    for _ in range(a.rounds):
        for kind in order:
            times[kind].append(players[kind].measure(runs[kind]))
        order.rotate(1)
    return times


def machine(a, threads):
    return json.loads(said_by([sys.executable, os.path.join(HERE, "peers.py"), "machine", "-", "-", str(threads)]))


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(l.split(":")[1].strip() for l in f if l.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--peer", default="target/peer")
    ap.add_argument("--peers", default=",".join(report.PEERS), help="some of " + ", ".join(report.PEERS))
    ap.add_argument("--only", help="regular expression that matches full names of networks")
    ap.add_argument("--threads", default="1,2")
    ap.add_argument("--rounds", type=int)
    ap.add_argument("--seconds", type=float, help="per program and round")
    ap.add_argument("--quick", action="store_true", help="few networks and short rounds, to test the benchmark itself")
    ap.add_argument("--work", default="build/bench")
    ap.add_argument("--out")
    a = ap.parse_args()
    a.rounds = a.rounds or (2 if a.quick else 5)
    a.seconds = a.seconds or (0.3 if a.quick else 1.0)
    a.only = a.only or (QUICK if a.quick else ".*")
    a.out = a.out or (os.path.join(a.work, "performance.md") if a.quick else "docs/performance.md")
    a.bin, a.work, a.threads = os.path.abspath(a.bin), os.path.abspath(a.work), [int(t) for t in a.threads.split(",")]
    # Do not resolve the link: in the virtual environment it finds its packages, its target does not.
    a.peer = os.path.abspath(os.path.join(a.peer, "bin", "python"))
    a.peers = [p for p in a.peers.split(",") if p and (p != "pymlir" or os.path.exists(a.peer))]
    return a


def main():
    a = arguments()
    os.makedirs(a.work, exist_ok=True)
    networks = {n: m for n, m in {**MODELS, **SINGLE}.items() if re.fullmatch(a.only, n)}
    if not networks:
        sys.exit("--only %s: no network has such a name; there are %s" % (a.only, ", ".join([*MODELS, *SINGLE])))
    versions, wrong, rows = {"tpulang": said_by([a.bin, "--version"]).split()[-1]}, [], []
    peaks = {t: machine(a, t) for t in a.threads}
    for name, make in networks.items():
        net, folder, least = prepare(a, name, make)
        for threads in a.threads:
            row = measure(a, name, net, folder, threads, versions, wrong)
            rows.append({"name": name, "model": name in MODELS, "threads": threads, **least, **row})
            print("%-26s %d threads  %s" % (name, threads, "  ".join("%s %.3f" % item for item in row["ms"].items())), flush=True)
    told = {"machine": processor(), "cores": os.cpu_count(), "system": platform.platform(), "versions": versions,
            "date": datetime.date.today().isoformat(), "quick": a.quick, "rounds": a.rounds, "seconds": a.seconds,
            "peaks": peaks, "rows": rows, "wrong": wrong}
    report.write(a.out, told)
    print("%s" % a.out)
    if wrong:
        sys.exit("not timed:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
