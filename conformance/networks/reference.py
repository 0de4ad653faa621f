"""A table of reference implementations in PyTorch. The implementations are in the files of the families."""

import torch

FUNCTIONS = {}
# Discontinuous functions: a rounding error in an operand may change their results completely.
DISCRETE = set()
# A few relative rounding errors of float32: less could vanish when it is added.
ROUNDING = 3e-7


def reference(f):
    """Registers a reference implementation. Its name and arguments are those of the function in specs."""
    FUNCTIONS[f.__name__.rstrip("_")] = f
    return f


def evaluate_call(op, values, floats):
    """Returns the results of a call on the operands in `values`, computed in the float type `floats`."""
    if blocks_of(op):
        return evaluate_control_flow(op, values, floats)

    def resolve(value):
        if isinstance(value, str) and value in values:
            return values[value]
        if isinstance(value, list) and value and all(isinstance(v, str) and v in values for v in value):
            return [values[v] for v in value]
        return value

    results = FUNCTIONS[op["op"]](**{k: resolve(v) for k, v in op["args"].items()})
    results = results if isinstance(results, (list, tuple)) else [results]
    return [r.to(floats) if r.is_floating_point() else r for r in results]


def evaluate_rounded(op, values, rounded):
    """Returns the results of a call in float32, with rounding errors added to its operands unless it is discontinuous."""
    if blocks_of(op):
        return evaluate_control_flow(op, rounded, torch.float32)
    if op["op"] in DISCRETE:
        return [v.float() if v.is_floating_point() else v for v in evaluate_call(op, values, torch.float64)]
    return evaluate_call(op, {n: disturbed(rounded[n]) for n in operands_of(op) if n in rounded}, torch.float32)


def evaluate_control_flow(op, values, floats):
    """Returns the results of top.If or top.Loop; in float32 with rounding errors added within their blocks."""
    arguments = op["args"]
    if op["op"] == "top.If":
        return evaluate_block(op["then" if values[arguments["cond"]].item() else "else"], values, [], floats)
    rounds = values[arguments["M"]].item() if "M" in arguments else float("inf")
    condition = values[arguments["cond"]] if "cond" in arguments else torch.ones(1, dtype=floats)
    carried, stacked, count = [values[n] for n in arguments["v_initial"]], [], 0
    while count < rounds and condition.item():
        number = torch.tensor([count], dtype=floats)
        condition, *results = evaluate_block(op["body"], values, [number, condition, *carried], floats)
        stacked.append(results[len(carried):])
        carried, count = results[:len(carried)], count + 1
    return carried + [torch.stack(parts) for parts in zip(*stacked)]


def evaluate_block(block, values, arguments, floats):
    known = {**values, **dict(zip(block.get("inputs", {}), arguments))}
    for op in block["ops"]:
        is_disturbed = floats == torch.float32 and op["op"] not in DISCRETE and not blocks_of(op)
        operands = {n: disturbed(known[n]) for n in operands_of(op) if n in known} if is_disturbed else known
        known.update(zip(results_of(op), evaluate_call(op, operands, floats)))
    return [known[n] for n in block["outputs"]]


def blocks_of(op):
    return [op[name] for name in ("then", "else", "body") if name in op]


def disturbed(x):
    if not x.is_floating_point() or not x.numel():
        return x
    noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(x.numel()))
    return x + noise * (x.abs().max() * ROUNDING)


def operands_of(op):
    """Yields all strings among the arguments, and in blocks: names of tensors, and others."""
    for block in blocks_of(op):
        for inner in block["ops"]:
            yield from operands_of(inner)
        yield from block["outputs"]
    for value in op["args"].values():
        yield from [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]


def results_of(op):
    return op["out"] if isinstance(op["out"], list) else [op["out"]]


def relative_error(ours, value):
    """Returns the largest difference relative to the largest number."""
    if not value.is_floating_point():
        return 0.0
    difference = (ours.double() - value).abs().max().item()
    return difference / max(value.abs().max().item(), 1e-30) if difference else 0.0
