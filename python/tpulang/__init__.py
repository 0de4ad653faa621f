"""Build, check, convert and run networks for the TPU-MLIR tool chain, TpuLang-style.

A script for TpuLang runs after replacing ``import transform.TpuLang as tpul`` by ``import tpulang as tpul``. Otherwise begin
with ``Graph``::

    g = tpulang.Graph("net")
    x = g.input("x", (1, 3, 224, 224))
    y = x.conv(weight, pad=1).relu()
"""
import importlib

from tpulang import _native, optimizers
from tpulang._errors import DeviceError, Error, FileError, GraphWarning, InvalidType, ToolChainError
from tpulang._globals import TpuLang, reset_graph
from tpulang._native import (
    FUNCTIONS,
    Graph,
    Operator,
    Scalar,
    Session,
    Tensor,
    ValueInfo,
    __version__,
    deinit,
    get_default_graph,
    init,
    reset_default_graph,
)
from tpulang._onnx import from_onnx, from_torch

# TpuLang's functions, which the extension module makes of the table of functions.
globals().update({name: getattr(_native, name) for name in FUNCTIONS})

# Imported when they are first used: they need modules that take longer to import than the rest of the package.
_COMPILE = (
    "bmodel_inference_combine",
    "compile",
    "compile_f32",
    "debug_dump_compile",
    "mlir_compile",
    "mlir_compile_f32",
)

__all__ = [name for name in globals() if not name.startswith("_") and name != "importlib"] + [*_COMPILE, "testing"]


def __getattr__(name):
    if name == "testing":
        return importlib.import_module("tpulang.testing")
    if name in _COMPILE:
        return getattr(importlib.import_module("tpulang._compile"), name)
    raise AttributeError(f"module 'tpulang' has no attribute {name!r}{_native.attribute_hint(name)}")


def __dir__():
    return __all__
