#!/bin/sh
# Installs scikit-learn and TensorFlow with their exporters, each in a virtual environment, since they need other versions of ONNX.
#   onnx_exporters.sh FOLDER
set -eu
FOLDER=${1:?usage: onnx_exporters.sh FOLDER}
MADE_BY=$(cksum < "$0")
if [ "$(cat "$FOLDER/ready" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
rm -rf "$FOLDER"
PY=
for p in python3.11 python3.12 "$HOME"/.pyenv/versions/3.1[12].*/bin/python; do
    if "$p" -c 'import venv' 2>/dev/null; then PY=$p; break; fi
done
if [ -z "$PY" ]; then
    echo "Python 3.11 or 3.12 with its venv module is needed." >&2
    exit 1
fi
"$PY" -m venv "$FOLDER/sklearn"
"$FOLDER/sklearn/bin/python" -m pip install --quiet scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.23.2 onnxmltools==1.16.0 xgboost==3.2.0 lightgbm==4.7.0 packaging==26.2
"$PY" -m venv "$FOLDER/tensorflow"
"$FOLDER/tensorflow/bin/python" -m pip install --quiet tensorflow-cpu==2.21.0 tf2onnx==1.17.0 onnx==1.19.1
echo "$MADE_BY" > "$FOLDER/ready"
