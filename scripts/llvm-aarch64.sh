#!/bin/sh
# Unpacks Debian's LLVM, MLIR and libstdc++ for ARM, which the wheel for ARM contains. Nothing is installed.
#   llvm-aarch64.sh FOLDER LLVM
set -eu
FOLDER=${1:?usage: llvm-aarch64.sh FOLDER LLVM} LLVM=$2
MADE_BY=$(cksum < "$0")
if [ "$(cat "$FOLDER/ready" 2>/dev/null)" = "$MADE_BY" ]; then exit 0; fi
rm -rf "$FOLDER"
mkdir -p "$FOLDER/apt/lists/partial" "$FOLDER/apt/archives/partial"
cd "$FOLDER"
cat > apt/conf <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State::Lists "$PWD/apt/lists";
Dir::State::status "/dev/null";
Dir::Cache "$PWD/apt";
END
export APT_CONFIG="$PWD/apt/conf"
apt-get update -q
RELEASE=${LLVM##*-}
apt-get download -q "llvm-$RELEASE-dev" "libmlir-$RELEASE-dev" "libpolly-$RELEASE-dev" "libstdc++-$(c++ -dumpversion)-dev"
for package in *.deb; do dpkg -x "$package" .; done
rm -rf apt ./*.deb
# It lists the same libraries as the one of this machine, in another folder.
mkdir -p ".$LLVM/bin"
printf '#!/bin/sh\n%s "$@" | sed "s|%s|%s|g"\n' "$LLVM/bin/llvm-config" "$LLVM" "$PWD$LLVM" > ".$LLVM/bin/llvm-config"
chmod +x ".$LLVM/bin/llvm-config"
echo "$MADE_BY" > ready
