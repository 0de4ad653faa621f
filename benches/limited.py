"""Limits peers to AVX2 on a machine with AVX-512.

PyTorch has environment variables for that. onnxruntime asks the processor itself: in a copy of its library, CPUID instructions
are replaced by traps, which mask_cpuid.c answers. It needs objdump and a C compiler.
"""
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
# The peers that can be limited.
PEERS = {"onnxruntime", "torch"}
CPUID, TRAP = b"\x0f\xa2", b"\xcc\x90"


def environment(work):
    """Return what limits the peers, besides the environment of this process. `work` is a folder for the copy."""
    folder = os.path.join(work, "limited")
    os.makedirs(folder, exist_ok=True)
    answers = os.path.join(folder, "mask_cpuid.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", answers, os.path.join(HERE, "mask_cpuid.c")], check=True)
    copy_onnxruntime(folder)
    path = [folder, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"LD_PRELOAD": answers, "PYTHONPATH": os.pathsep.join(path), "ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
            "MKL_ENABLE_INSTRUCTIONS": "AVX2"}


def copy_onnxruntime(folder):
    import onnxruntime
    copy = os.path.join(folder, "onnxruntime")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(os.path.dirname(onnxruntime.__file__), copy)
    capi = os.path.join(copy, "capi")
    for name in os.listdir(capi):
        if name.startswith("onnxruntime_pybind11_state"):
            replace_cpuid(os.path.join(capi, name))


def replace_cpuid(library):
    said = lambda *options: subprocess.run(["objdump", *options, library], check=True, capture_output=True, text=True).stdout
    section = next(line.split() for line in said("-h").splitlines() if re.match(r"\s*\d+ \.text\s", line))
    address, offset = int(section[3], 16), int(section[5], 16)
    with open(library, "rb") as f:
        code = bytearray(f.read())
    found = [int(line.split(":")[0], 16) for line in said("-d", "--no-show-raw-insn", "-j", ".text").splitlines() if "\tcpuid" in line]
    for at in (place - address + offset for place in found):
        if code[at:at + 2] != CPUID:
            raise RuntimeError("%s: no CPUID instruction at byte %d" % (library, at))
        code[at:at + 2] = TRAP
    if not found:
        raise RuntimeError("%s: no CPUID instructions" % library)
    with open(library, "wb") as f:
        f.write(code)
