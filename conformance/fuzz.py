#!/usr/bin/env python3
"""Compares tpulang with TpuLang on random one-function graphs: canonical text, and values of the Top executor.

    fuzz.py --bin TPULANG [--seed N] [--count N] [--only REGEX]
    fuzz.py --list [--only REGEX]

TpuLang and `tpulang convert` build each graph from the same spec, and tpuc-opt canonicalizes both modules. If the executor
runs the peer's module, its tensors are compared with those of `tpulang run`. It is an error if the peer refuses a graph that
tpulang accepts, unless the kind's REFUSED_BY_PEER explains it, or if no graph of a kind could be compared. kinds/ defines
the graphs; --only selects the kinds whose entire name matches.
"""
import argparse
import collections
import json
import os
import re
import signal
import sys
import tempfile
import traceback

from judge import TOLERANCE, TOLERANCE_F16, call, canonicalize, compare_arrays, given_names, tool_chain
from kinds import KINDS, OTHER_TEXT, REFUSED_BY_PEER
from random_graph import R, Spec

opt, env = tool_chain()
if "TPULANG_FUZZ" not in os.environ:
    # The loader reads the library path only when a process starts.
    env["TPULANG_FUZZ"] = "1"
    os.execve(sys.executable, [sys.executable] + sys.argv, env)
os.environ.setdefault("REGRESSION_PATH", tempfile.gettempdir())
import mlir_text
import numpy as np
import tpu_mlir  # sets the paths of what follows
import transform.TpuLang as tpul
from transform.TpuLangConverter import TpuLangConverter
from tools.model_runner import mlir_inference


def forked(f, work, timeout=60):
    """Return why f failed in a child process, or None if it succeeded."""
    log = os.path.join(work, "child.log")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(written, 1)
            os.dup2(written, 2)
            signal.alarm(timeout)
            f()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    if status == 0:
        return None
    with open(log, errors="replace") as f:
        lines = f.read().strip().splitlines()
    return "signal %d" % (status & 127) if status & 127 else lines[-1] if lines else "no message"


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
COMPARED = ("equal", "equal text, no numbers", "other text, equal numbers")


def wrong_counts(kind, count):
    """Yield problems with the number of times that each verdict was given."""
    graphs = sum(count.values())
    share, _ = REFUSED_BY_PEER.get(kind, (0, ""))
    if count[REFUSED] > share * graphs:
        yield "the peer refuses %d of %d graphs, more than the share of %g that REFUSED_BY_PEER allows" % (count[REFUSED], graphs, share)
    if share < 1 and not any(count[c] for c in COMPARED):
        yield "no graph could be compared"


def saturated(a, dtype):
    """Return the executor's floats, clipped to the range of the dtype."""
    return a.clip(np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else a


def one(s, binary, work, other_text):
    """Return a verdict and its details; other_text: the texts differ on purpose, so only outputs are compared."""
    join = os.path.join
    spec = s.json()
    np.savez(join(work, "weights.npz"), **{n: s.data[n] for n, t in s.tensors.items() if t.get("coeff")})
    np.savez(join(work, "inputs.npz"), **{n: s.data[n] for n in s.inputs})
    json.dump(spec, open(join(work, "spec.json"), "w"))
    refusal = forked(lambda: by_tpulang(s, work), work)
    if not refusal:
        code, text = canonicalize(opt, env, work, "peer_origin.mlir", "peer.mlir")
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
    rc, text = canonicalize(opt, env, ours, "fuzz_origin.mlir", "ours.mlir")
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

    # The executor treats stored quantized values as real values.
    if "quant.uniform" in peer or forked(infer, work):
        return ("other text, no numbers" if diff else "equal text, no numbers"), ""
    top, out = np.load(join(work, "top.npz")), np.load(join(work, "out.npz"))
    tolerance = TOLERANCE_F16 if "xf16" in peer else TOLERANCE
    for n in spec["outputs"] if diff else out.files:
        own = n if n in top.files else next((p for p, q in renamed.items() if q == n and p in top.files), None)
        problem = own and compare_arrays(n, saturated(top[own], out[n].dtype), out[n], tolerance, False)
        if problem or (diff and not own):
            return "numbers differ", problem or "the executor has no " + n
    return "other text, equal numbers" if diff else "equal", ""


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bin")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--count", type=int, default=10, help="graphs a kind")
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
        count = collections.Counter()
        for i in range(a.count):
            R.seed("%s %d %d" % (kind, a.seed, i))
            np.random.seed(R.randrange(2**32))
            s = Spec()
            KINDS[kind](s)
            with tempfile.TemporaryDirectory() as work:
                verdict, detail = one(s, binary, work, s.other_text or kind in OTHER_TEXT)
            count[verdict] += 1
            if detail and (verdict != REFUSED or kind not in REFUSED_BY_PEER):
                print("%s #%d: %s: %s\n    %s" % (kind, i, verdict, detail.strip(), json.dumps({"tensors": s.tensors, "ops": s.ops})))
        total.update(count)
        wrong += ["%s: %s" % (kind, what) for what in wrong_counts(kind, count)]
        print("%-14s %s" % (kind, dict(count)), flush=True)
    print("\n".join([str(dict(total))] + wrong))
    bad = ("crash", "refused, the peer takes it", "tpuc-opt refuses ours", "canonical differs", "numbers differ", "run refused",
           "other text, no numbers")
    return 1 if wrong or any(total[k] for k in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
