"""Ranges of axes."""
from random_graph import R, maybe, quantized, shape


def slice_(s):
    x = shape(1, 5, 9)
    axes = R.sample(range(len(x)), R.randint(1, len(x))) if R.random() < 0.7 else None
    n = len(axes) if axes else R.randint(1, len(x))
    bound = lambda: R.choice([R.randint(-9, 9), R.randint(0, 9), 2**63 - 1])
    s.call("slice", input=s.tensor("x", x), starts=[R.randint(-9, 8) if R.random() < 0.3 else R.randint(0, 3) for _ in range(n)],
           ends=[bound() for _ in range(n)], steps=maybe(0.5, lambda: [R.choice([1, 2, 3, -1, -2]) for _ in range(n)]), axes=axes)


def extract(s):
    x = shape(1, 5)
    start = [R.randint(0, d - 1) for d in x]
    s.call("extract", input=s.tensor("x", x), start=maybe(0.7, lambda: start) if any(start) else None,
           end=maybe(0.5, lambda: [R.randint(b + 1, d) for b, d in zip(start, x)]),
           stride=maybe(0.5, lambda: [R.randint(1, 3) for _ in x]))


def roll(s):
    x = shape(1, 5)
    # The tool chain makes an empty part of a shift by nothing, and takes an end of 1 of -1 for the whole axis.
    shift = lambda n: R.randint(1, n - 1) + n * R.randint(-2, 2)
    t = s.tensor("x", x)
    long = [a for a, d in enumerate(x) if d > 1]
    kind = R.choice(["flat", "one", "many"])
    n = 1
    for d in x:
        n *= d
    if n == 1:
        return s.call("roll", input=t, shifts=1)
    if kind == "flat":
        s.call("roll", input=t, shifts=shift(n))
    elif kind == "one":
        a = R.choice(long)
        s.call("roll", input=t, shifts=shift(x[a]), dims=a)
    else:
        axes = R.sample(long, R.randint(1, len(long)))
        s.call("roll", input=t, shifts=[shift(x[a]) for a in axes], dims=axes)


def extract_quant(s, d):
    s.call("extract", input=s.tensor("x", [2, 3, 8, 8], d), start=[0, 1, 2, 3], stride=[1, 1, 2, R.randint(1, 3)])


def roll_quant(s, d):
    s.call("roll", input=s.tensor("x", [4, 5], d), shifts=[R.randint(1, 3), R.randint(1, 4)], dims=[0, 1])


KINDS = {
    "slice": slice_,
    "extract": extract,
    "roll": roll,
    "extract_quant": quantized(extract_quant),
    "roll_quant": quantized(roll_quant),
}
