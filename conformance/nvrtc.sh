#!/bin/sh
# Installs NVIDIA's run-time compiler from PyPI. It needs no GPU.
#   nvrtc.sh FOLDER
set -eu
FOLDER=${1:?usage: nvrtc.sh FOLDER}
if [ -e "$FOLDER/ready" ]; then exit 0; fi
for p in python3 python3.10 "$HOME"/.pyenv/versions/3.*/bin/python; do
    rm -rf "$FOLDER"
    if "$p" -m venv "$FOLDER" 2>/dev/null; then break; fi
done
if [ ! -x "$FOLDER/bin/python" ]; then
    echo "Python 3 with its venv module is needed (apt-get install python3-venv)." >&2
    exit 1
fi
"$FOLDER/bin/python" -m pip install --quiet 'nvidia-cuda-nvrtc==13.0.*'
ln -s "$(find "$(cd "$FOLDER" && pwd)" -name 'libnvrtc.so.13')" "$FOLDER/libnvrtc.so.13"
touch "$FOLDER/ready"
