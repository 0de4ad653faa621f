"""Cases of every op that has a gradient, by family."""
from . import convolution, elementwise, indices, layout, normalization, products, sequences, training  # noqa: F401
from .table import CASES

__all__ = ["CASES"]
