#!/usr/bin/env python3
"""Compares random networks of 20 to 200 operators: every tensor with PyTorch in float64, and all ways of running a network with
each other.

    fuzz_networks.py --bin TPULANG [--seeds FROM:TO] [--jobs N] [--gpu-every N] [--keep FOLDER] [--no-shrink]

networks/ways.py lists the ways. For a seed that fails, the way and the first wrong tensor are printed, and the network is shrunk;
--keep writes its spec, weights and inputs to a folder. Needs Python with PyTorch.
"""
import argparse
import collections
import importlib.util
import json
import multiprocessing
import pathlib
import sys
import tempfile
import time
import traceback

if not importlib.util.find_spec("torch"):
    sys.exit("fuzz_networks.py needs PyTorch; use the Python of the environment that benches/setup.sh makes")

from networks import generate
from networks.judge import Difference, Reference, examine
from networks.shrink import Shrinker
from networks.ways import GPU, Runner, emulated_libraries, ways, write

ROOT = pathlib.Path(__file__).resolve().parent.parent


def one(seed, runner, arguments):
    """Return the number of operators, and the problem or None."""
    network = generate(seed)
    spec = network.spec(network.outputs())
    chosen = dict(ways(runner))
    if arguments.gpu_every == 0 or seed % arguments.gpu_every:
        chosen.pop(GPU, None)
    try:
        with tempfile.TemporaryDirectory() as folder:
            reference = Reference(spec, network.values, network.error)
            examine(runner, write(spec, network.data, folder), spec, reference, chosen)
        return len(spec["ops"]), None
    except Difference as difference:
        return len(spec["ops"]), report(seed, runner, chosen, spec, network.data, difference, arguments)


def report(seed, runner, chosen, spec, data, difference, arguments):
    text = "seed %d: %s" % (seed, difference)
    if not arguments.no_shrink:
        spec, data, difference = Shrinker(runner, chosen, spec, data, difference).smallest()
        text += "\n  smallest: %s\n  %s" % (difference, json.dumps({k: spec[k] for k in ("mode", "tensors", "inputs", "ops", "outputs")}))
    if arguments.keep:
        folder = pathlib.Path(arguments.keep) / str(seed)
        folder.mkdir(parents=True, exist_ok=True)
        write(spec, data, folder)
        (folder / "difference.txt").write_text(text + "\n")
    return text


def seeds(text):
    """Yield the seeds of a list such as `3,10:20`."""
    for part in text.split(","):
        first, _, last = part.partition(":")
        yield from range(int(first), int(last or int(first) + 1))


def worker(job):
    seed, runner, arguments = job
    try:
        return (seed, *one(seed, runner, arguments))
    except Exception:
        return seed, 0, "seed %d: the fuzzer itself failed\n%s" % (seed, traceback.format_exc())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", default="0:200", help="FROM:TO, without TO; or several, with commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--gpu-every", type=int, default=0, metavar="N", help="every Nth network also on the emulated GPU, whose kernels g++ compiles; 0: none")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--no-shrink", action="store_true")
    arguments = parser.parse_args()
    emulated = emulated_libraries(ROOT / "tests" / "emulated", ROOT / "target" / "tmp") if arguments.gpu_every else None
    runner = Runner(arguments.bin, emulated)
    begun, total = time.time(), collections.Counter()
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        jobs = ((seed, runner, arguments) for seed in seeds(arguments.seeds))
        for seed, operators, wrong in pool.imap_unordered(worker, jobs):
            total.update(networks=1, operators=operators, failures=bool(wrong))
            if wrong:
                print(wrong, flush=True)
            if total["networks"] % 500 == 0:
                print("%d networks, %.0f s" % (total["networks"], time.time() - begun), flush=True)
    print("%(networks)d networks of %(operators)d operators, %(failures)d failures" % total, "in %.0f s" % (time.time() - begun))
    return 1 if total["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
