"""Functions of sequences and matrices: products, normalizations, reductions, and attention patterns."""
import math

import torch
import torch.nn.functional as F

from .network import Unfit
from .reference import reference


@reference
def matmul(input, right, bias=None, input_transpose=False, right_transpose=False, output_transpose=False, do_relu=False, relu_limit=-1.0,
           keep_dims=True):
    swapped = lambda t, yes: t.transpose(-1, -2) if yes else t
    y = swapped(input, input_transpose) @ swapped(right, right_transpose)
    y = y if bias is None else y + bias
    if do_relu:
        y = y.clamp(0, relu_limit if relu_limit > 0 else None)
    return swapped(y, output_transpose)


@reference
def softmax(input, axis):
    return torch.softmax(input, axis)


def affine(x, gamma, beta):
    x = x if gamma is None else x * gamma
    return x if beta is None else x + beta


@reference
def layer_norm(input, gamma=None, beta=None, epsilon=1e-5, axis=2):
    shape = input.shape[axis % input.dim():]
    whole = lambda t: t if t is None else t.reshape(shape)
    return F.layer_norm(input, shape, whole(gamma), whole(beta), epsilon)


@reference
def rms_norm(input, gamma=None, epsilon=1e-5):
    return affine(input / torch.sqrt((input * input).mean(-1, keepdim=True) + epsilon), gamma, None)


@reference
def group_norm(input, gamma=None, beta=None, epsilon=1e-5, num_groups=1):
    return torch.group_norm(input, num_groups, gamma, beta, epsilon)


@reference
def batch_norm(input, mean, variance, gamma=None, beta=None, epsilon=1e-5):
    view = lambda t: t if t is None else t.reshape([1, -1] + [1] * (input.dim() - 2))
    return affine((input - view(mean)) / torch.sqrt(view(variance) + epsilon), view(gamma), view(beta))


@reference
def normalize(input, p=2.0, axes=1, eps=1e-12):
    axes = axes if isinstance(axes, list) else [axes]
    norm = (input.abs() ** p).sum(axes, keepdim=True) ** (1 / p)
    return input / norm.clamp(min=eps)


REDUCTIONS = {
    "ReduceSum": torch.sum, "ReduceMean": torch.mean, "ReduceMax": torch.amax, "ReduceMin": torch.amin,
    "ReduceL1": lambda x, axes, keepdim: x.abs().sum(axes, keepdim), "ReduceL2": lambda x, axes, keepdim: (x * x).sum(axes, keepdim).sqrt(),
}


@reference
def reduce(input, method="ReduceSum", axes=(1, 2), keep_dims=True):
    y = REDUCTIONS[method](input, [a % input.dim() for a in axes], keepdim=keep_dims)
    return y if y.dim() else y.reshape(1)


@reference
def cumsum(input, axis):
    return torch.cumsum(input, axis)


@reference
def rope(input, weight0, weight1, rope_mode="interleaved_pairs", is_permute_optimize=False):
    if is_permute_optimize:
        weight0, weight1 = weight0.unsqueeze(1), weight1.unsqueeze(1)
    if rope_mode == "contiguous_halves":
        first, second = input.chunk(2, -1)
        turned = torch.cat([-second, first], -1)
    else:
        turned = torch.stack([-input[..., 1::2], input[..., ::2]], -1).reshape(input.shape)
    return input * weight1 + turned * weight0


# Steps.


def linear(n, x, width, gain=1.0):
    k = n.shape(x)[-1]
    transposed = n.chance(0.4)
    weight = n.constant([width, k] if transposed else [k, width], gain=gain * k ** -0.5)
    bias = n.maybe(0.6, lambda: n.constant(n.choice([[width], [width], [1, width]])))
    relu = n.maybe(0.15, lambda: True)
    return n.call("matmul", input=x, right=weight, bias=bias, right_transpose=transposed or None, do_relu=relu,
                  relu_limit=n.choice([None, 6.0]) if relu else None)


def linear_step(n):
    y = linear(n, n.pick_float(2, 5), n.choice([1, 3, 8, 16, 17, 24, 33, 48]))
    if n.chance(0.4):
        n.call(n.choice(["gelu", "relu", "silu", "tanh"]), input=y)


def product(n):
    """Adds a matrix product of two tensors that are not constant."""
    x = n.pick_float(2, 5)
    shape, width = n.shape(x), n.choice([1, 2, 7, 16, 17])
    flags = [n.chance(0.2), n.chance(0.4), n.chance(0.1)]
    k = shape[-2] if flags[0] else shape[-1]
    batch = n.choice([[], shape[:-2], [1] * (len(shape) - 2), [d if n.chance(0.5) else 1 for d in shape[:-2]]])
    fits = lambda t: n.is_float(t) and t != x and n.shape(t)[:-2] == shape[:-2] and len(n.shape(t)) > 1 and n.shape(t)[-1 if flags[1] else -2] == k
    if n.chance(0.5):
        right = n.pick(fits)
    else:
        right = n.input(batch + ([width, k] if flags[1] else [k, width]))
    y = n.call("matmul", input=x, right=right, input_transpose=flags[0] or None, right_transpose=flags[1] or None, output_transpose=flags[2] or None)
    n.call("mul", tensor_i0=y, tensor_i1=k ** -0.5)


def normalization(n):
    x = n.pick_float(2, 5)
    shape = n.shape(x)
    kind = n.choice(["layer", "layer", "layer", "rms", "group", "normalize", "softmax", "batch"])
    if kind == "layer":
        axis = n.choice([-1, -1, n.random.randrange(len(shape))])
        size = math.prod(shape[axis:])
        coefficient = lambda: n.constant(n.choice([[size], shape[axis:]]))
        gamma = n.maybe(0.7, coefficient)
        beta = n.maybe(0.7, lambda: n.constant(n.shape(gamma) if gamma else [size]))
        n.call("layer_norm", input=x, gamma=gamma, beta=beta, axis=axis, epsilon=n.choice([1e-5, 1e-3]))
    elif kind == "rms":
        n.call("rms_norm", input=x, gamma=n.maybe(0.7, lambda: n.constant(shape[-1:])), epsilon=n.choice([1e-5, 1e-3]))
    elif kind == "softmax":
        n.call("softmax", input=x, axis=n.random.randint(-len(shape), len(shape) - 1))
    elif kind == "normalize":
        n.call("normalize", input=x, p=n.choice([2.0, 2.0, 3.0]), axes=n.random.randrange(len(shape)), eps=1e-6)
    else:
        coefficient = lambda: n.maybe(0.7, lambda: n.constant([shape[1]]))
        if kind == "batch":
            variance = n.constant([shape[1]], array=abs(n.draw([shape[1]], "float32")) + 0.5)
            n.call("batch_norm", input=x, mean=n.constant([shape[1]]), variance=variance, gamma=coefficient(), beta=coefficient())
        elif len(shape) > 2:
            groups = n.choice([g for g in range(1, shape[1] + 1) if shape[1] % g == 0])
            n.call("group_norm", input=x, gamma=coefficient(), beta=coefficient(), num_groups=groups)


def reduction(n):
    x = n.pick_float()
    rank = len(n.shape(x))
    if n.chance(0.15) and rank <= 4:
        n.call("cumsum", input=x, axis=n.random.randint(-rank, rank - 1))
        return
    axes = n.random.sample(range(rank), n.random.randint(1, rank))
    method = n.choice(list(REDUCTIONS))
    n.call("reduce", exact=method in ("ReduceMax", "ReduceMin"), input=x, method=method, axes=sorted(axes), keep_dims=n.chance(0.6))


def rotary(n):
    x = n.pick(lambda t: n.is_float(t) and len(n.shape(t)) in (3, 4) and n.shape(t)[-1] % 2 == 0)
    shape = n.shape(x)
    inside = len(shape) == 4 and n.chance(0.3)
    angles = [shape[1] if inside else shape[-2], shape[-1]]
    mode = n.choice([None, "contiguous_halves"]) if len(shape) == 4 and not inside else None
    n.call("rope", input=x, weight0=n.constant(angles), weight1=n.constant(angles), is_permute_optimize=inside or None, rope_mode=mode)


def tokens(n):
    """Returns a tensor batch x length x elements."""
    if n.chance(0.6):
        return n.pick(lambda t: n.is_float(t) and len(n.shape(t)) == 3 and n.shape(t)[1] <= 24)
    x = n.pick(lambda t: n.is_float(t) and len(n.shape(t)) == 4)
    b, c, h, w = n.shape(x)
    if h * w > 40:
        raise Unfit("a long sequence")
    x = n.call("reshape", exact=True, tensor=x, new_shape=[b, c, h * w])
    return n.call("permute", exact=True, input=x, order=[0, 2, 1])


def mask(n, batch, heads, queries, keys):
    """Returns a mask that broadcasts to the scores: causal, constant or an input."""
    shape = n.choice([[1, 1, queries, keys], [batch, 1, 1, keys], [batch, 1, queries, keys], [1, heads, queries, keys], [batch, heads, queries, keys],
                      [queries, keys], [1, 1, 1, keys], [1, 1, queries, 1], [1, heads, 1, 1], [1, 1, 1, 1], [keys]])
    if n.chance(0.4):
        causal = torch.full((queries, keys), -1e4).triu(keys - queries + 1).numpy()
        return n.constant(None, array=causal.reshape(n.choice([[1, 1, queries, keys], [queries, keys]])))
    return n.constant(shape) if n.chance(0.5) else n.input(shape)


def attention(n):
    """Adds multi-head or grouped-query attention, in the forms in which networks express it."""
    x = tokens(n)
    source = x if n.chance(0.7) else tokens(n)
    (batch, length, _), (other, keys, _) = n.shape(x), n.shape(source)
    if batch != other:
        source, keys = x, length
    groups, width = n.choice([1, 2, 3]), n.choice([4, 8, 8, 16, 5])
    heads = groups * n.choice([1, 1, 1, 2])
    q, k, v = projections(n, x, source, heads * width, groups * width)
    apart = lambda t, rows, count: n.call("reshape", exact=True, tensor=t, new_shape=[batch, rows, count, width])
    q, k, v = apart(q, length, heads), apart(k, keys, groups), apart(v, keys, groups)
    transposed = n.chance(0.4)
    q = n.call("permute", exact=True, input=q, order=[0, 2, 1, 3])
    k = n.call("permute", exact=True, input=k, order=[0, 2, 1, 3] if transposed else [0, 2, 3, 1])
    v = n.call("permute", exact=True, input=v, order=[0, 2, 1, 3])
    rows = length
    if heads != groups:
        rows = heads // groups * length
        q = n.call("reshape", exact=True, tensor=q, new_shape=[batch, groups, rows, width])
    y = scores_of(n, q, k, width, transposed)
    if heads != groups:
        y = n.call("reshape", exact=True, tensor=y, new_shape=[batch, heads, length, keys])
    if n.chance(0.6):
        pair = [y, mask(n, batch, heads, length, keys)]
        y = n.call("add", tensor_i0=pair[0], tensor_i1=pair[1]) if n.chance(0.8) else n.call("add", tensor_i0=pair[1], tensor_i1=pair[0])
    y = n.call("softmax", input=y, axis=n.choice([-1, 3]))
    if heads != groups:
        y = n.call("reshape", exact=True, tensor=y, new_shape=[batch, groups, rows, keys])
    y = n.call("matmul", input=y, right=v)
    if heads != groups:
        y = n.call("reshape", exact=True, tensor=y, new_shape=[batch, heads, length, width])
    if n.chance(0.85):
        y = n.call("permute", exact=True, input=y, order=[0, 2, 1, 3])
        y = n.call("reshape", exact=True, tensor=y, new_shape=[batch, length, heads * width])
        y = linear(n, y, n.shape(x)[-1])
        n.call("add", tensor_i0=y, tensor_i1=x)


def projections(n, x, source, of_queries, of_keys):
    if source == x and n.chance(0.3):
        whole = linear(n, x, of_queries + 2 * of_keys)
        if n.chance(0.5):
            return n.call("split", 3, exact=True, input=whole, axis=2, num=3, size=[of_queries, of_keys, of_keys])
        cuts = [0, of_queries, of_queries + of_keys, of_queries + 2 * of_keys]
        return [n.call("slice", exact=True, input=whole, starts=[a], ends=[b], axes=[2]) for a, b in zip(cuts, cuts[1:])]
    return [linear(n, x, of_queries), linear(n, source, of_keys), linear(n, source, of_keys)]


def scores_of(n, q, k, width, transposed):
    kind = n.choice(["after", "after", "before", "divided", "none"])
    if kind == "before":
        q = n.call("mul", tensor_i0=q, tensor_i1=width ** -0.5)
    y = n.call("matmul", input=q, right=k, right_transpose=transposed or None)
    if kind == "after":
        return n.call("mul", tensor_i0=y, tensor_i1=width ** -0.5)
    return n.call("div", tensor_i0=y, tensor_i1=width ** 0.5) if kind == "divided" else y


def attention_without_heads(n):
    """Adds attention without a head axis of its own."""
    x = n.pick_float(3, 4)
    shape = n.shape(x)
    width = n.choice([1, 4, 8])
    q, k, v = linear(n, x, width), linear(n, x, width), linear(n, x, width)
    if n.chance(0.5):
        k = n.call("permute", exact=True, input=k, order=[0, 2, 1] if len(shape) == 3 else [0, 1, 3, 2])
        y = n.call("matmul", input=q, right=k)
    else:
        y = n.call("matmul", input=q, right=k, right_transpose=True)
    if n.chance(0.5):
        y = n.call("mul", tensor_i0=y, tensor_i1=0.5)
    if n.chance(0.5):
        kept = [d if n.chance(0.6) else 1 for d in n.shape(y)]
        y = n.call("add", tensor_i0=y, tensor_i1=n.constant(kept) if n.chance(0.5) else n.input(kept))
    n.call("matmul", input=n.call("softmax", input=y, axis=-1), right=v)


STEPS = {linear_step: 4, product: 2, normalization: 4, reduction: 2, rotary: 1, attention: 3, attention_without_heads: 1}
