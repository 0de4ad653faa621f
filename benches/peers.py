"""Runs a peer in its own process while its network is measured.

    peers.py onnxruntime|openvino|tract|torch|pymlir NAME FOLDER THREADS
    peers.py machine - - THREADS

When it is ready, it prints a line of JSON: version, path of the outputs, time of loading the network and of the first run
together; or the error. Then it prints one for each number of runs that it reads: milliseconds, and the peak memory without
mapped files, less that before the network was loaded. `machine` prints the speed of a large product and a large copy, and exits.
"""
import json
import os
import sys
import time

kind, name, folder, threads = sys.argv[1:5]
# Set before libraries that read the number of threads are loaded.
os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = threads
# Libraries print to standard output, so messages to the parent use another descriptor.
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

if kind == "pymlir":
    import tpu_mlir  # first, because it sets paths
import numpy as np


def say(**what):
    print(json.dumps(what), file=said, flush=True)


def milliseconds(run, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def network():
    from models import MODELS
    from single import SINGLE
    return {**MODELS, **SINGLE}[name]()


def inputs():
    with np.load(os.path.join(folder, "inputs.npz")) as arrays:
        return dict(arrays)


def onnx_session(model):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def memory(key):
    """Return a size from the process's status, in bytes."""
    with open("/proc/self/status") as f:
        return next(int(l.split()[1]) for l in f if l.startswith(key + ":")) * 1024


# Each returns the version and a function, after imports: it takes the inputs, loads the network, and returns the function to
# measure, one that names its results, and a remark.

def onnxruntime_peer():
    import onnxruntime

    def load(given):
        session = onnx_session(os.path.join(folder, "net.onnx"))
        names = [o.name for o in session.get_outputs()]
        return lambda: session.run(None, given), lambda results: dict(zip(names, results)), ""

    return onnxruntime.__version__, load


def openvino_peer():
    import openvino

    def load(given):
        options = {"INFERENCE_NUM_THREADS": int(threads), "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
        compiled = openvino.Core().compile_model(os.path.join(folder, "net.onnx"), "CPU", options)
        request = compiled.create_infer_request()
        # Inputs and outputs are shared, not copied.
        run = lambda: request.infer(given, share_inputs=True, share_outputs=True)
        return run, lambda results: {port.get_any_name(): np.array(value) for port, value in results.items()}, ""

    return openvino.__version__.split("-")[0], load


def tract_peer():
    import tract

    def load(given):
        model = tract.onnx().load(os.path.join(folder, "net.onnx"))
        names = [model.output_name(i) for i in range(model.output_count())]
        tensors = [given[model.input_name(i)] for i in range(model.input_count())]
        runnable = model.into_model().into_runnable()
        return lambda: runnable.run(tensors), lambda results: {n: o.to_numpy() for n, o in zip(names, results)}, ""

    return tract.version(), load


def torch_peer():
    import torch
    torch.set_num_threads(int(threads))

    def load(_):
        net = network()
        given, module = [torch.from_numpy(a) for a in net.inputs.values()], net.torch()
        forms = {"eager": module}
        with torch.inference_mode():
            try:
                frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(module, given)))
                frozen(*given)
                forms["frozen"] = frozen
            except Exception as e:
                print("torch.jit: %s" % e, file=sys.stderr)

        def run(form):
            with torch.inference_mode():
                return form(*given)

        # The faster form counts.
        quickest = {}
        for form in forms:
            milliseconds(lambda: run(forms[form]), 3)
            quickest[form] = min(milliseconds(lambda: run(forms[form]), 5))
        form = min(quickest, key=quickest.get)
        return lambda: run(forms[form]), lambda results: {n: o.numpy() for n, o in zip(net.results, results)}, form

    return torch.__version__, load


def pymlir_peer():
    from importlib.metadata import version
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    from conformance.peer import ToolChain
    import pymlir

    def load(given):
        rc, text = ToolChain().canonicalize(folder, "net_origin.mlir", "net.mlir")
        if rc:
            raise RuntimeError("tpuc-opt: " + text[-300:])
        pymlir.set_mem_mode("value_mem")
        os.chdir(folder)
        module = pymlir.module()
        module.load("net.mlir")
        for each in module.input_names:
            module.set_tensor(each, given[each].astype(np.float32), given[each].shape)

        def results(_):
            computed = module.get_all_tensor()
            return {n: np.array(computed[n]) for n in module.output_names}

        return lambda: module.invoke(True), results, ""

    return version("tpu_mlir"), load


def machine():
    """Best of several: GFLOP/s of a 2048 x 2048 product, GB/s (reads and writes) of a copy of 256 MB."""
    from single import gemm
    flops, runs = {}, 8
    session = onnx_session(gemm(2048, 2048, 2048)().onnx())
    x = np.random.default_rng(0).standard_normal((2048, 2048), dtype=np.float32)
    flops["onnxruntime"] = min(milliseconds(lambda: session.run(None, {"x": x}), runs))
    source = np.ones(1 << 26, np.float32)
    try:
        import torch
    except ImportError:
        to = np.empty_like(source)
        copy = min(milliseconds(lambda: np.copyto(to, source), runs))
    else:
        torch.set_num_threads(int(threads))
        a = torch.from_numpy(x)
        flops["torch"] = min(milliseconds(lambda: a @ a, runs))
        to, source = torch.empty(1 << 26), torch.from_numpy(source)
        copy = min(milliseconds(lambda: to.copy_(source), runs))
    by, best = min(flops.items(), key=lambda item: item[1])
    say(gflops=2 * 2048 ** 3 / best / 1e6, by=by, gbs=2 * 4 * (1 << 26) / copy / 1e6)


PEERS = {"onnxruntime": onnxruntime_peer, "openvino": openvino_peer, "tract": tract_peer, "torch": torch_peer, "pymlir": pymlir_peer}


def main():
    if kind == "machine":
        return machine()
    path = os.path.join(folder, "outputs_%s.npz" % kind)
    try:
        version, load = PEERS[kind]()
        before, given = memory("RssAnon"), inputs()
        start = time.perf_counter()
        run, named, remark = load(given)
        results = run()
        first = (time.perf_counter() - start) * 1e3
        np.savez(path, **named(results))
        del results
    except Exception as e:
        return say(problem="%s: %s" % (type(e).__name__, e))
    # PyTorch's network is built from Python code here, and pymlir's goes through files: nothing to compare with.
    whole = kind not in ("torch", "pymlir")
    say(version=version, outputs=path, remark=remark, first_ms=first if whole else None)
    for line in sys.stdin:
        times = milliseconds(run, int(line))
        say(ms=times, private_bytes=memory("VmHWM") - memory("RssFile") - before if whole else None)


main()
