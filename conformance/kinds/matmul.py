"""Matrix products."""
from random_graph import R, float_type, maybe, quantized, shape, zero


def matmul(s):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    batch = shape(0, 3, 3) if R.random() < 0.8 else []
    right_batch = R.choice([[], batch, [d if R.random() < 0.6 else 1 for d in batch]])
    lt, rt = R.random() < 0.2, R.random() < 0.3
    d = float_type()
    x = s.tensor("x", batch + ([k, m] if lt else [m, k]), d)
    coeff = R.random() < 0.6
    w = s.tensor("w", right_batch + ([n, k] if rt else [k, n]), d, coeff)
    b = maybe(0.5, lambda: s.tensor("b", [n], d, True))
    s.call("matmul", input=x, right=w, bias=b, input_transpose=lt or None, right_transpose=rt or None,
           output_transpose=maybe(0.1, lambda: True), keep_dims=maybe(0.2, lambda: False),
           do_relu=maybe(0.3, lambda: True), relu_limit=maybe(0.2, lambda: 6.0))


def matmul_requant(s, d):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    x = s.tensor("x", shape(0, 2, 3) + [m, k], d)
    rt = R.random() < 0.4
    w = s.tensor("w", [n, k] if rt else [k, n], "int8", True)
    y = s.call("matmul_int", "a", input=x, right=w, bias=maybe(0.4, lambda: s.tensor("b", [n], "int32", True)), right_transpose=rt or None,
               input_zp=zero(d), right_zp=0)
    s.call("requant_int", tensor_i=y, mul=R.randint(1, 2**31 - 1), shift=-R.randint(1, 40), offset=zero("int8"),
           requant_mode=R.randint(0, 2), out_dtype=R.choice(["int8", "uint8", "int16"]),
           round_mode=R.choice(["half_away_from_zero", "half_up", "half_to_even"]), rq_axis=-1, fuse_rq_to_matmul=maybe(0.3, lambda: True))


KINDS = {
    "matmul": matmul,
    "matmul_requant": quantized(matmul_requant),
}
