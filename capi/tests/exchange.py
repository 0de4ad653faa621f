"""Runs a network on tensors of NumPy and PyTorch through the C interface: exchange.py LIBRARY numpy|torch."""

import ctypes
import gc
import sys

import numpy

library = ctypes.CDLL(sys.argv[1])
library.tpulang_last_error.restype = ctypes.c_char_p
SPEC = b"""{"version": 1, "name": "net", "tensors": {"x": {"shape": [3, 4]}}, "inputs": ["x"],
 "ops": [{"op": "relu", "args": {"input": "x"}, "out": "h"}, {"op": "add", "args": {"tensor_i0": "h", "tensor_i1": 1.0}, "out": "y"}],
 "outputs": ["y"]}"""

capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
set_name = ctypes.pythonapi.PyCapsule_SetName
set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = b"used_dltensor_versioned"
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def check(status):
    assert status == 0, library.tpulang_last_error().decode()


def session():
    graph, made = ctypes.c_void_p(), ctypes.c_void_p()
    check(library.tpulang_graph_from_spec(SPEC, ctypes.c_size_t(len(SPEC)), None, ctypes.byref(graph)))
    check(library.tpulang_session_new(graph, b"cpu", None, ctypes.byref(made)))
    library.tpulang_graph_free(graph)
    return made


class Result:
    """A tensor of the library, for `from_dlpack`."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return new_capsule(self.pointer, b"dltensor_versioned", None)

    def __dlpack_device__(self):
        return (1, 0)


def taken(tensor):
    """The pointer of a tensor that is given away."""
    capsule = tensor.__dlpack__(max_version=(1, 1))
    pointer = capsule_pointer(capsule, b"dltensor_versioned")
    set_name(capsule, USED)
    return pointer


def run(made, tensor, name=b"y"):
    feeds, results = (ctypes.c_void_p * 1)(taken(tensor)), (ctypes.c_void_p * 1)()
    names, wanted = (ctypes.c_char_p * 1)(b"x"), (ctypes.c_char_p * 1)(name)
    one = ctypes.c_size_t(1)
    check(library.tpulang_session_run_dlpack(made, names, feeds, one, wanted, results, one))
    return Result(results[0])


def exchange(made, frozen, from_dlpack, address):
    values = numpy.arange(12, dtype=numpy.float32).reshape(4, 3) - 5
    # A transposed and reversed tensor has strides; it is copied.
    for array in [values.reshape(3, 4).copy(), values.T, numpy.ascontiguousarray(values.T)[::-1]]:
        tensor = frozen(array)
        found = from_dlpack(run(made, tensor))
        assert numpy.array_equal(numpy.asarray(found), numpy.maximum(array, 0) + 1)
    contiguous = frozen(values.reshape(3, 4).copy())
    before = sys.getrefcount(contiguous)
    # The input itself comes back: in the same memory, which it keeps.
    same = from_dlpack(run(made, contiguous, b"x"))
    assert address(same) == address(contiguous), "no copy"
    del same
    gc.collect()
    assert sys.getrefcount(contiguous) == before
    try:
        run(made, frozen(values.reshape(12).copy()))
    except AssertionError as error:
        assert "12 float32" in str(error), error
    else:
        raise SystemExit("a wrong shape is accepted")


made = session()
exchange(made, lambda array: array, numpy.from_dlpack, lambda array: array.ctypes.data)
result = numpy.from_dlpack(run(made, numpy.ones((3, 4), numpy.float32)))
assert not result.flags.writeable, "memory that is shared is read-only"
if sys.argv[2] == "torch":
    import torch

    exchange(made, lambda a: torch.from_numpy(numpy.ascontiguousarray(a)).reshape(a.shape), torch.from_dlpack,
             lambda tensor: tensor.data_ptr())
    transposed = torch.arange(12, dtype=torch.float32).reshape(4, 3).T
    found = torch.from_dlpack(run(made, transposed))
    assert torch.equal(found, torch.relu(transposed) + 1)
library.tpulang_session_free(made)
print("all the same")
