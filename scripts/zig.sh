# To be sourced by wheel.sh and dist.sh: $TOOLS with maturin and zig, and the linker scripts/zig-cc.sh for $ARCH, with which
# a program needs glibc 2.28 only.
HOST=$(uname -m)
export ARCH="${ARCH:-$HOST}"
TOOLS=$PWD/target/wheel-tools
LINKER=$PWD/scripts/zig-cc.sh
sh scripts/venv.sh "$TOOLS" maturin==1.16.0 ziglang==0.17.1
if [ "$ARCH" != "$HOST" ]; then rustup target add "$ARCH-unknown-linux-gnu"; fi
LIBSTDCXX=$(c++ -print-file-name=libstdc++.a)
export LIBSTDCXX
# Checks the symbols that FILE leaves to other libraries; Python's are allowed.
check_symbols() {
    symbols=$(nm -D --undefined-only "$1")
    # A library or program without any was not linked as it should be, or is another file.
    if [ -z "$symbols" ]; then
        echo "$1 has no dynamic symbols" >&2
        exit 1
    fi
    # One without a version that is not Python's would be missing there.
    if printf '%s\n' "$symbols" | grep -v '@\| w \| _*Py'; then
        echo "glibc 2.28 lacks these symbols: scripts/glibc.c must define them" >&2
        exit 1
    fi
    newest=$(printf '%s\n' "$symbols" | sed -n 's/.*@GLIBC_//p' | sort -V | tail -1)
    if [ "$(printf '%s\n' "$newest" 2.28 | sort -V | tail -1)" != 2.28 ]; then
        echo "$1 needs glibc $newest" >&2
        exit 1
    fi
}
