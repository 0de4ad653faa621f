"""The programs that compare.py measures: tpulang, and the peers, each in a process of its own."""
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RTEN = "target/rten/release/tpulang-bench-rten"
# Starting them several times takes long, or tells nothing: see peers.py.
STARTED_ONCE = {"torch", "pymlir"}


class Ours:
    """`tpulang bench`, started for each round."""

    def __init__(self, binary, model, folder, threads):
        self.command = [binary, "bench", model, "-i", os.path.join(folder, "inputs.npz"), "-j", str(threads), "--json"]
        self.outputs, self.remark = os.path.join(folder, "outputs_ours.npz"), ""
        self.first, self.peaks = [], []

    def measure(self, runs):
        figures = json.loads(said_by(self.command + ["--repeat", str(runs)]))
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
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"problem": "it ended, exit code %s" % self.process.wait()}

    def measure(self, runs):
        self.process.stdin.write("%d\n" % runs)
        self.process.stdin.flush()
        heard = self.hear()
        if "ms" not in heard:
            raise RuntimeError("a peer stopped: %s, see %s" % (heard, self.log.name))
        # The last is the peak of all runs.
        self.peaks = [heard["private_bytes"]] if heard.get("private_bytes") else []
        return statistics.median(heard["ms"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def end(self):
        self.close()
        self.log.close()


def said_by(command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), (p.stderr or p.stdout)[-1000:]))
    return p.stdout


def machine(threads):
    """Return the speed of a large product and a large copy."""
    return json.loads(said_by([sys.executable, os.path.join(HERE, "peers.py"), "machine", "-", "-", str(threads)]))
