"""Compares the networks of examples/models with PyTorch, on small random weights.

    cargo build --example model_weights --bin tpulang
    target/bench-peer/bin/python conformance/models.py target/debug
"""

import pathlib
import sys
import tempfile

import numpy as np
import torch
from torch.nn import functional as F

from peer import checked

MODELS = pathlib.Path(__file__).resolve().parent.parent / "examples" / "models"
HEADS, HEAD, LAYERS, LENGTH = 4, 8, 2, 3


class Weights:
    """Weights by name below a prefix, and the layers that have them."""

    def __init__(self, arrays, prefix=""):
        self.arrays, self.prefix = arrays, prefix

    def __getitem__(self, name):
        return Weights(self.arrays, f"{self.prefix}{name}.")

    def get(self, name):
        array = self.arrays.get(self.prefix + name)
        return None if array is None else torch.from_numpy(array)

    def linear(self, x):
        return F.linear(x, self.get("weight"), self.get("bias"))

    def layer_norm(self, x):
        return F.layer_norm(x, x.shape[-1:], self.get("weight"), self.get("bias"), 1e-12)

    def rms_norm(self, x):
        return F.rms_norm(x, x.shape[-1:], self.get("weight"), 1e-5)


def conv_bn(conv, bn, x, stride=1, padding=0):
    x = F.conv2d(x, conv.get("weight"), None, stride, padding)
    return F.batch_norm(x, bn.get("running_mean"), bn.get("running_var"), bn.get("weight"), bn.get("bias"))


def resnet50(w, image):
    x = F.max_pool2d(F.relu(conv_bn(w["conv1"], w["bn1"], image, 2, 3)), 3, 2, 1)
    for stage, blocks in enumerate([3, 4, 6, 3]):
        for block in range(blocks):
            b, stride = w[f"layer{stage + 1}"][str(block)], 2 if stage > 0 and block == 0 else 1
            y = F.relu(conv_bn(b["conv1"], b["bn1"], x))
            y = F.relu(conv_bn(b["conv2"], b["bn2"], y, stride, 1))
            y = conv_bn(b["conv3"], b["bn3"], y)
            if block == 0:
                x = conv_bn(b["downsample"]["0"], b["downsample"]["1"], x, stride)
            x = F.relu(x + y)
    return {"logits": w["fc"].linear(x.mean((2, 3)))}


def by_head(x):
    return x.unflatten(-1, (-1, HEAD)).transpose(1, 2)


def bert(w, word, token_type, position, mask):
    e = w["embeddings"]
    x = sum(
        F.embedding(ids.long(), e[f"{name}_embeddings"].get("weight"))
        for name, ids in [("word", word), ("token_type", token_type), ("position", position)]
    )
    x = e["LayerNorm"].layer_norm(x)
    for layer in range(LAYERS):
        b = w["encoder"]["layer"][str(layer)]
        a = b["attention"]
        q, k, v = (by_head(a["self"][part].linear(x)) for part in ["query", "key", "value"])
        y = F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(2)
        x = a["output"]["LayerNorm"].layer_norm(x + a["output"]["dense"].linear(y))
        y = F.gelu(b["intermediate"]["dense"].linear(x))
        x = b["output"]["LayerNorm"].layer_norm(x + b["output"]["dense"].linear(y))
    return {f"h{LAYERS}": x}


def rotated(x, sin, cos):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


def llama(w, ids, sin, cos, mask, **past):
    results = {}
    m = w["model"]
    x = F.embedding(ids.long(), m["embed_tokens"].get("weight"))
    for layer in range(LAYERS):
        b = m["layers"][str(layer)]
        y, a = b["input_layernorm"].rms_norm(x), b["self_attn"]
        q, k, v = (by_head(a[f"{part}_proj"].linear(y)) for part in "qkv")
        k = results[f"keys.{layer}"] = rotated(k, sin, cos)
        results[f"values.{layer}"] = v
        k = torch.cat([past[f"past_keys.{layer}"], k], 2)
        v = torch.cat([past[f"past_values.{layer}"], v], 2)
        y = F.scaled_dot_product_attention(rotated(q, sin, cos), k, v, mask, enable_gqa=True)
        x = x + a["o_proj"].linear(y.transpose(1, 2).flatten(2))
        y, p = b["post_attention_layernorm"].rms_norm(x), b["mlp"]
        x = x + p["down_proj"].linear(F.silu(p["gate_proj"].linear(y)) * p["up_proj"].linear(y))
    return {"logits": m["embed_tokens"].linear(m["norm"].rms_norm(x)), **results}


def cases(random):
    """The networks with their parameters and inputs."""
    tokens = lambda below: random.integers(0, below, (1, LENGTH)).astype(np.int32)
    floats = lambda *shape: random.standard_normal(shape).astype(np.float32)
    image = floats(1, 3, 64, 64)
    yield resnet50, {"size": 64}, {"image": image}
    heads = {"layers": LAYERS, "heads": HEADS, "head": HEAD, "length": LENGTH}
    mask = np.array([0, 0, -10000], np.float32).reshape(1, 1, 1, LENGTH)
    position = np.arange(LENGTH, dtype=np.int32)[None]
    yield bert, heads, {"word": tokens(100), "token_type": tokens(2), "position": position, "mask": mask}
    past, kv_heads = 5, HEADS // 2
    angles = np.outer(np.arange(past, past + LENGTH), 10000.0 ** (-np.arange(0, HEAD, 2) / HEAD))
    angles = np.concatenate([angles, angles], 1).astype(np.float32)
    visible = np.tril(np.ones((LENGTH, past + LENGTH)), past)
    inputs = {"ids": tokens(100), "sin": np.sin(angles), "cos": np.cos(angles)}
    inputs["mask"] = np.where(visible, 0, -10000).astype(np.float32)[None, None]
    for layer in range(LAYERS):
        for kind in ["keys", "values"]:
            inputs[f"past_{kind}.{layer}"] = floats(1, kv_heads, past, HEAD)
    yield llama, {**heads, "past": past, "kv_heads": kv_heads}, inputs


def main(programs):
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: f"{folder}/{name}.npz"
        for reference, params, inputs in cases(np.random.default_rng(1)):
            name = reference.__name__
            checked(f"{programs}/examples/model_weights", name, at(name), "--small")
            np.savez(at("inputs"), **inputs)
            given = [f"--param={key}={value}" for key, value in {**params, "weights": at(name)}.items()]
            checked(f"{programs}/tpulang", "run", MODELS / f"{name}.json", *given, "-i", at("inputs"), "-o", at("outputs"))
            feeds = {key: torch.from_numpy(value) for key, value in inputs.items()}
            expected = reference(Weights(dict(np.load(at(name)))), **feeds)
            found = dict(np.load(at("outputs")))
            assert {key: array.shape for key, array in found.items()} == {key: tuple(tensor.shape) for key, tensor in expected.items()}, name
            for key, tensor in expected.items():
                error = np.abs(found[key] - tensor.numpy()).max() / np.abs(tensor.numpy()).max()
                failed |= not error < 1e-4
                print(f"{name}  {key}  {found[key].shape}  largest relative difference {error:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
