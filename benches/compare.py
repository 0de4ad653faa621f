#!/usr/bin/env python3
"""Compares the speed of whole models and single operators with other programs, in one run.

    compare.py --bin TPULANG [--peer VENV] [--quick] [--only REGEX] [--threads 1,2] [--rounds N] [--again] [--out FILE.md]

Run it with the Python of benches/setup.sh; VENV is the one of conformance/setup.sh, for pymlir. Every network is written
as a spec, as ONNX, as a PyTorch module and as MLIR, with the same random weights; a quantized one as ONNX only. Outputs are
compared first: a program further from onnxruntime (relative L2), or from the first program that runs, than the network's tolerance
is not timed. Then the programs take turns: each runs for --seconds per round, and the result is the median of the rounds' medians.
The measurements are written to FILE/avx512.json, or another set of vector instructions, and FILE.md shows all in that folder; those
that were made before an error or Ctrl-C, too. The exit code is 1 if tpulang is not timed, or if a network fails.
With TPULANG_INSTRUCTIONS=avx2, on a machine with more, the peers are limited to AVX2, too, and those that cannot be are left out.
"""
import argparse
import collections
import datetime
import json
import os
import platform
import re
import statistics
import sys

import numpy as np

import limited
import models
import report
from players import RTEN, Ours, Peer, machine
from quantized import QUANTIZED
from single import SINGLE

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conformance.compare import archive_error
from conformance.peer import checked

# A network, the folder of its files, and that of them which tpulang runs.
Files = collections.namedtuple("Files", "name net folder model")
MODELS = {**models.MODELS, **QUANTIZED}
QUICK = r"resnet50|mobilenet_v2|minilm_128|qwen2_decode_512|gemm_512|conv_3x3_64_56|depthwise_3x3_144_56|layer_norm_128x768|chain_64x112x112|permute_nhwc.*|matmul_int_512|resnet50_int8"


def prepare(a, name, net):
    """Write all forms; return the files, and the operations and bytes that any kernel needs."""
    folder = os.path.join(a.work, name)
    model = net.write(folder)
    if "pymlir" in a.peers and takes(net, "pymlir"):
        checked(a.bin, "convert", model, "-o", folder)
    outputs = os.path.join(folder, "outputs_profiled.npz")
    profile = json.loads(checked(a.bin, "run", model, "-i", os.path.join(folder, "inputs.npz"), "-o", outputs, "--profile=json"))
    with open(os.path.join(folder, "profile.json"), "w") as f:
        json.dump(profile, f, indent=1)
    with np.load(outputs) as results:
        written = sum(results[n].nbytes for n in results.files)
    operations = sum(s["operations"] for s in profile["steps"])
    return Files(name, net, folder, model), {"operations": operations, "bytes": net.read() + written}


def takes(net, kind):
    return net.peers() is None or kind in net.peers()


def start(a, files, threads, versions):
    """Return the programs that run the network, by name, and why the others do not run."""
    players, remarks = {"tpulang": Ours(a.bin, files.model, files.folder, threads)}, {}
    for kind in a.peers:
        # tract's Python package uses one thread.
        if not takes(files.net, kind) or kind == "tract" and threads > 1:
            continue
        peer = Peer(a.peer, kind, files, threads, a.starts if files.name in MODELS else 1, a.limits)
        if peer.problem:
            remarks[kind] = peer.problem
            peer.end()
        else:
            players[kind], versions[kind] = peer, peer.version
    return players, remarks


def measure(a, files, threads, versions, wrong):
    """Return the measurements of all programs."""
    players, remarks = start(a, files, threads, versions)
    try:
        reference = next((kind for kind, player in players.items() if isinstance(player, Peer)), None)
        if not reference and remarks:
            raise RuntimeError("no other program runs it: %s" % remarks)
        if reference != "onnxruntime":
            remarks["tpulang"] = "its outputs were compared with those of %s" % (reference or "no other program")
        for kind, player in list(players.items()):
            error = archive_error(player.outputs, players[reference].outputs) if reference else 0.0
            if error > files.net.tolerance:
                wrong.append((files.name, kind, error))
                remarks[kind] = "other numbers (%.1e)" % error
                players.pop(kind).end()
            elif player.remark:
                remarks[kind] = player.remark
        times = take_turns(a, players)
    finally:
        for player in players.values():
            player.end()
    row = {"remarks": remarks, "reference": reference, "ms": medians(times)}
    if files.name in MODELS:
        row["first_ms"] = medians({kind: player.first for kind, player in players.items()})
        row["private_bytes"] = medians({kind: player.peaks for kind, player in players.items()})
    return row


def medians(lists):
    """Return the medians of the lists that have values, to 5 digits."""
    short = lambda value: float("%.5g" % value) if value < 1e5 else int(value)
    return {kind: short(statistics.median(values)) for kind, values in lists.items() if values}


def take_turns(a, players):
    # The number of runs that fill the time.
    runs = {k: max(2, min(500, int(a.seconds * 1e3 / max(p.measure(2), 1e-3)))) for k, p in players.items()}
    times, order = {k: [] for k in players}, collections.deque(players)
    for _ in range(a.rounds):
        for kind in order:
            times[kind].append(players[kind].measure(runs[kind]))
        order.rotate(1)
    return times


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(l.split(":")[1].strip() for l in f if l.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


# The flags of /proc/cpuinfo for each set of instructions, the widest first.
NEEDED = {"amx": {"amx_int8"}, "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}, "avx2": {"avx2"}}


def instructions():
    """Return the vector instructions that tpulang uses, whether the environment limits it to them, and whether the processor
    has VNNI."""
    try:
        with open("/proc/cpuinfo") as f:
            flags = set(next((l.split(":")[1] for l in f if l.startswith("flags")), "").split())
    except OSError:
        flags = set()
    widest = next((name for name, needed in NEEDED.items() if needed <= flags), platform.machine())
    chosen = os.environ.get("TPULANG_INSTRUCTIONS") or widest
    vnni = {"avx_vnni"} if chosen == "avx2" else {"avx512_vnni", "avx_vnni"}
    return {"instructions": chosen, "limited": chosen != widest, "vnni": bool(flags & vnni)}


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
    ap.add_argument("--again", action="store_true", help="keep the former measurements of these networks on this kind of machine, and add these")
    ap.add_argument("--work", default="build/bench")
    ap.add_argument("--out")
    a = ap.parse_args()
    a.rounds = a.rounds or (2 if a.quick else 5)
    a.seconds = a.seconds or (0.3 if a.quick else 1.0)
    # Processes of a peer, for the median of their first results.
    a.starts = 1 if a.quick else 3
    a.only = a.only or (QUICK if a.quick else ".*")
    a.out = a.out or (os.path.join(a.work, "performance.md") if a.quick else "docs/performance.md")
    a.bin, a.work, a.threads = os.path.abspath(a.bin), os.path.abspath(a.work), [int(t) for t in a.threads.split(",")]
    # Do not resolve the link: in the virtual environment it finds its packages, its target does not.
    a.peer = os.path.abspath(os.path.join(a.peer, "bin", "python"))
    needed, wanted = {"pymlir": a.peer, "rten": RTEN}, [p for p in a.peers.split(",") if p]
    a.peers = [p for p in wanted if os.path.exists(needed.get(p, sys.executable))]
    if len(a.peers) < len(wanted):
        print("not installed, and left out: " + ", ".join(p for p in wanted if p not in a.peers), file=sys.stderr)
    return a


def limit_peers(a):
    """Limit the peers to the instructions that the environment limits tpulang to."""
    host, a.limits = instructions(), {}
    if host["limited"] and host["instructions"] != "avx2":
        sys.exit("TPULANG_INSTRUCTIONS=%s: peers can be limited to avx2 only" % host["instructions"])
    if host["limited"]:
        a.peers, a.limits = [p for p in a.peers if p in limited.PEERS], limited.environment(a.work)


def measure_all(a, networks, versions, wrong, rows):
    """Append the measurements of all networks to `rows`; return the errors of networks that fail."""
    failed = []
    for name, make in networks.items():
        try:
            files, least = prepare(a, name, make())
            for threads in a.threads:
                row = measure(a, files, threads, versions, wrong)
                rows.append({"name": name, "model": name in MODELS, "threads": threads, **least, **row})
                print("%-26s %d threads  %s" % (name, threads, "  ".join("%s %.3f" % item for item in row["ms"].items())), flush=True)
        except RuntimeError as problem:
            failed.append("%s: %s" % (name, problem))
            print(failed[-1], file=sys.stderr, flush=True)
    return failed


def keep(a, versions, peaks, rows):
    told = {"machine": processor(), **instructions(), "cores": os.cpu_count(), "system": platform.platform(), "versions": versions,
            "date": datetime.date.today().isoformat(), "quick": a.quick, "rounds": a.rounds, "seconds": a.seconds,
            "peaks": peaks, "rows": rows}
    report.keep(a.out, told, a.again)
    report.write(a.out)
    print("%s" % a.out)


def main():
    a = arguments()
    os.makedirs(a.work, exist_ok=True)
    limit_peers(a)
    known = {**MODELS, **SINGLE}
    networks = {n: m for n, m in known.items() if re.fullmatch(a.only, n)}
    if not networks:
        sys.exit("--only %s: no network has such a name; there are %s" % (a.only, ", ".join(known)))
    versions, wrong, rows = {"tpulang": checked(a.bin, "--version").split()[-1]}, [], []
    peaks = {str(t): machine(t, a.limits) for t in a.threads}
    try:
        failed = measure_all(a, networks, versions, wrong, rows)
    finally:
        # What hours have measured is kept, whatever ends the run.
        if rows:
            keep(a, versions, peaks, rows)
    for name, kind, error in wrong:
        print("not timed: %s differs by %.1e in %s" % (kind, error, name), file=sys.stderr)
    sys.exit(bool(failed) or any(kind == "tpulang" for _, kind, _ in wrong))


if __name__ == "__main__":
    main()
