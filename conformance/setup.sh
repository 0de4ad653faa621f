#!/bin/sh
# Installs tpu_mlir 1.30.2 in a virtual environment of Python 3.10.
#   setup.sh VENV
set -eu
VENV=${1:?usage: setup.sh VENV}
# What another version of this script has installed is replaced.
MADE_BY=$(cksum < "$0")
if [ "$(cat "$VENV/ready" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
PY=
for p in python3.10 "$HOME"/.pyenv/versions/3.10.*/bin/python; do
    if "$p" -c 'import sys; assert sys.version_info[:2] == (3, 10)' 2>/dev/null; then PY=$p; break; fi
done
if [ -z "$PY" ]; then
    echo "Python 3.10 is needed: the wheel of tpu_mlir 1.30.2 is built for it." >&2
    echo "Install python3.10 with its venv module (Ubuntu 22.04: apt-get install python3.10-venv; elsewhere: pyenv install 3.10)." >&2
    exit 1
fi
rm -rf "$VENV"
"$PY" -m venv "$VENV"
# The wheel does not declare that it needs flatbuffers and psutil. CMake compiles some of its kernels when they are first needed.
"$VENV/bin/python" -m pip install --quiet --upgrade pip==26.3
"$VENV/bin/python" -m pip install --quiet tpu_mlir==1.30.2 psutil==7.2.2 flatbuffers==25.12.19 cmake==4.4.5
SITE=$("$VENV/bin/python" -c 'import importlib.util, os; print(os.path.dirname(importlib.util.find_spec("tpu_mlir").origin))')
# The wheel bundles a glibc, which crashes with another system's loader.
mkdir -p "$VENV/glibc_aside"
for f in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libresolv.so.2 ld-linux-x86-64.so.2; do
    if [ -e "$SITE/lib/third_party/$f" ]; then mv "$SITE/lib/third_party/$f" "$VENV/glibc_aside/"; fi
done
chmod +x "$SITE"/bin/*
echo "$MADE_BY" > "$VENV/ready"
