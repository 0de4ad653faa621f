"""Runs a network with tpulang's executor where the tool chain would run it, and compares the results with references."""
import numpy as np

from tpulang._errors import Error


def run_reference(compilation, feeds):
    """Write NAME_top_outputs.npz, and compare it with the references of the call."""
    try:
        outputs = compilation.graph.run(feeds)
    except Error as e:
        compilation.say(f"The network is written, but was not run: {e}")
        return
    np.savez(compilation.path("_top_outputs.npz"), **outputs)
    if compilation.cmp and compilation.refs:
        cosine, distance = (0.99, 0.99) if compilation.float else (0.95, 0.80)
        for name in outputs.keys() & compilation.refs.keys():
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
    if found.size != expected.size:
        raise Error(f'{title}: output "{name}" has shape {found.shape}; the reference has {expected.shape}')
    values = similarity(found, expected)
    if not (values[0] >= cosine and values[1] >= distance):
        raise Error(f'{title}: output "{name}" differs from the reference: cosine {values[0]:.4f} and similarity {values[1]:.4f}; '
                    f"at least {cosine:.2f} and {distance:.2f} are wanted")
