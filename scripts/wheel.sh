#!/bin/sh
# Builds the Python wheel into target/wheels. The one of the profile `release` runs on every Linux with glibc 2.28 or newer,
# and may be for ARM. Those of other profiles are for this machine.
#   wheel.sh PROFILE [x86_64 | aarch64 [LLVM]]
# LLVM is where it is installed, which a wheel for another processor needs.
set -eu
PROFILE=${1:?usage: wheel.sh PROFILE [x86_64 | aarch64 [LLVM]]}
ARCH=${2:-$(uname -m)}
. scripts/zig.sh
build() { "$TOOLS/bin/maturin" build --manifest-path python/Cargo.toml --locked --out target/wheels "$@"; }
rm -f target/wheels/*_"$ARCH".whl
if [ "$PROFILE" != release ]; then
    # What `cargo test` has compiled serves for the profile `dev`.
    if [ "$PROFILE" = dev ]; then set -- --features as-tested; else set --; fi
    build --profile "$PROFILE" --compatibility linux "$@"
    exit
fi
LIBRARY=target/release/lib_native.so
if [ "$ARCH" != "$HOST" ]; then
    LLVM=${3:?usage: wheel.sh PROFILE ARCHITECTURE LLVM}
    sh scripts/llvm-aarch64.sh target/llvm-aarch64 "$LLVM"
    set -- --target "$ARCH-unknown-linux-gnu"
    LIBRARY=target/$ARCH-unknown-linux-gnu/release/lib_native.so
    LIBSTDCXX=$(echo "$PWD"/target/llvm-aarch64/usr/lib/gcc/*/*/libstdc++.a)
    export MLIR_SYS_220_PREFIX="$PWD/target/llvm-aarch64$LLVM"
    headers=$("$TOOLS/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/lib/libc/include")')
    export BINDGEN_EXTRA_CLANG_ARGS_aarch64_unknown_linux_gnu="-isystem '$headers/aarch64-linux-gnu' \
        -isystem '$headers/generic-glibc' -isystem '$headers/any-linux-any'"
else
    set --
fi
# Only the linker differs from a plain build, so that nothing else is compiled again.
build --release --compatibility manylinux_2_28 "$@" -- -C linker="$LINKER"
check_symbols "$LIBRARY"
