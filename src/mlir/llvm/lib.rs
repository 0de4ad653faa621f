//! Only a build script, which checks that LLVM and MLIR are installed. `tpulang-base` depends on it (feature `llvm`) because
//! Cargo builds first what most crates depend on: the check must run before the build scripts of mlir-sys and tblgen fail.
