"""Elementwise functions: unary, binary with broadcasting, comparisons and selections."""
import operator

import torch
import torch.nn.functional as F

from .network import Unfit
from .reference import DISCRETE, FUNCTIONS, reference

SMOOTH = {
    "gelu": F.gelu, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "silu": F.silu, "elu": F.elu, "mish": F.mish, "erf": torch.erf,
    "hsigmoid": F.hardsigmoid, "hswish": F.hardswish, "log_sigmoid": F.logsigmoid, "sin": torch.sin, "cos": torch.cos,
    "square": torch.square, "exp": torch.exp, "sinh": torch.sinh, "cosh": torch.cosh,
}
# Functions without rounding errors.
EXACT = {"relu": torch.relu, "abs": torch.abs}
# Discontinuous functions. torch.round would round halves to even.
JUMPS = {"ceil": torch.ceil, "floor": torch.floor, "sign": torch.sign, "round": lambda x: torch.sign(x) * torch.floor(x.abs() + 0.5)}
# Functions of positive numbers.
POSITIVE = {"sqrt": torch.sqrt, "rsqrt": lambda x: torch.rsqrt(x + 1e-5), "ln": torch.log}
for _name, _function in {**SMOOTH, **EXACT, **JUMPS, **POSITIVE}.items():
    FUNCTIONS[_name] = lambda input, f=_function: f(input)

# A number becomes a tensor of the other's type.
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "max": torch.maximum, "min": torch.minimum}
for _name, _function in BINARY.items():
    FUNCTIONS[_name] = lambda tensor_i0, tensor_i1, f=_function: f(*both(tensor_i0, tensor_i1))

COMPARISONS = {"gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le, "eq": operator.eq, "ne": operator.ne}
for _name, _function in COMPARISONS.items():
    FUNCTIONS[_name] = lambda tensor_i0, tensor_i1, f=_function: f(tensor_i0, tensor_i1).to(tensor_i0.dtype)
    FUNCTIONS[_name + "s"] = lambda tensor_i0, scalar_i1, f=_function: f(tensor_i0, scalar_i1).to(tensor_i0.dtype)
DISCRETE |= {*JUMPS, *COMPARISONS, *(c + "s" for c in COMPARISONS), "cond_select", "select", "topk", "sort"}
SELECTIONS = {"Greater": "gt", "Less": "lt", "GreaterOrEqual": "ge", "LessOrEqual": "le", "Equal": "eq", "NotEqual": "ne"}


def both(a, b):
    like = a if isinstance(a, torch.Tensor) else b
    return [v if isinstance(v, torch.Tensor) else torch.tensor(v, dtype=like.dtype) for v in (a, b)]


@reference
def swish(input, beta):
    return input * torch.sigmoid(beta * input)


@reference
def leaky_relu(input, negative_slope=0.01):
    return F.leaky_relu(input, negative_slope)


@reference
def prelu(input, slope):
    along_channels = [-1] + [1] * (input.dim() - 2) if slope.dim() == 1 and input.dim() > 1 else slope.shape
    return torch.where(input >= 0, input, input * slope.reshape(along_channels))


@reference
def clamp(input, min, max):
    return input.clamp(min, max)


@reference
def pow_(base, expn):
    return base ** expn


def chosen(branch, like):
    return branch if isinstance(branch, torch.Tensor) else torch.full_like(like, branch["value"])


@reference
def cond_select(cond, tbrn, fbrn):
    return torch.where(cond != 0, chosen(tbrn, cond), chosen(fbrn, cond))


@reference
def select(lhs, rhs, tbrn, fbrn, type):
    return torch.where(COMPARISONS[SELECTIONS[type]](lhs, rhs), chosen(tbrn, lhs), chosen(fbrn, lhs))


# Steps.


def unary(n):
    x = n.pick_float()
    kind = n.choice(["exact", "smooth", "smooth", "relu", "clamp", "swish", "leaky_relu", "prelu", "pow", "jump"])
    if kind == "exact":
        n.call(n.choice(list(EXACT)), exact=True, input=x)
    elif kind == "smooth":
        n.call(n.choice(list(SMOOTH)), input=x)
    elif kind == "relu":
        n.call("relu", exact=True, input=x)
    elif kind == "clamp":
        low, high = n.choice([(0.0, 6.0), (-1.0, 1.0), (0.25, 2.0), (-3.0, -0.5)])
        n.call("clamp", exact=True, input=x, min=low, max=high)
    elif kind == "swish":
        n.call("swish", input=x, beta=n.choice([0.5, 1.0, 1.702]))
    elif kind == "leaky_relu":
        n.call("leaky_relu", input=x, negative_slope=n.choice([0.1, 0.25, 1.5]))
    elif kind == "prelu":
        channels = n.shape(x)[1:2] or [1]
        n.call("prelu", input=x, slope=n.constant(n.choice([channels, [1]])))
    elif kind == "pow":
        n.call("pow", base=x, expn=n.choice([1.0, 2.0, 3.0]))
    else:
        n.call(n.choice(list(JUMPS)), exact=True, input=n.pick(lambda t: t in n.exact and n.is_float(t)))


def positive(n):
    """Adds a root or a logarithm of positive numbers."""
    x = n.call("add", tensor_i0=n.call("abs", exact=True, input=n.pick_float()), tensor_i1=n.choice([0.5, 1.0]))
    n.call(n.choice(list(POSITIVE)), input=x)


def number(n):
    x, value = n.pick_float(), n.choice([0.5, -1.25, 2.0, 3.0, 0.0])
    function = n.choice(["add", "sub", "mul", "max", "min"])
    pair = [x, value] if n.chance(0.7) else [value, x]
    n.call(function, exact=function in ("max", "min"), tensor_i0=pair[0], tensor_i1=pair[1])


def broadcast_shape(n, shape):
    """Returns a shape that is compatible with `shape` under broadcasting."""
    kind = n.choice(["same", "one axis", "some", "some", "all but one", "number"])
    if kind == "same":
        return list(shape)
    kept = n.random.randrange(len(shape))
    keeps = {"one axis": lambda a: a == kept, "all but one": lambda a: a != kept, "number": lambda a: False}.get(kind, lambda a: n.chance(0.5))
    other = [d if keeps(a) else 1 for a, d in enumerate(shape)]
    if n.chance(0.15):
        other = [n.random.randint(2, 3) if d == 1 and e == 1 else d for d, e in zip(other, shape)]
    ones = next((a for a, d in enumerate(other) if d != 1), len(other) - 1)
    return other[n.random.randint(0, ones):] if n.chance(0.4) else other


def of_shape(n, x, shape):
    """Returns a tensor of that shape: a constant, an input, or one computed from x."""
    own = n.shape(x)
    kind = n.choice(["constant", "constant", "input", "reduced", "cut"])
    if kind == "constant":
        return n.constant(shape)
    if kind == "input" or len(shape) != len(own) or any(d not in (1, e) for d, e in zip(shape, own)):
        return n.input(shape)
    axes = [a for a, (d, e) in enumerate(zip(shape, own)) if d != e]
    if not axes:
        return n.call("tanh", input=x)
    if kind == "reduced":
        return n.call("reduce", input=x, method=n.choice(["ReduceMean", "ReduceMax"]), axes=axes)
    starts = [n.random.randrange(own[a]) for a in axes]
    return n.call("slice", exact=True, input=x, starts=starts, ends=[v + 1 for v in starts], axes=axes)


def binary_call(n, x, y):
    function = n.choice(["add", "add", "mul", "mul", "sub", "max", "min", "div"])
    pair = [x, y] if n.chance(0.6) else [y, x]
    if function == "div":
        above_0 = n.call("add", tensor_i0=n.call("abs", exact=True, input=pair[1]), tensor_i1=0.5)
        pair[1] = above_0
    n.call(function, exact=function in ("max", "min"), tensor_i0=pair[0], tensor_i1=pair[1])


def broadcast(n):
    x = n.pick_float()
    binary_call(n, x, of_shape(n, x, broadcast_shape(n, n.shape(x))))


def meets(a, b):
    """Returns whether two shapes are compatible under broadcasting."""
    return all(d == e or 1 in (d, e) for d, e in zip(a[::-1], b[::-1]))


def residual(n):
    """Combines two existing tensors."""
    x = n.pick_float()
    binary_call(n, x, n.pick(lambda t: n.is_float(t) and t != x and meets(n.shape(t), n.shape(x))))


def comparison(n):
    x = n.pick(lambda t: t in n.exact and n.is_float(t))
    if n.float != "float32":
        raise Unfit("conditions are float32")
    function = n.choice(list(COMPARISONS))
    if n.chance(0.5):
        mask = n.call(function + "s", exact=True, tensor_i0=x, scalar_i1=n.choice([0.0, 0.5, -0.25]))
    else:
        mask = n.call(function, exact=True, tensor_i0=x, tensor_i1=n.constant(broadcast_shape(n, n.shape(x))))
    branch = lambda: n.pick(lambda t: n.is_float(t) and n.shape(t) == n.shape(mask)) if n.chance(0.6) else {"value": 0.5, "dtype": "float32"}
    if n.chance(0.6):
        n.call("cond_select", cond=mask, tbrn=branch(), fbrn=branch())


def selection(n):
    x = n.pick(lambda t: t in n.exact and n.is_float(t))
    if n.float != "float32":
        raise Unfit("conditions are float32")
    y = n.pick(lambda t: t != x and t in n.exact and n.is_float(t) and n.shape(t) == n.shape(x))
    branch = lambda: n.pick(lambda t: n.is_float(t) and n.shape(t) == n.shape(x))
    n.call("select", lhs=x, rhs=y, tbrn=branch(), fbrn=branch(), type=n.choice(list(SELECTIONS)))


STEPS = {unary: 6, positive: 1, number: 2, broadcast: 7, residual: 5, comparison: 1, selection: 1}
