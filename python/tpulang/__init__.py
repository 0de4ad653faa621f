"""Build, check, convert and run networks for the TPU-MLIR tool chain, TpuLang-style.

A script for TpuLang runs after replacing ``import transform.TpuLang as tpul`` by ``import tpulang as tpul``. Otherwise begin
with ``Graph``::

    g = tpulang.Graph("net")
    x = g.input("x", (1, 3, 224, 224))
    y = x.conv(weight, pad=1).relu()
"""
from tpulang import _native, optimizers, testing
from tpulang._compile import (
    bmodel_inference_combine,
    compile,
    compile_f32,
    debug_dump_compile,
    mlir_compile,
    mlir_compile_f32,
)
from tpulang._errors import DeviceError, Error, FileError, InvalidType, ToolChainError
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

# TpuLang's functions, which the extension module makes of the table of functions.
globals().update({name: getattr(_native, name) for name in FUNCTIONS})
