"""Asks NVIDIA's run-time compiler whether it takes every kernel that the tests have compiled for the emulated GPU.

  nvrtc.py --library libnvrtc.so.13 --sources FOLDER [--architectures sm_80,sm_90,sm_100]

Each source's first lines name the functions that are asked for. Generated kernels, of which there are many small ones, are compiled
together, each in a namespace of its own."""

import argparse
import concurrent.futures
import ctypes
import pathlib
import re
import sys

OPTIONS = ["--std=c++17", "--fmad=false", "--device-int128"]
GENERATED = 'extern "C" __global__ void generated('
TOGETHER = 40


class Compiler:
    def __init__(self, path):
        # NVRTC finds these through the system's loader, which knows libraries that are loaded already.
        for builtins in pathlib.Path(path).resolve().parent.glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(pathlib.Path(path).resolve()))

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def problem(self, text, names, architecture):
        """What is wrong with a text; nothing where it compiles, for the architecture, to more than nothing."""
        library, program = self.library, ctypes.c_void_p()
        library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
        for name in names:
            library.nvrtcAddNameExpression(program, name.encode())
        options = [o.encode() for o in OPTIONS + [f"--gpu-architecture={architecture}"]]
        code = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        library.nvrtcDestroyProgram(ctypes.byref(program))
        if code == 0 and size.value > 0:
            return None
        return log.value.decode()


def programs(folder):
    """Texts, with the functions requested from each."""
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
    """Length of the common beginning, up to a line that starts a function."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))
    return first.rfind("\n\n", 0, n) + 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--architectures", default="sm_80,sm_90,sm_100")
    args = parser.parse_args()
    compiler, all_programs = Compiler(args.library), list(programs(args.sources))
    work = [(text, names, a) for text, names in all_programs for a in args.architectures.split(",")]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda w: compiler.problem(*w), work))
    failures = [(w, problem) for w, problem in zip(work, found) if problem is not None]
    for (_, names, architecture), problem in failures:
        print(f"{', '.join(names)} for {architecture}:\n{problem}")
    kernels = sum(len(names) for _, names in all_programs)
    print(f"NVRTC {compiler.version()}: {kernels} kernels for {args.architectures}: {len(failures)} of {len(work)} programs failed")
    sys.exit(1 if failures or not kernels else 0)


main()
