"""The normalization of images."""
from random_graph import R, maybe


def mean_std_scale(s):
    s.mode = "quantized"
    d = R.choice(["float32", "uint8", "int8", "float16"])
    c = R.randint(1, 4)
    x = s.tensor("x", [R.randint(1, 2), c] + [R.randint(1, 6) for _ in range(R.randint(2, 3))], d)
    s.call("mean_std_scale", input=x, std=[R.choice([58.5, 1.0, 0.25, 40.125]) for _ in range(c)],
           mean=[R.choice([0.0, 3.5, 128.0, 116.25]) for _ in range(c)], scale=[1.0, R.choice([0.015625, 0.5, 2.0])],
           zero_points=[0, 0], odtype=R.choice(["int8", "float16", "float32"]),
           round_mode=maybe(0.6, lambda: R.choice(["half_to_even", "towards_zero", "up", "down", "half_away_from_zero"])))


KINDS = {"mean_std_scale": mean_std_scale}
