#!/bin/sh
# Gets NVIDIA's run-time compiler, which needs no GPU.
#   nvrtc.sh FOLDER
set -eu
FOLDER=${1:?usage: nvrtc.sh FOLDER}
if [ -e "$FOLDER/ready" ]; then exit 0; fi
rm -rf "$FOLDER"
python3 -m venv "$FOLDER"
"$FOLDER/bin/python" -m pip install --quiet 'nvidia-cuda-nvrtc==13.0.*'
ln -s "$(find "$(cd "$FOLDER" && pwd)" -name 'libnvrtc.so.13')" "$FOLDER/libnvrtc.so.13"
touch "$FOLDER/ready"
