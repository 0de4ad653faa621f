"""Compile every kernel that the tests have run on the emulated GPU with NVIDIA's run-time compiler, and record its resources.

  nvrtc.py --library libnvrtc.so.13 --sources FOLDER [--architectures sm_80,sm_90,sm_100] [--record FILE.tsv]

The first lines of each source name the requested functions. Generated kernels, which are many and small, are compiled
together, each in its own namespace.

The record has one line per kernel and architecture: registers, shared memory, stack and spills, as reported by ptxas. The exit
code is 1 if a kernel does not compile or spills registers, or if a kernel whose accumulators must stay in registers has a stack."""

import argparse
import collections
import concurrent.futures
import ctypes
import pathlib
import re
import sys

OPTIONS = ["--std=c++17", "--fmad=false", "--device-int128"]
GENERATED = 'extern "C" __global__ void generated('
TOGETHER = 40
# Tiled kernels keep accumulators in arrays, which a stack would move to slow memory.
ACCUMULATES = re.compile(r"(attention|matmul|matmul_few_rows|convolution|depthwise|depthwise_plane|transposed_convolution)<(float|half|int)\b")

Resources = collections.namedtuple("Resources", "kernel architecture registers shared stack spilled")


class Compiler:
    def __init__(self, path):
        # NVRTC finds these through the system's loader, which knows libraries that are already loaded.
        for builtins in pathlib.Path(path).resolve().parent.glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(pathlib.Path(path).resolve()))

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compile(self, text, names, architecture):
        """Return the compiler's error, or None, and the resources of each function."""
        library, program = self.library, ctypes.c_void_p()
        library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
        for name in names:
            library.nvrtcAddNameExpression(program, name.encode())
        options = [o.encode() for o in OPTIONS + [f"--gpu-architecture={architecture}", "--ptxas-options=-v"]]
        code = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        log, is_compiled = log.value.decode(), code == 0 and size.value > 0
        found = list(self.resources(program, log, names, architecture)) if is_compiled else []
        library.nvrtcDestroyProgram(ctypes.byref(program))
        if is_compiled and len(found) != len(names):
            return f"ptxas reported {len(found)} of {len(names)} kernels:\n{log}", found
        return (None if is_compiled else log), found

    def resources(self, program, log, names, architecture):
        """Return the resources in ptxas' report, by the requested names."""
        reports = {}
        for report in log.split("Compiling entry function '")[1:]:
            number = lambda pattern: int((re.search(pattern, report) or [0, 0])[1])
            spilled = number(r"(\d+) bytes spill stores") + number(r"(\d+) bytes spill loads")
            figures = number(r"Used (\d+) registers"), number(r"(\d+) bytes smem"), number(r"(\d+) bytes stack frame"), spilled
            reports[report[: report.index("'")]] = figures
        for name in names:
            lowered = ctypes.c_char_p()
            self.library.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(lowered))
            if lowered.value and lowered.value.decode() in reports:
                yield Resources(name, architecture, *reports[lowered.value.decode()])


def programs(folder):
    """Yield texts, with the functions requested from each."""
    files, generated = {}, []
    for path in sorted(pathlib.Path(folder).glob("*.cu")):
        lines = path.read_text().split("\n")
        count = next(i for i, line in enumerate(lines) if not line.startswith("// "))
        # The first line of the text is a comment too.
        names = [line[3:] for line in lines[:count] if re.fullmatch(r"// \w+(<[\w, ]+>)?", line)]
        text = "\n".join(lines[len(names) :])
        if GENERATED in text:
            generated.append(text)
        else:
            files.setdefault(text, set()).update(names)
    for text, names in files.items():
        yield text, sorted(names)
    # The shared beginning is included once; functions of formulas belong to one kernel each.
    common = generated and generated[0][: shared(generated)]
    for at in range(0, len(generated), TOGETHER):
        some = generated[at : at + TOGETHER]
        each = [f"namespace n{i} {{\n{t[len(common):].replace(GENERATED, '__global__ void generated(')}\n}}" for i, t in enumerate(some)]
        yield common + "\n".join(each), [f"n{i}::generated" for i in range(len(some))]


def shared(texts):
    """Return the length of the common beginning, up to a line that starts a function."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))
    return first.rfind("\n\n", 0, n) + 2


def record(path, found):
    with open(path, "w") as f:
        print("\t".join(Resources._fields), file=f)
        for resources in sorted(found):
            print("\t".join(map(str, resources)), file=f)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--architectures", default="sm_80,sm_90,sm_100")
    parser.add_argument("--record", help="where to write the resources of each kernel")
    args = parser.parse_args()
    compiler, all_programs = Compiler(args.library), list(programs(args.sources))
    work = [(text, names, a) for text, names in all_programs for a in args.architectures.split(",")]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda w: compiler.compile(*w), work))
    failures = [(w, problem) for w, (problem, _) in zip(work, results) if problem is not None]
    for (_, names, architecture), problem in failures:
        print(f"{', '.join(names)} for {architecture}:\n{problem}")
    found = [resources for _, some in results for resources in some]
    if args.record:
        record(args.record, found)
    spills = [r for r in found if r.spilled or (r.stack and ACCUMULATES.match(r.kernel))]
    for r in spills:
        print(f"{r.kernel} for {r.architecture}: {r.registers} registers, {r.stack} bytes of stack, {r.spilled} bytes spilled")
    kernels = sum(len(names) for _, names in all_programs)
    stacks = len({r.kernel for r in found if r.stack})
    print(f"NVRTC {compiler.version()}: {kernels} kernels for {args.architectures}: {len(failures)} of {len(work)} programs failed, "
          f"{len(spills)} kernels spill; {stacks} have a stack without spills, the most registers are {max((r.registers for r in found), default=0)}")
    sys.exit(1 if failures or spills or not kernels else 0)


main()
