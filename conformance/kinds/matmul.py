"""Matrix products."""
import numpy as np

from random_graph import R, float_type, maybe, quantized, scale, shape, zero


def matmul(s):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    batch = shape(0, 3, 3) if R.random() < 0.8 else []
    if len(batch) == 3:
        # The executor's values are wrong if the last of three batch axes is 1.
        batch[2] = R.randint(2, 3)
    right_batch = R.choice([[], batch, [d if i == 2 or R.random() < 0.6 else 1 for i, d in enumerate(batch)]])
    rt = R.random() < 0.3
    d = float_type()
    # tpu_mlir ignores input_transpose and output_transpose.
    x = s.tensor("x", batch + [m, k], d)
    coeff = R.random() < 0.6
    w = s.tensor("w", right_batch + ([n, k] if rt else [k, n]), d, coeff)
    b = maybe(0.5, lambda: s.tensor("b", [n], d, True))
    # Coefficients are emitted transposed, as the tool chain mistreats the flag.
    s.other_text = rt and coeff
    s.call("matmul", input=x, right=w, bias=b, right_transpose=rt or None, keep_dims=maybe(0.2, lambda: False),
           do_relu=maybe(0.3, lambda: True), relu_limit=maybe(0.2, lambda: 6.0))


def matmul_requant(s, d):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    x = s.tensor("x", shape(0, 2, 3) + [m, k], d)
    rt = R.random() < 0.4
    w = s.tensor("w", [n, k] if rt else [k, n], "int8", True)
    y = s.call("matmul_int", "a", input=x, right=w, bias=maybe(0.4, lambda: s.tensor("b", [n], "int32", True)), right_transpose=rt or None,
               input_zp=zero(d), right_zp=0)
    out = R.choice(["int8", "uint8", "int16"])
    s.call("requant_int", tensor_i=y, mul=R.randint(1, 2**31 - 1), shift=-R.randint(1, 40), offset=zero(out),
           requant_mode=R.randint(0, 2), out_dtype=out,
           round_mode=R.choice(["half_away_from_zero", "half_up", "half_to_even"]), rq_axis=-1, fuse_rq_to_matmul=maybe(0.3, lambda: True))


def matmul_quant(s, d):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    x = s.tensor("x", shape(0, 2, 3) + [m, k], d)
    rt = R.random() < 0.4
    w = s.tensor("w", [n, k] if rt else [k, n], "int8", True)
    s.call("matmul_quant", input=x, right=w, bias=maybe(0.4, lambda: s.tensor("b", [n], "int32", True)), right_transpose=rt or None,
           input_scale=scale(), right_scale=scale(), output_scale=scale(), input_zp=maybe(0.7, lambda: zero(d)), right_zp=0,
           output_zp=maybe(0.7, lambda: R.choice([0, 3])), out_dtype=maybe(0.5, lambda: R.choice(["int8", "uint8"])))


def matmulrq_int_op(s, d):
    m, k, n = (R.randint(1, 9) for _ in range(3))
    x = s.tensor("x", shape(0, 2, 3) + [m, k], d)
    w = s.tensor("w", [k, n], "int8", True)
    several = R.random() < 0.5
    relu = R.random() < 0.3
    s.call("matmulrq_int_op", input=x, right=w, bias=maybe(0.4, lambda: s.tensor("b", [n], "int32", True)),
           multiplier=[R.randint(1, 99) for _ in range(n)] if several else R.randint(1, 99),
           shift=[-R.randint(1, 9) for _ in range(n)] if several else -R.randint(1, 9), offset=0 if relu else zero("int8"),
           out_dtype=None if relu else R.choice(["int8", "int16"]), round_mode=maybe(0.5, lambda: "half_up"), do_relu=relu or None)


def a16matmul(s):
    n, group, groups = 8 * R.randint(1, 3), 8 * R.randint(1, 2), R.randint(1, 3)
    bits = R.choice([4, 8])
    k, each = group * groups, 32 // bits
    d = float_type()
    x = s.tensor("x", shape(1, 3, 4) + [k], d)
    packed = lambda name, rows, columns: s.tensor(name, [rows, columns], "int32", True,
                                                  np.random.randint(-2**31, 2**31, (rows, columns), dtype=np.int64).astype(np.int32))
    w, z = packed("w", k // each, n), packed("z", groups, n // each)
    q = s.tensor("s", [groups, n], d, True)
    s.call("a16matmul", input=x, weight=w, scale=q, zp=z, bias=maybe(0.5, lambda: s.tensor("b", [n], d, True)),
           out_dtype=float_type(), group_size=group, bits=bits)


def fp8matmul(s):
    n, block = R.randint(1, 20), R.randint(1, 8)
    k = block * R.randint(1, 3)
    # The executor reads the wrong scales if k is not a multiple of the block size, or the weight is k x n.
    rt = R.random() < 0.8
    if not rt:
        k = n = block
    d = float_type()
    x = s.tensor("x", shape(1, 3, 4) + [k], d)
    order = lambda a, b: [a, b] if rt else [b, a]
    w = s.tensor("w", order(n, k), "float32", True)
    # TpuLang truncates values that round to the first normal number.
    s.data[w][abs(abs(s.data[w]) * 512 - 7.75) <= 0.25] = 0
    q = s.tensor("s", order(-(-n // block), -(-k // block)), "float32", True)
    s.call("fp8matmul", input=x, weight=w, scale=q, bias=maybe(0.5, lambda: s.tensor("b", [n], d, True)),
           right_transpose=None if rt else False, out_dtype=float_type(), block_size=block)


KINDS = {
    "matmul": matmul,
    "matmul_quant": quantized(matmul_quant),
    "matmulrq_int_op": quantized(matmulrq_int_op),
    "a16matmul": a16matmul,
    "fp8matmul": fp8matmul,
    "matmul_requant": quantized(matmul_requant),
}
