"""Compares arrays and archives of them. It needs NumPy only, because scripts of all environments import it."""
import re

import numpy as np


def has_shape(found, expected):
    """Return whether an array has the shape of another. A file of tpulang's or tpu_mlir's has a number as an array with one axis."""
    return found.shape == expected.shape or (expected.ndim == 0 and found.shape == (1,))


def relative_error(found, expected):
    """Return the relative L2 error. It is infinite if the numbers that are NaN or infinite differ."""
    x, y = (np.asarray(a).astype(np.float64).ravel() for a in (expected, found))
    finite = np.isfinite(x)
    if x.size != y.size or not np.array_equal(x[~finite], y[~finite], equal_nan=True) or not np.isfinite(y[finite]).all():
        return np.inf
    error, norm = np.linalg.norm(x[finite] - y[finite]), np.linalg.norm(x[finite])
    if not error:
        return 0.0
    # The norms of float64 may overflow.
    return error / norm if norm and np.isfinite(error) else np.inf


def cosine(found, expected):
    """Return the cosine of two arrays. It is NaN if one of them is zero or not finite, and then reaches no limit."""
    x, y = (np.asarray(a).astype(np.float64).ravel() for a in (expected, found))
    with np.errstate(all="ignore"):
        return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


def compare_arrays(name, expected, found, tolerance):
    """Return what is wrong with an array, or None. The tolerance is that of the relative error; it is 0 for integers."""
    if not has_shape(found, expected):
        return "%s: shape %s instead of %s" % (name, found.shape, expected.shape)
    error = relative_error(found, expected)
    if error <= tolerance:
        return None
    odd = [int((~np.isfinite(a.astype(np.float64))).sum()) for a in (found, expected)]
    return "%s: relative L2 error %.2e%s" % (name, error, "; NaN or infinite: %d instead of %d numbers" % tuple(odd) if any(odd) else "")


def archive_error(found, expected):
    """Return the largest relative error of the arrays in two files. Arrays are paired by name, or by position if a tool renames them."""
    with np.load(expected) as a, np.load(found) as b:
        if not a.files or len(a.files) != len(b.files):
            return np.inf
        pairs = [(a[i], b[j]) for i, j in zip(a.files, a.files if set(a.files) == set(b.files) else b.files)]
        return max(relative_error(y, x) if has_shape(y, x) else np.inf for x, y in pairs)


def lowered_name(name, size, arrays, others=()):
    """Return the name of an output after lowering, which adds what it has done (`y_f32`, `y__softmax_reshape_f32`); or None.
    `others` are the names of the network's other tensors."""
    fits = lambda found: arrays[found].size == size
    if name in arrays and fits(name):
        return name
    renamed = [found for found in arrays if re.match(re.escape(name) + "[_/]", found) and found not in others and fits(found)]
    return max(renamed, key=len, default=None)
