"""Decoder layers."""
import numpy as np

from random_graph import R, float_type, maybe


def _arguments(s, cached):
    """tensors and options of a layer after `past` positions; None: without a cache"""
    bits = R.choice([4, 8])
    each, d = 32 // bits, R.choice([8, 16])
    # The executor assumes that both 4-bit weights of a byte belong to one group.
    shared, group = R.randint(1, 2), R.choice([1, 2, 4, 8] if bits == 8 else [2, 4, 8])
    heads, positions, inner, rows = shared * R.randint(1, 3), R.randint(1, 6), 8 * R.randint(1, 4), R.randint(7, 12)
    hidden, own, dtype = heads * d, shared * d, float_type()
    first = R.randint(1, d // 2 - 2)
    second = R.randint(1, d // 2 - first - 1)
    sections = R.choice([[first, second, d // 2 - first - second], [first, d // 2 - first], [d // 2]])
    args = {"hidden_states": s.tensor("hidden", [1, positions, hidden], dtype)}
    ids = np.random.randint(0, rows, (len(sections), 1, positions))
    # TpuLang declares intermediate positions with the layer's dtype.
    args["position_ids"] = s.tensor("ids", ids.shape, dtype, values=ids.astype(dtype))
    keys = positions + (cached or 0)
    args["attention_mask"] = s.tensor("mask", [1, R.choice([1, heads]), positions, keys], dtype)
    if cached is not None:
        for name in ("k_cache", "v_cache"):
            args[name] = s.tensor(name, [1, cached, shared, d], dtype)

    def packed(name, rows, columns):
        values = np.random.randint(-2**31, 2**31, (rows, columns), dtype=np.int64).astype(np.int32)
        return s.tensor(name, [rows, columns], "int32", True, values)

    for name, k, n, bias in (("q", hidden, hidden, True), ("k", hidden, own, True), ("v", hidden, own, True), ("o", hidden, hidden, True),
                             ("gate", hidden, inner, False), ("up", hidden, inner, False), ("down", inner, hidden, False)):
        name += "_proj_"
        args[name + "weights"] = packed(name + "w", k // each, n)
        scales = np.random.uniform(0.01, 0.05, (k // group, n)).astype(dtype)
        args[name + "scales"] = s.tensor(name + "s", scales.shape, dtype, True, scales)
        args[name + "zps"] = packed(name + "z", k // group, n // each)
        if bias:
            args[name + "bias"] = s.tensor(name + "b", [n], dtype, True)
    for name in ("input_layernorm_weight", "post_attention_layernorm_weight"):
        args[name] = s.tensor(name, [hidden], dtype, True)
    for name in ("cos", "sin"):
        args[name] = [s.tensor("%s%d" % (name, i), [rows, 1, n], dtype, True) for i, n in enumerate(sections)]
    return dict(args, out_dtype=dtype, group_size=group, weight_bits=bits, hidden_size=hidden, num_attention_heads=heads,
                num_key_value_heads=shared, mrope_section=sections, rms_norm_eps=maybe(0.3, lambda: 1e-3))


def qwen2_block(s):
    s.call("qwen2_block", ["y", "k", "v"], **_arguments(s, None))


def qwen2_block_cache(s):
    s.call("qwen2_block_cache", ["y", "k", "v"], **_arguments(s, R.randint(1, 5)))


KINDS = {"qwen2_block": qwen2_block, "qwen2_block_cache": qwen2_block_cache}
