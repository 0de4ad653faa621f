#!/bin/sh
# Makes a virtual environment of any Python 3 with packages of PyPI, unless it exists with the same ones.
#   venv.sh FOLDER PACKAGE..
set -eu
VENV=${1:?usage: venv.sh FOLDER PACKAGE..}
shift
if [ "$(cat "$VENV/ready" 2>/dev/null)" = "$*" ]; then exit 0; fi
for p in python3 "$HOME"/.pyenv/versions/3.*/bin/python; do
    rm -rf "$VENV"
    if "$p" -m venv "$VENV" 2>/dev/null; then break; fi
    # Without ensurepip, a part of it is made.
    rm -rf "$VENV"
done
if [ ! -x "$VENV/bin/python" ]; then
    echo "Python 3 with its venv module is needed (Debian, Ubuntu: apt-get install python3-venv)." >&2
    exit 1
fi
"$VENV/bin/python" -m pip install --quiet "$@"
printf '%s\n' "$*" > "$VENV/ready"
