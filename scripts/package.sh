#!/bin/sh
# Packages the crates for crates.io in target/package, and builds and runs two programs that depend on them, as a user's
# would: one with MLIR and one without.
#   package.sh
set -eu
CRATES=$(sed -n 's/^name = "\(tpulang.*\)"/\1/p' Cargo.toml src/*/Cargo.toml src/*/*/Cargo.toml | sort -u)
rm -f target/package/tpulang*.crate
cargo package --no-verify --allow-dirty $(printf -- ' -p %s' $CRATES)
PACKAGED=$PWD/target/package/crates
rm -rf "$PACKAGED"
mkdir -p "$PACKAGED"
for crate in target/package/tpulang*.crate; do tar xzf "$crate" -C "$PACKAGED"; done

# Not below this folder, whose .cargo/config.toml would apply.
PROGRAMS=$(mktemp -d)
trap 'rm -rf "$PROGRAMS"' EXIT
# NAME FEATURES: a package with the program of standard input.
package() {
    mkdir -p "$PROGRAMS/$1/src"
    cat > "$PROGRAMS/$1/src/main.rs"
    {
        printf '[package]\nname = "%s"\nedition = "2024"\n\n[workspace]\n\n' "$1"
        printf '[dependencies]\ntpulang = { version = "*", default-features = false, features = [%s] }\n\n' "$2"
        echo '[patch.crates-io]'
        for crate in $CRATES; do echo "$crate = { path = \"$(echo "$PACKAGED/$crate"-[0-9]*)\" }"; done
    } > "$PROGRAMS/$1/Cargo.toml"
    cp Cargo.lock "$PROGRAMS/$1"
}
# Third-party crates that are compiled already are not compiled again.
export CARGO_TARGET_DIR="$PWD/target" CARGO_PROFILE_DEV_DEBUG=line-tables-only
package without-mlir '"cuda"' <<'END'
use tpulang::{Array, Dtype, Graph, exec};

fn main() -> tpulang::Result<()> {
    let mut g = Graph::new("double")?;
    let x = g.input("x", Dtype::Float32, [2])?;
    let y = g.mul(x, 2.0).out_name("y").call()?;
    g.set_outputs(&[y])?;
    let session = exec::Session::new(&g, exec::CpuBackend::new(), &exec::RunOptions::default())?;
    let results = session.run(&[("x", Array::from_vec([2], vec![1.0f32, 3.0])?)])?;
    assert_eq!(results["y"].to_f32()?, [2.0, 6.0]);
    Ok(())
}
END
# The README's program.
sed -n '/^```rust$/,/^```$/p' README.md | sed '1d;$d' | package with-mlir '"cuda", "mlir"'
(cd "$PROGRAMS/without-mlir" && cargo run)
mkdir "$PROGRAMS/with-mlir/.cargo"
cp .cargo/config.toml "$PROGRAMS/with-mlir/.cargo"
sed -i '/^# The extension module/,$d' "$PROGRAMS/with-mlir/.cargo/config.toml"
(cd "$PROGRAMS/with-mlir" && cargo run)
