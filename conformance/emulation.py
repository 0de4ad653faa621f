#!/usr/bin/env python3
"""Compares `tpulang run --calibration`, which computes like a chip, with tpu_mlir's INT8 modules, layer by layer.

    emulation.py --bin TPULANG [--work DIR] [NETWORK..]

NETWORK is a folder with a spec or an ONNX model and inputs.npz. It is calibrated on its inputs and canonicalized; then `tpulang run`
reads it, and the canonical module, and model_runner runs what model_deploy lowers that to. Prints how many tensors are equal, how far
the others are apart, in steps of their integers, and how the outputs differ. Exits 1 if an integer tensor of both has another size, if
the cosine of an output is below 0.999, or if a tensor of the small networks that are always compared is not equal.
"""
import argparse
import glob
import os
import re
import shutil
import sys
import time

import numpy as np

import mlir_text
from compare import cosine
from deploy import model
from lowered_networks import NumberedSpec
from peer import FLAGS, ToolChain, call, checked

CHIP, LEAST = "bm1684x", 0.999


def scales(module):
    """Return the step of each quantized tensor of a lowered module."""
    with open(module) as lines:
        text = lines.read()
    names = dict(re.findall(r'^(#loc\d*) = loc\("(.*)"\)$', text, re.M))
    pattern = r"-> tensor<[\dx]*!quant\.uniform<[iu]8:f32, ([-+.\de]+)>.*? loc\((#loc\d*)\)$"
    return {names[loc]: float(step) for step, loc in re.findall(pattern, text, re.M) if loc in names}


class Network(NumberedSpec):
    def norm(self, x, channels):
        """Add a batch norm."""
        variance = self.coefficient((0.5 + self.rng.random(channels)).astype(np.float32))
        mean, gamma, beta = (self.random(channels) for _ in range(3))
        return self.do("batch_norm", input=x, mean=mean, variance=variance, gamma=gamma, beta=beta)


def images():
    """Layers of images that compute in integers, one of a kind."""
    net = Network("images")
    x = net.input("x", net.rng.standard_normal((1, 4, 12, 12)).astype(np.float32))
    conv = lambda x, oc, ic, **args: net.do("conv", input=x, weight=net.random(oc, ic, 3, 3, gain=0.3), bias=net.random(oc), **args)
    x = net.do("prelu", input=conv(x, 8, 4), slope=net.random(1, 8, 1, 1))
    x = net.do("pad", input=x, method="constant", value=0.7, padding=[0, 0, 1, 2, 0, 0, 1, 2])
    x = net.do("leaky_relu", input=conv(x, 8, 1, group=8), negative_slope=0.2)
    x = net.do("pad", input=net.do("sigmoid", input=x), method="constant", value=1e-4, padding=[0, 0, 1, 1, 0, 0, 1, 1])
    x = net.do("maxpool2d", input=conv(x, 6, 8, stride=[2, 2]), kernel=[2, 2], stride=[1, 1])
    net.add(net.do("relu", input=x), conv(x, 6, 6, pad=[1, 1, 1, 1]))
    return net


def lines():
    """Convolutions over one axis."""
    net = Network("lines")
    x = net.input("x", net.rng.standard_normal((1, 4, 40)).astype(np.float32))
    conv = lambda x, oc, ic, k, stride=1, pads=(0, 0), dilation=1, group=1: net.do(
        "top.Conv", input=x, filter=net.random(oc, ic, k, gain=0.3), bias=net.random(oc), kernel_shape=[k], strides=[stride],
        pads=list(pads), dilations=[dilation], group=group)
    x = net.do("relu", input=conv(x, 8, 4, 3, stride=2, pads=(1, 2)))
    x = net.do("tanh", input=conv(x, 8, 1, 3, pads=(4, 0), dilation=2, group=8))
    x = net.do("relu", input=net.norm(x, 8))
    x = conv(net.mul(x, net.random(1, 8, 1)), 6, 8, 1)
    # The range of the Relu is that of the product, too.
    x = net.do("relu", input=net.reshape(net.mul(x, net.random(1, 6, 1)), 1, 6, 3, 7))
    net.do("conv", input=x, weight=net.random(5, 6, 1, 1, gain=0.4))
    return net


def volumes():
    """Convolutions of volumes."""
    net = Network("volumes")
    x = net.input("x", net.rng.standard_normal((1, 3, 5, 9, 9)).astype(np.float32))
    x = net.do("conv3d", input=x, weight=net.random(6, 3, 3, 3, 3, gain=0.3), bias=net.random(6), pad=[1] * 6)
    net.do("conv3d", input=net.do("relu", input=x), weight=net.random(5, 6, 1, 1, 1), stride=[1, 2, 2])
    return net


def fused():
    """Layers that the tool chain makes part of the one before."""
    net = Network("fused")
    x = net.input("x", net.rng.standard_normal((1, 4, 12, 12)).astype(np.float32))
    conv = lambda x, oc, ic, k, **args: net.do("conv", input=x, weight=net.random(oc, ic, k, k, gain=0.4), bias=net.random(oc), **args)
    x = net.norm(conv(conv(x, 5, 4, 1), 8, 5, 3), 8)
    x = net.do("relu", input=net.norm(net.do("relu", input=x), 8))
    x = net.mul(conv(x, 6, 8, 3, pad=[1, 1, 1, 1]), net.random(1, 6, 1, 1))
    x = net.add(net.add(x, net.random(1, 6, 1, 1)), conv(x, 6, 6, 3, pad=[1, 1, 1, 1]))
    x = net.mul(x, net.do("reduce", input=x, method="ReduceMean", axes=[2, 3], keep_dims=True))
    x = net.reshape(x, 1, 6, 100)
    x = net.add(net.do("matmul", input=x, right=net.random(100, 32, gain=0.1)), net.random(32))
    net.do("matmul", input=net.mul(x, net.coefficient(np.array([0.5], np.float32))), right=net.random(32, 10, gain=0.2))
    return net


def extremes():
    """Layers of tiny, huge and zero numbers, and functions with poles."""
    net = Network("extremes")
    x = net.input("x", net.rng.standard_normal((1, 4, 12, 12)).astype(np.float32))
    number = lambda value: net.coefficient(np.array([value], np.float32))
    conv = lambda x: net.do("conv", input=x, weight=net.random(4, 4, 3, 3, gain=0.3), bias=net.random(4), pad=[1, 1, 1, 1])
    silu = lambda x: net.mul(x, net.do("sigmoid", input=x))
    tiny = conv(net.mul(silu(conv(x)), number(1e-4)))
    zeros = conv(net.do("sub", tensor_i0=tiny, tensor_i1=tiny))
    size = net.do("abs", input=x)
    pole = net.do("pow", base=net.do("rsqrt", input=size), expn=-0.5)
    sums = net.do("reduce", input=net.mul(size, number(1000.0)), method="ReduceSum", axes=[2, 3], keep_dims=True)
    functions = net.do("top.Softsign", input=net.do("top.Softplus", input=zeros))
    for part in (tiny, pole, functions, net.do("sign", input=x)):
        x = net.add(x, part)
    net.mul(x, net.do("sigmoid", input=net.mul(sums, number(1e-5))))
    return net


class Run:
    def __init__(self, binary, source, work):
        self.binary, self.folder = binary, os.path.join(work, os.path.basename(os.path.normpath(source)))
        # Another network of this name may have left files.
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        spec = self.spec = model(source)
        shutil.copy(os.path.join(source, "inputs.npz"), os.path.join(self.folder, "inputs.npz"))
        checked(binary, "calibrate", spec, "--data", "inputs.npz", "--method", "mse", "-o", "net.table", cwd=self.folder)
        checked(binary, "convert", spec, "-o", ".", cwd=self.folder)
        name = os.path.basename(glob.glob(os.path.join(self.folder, "*_origin.mlir"))[0])[: -len("_origin.mlir")]
        chain = ToolChain()
        checked(chain.opt, name + "_origin.mlir", *FLAGS, "-o", "net.mlir", cwd=self.folder, env=chain.env)
        chain.tool(self.folder, "model_deploy", "--mlir", "net.mlir", "--chip", CHIP, "--quantize", "INT8", "--model", "net.bmodel",
                   "--calibration_table", "net.table", "--not_gen_bmodel")
        self.lowered = os.path.join(self.folder, "%s_%s_int8_sym_tpu.mlir" % (name, CHIP))
        chain.tool(self.folder, "model_runner", "--input", "inputs.npz", "--model", self.lowered, "--output", "theirs.npz",
                   "--dump_all_tensors")

    def arrays(self, file):
        with np.load(os.path.join(self.folder, file)) as arrays:
            return dict(arrays)

    def cosines(self, command, theirs):
        """Return the cosine of each output to theirs. Lowering renames outputs, but keeps their order."""
        checked(*command, "-o", "outputs.npz", cwd=self.folder)
        with open(self.lowered) as lines:
            names = mlir_text.output_names(lines.read())
        return {name: cosine(array, theirs[found]) for (name, array), found in zip(self.arrays("outputs.npz").items(), names, strict=True)}

    def compare(self, path):
        """Return whether all tensors are equal, and whether the outputs are close."""
        command = [self.binary, "run", path, "-i", "inputs.npz", "--calibration", "net.table"]
        start = time.monotonic()
        code, text = call(*command, "--all", "-o", "ours.npz", cwd=self.folder)
        seconds = time.monotonic() - start
        if code:
            raise RuntimeError("tpulang run: " + text[:300])
        ours, theirs, steps = self.arrays("ours.npz"), self.arrays("theirs.npz"), scales(self.lowered)
        common = [n for n in ours if n in theirs and ours[n].size == theirs[n].size]
        lost = (set(ours) & set(steps)) - set(common)
        if lost or not common:
            raise RuntimeError("theirs lacks tensors of these names and sizes: %s" % ", ".join(sorted(lost or ours)))
        exact, largest, first = 0, 0.0, None
        for n in common:
            x, y = ours[n].ravel().astype(np.float64), theirs[n].ravel()
            differ = x != y  # Infinities may be equal, too.
            distance = np.abs(x[differ] - y[differ]).max(initial=0.0) / steps.get(n, 1.0)
            exact += distance < 1e-3
            if distance >= 1e-3 and first is None:
                first = (n, distance)
            largest = max(largest, distance)
        note = "; first: %s by %.3g" % first if first else ""
        print("  %s\n  %d of %d tensors are equal; the largest difference is %.3g%s; %.1f s" % (
            text.splitlines()[0], exact, len(common), largest, note, seconds))
        cosines = self.cosines(command, theirs)
        print("  cosines of the outputs to theirs: %s" % ", ".join("%s %.6f" % item for item in cosines.items()), flush=True)
        return exact == len(common), all(value >= LEAST for value in cosines.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--work", default="build/emulation", type=os.path.abspath)
    args = parser.parse_args()
    passed, written = 0, []
    for net in (images(), lines(), volumes(), fused(), extremes()):
        written.append(os.path.join(args.work, "specs", net.name))
        os.makedirs(written[-1], exist_ok=True)
        net.write(written[-1])
    for source in written + args.networks:
        print(os.path.basename(os.path.normpath(source)), flush=True)
        try:
            run = Run(args.bin, source, args.work)
            results = [run.compare(path) for path in (run.spec, "net.mlir")]
            passed += all(is_close and (is_equal or source not in written) for is_equal, is_close in results)
        except (RuntimeError, OSError) as e:
            print("  FAIL: %s" % e)
    count = len(written) + len(args.networks)
    print("%d passed, %d failed" % (passed, count - passed))
    sys.exit(passed < count)


if __name__ == "__main__":
    main()
