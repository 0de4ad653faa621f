"""Warnings."""
import warnings

import numpy as np
import pytest

import tpulang as tl


def graph():
    g = tl.Graph("net")
    return g, g.input("x", [1, 3, 8, 8])


def codes(record):
    return [warning.message.code for warning in record]


def test_a_call_warns_at_the_line_of_the_user():
    g, x = graph()
    with pytest.warns(tl.GraphWarning, match="^surprising-default: avgpool2d .*: stride is not given") as record:
        y = tl.avgpool2d(x, kernel=2, out_name="y")
    assert record[0].filename == __file__
    message = record[0].message
    assert (message.code, message.function, message.output, message.call) == ("surprising-default", "avgpool2d", "y", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tl.avgpool2d(x, kernel=2, stride=2)
        g.outputs = [y]


def test_a_graph_warns_when_it_is_used(tmp_path):
    g, x = graph()
    g.input("mask", [1])
    g.outputs = [tl.relu(x, out_name="y")]
    uses = [lambda: tl.Session(g), lambda: g.save(tmp_path / "net.json"), lambda: g.write_mlir(tmp_path)]
    for use in uses:
        with pytest.warns(tl.GraphWarning, match='^unused-input: no operator reads the input "mask"') as record:
            use()
        assert codes(record) == ["unused-input"] and record[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "unused-input")
            use()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(tl.GraphWarning):
                use()


def test_a_graph_allows_warnings(tmp_path):
    g, x = graph()
    g.allow("unused-input", "surprising-default", "not-finite-result")
    g.input("mask", [1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g.outputs = [tl.ln(tl.avgpool2d(x, kernel=2), out_name="y")]
        g.save(tmp_path / "net.json")
        again = tl.Graph.from_spec(tmp_path / "net.json")
        assert np.isnan(again.run({"x": np.full([1, 3, 8, 8], -1, np.float32)}, all=False)["y"]).all()
    with pytest.raises(tl.Error, match='there is no warning "unused-inptu"; did you mean unused-input?'):
        g.allow("unused-inptu")


def test_a_run_names_the_origin_of_nan():
    g, x = graph()
    g.outputs = [tl.relu(tl.ln(x, out_name="h"), out_name="y")]
    origin = 'the first tensor with such elements is "h", computed by Log'
    with pytest.warns(tl.GraphWarning, match="^not-finite-result: .*; " + origin) as record:
        results = g.run({"x": np.full([1, 3, 8, 8], -1, np.float32)})
    assert np.isnan(results["y"]).all() and codes(record) == ["not-finite-result"]


def test_a_session_warns_of_each_tensor_once():
    g, x = graph()
    z = g.input("z", [1])
    g.outputs = [tl.ln(x, out_name="y"), tl.sqrt(z, out_name="root")]
    session = tl.Session(g)
    negative, one = np.full([1, 3, 8, 8], -1, np.float32), np.ones(1, np.float32)

    def run(method="run", **changed):
        feeds = {"x": abs(negative), "z": one, **changed}
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            getattr(session, method)(feeds, *([["root"]] if method == "fetch" else []))
        assert all(warning.filename == __file__ for warning in record)
        return [str(warning.message) for warning in record]

    assert run() == []
    assert run(x=negative) == ["not-finite-result: \"y\" has 192 NaN elements, first at index 0; "
                               "the first tensor with such elements is \"y\", computed by Log"]
    assert run(x=negative) == []
    assert run("fetch", z=-one)[0].startswith("not-finite-result: \"root\" has 1 NaN")
    assert run(z=one.astype(float)) == ["converted: \"z\" is stored as float64, and is converted to float32"]
    assert run(z=one.astype(float)) == []
    session = tl.Session(g, check_finite=False)
    assert run(x=negative) == []


def test_a_session_warns_of_integers_that_overflow():
    g = tl.Graph("net")
    g.outputs = [tl.mul(g.input("ids", [2], "int32"), 1000003, out_name="hash")]
    session = tl.Session(g)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.run({"ids": np.array([1, 2], "int32")})
    with pytest.warns(tl.GraphWarning, match='^integer-overflow: 1 of 2 elements of "hash", computed by MulConst, saturates'):
        session.run({"ids": np.array([1, 12345], "int32")})


@pytest.mark.parametrize("method", ["run_into", "measure", "profile"])
def test_other_runs_warn_of_conversions_too(method):
    g = tl.Graph("net")
    g.outputs = [g.input("x", [2]).relu(out_name="y")]
    session = tl.Session(g)
    arguments = [{"y": np.empty(2, "float32")}] if method == "run_into" else []
    with pytest.warns(tl.GraphWarning, match='^converted: "x" is stored as int64, and is converted to float32') as record:
        getattr(session, method)({"x": np.array([1, 2])}, *arguments)
    assert len(record) == 1 and record[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(session, method)({"x": np.array([1, 2])}, *arguments)
    g.allow("converted")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(tl.Session(g), method)({"x": np.array([1, 2])}, *arguments)


def test_a_diverged_variable_is_named():
    g = tl.Graph("net")
    w = g.coefficient("w", np.ones(1, "float32"))
    g.outputs = [g.input("x", [1]).mul(w, out_name="y")]
    g.assign(w, g["y"] * 1e9)
    session = tl.Session(g)
    for _ in range(4):
        session.run({"x": [10.0]})
    with pytest.warns(tl.GraphWarning, match="the variable \"w\" has such elements"):
        session.run({"x": [10.0]})


def test_conversions_are_told_at_the_line_of_the_user(tmp_path):
    g, x = graph()

    def told(make):
        with pytest.warns(tl.GraphWarning) as record:
            made = make()
        assert all(warning.filename == __file__ for warning in record)
        return made, [str(warning.message) for warning in record]

    w, messages = told(lambda: g.coefficient("w", np.arange(3)))
    assert messages == ['converted: "w" is stored as int64, and is converted to int32']
    assert (w.dtype, w.buffer.tolist()) == ("int32", [0, 1, 2])
    v, messages = told(lambda: g.coefficient("v", np.arange(3), dtype="float32"))
    assert messages == ['converted: "v" is stored as int64, and is converted to float32'] and v.dtype == "float32"
    _, messages = told(lambda: g.set_data(v, np.ones(3)))
    assert messages == ['converted: "v" is stored as float64, and is converted to float32'] and v.buffer.tolist() == [1, 1, 1]
    y, messages = told(lambda: x.mul(np.ones((1, 3, 1, 1)), out_name="y"))
    assert messages == ['converted: mul "y" (ops[0]): "tensor_i1" is stored as float64, and is converted to float32']
    t, messages = told(lambda: tl.Tensor([2], name="t", data=np.ones(2), ttype="coeff"))
    assert messages == ['converted: "t" is stored as float64, and is converted to float32'] and t.dtype == "float32"
    np.savez(tmp_path / "net.npz", w=np.arange(8))
    spec = {"version": 1, "name": "net", "weights": "net.npz",
            "tensors": {"x": {"shape": [1, 1, 8, 8]}, "w": {"shape": [8], "coeff": True}}, "inputs": ["x"],
            "ops": [{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "w"}, "out": "h"},
                    {"op": "avgpool2d", "args": {"input": "h", "kernel": 2}, "out": "y"}], "outputs": ["y"]}
    read, messages = told(lambda: tl.Graph.from_spec(spec, tmp_path))
    assert [message.partition(":")[0] for message in messages] == ["surprising-default", "converted"]


@pytest.mark.parametrize("make", [
    lambda g: g.coefficient("w", np.array([1, 2**40])),
    lambda g: g.set_data(g["v"], np.array([1, 2**40])),
    lambda g: g["x"].add(np.array([1e39])),
])
def test_what_does_not_fit_is_refused_at_once(make):
    g, _ = graph()
    g.coefficient("v", np.ones(2, "int32"))
    before = str(g), len(g.tensors)
    with pytest.raises(tl.Error, match="which does not fit (int32|float32)"):
        make(g)
    assert (str(g), len(g.tensors)) == before


def test_a_call_whose_warning_is_an_error_is_undone():
    g, x = graph()
    y = tl.relu(x, out_name="y")
    g.outputs = [y]
    before = str(g), len(g.tensors), len(g.operators)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in [lambda: tl.avgpool2d(y, kernel=2, out_name="p"), lambda: y.mul(np.ones(8)), lambda: tl.rsqrt(y),
                     lambda: g.coefficient("w", np.ones(3))]:
            with pytest.raises(tl.GraphWarning):
                call()
            assert (str(g), len(g.tensors), len(g.operators)) == before
    with pytest.warns(tl.GraphWarning) as record:
        p = tl.avgpool2d(y, kernel=2, out_name="p")
    assert codes(record) == ["surprising-default"] and p.name == "p"


def test_a_branch_whose_warning_is_an_error_is_undone():
    g, x = graph()
    c = g.input("c", [1])
    before = str(g), len(g.tensors)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tl.GraphWarning, match="added-epsilon"):
            g.cond(c, lambda: tl.rsqrt(x.relu()), lambda: x)
    assert (str(g), len(g.tensors)) == before


def test_a_hook_of_warnings_may_look_at_the_graph(monkeypatch):
    g, x = graph()
    seen = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *rest: seen.append((str(message), len(g.operators))))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        tl.rsqrt(x)
    assert len(seen) == 1 and seen[0][1] == len(g.operators)


def test_weights_of_a_file_that_are_not_finite(tmp_path):
    g, x = graph()
    w = g.coefficient("w", np.array([1, np.nan], "float32").reshape(2, 1, 1)[:1])
    g.outputs = [x.mul(w, out_name="y")]
    g.save(tmp_path / "net.json")
    np.savez(tmp_path / "net.npz", w=np.full((1, 1, 1), np.nan, "float32"))
    read = tl.Graph.from_spec(tmp_path / "net.json")
    with pytest.warns(tl.GraphWarning, match='^not-finite-weight: the coefficient "w" has 1 NaN') as record:
        tl.Session(read)
    assert len(record) == 1
