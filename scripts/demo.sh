#!/bin/sh
# Checks, converts and runs a small network, and prints each command.
#   demo.sh TPULANG
set -eu
BIN=$1
OUT=build/demo
mkdir -p "$OUT"
run() { echo; echo "\$ $*"; "$@"; }
echo "examples/patterns: a network that classifies 8 x 8 images into three patterns."
run "$BIN" check examples/patterns/patterns.json
run "$BIN" convert examples/patterns/patterns.json -o "$OUT"
run "$BIN" run examples/patterns/patterns.json -i examples/patterns/inputs.npz -o "$OUT/outputs.npz"
run "$BIN" compare examples/patterns/expected.npz "$OUT/outputs.npz"
cat <<END

Done: $OUT has the input of tpuc-opt, and the results are as expected. Next:
  less $OUT/patterns_origin.mlir              the network as Top MLIR
  $BIN ops                  functions that a spec can call
  $BIN ops conv             one of them
  make conformance                          compare with tpu_mlir (installs it)
  make minilm                               a real language model
END
