"""Writes the measurements of compare.py as Markdown and SVG.

    report.py FILE.md     writes it again, from FILE/*.json and, if it exists, the FILE/build.txt of build_convert.py

There is one JSON file for each kind of machine: {"runs": [..]}, the oldest run first.
"""
import glob
import json
import os
import statistics
import sys

from picture import picture

TITLES = {"tpulang": "tpulang", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "rten": "rten", "tract": "tract", "torch": "PyTorch", "pymlir": "pymlir"}
PEERS = [kind for kind in TITLES if kind != "tpulang"]
INSTRUCTIONS = {"avx2": "AVX2", "avx512": "AVX-512", "amx": "AVX-512 and AMX"}
KINDS = [(True, "Whole models"), (False, "Single operators")]
# A ratio to onnxruntime below this is named under its table.
GOALS = {True: 1.0, False: 0.8}
# Whole models that take longer than this on one thread, in milliseconds, are named if two threads are less than this much faster.
LONG, TWICE = 10, 1.8
INTRODUCTION = """\
- **Models**: float32, batch 1. A number in a name is the sequence length; images are 224 x 224. `qwen2_*` is one decoder layer, `deeplab` is
  DeepLabV3 on ResNet-50, `unet` has half of the usual channels, `r3d_18` reads 8 frames of 112 x 112, `hifigan` has a quarter of the usual
  channels and produces 16384 samples, `quartznet` reads 6 seconds of speech, and `lstm` and `gru` have 2 layers of 512 for 128 steps.
  `*_int8` are quantized by onnxruntime's quantizer, to 8-bit activations and 7-bit weights: with QuantizeLinear and DequantizeLinear,
  with operators of integers such as QLinearConv (`_operators`), or as products of operands that are quantized in each run (`_dynamic`).
  `_columns` has a scale for each column of a matrix, and `_int4` weights of 4 bits (MatMulNBits).
- **Method**: the programs take turns within a run of `make bench`. All of them may repack weights when they load a network.
- **In brackets**: the program's time divided by tpulang's. Above 1, tpulang is faster. Of several runs, the lowest and the highest.
- **Of 1 thread**: the speed of several threads divided by that of one. The two are measured at different times, so other load changes it.
- **Of the peak**: the machine's least possible time (all operations at its peak, or inputs, weights and outputs moved once) divided by
  tpulang's. Above 100 %, other load slowed the peak's own measurement.
- **First result**: for tpulang, from the start of its process to its first result. For the others, loading the network and running it once
  in a fresh process: without starting Python, importing modules and reading the inputs.
- **Peak memory**: the peak resident memory of the process without mapped files, such as its code. For the others, less what the process
  had before inputs and network were loaded."""


def keep(page, told, again):
    """Add the run to the file of its kind of machine, in the page's folder; drop former measurements of its networks unless `again`."""
    path = os.path.join(os.path.splitext(page)[0], told["instructions"] + ".json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    former = read(path) if os.path.exists(path) else []
    if not again:
        names = {row["name"] for row in told["rows"]}
        others = [{**run, "rows": [row for row in run["rows"] if row["name"] not in names]} for run in former]
        former = [run for run in others if run["rows"]]
    with open(path, "w") as f:
        f.write('{"runs": [\n%s\n]}\n' % ",\n".join(compact(run) for run in [*former, told]))


def compact(run):
    """Return the run as JSON, with one line for each row."""
    head = json.dumps({k: v for k, v in run.items() if k != "rows"})
    return '%s, "rows": [\n%s\n]}' % (head[:-1], ",\n".join(json.dumps(r) for r in run["rows"]))


def read(path):
    with open(path) as f:
        return json.load(f)["runs"]


def write(path):
    base = os.path.splitext(path)[0]
    kinds = {os.path.splitext(os.path.basename(p))[0]: Machine(read(p)) for p in sorted(glob.glob(os.path.join(base, "*.json")))}
    for kind, machine in kinds.items():
        with open(os.path.join(base, kind + ".svg"), "w") as f:
            f.write(picture(machine.rows, TITLES))
    with open(path, "w") as f:
        f.write(page(base, kinds))


def least_ms(row, peak):
    """Return the least time the machine allows: peak arithmetic, or moving inputs, weights and outputs once."""
    return max(row["operations"] / peak["gflops"], row["bytes"] / peak["gbs"]) / 1e6


def ratio(row, peer, of="ms"):
    """Return the peer's time, or another measurement, divided by tpulang's."""
    found = row.get(of, {})
    return found[peer] / found["tpulang"] if peer in found and "tpulang" in found else None


class Machine:
    """The runs on one kind of machine; each of `rows` stands for those of all runs with its name and number of threads."""

    def __init__(self, runs):
        self.last, self.runs, groups = runs[-1], runs, {}
        for run in runs:
            for row in run["rows"]:
                groups.setdefault((row["name"], row["threads"]), []).append((row, run["peaks"][str(row["threads"])]))
        # Networks that were measured anew keep their places.
        order = {row["name"]: i for i, row in enumerate(max((run["rows"] for run in runs), key=len))}
        self.rows = sorted((merged(group) for group in groups.values()), key=lambda row: order.get(row["name"], len(order)))
        self.threads = sorted({r["threads"] for r in self.rows})

    def versions(self):
        return {kind: version for run in self.runs for kind, version in run["versions"].items()}

    def measured(self, models, title):
        """Return how often and when the networks of a kind were measured, or `None` if they were not."""
        runs = [run for run in self.runs if any(row["model"] == models for row in run["rows"])]
        if not runs:
            return None
        last, times = runs[-1], {1: "once", 2: "twice"}.get(len(runs), "%d times" % len(runs))
        return "%s %s, last on %s (medians of %s of %g s)" % (title.lower(), times, last["date"], counted(last["rounds"], "round"), last["seconds"])

    def of(self, models, threads):
        return [r for r in self.rows if r["model"] == models and r["threads"] == threads]


def merged(group):
    """Return a row with medians, and with the ratios of each run."""
    rows = [row for row, _ in group]
    ratios = {p: sorted(x for x in (ratio(r, p) for r in rows) if x is not None) for p in PEERS}
    # The peak is measured on floats.
    shares = [] if "_int" in rows[0]["name"] else [least_ms(r, peak) / r["ms"]["tpulang"] for r, peak in group if "tpulang" in r["ms"]]
    return {**rows[-1], **{key: medians(rows, key) for key in ("ms", "first_ms", "private_bytes")}, "ratios": ratios,
            "share": statistics.median(shares) if shares else None}


def medians(rows, key):
    """Return the medians of a measurement, by program."""
    found = {}
    for row in rows:
        for kind, value in row.get(key, {}).items():
            found.setdefault(kind, []).append(value)
    return {kind: statistics.median(values) for kind, values in found.items()}


def number(value, form="%.2f"):
    return "-" if value is None else form % value


def time(ms):
    return "-" if ms is None else "%.0f" % ms if ms >= 100 else "%.3g" % ms


def mebibytes(size):
    return number(size and size / 2 ** 20, "%.0f")


def span(ratios):
    """Return the lowest and highest ratio, as one if they are equal."""
    shown = ["%.2f" % x for x in ratios[:1] + ratios[-1:]]
    return "-" if not shown else shown[0] if shown[0] == shown[-1] else "%s to %s" % tuple(shown)


def cell(row, peer):
    return "%s (%s)" % (time(row["ms"][peer]), span(row["ratios"][peer])) if peer in row["ms"] else "-"


def scaling(rows, machine):
    """Return, by name, the time on one thread divided by that on the threads of these rows."""
    of_one = {r["name"]: r["ms"].get("tpulang") for r in machine.rows if r["threads"] == 1}
    several = {r["name"]: r["ms"].get("tpulang") for r in rows if r["threads"] > 1}
    return {name: of_one[name] / ms for name, ms in several.items() if ms and of_one.get(name)}


def table(rows, models, machine):
    peers = [p for p in PEERS if any(p in r["ms"] for r in rows)]
    by_name = scaling(rows, machine) if models else {}
    heads = ["", "tpulang ms", *(TITLES[p] + " ms" for p in peers), *(["of 1 thread"] if by_name else []), "of the peak"]
    heads += ["first result ms", "onnxruntime's", "peak MiB", "onnxruntime's"] if models else []
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    for r in rows:
        cells = [r["name"], time(r["ms"].get("tpulang")), *(cell(r, p) for p in peers)]
        cells += [number(by_name.get(r["name"]))] if by_name else []
        cells += [number(r["share"] and 100 * r["share"], "%.0f%%")]
        if models:
            cells += [time(r["first_ms"].get(p)) for p in ("tpulang", "onnxruntime")]
            cells += [mebibytes(r["private_bytes"].get(p)) for p in ("tpulang", "onnxruntime")]
        lines.append(cells)
    return joined(lines)


def joined(lines):
    return "\n".join("| %s |" % " | ".join(cells) for cells in lines)


def behind(rows, models, machine):
    """Return lines that name the rows in which tpulang misses a goal, with onnxruntime's measurement divided by tpulang's."""
    goals = [("ms", "Speed below %.1f of onnxruntime's" % GOALS[models], GOALS[models]),
             ("first_ms", "First result later than onnxruntime's", 1.0), ("private_bytes", "More memory than onnxruntime", 1.0)]
    parts = []
    for key, title, goal in goals:
        # Of several runs, the slowest counts.
        found = [(min(r["ratios"]["onnxruntime"], default=None) if key == "ms" else ratio(r, "onnxruntime", key), r["name"]) for r in rows]
        known = sorted((x, name) for x, name in found if x is not None)
        if known:
            missed = ["%s %.2f" % (name, x) for x, name in known if x < goal]
            parts.append("%s: %s." % (title, ", ".join(missed) or "none"))
    by_name = scaling([r for r in rows if models and r["threads"] == 2], machine)
    long = {r["name"] for r in machine.rows if r["threads"] == 1 and r["ms"].get("tpulang", 0) > LONG}
    if by_name:
        missed = ["%s %.2f" % (name, x) for x, name in sorted((x, name) for name, x in by_name.items()) if x < TWICE and name in long]
        parts.append("Less than %.1f times as fast as on 1 thread, of those that take more than %d ms: %s." % (TWICE, LONG, ", ".join(missed) or "none"))
    return "  \n".join(parts)


def side_by_side(kinds, models):
    """Return the ratios to onnxruntime on each kind of machine."""
    columns = [(kind, machine, t) for kind, machine in kinds.items() for t in machine.threads]
    names = list({r["name"]: 0 for machine in kinds.values() for r in machine.rows if r["model"] == models})
    lines = [["", *("%s, %s" % (titled(kind), counted(t)) for kind, _, t in columns)], ["---"] + ["---:"] * len(columns)]
    cells = {(kind, t, r["name"]): span(r["ratios"]["onnxruntime"]) for kind, machine, t in columns for r in machine.of(models, t)}
    lines += [[name, *(cells.get((kind, t, name), "-") for kind, _, t in columns)] for name in names]
    return joined(lines)


def titled(kind):
    return INSTRUCTIONS.get(kind, kind)


def whole_models(kinds):
    """Return one sentence for each kind of machine: range and mean of the ratios to onnxruntime, by number of threads."""
    sentences = []
    for kind, machine in kinds.items():
        parts = []
        for threads in machine.threads:
            found = [statistics.geometric_mean(r["ratios"]["onnxruntime"]) for r in machine.of(True, threads) if r["ratios"]["onnxruntime"]]
            if found:
                parts.append("%.2f to %.2f times onnxruntime's speed (geometric mean %.2f) on %s" % (min(found), max(found), statistics.geometric_mean(found), counted(threads)))
        if parts:
            sentences.append("With %s, whole models run at %s." % (titled(kind), ", and at ".join(parts)))
    if sentences:
        sentences.append("Each model counts with the mean of its runs; the tables have the lowest and the highest.")
    return "\n".join(sentences)


def counted(number, what="thread"):
    return "%s %s%s" % (number, what, "" if int(number) == 1 else "s")


def section(base, kind, machine):
    """Return the details of one kind of machine."""
    told = machine.last
    versions = ", ".join("%s %s" % (TITLES[k], v) for k, v in machine.versions().items())
    peaks = "; ".join("%s: %.0f GFLOP/s (2048 x 2048 product by %s), %.1f GB/s (copy of 256 MB, reads and writes)" % (counted(t), p["gflops"], TITLES[p["by"]], p["gbs"]) for t, p in told["peaks"].items())
    vnni = {True: ", with VNNI", False: ", without VNNI"}.get(told.get("vnni"), "")
    lines = [
        "- **Machine**: %s%s, %s cores, %s, shared with other work." % (told["machine"], vnni, told["cores"], told["system"]),
        "- **Versions**: %s." % versions,
        "- **Measured**: %s." % "; ".join(filter(None, (machine.measured(*kind) for kind in KINDS))),
        "- **Peaks**: %s." % peaks,
    ]
    if told.get("limited"):
        lines.append("- **Limited**: the processor has AVX-512, too. `TPULANG_INSTRUCTIONS` kept tpulang from using it, and benches/limited.py the others.")
    parts = ["## %s" % titled(kind), "\n".join(lines), "![Ratios](%s/%s.svg)" % (os.path.basename(base), kind)]
    if told["quick"]:
        parts.insert(1, "**A quick run to test the benchmarks: its figures are noise.**")
    for models, title in KINDS:
        for threads in machine.threads:
            rows = machine.of(models, threads)
            if rows:
                parts += ["### %s, %s, %s" % (title, titled(kind), counted(threads)), table(rows, models, machine), behind(rows, models, machine)]
    refused = ["- %s, %s, %s: %s" % (r["name"], counted(r["threads"]), TITLES[k], shortened(v)) for r in machine.rows for k, v in r["remarks"].items() if v not in ("frozen", "eager")]
    parts += ["### Left out, %s" % titled(kind), "\n".join(refused)] if refused else []
    return parts


def shortened(text, most=200):
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + " .."


def page(base, kinds):
    parts = ["# Performance", whole_models(kinds), INTRODUCTION]
    for models, title in KINDS:
        if any(r["model"] == models for machine in kinds.values() for r in machine.rows):
            parts += ["## %s" % title, "onnxruntime's time divided by tpulang's:", side_by_side(kinds, models)]
    for kind, machine in kinds.items():
        parts += section(base, kind, machine)
    remarks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "remarks.md")
    for path in (os.path.join(base, "build.txt"), os.path.join(base, "calibration.txt"), remarks):
        if os.path.exists(path):
            with open(path) as f:
                parts.append(f.read().strip())
    forms = [r["remarks"].get("torch") for machine in kinds.values() for r in machine.rows]
    if any(forms):
        parts.append("PyTorch runs the faster of two forms: the plain module (%d times), or frozen by TorchScript (%d times)." % (forms.count("eager"), forms.count("frozen")))
    return "\n\n".join(p for p in parts if p) + "\n"


if __name__ == "__main__":
    write(sys.argv[1])
