"""Functions that move values without changing them."""
import torch

from .reference import reference


@reference
def reshape(tensor, new_shape):
    return tensor.reshape([tensor.shape[i] if d == 0 else d for i, d in enumerate(new_shape)])


@reference
def permute(input, order):
    return input.permute(order)


@reference
def squeeze(tensor_i, axis):
    return tensor_i.squeeze(tuple(axis))


@reference
def unsqueeze(input, axes):
    rank = input.dim() + len(axes)
    for axis in sorted(a % rank for a in axes):
        input = input.unsqueeze(axis)
    return input


@reference
def concat(inputs, axis=0, dtype=None):
    return torch.cat(inputs, axis)


@reference
def split(input, axis, num, size=None):
    return list(torch.split(input, size or input.shape[axis] // num, axis))


def ranged(x, axis, start, end, step):
    at = list(range(*slice(start, end, step).indices(x.shape[axis])))
    return x.index_select(axis, torch.tensor(at, dtype=torch.int64))


@reference
def slice_(input, starts, ends, steps=None, axes=None):
    for i, axis in enumerate(axes or range(len(starts))):
        input = ranged(input, axis, starts[i], ends[i], steps[i] if steps else 1)
    return input


@reference
def extract(input, start, end, stride):
    for axis in range(input.dim()):
        input = ranged(input, axis, start[axis], end[axis], stride[axis])
    return input


@reference
def roll(input, shifts, dims=None):
    return torch.roll(input, shifts, dims)


@reference
def tile(input, reps):
    return input.repeat(reps)


@reference
def broadcast(input, reps):
    return input.broadcast_to(reps).clone()


@reference
def pad(input, padding, method="constant", value=0.0):
    rank = input.dim()
    for axis, (before, after) in enumerate(zip(padding[:rank], padding[rank:])):
        input = padded(input, axis, before, after, method, value)
    return input


def padded(x, axis, before, after, method, value):
    n = x.shape[axis]
    places = torch.arange(-before, n + after)
    if method == "constant":
        outside = (places < 0) | (places >= n)
        view = [-1 if a == axis else 1 for a in range(x.dim())]
        return torch.where(outside.view(view), torch.tensor(value or 0, dtype=x.dtype), x.index_select(axis, places.clamp(0, n - 1)))
    if method == "edge":
        places = places.clamp(0, n - 1)
    elif method == "reflect":
        places = (n - 1) - ((n - 1) - places.abs()).abs()
    else:
        places = torch.where(places < 0, -1 - places, places)
        places = torch.where(places >= n, 2 * n - 1 - places, places)
    return x.index_select(axis, places)


@reference
def index_select(input, index, axis=-1, keep_dims=True):
    axis %= input.dim()
    taken = input.index_select(axis, index.reshape(-1).long() % input.shape[axis])
    return taken.reshape(list(input.shape[:axis]) + list(index.shape) + list(input.shape[axis + 1:]))


@reference
def gather_elements(input, index, axis):
    return torch.gather(input, axis, index.long() % input.shape[axis])


@reference
def topk(input, axis, k):
    values, indices = torch.sort(input, dim=axis, descending=True, stable=True)
    return values.narrow(axis, 0, k), indices.narrow(axis, 0, k).int()


@reference
def sort(input, axis, descending=True):
    values, indices = torch.sort(input, dim=axis, descending=descending, stable=True)
    return values, indices.int()


@reference
def upsample(input, scale):
    return input.repeat_interleave(scale, -2).repeat_interleave(scale, -1)


# Steps.


def dtype_of(n, x):
    """Returns the argument `dtype` of concat."""
    return n.float if n.is_float(x) else n.dtype(x)


def reshape_step(n):
    x = n.pick()
    shape = n.shape(x)
    at = n.random.randrange(len(shape))
    kind = n.choice(["merge", "divide", "flat", "one", "any"])
    if kind == "merge" and at + 1 < len(shape):
        shape[at:at + 2] = [shape[at] * shape[at + 1]]
    elif kind == "divide":
        divisor = n.choice([d for d in range(1, shape[at] + 1) if shape[at] % d == 0])
        shape[at:at + 1] = [divisor, shape[at] // divisor]
    elif kind == "flat":
        shape = n.choice([[-1], [0, -1]])
    elif kind == "one":
        shape.insert(at, 1)
    else:
        n.random.shuffle(shape)
    if len(shape) > 6:
        shape = [-1]
    n.call("reshape", exact=True, tensor=x, new_shape=shape)


def permute_step(n):
    x = n.pick(lambda t: len(n.shape(t)) > 1)
    rank = len(n.shape(x))
    usual = [o for o in ([0, 2, 1], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2], [1, 0]) if len(o) == rank]
    order = n.choice(usual) if usual and n.chance(0.6) else n.random.sample(range(rank), rank)
    n.call("permute", exact=True, input=x, order=order)


def ones(n):
    x = n.pick(lambda t: len(n.shape(t)) < 6)
    rank, at = len(n.shape(x)), [a for a, d in enumerate(n.shape(x)) if d == 1]
    if at and rank > len(at) and n.chance(0.5):
        n.call("squeeze", exact=True, tensor_i=x, axis=n.random.sample(at, n.random.randint(1, len(at))))
    else:
        n.call("unsqueeze", exact=True, input=x, axes=[n.random.randint(-rank - 1, rank)])


def concat_step(n):
    x = n.pick()
    shape = n.shape(x)
    axis = 1 if len(shape) == 4 and n.chance(0.5) else n.random.randrange(len(shape))
    rest = lambda s: [d for a, d in enumerate(s) if a != axis]
    parts = [x]
    for _ in range(n.random.randint(1, 3)):
        if n.chance(0.4):
            part = list(shape)
            part[axis] = n.random.randint(1, 4)
            parts.append(n.constant(part, n.dtype(x)))
        else:
            parts.append(n.pick(lambda t: n.dtype(t) == n.dtype(x) and len(n.shape(t)) == len(shape) and rest(n.shape(t)) == rest(shape)))
    n.random.shuffle(parts)
    n.call("concat", exact=True, inputs=parts, axis=axis - len(shape) if n.chance(0.2) else axis, dtype=dtype_of(n, x))


def split_step(n):
    x = n.pick(lambda t: max(n.shape(t)) > 1 and n.dtype(t) != "int32")
    axis = n.choice([a for a, d in enumerate(n.shape(x)) if d > 1])
    size = n.shape(x)[axis]
    even = [d for d in range(2, min(size, 6) + 1) if size % d == 0]
    if even and n.chance(0.6):
        num = n.choice(even)
        n.call("split", num, exact=True, input=x, axis=axis, num=num)
    else:
        first = n.random.randint(1, size - 1)
        n.call("split", 2, exact=True, input=x, axis=axis, num=2, size=[first, size - first])


def slice_step(n):
    x = n.pick()
    shape = n.shape(x)
    axes = n.random.sample(range(len(shape)), n.random.randint(1, min(2, len(shape))))
    starts, ends, steps = [], [], []
    for d in (shape[a] for a in axes):
        first, last = sorted(n.random.sample(range(d + 1), 2))
        step = n.choice([1, 1, 1, 2, 3, -1, -2])
        if step < 0:
            # An end before the first entry has to be counted from the end.
            first, last = last - 1, first - 1 if first else -d - 1
        starts.append(first)
        ends.append(last)
        steps.append(step)
    n.call("slice", exact=True, input=x, starts=starts, ends=ends, steps=None if steps == [1] * len(steps) else steps, axes=axes)


def extract_step(n):
    x = n.pick(lambda t: n.dtype(t) != "int32")
    shape = n.shape(x)
    start = [n.random.randrange(d) for d in shape]
    end = [n.random.randint(b + 1, d) for b, d in zip(start, shape)]
    n.call("extract", exact=True, input=x, start=start, end=end, stride=[n.random.randint(1, 2) for _ in shape])


def larger(n):
    x = n.pick(lambda t: len(n.shape(t)) < 6 and n.dtype(t) != "int32")
    shape = n.shape(x)
    kind = n.choice(["tile", "broadcast", "roll", "roll"])
    if kind == "tile":
        n.call("tile", exact=True, input=x, reps=[n.choice([1, 1, 2, 3]) for _ in shape])
    elif kind == "broadcast":
        n.call("broadcast", exact=True, input=x, reps=[n.random.randint(1, 4) if d == 1 else d for d in shape])
    else:
        axis = n.random.randrange(len(shape))
        n.call("roll", exact=True, input=x, shifts=n.random.randint(-shape[axis], shape[axis]), dims=axis)


def pad_step(n):
    x = n.pick(lambda t: n.dtype(t) in ("float32", "int8", "uint8"))
    shape = n.shape(x)
    method = n.choice(["constant", "constant", "reflect", "symmetric", "edge"])
    most = lambda d: min(3, d - 1 if method == "reflect" else d)
    padded = [a for a in range(len(shape)) if n.chance(0.5)]
    padding = [n.random.randint(0, most(d)) if a in padded else 0 for _ in range(2) for a, d in enumerate(shape)]
    value = n.maybe(0.4, lambda: n.choice([1.5, -2.0]) if n.is_float(x) else 3) if method == "constant" else None
    n.call("pad", exact=True, input=x, padding=padding, method=method, value=value)


def index_step(n):
    x = n.pick()
    shape = n.shape(x)
    axis = n.random.randrange(len(shape))
    if n.chance(0.6):
        count = [n.random.randint(1, 4) for _ in range(n.random.randint(1, 2))]
        if len(shape) + len(count) > 7:
            count = [2]
        places = n.numbers.integers(-shape[axis], shape[axis], count).astype("int32")
        index = n.constant(count, array=places) if n.chance(0.6) else n.input(count, array=places)
        n.call("index_select", exact=True, input=x, index=index, axis=axis)
    else:
        count = [n.random.randint(1, 6) if a == axis else n.random.randint(1, d) for a, d in enumerate(shape)]
        n.call("gather_elements", exact=True, input=x, index=n.input(count, array=n.numbers.integers(0, shape[axis], count).astype("int32")), axis=axis)


def of_constants(n):
    """Adds operators on constants, which can be folded."""
    shape = [n.random.randint(1, 5) for _ in range(n.random.randint(1, 4))]
    x = n.call("permute", exact=True, input=n.constant(shape), order=n.random.sample(range(len(shape)), len(shape)))
    if n.chance(0.5):
        n.call("relu", exact=True, input=x)


def ordered(n):
    x = n.pick(lambda t: t in n.exact and n.is_float(t))
    axis = n.random.randrange(len(n.shape(x)))
    if n.chance(0.5):
        n.call("topk", 2, exact=True, input=x, axis=axis, k=n.random.randint(1, n.shape(x)[axis]))
    else:
        n.call("sort", 2, exact=True, input=x, axis=axis, descending=n.chance(0.5))


STEPS = {reshape_step: 4, permute_step: 4, ones: 1, concat_step: 3, split_step: 2, slice_step: 3, extract_step: 1, larger: 1, pad_step: 2,
         index_step: 1, ordered: 0.5, of_constants: 0.5}
