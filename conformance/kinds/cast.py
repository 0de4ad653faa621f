"""Conversions of dtype."""
from random_graph import R, float_type, maybe, scale, shape, zero


def cast(s):
    d = R.choice(["float32", "float16", "int8", "uint8", "int32"])
    s.call("cast", tensor_i=s.tensor("x", shape(1, 4), d), out_dtype=R.choice(["float32", "float16", "int8", "uint8", "int32"]),
           round_mode=R.choice(["half_away_from_zero", "half_to_even", "towards_zero", "up", "down"]))


ROUND_MODES = ["half_away_from_zero", "half_to_even", "towards_zero", "up", "down"]
HALVES = ["half_up", "half_down"]
NARROW = ["int8", "uint8", "int16", "uint16"]


def requant_fp(s):
    s.mode = "quantized"
    x = s.tensor("x", shape(2, 4), R.choice(["int32", "int32", "int16", "uint16", "float32"]))
    n = s.tensors[x]["shape"][1] if R.random() < 0.3 else 0
    several = lambda f: [f() for _ in range(n)] if n else f()
    d = R.choice(NARROW)
    s.call("requant_fp", tensor_i=x, scale=several(lambda: R.choice([0.5, 0.25, 0.013, 1.5])),
           offset=several(lambda: R.choice([0.0, 1.0, 2.5, 7.75])), out_dtype=d,
           round_mode=maybe(0.7, lambda: R.choice(ROUND_MODES + HALVES)),
           first_round_mode=maybe(0.3, lambda: R.choice(ROUND_MODES)))


def requant_fp_to_int(s):
    s.mode = "quantized"
    x = s.tensor("x", shape(2, 4), float_type())
    n = s.tensors[x]["shape"][1] if R.random() < 0.3 else 1
    d = R.choice(NARROW)
    s.call("requant_fp_to_int", tensor_i=x, scale=scale() if n == 1 else [scale() for _ in range(n)], offset=zero(d),
           requant_mode=R.randint(0, 1), out_dtype=d,
           round_mode=maybe(0.7, lambda: R.choice(ROUND_MODES + (HALVES if n == 1 else []))))


def dequant_int(s):
    s.mode = "quantized"
    d = R.choice(NARROW)
    x = s.tensor("x", shape(2, 4), d)
    if R.random() < 0.8:
        s.tensors[x]["scale"] = scale()
    n = s.tensors[x]["shape"][1] if R.random() < 0.2 else 0
    several = lambda f: [f() for _ in range(n)] if n else f()
    mode = R.randint(0, 1)
    s.call("dequant_int", tensor_i=x, mul=several(lambda: R.randint(1, 30) << (0 if mode == 0 else 24)),
           shift=several(lambda: R.randint(-6, 3)), offset=R.choice([0, 0, 5]), lshift=R.randint(0, 4), requant_mode=mode,
           out_dtype=R.choice(NARROW), round_mode=maybe(0.7, lambda: R.choice(ROUND_MODES + HALVES)))


def dequant_int_to_fp(s):
    s.mode = "quantized"
    d = R.choice(NARROW)
    x = s.tensor("x", shape(2, 4), d)
    n = s.tensors[x]["shape"][1] if R.random() < 0.3 else 1
    out = float_type()
    s.call("dequant_int_to_fp", tensor_i=x, scale=scale() if n == 1 else [scale() for _ in range(n)], offset=zero(d),
           out_dtype=out, round_mode=maybe(0.5, lambda: R.choice(ROUND_MODES + (HALVES if out == "float32" else []))))


KINDS = {
    "cast": cast,
    "requant_fp": requant_fp,
    "requant_fp_to_int": requant_fp_to_int,
    "dequant_int": dequant_int,
    "dequant_int_to_fp": dequant_int_to_fp,
}
