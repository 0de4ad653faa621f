#!/bin/sh
# Builds the Python wheel into target/wheels. The one of the profile `release` runs on every Linux with glibc 2.28 or newer.
# Those of other profiles are for this machine, and share what cargo has built.
#   wheel.sh PROFILE
set -eu
PROFILE=${1:?usage: wheel.sh PROFILE}
TOOLS=target/wheel-tools
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
rm -f target/wheels/*_"$(uname -m)".whl
if [ "$PROFILE" = release ]; then
    # Only the linker differs from a plain build, so that nothing else is compiled again.
    build --release --compatibility manylinux_2_28 -- -C linker="$PWD/scripts/zig-cc.sh"
    # maturin checks the versions of symbols. A symbol without a version that is not Python's would be missing there.
    if nm -D --undefined-only target/release/lib_native.so | grep -v '@\| w \| _*Py'; then
        echo "glibc 2.28 lacks these symbols: scripts/glibc.c must define them" >&2
        exit 1
    fi
else
    build --profile "$PROFILE" --compatibility linux
fi
