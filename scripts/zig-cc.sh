#!/bin/sh
# The linker of the wheel, for wheel.sh: zig, which knows the symbols of every version of glibc.
#   ARCH=x86_64 LIBSTDCXX=FILE zig-cc.sh ARGUMENT...
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
for argument; do
    shift
    case $argument in
        # The system's libstdc++ may be older than the one that LLVM was compiled with, and zig's is another library.
        -lstdc++) set -- "$@" "$LIBSTDCXX" ;;
        # Only parts of LLVM that are not used call these.
        -lz3 | -lz | -lzstd | -lxml2) ;;
        -lgcc_s) set -- "$@" -lunwind ;;
        # After these zig would look for libraries of one kind only; and it is lld already.
        -Wl,-Bstatic | -Wl,-Bdynamic | -fuse-ld=* | -B*) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "$HERE/../target/wheel-tools/bin/python" -m ziglang cc -target "$ARCH-linux-gnu.2.28" -O2 "$@" "$HERE/glibc.c"
