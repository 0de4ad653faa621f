"""tpu_mlir's programs, and how programs are run: within a time limit, after which nothing of them is left."""
import ctypes
import os
import re
import signal
import subprocess
import sys
import traceback

# How the project uses tpuc-opt.
FLAGS = ["--struct-optimize", "--shape-infer", "--canonicalize", "--extra-optimize"]
# Seconds that a command may take, and the exit status of one that takes longer.
LIMIT, TIMED_OUT = 300, 124
PR_SET_PDEATHSIG = 1
REASON = re.compile(r"error: .*|ASSERT INFO.*|Assertion .*|LLVM ERROR.*|\w+\.cpp:\d+:.*|^\w*Error:.*", re.M)


def run(*command, limit=LIMIT, **options):
    """Run a command like subprocess.run, and return what it returns. A command that exceeds the limit ends with TIMED_OUT."""
    command = [str(part) for part in command]
    # tpu_mlir's programs start others through a shell, so the whole group is killed.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, **options)
    try:
        out, errors = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        out, errors = end(process)
        status, errors = TIMED_OUT, "%s takes more than %g s\n%s" % (os.path.basename(command[0]), limit, errors)
    except BaseException:
        end(process)
        raise
    return subprocess.CompletedProcess(command, status, out, errors)


def end(process):
    """End a program and all that it has started; return what it has printed."""
    # `tpulang deploy` ends what it has started in groups of their own, if it is asked to end.
    end_group(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        pass
    end_group(process.pid)
    return process.communicate()


def end_group(pid, how=signal.SIGKILL):
    try:
        os.killpg(pid, how)
    except ProcessLookupError:
        pass


def call(*command, **options):
    """Return the exit status of a command, and all that it prints."""
    done = run(*command, **options)
    return done.returncode, done.stderr + done.stdout


def checked(*command, **options):
    """Return what a command prints; raise RuntimeError if it fails."""
    done = run(*command, **options)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(os.path.basename(str(part)) for part in command[:2]), reason(done)))
    return done.stdout


def reason(done):
    """Return why a command has failed, in one line if it says so in one."""
    printed = done.stderr + done.stdout
    found = REASON.search(printed)
    return found.group() if found else printed.strip()[-300:] or "exit status %d" % done.returncode


def forked(function, log, limit=60):
    """Call a function in a child process that prints to the file `log`. Return why it fails, or None if it succeeds."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setpgrp()
            # It ends with its parent, even one that is killed.
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(written, 1)
            os.dup2(written, 2)
            # It also ends code of C++ that hangs.
            signal.alarm(limit)
            function()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    try:
        status = os.waitpid(pid, 0)[1]
    finally:
        # What the child has started may still run.
        end_group(pid)
    if status == 0:
        return None
    with open(log, errors="replace") as lines:
        last = (lines.read().strip().splitlines() or ["no message"])[-1]
    return "signal %d: %s" % (os.WTERMSIG(status), last) if os.WIFSIGNALED(status) else last


class ToolChain:
    """tpu_mlir of this virtual environment, or of that with another Python."""

    def __init__(self, python=sys.executable):
        # The link is not resolved: the Python that it leads to does not find the packages.
        self.python = os.path.abspath(python)
        find = "import importlib.util; print(importlib.util.find_spec('tpu_mlir').origin)"
        self.site = os.path.dirname(checked(self.python, "-c", find).strip())
        self.opt = self.at("bin/tpuc-opt")
        venv = os.path.dirname(os.path.dirname(self.python))
        paths = [self.at("bin"), self.at("python/tools"), self.at("cross_toolchains/ppl_compile/bin"), os.path.join(venv, "bin")]
        libraries = [self.at("lib"), self.at("lib/third_party"), self.at("lib/capi")]
        # tpu_mlir compiles its own kernels with CMake on first use and caches them, failures included.
        cache = os.path.join(venv, "ppl_cache") + "/"
        os.makedirs(cache, exist_ok=True)
        self.env = dict(os.environ, PATH=joined(*paths, os.environ["PATH"]), PPL_CACHE_PATH=cache,
                        LD_LIBRARY_PATH=joined(*libraries, os.environ.get("LD_LIBRARY_PATH")))

    def at(self, path):
        return os.path.join(self.site, path)

    def with_modules(self, *more):
        """Return the environment of a Python that imports tpu_mlir's own modules, and those of more folders."""
        paths = [self.site, self.at("python"), self.at("lib"), os.path.dirname(self.site), *more]
        return dict(self.env, PYTHONPATH=joined(*paths, os.environ.get("PYTHONPATH")))

    def canonicalize(self, folder, source, out):
        """Run tpuc-opt on a file of the folder; return the exit status, and what it prints."""
        return call(self.opt, source, *FLAGS, "-o", out, cwd=folder, env=self.env)

    def tool(self, folder, name, *arguments, **options):
        """Run one of the tools that are written in Python, in a folder; raise RuntimeError if it fails."""
        checked(self.python, self.at("python/tools/%s.py" % name), *arguments, cwd=folder, **{"env": self.env, **options})


def joined(*paths):
    return os.pathsep.join(path for path in paths if path)
