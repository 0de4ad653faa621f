#!/bin/sh
# Installs what `make onnx-networks` needs beside PyTorch: networks, and the parts of PyTorch's exporter.
#   onnx_networks.sh FOLDER VENV
set -eu
FOLDER=${1:?usage: onnx_networks.sh FOLDER VENV} VENV=${2:?}
MADE_BY=$(cksum < "$0")
if [ "$(cat "$FOLDER/ready" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
rm -rf "$FOLDER"
"$VENV/bin/python" -m pip install --quiet --target "$FOLDER" --no-deps \
    onnxscript==0.7.2 onnx_ir==1.1.0 torchvision==0.29.2 transformers==5.23.0 tokenizers==0.23.3 huggingface_hub==2.4.0 \
    safetensors==0.8.0 regex==2026.11.15 pyyaml==6.0.3 tqdm==4.70.1 requests==2.34.2 filelock==4.2.12 packaging==26.3 pillow==13.0.0
"$VENV/bin/python" -m pip install --quiet --target "$FOLDER" httpx2==2.16.2
echo "$MADE_BY" > "$FOLDER/ready"
