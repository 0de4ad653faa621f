"""Writes the measurements of gpu.py as Markdown and JSON.

    gpu_report.py FILE.json     rewrites FILE.md
"""
import json
import os
import sys

from report import joined, least_ms, number, ratio, time

FORMS = {"graphs": "CUDA graphs", "nhwc": "channels last", "compile": "torch.compile", "eager": "eager"}
GROUPS = {"models": "Whole models", "products": "Products and convolutions", "passes": "Bound by memory"}

# What nvidia-smi says of a card.
FACTS = {"memory.total": "%s of memory", "clocks.max.sm": "up to %s", "clocks.max.mem": "memory at up to %s", "power.limit": "at most %s"}


def write(path, told):
    base = os.path.splitext(path)[0]
    for ending, text in [(".json", json.dumps(told, indent=1) + "\n"), (".md", page(told))]:
        # Replaced atomically, so that a reader finds a complete file even after an interrupted run.
        with open(base + ending + ".part", "w") as f:
            f.write(text)
        os.replace(base + ending + ".part", base + ending)


def peak(told):
    """Return the ceilings for the requested precision."""
    found = told["ceilings"]
    kind = "float16" if told["half"] else "tf32" if told["tf32"] else "float32"
    return found and {"gbs": found["gbs"], "gflops": found["gflops"].get(kind, found["gflops"]["float32"])}


def share(row, told):
    """Return the share of the ceiling: the least possible time divided by tpulang's."""
    at, ours = peak(told), row["ms"].get("tpulang")
    if not at or not ours or "bytes" not in row:
        return None
    return 100 * least_ms({"operations": row.get("operations", 0), "bytes": row["bytes"]}, at) / ours


def rate(row, group):
    """Return GB/s of the bytes, and TFLOP/s of the operations, that any kernel needs."""
    ours = row["ms"].get("tpulang")
    if group == "passes":
        return None if not ours or "bytes" not in row else row["bytes"] / ours / 1e6
    return None if not ours or "operations" not in row else row["operations"] / ours / 1e9


def table(told, group):
    rows = [r for r in told["rows"] if r["group"] == group]
    if not rows:
        return None
    forms = [f for f in FORMS if any(f in r["ms"] for r in rows)]
    heads = ["", "tpulang ms", *(FORMS[f] + " ms" for f in forms), *("/ " + FORMS[f] for f in forms)]
    heads += ["GB/s" if group == "passes" else "TFLOP/s", "of the ceiling"]
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    for r in rows:
        cells = [r["name"], time(r["ms"].get("tpulang")), *(time(r["ms"].get(f)) for f in forms), *(number(ratio(r, f)) for f in forms)]
        lines.append(cells + [number(rate(r, group), "%.0f" if group == "passes" else "%.1f"), number(share(r, told), "%.0f%%")])
    return joined(lines)


def with_copies(told):
    lines = [["", "tpulang ms", "PyTorch ms", "pinned ms", "/ PyTorch", "/ pinned", "first result ms", "cold s"], ["---"] + ["---:"] * 7]
    for r in told["rows"]:
        c = r["copies"]
        over = lambda peer: number(c[peer] / c["tpulang"] if peer in c and "tpulang" in c else None)
        times = [time(c.get(k)) for k in ("tpulang", "pageable", "pinned")]
        lines.append([r["name"], *times, over("pageable"), over("pinned"), time(r.get("first_ms")), number(r.get("cold_s"), "%.1f")])
    return joined(lines)


def card(told):
    d, t = told["driver"], told["torch"]
    parts = [d.get("name") or t.get("card") or told["machine"], "driver " + d["driver_version"] if "driver_version" in d else None]
    parts += [text % d[k] for k, text in FACTS.items() if k in d and "N/A" not in d[k]]
    parts += ["%s multiprocessors of compute capability %s" % (t["processors"], t["capability"])] if "processors" in t else []
    return ", ".join(p for p in parts if p)


def versions(told):
    t = told["torch"]
    library = "without PyTorch: " + t["problem"] if "problem" in t else "PyTorch %s" % t["version"]
    if "cuda" in t:
        library += ", CUDA %s, cuDNN %d.%d.%d" % (t["cuda"], t["cudnn"] // 10000, t["cudnn"] // 100 % 100, t["cudnn"] % 100)
    return "tpulang %s, %s" % (told["tpulang"], library)


def mode(told):
    kind = "float16 throughout" if told["half"] else "float32"
    return kind + ("; products may be computed in TF32 by both programs" if told["tf32"] else "; TF32 off")


def ceilings(told):
    found = told["ceilings"]
    if not found:
        return "Ceilings: not measured, as PyTorch is what measures them."
    products = ", ".join("%.1f TFLOP/s in %s" % (v / 1e3, k) for k, v in found["gflops"].items())
    hosts = "; ".join("%s, %.1f GB/s to the device and %.1f from it" % (k, v["there"], v["back"]) for k, v in found["host_gbs"].items())
    text = "Ceilings, measured in this run by PyTorch: %.0f GB/s (a copy of %d MiB on the device, reads and writes); products of %d x %d: %s." % (found["gbs"], found["copy_bytes"] >> 20, found["n"], found["n"], products)
    return text + (" Copies from and to the host's memory: %s." % hosts if hosts else "")


METHOD = """Times are per run, with inputs and results on the device: runs are queued, then waited for once, and the wall-clock time is \
divided by their number. Ratios are PyTorch's time divided by tpulang's: above 1, tpulang is faster. PyTorch, with `cudnn.benchmark` \
on: %s. "Of the ceiling": the card's least possible time (all operations at the rate of the large product, or inputs, weights and \
outputs moved once at the rate of the copy) divided by tpulang's; networks that fit into the card's caches can exceed 100 %%."""

EXPLAINED = {
    "graphs": "the module captured with `torch.cuda.graph`",
    "nhwc": "the same with images and filters in that layout",
    "compile": "the code of TorchInductor, captured too",
    "eager": "the plain module",
}


def method(told):
    measured = [form for form in FORMS if any(form in r["ms"] for r in told["rows"])]
    return METHOD % "; ".join('"%s", %s' % (FORMS[form], EXPLAINED[form]) for form in measured)


def page(told):
    parts = ["# Speed on a GPU", card(told) + ". " + versions(told) + ". " + told["date"] + ". " + mode(told) + ". " + ("One round of %g s." if told["rounds"] == 1 else "Medians of %d rounds of %%g s each." % told["rounds"]) % told["seconds"]]
    if told["small"]:
        parts.append("**Small networks, to see that it works: the figures are noise.**")
    parts += [ceilings(told), method(told)]
    copied = [r["name"] for r in told["rows"] if r.get("on_device") is False]
    if copied:
        parts.append("**These times of tpulang include the copies of inputs and results, because `tpulang bench` reported no `device_ms`: %s.**" % ", ".join(copied))
    for group, title in GROUPS.items():
        found = table(told, group)
        parts += ["## " + title, found] if found else []
    parts += ["## With copies", "From numpy's memory and back into it, PyTorch as a CUDA graph where it can be one; \"pinned\": from and to page-locked memory. The first result: from the start of a process whose kernels have been compiled before; cold: the whole of the first one, which compiles them unless they are in the cache.", with_copies(told)]
    remarks = ["- %s, %s: %s" % (r["name"], FORMS.get(k, k), " ".join(v.split())) for r in told["rows"] for k, v in r["remarks"].items()]
    if told["skipped"]:
        remarks.append("- not measured, as the %g minutes were over: %s" % (told["minutes"], ", ".join(told["skipped"])))
    if told.get("unwanted"):
        remarks.append("- not measured, as `--only` excludes them: %s" % ", ".join(told["unwanted"]))
    parts += ["## Remarks", "\n".join(remarks)] if remarks else []
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        write(sys.argv[1], json.load(f))
