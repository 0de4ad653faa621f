#!/usr/bin/env python3
"""Compares how tpulang and tpu_mlir read ONNX files: the operators that they make of them, and the time that it takes.

    onnx_readers.py --bin TPULANG --networks DIR --reader VENV --torch DIR [--only REGEX] [--write]

DIR has the files that conformance/onnx_networks.py exports. The operators are those of the canonical modules that tpuc-opt makes.
The time is that of `tpulang convert`, the median of three, and of one run of tpu_mlir's model_transform, without that of tpuc-opt, which
it runs, too.
With --write the table goes to docs/onnx.md.
"""
import argparse
import collections
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conformance import document
from conformance.peer import FLAGS, TIMED_OUT, ToolChain, checked, run

# Operators that hold no computation.
STRUCTURE = {"None", "Input", "Weight", "Yield"}
LIMIT = 900


def operators(path):
    """Count the operators of a module."""
    with open(path) as file:
        names = re.findall(r'"top\.(\w+)"\(', file.read())
    return collections.Counter(name for name in names if name not in STRUCTURE)


class Reader:
    """tpu_mlir's virtual environment."""

    def __init__(self, venv, torch):
        self.chain = ToolChain(os.path.join(venv, "bin", "python"))
        self.env = self.chain.with_modules(torch)

    def call(self, folder, *command):
        """Run a command; return the seconds, and its last error or nothing."""
        start = time.time()
        done = run(*command, cwd=folder, env=self.env, limit=LIMIT)
        seconds, text = time.time() - start, done.stdout + done.stderr
        if done.returncode == 0:
            return seconds, ""
        if done.returncode == TIMED_OUT:
            return seconds, "takes more than %d s" % LIMIT
        errors = re.findall(r"^(?:\w*(?:Error|Exception)\b.*|.*[Nn]ot support.*)$", text, re.M)
        return seconds, re.sub(r"\s+", " ", errors[-1])[:80] if errors else "fails with status %d" % done.returncode

    def transform(self, folder, model):
        tool = self.chain.at("python/tools/model_transform.py")
        return self.call(folder, self.chain.python, tool, "--model_name", "net", "--model_def", model, "--mlir", "net.mlir")

    def canonicalize(self, folder, name):
        return self.call(folder, self.chain.opt, name, *FLAGS, "-o", "canonical.mlir")


def copy(source, to):
    """Copy a file to the disk, where `convert` writes, too."""
    with open(source, "rb") as read, open(to, "wb") as write:
        shutil.copyfileobj(read, write, 1 << 20)
        os.fsync(write.fileno())


def ours(args, reader, model):
    """Return the operators of the canonical module, and the seconds of `convert` and of copying the weights."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory(dir=args.networks) as folder:
            start = time.time()
            checked(args.bin, "convert", model, "-o", folder, "-q", limit=LIMIT)
            converted = time.time() - start
            origin = next(name for name in os.listdir(folder) if name.endswith("_origin.mlir"))
            weights = next((name for name in os.listdir(folder) if name.endswith(".npz")), None)
            start = time.time()
            if weights:
                copy(os.path.join(folder, weights), os.path.join(folder, "copy"))
            copied = time.time() - start
            _, problem = reader.canonicalize(folder, origin)
            if problem:
                sys.exit("%s: %s" % (model, problem))
            found = operators(os.path.join(folder, "canonical.mlir"))
        times.append((converted, copied))
    return found, [statistics.median(column) for column in zip(*times)]


def theirs(args, reader, model):
    """Return the operators of the canonical module, the seconds that it takes, without those of tpuc-opt, and what fails."""
    with tempfile.TemporaryDirectory(dir=args.networks) as folder:
        seconds, problem = reader.transform(folder, model)
        if problem:
            return None, seconds, problem
        canonical, _ = reader.canonicalize(folder, "net_origin.mlir")
        return operators(os.path.join(folder, "net.mlir")), seconds - canonical, ""


def difference(ours, theirs):
    """What each has more of, by op."""
    more = lambda a, b: ", ".join("%d %s" % (n, op) for op, n in sorted((a - b).items()))
    parts = [("tpulang", more(ours, theirs)), ("tpu_mlir", more(theirs, ours))]
    return "; ".join("%s: %s" % part for part in parts if part[1]) or "none"


def row(args, reader, name):
    model = os.path.join(os.path.abspath(args.networks), name)
    network, exporter = re.fullmatch(r"(.*)-(old|new|newest)\.onnx", name).groups()
    mine, (converted, copied) = ours(args, reader, model)
    other, seconds, problem = theirs(args, reader, model)
    count = str(sum(other.values())) if other else problem
    told = difference(mine, other) if other else ""
    ratio = "%.0f" % (seconds / converted) if other else ""
    # The time for a small file is that of a process.
    of_copying = "%.1f" % (converted / copied) if copied > 0.05 else ""
    return [network, exporter, str(sum(mine.values())), count, "%.2f" % converted, of_copying,
            "%.1f" % seconds if other else "", ratio, told]


HEAD = ["network", "exporter", "operators", "tpu_mlir's", "tpulang, s", "of copying", "tpu_mlir, s", "ratio", "more of"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--networks", required=True)
    parser.add_argument("--reader", required=True, help="the virtual environment of benches/onnx_readers.sh")
    parser.add_argument("--torch", required=True, help="a folder with PyTorch for it")
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    reader = Reader(os.path.abspath(args.reader), os.path.abspath(args.torch))
    names = sorted(n for n in os.listdir(args.networks) if re.fullmatch(r".*-(old|new|newest)\.onnx", n) and re.search(args.only, n))
    if not names:
        sys.exit("%s has no network that matches %s" % (args.networks, args.only))
    lines = ["| " + " | ".join(HEAD) + " |", "| --- | --- " + "| ---: " * 6 + "| --- |"]
    for name in names:
        lines.append("| " + " | ".join(row(args, reader, name)) + " |")
        print(lines[-1], flush=True)
    if args.write:
        document.write("networks", lines)


if __name__ == "__main__":
    main()
