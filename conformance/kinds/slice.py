"""Ranges of axes."""
from random_graph import R, maybe, quantized, shape


def slice_(s):
    x = shape(1, 5, 9)
    axes = R.sample(range(len(x)), R.randint(1, len(x))) if R.random() < 0.7 else None
    # If all axes are named, tpuc-opt takes the entries by position, whatever the order.
    axes = sorted(axes) if axes and len(axes) == len(x) else axes
    # Without axes tpuc-opt needs a range of each.
    ranges = []
    for d in [x[a] for a in axes] if axes else x:
        step = R.choice([1, 1, 2, 3, -1, -2]) if axes else R.choice([1, 1, 2, 3])
        # With a negative step, tpu_mlir takes an end before the first entry for the whole axis.
        if step < 0 and d > 1:
            first = R.randint(1, d - 1)
            last = R.randint(0, first - 1)
        else:
            step = abs(step)
            first = R.randint(0, d - 1)
            last = R.randint(first + 1, d)
        # Without axes, tpu_mlir neither counts from the end nor clamps to it.
        if axes:
            last = R.choice([2**63 - 1, d + 1]) if last == d and R.random() < 0.5 else last - d if last < d and R.random() < 0.3 else last
            first -= d if R.random() < 0.3 else 0
        ranges.append((first, last, step))
    starts, ends, steps = map(list, zip(*ranges))
    given = R.random() < 0.7 or any(v != 1 for v in steps)
    s.call("slice", input=s.tensor("x", x), starts=starts, ends=ends, steps=steps if given else None, axes=axes)
    # These are written in the order of the axes, and as forward slices.
    s.other_text = bool(axes) and (axes != sorted(axes) or any(step < 0 for step in steps))


def extract(s):
    x = shape(1, 5)
    start = [R.randint(0, d - 1) for d in x]
    end = [R.randint(b + 1, d) for b, d in zip(start, x)]
    start = [b - d if R.random() < 0.3 else b for b, d in zip(start, x)]
    end = [e + R.choice([0, 1, 3]) if e == d else (e - d if R.random() < 0.3 and e - d != -1 else e) for e, d in zip(end, x)]
    s.call("extract", input=s.tensor("x", x), start=maybe(0.7, lambda: start) if any(start) else None,
           end=maybe(0.5, lambda: end),
           stride=maybe(0.5, lambda: [R.randint(1, 3) for _ in x]))


def roll(s):
    x = shape(1, 5)
    # tpu_mlir makes an empty slice for a shift by 0, and misreads the end -1 of an axis of size 1.
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
