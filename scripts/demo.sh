#!/bin/sh
# Converts and runs a small network, and says what happened.
#   demo.sh TPULANG
set -eu
BIN=$1
OUT=build/demo
mkdir -p "$OUT"
run() { echo; echo "\$ $*"; "$@"; }
echo "examples/patterns: a network that tells which of three patterns an 8 x 8 image shows."
run "$BIN" check examples/patterns/patterns.json
run "$BIN" convert examples/patterns/patterns.json -o "$OUT"
run "$BIN" run examples/patterns/patterns.json -i examples/patterns/inputs.npz -o "$OUT/outputs.npz"
run "$BIN" compare examples/patterns/expected.npz "$OUT/outputs.npz"
cat <<END

Done: $OUT holds what tpuc-opt takes, and the numbers are as expected. Next:
  less $OUT/patterns_origin.mlir              the network as Top MLIR
  $BIN ops                  the functions that a spec can call
  $BIN ops conv             one of them
  make conformance                          let the real tool chain judge (installs tpu_mlir)
  make minilm                               a real language model
END
