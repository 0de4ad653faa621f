"""Checks of the compile functions' arguments, before anything is written."""
import difflib
import os

from tpulang._errors import Error, InvalidType, issue

MODES = ("f32", "f16", "bf16")
LOG_LEVELS = ("normal", "simple", "only-layer-group", "quiet")
# The processors that TpuLang compiles for, and their numbers of cores.
CORES = {"bm1684x": (1,), "bm1688": (1, 2), "bm1684x2": (1, 4)}


def choice(values):
    """Return `"a", "b" or "c"`."""
    *first, last = map(_shown, values)
    return ", ".join(first) + " or " + last if first else last


def _shown(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def _class(value):
    """Return `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


class Checks:
    """The arguments of one call, with their checks."""

    def __init__(self, call, arguments):
        self.call, self.arguments = call, arguments
        self.type("name", str, "a string, the name of the network")
        name = arguments["name"]
        self.title = f'{call} "{name}"'
        if os.path.basename(name) in ("", ".", ".."):
            self.fail("name", _shown(name), 'the name of the network, possibly with a folder, such as "folder/net"')

    def fail(self, argument, found, expected, kind=Error):
        title = getattr(self, "title", self.call)
        raise kind(f"{title}: {argument} is {found}; it must be {expected}",
                   function=self.call, argument=argument, found=found, expected=expected)

    def type(self, argument, kind, expected):
        value = self.arguments[argument]
        if not isinstance(value, kind):
            self.fail(argument, f"{value!r}, {_class(value)}", expected, InvalidType)

    def one_of(self, argument, values):
        value = self.arguments[argument]
        if value not in values:
            self.fail(argument, _shown(value), choice(values))

    def common(self, chip):
        """Check what all compile functions take."""
        self.one_of("log_level", LOG_LEVELS)
        self.one_of("addr_mode", ("auto", "io_reloc"))
        self.one_of("opt", (0, 1, 2))
        for argument in ("layer_group_config", "lghash_dir"):
            self.type(argument, str, "a path, or empty")
        cores = {name: n for name, n in CORES.items() if "f32" in self.call or name != "bm1684x2"}
        if chip not in cores:
            found = _shown(chip) if chip else "not chosen"
            raise Error(f'{self.title}: the processor is {found}; it must be {choice(cores)}: init("BM1684X")')
        if self.arguments["num_core"] not in cores[chip]:
            self.fail("num_core", self.arguments["num_core"], f"{choice(cores[chip])} for {chip}")

    def modes(self):
        """Return the modes to lower to."""
        if "spec_op_mode" not in self.arguments:
            return ["int8"]
        self.one_of("mode", (*MODES, "all"))
        mode = self.arguments["mode"]
        return list(MODES) if mode == "all" else [mode]

    def modes_by_function(self):
        """Return spec_op_mode, checked: {function: mode}."""
        self.type("spec_op_mode", (dict, type(None)), 'a dict of functions and modes, such as {"conv": "f16"}')
        given = self.arguments["spec_op_mode"] or {}
        for function, mode in given.items():
            if not isinstance(mode, str) or mode.lower() not in MODES:
                self.fail(f'spec_op_mode["{function}"]', _shown(mode), choice(MODES))
        return {function: mode.upper() for function, mode in given.items()}

    def functions(self, known):
        """Check that the functions of spec_op_mode are among these: a misspelled one would have no effect."""
        for function in self.arguments["spec_op_mode"] or {}:
            if function not in known:
                similar = difflib.get_close_matches(str(function), known, 1)
                hint = f", such as {_shown(similar[0])}" if similar else ""
                self.fail("spec_op_mode", f"a dict with the key {_shown(function)}",
                          f"a dict of functions{hint}, or names of custom operators of the network, and modes")

    def tensors(self, argument, kind):
        """Return a list of tensors."""
        value = self.arguments[argument]
        if not isinstance(value, (list, tuple)):
            self.fail(argument, type(value).__name__, "a list of tensors", InvalidType)
        for i, tensor in enumerate(value):
            if not isinstance(tensor, kind):
                self.fail(f"{argument}[{i}]", type(tensor).__name__, "a tensor", InvalidType)
        return list(value)

    def not_computed(self, inputs, functions):
        """Check that no function computes an input; `functions` has those of computed tensors, by name."""
        for i, tensor in enumerate(inputs):
            if tensor.name in functions:
                self.fail(f"inputs[{i}]", f"{_shown(tensor.name)}, which {functions[tensor.name]} computes",
                          "a tensor that is declared with tpulang.Tensor(..)")

    def references(self):
        """Return refs: {name: array}."""
        self.type("refs", (dict, type(None)), "a dict of names and arrays")
        given = self.arguments["refs"] or {}
        for name in given:
            if not isinstance(name, str):
                self.fail("refs", f"a dict with the key {name!r}, {_class(name)}", "a dict of names and arrays", InvalidType)
        return given

    def references_of(self, inputs, outputs):
        """Return the references as arrays: those of these tensors, and others, as in TpuLang, with which nothing is compared."""
        import numpy as np
        ends, arrays = [tensor.name for tensor in (*inputs, *outputs)], {}
        for name, value in self.references().items():
            if name in ends:
                arrays[name] = self._reference(f'refs["{name}"]', value)
            else:
                arrays[name] = np.asarray(value)
                issue(UserWarning(f"{self.title}: refs has {_shown(name)}, which is neither an input nor an output; nothing is compared "
                                  f"with it. There are {', '.join(map(_shown, ends))}"))
        return arrays

    def _reference(self, argument, value):
        import numpy as np
        try:
            array = np.asarray(value)
        except (RuntimeError, TypeError, ValueError) as e:
            self.fail(argument, f"{_class(value)}, not an array ({e})", "an array of numbers", InvalidType)
        if isinstance(value, np.ma.MaskedArray):
            self.fail(argument, "a masked array", "array.filled(value) or array.data: the mask would be lost", InvalidType)
        if array.dtype.kind not in "biufV":
            self.fail(argument, f"an array of {array.dtype.name}", "an array of numbers", InvalidType)
        return array

    def fed(self, tensor, array):
        """Check the array to feed to an input."""
        if array is None:
            raise Error(f'{self.title}: input "{tensor.name}" has no data to run the network with; give it to Tensor(data=..) '
                        "or to refs, or switch off mlir_inference and bmodel_inference", function=self.call)
        shape = list(tensor.shape)
        if array.size and -1 not in shape and list(array.shape) != shape:
            self.fail(f'refs["{tensor.name}"]', f"of shape {list(array.shape)}", f"of shape {shape}")
