"""Build, check, convert and run networks for the TPU-MLIR tool chain, TpuLang-style."""
from tpulang import _native, optimizers
from tpulang._compile import (
    bmodel_inference_combine,
    compile,
    compile_f32,
    debug_dump_compile,
    mlir_compile,
    mlir_compile_f32,
)
from tpulang._errors import DeviceError, Error, FileError, InvalidType, ToolChainError
from tpulang._native import (
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
globals().update({name: getattr(_native, name) for name in _native.FUNCTIONS})
