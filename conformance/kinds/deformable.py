"""Deformable attention."""
import numpy as np

from random_graph import R, maybe


def levels(least, most, largest):
    """the sizes of some levels, and their number of pixels"""
    sizes = [[R.randint(1, largest), R.randint(1, largest)] for _ in range(R.randint(least, most))]
    return sizes, sum(h * w for h, w in sizes)


def deformable_attention(s):
    # With a single sample, tpuc-opt swaps heads and pixels.
    n, q, heads, d, points = R.randint(1, 2), R.randint(2, 5), R.randint(1, 3), R.randint(1, 4), R.randint(1, 3)
    sizes, pixels = levels(1, 3, 5)
    at = np.random.uniform(-0.2, 1.2, [n, q, heads, len(sizes), points, 2]).astype("float32")
    s.call("deformable_attention", value=s.tensor("value", [n, pixels, heads, d]), sampling_locations=s.tensor("at", at.shape, values=at),
           attention_weights=s.tensor("weights", [n, q, heads, len(sizes), points]), value_spatial_shapes=sizes,
           grid_sampler_mode=maybe(0.3, lambda: 1))


def multi_scale_deformable_attention(s):
    # TpuLang fails on one level, and on queries without padding.
    sizes, pixels = levels(2, 3, 4)
    queries, heads, points, d, reference = R.randint(1, 9), R.randint(1, 3), R.randint(1, 3), R.randint(1, 3), R.choice([2, 4])
    embed, of_value = heads * d, R.randint(1, 5)
    samples = heads * len(sizes) * points
    coeff = lambda name, *shape: s.tensor(name, shape, "float32", True)
    at = np.random.uniform(0, 1, [1, queries, len(sizes), reference]).astype("float32")
    mask = np.random.randint(0, 2, [1, pixels]).astype("float32")
    s.call("multi_scale_deformable_attention", query=s.tensor("query", [1, queries, embed]), value=s.tensor("value", [1, pixels, of_value]),
           identity=s.tensor("identity", [1, queries, embed]), query_pos=s.tensor("at", [1, queries, embed]),
           key_padding_mask=s.tensor("mask", mask.shape, values=mask), reference_points=s.tensor("points", at.shape, values=at),
           sampling_offsets_weight=coeff("ow", embed, samples * 2), sampling_offsets_bias_ori=coeff("ob", samples * 2),
           attention_weights_weight=coeff("aw", embed, samples), attention_weights_bias_ori=coeff("ab", samples),
           value_proj_weight=coeff("vw", of_value, embed), value_proj_bias_ori=coeff("vb", embed),
           output_proj_weight=coeff("pw", embed, embed), output_proj_bias_ori=coeff("pb", embed), spatial_shapes=sizes, embed_dims=embed,
           num_heads=heads, num_levels=len(sizes), num_points=points, grid_sampler_mode=maybe(0.3, lambda: 1))


OTHER_TEXT = {"multi_scale_deformable_attention": "shapes are known, so tpuc-opt folds reshapes of biases in another order and copies other coefficients"}
KINDS = {"deformable_attention": deformable_attention, "multi_scale_deformable_attention": multi_scale_deformable_attention}
