#!/bin/sh
# Bundles the libraries of the page of `tpulang show --html`, in fixed versions, with their licences: src/show/page/vendor.js.
# Needs network and npm. What they are for: docs/dependencies.md.
set -eu
OUT=$(pwd)/src/show/page/vendor.js
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
cd "$TMP"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts=false \
    @dagrejs/dagre@3.1.3 d3-zoom@3.0.1 d3-selection@3.0.1 esbuild@0.28.2
cat > entry.js <<'END'
export { graphlib, layout } from "@dagrejs/dagre";
export { select } from "d3-selection";
export { zoom, zoomIdentity } from "d3-zoom";
END
npx esbuild entry.js --bundle --minify --format=iife --global-name=vendor --legal-comments=none --outfile=bundle.js
{
    echo "/* Made by scripts/show-vendor.sh of @dagrejs/dagre 3.1.3 (MIT), d3-zoom 3.0.1 and d3-selection 3.0.1 (ISC)."
    echo
    cat node_modules/@dagrejs/dagre/LICENSE
    echo
    cat node_modules/d3-zoom/LICENSE
    echo "*/"
    cat bundle.js
} > "$OUT"
