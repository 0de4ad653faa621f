"""Objects that are no valid arguments: what the messages say, and that nothing worse happens."""
import errno
import pickle
import re

import numpy as np
import pytest

import tpulang


class Enlarged(np.ndarray):
    """An array that says that it has more elements than it has."""

    shape = property(lambda self: (250_000_000,))
    dtype = property(lambda self: np.dtype("float64"))
    strides = property(lambda self: (0,))
    flags = property(lambda self: np.ones(1, "float32").flags)
    __array_interface__ = property(lambda self: {"shape": (250_000_000,), "typestr": "<f4", "data": (64, False), "version": 3})


class Broken:
    """A tensor of another library that cannot be exported."""

    def __dlpack__(self, **options):
        raise BufferError("this is sparse")

    def __dlpack_device__(self):
        return (1, 0)


@pytest.fixture
def graph():
    g = tpulang.Graph("g")
    x = g.input("x", (2,))
    g.outputs = [x.relu(out_name="y")]
    return g


def raises(message, call, kind=tpulang.Error):
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_arrays_are_what_numpy_says_they_are(graph):
    array = np.array([-1, 2], "float32").view(Enlarged)
    assert graph.coefficient("w", array).buffer.tolist() == [-1, 2]
    assert graph.run({"x": array})["y"].tolist() == [0, 2]
    result = np.zeros(2, "float32")
    tpulang.Session(graph).run_into({"x": array}, {"y": result.view(Enlarged)})
    assert result.tolist() == [0, 2]
    every_other = np.arange(4, dtype="float32")[::2]
    assert graph.run({"x": every_other.view(Enlarged)})["y"].tolist() == [0, 2]
    raises("is not C_CONTIGUOUS", lambda: tpulang.Session(graph).run_into({"x": array}, {"y": every_other.view(Enlarged)}))


def test_masked_arrays_are_refused(graph):
    masked = np.ma.array([1, 2], mask=[1, 0], dtype="float32")
    for what, use in {
        'the value fed to "x"': lambda: graph.run({"x": masked}),
        'the data of "w"': lambda: graph.coefficient("w", masked),
        'the array for the result "y"': lambda: tpulang.Session(graph).run_into({"x": [1, 2]}, {"y": masked}),
        "add: tensor_i1": lambda: graph["x"].add(masked),
        "reshape: new_shape": lambda: graph["x"].reshape(np.ma.array([2, 1], mask=[1, 0])),
    }.items():
        raises(f"{what} is a masked array, whose mask would be lost; expected array.filled(value) or array.data", use)
    assert graph.run({"x": masked.filled(5)})["y"].tolist() == [5, 2]


def test_lists_that_contain_themselves_are_refused_at_once(graph):
    endless = []
    endless.extend([endless] * 3)
    raises("concat: inputs is nested deeper than 16 lists", lambda: tpulang.concat(endless))
    raises("inputs is nested deeper than 16 lists", lambda: graph.concat(endless))
    raises('the value fed to "x" is a list that contains itself', lambda: graph.run({"x": endless}))
    raises('the data of "w" is a list that contains itself', lambda: graph.coefficient("w", endless))
    shared = [graph["x"]] * 3
    assert graph.concat(shared, axis=0).shape == (6,)
    assert graph.coefficient("v", [[1, 2]] * 3).shape == (3, 2)


def test_messages_name_what_an_array_is_for(graph):
    session, weights, number = tpulang.Session(graph), graph.coefficient("w", [1, 2]), np.ones(2, "complex64")
    for message, use in [
        ('the value fed to "x" is a str; expected an array of NumPy', lambda: session.run({"x": "abc"})),
        ('the value fed to "x" has the dtype complex64; expected one of', lambda: session.run([number])),
        ('the value fed to "x" is a list with an integer beyond 64 bits', lambda: session.run({"x": [10**400, 1]})),
        ('the value fed to "x" is a list with elements that are not numbers', lambda: session.run({"x": ["a", "b"]})),
        ('the value fed to "x" cannot be read: BufferError: this is sparse', lambda: session.run({"x": Broken()})),
        ('the data of "v" is a str', lambda: graph.coefficient("v", "abc")),
        ('the data of "v" has shape 2; the tensor is declared 3', lambda: graph.coefficient("v", [1, 2], shape=(3,))),
        ('the data of "v" is uint8; the tensor is declared int8; store array.astype("int8")',
         lambda: graph.coefficient("v", np.ones(2, "uint8"), dtype="int8")),
        ('the data of "w" is a str', lambda: graph.set_data(weights, "abc")),
        ('the data of "t" is a list; expected an array', lambda: tpulang.Tensor([2], name="t", data=[1, 2])),
        ("Tensor: data is a list; expected an array", lambda: tpulang.Tensor([2], data=[1, 2])),
        ("add: tensor_i1 has the dtype complex64", lambda: graph["x"].add(number)),
        ("add: tensor_i1 cannot be read: BufferError: this is sparse", lambda: graph["x"] + Broken()),
        ("concat: inputs is a set; expected a list of tensors", lambda: graph.concat({1})),
        ('the array for the result "y" is a list; expected an array of NumPy', lambda: session.run_into({"x": [1, 2]}, {"y": [1, 2]})),
        ('the array for the result "y" is a type; expected an array', lambda: session.run_into({"x": [1, 2]}, {"y": np.float32})),
        ('the array for the result "y" cannot be read: BufferError', lambda: session.run_into({"x": [1, 2]}, {"y": Broken()})),
        ('the array for the result "y" has the byte order of >f4', lambda: session.run_into({"x": [1, 2]}, {"y": np.zeros(2, ">f4")})),
    ]:
        raises(message, use)


def test_numbers_and_texts_that_are_too_much(graph):
    x = graph["x"]
    raises("add: tensor_i1 is an integer beyond the largest float64", lambda: x + 10**400)
    raises("interpolate: method is a string with surrogates", lambda: x.interpolate(1.0, 1.0, method="\ud800"))
    # The item of a longdouble is a longdouble.
    raises("add: tensor_i1 has the dtype", lambda: x + np.longdouble(1))
    with pytest.raises(tpulang.Error) as raised:
        x + 10**400
    assert (raised.value.function, raised.value.argument) == ("add", "tensor_i1")


def test_names_are_strings_or_tensors(graph):
    session = tpulang.Session(graph)
    for message, use in [
        ("a key of feeds is 5, an int; expected a name or a tensor", lambda: session.run({5: [1, 2]})),
        ("a key of results is None; expected a name or a tensor", lambda: session.run_into({"x": [1, 2]}, {None: np.empty(2, "f4")})),
        ("fetch: names is 5, an int; expected a name, a tensor or a list of them", lambda: session.fetch({"x": [1, 2]}, 5)),
        ("fetch: one of names is 5, an int; expected a name or a tensor", lambda: session.fetch({"x": [1, 2]}, ["y", 5])),
        ("Session: a name of fed is 5, an int", lambda: tpulang.Session(graph, fed=[5])),
        ("Session: a name of fetched is None", lambda: tpulang.Session(graph, fetched=[None])),
        ("set_variable: name is 5, an int", lambda: session.set_variable(5, [1])),
    ]:
        raises(message, use, tpulang.InvalidType)


def test_outputs_are_tensors(graph):
    x, expected = graph["x"], "expected a tensor or a list of tensors"
    for outputs, message in [("zz", f"outputs is 'zz', a str; {expected}"), (None, f"outputs is None; {expected}"),
                             (5, f"outputs is 5, an int; {expected}"), ([x, 3], "outputs[1] is 3, an int; expected a tensor")]:
        raises(message, lambda: setattr(graph, "outputs", outputs), tpulang.InvalidType)
    assert [t.name for t in graph.outputs] == ["y"]


def test_a_description_is_not_the_name_of_an_argument():
    with pytest.raises(tpulang.Error) as raised:
        tpulang.Graph("a b")
    error = raised.value
    assert (error.argument, error.found) == (None, '"a b"') and error.expected.startswith("expected 1 to 200 letters")


def test_a_rate_of_a_wrong_type():
    for optimizer in (tpulang.optimizers.Sgd, tpulang.optimizers.Adam, tpulang.optimizers.AdamW):
        raises("rate is 'fast', a str; expected a number, a Schedule, or a tensor of one element", lambda: optimizer("fast"))


def test_numbers_of_things_in_messages(graph):
    g = tpulang.Graph("g")
    x, z, one = g.input("x", (2,)), g.input("z", (2,)), g.input("one", ())
    g.outputs = [x + z]
    raises("1 array is fed; expected 3: x, z, one", lambda: g.run([[1, 2]]))
    raises("1 index is given for a tensor of 0 dimensions", lambda: one[0])
    raises("2 indices are given for a tensor of 1 dimension", lambda: x[0, 0])
    assert repr(graph) == '<tpulang.Graph "g": 1 input, 1 operator, 1 output>'
    assert repr(graph.conv) == f"<method conv of {graph!r}>"


def test_errors_of_files_are_those_of_the_system(tmp_path):
    path = tmp_path / "missing.json"
    with pytest.raises(OSError) as raised:
        tpulang.Graph.from_spec(path)
    again = pickle.loads(pickle.dumps(raised.value))
    for error in (raised.value, again):
        assert isinstance(error, tpulang.FileError)
        assert (error.errno, error.filename, error.file) == (errno.ENOENT, str(path), str(path))
        assert error.strerror == "No such file or directory" and str(error).startswith(f"{path}: ")
