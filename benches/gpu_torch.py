"""PyTorch on a device, for gpu.py: a process that is reused until it fails, because loading the library takes seconds.

    gpu_torch.py DEVICE [--small] [--tf32] [--half]

It answers each line of JSON with one: an object with the requested values, or with a "problem".
"""
import argparse
import copy
import gc
import json
import os
import statistics
import sys
import time

# Libraries print to standard output, so messages to the parent use another descriptor.
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import numpy as np

from gpu_networks import networks

# A group runs for this many seconds, so that its single wait for the device is negligible.
GROUP = 0.02
MOST_RUNS = 1000


def say(**what):
    print(json.dumps(what), file=said, flush=True)


def text_of(error):
    return "%s: %s" % (type(error).__name__, " ".join(str(error).split())[:300])


def timed(run, seconds):
    """Return milliseconds per run: the median over groups of queued runs with one wait each."""
    def group(runs):
        start = time.perf_counter()
        for _ in range(runs):
            run()
        synchronize()
        return (time.perf_counter() - start) / runs

    for _ in range(2):
        group(1)
    # A few single runs determine the size of a group, and a group the number of groups.
    guess = group(5)
    runs = max(1, min(MOST_RUNS, int(GROUP / guess)))
    runs = max(1, min(MOST_RUNS, int(GROUP / group(runs))))
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        times.append(group(runs))
    return 1e3 * statistics.median(times)


def synchronize():
    if on_gpu:
        torch.cuda.synchronize()


def allow_tf32(allowed):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed


def captured(run):
    """Capture the run as a CUDA graph on its inputs' memory: https://docs.pytorch.org/docs/stable/notes/cuda.html"""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = run()
    # Clear the outputs, so that a run that writes nothing is noticed.
    for each in outputs:
        each.fill_(float("nan"))

    def replay():
        graph.replay()
        return outputs

    return replay


def distance(reference, outputs):
    """Return the largest relative L2 error."""
    if [x.shape for x in reference] != [y.shape for y in outputs]:
        return float("inf")
    worst = 0.0
    for x, y in zip(reference, outputs):
        x, y = x.double(), y.double()
        error = float((x - y).norm() / x.norm().clamp(min=1e-30))
        worst = max(worst, error if np.isfinite(error) else float("inf"))
    return worst


class Loaded:
    """A network on the device, and its forms."""

    def __init__(self, name):
        case = networks(a.small)[name]
        net = case.make()
        if a.half:
            net.half()
        self.host = [torch.from_numpy(x) for x in net.inputs.values()]
        self.module, self.inputs = net.torch().to(a.device), [x.to(a.device) for x in self.host]
        self.names, self.forms, self.errors, self.remarks = net.results, {}, {}, {}
        self.reference = self.in_float32()
        self.convolves = case.group == "models" and any(op.kind == "conv" for op in net.ops())

    def in_float32(self):
        widened = lambda x: x.float() if x.is_floating_point() else x
        module = copy.deepcopy(self.module).float() if a.half else self.module
        allow_tf32(False)
        outputs = [o.clone() for o in module(*map(widened, self.inputs))]
        allow_tf32(a.tf32)
        return outputs

    def try_form(self, form, make):
        try:
            run = make()
            run()
            self.errors[form] = distance(self.reference, run())
            self.forms[form] = run
        except Exception as e:
            print("%s: %s" % (form, e), file=sys.stderr, flush=True)
            self.remarks[form] = text_of(e)

    def make_forms(self):
        self.try_form("eager", lambda: lambda: self.module(*self.inputs))
        if on_gpu:
            self.try_form("graphs", lambda: captured(lambda: self.module(*self.inputs)))
        if self.convolves:
            self.try_form("nhwc", self.channels_last)

    def channels_last(self):
        """Return the channels-last form, which cuDNN prefers, especially in TF32 and float16."""
        last = lambda x: x.to(memory_format=torch.channels_last) if x.dim() == 4 else x
        module, inputs = copy.deepcopy(self.module).to(memory_format=torch.channels_last), [last(x) for x in self.inputs]
        run = lambda: module(*inputs)
        return captured(run) if on_gpu else run

    def compiled(self):
        """Return TorchInductor's code as a CUDA graph."""
        torch._dynamo.reset()
        module = torch.compile(self.module, fullgraph=True)
        run = lambda: module(*self.inputs)
        run()
        if on_gpu:
            try:
                return captured(run)
            except Exception as e:
                self.remarks["compile"] = "not as a CUDA graph: " + text_of(e)
        return run

    def copying(self, pinned):
        """Return a run with inputs and outputs in host memory."""
        # Both read the inputs in place.
        run = self.forms.get("graphs") or self.forms["eager"]
        if not pinned:
            return lambda: (self.feed(self.host, False), [o.cpu() for o in run()])
        host = [x.pin_memory() for x in self.host]
        back = [torch.empty(o.shape, dtype=o.dtype, pin_memory=True) for o in run()]

        def go():
            self.feed(host, True)
            for to, o in zip(back, run()):
                to.copy_(o, non_blocking=True)
            synchronize()

        return go

    def feed(self, host, pinned):
        for to, x in zip(self.inputs, host):
            to.copy_(x, non_blocking=pinned)


def load(name, path):
    global loaded
    loaded = Loaded(name)
    loaded.make_forms()
    np.savez(path, **{n: o.cpu().numpy() for n, o in zip(loaded.names, loaded.reference)})
    return {"errors": loaded.errors, "remarks": loaded.remarks}


def compile_it(name):
    global loaded
    loaded = Loaded(name)
    loaded.try_form("compile", loaded.compiled)
    return {"errors": loaded.errors, "remarks": loaded.remarks}


def measure(form, seconds):
    if form in ("pageable", "pinned"):
        return {"ms": timed(loaded.copying(form == "pinned"), seconds)}
    return {"ms": timed(loaded.forms[form], seconds)}


def drop():
    global loaded
    loaded = None
    gc.collect()
    if on_gpu:
        torch.cuda.empty_cache()
    return {}


def ceilings():
    """Return the medians: GB/s of a large copy (reads and writes) and of host copies; GFLOP/s of a large product."""
    size = min(1 << 30, torch.cuda.mem_get_info()[0] // 4) if on_gpu else 1 << 26
    source, to = torch.ones(size // 4, device=a.device), torch.empty(size // 4, device=a.device)
    found = {"copy_bytes": size, "gbs": 2 * size / timed(lambda: to.copy_(source), 1.0) / 1e6, "host_gbs": {}, "gflops": {}}
    if on_gpu:
        for name in ("pageable", "pinned"):
            host = torch.ones(size // 16, pin_memory=name == "pinned")
            there = timed(lambda: to[:len(host)].copy_(host), 0.3)
            back = timed(lambda: host.copy_(to[:len(host)]), 0.3)
            found["host_gbs"][name] = {"there": host.nbytes / there / 1e6, "back": host.nbytes / back / 1e6}
    del source, to
    found["n"] = n = 8192 if on_gpu else 1024
    for name, dtype, tf32 in [("float32", torch.float32, False), ("tf32", torch.float32, True), ("float16", torch.float16, False)]:
        if on_gpu or name == "float32":
            allow_tf32(tf32)
            x, y = torch.randn(n, n, device=a.device).to(dtype), torch.randn(n, n, device=a.device).to(dtype)
            result = torch.empty_like(x)
            found["gflops"][name] = 2 * n ** 3 / timed(lambda: torch.mm(x, y, out=result), 1.0) / 1e6
    allow_tf32(a.tf32)
    return found


def about():
    told = {"version": torch.__version__}
    if on_gpu:
        card = torch.cuda.get_device_properties(a.device)
        told.update(cuda=torch.version.cuda, card=card.name, memory=card.total_memory, processors=card.multi_processor_count,
                    capability="%d.%d" % (card.major, card.minor))
        try:
            told["cudnn"] = torch.backends.cudnn.version()
        except Exception as e:
            told["cudnn"] = text_of(e)
    return told


def begin():
    """Initialize the library; return the error, if any."""
    global torch, on_gpu
    try:
        import torch
    except Exception as e:
        return "PyTorch cannot be loaded by %s (%s)" % (sys.executable, text_of(e))
    on_gpu = a.device != "cpu"
    if on_gpu and not torch.cuda.is_available():
        return "PyTorch %s sees no GPU" % torch.__version__
    torch.set_grad_enabled(False)
    if on_gpu:
        torch.cuda.set_device(a.device if ":" in a.device else 0)
        torch.backends.cudnn.benchmark = True
    allow_tf32(a.tf32)


def main():
    try:
        problem = begin()
        say(**({"problem": problem} if problem else about()))
    except Exception as e:
        problem = text_of(e)
        say(problem=problem)
    if problem:
        return
    asked = {f.__name__: f for f in (load, compile_it, measure, drop, ceilings)}
    for line in sys.stdin:
        what = json.loads(line)
        try:
            say(**asked[what.pop("do")](**what))
        except Exception as e:
            print(e, file=sys.stderr, flush=True)
            say(problem=text_of(e))


parser = argparse.ArgumentParser()
parser.add_argument("device")
parser.add_argument("--small", action="store_true")
parser.add_argument("--tf32", action="store_true")
parser.add_argument("--half", action="store_true")
# The compiler's worker processes import this file too.
if __name__ == "__main__":
    a, loaded = parser.parse_args(), None
    main()
