"""Branches and loops, whose blocks consist of random element-wise steps."""
import numpy as np

from . import elementwise
from .network import Unfit
from .reference import results_of

MOST_ROUNDS = 3


def steps_in_block(n, arguments, finish):
    """Returns a block without inputs: random steps that may use `arguments`, {name: a tensor of its type}, and what `finish`
    returns for the tensors that they computed."""
    outer, n.ops = n.ops, []
    for name, like in arguments.items():
        n.values[name], n.rounded[name], n.error[name] = n.values[like], n.rounded[like], n.error[like]
        n.live.append(name)
    for _ in range(n.random.randint(0, 3)):
        n.attempt(n.choice(list(elementwise.STEPS)))
    outputs = finish()
    block, n.ops = {"ops": n.ops, "outputs": outputs}, outer
    inner = {*arguments, *(name for op in block["ops"] for name in results_of(op))}
    n.inner |= inner
    n.live, n.leaves = ([name for name in names if name not in inner] for names in (n.live, n.leaves))
    n.exact -= inner
    for values in (n.values, n.rounded, n.error):
        for name in inner:
            values.pop(name)
    return block


def typed(n, op, results, shapes):
    """Adds a call of an op without a type rule."""
    names = n.new_names(len(shapes))
    n.add({**op, "out": names, "out_dtype": ["float32"] * len(shapes), "out_shape": shapes, **results})


def floats_only(n):
    if n.mode != "f32" or n.float != "float32":
        raise Unfit("results of control flow are float32")


def cond(n):
    """A branch that is taken, and one that is not."""
    floats_only(n)
    condition, count = n.input([1], array=np.array([n.choice([0, 1, 0.5])], "float32")), n.random.randint(1, 3)
    shape = n.shape(n.pick_float())
    finish = lambda: [n.pick(lambda t: n.is_float(t) and n.shape(t) == shape) for _ in range(count)]
    branches = {name: steps_in_block(n, {}, finish) for name in ("then", "else")}
    typed(n, {"op": "top.If", "args": {"cond": condition}}, branches, [shape] * count)


def arguments_of(n, *like):
    """Returns new names for the arguments of a body, with tensors of their types."""
    first = len(n.values) + len(n.inner)
    return {"a%d" % (first + i): name for i, name in enumerate(like)}


def body_of(n, arguments, finish):
    inputs = {name: {"dtype": "float32", "shape": n.shape(like)} for name, like in arguments.items()}
    return {"inputs": inputs, **steps_in_block(n, arguments, finish)}


def next_value(n, shape):
    """Returns a tensor to carry to the next iteration, which does not grow."""
    return n.call("tanh", input=n.pick(lambda t: n.is_float(t) and n.shape(t) == shape))


def for_loop(n):
    """A loop of a constant number of iterations. The values of some tensors are stacked."""
    floats_only(n)
    x, rounds = n.pick_float(), n.random.randint(0, MOST_ROUNDS)
    shape, number = n.shape(x), n.constant([1], array=np.zeros(1, "float32"))
    arguments, stacked = arguments_of(n, number, number, x), []

    def finish():
        following = next_value(n, shape)
        stacked.extend(n.pick_float() for _ in range(n.random.randint(0, 2) if rounds else 0))
        shapes.extend([rounds] + n.shape(t) for t in stacked)
        return [list(arguments)[1], following, *stacked]

    shapes = [shape]
    body = body_of(n, arguments, finish)
    count = n.constant([1], array=np.array([rounds], "int32"))
    typed(n, {"op": "top.Loop", "args": {"M": count, "v_initial": [x]}}, {"body": body}, shapes)


def while_loop(n):
    """A loop that counts its iterations itself."""
    floats_only(n)
    x, start = n.pick_float(), n.constant([1], array=np.zeros(1, "float32"))
    limit = n.random.randint(0, MOST_ROUNDS) - 0.5
    holds = lambda count: n.call("lts", tensor_i0=count, scalar_i1=limit)
    shape, first = n.shape(x), holds(start)
    arguments = arguments_of(n, start, first, x, start)

    def finish():
        count = n.call("add", tensor_i0=list(arguments)[3], tensor_i1=1.0)
        return [holds(count), next_value(n, shape), count]

    body = body_of(n, arguments, finish)
    typed(n, {"op": "top.Loop", "args": {"cond": first, "v_initial": [x, start]}}, {"body": body}, [shape, [1]])


STEPS = {cond: 0.7, for_loop: 0.7, while_loop: 0.5}
