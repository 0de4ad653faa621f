"""Every example of the documentation runs."""
import doctest
import inspect
import types

import numpy as np
import pytest

import tpulang


def documented():
    """Yield each public object with documentation, and its name."""
    for module in (tpulang, tpulang.optimizers, tpulang.testing):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, types.ModuleType):
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for member, attribute in vars(value).items():
                    is_data = attribute is None or isinstance(attribute, (str, tuple))
                    if not member.startswith("_") and member not in tpulang.FUNCTIONS and not is_data:
                        yield f"{module.__name__}.{name}.{member}", attribute


EXAMPLES = {
    name: test
    for name, value in documented()
    for test in [doctest.DocTestParser().get_doctest(value.__doc__ or "", {}, name, None, 0)]
    if test.examples
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    g = tpulang.Graph("example")
    given = {"tpulang": tpulang, "np": np, "g": g, "x": g.input("x", (1, 3, 8, 8)), "i": g.input("i", (1, 3, 8, 8), "int8")}
    test = EXAMPLES[name]
    test.globs.update(given)
    lines = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=lines.append)
    tpulang.deinit()
    assert not lines, "".join(lines)


def test_everything_public_is_documented():
    missing = [name for name, value in documented() if not (getattr(value, "__doc__", None) or "").strip()]
    assert missing == []
