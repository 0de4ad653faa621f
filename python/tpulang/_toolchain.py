"""Finds TPU-MLIR's tool chain, and runs the stages of a job with it."""
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile

from tpulang import _stages
from tpulang._errors import Error, ToolChainError

VARIABLE = "TPULANG_TOOLCHAIN"
HOW_TO_GET = ("install it with Python 3.10 (python3.10 -m venv toolchain; toolchain/bin/pip install tpu_mlir==1.30.2 psutil "
              f"flatbuffers cmake), and set {VARIABLE}=$PWD/toolchain, or run this script with toolchain/bin/python")
LAST_LINES = 12


def find():
    """Return the Python that has the tool chain, or None."""
    if _package():
        return sys.executable
    place = os.environ.get(VARIABLE)
    if not place:
        return None
    python = os.path.join(place, "bin", "python") if os.path.isdir(place) else place
    if not os.path.isfile(python):
        raise Error(f"{VARIABLE} is {place}; it must be the folder of a virtual environment with tpu_mlir, or its python")
    return os.path.abspath(python)


def _package():
    """Return the specification of the package tpu_mlir, or None. A folder of that name without __init__.py is none."""
    found = importlib.util.find_spec("tpu_mlir")
    return found if found and found.origin else None


def is_here():
    """Return whether this process has the tool chain, and started with the path of its libraries."""
    found = _package()
    if not found or not os.path.exists("/proc/self/environ"):
        return False
    with open("/proc/self/environ", "rb") as f:
        first = dict(x.split(b"=", 1) for x in f.read().split(b"\0") if b"=" in x)
    libraries = os.path.join(os.path.dirname(found.origin), "lib")
    return os.fsencode(libraries) in first.get(b"LD_LIBRARY_PATH", b"").split(b":")


def run(call, steps, folder=".", quiet=False, is_temporary=False):
    """Run the steps; in this process if it has the tool chain.

    Another process that runs them ends when this one does, and removes a folder that is temporary.
    """
    python = find()
    if not python:
        raise ToolChainError(f"{call} needs TPU-MLIR's tool chain: {HOW_TO_GET}")
    with tempfile.TemporaryDirectory(prefix="tpulang-") as scratch:
        job = {"folder": os.path.abspath(folder), "steps": steps, "quiet": quiet,
               "log": os.path.join(scratch, "log"), "status": os.path.join(scratch, "status"),
               "temporary": [scratch, os.path.abspath(folder)] if is_temporary else [scratch]}
        if not is_here():
            return _run_there(call, python, job, os.path.join(scratch, "job"))
        try:
            return _stages.run(job)
        except _stages.StageFailed as e:
            raise _failure(call, job, e.title, e.reason) from e


def _run_there(call, python, job, path):
    with open(path, "w") as f:
        json.dump(job, f)
    environment = dict(os.environ, PATH=os.path.dirname(python) + os.pathsep + os.environ.get("PATH", ""))
    code, errors = _run_in_session([python, _stages.__file__, path], environment, job["quiet"])
    if code == 0:
        return None
    try:
        with open(job["status"]) as f:
            status = json.load(f)
    except OSError:
        status = {}
    reason = status.get("reason") or (f"ended by signal {-code}" if code < 0 else f"{python} ended with status {code}")
    raise _failure(call, job, status.get("stage", "starting the tool chain"), reason, errors)


def _run_in_session(command, environment, quiet):
    """Run a command in a session of its own; return its status, and if quiet what it wrote to the standard error.

    An exception, such as that of Ctrl-C, ends all processes of the session. The command does so if this process is killed, which
    ends its standard input.
    """
    output, errors = (subprocess.DEVNULL, subprocess.PIPE) if quiet else (None, None)
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=errors,
                          start_new_session=True) as child:
        try:
            written = child.stderr.read() if quiet else b""
            return child.wait(), written
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            raise


def _failure(call, job, stage, reason, errors=b""):
    """Return the error for a stage, with the last lines of its output."""
    text = ""
    if os.path.exists(job["log"]):
        with open(job["log"], errors="replace") as f:
            text = f.read()
    lines = (text or errors.decode(errors="replace")).rstrip().splitlines()[-LAST_LINES:]
    message = f"{call}: {stage} failed: {reason}"
    return ToolChainError(message + "".join("\n  | " + line for line in lines), stage=stage, log="\n".join(lines))
