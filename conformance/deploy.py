#!/usr/bin/env python3
"""Takes networks from a spec to INT8 and F16 bmodels for bm1684x by three commands of tpulang, and prints the errors by stage.

    deploy.py --bin TPULANG [--work DIR] [--no-f16-simulator] [--chips CHIP,..] NETWORK..

NETWORK is a folder with a spec or an ONNX model and inputs.npz. The commands are those of the README: `calibrate --search`,
`deploy --quantize INT8` and `deploy --quantize F16`. Exits 1 if one of them fails, if an output of the INT8 network is not as good
as the search has found, by more than 0.005, if the cosine of one of the F16 network is below 0.99, or if a stage or an output is not
compared. With --chips, INT8 networks for these are made and judged, too.
"""
import argparse
import glob
import os
import re
import sys
import time

from peer import reason, run

STAGES, CHIP = ["Top", "Tpu"], "bm1684x"
EXPECT, SLACK = 0.99, 0.005
# Seconds of a command. Simulators take minutes.
LIMIT = 3600


def model(folder):
    found = sorted(glob.glob(os.path.join(folder, "*.json")) + glob.glob(os.path.join(folder, "*.onnx")))
    if not found:
        raise RuntimeError("no spec and no ONNX model")
    return os.path.abspath(found[0])


def tpulang(binary, *args):
    """Run a command; return what it prints. Large errors of a bmodel are not a failure here: the caller judges them."""
    start = time.monotonic()
    p = run(binary, *args, limit=LIMIT)
    if p.returncode not in (0, 1):
        raise RuntimeError("tpulang %s: %s" % (args[0], reason(p)))
    print("  tpulang %s: %.1f s" % (" ".join(a for a in args[:1] + args[2:] if not a.startswith("/")), time.monotonic() - start))
    return p.stdout


def similarity(figure):
    """Return a cosine; for integers, the fraction that is equal."""
    if " of " in figure:
        equal, count = figure.split(" of ")
        return int(equal) / int(count)
    return -1.0 if figure == "NaN" else float(figure)


def worst(text, expected):
    """Return the lowest cosine in a report. All of the expected stages must be in it, with numbers for every output."""
    rows = re.findall(r"^(\w+) +(?:Top|tpulang) .*? (\S+) +(-?\d\.\d+|NaN|\d+ of \d+) +(\S+)$", text, re.M)
    for name, output, cosine, error in rows:
        print("    %-8s %-12s cosine %s  error %s" % (name, output, cosine, error), flush=True)
    missing = set(expected) - {name for name, *_ in rows}
    if missing or "not compared, because" in text:
        raise RuntimeError("%s in\n%s" % ("no errors of " + ", ".join(sorted(missing)) if missing else "an output is not compared", text))
    return min(similarity(figure) for _, _, figure, _ in rows)


def judge(binary, folder, work, has_simulator, chips):
    path, inputs = model(folder), os.path.abspath(os.path.join(folder, "inputs.npz"))
    out = os.path.join(work, os.path.basename(os.path.normpath(folder)))
    table, layers = out + ".table", out + ".qtable"
    text = tpulang(binary, "calibrate", path, "--data", inputs, "--search", layers, "--expect", str(EXPECT), "-o", table)
    found = re.search(r"(\d+) in F16.* that compute new numbers.*; cosine of the outputs (\S+),", text)
    if not found:
        raise RuntimeError("no result of the search in\n" + text)
    print("    %s layers in F16, expected cosine %s" % found.groups())
    text = tpulang(binary, "deploy", path, "--quantize", "INT8", "-i", inputs, "--calibration", table, "--quantize-table", layers,
                   "-o", out + ".int8.bmodel")
    integers = worst(text, STAGES + [CHIP])
    more = [] if has_simulator else ["--no-simulator"]
    text = tpulang(binary, "deploy", path, "--quantize", "F16", "-i", inputs, "-o", out + ".f16.bmodel", *more)
    floats = worst(text, STAGES + [CHIP] * has_simulator)
    for name, reached, least in [("INT8", integers, float(found.group(2)) - SLACK), ("F16", floats, EXPECT)]:
        if reached < least:
            raise RuntimeError("the %s network has a cosine of %.6f" % (name, reached))
    for chip in chips:
        text = tpulang(binary, "deploy", path, "--chip", chip, "--quantize", "INT8", "-i", inputs, "--calibration", table,
                       "-o", "%s.%s.bmodel" % (out, chip))
        if worst(text, STAGES + [chip]) < EXPECT:
            raise RuntimeError("the network has large errors on %s" % chip)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--work", default="build/deploy", type=os.path.abspath)
    parser.add_argument("--no-f16-simulator", action="store_true")
    parser.add_argument("--chips", default="")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    passed = 0
    for folder in args.networks:
        print(os.path.basename(os.path.normpath(folder)), flush=True)
        try:
            judge(args.bin, folder, args.work, not args.no_f16_simulator, [chip for chip in args.chips.split(",") if chip])
            passed += 1
        except RuntimeError as e:
            print("  FAIL: %s" % e)
    print("%d passed, %d failed" % (passed, len(args.networks) - passed))
    sys.exit(passed < len(args.networks))


if __name__ == "__main__":
    main()
