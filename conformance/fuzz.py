#!/usr/bin/env python3
"""Compares tpulang with TpuLang on random one-function graphs: canonical text, and values of the Top executor.

    fuzz.py --bin TPULANG [--seed N] [--count N] [--only REGEX]
    fuzz.py --list [--only REGEX]

TpuLang and `tpulang convert` build each graph from the same spec, and tpuc-opt canonicalizes both modules. If the executor
runs the peer's module, its tensors are compared with those of `tpulang run`. It is an error if the peer refuses a graph that
tpulang accepts, unless the kind's REFUSED_BY_PEER explains it, if no graph of a kind could be compared, or if the executor
fails for each graph of a kind. kinds/ defines the graphs; --only selects the kinds whose entire name matches.
"""
import argparse
import collections
import json
import os
import re
import sys
import tempfile

from compare import compare_arrays
from judge import TOLERANCE, TOLERANCE_F16, given_names
from kinds import KINDS, OTHER_TEXT, REFUSED_BY_PEER
from peer import ToolChain, call, forked
from random_graph import R, Spec

chain = ToolChain()
if "TPULANG_FUZZ" not in os.environ:
    # The loader reads the library path only when a process starts.
    os.execve(sys.executable, [sys.executable] + sys.argv, dict(chain.env, TPULANG_FUZZ="1"))
os.environ.setdefault("REGRESSION_PATH", tempfile.gettempdir())
import mlir_text
import numpy as np
import tpu_mlir  # sets the paths of what follows
import transform.TpuLang as tpul
from transform.TpuLangConverter import TpuLangConverter
from tools.model_runner import mlir_inference


def by_tpulang(s, work):
    os.chdir(work)
    spec = s.json()
    tpul.init("bm1684x")
    tensors = {}
    for n, t in s.tensors.items():
        coeff = t.get("coeff", False)
        tensors[n] = tpul.Tensor(name=n, shape=t["shape"], dtype=t["dtype"], ttype="coeff" if coeff else "neuron",
                                 data=s.data[n], scale=t.get("scale"))

    def value(function, k, v):
        if isinstance(v, str) and v in tensors:
            return tensors[v]
        if isinstance(v, list) and v and all(isinstance(x, str) and x in tensors for x in v):
            return [tensors[x] for x in v]
        if isinstance(v, dict) and "value" in v:
            return tpul.Scalar(v["value"], v["dtype"])
        # Scalars of pad and of functions of two operands; other arguments are plain numbers.
        if (k in ("tensor_i0", "tensor_i1", "scalar_i1") or function == "pad" and k == "value") and isinstance(v, (int, float)):
            return tpul.Scalar(v, "int32" if isinstance(v, int) else "float32")
        return v

    for o in spec["ops"]:
        outs = o["out"]
        names = {"out_name": outs if isinstance(outs, str) else "out"} if o["op"] != "custom" else {"out_names": list(outs)}
        out = getattr(tpul, o["op"])(**{k: value(o["op"], k, v) for k, v in o["args"].items()}, **names)
        for n, t in zip([outs] if isinstance(outs, str) else outs, [out] if isinstance(outs, str) else out):
            t.name = n
            tensors[n] = t
    g = tpul.TpuLang.graph
    g.inputs, g.outputs = [tensors[n] for n in spec["inputs"]], [tensors[n] for n in spec["outputs"]]
    g.quantized_type_inference()
    TpuLangConverter(name="fuzz", graph=g, mode=s.mode, no_save=False).generate_mlir("peer_origin.mlir", log_level="quiet")


REFUSED = "the peer refuses"
# Refusals that are possible in graphs of any kind, with their reasons.
KNOWN_REFUSALS = {
    "doesn't match function result type ('tensor<*x": "tpuc-opt loses the type of a result of one element",
}
QUANTIZED, NO_EXECUTOR = "equal text of a quantized graph", "equal text, the executor fails"
WITH_NUMBERS = ("equal", "other text, equal numbers")
COMPARED = (*WITH_NUMBERS, QUANTIZED, NO_EXECUTOR)


def wrong_counts(kind, count, of_executor):
    """Yield problems with the number of times that each verdict was given. `of_executor` is the executor's last error."""
    graphs = sum(count.values())
    share, _ = REFUSED_BY_PEER.get(kind, (0, ""))
    if count[REFUSED] > share * graphs:
        yield "the peer refuses %d of %d graphs, more than the share of %g that REFUSED_BY_PEER allows" % (count[REFUSED], graphs, share)
    if share < 1 and not any(count[c] for c in COMPARED):
        yield "no graph could be compared"
    if count[NO_EXECUTOR] and not any(count[c] for c in WITH_NUMBERS):
        yield "the executor ran no graph: " + of_executor


def executed(a, ours):
    """Return the executor's floats, clipped to the range of our dtype. Of volumes it drops axes of size 1."""
    if a.shape != ours.shape and a.squeeze().shape == ours.squeeze().shape:
        a = a.reshape(ours.shape)
    return a.clip(np.iinfo(ours.dtype).min, np.iinfo(ours.dtype).max) if ours.dtype.kind in "iu" else a


def one(s, binary, work, other_text):
    """Return a verdict and its details; other_text: the texts differ on purpose, so only outputs are compared."""
    join = os.path.join
    spec = s.json()
    np.savez(join(work, "weights.npz"), **{n: s.data[n] for n, t in s.tensors.items() if t.get("coeff")})
    np.savez(join(work, "inputs.npz"), **{n: s.data[n] for n in s.inputs})
    json.dump(spec, open(join(work, "spec.json"), "w"))
    refusal = forked(lambda: by_tpulang(s, work), join(work, "child.log"))
    if not refusal:
        code, text = chain.canonicalize(work, "peer_origin.mlir", "peer.mlir")
        refusal = "tpuc-opt: " + text.strip()[-300:] if code else None
    ours = join(work, "ours")
    rc, text = call(binary, "convert", join(work, "spec.json"), "-o", ours)
    if rc < 0 or rc > 2 or "panicked" in text:
        return "crash", text[:300]
    if rc:
        return ("both refuse", "") if refusal else ("refused, the peer takes it", text[:400])
    known = next((why for said, why in KNOWN_REFUSALS.items() if refusal and said in refusal), None)
    if refusal:
        return (REFUSED + ", as " + known, "") if known else (REFUSED, refusal)
    rc, text = chain.canonicalize(ours, "fuzz_origin.mlir", "ours.mlir")
    if rc:
        return "tpuc-opt refuses ours", text[-300:]
    peer = open(join(work, "peer.mlir")).read()
    diff, renamed = mlir_text.difference(peer, open(join(ours, "ours.mlir")).read(), given_names(spec))
    if diff and not other_text:
        return "canonical differs", diff
    rc, text = call(binary, "run", join(work, "spec.json"), "-i", join(work, "inputs.npz"), "-o", join(work, "out.npz"), "--all")
    if rc:
        return "run refused", text[-300:]

    def infer():
        os.chdir(work)
        np.savez("top.npz", **mlir_inference({n: s.data[n] for n in s.inputs}, "peer.mlir", dump_all=True))

    # The executor treats stored quantized values as real values, and runs no other module in this mode.
    if "quant.uniform" in peer or s.mode == "quantized":
        return ("other text, no numbers" if diff else QUANTIZED), ""
    problem = forked(infer, join(work, "child.log"))
    if problem:
        return ("other text, no numbers" if diff else NO_EXECUTOR), problem
    top, out = np.load(join(work, "top.npz")), np.load(join(work, "out.npz"))
    tolerance = TOLERANCE_F16 if "xf16" in peer else TOLERANCE
    # tpuc-opt renames outputs that another tensor is equal to.
    returned = dict(zip(spec["outputs"], mlir_text.output_names(peer)))
    for n in spec["outputs"] if diff else out.files:
        theirs = [n, *(p for p, q in renamed.items() if q == n), returned.get(n)]
        own = next((top[p] for p in theirs if p in top.files), None)
        if own is not None:
            problem = compare_arrays(n, executed(own, out[n]), out[n], tolerance)
            if problem:
                return "numbers differ", problem
        elif n in spec["outputs"]:
            # Inner tensors may be lost in what tpuc-opt fuses.
            return "numbers differ", "the executor has no " + n
    return "other text, equal numbers" if diff else "equal", ""


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--count", type=int, default=10, help="graphs per kind")
    ap.add_argument("--only", default=".*", metavar="REGEX", help="the kinds whose whole name matches")
    ap.add_argument("--list", action="store_true", help="name the kinds and stop")
    a = ap.parse_args()
    kinds = [k for k in sorted(KINDS) if re.fullmatch(a.only, k)]
    if not kinds:
        ap.error("no kind matches " + a.only)
    if a.list:
        print("\n".join(kinds))
        return 0
    if not a.bin:
        ap.error("--bin is needed")
    binary = os.path.abspath(a.bin)
    total, wrong = collections.Counter(), []
    for kind in kinds:
        count, of_executor = collections.Counter(), ""
        for i in range(a.count):
            R.seed("%s %d %d" % (kind, a.seed, i))
            np.random.seed(R.randrange(2**32))
            s = Spec()
            KINDS[kind](s)
            with tempfile.TemporaryDirectory() as work:
                verdict, detail = one(s, binary, work, s.other_text or kind in OTHER_TEXT)
            count[verdict] += 1
            if verdict == NO_EXECUTOR:
                of_executor = detail
            elif detail and (verdict != REFUSED or kind not in REFUSED_BY_PEER):
                print("%s #%d: %s: %s\n    %s" % (kind, i, verdict, detail.strip(), json.dumps({"tensors": s.tensors, "ops": s.ops})))
        total.update(count)
        wrong += ["%s: %s" % (kind, what) for what in wrong_counts(kind, count, of_executor)]
        print("%-14s %s" % (kind, dict(count)), flush=True)
    print("\n".join([str(dict(total))] + wrong))
    bad = ("crash", "refused, the peer takes it", "tpuc-opt refuses ours", "canonical differs", "numbers differ", "run refused",
           "other text, no numbers")
    return 1 if wrong or any(total[k] for k in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
