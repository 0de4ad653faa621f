#!/bin/sh
# Makes a folder with PyTorch, which TpuLang's tests import, for PYTHONPATH beside tpu_mlir's virtual environment, and with
# the library that the tool chain loads for custom operators.
#   tpulang_scripts.sh FOLDER VENV
set -eu
FOLDER=${1:?usage: tpulang_scripts.sh FOLDER VENV}
VENV=${2:?usage: tpulang_scripts.sh FOLDER VENV}
MADE_BY=$(cksum < "$0")
if [ "$(cat "$FOLDER/ready" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
rm -rf "$FOLDER"
install() { "$VENV/bin/python" -m pip install --quiet --no-cache-dir --no-deps --target "$FOLDER" "$@"; }
# What torchvision imports and tpu_mlir's environment lacks.
install requests==2.34.2 urllib3==2.8.0 charset-normalizer==3.5.3
# PyPI's PyTorch is 750 MB, and 1.6 GB on disk; newer ones need 2.5 GB of CUDA libraries as well. The CPU wheel is smaller.
install --retries 1 torch==1.12.1 torchvision==0.13.1 --index-url https://download.pytorch.org/whl/cpu 2>/dev/null ||
    install torch==1.12.1 torchvision==0.13.1
cc -shared -fPIC -o "$FOLDER/libplugin_custom.so" "$(dirname "$0")/custom_operators.c"
echo "$MADE_BY" > "$FOLDER/ready"
