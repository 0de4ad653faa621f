"""A network that is built, run and trained with types: `test_types.py` checks it with mypy and runs it."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tpulang
import tpulang as tpul
from tpulang.optimizers import Adam, AdamW, Optimizer, Schedule, Sgd

ones: NDArray[np.float32] = np.ones((4, 3, 3, 3), "float32")


def classifier() -> tpulang.Graph:
    g = tpulang.Graph("net")
    x: tpulang.Tensor = g.input("x", (1, 3, 8, 8))
    w = g.coefficient("w", ones)
    with g.scope("block"):
        y: tpulang.Tensor = x.conv(w, pad=1).relu(out_name="y")
    y = tpulang.maxpool2d(y, kernel=[2, 2], stride=[2, 2])
    shape: tuple[int, ...] = y.shape
    assert shape == (1, 4, 4, 4) and y.shape == [1, 4, 4, 4] and len(y) == 1 and y.ndim == 4
    values, indices = y.reshape([1, 64]).topk(1, 5)
    both: list[tpulang.Tensor] = [values, indices]
    g.outputs = both
    dtypes: list[str] = [output.dtype for output in g.outputs]
    assert dtypes == ["float32", "int32"]
    names: list[str] = [name for operator in g.operators for name in operator.outputs]
    functions: list[str | None] = [operator.function for operator in g.operators]
    assert len(names) > len(functions) > 0
    return g


def arithmetic() -> dict[str, NDArray[Any]]:
    g = tpulang.Graph("arithmetic")
    x = g.input("x", [2, 3], np.float32)
    y = 1 + x * 2.0 - x / x + tpulang.Scalar(3, "float32")
    y = -abs(y) ** 2.0 + np.ones(3, "float32")
    y = y @ np.ones((3, 3), "float32")
    smaller: tpulang.Tensor = (x < 1.5) + (x >= y)
    part: tpulang.Tensor = y[0, ..., None] + y[:, ::2][-1, :1]
    is_same: bool = x == y
    assert not is_same and len({x, y, x}) == 2
    joined: tpulang.Tensor = tpulang.concat([x, g.relu(y)], axis=0)
    parts: list[tpulang.Tensor] = g.split(joined, axis=0, num=2)
    rows: list[tpulang.Tensor] = list(x)
    g.outputs = [smaller, part, *parts, *rows]
    assert g.check() == []
    return g.run({"x": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}, all=True, threads=1, on_cpu=[joined.name])


def control_flow() -> dict[str, NDArray[Any]]:
    g = tpulang.Graph("flow")
    x, c = g.input("x", (1,)), g.input("c", (1,))
    chosen: list[tpulang.Tensor] = g.cond(c, lambda: x * 2, lambda: [x.relu()])
    doubled = g.while_loop(x, lambda v: v < 100.0, lambda v: v * 2)
    summed = g.for_loop(4, [x, x], lambda i, a, b: (a + i.cast("float32"), b))

    def power(iteration: tpulang.Tensor, value: tpulang.Tensor) -> tuple[tpulang.Tensor, list[tpulang.Tensor]]:
        return value * x, [value]

    last, powers = g.scan(4, x, power)
    g.outputs = chosen + doubled + summed + last + powers
    whole: tpulang.Graph = g.unrolled()
    return whole.run({"x": [3.0], "c": np.zeros(1, "float32")})


def training() -> float:
    g = tpulang.Graph("train")
    x, w = g.input("x", (1,)), g.coefficient("w", np.ones(1, "float32"))
    loss = x * w
    g.outputs = loss

    def rule(operator: tpulang.Operator, gradients: list[tpulang.Tensor | None]) -> list[tpulang.Tensor | None] | None:
        return [gradients[0], None] if operator.op_name == "top.None" else None

    slopes: list[tpulang.Tensor] = g.gradients(loss, [x, w], rule) + g.gradients([loss], x, lambda operator, given: "stop")
    assert len(slopes) == 3
    methods: list[Optimizer] = [Adam(), AdamW(Schedule.cosine(0.1, 0.001, steps=10), betas=(0.9, 0.99)), Sgd(x)]
    assert len(methods) == 3
    g.minimize(loss, w, Sgd(0.25, momentum=0.0))
    session = tpulang.Session(g, "cpu", precision="float32")
    session.run({x: np.full(1, 2, "float32")})
    result: NDArray[Any] = np.empty(1, "float32")
    session.run_into([np.zeros(1, "float32")], {loss.name: result})
    fetched: NDArray[Any] = session.fetch({"x": [1]}, [loss])[loss.name]
    shortest, median, high = session.measure({"x": [0.0]}, runs=2)
    assert shortest <= median <= high and fetched.shape == session.outputs[0].shape
    times: list[float] = [row["ms"] for row in session.profile([[0.0]], runs=1)]
    assert times
    session.set_variable("w", [0.5])
    count: int = session.save_variables(g)
    assert count == 1
    scale: float | list[float] | None = session.inputs[0].scale
    assert scale is None
    return float(session.variables["w"][0])


def drop_in(folder: Path) -> None:
    tpul.init("BM1684X", True)
    image = np.ones((1, 3, 8, 8), "int8")
    x = tpul.Tensor([1, 3, 8, 8], name="x", dtype="int8", ttype="neuron", scale=0.5, zero_point=0, data=image)
    x.name = "image"
    x.quantization(scale=0.5)
    w = tpul.Tensor([4, 3, 1, 1], ttype="coeff", data=np.ones((4, 3, 1, 1), "int8"), dtype="int8", scale=[0.1, 0.2, 0.3, 0.4])
    y = tpul.conv_quant(x, w, output_scale=0.25, output_zp=0, out_dtype="int8")
    buffer: NDArray[Any] | None = w.buffer
    assert buffer is not None and w.ttype == "coeff"
    tpul.compile(str(folder / "net"), [x], [y], refs={}, opt=2, log_level="quiet")
    chip: str | None = tpul.TpuLang.chip
    graph: tpul.Graph | None = tpul.get_default_graph()
    assert chip == "bm1684x" and graph is not None and graph is tpul.TpuLang.graph
    tpul.reset_graph(graph)
    tpul.deinit()


def mistakes() -> tuple[str | None, str]:
    try:
        tpulang.Graph().input("x", (2, 3)).softmax(5)
    except tpulang.InvalidType:
        raise
    except tpulang.Error as error:
        operands: list[str] = [name for _, name, _ in error.operands]
        assert operands == ["x"]
        return error.function, str(error)
    return None, ""


def main(folder: Path) -> None:
    g = classifier()
    module, weights = g.write_mlir(folder, weights="weights.npz")
    assert tpulang.Graph.from_mlir(module, weights).parameters == g.parameters
    tpulang.testing.assert_golden(g, folder / "net.mlir")
    assert "conv" in tpulang.FUNCTIONS and tpulang.__version__
    arithmetic()
    control_flow()
    training()
    drop_in(folder)
    assert mistakes()[0] == "softmax"
