#!/bin/sh
# Prints the section of a version in CHANGELOG.md.
#   release-notes.sh VERSION
set -eu
VERSION=${1:?usage: release-notes.sh VERSION}
awk -v version="$VERSION" '/^## / { shown = $2 == version; next } shown' CHANGELOG.md | grep . ||
    { echo "CHANGELOG.md has no section on $VERSION" >&2; exit 1; }
