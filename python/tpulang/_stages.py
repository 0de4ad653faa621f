"""The tool chain's stages after a network is written: canonical form, lowering, code generation, runs, comparisons.

This file does not import tpulang: where tpu_mlir is not installed in the running Python, it is run as a script by the
Python that has it, with the path of a job. A job is JSON:

- ``folder``: where the files are; ``log``: the file for the stages' output; ``quiet``: whether to show it as well;
- ``status``: the file that gets the title of the present stage and, if it fails, the reason;
- ``steps``: ``[title, stage, arguments]`` each;
- ``temporary``: folders to remove if the process that runs the script is killed; until then it holds the standard input open.
"""
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import zipfile

STARTED = "TPULANG_STAGES_STARTED"


class StageFailed(Exception):
    """A stage failed: its title, and the reason."""

    def __init__(self, title, reason):
        super().__init__(f"{title}: {reason}")
        self.title, self.reason = title, reason


def canonicalize(source, target, log_level):
    from tpu_mlir.python.utils.mlir_shell import mlir_opt_for_top
    mlir_opt_for_top(source, target, log_level=log_level)


def lower(source, target, **options):
    from tpu_mlir.python.utils.mlir_shell import mlir_lowering
    mlir_lowering(source, target, **options)


def generate(**options):
    from tpu_mlir.python.utils.mlir_shell import mlir_to_model
    mlir_to_model(**options)


def infer(model, inputs, outputs):
    """Run a module or a bmodel."""
    import numpy as np
    from tpu_mlir.python.tools.model_runner import mlir_inference, model_inference
    run = model_inference if model.endswith(".bmodel") else mlir_inference
    with np.load(inputs) as arrays:
        results = run(dict(arrays), model)
    save_arrays(outputs, results)


def save_arrays(path, arrays):
    """Write an npz as numpy.savez does, which takes no array of the name "file". The archive appears once it is complete."""
    import numpy as np
    with zipfile.ZipFile(path + ".part", "w") as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array))
    os.replace(path + ".part", path)


def compare(target, reference, tolerance):
    from tpu_mlir.python.tools.npz_tool import npz_compare
    npz_compare([target, reference, "--tolerance", tolerance, "-v"])


def combine(**arguments):
    from transform.TpuLang import bmodel_inference_combine
    return bmodel_inference_combine(**arguments)


STAGES = {f.__name__: f for f in (canonicalize, lower, generate, infer, compare, combine)}


@contextlib.contextmanager
def output_to(log, quiet):
    """Send what this process and its children print to a file and, if not quiet, on to the standard output.

    The file is read while it grows: a pipe would end only with the last child, and some outlive their stage.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    saved = os.dup(1), os.dup(2)
    ended = threading.Event()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
    reader = threading.Thread(target=follow, args=(log, None if quiet else saved[0], ended))
    reader.start()
    try:
        # sys.stdout may be an object of a notebook or a test runner.
        with open(1, "w", closefd=False) as out, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            yield
    finally:
        ended.set()
        reader.join()
        for fd, old in enumerate(saved, 1):
            os.dup2(old, fd)
            os.close(old)


def follow(path, to, ended):
    """Copy a growing file to a descriptor until it has ended."""
    if to is None:
        return
    with open(path, "rb") as f:
        while True:
            last = ended.wait(0.1)
            while data := f.read(1 << 16):
                os.write(to, data)
            if last:
                return


@contextlib.contextmanager
def working_in(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def note(job, **status):
    with open(job["status"], "w") as f:
        json.dump(status, f)


def run(job):
    """Run the steps of a job; return what the last one returns."""
    result = None
    with working_in(job["folder"]), output_to(job["log"], job["quiet"]):
        import tpu_mlir  # noqa: F401, sets the paths of the tool chain's programs and modules
        for title, stage, arguments in job["steps"]:
            note(job, stage=title)
            try:
                result = STAGES[stage](**arguments)
            except (Exception, SystemExit) as e:
                raise StageFailed(title, f"{type(e).__name__}: {e}") from e
    return result


def supervise(command, environment, folders):
    """Run a command and return its status. If the standard input ends before, remove the folders and end the session."""
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    while child.poll() is None:
        if select.select([0], [], [], 0.05)[0]:
            child.kill()
            child.wait()
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
            os.killpg(os.getpid(), signal.SIGKILL)
    return child.returncode


def main():
    with open(sys.argv[1]) as f:
        job = json.load(f)
    if STARTED not in os.environ:
        # The loader reads the library path, which tpu_mlir sets, only when a process starts.
        import tpu_mlir  # noqa: F401
        status = supervise([sys.executable, *sys.argv], {**os.environ, STARTED: "1"}, job["temporary"])
        if status < 0:
            os.kill(os.getpid(), -status)
        sys.exit(status)
    try:
        run(job)
    except StageFailed as e:
        note(job, stage=e.title, reason=e.reason)
        sys.exit(1)


if __name__ == "__main__":
    main()
