#![no_main]
//! The reader of MLIR, with any bytes.
mod common;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(g) = tpulang::mlir::read_text(text) {
        common::exercise(&g);
    }
});
fuzzer_main!();
