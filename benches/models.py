"""The measured networks, with random weights.

    models.py [NAME ..]   names, operators and parameters
"""
import sys

import numpy as np

from audio import hifigan, quartznet
from net import Net
from recurrent import recurrent
from vision import deeplab, efficientnet_b0, mobilenet_v2, r3d_18, resnet50, resnext50, unet, yolo


def attention(net, q, k, v, heads, width, mask=None, batch=1, length=0):
    """Attention on batch x length x (heads * width), with `mask` added to the scores."""
    def torch_form(t, q, k, v, mask=None):
        split = lambda x: x.view(batch, length, heads, width).transpose(1, 2)
        mixed = t.nn.functional.scaled_dot_product_attention(split(q), split(k), split(v), attn_mask=mask)
        return mixed.transpose(1, 2).reshape(batch, length, heads * width)

    with net.as_one([q, k, v] + ([mask] if mask else []), torch_form):
        split = lambda x, *order: net.permute(net.reshape(x, batch, length, heads, width), *order)
        scores = net.scale(net.matmul(split(q, 0, 2, 1, 3), split(k, 0, 2, 3, 1)), by=width ** -0.5)
        if mask:
            scores = net.add(scores, mask)
        mixed = net.matmul(net.softmax(scores), split(v, 0, 2, 1, 3))
        mixed = net.reshape(net.permute(mixed, 0, 2, 1, 3), batch, length, heads * width)
    return mixed


def projected(net, x, hidden, *, gain=1.0):
    return [net.linear(x, hidden, hidden, gain=gain) for _ in range(3)]


def bert(name, layers, hidden, heads, length, batch=1, vocabulary=30522):
    """BERT up to the last hidden states."""
    net = Net(name)
    ids, mask = net.input("ids", (batch, length), "int32", below=vocabulary), net.input("mask", (batch, 1, 1, length))
    words = net.embed(net.weight(vocabulary, hidden, fan=1), ids)
    x = net.layer_norm(net.add(words, net.weight(1, length, hidden, fan=1)), hidden)
    for _ in range(layers):
        q, k, v = projected(net, x, hidden)
        mixed = attention(net, q, k, v, heads, hidden // heads, mask, batch, length)
        x = net.layer_norm(net.add(net.linear(mixed, hidden, hidden), x), hidden)
        h = net.linear(net.gelu(net.linear(x, hidden, 4 * hidden)), 4 * hidden, hidden)
        x = net.layer_norm(net.add(h, x), hidden)
    net.outputs(x)
    return net


def vit(layers=12):
    """ViT-B/16."""
    net, hidden, length = Net("vit"), 768, 197
    x = net.conv(net.input("image", (1, 3, 224, 224)), 3, hidden, 16, 16, 0)
    x = net.permute(net.reshape(x, 1, hidden, 196), 0, 2, 1)
    x = net.concat(1, net.weight(1, 1, hidden, fan=1), x)
    x = net.add(x, net.weight(1, length, hidden, fan=1))
    for _ in range(layers):
        q, k, v = projected(net, net.layer_norm(x, hidden), hidden)
        x = net.add(x, net.linear(attention(net, q, k, v, 12, 64, length=length), hidden, hidden))
        h = net.gelu(net.linear(net.layer_norm(x, hidden), hidden, 4 * hidden))
        x = net.add(x, net.linear(h, 4 * hidden, hidden))
    x = net.reshape(net.slice(net.layer_norm(x, hidden), 1, 0, 1), 1, hidden)
    net.outputs(net.linear(x, hidden, 1000))
    return net


def shifted_mask(side, window, shift):
    """Return the mask between regions that a shift joined: windows x 1 x positions x positions."""
    region = np.zeros((side, side))
    bounds = [slice(0, -window), slice(-window, -shift), slice(-shift, None)]
    for i, rows in enumerate(bounds):
        for j, columns in enumerate(bounds):
            region[rows, columns] = 3 * i + j
    n = side // window
    windows = region.reshape(n, window, n, window).transpose(0, 2, 1, 3).reshape(n * n, 1, -1)
    return np.where(windows[:, :, None] == windows[..., None], 0, -100).astype(np.float32)


def swin_block(net, x, side, hidden, heads, shift):
    window, n = 7, side // 7
    roll = lambda x, by: shifted(net, shifted(net, x, 1, by, side), 2, by, side)
    h = net.reshape(net.layer_norm(x, hidden), 1, side, side, hidden)
    h = roll(h, shift) if shift else h
    h = net.permute(net.reshape(h, 1, n, window, n, window, hidden), 0, 1, 3, 2, 4, 5)
    q, k, v = projected(net, net.reshape(h, n * n, 49, hidden), hidden)
    bias = net.rng.standard_normal((1, heads, 49, 49), dtype=np.float32)
    bias = net.constant(bias + shifted_mask(side, window, shift) if shift else bias)
    h = net.linear(attention(net, q, k, v, heads, 32, bias, n * n, 49), hidden, hidden)
    h = net.permute(net.reshape(h, 1, n, n, window, window, hidden), 0, 1, 3, 2, 4, 5)
    h = net.reshape(h, 1, side, side, hidden)
    h = roll(h, side - shift) if shift else h
    x = net.add(x, net.reshape(h, 1, side * side, hidden))
    h = net.gelu(net.linear(net.layer_norm(x, hidden), hidden, 4 * hidden))
    return net.add(x, net.linear(h, 4 * hidden, hidden))


def shifted(net, x, axis, by, size):
    """Roll the input to the front."""
    return net.concat(axis, net.slice(x, axis, by, size), net.slice(x, axis, 0, by))


def swin():
    """Swin-T."""
    net, side, hidden = Net("swin"), 56, 96
    x = net.conv(net.input("image", (1, 3, 224, 224)), 3, hidden, 4, 4, 0)
    x = net.layer_norm(net.permute(net.reshape(x, 1, hidden, side * side), 0, 2, 1), hidden)
    for stage, (blocks, heads) in enumerate([(2, 3), (2, 6), (6, 12), (2, 24)]):
        if stage:
            x = net.reshape(x, 1, side, side, hidden)
            parts = [net.slice(net.slice(x, 1, i, side, 2), 2, j, side, 2) for j in (0, 1) for i in (0, 1)]
            side, hidden = side // 2, hidden * 2
            x = net.reshape(net.concat(3, *parts), 1, side * side, 2 * hidden)
            x = net.linear(net.layer_norm(x, 2 * hidden), 2 * hidden, hidden, bias=False)
        for block in range(blocks):
            x = swin_block(net, x, side, hidden, heads, 3 if block % 2 and side > 7 else 0)
    x = net.permute(net.layer_norm(x, hidden), 0, 2, 1)
    pooled = net.mean_pool(net.reshape(x, 1, hidden, side, side))
    net.outputs(net.linear(net.reshape(pooled, 1, hidden), hidden, 1000))
    return net


def qwen2_block(name, length, past):
    """A decoder layer of Qwen2-0.5B: `length` new tokens after `past` ones."""
    net = Net(name)
    hidden, heads, groups, width, inner, total = 896, 14, 2, 64, 4864, past + length
    x = net.input("x", (1, length, hidden))
    angles = np.outer(np.arange(past, total), 1e6 ** (-np.arange(0, width, 2) / width))
    angles = np.concatenate([angles, angles], -1).astype(np.float32)
    sine, cosine = net.constant(np.sin(angles)), net.constant(np.cos(angles))
    h = net.rms_norm(x, hidden)
    split = lambda x, n: net.permute(net.reshape(net.linear(x, hidden, n * width), 1, length, n, width), 0, 2, 1, 3)
    q = net.rope(split(h, heads), sine, cosine, width=width)
    k, v = net.rope(split(h, groups), sine, cosine, width=width), split(h, groups)
    if past:
        k = net.concat(2, net.input("keys", (1, groups, past, width)), k)
        v = net.concat(2, net.input("values", (1, groups, past, width)), v)
    causal = np.triu(np.full((1, 1, length, total), -1e4, np.float32), past + 1)
    mixed = grouped_attention(net, q, k, v, net.constant(causal), (heads, groups, width, length, total))
    x = net.add(x, net.linear(mixed, hidden, hidden, bias=False))
    h = net.rms_norm(x, hidden)
    gate, up = net.silu(net.linear(h, hidden, inner, bias=False)), net.linear(h, hidden, inner, bias=False)
    net.outputs(net.add(x, net.linear(net.mul(gate, up), inner, hidden, bias=False)), k, v)
    return net


def grouped_attention(net, q, k, v, mask, sizes):
    """Grouped-query attention: rows of query heads that share keys and values are stacked."""
    heads, groups, width, length, total = sizes

    def torch_form(t, q, k, v, mask):
        mixed = t.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        return mixed.transpose(1, 2).reshape(1, length, heads * width)

    with net.as_one([q, k, v, mask], torch_form):
        rows = heads // groups * length
        stacked = net.reshape(q, 1, groups, rows, width)
        scores = net.scale(net.matmul(stacked, net.permute(k, 0, 1, 3, 2)), by=width ** -0.5)
        scores = net.add(net.reshape(scores, 1, heads, length, total), mask)
        mixed = net.matmul(net.reshape(net.softmax(scores), 1, groups, rows, total), v)
        mixed = net.permute(net.reshape(mixed, 1, heads, length, width), 0, 2, 1, 3)
        mixed = net.reshape(mixed, 1, length, heads * width)
    return mixed


MODELS = {
    "resnet50": resnet50,
    "mobilenet_v2": mobilenet_v2,
    "resnext50": resnext50,
    "efficientnet_b0": efficientnet_b0,
    "deeplab": deeplab,
    "unet": unet,
    "r3d_18": r3d_18,
    "yolo": yolo,
    "hifigan": hifigan,
    "quartznet": quartznet,
    "lstm": lambda: recurrent("lstm"),
    "gru": lambda: recurrent("gru"),
    "minilm_32": lambda: bert("minilm_32", 6, 384, 12, 32),
    "minilm_128": lambda: bert("minilm_128", 6, 384, 12, 128),
    "minilm_512": lambda: bert("minilm_512", 6, 384, 12, 512),
    "bert_128": lambda: bert("bert_128", 12, 768, 12, 128),
    "vit_b16": vit,
    "swin_t": swin,
    "qwen2_prefill_512": lambda: qwen2_block("qwen2_prefill_512", 512, 0),
    "qwen2_decode_512": lambda: qwen2_block("qwen2_decode_512", 1, 512),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        net = MODELS[name]()
        parameters = sum(a.size for a in net.weights.values())
        print("%-20s %5d operators %7.1f million parameters" % (name, sum(1 for _ in net.ops()), parameters / 1e6))
