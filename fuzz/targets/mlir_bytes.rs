#![no_main]
//! The reader of MLIR, with any bytes.
mod common;
#[path = "../../tests/suite/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(g) = tpulang::mlir::read_text(text) {
        exercise::all(&g);
    }
});
fuzzer_main!();
