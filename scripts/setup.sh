#!/bin/sh
# Installs the build and test dependencies that are missing: LLVM and MLIR 22, libclang, a C++ compiler, strace.
#   setup.sh PREFIX
set -eu
PREFIX=$1
PACKAGES="g++ llvm-22-dev libmlir-22-dev libclang1-22 libclang-common-22-dev libpolly-22-dev zlib1g-dev libzstd-dev strace"
missing=
[ -x "$PREFIX/bin/llvm-config" ] && [ -e "$PREFIX/include/mlir-c/IR.h" ] && [ -e "$PREFIX/lib/libPolly.a" ] || missing=1
# libclang-cpp is another library, which LLVM's packages need.
ls "$PREFIX"/lib/libclang.so* "$PREFIX"/lib/libclang-[0-9]*.so* 2>/dev/null | grep -q . || missing=1
ls "$PREFIX"/lib/clang/*/include/stddef.h >/dev/null 2>&1 || missing=1
command -v c++ >/dev/null || missing=1
for header in zlib.h zstd.h; do
    echo "#include <$header>" | c++ -E -x c++ - >/dev/null 2>&1 || missing=1
done
command -v strace >/dev/null || missing=1
if ! command -v cargo >/dev/null; then
    echo "A Rust tool chain is needed: https://rustup.rs" >&2
    exit 1
fi
[ -n "$missing" ] || exit 0
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
if ! command -v apt-get >/dev/null; then
    echo "tpulang is built on LLVM and MLIR 22. Install them under $PREFIX (or set MLIR_SYS_220_PREFIX and" >&2
    echo "TABLEGEN_220_PREFIX in .cargo/config.toml), with: static libraries, headers, libclang, Polly, zlib, zstd." >&2
    exit 1
fi
echo "installing: $PACKAGES"
as_root apt-get update -q
if [ -z "$(apt-cache policy libmlir-22-dev | sed -n 's/ *Candidate: *//p' | grep -v none)" ]; then
    . /etc/os-release
    echo "$PRETTY_NAME has no package libmlir-22-dev. The LLVM project's repository does: see https://apt.llvm.org," >&2
    echo "or run its script: wget https://apt.llvm.org/llvm.sh && sudo bash llvm.sh 22" >&2
    echo "then: sudo apt-get install --no-install-recommends $PACKAGES" >&2
    exit 1
fi
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $PACKAGES
