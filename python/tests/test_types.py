"""The type stubs: they accept a typed program, reject mistakes, and have all that the package has, and no more."""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

import pytest
import typed_example

import tpulang

if sys.version_info < (3, 10):
    pytest.skip("inspect does not know the signatures of classes in Python 3.9", allow_module_level=True)

PACKAGE = pathlib.Path(tpulang.__file__).parent
STUBS = ("__init__", "_functions", "optimizers", "testing")
MISTAKES = """\
import numpy as np

import tpulang
from tpulang.optimizers import Adam, Schedule, Sgd

g = tpulang.Graph("net")
x: tpulang.Tensor = g.input("x", (2, 3))
g.input("y", "2x3")  # wrong
g.input("y", (2, 3), "int8", 0.5)  # wrong
g.input("y", (2, 3), scale="0.5")  # wrong
x.relu(6)  # wrong
x.relu(name="y")  # wrong
x.unknown()  # wrong
tpulang.unknown(x)  # wrong
tpulang.SupportsDLPack  # wrong
tpulang.add_shift(x, x, 1, "int8", round_mode="nearest")  # wrong
g.concat(x, axis=0)  # wrong
y: int = x + 1  # wrong
z: tpulang.Tensor = x.topk(1, 2)  # wrong
x + "1"  # wrong
x @ 2  # wrong
x & 1  # wrong
x["first"]  # wrong
x < None  # wrong
x.shape = (3, 2)  # wrong
x.name = 3  # wrong
row: int
for row in x:  # wrong
    pass
g.outputs = "x"  # wrong
g.mode = "int8"  # wrong
g.run(precision="f16")  # wrong
g.run({"x": "1.0"})  # wrong
tpulang.Session(x)  # wrong
tpulang.Session(g, thread=1)  # wrong
result: np.ndarray = g.run({"x": [[1.0]]})  # wrong
g.cond(x, x, x)  # wrong
g.while_loop(x, lambda v: v < 1.0, lambda v, w: v)  # wrong
g.for_loop(2, x, lambda i, v: 1)  # wrong
g.scan(2, x, lambda i, v: v)  # wrong
g.gradients(x, x, lambda operator, gradients: "skip")  # wrong
g.minimize(x, x, 0.1)  # wrong
g.minimize(x, x, Sgd(0.1, 0.9))  # wrong
g.minimize(x, x, Adam(Schedule.cosine(0.1, 0.01)))  # wrong
tpulang.Tensor([2], ttype="weight")  # wrong
tpulang.Tensor([2], data=[1.0, 2.0])  # wrong
tpulang.Scalar("1")  # wrong
tpulang.get_default_graph().operators  # wrong
tpulang.compile("net", x, [x])  # wrong
tpulang.compile_f32("net", [x], [x], mode="int8")  # wrong
tpulang.TpuLang.chip = 1  # wrong
tpulang.Error().line + 1  # wrong
tpulang.testing.assert_golden(x)  # wrong
"""


def oldest_target():
    """Return the oldest Python that mypy checks for, among those that the package supports."""
    from mypy.defaults import PYTHON3_VERSION_MIN
    return "{}.{}".format(*max((3, 9), PYTHON3_VERSION_MIN))


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """What mypy reports: {file name: [(line, message)]}."""
    pytest.importorskip("mypy", reason="mypy is not installed, so the type stubs are not checked with it")
    folder = tmp_path_factory.mktemp("types")
    (folder / "mistakes.py").write_text(MISTAKES)
    environment = dict(os.environ)
    # mypy finds installed packages by itself, and refuses their folder in its path.
    if PACKAGE.parent not in (pathlib.Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")):
        environment["MYPYPATH"] = str(PACKAGE.parent)
    options = ["--strict", "--python-version", oldest_target(), "--no-error-summary", "--cache-dir=cache"]
    files = ["mistakes.py", typed_example.__file__]
    command = [sys.executable, "-m", "mypy", "--config-file=", *options, *files]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    found = {}
    for line in ran.stdout.splitlines():
        place = re.match(r"(.+?):(\d+): error: (.*)", line)
        if place:
            found.setdefault(os.path.basename(place[1]), []).append((int(place[2]), place[3]))
    return found


def test_mypy_accepts_the_stubs_and_a_typed_program(reported):
    assert {file: errors for file, errors in reported.items() if file != "mistakes.py"} == {}


def test_the_typed_program_runs(tmp_path):
    typed_example.main(tmp_path)


@pytest.mark.parametrize("line", [i for i, line in enumerate(MISTAKES.splitlines(), 1) if "# wrong" in line],
                         ids=lambda i: MISTAKES.splitlines()[i - 1].split("  #")[0])
def test_mypy_reports_a_mistake(reported, line):
    assert line in {number for number, _ in reported["mistakes.py"]}


def test_mypy_reports_nothing_but_the_mistakes(reported):
    right = {i for i, line in enumerate(MISTAKES.splitlines(), 1) if "# wrong" not in line}
    assert [error for error in reported["mistakes.py"] if error[0] in right] == []


def stub(name):
    """Parse a stub as the oldest Python that the package supports does."""
    return ast.parse((PACKAGE / f"{name}.pyi").read_text(encoding="utf-8"), feature_version=(3, 9))


def definitions(body):
    """Return the definitions of a module or class: {name: [definitions]}; imports count if they are exported again."""
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.AnnAssign):
            names = [node.target.id]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names if alias.asname == alias.name]
        else:
            continue
        for name in names:
            found.setdefault(name, []).append(node)
    return found


def is_public(name):
    return not name.startswith("_")


def members(module, name):
    """Return the definitions of a class in a stub."""
    return definitions(definitions(stub(module).body)[name][0].body)


# Public classes, by the stub that has them.
CLASSES = [
    (module, name)
    for module in ("__init__", "optimizers")
    for name, nodes in definitions(stub(module).body).items()
    if is_public(name) and isinstance(nodes[0], ast.ClassDef)
]


def runtime(module, name):
    return getattr(tpulang if module == "__init__" else getattr(tpulang, module), name)


def decorators(nodes):
    return {ast.unparse(decorator) for node in nodes for decorator in getattr(node, "decorator_list", ())}


def parameters(node, bound):
    """Return the parameters of a stub's function, without a bound one: [(name, kind, whether there is a default)]."""
    a = node.args
    kind = inspect.Parameter
    positional = [*a.posonlyargs, *a.args]
    required = len(positional) - len(a.defaults)
    all = [
        (p.arg, kind.POSITIONAL_ONLY if i < len(a.posonlyargs) else kind.POSITIONAL_OR_KEYWORD, i >= required)
        for i, p in enumerate(positional)
    ]
    all += [(a.vararg.arg, kind.VAR_POSITIONAL, False)] if a.vararg else []
    all += [(p.arg, kind.KEYWORD_ONLY, default is not None) for p, default in zip(a.kwonlyargs, a.kw_defaults)]
    all += [(a.kwarg.arg, kind.VAR_KEYWORD, False)] if a.kwarg else []
    return all[1:] if bound else all


def actual_parameters(function, bound=False):
    """Return the same of a function. What it passes on to Session, as `options`, counts as its own."""
    all = []
    for p in list(inspect.signature(function).parameters.values())[bool(bound):]:
        if p.name == "options" and p.kind is p.VAR_KEYWORD:
            known = {name for name, *_ in all}
            all += [q for q in actual_parameters(tpulang.Session) if q[1] is p.KEYWORD_ONLY and q[0] not in known]
        else:
            all.append((p.name, p.kind, p.default is not p.empty))
    return all


def test_the_module_has_these_names():
    assert len(set(tpulang.FUNCTIONS)) == len(tpulang.FUNCTIONS)
    expected = {name for name in [*dir(tpulang), *tpulang.__all__] if is_public(name)}
    assert {name for name in definitions(stub("__init__").body) if is_public(name)} == expected
    for name in (*expected, "__all__", "__version__"):
        assert hasattr(tpulang, name)


@pytest.mark.parametrize("module", ["optimizers", "testing"])
def test_a_submodule_has_these_names(module):
    expected = set(getattr(tpulang, module).__all__)
    assert {name for name in definitions(stub(module).body) if is_public(name)} == expected


def test_the_stubs_of_functions_are_as_generated():
    command = [sys.executable, "-m", "tpulang", "ops", "--python"]
    ran = subprocess.run(command, env=dict(os.environ, PYTHONPATH=str(PACKAGE.parent)), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    is_same = ran.stdout == (PACKAGE / "_functions.pyi").read_text(encoding="utf-8")
    assert is_same, "run: tpulang ops --python > python/tpulang/_functions.pyi"


def test_the_stubs_have_these_functions():
    found = definitions(stub("_functions").body)
    assert {name for name, nodes in found.items() if isinstance(nodes[0], ast.FunctionDef)} == set(tpulang.FUNCTIONS)
    for name, owner in (("TensorFunctions", tpulang.Tensor), ("GraphFunctions", tpulang.Graph)):
        assert set(members("_functions", name)) == set(tpulang.FUNCTIONS) & set(vars(owner)), name
    reexported = next(node for node in stub("__init__").body if getattr(node, "module", "") == "tpulang._functions")
    assert {alias.name for alias in reexported.names if alias.asname} == set(tpulang.FUNCTIONS)


@pytest.mark.parametrize(("module", "name"), CLASSES, ids=[name for _, name in CLASSES])
def test_a_class_has_these_attributes(module, name):
    owner, found = runtime(module, name), members(module, name)
    # Every object has these, or they are the constructor, which is compared with its signature.
    common = {"__doc__", "__module__", "__repr__", "__str__", "__dict__", "__weakref__", "__new__", "__init__"}
    # The stubs do not have these, with which type checkers would find every attribute.
    common |= {"__getattr__", "__getattribute__"}
    # Python 3.13 adds these.
    common |= {"__firstlineno__", "__static_attributes__"}
    expected = set(vars(owner)) - common - (set(tpulang.FUNCTIONS) if name in ("Tensor", "Graph") else set())
    assert set(found) - common == expected
    for member, nodes in found.items():
        actual = inspect.getattr_static(owner, member)
        if isinstance(nodes[0], ast.AnnAssign):
            assert not callable(actual), member
            continue
        assert inspect.isdatadescriptor(actual) == ("property" in decorators(nodes)), member
        assert isinstance(actual, staticmethod) == ("staticmethod" in decorators(nodes)), member
        if is_public(member) and not inspect.isdatadescriptor(actual):
            is_bound = not isinstance(actual, staticmethod)
            for node in nodes:
                assert parameters(node, is_bound) == actual_parameters(getattr(owner, member), is_bound), member


@pytest.mark.parametrize(("module", "name"), [c for c in CLASSES if {"__new__", "__init__"} & set(members(*c))],
                         ids=lambda value: value)
def test_a_constructor_has_these_parameters(module, name):
    found = members(module, name)
    [node] = found.get("__new__") or found["__init__"]
    assert parameters(node, True) == actual_parameters(runtime(module, name))


def test_signatures_show_the_defaults():
    owners = [runtime(module, name) for module, name in CLASSES]
    functions = [*owners, *(function for owner in owners for function in vars(owner).values())]
    for function in filter(callable, functions):
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:
            continue
        assert not [p for p in parameters if p.default is ...], function


def test_a_class_without_a_constructor_cannot_be_called():
    without = [c for c in CLASSES if not {"__new__", "__init__"} & set(members(*c))]
    for module, name in without:
        if not issubclass(runtime(module, name), Exception):
            with pytest.raises(TypeError, match="cannot create|No constructor"):
                runtime(module, name)()


@pytest.mark.parametrize("module", ["__init__", "optimizers", "testing"])
def test_functions_have_these_parameters(module):
    for name, [node] in definitions(stub(module).body).items():
        if is_public(name) and isinstance(node, ast.FunctionDef):
            assert parameters(node, False) == actual_parameters(runtime(module, name)), name


@pytest.mark.parametrize("kind", ["Tensor", "Scalar", "Operator", "Graph", "Session", "ValueInfo"])
def test_properties_are_settable_as_the_stubs_say(kind):
    g = tpulang.Graph("net")
    g.outputs = g.input("x", (1,)).relu()
    session = tpulang.Session(g)
    all = [tpulang.Tensor([1], name="x"), tpulang.Scalar(1), g.operators[0], g, session, session.inputs[0]]
    [instance] = [instance for instance in all if type(instance).__name__ == kind]
    for name, nodes in members("__init__", kind).items():
        if "property" in decorators(nodes):
            try:
                setattr(instance, name, getattr(instance, name))
                is_settable = True
            except AttributeError:
                is_settable = False
            assert is_settable == (f"{name}.setter" in decorators(nodes)), name


def test_globals_are_as_in_the_stubs():
    assert set(members("__init__", "_Globals")) == {name for name in vars(type(tpulang.TpuLang)) if is_public(name)}


def test_errors_have_the_attributes_of_the_stubs():
    for name in ("Error", "InvalidType", "FileError", "DeviceError", "ToolChainError"):
        error = getattr(tpulang, name)("message", function="conv")
        assert error.function == "conv"
        for attribute in (*members("__init__", "Error"), *members("__init__", name)):
            assert hasattr(error, attribute), attribute


def test_the_stubs_name_nothing_twice():
    for name in STUBS:
        for definition, nodes in definitions(stub(name).body).items():
            assert len(nodes) == 1, definition
