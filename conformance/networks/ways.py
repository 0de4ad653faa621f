"""The ways of running a network, each in a process of its own. A way returns the results by name or raises Failed."""
import hashlib
import json
import os
import pathlib
import subprocess

import numpy as np

LIMIT = 300


class Failed(Exception):
    """The command refused the network, crashed, or took too long."""


class Runner:
    def __init__(self, binary, emulated=None):
        self.binary, self.emulated = os.path.abspath(binary), emulated

    def command(self, *arguments, **environment):
        # TPULANG_* variables of the caller must not affect the runs.
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TPULANG_")}
        try:
            done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, errors="replace", timeout=LIMIT, env={**kept, **environment})
        except subprocess.TimeoutExpired:
            raise Failed("no end after %d s" % LIMIT)
        if done.returncode:
            said = (done.stderr + done.stdout).strip()
            raise Failed("exit status %d: %s" % (done.returncode, said[-1500:]))

    def run(self, folder, *options, model="net.json", command="run", **environment):
        result = str(folder / "out.npz")
        self.command(command, str(folder / model), "-i", str(folder / "inputs.npz"), "-o", result, *options, **environment)
        with np.load(result) as arrays:
            return {n: arrays[n] for n in arrays.files}

    def through_mlir(self, folder):
        self.command("convert", str(folder / "net.json"), "-o", str(folder / "converted"))
        return self.run(folder, model="converted/net_origin.mlir")

    def on_gpu(self, folder):
        libraries = os.pathsep.join(map(str, self.emulated))
        kernels = str(self.emulated[0].parent / "kernels")
        return self.run(folder, "-d", "cuda", LD_LIBRARY_PATH=libraries, TPULANG_CACHE=kernels)


# Computes every tensor, one operator at a time. The other ways are compared with it.
PLAIN = "unfused"
WAYS = {
    PLAIN: lambda r, f: r.run(f, "--all", "--no-fusion", "-j", "1"),
    "unfused, plain instructions": lambda r, f: r.run(f, "--all", "--no-fusion", "-j", "2", TPULANG_INSTRUCTIONS="plain"),
    "unfused, AVX2": lambda r, f: r.run(f, "--all", "--no-fusion", "-j", "2", TPULANG_INSTRUCTIONS="avx2"),
    "fused": lambda r, f: r.run(f, "-j", "1"),
    "fused, two threads": lambda r, f: r.run(f, "-j", "2"),
    "fused, plain instructions": lambda r, f: r.run(f, "-j", "2", TPULANG_INSTRUCTIONS="plain"),
    "fused, AVX2": lambda r, f: r.run(f, "-j", "1", TPULANG_INSTRUCTIONS="avx2"),
    "fused, every tensor": lambda r, f: r.run(f, "--all", "-j", "2"),
    "streamed weights": lambda r, f: r.run(f, "-j", "1", "--weight-budget", "0"),
    "the last of several runs": lambda r, f: r.run(f, "-j", "2", "--repeat", "2", command="bench"),
    "its own .mlir": lambda r, f: r.through_mlir(f),
}
GPU = "emulated GPU"


def ways(runner):
    return {**WAYS, GPU: lambda r, f: r.on_gpu(f)} if runner.emulated else WAYS


def write(spec, data, folder):
    """Writes the spec, its weights and its inputs to a folder."""
    folder = pathlib.Path(folder)
    np.savez(folder / "net.npz", **{n: data[n] for n, t in spec["tensors"].items() if t.get("coeff")})
    np.savez(folder / "inputs.npz", **{n: data[n] for n in spec["inputs"]})
    (folder / "net.json").write_text(json.dumps(spec))
    return folder


def emulated_libraries(sources, target):
    """Compiles the emulation of NVIDIA's libraries as the test suite does, and returns their folders."""
    text = b"".join(p.read_bytes() for p in sorted(sources.iterdir()))
    folder = target / ("emulated-gpu-" + hashlib.sha256(text).hexdigest()[:16])
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources.iterdir():
            (folder / source.name).write_bytes(source.read_bytes())
        options = ["-std=c++17", "-O1", "-fPIC", "-ffp-contract=off"]
        for make in ["-shared -Wl,-soname,libcuda.so.1 cuda.cpp -o libcuda.so", "-shared nvrtc.cpp -o libnvrtc.so",
                     "-shared -x c++ /dev/null -Wl,-soname,libnvrtc-builtins.so.0.13 -o libnvrtc-builtins.so.0.13",
                     "-w -x c++-header emulated.h -o emulated.h.gch"]:
            subprocess.run([os.environ.get("CXX", "g++"), *options, *make.split()], cwd=folder, check=True)
        if not (folder / "libcuda.so.1").exists():
            (folder / "libcuda.so.1").symlink_to("libcuda.so")
        (folder / "ready").touch()
    return [folder]
