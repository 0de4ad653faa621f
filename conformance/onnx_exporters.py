#!/usr/bin/env python3
"""Compares models that scikit-learn and TensorFlow export to ONNX with onnxruntime.

    onnx_exporters.py --bin TPULANG --venvs DIR --work DIR [--only REGEX]

DIR has the virtual environments of onnx_exporters.sh. A model passes if every output is within 1e-5 (relative L2) of
onnxruntime's; labels are equal. Exits 1 if one fails.
"""
import argparse
import os
import re
import subprocess
import sys

import numpy as np
import onnxruntime

SAMPLES = 10


def feeds(session):
    random, made = np.random.default_rng(0), {}
    for info in session.get_inputs():
        shape = [size if isinstance(size, int) else SAMPLES for size in info.shape]
        if "int" in info.type:
            made[info.name] = random.integers(0, 30, shape).astype(np.int64 if "64" in info.type else np.int32)
        else:
            made[info.name] = (2 * random.standard_normal(shape) + 3).astype(np.float32)
    return made


def judge(binary, path, work):
    """Return the largest relative error of an output, or what is wrong."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    inputs, outputs = os.path.join(work, "inputs.npz"), os.path.join(work, "outputs.npz")
    given = feeds(session)
    np.savez(inputs, **given)
    command = [binary, "run", path, "-i", inputs, "-o", outputs, "-q"]
    for name, array in given.items():
        command += ["--shape", name + "=" + "x".join(map(str, array.shape))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()[:200]
    found, worst = np.load(outputs), 0.0
    for info, right in zip(session.get_outputs(), session.run(None, given)):
        if isinstance(right, list):
            # ZipMap makes dictionaries of rows; tpulang returns the rows.
            right = np.array([list(row.values()) for row in right])
        ours, right = found[info.name].astype(np.float64), right.astype(np.float64)
        if ours.size != right.size:
            return "%s has shape %s instead of %s" % (info.name, ours.shape, right.shape)
        worst = max(worst, np.linalg.norm(ours.ravel() - right.ravel()) / max(np.linalg.norm(right), 1e-30))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--venvs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    onnxruntime.set_default_logger_severity(4)
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("sklearn", "tensorflow"):
        done = os.path.join(args.work, name + ".exported")
        if not os.path.exists(done):
            python = os.path.join(args.venvs, name, "bin", "python")
            subprocess.run([python, os.path.join(here, "onnx_exporters_%s.py" % name), args.work], check=True, stderr=subprocess.DEVNULL)
            open(done, "w").close()
    failed = 0
    for name in sorted(n for n in os.listdir(args.work) if n.endswith(".onnx") and re.search(args.only, n)):
        result = judge(args.bin, os.path.join(args.work, name), args.work)
        right = not isinstance(result, str) and result < 1e-5
        failed += not right
        print("%-4s %-40s %s" % ("ok" if right else "FAIL", name, result if isinstance(result, str) else "%.1e" % result), flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
