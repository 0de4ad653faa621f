#!/bin/sh
# Builds the Python wheel into target/wheels. The one of the profile `release` runs on every Linux with glibc 2.28 or newer,
# and may be for ARM. Those of other profiles are for this machine.
#   wheel.sh PROFILE [x86_64 | aarch64]
set -eu
PROFILE=${1:?usage: wheel.sh PROFILE [x86_64 | aarch64]}
HOST=$(uname -m)
export ARCH="${2:-$HOST}"
TOOLS=$PWD/target/wheel-tools
if [ ! -e "$TOOLS/ready" ]; then
    for p in python3 "$HOME"/.pyenv/versions/3.*/bin/python; do
        rm -rf "$TOOLS"
        if "$p" -m venv "$TOOLS" 2>/dev/null; then break; fi
    done
    if [ ! -x "$TOOLS/bin/python" ]; then
        echo "Python 3 with its venv module is needed (Debian, Ubuntu: apt-get install python3-venv)." >&2
        exit 1
    fi
    "$TOOLS/bin/python" -m pip install --quiet maturin==1.16.0 ziglang==0.17.1
    touch "$TOOLS/ready"
fi
build() { "$TOOLS/bin/maturin" build --manifest-path python/Cargo.toml --locked --out target/wheels "$@"; }
rm -f target/wheels/*_"$ARCH".whl
if [ "$PROFILE" != release ]; then
    build --profile "$PROFILE" --compatibility linux
    exit
fi
LIBRARY=target/release/lib_native.so
LIBSTDCXX=$(c++ -print-file-name=libstdc++.a)
if [ "$ARCH" != "$HOST" ]; then
    LLVM=/usr/lib/llvm-22
    sh scripts/llvm-aarch64.sh target/llvm-aarch64 $LLVM
    rustup target add "$ARCH-unknown-linux-gnu"
    set -- --target "$ARCH-unknown-linux-gnu"
    LIBRARY=target/$ARCH-unknown-linux-gnu/release/lib_native.so
    LIBSTDCXX=$(echo "$PWD"/target/llvm-aarch64/usr/lib/gcc/*/*/libstdc++.a)
    export MLIR_SYS_220_PREFIX="$PWD/target/llvm-aarch64$LLVM"
    headers=$("$TOOLS/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/lib/libc/include")')
    export BINDGEN_EXTRA_CLANG_ARGS_aarch64_unknown_linux_gnu="-isystem $headers/aarch64-linux-gnu \
        -isystem $headers/generic-glibc -isystem $headers/any-linux-any"
else
    set --
fi
export LIBSTDCXX
# Only the linker differs from a plain build, so that nothing else is compiled again.
build --release --compatibility manylinux_2_28 "$@" -- -C linker="$PWD/scripts/zig-cc.sh"
# maturin checks the versions of symbols. A symbol without a version that is not Python's would be missing there.
if nm -D --undefined-only "$LIBRARY" | grep -v '@\| w \| _*Py'; then
    echo "glibc 2.28 lacks these symbols: scripts/glibc.c must define them" >&2
    exit 1
fi
