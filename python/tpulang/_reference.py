"""Runs a network with tpulang's executor where the tool chain would run it, and compares the results with references."""
import numpy as np

from tpulang._errors import Error
from tpulang._stages import save_arrays


def run_reference(compilation, feeds):
    """Write NAME_top_outputs.npz, and compare it with the references of the call."""
    try:
        outputs = compilation.graph.run(feeds)
    except Error as e:
        written = compilation.path("_origin.mlir")
        raise Error(f"{compilation.title}: the network is written to {written}, but running it failed, which mlir_inference=False "
                    f"leaves out: {e}", function=compilation.checks.call) from e
    save_arrays(compilation.path("_top_outputs.npz"), outputs)
    if compilation.cmp and compilation.refs:
        cosine, distance = (0.99, 0.99) if compilation.float else (0.95, 0.80)
        for name in outputs:
            if name in compilation.refs:
                check(compilation.title, name, outputs[name], compilation.refs[name], cosine, distance)


def similarity(found, expected):
    """Return the cosine of two arrays, and 1 less their distance relative to the second."""
    a, b = (np.asarray(x, np.float64).ravel() for x in (found, expected))
    if np.array_equal(a, b, equal_nan=True):
        return 1.0, 1.0
    norms = np.linalg.norm(a), np.linalg.norm(b)
    cosine = a @ b / (norms[0] * norms[1]) if all(norms) else 0.0
    return cosine, 1 - np.linalg.norm(a - b) / norms[1] if norms[1] else 0.0


def check(title, name, found, expected, cosine, distance):
    # A reference may be a list of all elements, as some tools write them.
    if found.size != expected.size or expected.ndim != 1 and found.ndim != 1 and found.shape != expected.shape:
        raise Error(f'{title}: output "{name}" has shape {list(found.shape)}; the reference has {list(expected.shape)}')
    values = similarity(found, expected)
    if not (values[0] >= cosine and values[1] >= distance):
        raise Error(f'{title}: output "{name}" differs from the reference: cosine {values[0]:.4f} and similarity {values[1]:.4f}; '
                    f"at least {cosine:.2f} and {distance:.2f} are wanted")
