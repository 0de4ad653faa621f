"""Integer arithmetic with a shift."""
from random_graph import R, broadcast_pair, maybe, shape

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]
ROUND_MODES = ["half_away_from_zero", "half_up", "half_down", "half_to_even", "towards_zero", "up", "down"]


def _shift(op):
    def build(s):
        s.mode = "quantized"
        if R.random() < 0.6:
            a, b = broadcast_pair()
            left = s.tensor("a", a, R.choice(INTEGERS))
            right = s.tensor("b", b, R.choice(INTEGERS), coeff=R.random() < 0.5)
        else:
            left, right = s.tensor("a", shape(1, 4), R.choice(INTEGERS)), R.randint(-99, 99)
        if R.random() < 0.3:
            left, right = right, left
        outs = INTEGERS if op != "sub_shift" else ["int8", "int16", "int32"]
        s.call(op, tensor_i0=left, tensor_i1=right, shift=R.randint(-8, 4), out_dtype=R.choice(outs),
               round_mode=maybe(0.7, lambda: R.choice(ROUND_MODES)), is_saturate=maybe(0.2, lambda: False))
    return build


KINDS = {name: _shift(name) for name in ["add_shift", "sub_shift", "mul_shift"]}
