#!/bin/sh
# Tests the page of `tpulang show --html` in Chromium: searches, folds, clicks, switches the theme, opens 10,000 operators.
#   show-test.sh BINARY
# Needs npm, from which it gets playwright-core, and Chromium, which it installs with apt if it may. Without them it fails, unless
# SHOW_TEST_MAY_BE_SKIPPED is 1.
set -eu
BIN=$(realpath "$1")
TOOLS=target/browser
not_tested() {
    echo "$1; the page is not tested" >&2
    [ "${SHOW_TEST_MAY_BE_SKIPPED:-}" = 1 ] && exit 0
    exit 1
}
command -v npm >/dev/null || not_tested "there is no npm"
if ! command -v chromium >/dev/null; then
    SUDO=$([ "$(id -u)" = 0 ] || echo sudo)
    if ! { $SUDO apt-get update -qq && $SUDO apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1; then
        not_tested "cannot install chromium"
    fi
fi
MADE_BY=$(cksum < "$0")
if [ "$(cat "$TOOLS/ready" 2>/dev/null)" != "$MADE_BY" ]; then
    mkdir -p "$TOOLS"
    echo '{"private": true}' > "$TOOLS/package.json"
    npm install --silent --no-audit --no-fund --prefix "$TOOLS" playwright-core@1.65.1
    echo "$MADE_BY" > "$TOOLS/ready"
fi
NODE_PATH="$TOOLS/node_modules" exec node tests/browser/show.cjs "$BIN" "$(command -v chromium)"
