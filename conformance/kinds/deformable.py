"""Attention that samples."""
import numpy as np

from random_graph import R, maybe


def levels_of(pixels):
    """one to three levels of that many pixels"""
    sizes = [[R.randint(1, 5), R.randint(1, 5)] for _ in range(R.randint(1, 3))]
    return sizes, sum(h * w for h, w in sizes)


def deformable_attention(s):
    n, q, heads, d, points = R.randint(1, 2), R.randint(1, 5), R.randint(1, 3), R.randint(1, 4), R.randint(1, 3)
    sizes, pixels = levels_of(None)
    at = np.random.uniform(-0.2, 1.2, [n, q, heads, len(sizes), points, 2]).astype("float32")
    s.call("deformable_attention", value=s.tensor("value", [n, pixels, heads, d]), sampling_locations=s.tensor("at", at.shape, values=at),
           attention_weights=s.tensor("weights", [n, q, heads, len(sizes), points]), value_spatial_shapes=sizes,
           grid_sampler_mode=maybe(0.3, lambda: 1))


def multi_scale_deformable_attention(s):
    # The peer fails with one level, and with queries that need no padding.
    levels, heads, points, q = R.randint(2, 3), R.randint(1, 2), R.randint(1, 3), R.randint(1, 20)
    sizes = [[R.randint(1, 4), R.randint(1, 4)] for _ in range(levels)]
    pixels, embed = sum(h * w for h, w in sizes), heads * 2 * R.randint(1, 2)
    ratio, n = R.choice([1.0, 0.5]), heads * levels * points
    values = int(embed * ratio)
    coeff = lambda name, *shape: s.tensor(name, shape, "float32", True)
    references = np.random.uniform(0, 1, [1, q, levels, R.choice([2, 4])]).astype("float32")
    mask = np.random.randint(0, 2, [1, pixels]).astype("float32")
    s.call("multi_scale_deformable_attention", query=s.tensor("query", [1, q, embed]), value=s.tensor("value", [1, pixels, embed]),
           identity=maybe(0.4, lambda: s.tensor("identity", [1, q, embed])), query_pos=maybe(0.4, lambda: s.tensor("pos", [1, q, embed])),
           key_padding_mask=s.tensor("mask", mask.shape, values=mask), reference_points=s.tensor("points", references.shape, values=references),
           sampling_offsets_weight=coeff("ow", embed, n * 2), sampling_offsets_bias_ori=coeff("ob", n * 2),
           attention_weights_weight=coeff("aw", embed, n), attention_weights_bias_ori=coeff("ab", n),
           value_proj_weight=coeff("vw", embed, values), value_proj_bias_ori=coeff("vb", values),
           output_proj_weight=coeff("pw", values, embed), output_proj_bias_ori=coeff("pb", embed), spatial_shapes=sizes, embed_dims=embed,
           num_heads=heads, num_levels=levels, num_points=points, value_proj_ratio=ratio)


KINDS = {
    "deformable_attention": deformable_attention,
    "multi_scale_deformable_attention": multi_scale_deformable_attention,
}
