#!/bin/sh
# Runs the demo in Debian 11, which has glibc 2.31 and Python 3.9, with a wheel that pip installs there or with the command
# of an archive. Needs root and debootstrap; for another processor also qemu-user-static.
#   oldest.sh WHEEL | ARCHIVE
set -eu
FILE=${1:?usage: oldest.sh WHEEL | ARCHIVE}
case $FILE in
    *x86_64*) ARCH=amd64 PLATFORM=x86_64 ;;
    *aarch64*) ARCH=arm64 PLATFORM=aarch64 ;;
    *) echo "$FILE is for neither x86_64 nor aarch64" >&2; exit 1 ;;
esac
ROOT=target/bullseye-$ARCH
MADE_BY=$(cksum < "$0")
if [ "$(cat "$ROOT/ready" 2>/dev/null)" != "$MADE_BY" ]; then
    rm -rf "$ROOT"
    debootstrap --variant=minbase --arch="$ARCH" --include=python3-pip bullseye "$ROOT"
    target/wheel-tools/bin/python -m pip download --quiet --only-binary=:all: --python-version 3.9 \
        --platform "manylinux2014_$PLATFORM" --dest "$ROOT/wheels" numpy
    echo "$MADE_BY" > "$ROOT/ready"
fi
rm -rf "$ROOT/demo"
mkdir -p "$ROOT/demo/examples"
cp -r examples/patterns "$ROOT/demo/examples"
cp scripts/demo.sh "$ROOT/demo"
in_root() { chroot "$ROOT" sh -euc "cd /demo; $1"; }
case $FILE in
    *.whl)
        # pip would take the newest of several.
        rm -f "$ROOT"/wheels/tpulang-*
        cp "$FILE" "$ROOT/wheels"
        in_root 'pip install --quiet --force-reinstall --no-index --find-links /wheels tpulang
            python3 -m tpulang --version; sh demo.sh tpulang; python3 -c "import tpulang; print(tpulang.__version__)"'
        ;;
    *aarch64*)
        tar xzf "$FILE" -C "$ROOT/demo" --strip-components=1
        in_root './tpulang --version; ./tpulang run examples/patterns/patterns.json -i examples/patterns/inputs.npz -o out.npz
            ./tpulang compare examples/patterns/expected.npz out.npz'
        ;;
    *)
        tar xzf "$FILE" -C "$ROOT/demo" --strip-components=1
        in_root './tpulang --version; sh demo.sh ./tpulang'
        ;;
esac
