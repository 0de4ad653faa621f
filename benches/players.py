"""The programs that compare.py measures: tpulang, and the peers, each in a process of its own."""
import json
import os
import statistics
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.append(ROOT)
from conformance.peer import checked

RTEN = os.path.join(ROOT, "target", "rten", "release", "tpulang-bench-rten")
# Seconds of one answer of a program.
LIMIT = 1800
# Starting them several times takes long, or tells nothing: see peers.py.
STARTED_ONCE = {"torch", "pymlir"}


class Ours:
    """`tpulang bench`, started for each round."""

    def __init__(self, binary, model, folder, threads):
        self.command = [binary, "bench", model, "-i", os.path.join(folder, "inputs.npz"), "-j", str(threads), "--json"]
        self.outputs, self.remark = os.path.join(folder, "outputs_ours.npz"), ""
        # Those of the last of several runs, as they are timed.
        checked(*self.command, "--repeat", "1", "--output", self.outputs, limit=LIMIT)
        self.first, self.peaks = [], []

    def measure(self, runs):
        figures = json.loads(checked(*self.command, "--repeat", runs, limit=LIMIT))
        self.first.append(figures["first_ms"])
        if "private_bytes" in figures:
            self.peaks.append(figures["private_bytes"])
        return figures["median_ms"]

    def end(self):
        pass


class Peer:
    """Another program. One process of it runs all rounds; to repeat the first result, others run before. `limits` are environment
    variables."""

    def __init__(self, pymlir, kind, files, threads, starts, limits):
        python = pymlir if kind == "pymlir" else sys.executable
        command = [RTEN, files.folder]
        if kind != "rten":
            command = [python, os.path.join(HERE, "peers.py"), kind, files.name, files.folder, str(threads)]
        environment = {**os.environ, "RTEN_NUM_THREADS": str(threads), **limits}
        self.log, self.first, self.peaks = open(os.path.join(files.folder, "%s.log" % kind), "w"), [], []
        for start in range(1 if kind in STARTED_ONCE else starts):
            if start:
                self.close()
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
            ready = self.hear()
            self.first += [ready["first_ms"]] if ready.get("first_ms") else []
        self.problem, self.version = ready.get("problem"), ready.get("version")
        self.outputs, self.remark = ready.get("outputs"), ready.get("remark", "")

    def hear(self):
        # It ends the reading, too, if there is no answer.
        timer = threading.Timer(LIMIT, self.process.kill)
        timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        return json.loads(line) if line else {"problem": "it ended, exit code %s" % self.process.wait()}

    def measure(self, runs):
        try:
            self.process.stdin.write("%d\n" % runs)
            self.process.stdin.flush()
        except BrokenPipeError:
            # What it hears then says so.
            pass
        heard = self.hear()
        if "ms" not in heard:
            raise RuntimeError("a peer stopped: %s, see %s" % (heard, self.log.name))
        # The last is the peak of all runs.
        self.peaks = [heard["private_bytes"]] if heard.get("private_bytes") else []
        return statistics.median(heard["ms"])

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def end(self):
        self.close()
        self.log.close()


def machine(threads, limits):
    """Return the speed of a large product and a large copy, with the instructions that the programs are limited to."""
    return json.loads(checked(sys.executable, os.path.join(HERE, "peers.py"), "machine", "-", "-", threads, env={**os.environ, **limits}))
