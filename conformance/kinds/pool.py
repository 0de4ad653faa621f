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


def pool3d(op):
    def build(s):
        size, kernel = [R.randint(2, 6) for _ in range(3)], [R.randint(1, 3) for _ in range(3)]
        kernel = [min(k, n) for k, n in zip(kernel, size)]
        pad = maybe(0.5, lambda: [R.randint(0, kernel[i % 3] // 2) for i in range(6)])
        extra = {"count_include_pad": maybe(0.5, lambda: True)} if op == "avgpool3d" else {}
        s.call(op, input=s.tensor("x", [R.randint(1, 2), R.randint(1, 3)] + size), kernel=maybe(0.9, lambda: kernel),
               stride=maybe(0.7, lambda: R.choice([R.randint(1, 3), [R.randint(1, 3) for _ in size]])), pad=pad, **extra)
    return build


def with_mask(s):
    kernel = [R.randint(1, 3), R.randint(1, 3)]
    s.call("maxpool2d_with_mask", ["y", "mask"], input=s.tensor("x", [R.randint(1, 2), R.randint(1, 4), R.randint(3, 9), R.randint(3, 9)]),
           kernel=kernel, stride=maybe(0.7, lambda: [R.randint(1, 3), R.randint(1, 3)]),
           pad=maybe(0.5, lambda: [R.randint(0, k // 2) for k in kernel] * 2))


def pool_quant(s, d):
    x = s.tensor("x", [1, 3, R.randint(4, 9), R.randint(4, 9)], d)
    k = scale()
    s.call(R.choice(["maxpool2d", "avgpool2d"]), input=x, kernel=[2, 2], stride=[2, 2], scale=[k, k if R.random() < 0.6 else scale()],
           zero_point=maybe(0.3, lambda: [zero(d)] * 2), round_mode=maybe(0.3, lambda: "half_up"))


KINDS = {
    **{n: pool(n) for n in ("maxpool2d", "avgpool2d")},
    **{n: pool3d(n) for n in ("maxpool3d", "avgpool3d")},
    "maxpool2d_with_mask": with_mask,
    "pool_quant": quantized(pool_quant),
}
