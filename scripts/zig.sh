# To be sourced by wheel.sh and dist.sh: $TOOLS with maturin and zig, and the linker scripts/zig-cc.sh for $ARCH, with which
# a program needs glibc 2.28 only.
HOST=$(uname -m)
export ARCH="${ARCH:-$HOST}"
TOOLS=$PWD/target/wheel-tools
LINKER=$PWD/scripts/zig-cc.sh
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
if [ "$ARCH" != "$HOST" ]; then rustup target add "$ARCH-unknown-linux-gnu"; fi
LIBSTDCXX=$(c++ -print-file-name=libstdc++.a)
export LIBSTDCXX
# Checks the symbols that FILE leaves to other libraries; Python's are allowed.
check_symbols() {
    # One without a version that is not Python's would be missing there.
    if nm -D --undefined-only "$1" | grep -v '@\| w \| _*Py'; then
        echo "glibc 2.28 lacks these symbols: scripts/glibc.c must define them" >&2
        exit 1
    fi
    newest=$(nm -D --undefined-only "$1" | sed -n 's/.*@GLIBC_//p' | sort -V | tail -1)
    if [ "$(printf '%s\n' "$newest" 2.28 | sort -V | tail -1)" != 2.28 ]; then
        echo "$1 needs glibc $newest" >&2
        exit 1
    fi
}
