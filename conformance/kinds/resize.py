"""Resampled images."""
import numpy as np

from random_graph import R, float_type, maybe


def coordinates(method):
    # tpu_mlir computes some modes as another mode; these are not compared.
    return R.choice(["align_corners", "asymmetric"] if method == "nearest" else ["align_corners", "half_pixel", "pytorch_half_pixel", None])


def interpolate(s):
    method = R.choice(["nearest", "linear"])
    x = s.tensor("x", [R.randint(1, 2), R.randint(1, 3), R.randint(1, 9), R.randint(1, 9)], float_type())
    h, w = R.choice([1.0, 2.0, 3.0, 1.5, 2.7]), R.choice([1.0, 2.0, 3.0, 1.3, 4.0])
    # tpuc-opt rewrites nearest with equal scales as an Upsample, whatever its coordinates.
    mode = "asymmetric" if method == "nearest" and h == w else coordinates(method)
    s.call("interpolate", input=x, scale_h=h, scale_w=w, method=method, coord_mode=mode)


def interpolate_v2(s):
    method = R.choice(["nearest", "linear"])
    x = s.tensor("x", [1, R.randint(1, 3), R.randint(2, 9), R.randint(2, 9)])
    if R.random() < 0.5:
        sizes = s.tensor("sizes", [2], "float32", True, np.array([R.randint(1, 20), R.randint(1, 20)], "float32"))
        s.call("interpolate_v2", input=x, sizes=sizes, method=method, coord_mode=coordinates(method))
    else:
        s.call("interpolate_v2", input=x, scale=[R.choice([0.5, 2.0]), R.choice([0.5, 3.0])], method=method,
               coord_mode=coordinates(method), antialias=maybe(0.3, lambda: 0), cubic_coeff_a=maybe(0.3, lambda: -0.75))


KINDS = {
    "interpolate": interpolate,
    "interpolate_v2": interpolate_v2,
}
