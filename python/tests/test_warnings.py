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
    with pytest.warns(tl.GraphWarning, match="^not-finite-result: .*; they come from \"h\", computed by Log") as record:
        results = g.run({"x": np.full([1, 3, 8, 8], -1, np.float32)})
    assert np.isnan(results["y"]).all() and codes(record) == ["not-finite-result"]
