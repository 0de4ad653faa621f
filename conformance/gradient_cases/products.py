"""Matrix products and attention."""
import numpy as np
import torch
from torch.nn import functional as F

from .table import case, constant, integers, uniform

case("MatMul", "linear", lambda t: t.input @ t.right + t.bias, {"input": uniform(2, 3, 4), "right": uniform(4, 5), "bias": uniform(5)})
case("MatMul", "matmul", lambda t: (t.input.mT @ t.right.mT), {"input": uniform(2, 1, 4, 3), "right": uniform(6, 5, 4)}, left_transpose=True, right_transpose=True)
case("MatMul", "", lambda t: torch.relu(t.input @ t.right).mT, {"input": uniform(2, 3, 4), "right": uniform(2, 4, 5)}, output_transpose=True, do_relu=True)
case("MatMul", "", lambda t: t.input @ t.right, {"input": uniform(4), "right": uniform(4, 5)})
case("Einsum", "einsum", lambda t: torch.einsum("abcd,cde->abe", *t.inputs), {"inputs": [uniform(2, 3, 4, 5), uniform(4, 5, 6)]}, mode="abcd,cde->abe")
case("Einsum", "", lambda t: torch.einsum("abcd,aecd->acbe", *t.inputs), {"inputs": [uniform(2, 3, 4, 5), uniform(2, 6, 4, 5)]}, mode="abcd,aecd->acbe")
case("Einsum", "", lambda t: torch.einsum("abc,abdc,abc->abcd", *t.inputs), {"inputs": [uniform(2, 3, 4), uniform(2, 3, 5, 4), uniform(2, 3, 4)]},
     mode="abc,abdc,abc->abcd")

SIZES = {"weight_gate": (4, 6), "weight_up": (4, 6), "weight_down": (6, 4), "bias_gate": (6,), "bias_up": (6,), "bias_down": (4,)}


def feed_forward(t, x, i=slice(None)):
    gate = x @ t.weight_gate[i] + t.bias_gate[i]
    return (F.silu(gate) * (x @ t.weight_up[i] + t.bias_up[i])) @ t.weight_down[i] + t.bias_down[i]


ids = integers(6, 2, high=3)
case("Mlp", "linear, silu", lambda t: feed_forward(t, t.input), {"input": uniform(2, 3, 4), **{n: uniform(*s) for n, s in SIZES.items()}},
     right_transpose_gate=False, right_transpose_up=False)
case("Mlp", "", lambda t: torch.stack([torch.stack([feed_forward(t, x, int(i)) for i in row]) for x, row in zip(t.input.view(6, 4), ids)]),
     {"input": uniform(2, 3, 4), **{n: uniform(3, *s) for n, s in SIZES.items()}, "expert_id": constant(ids)},
     right_transpose_gate=False, right_transpose_up=False, is_expert=True, num_expert=3, num_expert_per_tok=2)

# Packed along rows: 8 rows of 4 bits in 4 bytes.
packed, zero = integers(4, 5, high=256, dtype=np.uint8), integers(2, 5, high=16, dtype=np.uint8)


def weights_of(scale):
    q = np.stack([packed & 15, packed >> 4], 1).reshape(8, 5).astype(np.float64)
    return ((torch.from_numpy(q).view(2, 4, 5) - torch.from_numpy(zero).double()[:, None]) * scale[:, None]).view(8, 5)


case("A16MatMul", "linear", lambda t: t.input @ weights_of(t.scale) + t.bias,
     {"input": uniform(2, 3, 8), "weight": constant(packed), "scale": uniform(2, 5), "zp": constant(zero), "bias": uniform(5)},
     weight_bits=4, q_group_size=4, out_dtype="float32")
turned = {"weight": constant(np.ascontiguousarray(packed.T)), "zp": constant(np.ascontiguousarray(zero.T))}
case("A16MatMul", "", lambda t: t.input @ weights_of(t.scale.T), {"input": uniform(3, 8), "weight": turned["weight"], "scale": uniform(5, 2), "zp": turned["zp"]},
     weight_bits=4, q_group_size=4, right_transpose=True, out_dtype="float32")
table = integers(3, 4, high=256, dtype=np.uint8)


def rows_of(t):
    q = np.stack([table & 15, table >> 4], 2).reshape(3, 2, 4).astype(np.float64)
    return ((torch.from_numpy(q) - t.zp[..., None]) * t.scale[..., None]).view(3, 8)[[2, 0, 2]]


case("A16Gather", "embedding", rows_of, {"weight": constant(table), "indices": constant(np.array([2, 0, 2], dtype=np.int32)), "scale": uniform(3, 2), "zp": uniform(3, 2)},
     weight_bits=4, q_group_size=4, out_dtype="float32")
eighths = integers(6, 5, low=-8, high=8).astype(np.float32)
stored = torch.from_numpy(eighths).to(torch.float8_e4m3fn)
case("Fp8MatMul", "linear", lambda t: t.input @ (torch.from_numpy(eighths).double() * t.weight_scale.repeat_interleave(4, 0)[:6].repeat_interleave(4, 1)[:, :5]) + t.bias,
     {"input": uniform(2, 3, 6), "weight": constant(stored.view(torch.uint8).numpy()), "weight_scale": uniform(2, 2), "bias": uniform(5)},
     block_size=4, out_dtype="float32")


def heads(x):
    """[batch, row, head, element] in PyTorch's order."""
    return x.transpose(1, 2)


def flash(t, mask, causal=False):
    q, k, v = heads(t.queries), heads(t.keys), heads(t.values)
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = 0.5 * q @ k.mT + (0 if mask is None else mask)
    if causal:
        hidden = torch.ones(scores.shape[2:]).triu(scores.shape[3] - scores.shape[2] + 1).bool()
        scores = scores.masked_fill(hidden, -torch.inf)
    return heads(scores.softmax(-1) @ v), heads(scores.logsumexp(-1, keepdim=True))


OPERANDS = {"queries": (2, 3, 4, 5), "keys": (2, 6, 2, 5), "values": (2, 6, 2, 5)}
attributes = dict(batch=2, q_head=4, kv_head=2, mq=3, mk=6, scale=0.5)


def operands():
    return {n: uniform(*s) for n, s in OPERANDS.items()}


case("FAttention", "scaled_dot_product_attention", lambda t: flash(t, t.mask.view(2, 1, 3, 6))[0], {**operands(), "mask": uniform(2, 1, 3, 6)}, dim=5, **attributes)
case("FAttention", "", lambda t: flash(t, None, True)[0], {**operands(), "mask": constant(uniform(2, 1, 3, 6))}, dim=5, mask_size=128, **attributes)
case("FAttentionLse", "scaled_dot_product_attention, logsumexp", lambda t: flash(t, None), operands(), dim=5, **attributes)
case("FlexAttention", "flex_attention", lambda t: flash(t, t.mask.view(2, 1, 3, 6)), {**operands(), "values": uniform(2, 6, 2, 7), "mask": uniform(2, 3, 1, 6)},
     qk_d=5, v_d=7, has_lse=True, **attributes)
case("ScaleDotProductAttention", "scaled_dot_product_attention", lambda t: F.scaled_dot_product_attention(t.query, t.key, t.value, t.mask),
     {"query": uniform(2, 3, 4, 5), "key": uniform(2, 3, 6, 5), "value": uniform(2, 3, 6, 5), "mask": uniform(2, 1, 4, 6)})
case("ScaleDotProductAttention", "", lambda t: F.scaled_dot_product_attention(t.query, t.key, t.value, is_causal=True, scale=0.3),
     {"query": uniform(2, 3, 6, 5), "key": uniform(2, 3, 6, 5), "value": uniform(2, 3, 6, 5)}, is_causal=True, scale=0.3)


def attention(t):
    def projected(x, w, bias):
        return (x @ w + bias).view(2, -1, 2, 4).transpose(1, 2)
    q = projected(t.input, t.queries_weight, t.queries_bias)
    k = projected(t.keys, t.keys_weight, t.keys_bias)
    v = projected(t.values, t.values_weight, t.values_bias)
    y = F.scaled_dot_product_attention(q, k, v, scale=0.5)
    return y.transpose(1, 2).reshape(2, -1, 8) @ t.out_weight + t.out_bias


projections = {}
for name in "queries", "keys", "values":
    projections.update({name + "_weight": uniform(6, 8), name + "_bias": uniform(8)})
case("Attention", "multi_head_attention_forward", attention,
     {"input": uniform(2, 3, 6), "keys": uniform(2, 5, 6), "values": uniform(2, 5, 6), **projections, "out_weight": uniform(8, 6), "out_bias": uniform(6)},
     head=2, scale=0.5, has_bias=15)


def rope(t):
    a, b = t.input1[..., 0::2], t.input1[..., 1::2]
    partner = torch.stack([-b, a], -1).flatten(-2)
    return t.input1 * t.input3 + partner * t.input2


case("Rope", "mul, add", rope, {"input1": uniform(2, 3, 4, 6), "input2": uniform(1, 3, 1, 6), "input3": uniform(1, 3, 1, 6)})
