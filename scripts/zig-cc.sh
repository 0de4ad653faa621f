#!/bin/sh
# The linker of the wheel: zig, which knows the symbols of every version of glibc.
#   zig-cc.sh ARGUMENT...
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
for argument; do
    shift
    case $argument in
        # The system's libstdc++ may be older than the one that LLVM was compiled with, and zig's is another library.
        -lstdc++) set -- "$@" "$(c++ -print-file-name=libstdc++.a)" ;;
        -lgcc_s) set -- "$@" -lunwind ;;
        # After these zig would look for libraries of one kind only; and it is lld already.
        -Wl,-Bstatic | -Wl,-Bdynamic | -fuse-ld=* | -B*) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "$HERE/../target/wheel-tools/bin/python" -m ziglang cc -target "$(uname -m)-linux-gnu.2.28" -O2 "$@" "$HERE/glibc.c"
