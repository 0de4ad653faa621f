#!/bin/sh
# Installs NVIDIA's run-time compiler from PyPI. It needs no GPU.
#   nvrtc.sh FOLDER
set -eu
FOLDER=${1:?usage: nvrtc.sh FOLDER}
sh scripts/venv.sh "$FOLDER" 'nvidia-cuda-nvrtc==13.0.*'
[ -e "$FOLDER/libnvrtc.so.13" ] || ln -s "$(find "$(cd "$FOLDER" && pwd)" -name 'libnvrtc.so.13')" "$FOLDER/libnvrtc.so.13"
