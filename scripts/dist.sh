#!/bin/sh
# Builds an archive of the command into target/dist, for every Linux with glibc 2.28 or newer: for x86-64 with MLIR, for ARM
# without it.
#   dist.sh PROFILE [x86_64 | aarch64]
set -eu
PROFILE=${1:?usage: dist.sh PROFILE [x86_64 | aarch64]}
ARCH=${2:-$(uname -m)}
. scripts/zig.sh
TARGET=$ARCH-unknown-linux-gnu
FOLDER=$(if [ "$PROFILE" = dev ]; then echo debug; else echo "$PROFILE"; fi)
if [ "$ARCH" = "$HOST" ]; then
    set --
    BIN=target/$FOLDER/tpulang
else
    set -- --target "$TARGET"
    BIN=target/$TARGET/$FOLDER/tpulang
fi
if [ "$ARCH" = aarch64 ]; then set -- "$@" --no-default-features --features cli,cuda,onnx; fi
# Only the linker differs from a plain build, so that nothing else is compiled again.
cargo rustc --locked --profile "$PROFILE" -p tpulang --bin tpulang "$@" -- -C linker="$LINKER"
check_symbols "$BIN"
VERSION=$(cargo pkgid -p tpulang | sed 's/.*[#@]//')
NAME=tpulang-$VERSION-$TARGET
rm -rf "target/dist/$NAME"
mkdir -p "target/dist/$NAME"
cp "$BIN" LICENSE README.md CHANGELOG.md "target/dist/$NAME"
tar czf "target/dist/$NAME.tar.gz" -C target/dist --sort=name --owner=0 --group=0 "$NAME"
rm -r "target/dist/$NAME"
echo "target/dist/$NAME.tar.gz"
