#!/bin/sh
# Installs PyTorch, onnxruntime, OpenVINO and tract for `make bench` in their own virtual environment, because tpu_mlir needs
# another version of numpy.
#   setup.sh VENV
set -eu
VENV=${1:?usage: setup.sh VENV}
MADE_BY=$(cksum < "$0")
if [ "$(cat "$VENV/ready" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
PY=
for p in python3.11 python3.12 python3.13 "$HOME"/.pyenv/versions/3.1[1-3].*/bin/python; do
    if "$p" -c 'import venv' 2>/dev/null; then PY=$p; break; fi
done
if [ -z "$PY" ]; then
    echo "Python 3.11 to 3.13 with its venv module is needed (Debian, Ubuntu: apt-get install python3-venv)." >&2
    exit 1
fi
rm -rf "$VENV"
"$PY" -m venv "$VENV"
"$VENV/bin/python" -m pip install --quiet onnxruntime==1.31.1 onnx==1.23.2 numpy==2.4.6 openvino==2026.4.1 tract==0.23.9
# The CPU wheel is a tenth of the size of PyPI's, which works on CPUs too. If neither installs, PyTorch is left out,
# and the next call tries again.
if "$VENV/bin/python" -m pip install --quiet --retries 1 torch==2.15.0 --index-url https://download.pytorch.org/whl/cpu 2>/dev/null ||
    "$VENV/bin/python" -m pip install --quiet --no-cache-dir torch==2.15.0; then
    echo "$MADE_BY" > "$VENV/ready"
else
    echo "PyTorch cannot be installed (PyPI's takes about 6 GB of disk, twice that while it is unpacked): it is left out." >&2
fi
