#!/usr/bin/env python3
"""Compares the speed of whole models and single operators on a GPU with PyTorch and with the card's limits, in one run.

    gpu.py --bin TPULANG [--minutes N] [--tf32] [--precision f16] [--only REGEX] [--no-compile] [--out FILE.md]
    gpu.py --bin TPULANG --small             on small networks, to test the benchmark: its figures are noise
    gpu.py --bin TPULANG --device cpu        the same without a GPU

Needs Python with numpy, and PyTorch for everything except tpulang's own times. Outputs are compared first: a program further
than 1e-3 (relative L2; 2e-2 with --tf32 or float16) from PyTorch's eager run in float32 (without PyTorch, from tpulang on
the CPU) is not timed, and the exit code is 1; also if tpulang fails. Then the programs take turns for --rounds of --seconds
each; the result is the median of the rounds' medians. torch.compile comes last, for all networks, because it takes longest. The
report, FILE.md and FILE.json, is rewritten after each network; networks left when the minutes are over are listed in it.
"""
import argparse
import collections
import datetime
import functools
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

import gpu_report
from compare import archive_error
from gpu_networks import networks
from net import Net

# compare.py has made this path known.
from conformance.peer import run

HERE = os.path.dirname(os.path.abspath(__file__))
LOOSE = 2e-2
# Time limit of one request in seconds, including the compilation of kernels.
LIMIT = 180
COPIES = ("pageable", "pinned")
LEAST_RUNS, MOST_RUNS = 10, 500
# Number of steps kept from a profile, longest first.
KEPT_STEPS = 40


class Failed(Exception):
    pass


def time_left(a):
    """Return the seconds that a step may take: steps that begin shortly before the end must be short."""
    return max(30, min(LIMIT, a.deadline + 30 - time.time()))


def said_by(command, limit=LIMIT):
    p = run(*command, limit=limit)
    if p.returncode:
        raise Failed("exit code %d: %s" % (p.returncode, " ".join((p.stderr or p.stdout).split())[-500:]))
    return p.stdout


class Ours:
    """The command, started once per request."""

    def __init__(self, a, folder):
        self.a, self.folder, self.runs = a, folder, LEAST_RUNS
        self.copies, self.first, self.on_device = [], [], False
        self.given = [os.path.join(folder, "net.json"), "-i", os.path.join(folder, "inputs.npz")]

    def run(self, device, name, *more):
        """Run the network; return the path of the outputs, and the printed text."""
        path = os.path.join(self.folder, name)
        return path, said_by([self.a.bin, "run", *self.given, "-o", path, "-d", device, *more], time_left(self.a))

    def outputs(self, remarks):
        """Run the network, with a profile if available."""
        begun = time.time()
        try:
            path, said = self.run(self.a.device, "outputs_ours.npz", *self.a.flags, "--profile=json")
            profile = json.loads(said)
        except (Failed, ValueError) as e:
            remarks["profile"] = str(e)
            path, profile = self.run(self.a.device, "outputs_ours.npz", *self.a.flags)[0], None
        self.cold_s = time.time() - begun
        return path, profile

    def bench(self, *more):
        said = said_by([self.a.bin, "bench", *self.given, "-d", self.a.device, *self.a.flags, "--json", "--repeat", str(self.runs), *more], time_left(self.a))
        return json.loads(said)

    def repeated_outputs(self):
        """Return the outputs of the last of several runs, if available: unlike the first run, it is replayed."""
        path = os.path.join(self.folder, "outputs_repeated.npz")
        self.bench("--output", path)
        return path

    def measure(self):
        figures = self.bench()
        self.first.append(figures["first_ms"])
        self.copies.append(figures["median_ms"])
        self.on_device = "device_ms" in figures
        self.runs = max(LEAST_RUNS, min(MOST_RUNS, int(self.a.seconds * 1e3 / max(figures["median_ms"], 1e-3))))
        return figures.get("device_ms", figures["median_ms"])


class Torch:
    """gpu_torch.py, restarted after a failure."""

    def __init__(self, a):
        self.a, self.process, self.log = a, None, open(os.path.join(a.work, "torch.log"), "w")
        self.about = {}
        self.start()

    def start(self):
        self.end()
        options = [("--small", self.a.small), ("--tf32", self.a.tf32), ("--half", self.a.half)]
        command = [sys.executable, os.path.join(HERE, "gpu_torch.py"), self.a.device, *(o for o, wanted in options if wanted)]
        # A separate session, so that the compiler's processes end with it.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, start_new_session=True)
        self.about = self.hear(LIMIT)

    def hear(self, limit):
        # On timeout the writer is killed, which ends the read.
        timer = threading.Timer(limit, self.kill)
        timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        return json.loads(line) if line else {"problem": "PyTorch's process ended, or took more than %d s: see %s" % (limit, self.log.name)}

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def ask(self, do, **what):
        limit = time_left(self.a)
        try:
            self.process.stdin.write(json.dumps(dict(what, do=do)) + "\n")
            self.process.stdin.flush()
            heard = self.hear(limit)
        except OSError as e:
            heard = {"problem": "PyTorch's process ended: %s" % e}
        if "problem" in heard:
            raise Failed(heard["problem"])
        return heard

    def measure(self, form):
        return self.ask("measure", form=form, seconds=self.a.seconds)["ms"]

    def drop(self, remarks):
        """Prepare for the next network; after a CUDA error the process cannot be used again."""
        own = [text for who, text in remarks.items() if who in (*gpu_report.FORMS, *COPIES)]
        try:
            if any("CUDA" in text or "process" in text for text in own):
                raise Failed("broken")
            self.ask("drop")
        except Failed:
            self.start()

    def end(self):
        if self.process:
            self.kill()
            self.process.wait()
            self.process.stdout.close()
            try:
                self.process.stdin.close()
            except OSError:
                # The unwritten remainder is not needed.
                pass


def measured(a, torch, name, case):
    """Return one row: the programs and their measurements."""
    net, folder = case.make(), os.path.join(a.work, name)
    if a.half:
        net.half()
    row = {"name": name, "group": case.group, "ms": {}, "copies": {}, "rounds": {}, "errors": {}, "remarks": {}}
    net.write_spec(folder)
    try:
        play(a, torch, net, folder, row)
    finally:
        if torch:
            torch.drop(row["remarks"])
        if not a.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return row


def play(a, torch, net, folder, row):
    ours, players = Ours(a, folder), {}
    reference = torch_forms(a, torch, folder, row, players)
    try:
        path, profile = ours.outputs(row["remarks"])
        reference = reference or ours.run("cpu", "outputs_cpu.npz")[0]
        if agrees(a, row, "tpulang", archive_error(path, reference)) and repeats(a, row, ours, reference):
            players["tpulang"] = ours.measure
        describe(a, row, net, reference, profile, ours)
    except Failed as e:
        row["remarks"]["tpulang"] = str(e)
    take_turns(a, players, row)
    conclude(row, ours)


def torch_forms(a, torch, folder, row, players):
    """Return the path of the reference outputs; only forms that reproduce them are timed."""
    if not torch:
        return None
    path = os.path.join(folder, "outputs_torch.npz")
    try:
        loaded = torch.ask("load", name=row["name"], path=path)
    except Failed as e:
        row["remarks"]["eager"] = str(e)
        return None
    row["remarks"].update(loaded["remarks"])
    for form, error in loaded["errors"].items():
        if agrees(a, row, form, error):
            players[form] = functools.partial(torch.measure, form)
    if "eager" in players and ("graphs" in players or "graphs" not in loaded["errors"]):
        players.update({how: functools.partial(torch.measure, how) for how in (COPIES if a.gpu else COPIES[:1])})
    return path


def repeats(a, row, ours, reference):
    return not a.gives_outputs or agrees(a, row, "tpulang", archive_error(ours.repeated_outputs(), reference))


def agrees(a, row, who, error):
    row["errors"][who] = "%.1e" % error
    if error <= a.tolerance:
        return True
    row["remarks"][who] = "other numbers (%.1e)" % error
    return False


def describe(a, row, net, reference, profile, ours):
    """Record the operations and bytes that any kernel needs, and the time by step."""
    with np.load(reference) as results:
        written = sum(results[n].size for n in results.files) * (2 if a.half else 4)
    row["bytes"], row["cold_s"] = net.read() + written, ours.cold_s
    if profile:
        steps = sorted(profile["steps"], key=lambda s: -s["ms"])
        row["operations"] = sum(s["operations"] for s in steps)
        row["profile"] = {"ms": profile["ms"], "steps": len(steps), "kinds": profile["kinds"], "longest": steps[:KEPT_STEPS]}


def take_turns(a, players, row):
    order = collections.deque(players)
    for _ in range(a.rounds):
        for who in [w for w in order if w in players]:
            try:
                row["rounds"].setdefault(who, []).append(players[who]())
            except Failed as e:
                row["remarks"][who] = str(e)
                row["rounds"].pop(who, None)
                del players[who]
        order.rotate(1)


def conclude(row, ours):
    medians = {who: statistics.median(times) for who, times in row["rounds"].items()}
    row["copies"] = {how: medians.pop(how) for how in COPIES if how in medians}
    row["ms"] = medians
    if "tpulang" in medians:
        row["copies"]["tpulang"] = statistics.median(ours.copies)
        row.update(first_ms=statistics.median(ours.first), on_device=ours.on_device)


def compile_too(a, torch, row):
    """Measure TorchInductor's form of a network."""
    try:
        made = torch.ask("compile_it", name=row["name"])
        row["remarks"].update(made["remarks"])
        if "compile" in made["errors"] and agrees(a, row, "compile", made["errors"]["compile"]):
            row["rounds"]["compile"] = [torch.measure("compile") for _ in range(a.rounds)]
            row["ms"]["compile"] = statistics.median(row["rounds"]["compile"])
    except Failed as e:
        row["remarks"]["compile"] = str(e)
    torch.drop(row["remarks"])


def safely(row, what, *given):
    """Record the error of a network that cannot be measured in its row."""
    try:
        return what(*given)
    except Exception as e:
        row["remarks"]["all"] = "%s: %s" % (type(e).__name__, e)
        return row


def show(row):
    parts = ["%s %.3f" % item for item in row["ms"].items()] + ["%s: %s" % item for item in row["remarks"].items()]
    print("%-26s %s" % (row["name"], "  ".join(parts)), flush=True)


def driver():
    """Return the first card, from nvidia-smi or the driver."""
    fields = "name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,power.limit"
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=" + fields, "--format=csv,noheader"], capture_output=True, text=True, timeout=60)
        if said.returncode == 0:
            return dict(zip(fields.split(","), (s.strip() for s in said.stdout.splitlines()[0].split(","))))
    except (OSError, IndexError, subprocess.TimeoutExpired):
        pass
    try:
        with open("/proc/driver/nvidia/version") as f:
            return {"driver_version": f.readline().strip()}
    except OSError:
        return {}


def flags_of(a):
    """Return the options of the tpulang command."""
    wanted = [f for f, given in [(["--tf32"], a.tf32), (["--precision", "f16"], a.half)] if given and a.gpu]
    helps = {command: said_by([a.bin, command, "--help"]) for command in ("run", "bench")}
    for flag in wanted:
        for command, text in helps.items():
            if flag[0] not in text:
                sys.exit("%s %s has no %s" % (a.bin, command, flag[0]))
    a.gives_outputs = "--output" in helps["bench"]
    return sum(wanted, [])


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--device", default="cuda", help="cuda, cuda:1 .., or cpu")
    ap.add_argument("--minutes", type=float, default=20)
    ap.add_argument("--only", default=".*", help="regular expression that matches full names of networks")
    ap.add_argument("--tf32", action="store_true", help="allow TF32 for float32 products, in both programs")
    ap.add_argument("--precision", choices=["f32", "f16"], default="f32")
    ap.add_argument("--small", action="store_true", help="small networks; the default on the CPU")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--seconds", type=float, default=0.3, help="per program and round")
    ap.add_argument("--no-torch", action="store_true")
    ap.add_argument("--no-compile", action="store_true", help="without torch.compile")
    ap.add_argument("--compile-each", action="store_true", help="torch.compile after each network, not after all of them")
    ap.add_argument("--keep", action="store_true", help="the networks' files")
    ap.add_argument("--work", default="build/bench/gpu")
    ap.add_argument("--out", default="build/bench/gpu.md")
    a = ap.parse_args()
    a.bin, a.work = os.path.abspath(a.bin), os.path.abspath(a.work)
    a.gpu, a.half = a.device != "cpu", a.precision == "f16"
    a.small, a.tolerance = a.small or not a.gpu, LOOSE if a.tf32 or a.half else Net.tolerance
    a.deadline, a.flags = time.time() + 60 * a.minutes, flags_of(a)
    return a


def begin(a):
    """Start PyTorch, if it is installed, and collect the facts of the machine."""
    told = {"machine": platform.platform(), "date": datetime.date.today().isoformat(), "device": a.device, "small": a.small,
            "tf32": a.tf32, "half": a.half, "rounds": a.rounds, "seconds": a.seconds, "tolerance": a.tolerance, "minutes": a.minutes,
            "tpulang": said_by([a.bin, "--version"]).split()[-1], "driver": driver(), "ceilings": None, "rows": [], "skipped": []}
    torch = None if a.no_torch else Torch(a)
    told["torch"] = torch.about if torch else {"problem": "not asked for"}
    if "problem" in told["torch"]:
        print("without PyTorch: " + told["torch"]["problem"], flush=True)
        return None, told
    try:
        told["ceilings"] = torch.ask("ceilings")
    except Failed as e:
        told["torch"]["ceilings"] = str(e)
        torch.start()
    print("%s" % (told["ceilings"] or "no ceilings"), flush=True)
    return torch, told


def all_networks(a, torch, told, chosen):
    for name, case in chosen.items():
        if time.time() > a.deadline:
            told["skipped"].append(name)
            continue
        row = {"name": name, "group": case.group, "ms": {}, "copies": {}, "remarks": {}}
        row = safely(row, measured, a, torch, name, case)
        told["rows"].append(row)
        if torch and a.compile_each:
            safely(row, compile_too, a, torch, row)
        show(row)
        gpu_report.write(a.out, told)
    if torch and not (a.no_compile or a.compile_each):
        for row in told["rows"]:
            if time.time() > a.deadline:
                row["remarks"]["compile"] = "no time was left"
                continue
            safely(row, compile_too, a, torch, row)
            show(row)
            gpu_report.write(a.out, told)
    gpu_report.write(a.out, told)


def wrong(rows):
    serious = lambda who, text: who in ("tpulang", "all") or text.startswith("other numbers")
    return ["%s: %s: %s" % (r["name"], who, text) for r in rows for who, text in r["remarks"].items() if serious(who, text)]


def main():
    a = arguments()
    chosen = {n: c for n, c in networks(a.small).items() if re.fullmatch(a.only, n)}
    if not chosen:
        sys.exit("--only %s: no network has such a name; there are %s" % (a.only, ", ".join(networks())))
    for folder in (a.work, os.path.dirname(os.path.abspath(a.out))):
        os.makedirs(folder, exist_ok=True)
    # If this script is stopped, PyTorch's process ends too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    torch, told = begin(a)
    told["unwanted"] = [n for n in networks(a.small) if n not in chosen]
    try:
        all_networks(a, torch, told, chosen)
    finally:
        if torch:
            torch.end()
    print(a.out)
    if wrong(told["rows"]):
        sys.exit("wrong:\n" + "\n".join(wrong(told["rows"])))


if __name__ == "__main__":
    main()
