#!/usr/bin/env python3
"""Compares networks that were exported to ONNX with onnxruntime.

    onnx_networks.py --bin TPULANG --work DIR [--peer PYTHON] [--only REGEX] [--table FILE]

Each network is exported by both exporters of PyTorch, at opset 17 (old), 20 (new) and 24 (newest), with random weights; some are
also optimized, converted to float16 and quantized by onnxruntime. A file passes if every output is within 1e-5 (relative L2) of
onnxruntime's, which runs it without optimization, and tpuc-opt accepts what `tpulang convert` writes. Float16 is compared
within 5e-3, since tpulang computes in float32. Exits 1 if a file fails, or if an exporter refuses a network that is not among those
of REFUSED. The exported files are made again if this script or a version has changed.
"""
import argparse
import collections
import contextlib
import hashlib
import logging
import os
import re
import shutil
import sys
import tempfile
import time
import warnings

import numpy as np
import torch
from torch import nn

from compare import has_shape, relative_error
from peer import ToolChain, reason, run

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

# What is compared within more than 1e-5, with the limit.
LIMITS = {
    "float16": 5e-3,  # tpulang computes in float32.
    "QDQ": 5e-2, "integers": 5e-2,  # A sum that is rounded the other way changes an integer, and everything after it.
    ("lstm", "dynamic int8"): 1e-2,  # onnxruntime rounds the operands of each step to 8 bits.
}
# What an exporter refuses, with its reason.
REFUSED = {
    **{(name, "old"): "it has no aten::diff" for name in ("gpt2", "llama", "qwen2", "whisper")},
    **{("t5", kind): "it cannot decompose the graph" for kind in ("new", "newest")},
}
TINY = dict(vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.SiLU())
        self.first, self.second, self.third = block(3, 16), block(16, 32), block(32, 64)
        self.down, self.up = nn.MaxPool2d(2), nn.ConvTranspose2d(64, 32, 2, 2)
        self.fourth, self.fifth, self.last = block(64, 32), block(48, 16), nn.Conv2d(16, 1, 1)

    def forward(self, x):
        a = self.first(x)
        b = self.second(self.down(a))
        c = self.fourth(torch.cat([self.up(self.third(self.down(b))), b], 1))
        c = nn.functional.interpolate(c, scale_factor=2, mode="bilinear", align_corners=False)
        return self.last(self.fifth(torch.cat([c, a], 1)))


class Yolo(nn.Module):
    """A small YOLO: blocks that split and join channels, pools of several sizes, two scales, and boxes from distributions."""

    def __init__(self, width=16, classes=5, bins=8):
        super().__init__()
        conv = lambda i, o, k=3, s=1: nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o), nn.SiLU())
        self.stem, self.down = conv(3, width, 3, 2), conv(width, 2 * width, 3, 2)
        self.inner = nn.Sequential(conv(width, width), conv(width, width))
        self.joined, self.deep = conv(3 * width, 2 * width, 1), conv(2 * width, 4 * width, 3, 2)
        self.reduced, self.expanded = conv(4 * width, width, 1), conv(4 * width, 4 * width, 1)
        self.up = conv(6 * width, 2 * width)
        self.classes, self.bins = classes, bins
        self.heads = nn.ModuleList(nn.Conv2d(i, 4 * bins + classes, 1) for i in (2 * width, 4 * width))

    def forward(self, x):
        first, second = self.down(self.stem(x)).chunk(2, 1)
        shallow = self.joined(torch.cat([first, second, self.inner(second) + second], 1))
        pools = [self.reduced(self.deep(shallow))]
        for _ in range(3):
            pools.append(nn.functional.max_pool2d(pools[-1], 5, 1, 2))
        deep = self.expanded(torch.cat(pools, 1))
        shallow = self.up(torch.cat([nn.functional.interpolate(deep, scale_factor=2.0), shallow], 1))
        boxes, scores = [], []
        for level, head, stride in zip((shallow, deep), self.heads, (4, 8)):
            height, width = level.shape[2:]
            made = head(level).flatten(2)
            sides, classes = made.split([4 * self.bins, self.classes], 1)
            sides = (sides.unflatten(1, (4, self.bins)).softmax(2) * torch.arange(self.bins).view(1, 1, -1, 1)).sum(2)
            y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
            centers = torch.stack([x, y]).flatten(1)
            low, high = sides.chunk(2, 1)
            boxes.append(torch.cat([centers - low, centers + high], 1) * stride)
            scores.append(classes.sigmoid())
        return torch.cat(boxes, 2), torch.cat(scores, 2)


class Detector(nn.Module):
    """What a detector of torchvision computes before it selects boxes."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model.head(list(self.model.backbone(x).values()))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layer = kind(16, 24, 2, bidirectional=True, batch_first=True)

    def forward(self, x):
        return self.layer(x)[0]


class First(nn.Module):
    """The first result of a language model, without a cache."""

    def __init__(self, model, **more):
        super().__init__()
        self.model, self.more = model, more

    def forward(self, ids):
        return self.model(ids, **self.more)[0]


class Decoder(nn.Module):
    """The first result of a model that is given the beginning of its output."""

    def __init__(self, model, name):
        super().__init__()
        self.model, self.name = model, name

    def forward(self, x, ids):
        return self.model(**{self.name: x}, decoder_input_ids=ids, use_cache=False)[0]


def networks():
    """Yield names, functions that make networks, and examples of their inputs."""
    import torchvision.models as vision
    import transformers

    names = (
        "convnext_tiny densenet121 efficientnet_b0 inception_v3 maxvit_t mnasnet0_5 mobilenet_v3_small regnet_x_400mf "
        "resnet18 shufflenet_v2_x0_5 squeezenet1_1 swin_t vit_b_16"
    )
    for name in names.split():
        side = 299 if name == "inception_v3" else 224
        yield name, lambda name=name: getattr(vision, name)(weights=None), (torch.randn(1, 3, side, side),)
    for name in ("deeplabv3_mobilenet_v3_large", "fcn_resnet50", "lraspp_mobilenet_v3_large"):
        make = lambda name=name: getattr(vision.segmentation, name)(weights=None, weights_backbone=None)
        yield name, make, (torch.randn(1, 3, 128, 128),)
    for name in ("fcos_resnet50_fpn", "retinanet_resnet50_fpn", "ssdlite320_mobilenet_v3_large"):
        make = lambda name=name: Detector(getattr(vision.detection, name)(weights=None, weights_backbone=None))
        yield name, make, (torch.randn(1, 3, 128, 128),)
    yield "yolo", Yolo, (torch.randn(1, 3, 64, 64),)
    yield "unet", Unet, (torch.randn(1, 3, 64, 64),)
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        yield kind.__name__.lower(), lambda kind=kind: Recurrent(kind), (torch.randn(2, 7, 16),)
    layer = lambda: nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
    yield "transformer", lambda: nn.TransformerEncoder(layer(), 2), (torch.randn(2, 9, 32),)

    ids = torch.randint(0, 90, (1, 12))
    grouped = dict(TINY, num_key_value_heads=2)
    t = transformers
    yield "bert", lambda: First(t.BertModel(t.BertConfig(**TINY))), (ids,)
    gpt2 = t.GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=4)
    yield "gpt2", lambda: First(t.GPT2LMHeadModel(gpt2), use_cache=False), (ids,)
    yield "llama", lambda: First(t.LlamaForCausalLM(t.LlamaConfig(**grouped)), use_cache=False), (ids,)
    yield "qwen2", lambda: First(t.Qwen2ForCausalLM(t.Qwen2Config(**grouped)), use_cache=False), (ids,)
    t5 = t.T5Config(vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
    yield "t5", lambda: Decoder(t.T5ForConditionalGeneration(t5), "input_ids"), (ids, ids[:, :5])
    whisper = t.WhisperConfig(
        vocab_size=100, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=16, max_source_positions=20, max_target_positions=20,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    yield "whisper", lambda: Decoder(t.WhisperModel(whisper), "input_features"), (torch.randn(1, 16, 40), ids[:, :5])


def made(make):
    """A network with random weights, also those that begin at zero."""
    torch.manual_seed(0)
    model = make().eval()
    for parameter in model.parameters():
        if not parameter.any():
            nn.init.normal_(parameter, std=0.02)
    return model


@contextlib.contextmanager
def silence():
    """Drop what PyTorch's exporters print, also from C++."""
    sys.stdout.flush()
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for one in kept:
            os.close(one)


# The operator set of each export, and whether PyTorch's newer exporter writes it.
EXPORTS = {"old": (17, False), "new": (20, True), "newest": (24, True)}


def export(make, example, path, exporter):
    opset, dynamo = EXPORTS[exporter]
    with silence():
        torch.onnx.export(made(make), example, path, opset_version=opset, dynamo=dynamo)


def renew(work):
    """Empty the folder if another script, or other versions, have made its files."""
    import onnx
    import onnxruntime

    with open(__file__, "rb") as script:
        makers = " ".join([torch.__version__, onnx.__version__, onnxruntime.__version__, hashlib.sha256(script.read()).hexdigest()])
    path = os.path.join(work, "made_by")
    if os.path.exists(path):
        with open(path) as file:
            if file.read() == makers:
                return
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(path, "w") as file:
        file.write(makers)


def write_once(path, write):
    """Let `write` make a file unless it exists. Return what is wrong, or None. A file that is not complete is not kept."""
    if os.path.exists(path):
        return None
    folder, name = os.path.split(path)
    with tempfile.TemporaryDirectory(dir=folder) as part:
        try:
            write(os.path.join(part, name))
        except Exception as problem:
            return f"{type(problem).__name__}: {problem}".splitlines()[0][:80]
        # The model comes after the weights that it refers to.
        for file in sorted(os.listdir(part), key=lambda file: file == name):
            os.replace(os.path.join(part, file), os.path.join(folder, file))
    return None


def variants(path):
    """Write what onnxruntime makes of a file; yield names, paths and what is wrong."""
    import onnx
    import onnxruntime as ort
    from onnxruntime import quantization
    from onnxruntime.transformers.float16 import convert_float_to_float16

    class Samples(quantization.CalibrationDataReader):
        def __init__(self):
            self.left = [feeds(session(path), seed) for seed in (1, 2)]

        def get_next(self):
            return self.left.pop() if self.left else None

    def optimized(to, level):
        options = ort.SessionOptions()
        options.graph_optimization_level, options.optimized_model_filepath = level, to
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    levels = ort.GraphOptimizationLevel
    for name, write in {
        "optimized": lambda to: optimized(to, levels.ORT_ENABLE_EXTENDED),
        "float16": lambda to: onnx.save(convert_float_to_float16(onnx.load(path)), to),
        # Without VNNI, onnxruntime adds pairs of products in 16 bits, which overflows unless weights have 7.
        "dynamic int8": lambda to: quantization.quantize_dynamic(path, to, reduce_range=True),
        "QDQ": lambda to: quantization.quantize_static(path, to, Samples(), quant_format=quantization.QuantFormat.QDQ),
        "integers": lambda to: quantization.quantize_static(
            path, to, Samples(), quant_format=quantization.QuantFormat.QOperator, activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QUInt8, reduce_range=True),
    }.items():
        to = path.replace(".onnx", "-" + name.replace(" ", "-") + ".onnx")
        yield name, to, write_once(to, write)


def session(path):
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feeds(of, seed=0):
    random = np.random.default_rng(seed)
    made = {}
    for info in of.get_inputs():
        if "int64" in info.type:
            made[info.name] = random.integers(0, 90, info.shape)
        else:
            made[info.name] = random.standard_normal(info.shape).astype("float16" if "float16" in info.type else "float32")
    return made


def judge(args, path):
    """Return the largest error of an output, the seconds of `convert`, and what is wrong."""
    theirs = session(path)
    inputs = feeds(theirs)
    expected = theirs.run(None, inputs)
    at = lambda name: os.path.join(args.work, name)
    np.savez(at("inputs.npz"), **inputs)
    # What the network before has left must not be taken for this one's.
    shutil.rmtree(at("converted"), ignore_errors=True)
    if os.path.exists(at("outputs.npz")):
        os.remove(at("outputs.npz"))
    process = run(args.bin, "run", path, "-i", at("inputs.npz"), "-o", at("outputs.npz"), "-q")
    if process.returncode:
        return None, 0, reason(process)[:200]
    ours, worst = np.load(at("outputs.npz")), 0.0
    for info, right in zip(theirs.get_outputs(), expected):
        found = ours[info.name]
        if not np.linalg.norm(right.astype("float64")) > 0:
            return None, 0, f"the output {info.name} of onnxruntime is zero or NaN, so there is nothing to compare"
        if not has_shape(found, right):
            return None, 0, f"the output {info.name} has shape {found.shape}, not {right.shape}"
        worst = max(worst, relative_error(found, right))
    start = time.time()
    process = run(args.bin, "convert", path, "-o", at("converted"), "-q")
    seconds = time.time() - start
    if process.returncode:
        return worst, seconds, "convert: " + reason(process)[:200]
    if args.chain:
        module = re.sub(r"[^A-Za-z0-9._-]", "_", os.path.basename(path)[:-5])
        status, text = args.chain.canonicalize(at("converted"), module + "_origin.mlir", module + ".mlir")
        if status:
            return worst, seconds, "tpuc-opt: " + (text.strip()[-200:] or f"exit status {status}")
    return worst, seconds, ""


class Report:
    """The files that were judged, and how many of each verdict there are."""

    def __init__(self, args):
        self.args, self.rows, self.count = args, [], collections.Counter()

    def add(self, name, kind, path, refusal):
        """Judge a file, unless its maker refuses to write it."""
        expected, seconds = REFUSED.get((name, kind)), 0
        if refusal or expected:
            verdict = "skip" if refusal and expected else "FAIL"
            shown = f"refused: {refusal}" if refusal else f"it is no longer refused ({expected}); take it off the list"
        else:
            worst, seconds, problem = judge(self.args, path)
            limit = LIMITS.get((name, kind), LIMITS.get(kind, 1e-5))
            verdict = "ok" if worst is not None and worst < limit and not problem else "FAIL"
            shown = problem if worst is None else f"{worst:.1e} {problem}".strip()
        self.count[verdict] += 1
        print(f"{verdict:5} {name:30} {kind:14} {shown} ({seconds:.1f} s)", flush=True)
        self.rows.append((name, kind, shown, seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--peer", help="the Python of tpu_mlir's virtual environment")
    parser.add_argument("--only")
    parser.add_argument("--table")
    args = parser.parse_args()
    args.work, args.chain = os.path.abspath(args.work), ToolChain(args.peer) if args.peer else None
    renew(args.work)
    report = Report(args)
    for name, make, example in networks():
        if args.only and not re.search(args.only, name):
            continue
        for exporter in EXPORTS:
            path = os.path.join(args.work, f"{name}-{exporter}.onnx")
            refusal = write_once(path, lambda to: export(make, example, to, exporter))
            report.add(name, exporter, path, refusal)
            if exporter == "old" and name in ("resnet18", "mobilenet_v3_small", "transformer", "bert", "lstm", "yolo") and not refusal:
                for kind, variant, refusal in variants(path):
                    report.add(name, kind, variant, refusal)
    count = report.count
    print(f"onnx networks: {count['ok']} passed, {count['FAIL']} failed, {count['skip']} refused by an exporter")
    if args.table:
        with open(args.table, "w") as file:
            file.writelines(f"| {name} | {kind} | {shown} | {seconds:.2f} |\n" for name, kind, shown, seconds in report.rows)
    sys.exit(count["FAIL"] > 0 or not count["ok"])


if __name__ == "__main__":
    main()
