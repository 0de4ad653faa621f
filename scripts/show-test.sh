#!/bin/sh
# Tests the page of `tpulang show --html` in Chromium: searches, folds, clicks, switches the theme, opens 10,000 operators.
#   show-test.sh BINARY
# Needs Chromium, which it installs with apt if it may, and playwright-core, which it gets from npm, to drive it.
set -eu
BIN=$(realpath "$1")
TOOLS=target/browser
if ! command -v chromium >/dev/null; then
    SUDO=$([ "$(id -u)" = 0 ] || echo sudo)
    if ! { $SUDO apt-get update -qq && $SUDO apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1; then
        echo "cannot install chromium; the page is not tested" >&2
        exit 0
    fi
fi
if ! command -v npm >/dev/null; then
    echo "there is no npm; the page is not tested" >&2
    exit 0
fi
if [ ! -e "$TOOLS/ready" ]; then
    mkdir -p "$TOOLS"
    echo '{"private": true}' > "$TOOLS/package.json"
    npm install --silent --no-audit --no-fund --prefix "$TOOLS" playwright-core@1.65.1
    touch "$TOOLS/ready"
fi
NODE_PATH="$TOOLS/node_modules" exec node tests/browser/show.cjs "$BIN" "$(command -v chromium)"
