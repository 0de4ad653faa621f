"""Networks with linear layers in PyTorch's layout, for `lowered.py`: small ones with random weights, and MiniLM."""
import json
import os

import numpy as np

from random_graph import Spec

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MINILM = os.path.join(ROOT, "build", "minilm")
# Masked scores; float16 has no -1e9.
HIDDEN = -10000.0


class NumberedSpec(Spec):
    """A spec whose tensors and results have numbered names."""

    def __init__(self, name, weights=None):
        super().__init__()
        self.name, self.weights, self.count = name, weights, 0
        self.rng = np.random.default_rng(0)

    def input(self, name, values):
        return self.tensor(name, values.shape, str(values.dtype), values=values)

    def coefficient(self, values, name=None):
        name = name or "w%d" % len(self.tensors)
        return name if name in self.tensors else self.tensor(name, values.shape, str(values.dtype), True, values)

    def random(self, *shape, gain=1.0):
        return self.coefficient((self.rng.standard_normal(shape) * gain).astype(np.float32))

    def do(self, op, **args):
        self.count += 1
        return self.call(op, "t%d" % self.count, **args)

    def linear(self, x, k, n, bias=True):
        w, b = self.random(n, k, gain=k ** -0.5), self.random(n, gain=0.1) if bias else None
        return self.do("matmul", input=x, right=w, bias=b, right_transpose=True)

    def layer_norm(self, x, n):
        gamma = self.coefficient((1 + 0.1 * self.rng.standard_normal(n)).astype(np.float32))
        return self.do("layer_norm", input=x, gamma=gamma, beta=self.random(n, gain=0.1), axis=-1)

    def reshape(self, x, *shape):
        return self.do("reshape", tensor=x, new_shape=list(shape))

    def permute(self, x, *order):
        return self.do("permute", input=x, order=list(order))

    def add(self, x, y):
        return self.do("add", tensor_i0=x, tensor_i1=y)

    def mul(self, x, y):
        return self.do("mul", tensor_i0=x, tensor_i1=y)

    def slice(self, x, axis, start, end):
        return self.do("slice", input=x, starts=[start], ends=[end], axes=[axis])

    def heads(self, x, length, heads, width):
        return self.permute(self.reshape(x, 1, length, heads, width), 0, 2, 1, 3)

    def mixed(self, q, k, v, length, hidden, mask=None, scale=None):
        """Multi-head attention; `scale` is None if the queries are already scaled."""
        scores = self.do("matmul", input=q, right=k, right_transpose=True)
        scores = self.mul(scores, scale) if scale else scores
        scores = self.add(scores, mask) if mask else scores
        mixed = self.do("matmul", input=self.do("softmax", input=scores, axis=-1), right=v)
        return self.reshape(self.permute(mixed, 0, 2, 1, 3), 1, length, hidden)

    def mlp(self, x, hidden):
        return self.linear(self.do("gelu", input=self.linear(x, hidden, 4 * hidden)), 4 * hidden, hidden)

    def write(self, folder):
        """Write spec.json, inputs.npz, and weights.npz unless a file has the weights already; return the spec's path."""
        spec = dict(self.json(), name=self.name)
        if self.weights:
            spec["weights"] = self.weights
        else:
            np.savez(os.path.join(folder, "weights.npz"), **{n: self.data[n] for n, t in self.tensors.items() if t.get("coeff")})
        np.savez(os.path.join(folder, "inputs.npz"), **{n: self.data[n] for n in self.inputs})
        path = os.path.join(folder, "spec.json")
        with open(path, "w") as f:
            json.dump(spec, f)
        return path


def causal(net, length):
    return net.coefficient(np.triu(np.full((1, 1, length, length), HIDDEN, np.float32), 1))


def self_attention(net, x, length, heads, width, mask=None):
    hidden = heads * width
    q, k, v = (net.heads(net.linear(x, hidden, hidden), length, heads, width) for _ in range(3))
    return net.linear(net.mixed(q, k, v, length, hidden, mask, width ** -0.5), hidden, hidden)


def attention():
    net = NumberedSpec("attention")
    self_attention(net, net.input("x", net.rng.standard_normal((1, 16, 64)).astype(np.float32)), 16, 4, 16)
    return net


def bert():
    net, length, heads, width = NumberedSpec("bert"), 32, 4, 32
    hidden = heads * width
    ids = net.input("ids", net.rng.integers(0, 100, (1, length)).astype(np.int32))
    mask = net.input("mask", np.where(np.arange(length) < 25, 0, HIDDEN).astype(np.float32).reshape(1, 1, 1, length))
    words = net.do("index_select", input=net.random(100, hidden), index=ids, axis=0)
    x = net.layer_norm(net.add(words, net.random(1, length, hidden)), hidden)
    for _ in range(2):
        x = net.layer_norm(net.add(self_attention(net, x, length, heads, width, mask), x), hidden)
        x = net.layer_norm(net.add(net.mlp(x, hidden), x), hidden)
    return net


def vit():
    """One matrix for queries, keys and values, as in timm."""
    net, length, heads, width = NumberedSpec("vit"), 17, 4, 32
    hidden = heads * width
    image = net.input("image", net.rng.standard_normal((1, 3, 64, 64)).astype(np.float32))
    x = net.do("conv", input=image, weight=net.random(hidden, 3, 16, 16, gain=1 / 28), bias=net.random(hidden), stride=[16, 16])
    x = net.permute(net.reshape(x, 1, hidden, 16), 0, 2, 1)
    x = net.add(net.do("concat", inputs=[net.random(1, 1, hidden), x], axis=1), net.random(1, length, hidden))
    for _ in range(2):
        qkv = net.reshape(net.linear(net.layer_norm(x, hidden), hidden, 3 * hidden), 1, length, 3, heads, width)
        qkv = net.permute(qkv, 2, 0, 3, 1, 4)
        q, k, v = (net.reshape(net.slice(qkv, 0, i, i + 1), 1, heads, length, width) for i in range(3))
        x = net.add(x, net.linear(net.mixed(q, k, v, length, hidden, scale=width ** -0.5), hidden, hidden))
        x = net.add(x, net.mlp(net.layer_norm(x, hidden), hidden))
    net.linear(net.reshape(net.slice(net.layer_norm(x, hidden), 1, 0, 1), 1, hidden), hidden, 10)
    return net


def whisper_attention(net, x, y, lengths, heads, width, mask=None):
    """Scaled queries, and keys without bias."""
    hidden, (rows, columns) = heads * width, lengths
    q = net.heads(net.mul(net.linear(x, hidden, hidden), width ** -0.5), rows, heads, width)
    k = net.heads(net.linear(y, hidden, hidden, bias=False), columns, heads, width)
    v = net.heads(net.linear(y, hidden, hidden), columns, heads, width)
    return net.linear(net.mixed(q, k, v, rows, hidden, mask), hidden, hidden)


def whisper():
    """An audio encoder and a text decoder, which shares its embedding table with the output."""
    net, frames, length, heads, width, words = NumberedSpec("whisper"), 32, 12, 4, 32, 100
    hidden = heads * width
    sound = net.input("sound", net.rng.standard_normal((1, 16, 1, 2 * frames)).astype(np.float32))
    conv = lambda x, c, stride: net.do("gelu", input=net.do("conv", input=x, weight=net.random(hidden, c, 1, 3, gain=(3 * c) ** -0.5),
                                       bias=net.random(hidden, gain=0.1), stride=[1, stride], pad=[0, 1, 0, 1]))
    x = net.permute(net.reshape(conv(conv(sound, 16, 1), hidden, 2), 1, hidden, frames), 0, 2, 1)
    x = net.add(x, net.random(1, frames, hidden))
    for _ in range(2):
        h = net.layer_norm(x, hidden)
        x = net.add(x, whisper_attention(net, h, h, (frames, frames), heads, width))
        x = net.add(x, net.mlp(net.layer_norm(x, hidden), hidden))
    heard = net.layer_norm(x, hidden)
    table = net.random(words, hidden, gain=hidden ** -0.5)
    ids = net.input("ids", net.rng.integers(0, words, (1, length)).astype(np.int32))
    x = net.add(net.do("index_select", input=table, index=ids, axis=0), net.random(1, length, hidden))
    mask = causal(net, length)
    for _ in range(2):
        h = net.layer_norm(x, hidden)
        x = net.add(x, whisper_attention(net, h, h, (length, length), heads, width, mask))
        x = net.add(x, whisper_attention(net, net.layer_norm(x, hidden), heard, (length, frames), heads, width))
        x = net.add(x, net.mlp(net.layer_norm(x, hidden), hidden))
    net.do("matmul", input=net.layer_norm(x, hidden), right=table, right_transpose=True)
    return net


def llama():
    """Two query heads per head of keys and values."""
    net, length, heads, groups, width, inner = NumberedSpec("llama"), 16, 4, 2, 32, 256
    hidden = heads * width
    ids = net.input("ids", net.rng.integers(0, 100, (1, length)).astype(np.int32))
    angles = np.outer(np.arange(length), 1e4 ** (-np.arange(0, width, 2) / width))
    angles = np.concatenate([angles, angles], -1).astype(np.float32)
    sine, cosine = net.coefficient(np.sin(angles)), net.coefficient(np.cos(angles))
    rope = lambda x: net.do("rope", input=x, weight0=sine, weight1=cosine, rope_mode="contiguous_halves")
    rms_norm = lambda x: net.do("rms_norm", input=x, gamma=net.coefficient((1 + 0.1 * net.rng.standard_normal(hidden)).astype(np.float32)))
    linear = lambda x, k, n: net.linear(x, k, n, bias=False)
    # The heads of a group are consecutive.
    repeated = lambda x: net.reshape(net.do("concat", inputs=[net.reshape(x, 1, groups, 1, length, width)] * (heads // groups), axis=2),
                                     1, heads, length, width)
    x, mask = net.do("index_select", input=net.random(100, hidden), index=ids, axis=0), causal(net, length)
    for _ in range(2):
        h = rms_norm(x)
        q = rope(net.heads(linear(h, hidden, hidden), length, heads, width))
        k = rope(net.heads(linear(h, hidden, groups * width), length, groups, width))
        v = net.heads(linear(h, hidden, groups * width), length, groups, width)
        mixed = net.mixed(q, repeated(k), repeated(v), length, hidden, mask, width ** -0.5)
        x = net.add(x, linear(mixed, hidden, hidden))
        h = rms_norm(x)
        h = net.mul(net.do("silu", input=linear(h, hidden, inner)), linear(h, hidden, inner))
        x = net.add(x, linear(h, inner, hidden))
    linear(rms_norm(x), hidden, 100)
    return net


class Stored:
    """The shapes in a safetensors file."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.tensors = json.loads(f.read(int.from_bytes(f.read(8), "little")))

    def declare(self, net, name):
        net.tensors[name] = {"dtype": "float32", "shape": self.tensors[name]["shape"], "coeff": True}
        return name


def minilm():
    """all-MiniLM-L6-v2 with its weights, on a sentence of tests/minilm."""
    path = os.path.abspath(os.path.join(MINILM, "model.safetensors"))
    net, stored, length, heads, width = NumberedSpec("minilm", path), Stored(path), 32, 12, 32
    hidden, w = heads * width, lambda name: stored.declare(net, name)
    linear = lambda x, name: net.do("matmul", input=x, right=w(name + ".weight"), bias=w(name + ".bias"), right_transpose=True)
    norm = lambda x, name: net.do("layer_norm", input=x, gamma=w(name + ".weight"), beta=w(name + ".bias"), axis=-1, epsilon=1e-12)
    reference = np.load(os.path.join(ROOT, "tests", "minilm", "reference.npz"))
    ids = net.input("ids", reference["input_ids"][:1])
    counts = reference["attention_mask"][:1].astype(np.float32)
    mask = net.input("mask", ((1 - counts) * HIDDEN).reshape(1, 1, 1, length))
    words = net.do("index_select", input=w("embeddings.word_embeddings.weight"), index=ids, axis=0)
    places = net.slice(w("embeddings.position_embeddings.weight"), 0, 0, length)
    kind = net.slice(w("embeddings.token_type_embeddings.weight"), 0, 0, 1)
    x = norm(net.add(net.add(words, places), kind), "embeddings.LayerNorm")
    for i in range(6):
        at = "encoder.layer.%d." % i
        q, k, v = (net.heads(linear(x, at + "attention.self." + part), length, heads, width) for part in ("query", "key", "value"))
        mixed = net.mixed(q, k, v, length, hidden, mask, width ** -0.5)
        x = norm(net.add(linear(mixed, at + "attention.output.dense"), x), at + "attention.output.LayerNorm")
        h = net.do("gelu", input=linear(x, at + "intermediate.dense"))
        x = norm(net.add(linear(h, at + "output.dense"), x), at + "output.LayerNorm")
    # The mean over the unmasked tokens.
    share = net.input("share", (counts / counts.sum()).reshape(1, 1, length))
    net.do("matmul", input=share, right=x)
    return net


NETWORKS = {f.__name__: f for f in (attention, bert, vit, whisper, llama, minilm)}
