"""Conversions of dtype."""
from random_graph import R, shape


def cast(s):
    d = R.choice(["float32", "float16", "int8", "uint8", "int32"])
    s.call("cast", tensor_i=s.tensor("x", shape(1, 4), d), out_dtype=R.choice(["float32", "float16", "int8", "uint8", "int32"]),
           round_mode=R.choice(["half_away_from_zero", "half_to_even", "towards_zero", "up", "down"]))


KINDS = {"cast": cast}
