"""The exceptions that tpulang raises, and its warnings."""
import os
import sys
import warnings


class Error(ValueError, AssertionError):
    """A mistake in a call, a graph or a file. It is also an AssertionError, which TpuLang raises.

    Attributes that do not apply are None:

    - ``function``: the function that was called: ``"conv"``.
    - ``call``: the index of the call in its graph, from 0.
    - ``output``: the name of the (first) output, if it was given.
    - ``argument``, ``found``, ``expected``: the argument that is wrong, its value, and what would be right.
    - ``operands``: for each tensor argument its name, the name of the tensor, and its shape and dtype.
    - ``file``, ``line``, ``column``, ``path``: the place in a file.
    - ``errors``: if there are several errors, each of them.
    """

    __module__ = "tpulang"
    function = call = output = argument = found = expected = None
    operands = errors = ()
    file = line = column = path = None

    def __init__(self, message="", **details):
        super().__init__(message)
        # The dict is what is pickled, but it does not hold Python's own attributes, such as errno.
        self.__dict__.update(details)
        for name, value in details.items():
            setattr(self, name, value)


class InvalidType(Error, TypeError):
    """A call with an unknown, missing or repeated argument, or with an object of a type that it does not take."""

    __module__ = "tpulang"


class FileError(Error, OSError):
    """A file could not be read or written. ``errno``, ``strerror`` and ``filename`` are those of an OSError."""

    __module__ = "tpulang"

    def __init__(self, message="", **details):
        if details.get("errno") is not None:
            details.setdefault("strerror", os.strerror(details["errno"]))
        if details.get("file") is not None:
            details.setdefault("filename", os.fspath(details["file"]))
        super().__init__(message, **details)

    def __str__(self):
        # That of OSError would be made of these attributes.
        return ValueError.__str__(self)


class DeviceError(Error, RuntimeError):
    """A device, its driver or its compiler is missing or has failed."""

    __module__ = "tpulang"


class ToolChainError(Error, RuntimeError):
    """A stage of TPU-MLIR's tool chain failed, or the tool chain is missing.

    ``stage`` is what was being done, and ``log`` the last lines that the tool chain printed.
    """

    __module__ = "tpulang"
    stage = None
    log = ""


class GraphWarning(UserWarning):
    """A network that is valid, but probably not what was meant.

    The message begins with the code, so ``warnings.filterwarnings("ignore", "unused-input")`` hides one kind of
    warning. ``tpulang explain CODE`` says more. Attributes that do not apply are None:

    - ``code``: the kind of warning: ``"unused-input"``.
    - ``function``, ``call``, ``output``: the call that it is about, as in `Error`.
    - ``file``, ``line``, ``column``, ``path``: the place in a file.
    """

    __module__ = "tpulang"
    code = function = call = output = None
    file = line = column = path = None

    def __init__(self, message="", **details):
        super().__init__(message)
        self.__dict__.update(details)


def warn(message, **details):
    """Issue a warning about a network."""
    issue(GraphWarning(message, **details))


def issue(warning):
    """Issue a warning at the line outside of this package that led here."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tpulang":
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
