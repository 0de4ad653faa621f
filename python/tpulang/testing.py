"""Golden files in tests with pytest."""
import difflib
import inspect
import os
import pathlib

__all__ = ["assert_golden"]


def assert_golden(graph, path=None):
    """Compare the Top dialect module of a graph with a golden file.

    The file is written if it does not exist, or if the environment variable ``TPULANG_UPDATE_GOLDEN`` is 1. Where ``CI`` is
    set, a missing file is an error.

    Args:
        graph: The graph.
        path: The golden file; by default ``golden/FUNCTION-NAME.mlir`` beside the test that calls, with the names of the
            test's function and of the graph.

    Raises:
        AssertionError: The module differs. The message has the lines that differ.

    >>> import tpulang
    >>> g = tpulang.Graph("net")
    >>> g.outputs = [g.input("x", (2, 3)).relu()]
    >>> tpulang.testing.assert_golden(g, "net.mlir")
    """
    if path is None:
        caller = inspect.stack()[1]
        path = pathlib.Path(caller.filename).parent / "golden" / f"{caller.function}-{graph.name}.mlir"
    path = pathlib.Path(path)
    found = graph.to_mlir()
    is_missing = not path.exists()
    if is_missing and os.environ.get("CI"):
        raise AssertionError(f"there is no golden file {path}; run the test where CI is not set, and commit the file")
    if is_missing or os.environ.get("TPULANG_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
        return
    expected = path.read_text(encoding="utf-8")
    if found != expected:
        lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), str(path), "the graph", lineterm="", n=1)
        shown = "\n".join(list(lines)[:40])
        raise AssertionError(
            f"the module of {graph.name!r} differs from its golden file; set TPULANG_UPDATE_GOLDEN=1 to accept it\n{shown}"
        )
