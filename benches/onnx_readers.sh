#!/bin/sh
# Installs tpu_mlir's reader of ONNX files: the packages that it needs beside tpu_mlir, in the versions that it is pinned to.
#   onnx_readers.sh VENV
set -eu
VENV=${1:?usage: onnx_readers.sh VENV}
sh "$(dirname "$0")/../conformance/setup.sh" "$VENV"
MADE_BY=$(cksum < "$0")
if [ "$(cat "$VENV/reader" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
"$VENV/bin/python" -m pip install --quiet onnx==1.14.1 onnxruntime==1.16.3 onnxsim==0.4.17
# onnxsim replaces it.
"$VENV/bin/python" -m pip install --quiet onnx==1.14.1
echo "$MADE_BY" > "$VENV/reader"
