#!/usr/bin/env python3
"""Compares calibration tables of tpulang with those of run_calibration by what counts: the errors of the INT8 networks.

    calibration.py --bin TPULANG --torch FOLDER [--methods auto,kl,..] [--samples N] [--work DIR] [--write FILE] NETWORK..

NETWORK is a folder with net.json or net.onnx and inputs.npz, as `make bench` leaves in build/bench. Its samples are drawn like these
inputs: floats are smooth noise of the same deviation, and integers are shuffled. For each table, tpu_mlir lowers the network to INT8
for bm1684x, and its executor runs it on samples that calibration has not seen. Prints the time that calibration takes, and the mean
cosine and SNR of the outputs against those of the float network. Exits 1 if a name of run_calibration's table is missing in tpulang's.
run_calibration needs PyTorch, which `make scripts` puts into FOLDER.
"""
import argparse
import glob
import os
import shutil
import sys
import time

import numpy as np

from compare import cosine, lowered_name
from peer import FLAGS, ToolChain, checked

CHIP, SEEN, HELD_OUT = "bm1684x", 10, 4


def smooth(rng, shape):
    """Return noise whose neighbors are alike, as in pictures."""
    noise = rng.normal(size=shape)
    for axis in range(2, len(shape)):
        noise = sum(np.roll(noise, i, axis) for i in range(8))
    return noise / noise.std()


def sample(rng, array):
    if array.dtype.kind == "f":
        spread = array.std() or 1.0
        return (array.mean() + spread * (smooth(rng, array.shape) + 0.3 * rng.normal(size=array.shape))).astype(array.dtype)
    return rng.permuted(array, axis=-1)


def draw(source, folder, count):
    os.makedirs(os.path.join(folder, "seen"), exist_ok=True)
    os.makedirs(os.path.join(folder, "held_out"), exist_ok=True)
    rng, inputs = np.random.default_rng(0), dict(np.load(os.path.join(source, "inputs.npz")))
    for i in range(count + HELD_OUT):
        path = os.path.join(folder, "seen" if i < count else "held_out", "%03d.npz" % i)
        np.savez(path, **{name: sample(rng, array) for name, array in inputs.items()})


def timed(run, *args):
    start = time.monotonic()
    run(*args)
    return time.monotonic() - start


class CalibratedNetwork:
    def __init__(self, binary, torch, source, work, count):
        self.binary, self.folder = binary, os.path.join(work, os.path.basename(os.path.normpath(source)))
        # An earlier run may have left more samples, or another network of this name.
        shutil.rmtree(self.folder, ignore_errors=True)
        draw(source, self.folder, count)
        found = [p for p in (os.path.join(source, f) for f in ("net.json", "net.onnx")) if os.path.exists(p)]
        self.spec = os.path.abspath(found[0])
        checked(binary, "convert", self.spec, "-o", self.folder)
        self.name = os.path.basename(glob.glob(os.path.join(self.folder, "*_origin.mlir"))[0])[: -len("_origin.mlir")]
        self.chain, self.count = ToolChain(), count
        self.env = self.chain.with_modules(os.path.abspath(torch))
        checked(self.chain.opt, self.name + "_origin.mlir", *FLAGS, "-o", "net.mlir", cwd=self.folder, env=self.env)

    def tool(self, *arguments):
        self.chain.tool(self.folder, *arguments, env=self.env)

    def ours(self, method):
        checked(self.binary, "calibrate", self.spec, "--data", "seen", "--method", method, "-o", method + ".table", cwd=self.folder)

    def theirs(self, method):
        self.tool("run_calibration", "net.mlir", "--dataset", "seen", "--input_num", str(self.count), "--cali_method", method,
                  "-o", "run_calibration.table")

    def errors(self, table):
        """Lower the network with a table; return the mean cosine and SNR of its outputs."""
        self.tool("model_deploy", "--mlir", "net.mlir", "--chip", CHIP, "--quantize", "INT8", "--model", "net.bmodel",
                  "--calibration_table", table, "--not_gen_bmodel")
        lowered = "%s_%s_int8_sym_tpu.mlir" % (self.name, CHIP)
        found = []
        for path in sorted(glob.glob(os.path.join(self.folder, "held_out", "*.npz"))):
            for module, out in (("net.mlir", "float.npz"), (lowered, "int8.npz")):
                self.tool("model_runner", "--input", path, "--model", module, "--output", out)
            a, b = (dict(np.load(os.path.join(self.folder, out))) for out in ("float.npz", "int8.npz"))
            for name, x in a.items():
                other = lowered_name(name, x.size, b, a)
                if not other:
                    raise RuntimeError("the INT8 network has no output %s, but %s" % (name, ", ".join(b)))
                x, y = x.astype(np.float64).ravel(), b[other].astype(np.float64).ravel()
                found.append((cosine(y, x), 20 * np.log10(np.linalg.norm(x) / np.linalg.norm(x - y))))
        return np.mean(found, 0)

    def names(self, table):
        with open(os.path.join(self.folder, table)) as lines:
            return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


TITLE = """## Calibration

Whole processes with %d samples, on %d processors, and the mean error of the INT8 networks for %s on %d other samples: the signal-to-noise
ratio of the outputs. The thresholds of run_calibration are those of `kl`, tuned. `auto` compares those of all methods.

| | method | time | / run_calibration | SNR |
| --- | --- | ---: | ---: | ---: |
"""


def section(tables, samples):
    """Return the tables of all networks as a section of docs/performance.md."""
    text = TITLE % (samples, os.cpu_count(), CHIP, HELD_OUT)
    for name, rows in tables:
        for label, seconds, (_, snr) in rows:
            text += "| %s | %s | %.1f s | %.1f | %.1f dB |\n" % (name, label, seconds, rows[0][1] / seconds, snr)
    return text


def judge(network, methods, method_of_theirs):
    rows = [("run_calibration, " + method_of_theirs, "run_calibration.table", timed(network.theirs, method_of_theirs))]
    rows += [("tpulang, " + method, method + ".table", timed(network.ours, method)) for method in methods]
    print(os.path.basename(network.folder))
    measured = [(label, seconds, network.errors(table)) for label, table, seconds in rows]
    for label, seconds, errors in measured:
        print("  %-24s %6.1f s  cosine %.6f  SNR %5.2f dB" % (label, seconds, *errors), flush=True)
    missing = network.names("run_calibration.table") - network.names(methods[0] + ".table")
    if missing:
        print("  FAIL: tpulang's table lacks " + ", ".join(sorted(missing)))
    return measured, not missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--torch", required=True)
    parser.add_argument("--methods", default="auto,max,percentile9999,kl,mse,aciq_gauss,aciq_laplace")
    parser.add_argument("--theirs", default="kl", help="run_calibration's method")
    parser.add_argument("--samples", type=int, default=SEEN)
    parser.add_argument("--work", default="build/calibration", type=os.path.abspath)
    parser.add_argument("--write", metavar="FILE", help="write a section of docs/performance.md")
    args = parser.parse_args()
    passed, tables = 0, []
    for source in args.networks:
        try:
            network = CalibratedNetwork(args.bin, args.torch, source, args.work, args.samples)
            measured, has_all = judge(network, args.methods.split(","), args.theirs)
            tables.append((os.path.basename(network.folder), measured))
            passed += has_all
        except (RuntimeError, OSError) as e:
            print("%s\n  FAIL: %s" % (os.path.basename(os.path.normpath(source)), e))
    print("%d passed, %d failed" % (passed, len(args.networks) - passed))
    # Without the networks that failed, the section would look complete.
    if args.write and passed == len(args.networks):
        with open(args.write, "w") as f:
            f.write(section(tables, args.samples))
    sys.exit(passed < len(args.networks))


if __name__ == "__main__":
    main()
