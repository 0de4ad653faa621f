"""Pooling."""
from random_graph import R, maybe, quantized, scale, zero


def pool(op):
    def build(s):
        h, w = R.randint(3, 12), R.randint(3, 12)
        kernel = [R.randint(1, 3), R.randint(1, 3)]
        pad = maybe(0.5, lambda: [R.randint(0, kernel[i % 2] // 2) for i in range(4)])
        extra = {"count_include_pad": maybe(0.5, lambda: True)} if op == "avgpool2d" else {}
        s.call(op, input=s.tensor("x", [R.randint(1, 2), R.randint(1, 4), h, w]), kernel=maybe(0.9, lambda: kernel),
               stride=maybe(0.7, lambda: [R.randint(1, 3), R.randint(1, 3)]), pad=pad, ceil_mode=maybe(0.3, lambda: True), **extra)
    return build


def pool_quant(s, d):
    x = s.tensor("x", [1, 3, R.randint(4, 9), R.randint(4, 9)], d)
    k = scale()
    s.call(R.choice(["maxpool2d", "avgpool2d"]), input=x, kernel=[2, 2], stride=[2, 2], scale=[k, k if R.random() < 0.6 else scale()],
           zero_point=maybe(0.3, lambda: [zero(d)] * 2), round_mode=maybe(0.3, lambda: "half_up"))


KINDS = {
    **{n: pool(n) for n in ("maxpool2d", "avgpool2d")},
    "pool_quant": quantized(pool_quant),
}
