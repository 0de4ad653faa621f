"""Attention that samples."""
import numpy as np

from random_graph import R, maybe


def levels(least, most, largest):
    """the sizes of some levels, and how many pixels they have"""
    sizes = [[R.randint(1, largest), R.randint(1, largest)] for _ in range(R.randint(least, most))]
    return sizes, sum(h * w for h, w in sizes)


def deformable_attention(s):
    # Of a single sample tpuc-opt takes heads and pixels for each other.
    n, q, heads, d, points = R.randint(1, 2), R.randint(2, 5), R.randint(1, 3), R.randint(1, 4), R.randint(1, 3)
    sizes, pixels = levels(1, 3, 5)
    at = np.random.uniform(-0.2, 1.2, [n, q, heads, len(sizes), points, 2]).astype("float32")
    s.call("deformable_attention", value=s.tensor("value", [n, pixels, heads, d]), sampling_locations=s.tensor("at", at.shape, values=at),
           attention_weights=s.tensor("weights", [n, q, heads, len(sizes), points]), value_spatial_shapes=sizes,
           grid_sampler_mode=maybe(0.3, lambda: 1))


# multi_scale_deformable_attention has no kind: tpuc-opt folds its biases in another order where shapes are known, so that
# texts differ in the number of weights.
KINDS = {"deformable_attention": deformable_attention}
