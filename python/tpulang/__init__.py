"""Build, check, convert and run networks for the TPU-MLIR tool chain, TpuLang-style."""
from tpulang._native import __version__
