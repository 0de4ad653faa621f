#!/bin/sh
# Runs examples/calibrate_ray.py with several workers, of which one is killed midway, and compares its table with that of one process.
#   calibrate_ray.sh TPULANG VENV
set -eu
TPULANG=$(realpath "${1:?usage: calibrate_ray.sh TPULANG VENV}")
VENV=${2:?usage: calibrate_ray.sh TPULANG VENV}
export TPULANG
sh scripts/venv.sh "$VENV" ray==2.60.0
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
mkdir "$WORK/samples"
MODEL=examples/patterns/patterns.json
for i in 1 2 3 4 5 6; do "$TPULANG" -q run $MODEL --random $i --fetch image -o "$WORK/samples/$i.npz"; done
"$VENV/bin/python" examples/calibrate_ray.py $MODEL --data "$WORK/samples" --parts 4 -o "$WORK/ray.table" --die-once "$WORK/died"
"$TPULANG" calibrate $MODEL --data "$WORK/samples" -o "$WORK/single.table"
[ -e "$WORK/died" ] || { echo "no worker was killed"; exit 1; }
cmp "$WORK/ray.table" "$WORK/single.table"
echo "1 passed, 0 failed"
