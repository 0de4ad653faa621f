#!/usr/bin/env python3
"""Compares models that scikit-learn and TensorFlow export to ONNX with onnxruntime.

    onnx_exporters.py --bin TPULANG --venvs DIR --work DIR [--only REGEX]

DIR has the virtual environments of onnx_exporters.sh. A model passes if every output is within 1e-5 (relative L2) of
onnxruntime's; labels are equal. Exits 1 if one fails. Exported models remain in the second DIR until a script or a version changes.
"""
import argparse
import glob
import hashlib
import os
import re
import sys

import numpy as np
import onnxruntime

from compare import compare_arrays
from peer import checked, reason, run

SAMPLES = 10
TOLERANCE = 1e-5


def feeds(session):
    random, made = np.random.default_rng(0), {}
    for info in session.get_inputs():
        shape = [size if isinstance(size, int) else SAMPLES for size in info.shape]
        if "int" in info.type:
            made[info.name] = random.integers(0, 30, shape).astype(np.int64 if "64" in info.type else np.int32)
        else:
            made[info.name] = (2 * random.standard_normal(shape) + 3).astype(np.float32)
    return made


def export(name, venvs, work):
    """Export the models of a package unless the same script and versions have done so."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx_exporters_%s.py" % name)
    made_by, done = hashlib.sha256(), os.path.join(work, name + ".exported")
    for path in (script, os.path.join(venvs, "ready")):
        with open(path, "rb") as file:
            made_by.update(file.read())
    if os.path.exists(done):
        with open(done) as file:
            if file.read() == made_by.hexdigest():
                return
    for path in glob.glob(os.path.join(work, name + "-*.onnx")):
        os.remove(path)
    checked(os.path.join(venvs, name, "bin", "python"), script, work, limit=1800)
    with open(done, "w") as file:
        file.write(made_by.hexdigest())


def judge(binary, path, work):
    """Return what is wrong with a model, or None."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    inputs, outputs = os.path.join(work, "inputs.npz"), os.path.join(work, "outputs.npz")
    given = feeds(session)
    np.savez(inputs, **given)
    # Those of the model before must not be taken for this one's.
    if os.path.exists(outputs):
        os.remove(outputs)
    command = [binary, "run", path, "-i", inputs, "-o", outputs, "-q"]
    for name, array in given.items():
        command += ["--shape", name + "=" + "x".join(map(str, array.shape))]
    done = run(*command)
    if done.returncode:
        return reason(done)[:200]
    found, problems = np.load(outputs), []
    for info, right in zip(session.get_outputs(), session.run(None, given)):
        if isinstance(right, list):
            # ZipMap makes dictionaries of rows; tpulang returns the rows.
            right = np.array([list(row.values()) for row in right])
        problems.append(compare_arrays(info.name, right, found[info.name], TOLERANCE if right.dtype.kind == "f" else 0))
    return "; ".join(filter(None, problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--venvs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    onnxruntime.set_default_logger_severity(4)
    for name in ("sklearn", "tensorflow"):
        export(name, args.venvs, args.work)
    failed, names = 0, sorted(n for n in os.listdir(args.work) if n.endswith(".onnx") and re.search(args.only, n))
    for name in names:
        problem = judge(args.bin, os.path.join(args.work, name), args.work)
        failed += bool(problem)
        print("%-4s %-40s %s" % ("FAIL" if problem else "ok", name, problem), flush=True)
    print("onnx exporters: %d passed, %d failed" % (len(names) - failed, failed))
    sys.exit(failed > 0 or not names)


if __name__ == "__main__":
    main()
