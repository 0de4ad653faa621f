"""Writes the measurements of compare.py as Markdown, SVG and JSON.

    report.py FILE.json     rewrites FILE.md and FILE.svg
"""
import json
import os
import statistics
import sys

TITLES = {"tpulang": "tpulang", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "tract": "tract", "torch": "PyTorch", "pymlir": "pymlir"}
COLOURS = {"onnxruntime": "#4477aa", "openvino": "#66ccee", "tract": "#ccbb44", "torch": "#ee6677", "pymlir": "#999999"}
PEERS = list(COLOURS)


def write(path, told):
    base = os.path.splitext(path)[0]
    for ending, text in [(".json", json.dumps(told, indent=1) + "\n"), (".md", page(base, told)), (".svg", picture(told))]:
        with open(base + ending, "w") as f:
            f.write(text)


def least_ms(row, peak):
    """Return the least time the machine allows: peak arithmetic, or moving inputs, weights and outputs once."""
    return max(row["operations"] / peak["gflops"], row["bytes"] / peak["gbs"]) / 1e6


def ratio(row, peer):
    """Return the peer's time divided by tpulang's."""
    ms = row["ms"]
    return ms[peer] / ms["tpulang"] if peer in ms and "tpulang" in ms else None


def number(value, form="%.2f"):
    return "-" if value is None else form % value


def time(ms):
    return "-" if ms is None else "%.0f" % ms if ms >= 100 else "%.3g" % ms


def table(rows, peaks, models):
    peers = [p for p in PEERS if any(p in r["ms"] for r in rows)]
    heads = ["", "tpulang ms", *(TITLES[p] + " ms" for p in peers), *("/ " + TITLES[p] for p in peers), "of the peak"]
    heads += ["first result ms", "peak MiB"] if models else []
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    for r in rows:
        ours = r["ms"].get("tpulang")
        # JSON turns integer keys into strings.
        peak = peaks.get(r["threads"]) or peaks[str(r["threads"])]
        # The peak is measured on floats.
        share = None if ours is None or "_int" in r["name"] else 100 * least_ms(r, peak) / ours
        cells = [r["name"], time(ours), *(time(r["ms"].get(p)) for p in peers), *(number(ratio(r, p)) for p in peers)]
        cells.append(number(share, "%.0f%%"))
        if models:
            cells += [time(r.get("first_ms")), number(r["peak_bytes"] / 2 ** 20 if r.get("peak_bytes") else None, "%.0f")]
        lines.append(cells)
    return joined(lines)


def joined(lines):
    return "\n".join("| %s |" % " | ".join(cells) for cells in lines)


def whole_models(told):
    """Return one sentence: range and mean of the ratios to onnxruntime, by number of threads."""
    parts = []
    for threads in sorted({r["threads"] for r in told["rows"]}):
        rows = [r for r in told["rows"] if r["model"] and r["threads"] == threads]
        ratios = [x for x in (ratio(r, "onnxruntime") for r in rows) if x is not None]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            parts.append("%.2f to %.2f times onnxruntime's speed (geometric mean %.2f) on %s" % (min(ratios), max(ratios), mean, counted(threads)))
    return "Whole models run at %s." % ", and at ".join(parts) if parts else ""


def counted(threads):
    return "%s thread%s" % (threads, "" if int(threads) == 1 else "s")


def page(base, told):
    versions = ", ".join("%s %s" % (TITLES[k], v) for k, v in told["versions"].items())
    peaks = "; ".join("%s: %.0f GFLOP/s (2048 x 2048 product by %s), %.1f GB/s (copy of 256 MB, reads and writes)" % (counted(t), p["gflops"], TITLES[p["by"]], p["gbs"]) for t, p in told["peaks"].items())
    parts = ["# Performance", whole_models(told)]
    if told["quick"]:
        parts.append("**A quick run to test the benchmarks: its figures are noise.**")
    parts.append("\n".join([
        "- **Machine**: %s, %s cores, %s, shared with other work." % (told["machine"], told["cores"], told["system"]),
        "- **Versions**: %s; %s." % (versions, told["date"]),
        "- **Models**: float32, batch 1. A number in a name is the sequence length; images are 224 x 224. `qwen2_*` is one decoder layer.",
        "- **Method**: one run of `make bench`, with the programs interleaved; medians of %d rounds of %g s each." % (told["rounds"], told["seconds"]),
        "- **Ratios** (`/ onnxruntime`, ..): the other program's time divided by tpulang's. Above 1, tpulang is faster.",
        "- **Of the peak**: the machine's least possible time (all operations at its peak, or inputs, weights and outputs moved once) divided by tpulang's. Above 100 %%, other load slowed the peak's own measurement. Peaks: %s." % peaks,
    ]))
    parts.append("![Ratios](%s.svg)" % os.path.basename(base))
    for models, title in [(True, "Whole models"), (False, "Single operators")]:
        for threads in sorted({r["threads"] for r in told["rows"]}):
            rows = [r for r in told["rows"] if r["model"] == models and r["threads"] == threads]
            if rows:
                parts += ["## %s, %s" % (title, counted(threads)), table(rows, told["peaks"], models)]
    refused = ["- %s, %s, %s: %s" % (r["name"], counted(r["threads"]), TITLES[k], " ".join(v.split())) for r in told["rows"] for k, v in r["remarks"].items() if v not in ("frozen", "eager")]
    parts += ["## Left out"] + ["\n".join(refused)] if refused else []
    build = os.path.join("build", "bench", "build.md")
    if os.path.exists(build) and not told["quick"]:
        parts.append(open(build).read().strip())
    remarks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "remarks.md")
    parts.append(open(remarks).read().strip())
    forms = [r["remarks"].get("torch") for r in told["rows"]]
    parts.append("PyTorch runs the faster of two forms: the plain module (%d times), or frozen by TorchScript (%d times)." % (forms.count("eager"), forms.count("frozen")) if "torch" in told["versions"] else "")
    return "\n\n".join(p for p in parts if p) + "\n"


def picture(told):
    """Draw one bar per model and peer with its ratio; the dashed line is 1."""
    threads = min(r["threads"] for r in told["rows"])
    rows = [r for r in told["rows"] if r["threads"] == threads]
    rows = [r for r in rows if r["model"]] or rows
    longest = max([2.0] + [min(ratio(r, p) or 0, 4.0) for r in rows for p in PEERS])
    left, width, bar, gap = 190, 480, 11, 12
    scale = width / longest
    parts, y = [], 44
    for r in rows:
        peers = [p for p in PEERS if ratio(r, p) is not None]
        parts.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 8, y + bar * len(peers) / 2 + 4, r["name"]))
        for p in peers:
            value = ratio(r, p)
            length = min(value, longest) * scale
            parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (left, y, length, bar - 2, COLOURS[p]))
            parts.append('<text x="%.1f" y="%d" font-size="9">%.2f</text>' % (left + length + 4, y + bar - 3, value))
            y += bar
        y += gap
    for i, p in enumerate(PEERS):
        parts.append('<rect x="%d" y="10" width="10" height="10" fill="%s"/><text x="%d" y="19">%s</text>' % (left + 130 * i, COLOURS[p], left + 15 + 130 * i, TITLES[p]))
    parts.append('<line x1="%.1f" x2="%.1f" y1="34" y2="%d" stroke="black" stroke-dasharray="3 3"/>' % (left + scale, left + scale, y))
    title = "the other's time divided by tpulang's, %s" % counted(threads)
    parts.append('<text x="%d" y="%d">%s</text>' % (left, y + 14, title))
    return '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12"><rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n' % (left + width + 60, y + 24, "\n".join(parts))


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        write(sys.argv[1], json.load(f))
