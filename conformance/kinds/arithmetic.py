"""Arithmetic on two tensors, or a tensor and a number."""
from random_graph import R, broadcast_pair, float_type, maybe, quantized, scale, zero


def binary(op):
    def build(s):
        integers = ["int8", "uint8", "int16", "int32"] if op in ("max", "min") else ["int8", "uint8"]
        d = float_type() if op == "div" or R.random() < 0.7 else R.choice(integers)
        a, b = broadcast_pair()
        kind = R.random()
        if kind < 0.3:
            # The peer divides no float16 by a number.
            d = "float32" if op == "div" else d
            x, v = s.tensor("x", a, d), R.choice([2, -3, 0.5, 1.25])
            v = int(v) if d.find("int") >= 0 else float(v) if op == "div" else v
            s.call(op, tensor_i0=x, tensor_i1=v) if R.random() < 0.6 else s.call(op, tensor_i0=v, tensor_i1=x)
        elif kind < 0.5:
            s.call(op, tensor_i0=s.tensor("x", a, d), tensor_i1=s.tensor("w", b, d, True))
        elif kind < 0.6:
            s.call(op, tensor_i0=s.tensor("w", a, d, True), tensor_i1=s.tensor("x", b, d))
        else:
            s.call(op, tensor_i0=s.tensor("x", a, d), tensor_i1=s.tensor("z", b, d))
        # Constants among integers are written as floats.
        s.other_text = "int" in d and "w" in s.tensors
    return build


def binary_quant(s, d):
    op = R.choice(["add", "sub", "mul", "max", "min"])
    a, b = broadcast_pair()
    x = s.tensor("x", a, d)
    kind = R.random()
    if kind < 0.3:
        other = {"value": R.randint(1, 9), "dtype": d}
    else:
        other = s.tensor("z", b, d, kind < 0.6)
    pair = [x, other] if R.random() < 0.7 else [other, x]
    # TpuLang makes differences signed.
    out = maybe(0.3, lambda: "int8") if op != "sub" else "int8"
    s.call(op, tensor_i0=pair[0], tensor_i1=pair[1], scale=[scale(), scale(), scale()],
           zero_point=maybe(0.4, lambda: [zero(d), zero(d), zero(out or d)]), out_dtype=out)


KINDS = {
    **{n: binary(n) for n in ("add", "sub", "mul", "div", "max", "min")},
    "binary_quant": quantized(binary_quant),
}
