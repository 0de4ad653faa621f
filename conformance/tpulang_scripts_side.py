"""Runs TpuLang scripts with a given module in the place of transform.TpuLang. tpulang_scripts.py starts it.

    tpulang_scripts_side.py MODULE --out DIR [--only REGEX] [--samples FILE] [--whole]

Each case runs in a child process and in a folder of its own, DIR/CASE. What each compile call writes is copied to
DIR/CASE/calls/N with what its network computes, and DIR/results.jsonl gets one line per case.
"""
import argparse
import glob
import importlib
import importlib.util
import json
import os
import random
import re
import shutil
import sys
import time
import traceback

from mlir_text import output_names
from peer import ToolChain, forked

PEER = "transform.TpuLang"
COMPILES = ("compile", "compile_f32")
# These tests read what lowering and code generation write.
READ_LATER_FILES = ("MatMulRQ_OP", "MatMulRQ_Relu")
# Seconds of a case, and of the executor within it.
TIMEOUT, EXECUTOR_TIMEOUT = 900, 600
# Larger networks are not run, which takes minutes in a debug build; larger inner tensors are not compared.
MOST_OPERATIONS, LARGE = 12e9, 1 << 20


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_module(name):
    """Import the module under its name, and put it where scripts find TpuLang."""
    import tpu_mlir  # sets the paths of what follows
    import transform
    module = importlib.import_module(name)
    sys.modules[PEER] = transform.TpuLang = module
    return module


class Recorder:
    """Keeps what each compile call writes, and the time spent in the tool chain."""

    def __init__(self, module, side, whole):
        self.side, self.whole, self.calls, self.stage_seconds = side, whole, [], 0.0
        for name in COMPILES:
            setattr(module, name, self.recorded(name, getattr(module, name)))

    def timed(self, stage):

        def run(*args, **kwargs):
            start = time.perf_counter()
            try:
                return stage(*args, **kwargs)
            finally:
                self.stage_seconds += time.perf_counter() - start

        return run

    def recorded(self, function, original):

        def call(name, *args, **kwargs):
            kept = os.path.join("calls", str(len(self.calls)))
            os.makedirs(kept)
            entry = {"function": function, "name": name}
            self.calls.append(entry)
            before = time.time() - 0.01
            try:
                original(name, *args, **kwargs)
            except BaseException as e:
                entry["error"] = "%s: %s" % (type(e).__name__, str(e)[-300:])
                raise
            finally:
                if not self.whole:
                    self.timed(self.keep)(name, kept, entry, before)

        return call

    def keep(self, name, kept, entry, before):
        """Copy what a call wrote, and run the network."""
        patterns = glob.escape(name) + "*", glob.escape(name.lower()) + "_top_*"
        entry["files"] = sorted({f for pattern in patterns for f in glob.glob(pattern)
                                 if os.path.isfile(f) and os.path.getmtime(f) >= before})
        module = name + ".mlir"
        if module not in entry["files"] or "error" in entry:
            return
        with open(module) as f:
            text = f.read()
        weights = re.search(r'module\.weight_file = "([^"]+)"', text)
        sources = {"module.mlir": module, "weights.npz": weights and weights.group(1), "inputs.npz": name + "_in_f32.npz"}
        for to, source in sources.items():
            if source and os.path.exists(source):
                shutil.copyfile(source, os.path.join(kept, to))
        operations = re.search(r"module\.FLOPs = (\d+)", text)
        large = operations and int(operations.group(1)) > MOST_OPERATIONS
        # The Top executor does not run quantized modules.
        if entry["function"] == "compile_f32" and not large and os.path.exists(name + "_in_f32.npz"):
            # In a child process, because the Top executor aborts at some operators.
            entry["executor"] = forked(lambda: self.infer(name, output_names(text), kept), os.path.join(kept, "executor.log"), EXECUTOR_TIMEOUT)

    def infer(self, name, outputs, kept):
        """Run the network."""
        import numpy as np
        with np.load(name + "_in_f32.npz") as inputs:
            found = self.side.infer(name, dict(inputs))
        found = {k: v for k, v in found.items() if v.size <= LARGE or k in outputs}
        np.savez(os.path.join(kept, "outputs.npz"), **found)


class Peer:
    """TpuLang itself."""
    STAGES = ("mlir_opt_for_top", "mlir_inference", "npz_compare", "f32_blobs_compare", "mlir_lowering", "mlir_to_model",
              "model_inference", "origin_mlir_txt_to_bmodel")
    LATER = ("model_top_inference", "model_lowering_and_inference", "bmodel_generate_and_inference")

    def __init__(self, module):
        self.module = module

    def patch(self, recorder, later):
        for name in self.STAGES:
            setattr(self.module, name, recorder.timed(getattr(self.module, name)))
        if not later:
            for name in self.LATER:
                setattr(self.module, name, lambda *args, **kwargs: None)

    def infer(self, name, inputs):
        """Run the canonical module with the Top executor."""
        return self.module.mlir_inference(inputs, name + ".mlir")


class Tpulang:
    """Our module: its executor takes the place of the tool chain's."""
    LATER = ("infer", "compare", "lower", "generate")

    def __init__(self, module):
        self.module, self.graph = module, None

    def patch(self, recorder, later):
        stages = importlib.import_module(self.module.__name__ + "._stages")
        compiling = importlib.import_module(self.module.__name__ + "._compile")
        for name, stage in stages.STAGES.items():
            stages.STAGES[name] = recorder.timed(stage if later or name not in self.LATER else lambda **arguments: None)
        finish = compiling.finish

        def kept(*args, **kwargs):
            self.graph = finish(*args, **kwargs)
            return self.graph

        compiling.finish = kept

    def infer(self, name, inputs):
        return self.graph.run(inputs, all=True)


def run_case(tests, module, name, folder, whole):
    """Run a case in this process, and write result.json to its folder."""
    import numpy as np
    import torch
    later = whole or name in READ_LATER_FILES
    side = (Peer if module.__name__ == PEER else Tpulang)(module)
    recorder = Recorder(module, side, whole)
    side.patch(recorder, later)
    if not whole:
        os.system = lambda command: 0  # model_deploy.py
    os.makedirs(folder)
    os.chdir(folder)
    np.random.seed(0)
    random.seed(0)
    torch.manual_seed(0)
    result = {"case": name, "calls": recorder.calls}
    start = time.perf_counter()
    try:
        tests[name]()
    except BaseException as e:
        traceback.print_exc()
        result["error"] = "%s: %s" % (type(e).__name__, str(e)[-300:])
    result["seconds"] = time.perf_counter() - start
    result["build_seconds"] = result["seconds"] - recorder.stage_seconds
    with open(os.path.join(folder, "result.json"), "w") as f:
        json.dump(result, f)


def in_child(tests, module, name, folder, whole):
    """Run a case in a child process, with its output in a file, and return its result."""
    problem = forked(lambda: run_case(tests, module, name, folder, whole), folder + ".log", TIMEOUT)
    if problem:
        return {"case": name, "calls": [], "seconds": 0, "build_seconds": 0, "error": problem}
    with open(os.path.join(folder, "result.json")) as f:
        return json.load(f)


def all_tests(tests, module, samples, whole):
    """Return {case: function without arguments}."""
    tester = tests.TPULANG_IR_TESTER(mode="all" if whole else "f32")
    found = {}
    for name, (test, *_) in tester.test_function.items():
        if not whole or tester.check_support(name):
            found[name] = lambda test=test, name=name: test(name)
    for name, sample in load("samples", samples).SAMPLES.items() if samples else ():
        found["sample_" + name] = lambda sample=sample: sample(module)
    return found


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("module")
    ap.add_argument("--out", required=True)
    ap.add_argument("--only", default="")
    ap.add_argument("--samples")
    ap.add_argument("--whole", action="store_true")
    a = ap.parse_args()
    if "TPULANG_SCRIPTS" not in os.environ:
        # The loader reads the library path only when a process starts.
        os.execve(sys.executable, [sys.executable] + sys.argv, dict(ToolChain().env, TPULANG_SCRIPTS="1"))
    os.makedirs(a.out)
    os.environ["REGRESSION_PATH"] = a.out
    module = load_module(a.module)
    package = os.path.dirname(importlib.util.find_spec("tpu_mlir").origin)
    tests = load("test_tpulang", os.path.join(package, "python", "test", "test_tpulang.py"))
    tests = all_tests(tests, module, a.samples, a.whole)
    with open(os.path.join(a.out, "results.jsonl"), "w") as out:
        for name in tests:
            if re.search(a.only, name):
                out.write(json.dumps(in_child(tests, module, name, os.path.join(a.out, name), a.whole)) + "\n")
                out.flush()


if __name__ == "__main__":
    main()
