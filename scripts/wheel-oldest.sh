#!/bin/sh
# Installs a wheel with pip in Debian 11, which has Python 3.9 and glibc 2.31, and runs the demo there. Needs root and
# debootstrap; for a wheel of another processor also qemu-user-static.
#   wheel-oldest.sh WHEEL
set -eu
WHEEL=${1:?usage: wheel-oldest.sh WHEEL}
case $WHEEL in
    *_x86_64.whl) ARCH=amd64 PLATFORM=x86_64 ;;
    *_aarch64.whl) ARCH=arm64 PLATFORM=aarch64 ;;
    *) echo "$WHEEL is for neither x86_64 nor aarch64" >&2; exit 1 ;;
esac
ROOT=target/bullseye-$ARCH
if [ ! -e "$ROOT/ready" ]; then
    rm -rf "$ROOT"
    debootstrap --variant=minbase --arch="$ARCH" --include=python3-pip bullseye "$ROOT"
    target/wheel-tools/bin/python -m pip download --quiet --only-binary=:all: --python-version 3.9 \
        --platform "manylinux2014_$PLATFORM" --dest "$ROOT/wheels" numpy
    touch "$ROOT/ready"
fi
cp "$WHEEL" "$ROOT/wheels"
mkdir -p "$ROOT/demo/examples"
cp -r examples/patterns "$ROOT/demo/examples"
cp scripts/demo.sh "$ROOT/demo"
chroot "$ROOT" pip install --quiet --force-reinstall --no-index --find-links /wheels tpulang
chroot "$ROOT" sh -euc 'cd /demo; python3 -m tpulang --version; sh demo.sh tpulang; python3 -c "import tpulang; print(tpulang.__version__)"'
