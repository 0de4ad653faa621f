from os import PathLike

from tpulang import Graph

__all__ = ["assert_golden"]

def assert_golden(graph: Graph, path: str | PathLike[str] | None = None) -> None:
    """Compare the Top dialect module of a graph with a golden file."""
