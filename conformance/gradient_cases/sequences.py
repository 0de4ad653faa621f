"""Recurrent layers, scans, branches and loops."""
import numpy as np
import torch

from .table import case, constant, given, uniform


def recurrent(kind, t, gates, order, bidirectional, batch_first):
    """PyTorch's layer with the operands' weights, whose gates are in another order."""
    directions, rows, size = t.filter.shape
    hidden = rows // gates

    def turned(x):
        return torch.cat([x[i * hidden:(i + 1) * hidden] for i in order])

    weights = []
    for d in range(directions):
        bias = t.bias[d].view(2, rows)
        weights += [turned(t.filter[d]), turned(t.recurrence[d]), turned(bias[0]), turned(bias[1])]
    x = t.input.transpose(0, 1) if batch_first else t.input
    if kind == "lstm":
        states = [s.transpose(0, 1) if batch_first else s for s in (t.initial_h, t.initial_c)]
        y, h, c = torch.lstm(x, states, weights, True, 1, 0.0, True, bidirectional, False)
    else:
        y, h = torch.gru(x, t.initial_h.transpose(0, 1) if batch_first else t.initial_h, weights, True, 1, 0.0, True, bidirectional, False)
        c = None
    length, batch = x.shape[:2]
    y = y.view(length, batch, directions, hidden).transpose(1, 2)
    if batch_first:
        y, h, c = y.permute(2, 0, 1, 3), h.transpose(0, 1), c if c is None else c.transpose(0, 1)
    return [y, h] if c is None else [y, h, c]


for directions, first in (1, False), (2, True):
    state = (2, directions, 5) if first else (directions, 2, 5)
    for kind, gates, order in ("lstm", 4, (0, 2, 3, 1)), ("gru", 3, (1, 0, 2)):
        operands = {"input": uniform(2, 6, 3) if first else uniform(6, 2, 3), "filter": uniform(directions, gates * 5, 3),
                    "recurrence": uniform(directions, gates * 5, 5), "bias": uniform(directions, gates * 10), "initial_h": uniform(*state)}
        if kind == "lstm":
            operands["initial_c"] = uniform(*state)
        case(kind.upper(), kind if directions == 1 else "",
             lambda t, k=kind, g=gates, o=order, b=directions == 2, f=first: recurrent(k, t, g, o, b, f), operands,
             hidden_size=5, bidirectional=directions == 2, batch_first=first)


def selective_scan(t):
    a, b = t.deltaA[0], t.deltaB_u[0]
    rows = []
    for channel in range(4):
        steps, state = range(7) if channel < 2 else range(6, -1, -1), 0
        states = [None] * 7
        for i in steps:
            state = a[channel, i] * state + b[channel, i]
            states[i] = state
        rows.append(torch.stack(states))
    return torch.stack(rows, 1) * t.Cs[:, :, 0] + t.us * t.Ds.view(1, -1, 1)


case("SelectiveScan", "mul, add", selective_scan,
     {"Cs": uniform(7, 4, 1, 3), "deltaA": uniform(1, 4, 7, 3), "deltaB_u": uniform(1, 4, 7, 3), "us": uniform(7, 4, 3), "Ds": uniform(4)})


def delta_rule(t, normalized):
    q, k = (x.repeat_interleave(2, 2) for x in (t.query, t.key))
    if normalized:
        q, k = (x / (x.square().sum(-1, keepdim=True) + 1e-6).sqrt() for x in (q, k))
    state, results = t.recurrent_state, []
    for i in range(t.value.shape[1]):
        state = state * t.g[:, i, :, None, None].exp()
        lacking = t.value[:, i] - torch.einsum("bhk,bhkv->bhv", k[:, i], state)
        state = state + torch.einsum("bhk,bhv->bhkv", k[:, i] * t.beta[:, i, :, None], lacking)
        results.append(torch.einsum("bhk,bhkv->bhv", q[:, i] * 0.5, state))
    return torch.stack(results, 1)


def delta_operands(steps):
    return {"query": uniform(2, steps, 2, 4), "key": uniform(2, steps, 2, 4), "value": uniform(2, steps, 4, 4), "g": uniform(2, steps, 4, low=-1, high=0),
            "beta": uniform(2, steps, 4), "recurrent_state": uniform(2, 4, 4, 4)}


case("RecurrentGatedDeltaRule", "einsum, exp", lambda t: delta_rule(t, False), delta_operands(1), d=4, num_k_heads=2, num_v_heads=4, scale=0.5, use_qk_l2norm=False)
masks = {n: constant(np.zeros((8, 8), dtype=np.float32)) for n in ("triu_mask", "strict_triu_mask", "tril_mask", "eye")}
case("ChunkGatedDeltaRule", "einsum, exp", lambda t: delta_rule(t, True), {**delta_operands(8), **masks},
     d=4, num_k_heads=2, num_v_heads=4, scale=0.5, use_qk_l2norm=True, chunk_size=8)

BRANCHES = {
    "then": {"ops": [{"op": "top.Mul", "args": {"inputs": ["x", "x"]}, "out": "square"}, {"op": "top.Sin", "args": {"input": "square"}, "out": "a"}], "outputs": ["a"]},
    "else": {"ops": [{"op": "top.MulConst", "args": {"input": "x", "const_val": 3.0}, "out": "b"}], "outputs": ["b"]},
}
BODY = {
    "inputs": {"i": {"dtype": "int32", "shape": [1]}, "go": {"shape": [1]}, "v": {"shape": [3, 4]}},
    "ops": [{"op": "top.Mul", "args": {"inputs": ["v", "w"]}, "out": "product"}, {"op": "top.Tanh", "args": {"input": "product"}, "out": "next"}],
    "outputs": ["go", "next", "next"],
}


def loop(t):
    v, stacked = t.v_initial[0], []
    for _ in range(4):
        v = torch.tanh(v * t.w)
        stacked.append(v)
    return [v, torch.stack(stacked)]


for value in 1.0, 0.0:
    case("If", "sin, mul" if value else "", lambda t, c=value: torch.sin(t.x * t.x) if c else 3 * t.x, {"cond": given(np.array([value], dtype=np.float32)), "x": uniform(3, 4)},
         captured=["x"], blocks=BRANCHES, out_dtype=["float32"], out_shape=[[3, 4]])
case("Loop", "tanh, mul", loop, {"M": constant(np.array([4], dtype=np.int32)), "cond": constant(np.ones(1, np.float32)), "v_initial": [uniform(3, 4)], "w": uniform(3, 4)},
     captured=["w"], blocks={"body": BODY}, out_dtype=["float32"] * 2, out_shape=[[3, 4], [4, 3, 4]])
