#![no_main]
//! The reader of MLIR, with modules from the grammar of the tests.
mod common;
#[path = "../../tests/suite/exercise.rs"]
mod exercise;
#[path = "../../tests/suite/grammar.rs"]
mod grammar;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = grammar::module(&mut arbitrary::Unstructured::new(bytes)) else { return };
    if let Ok(g) = tpulang::mlir::read_text(&text) {
        exercise::all(&g);
    }
});
fuzzer_main!();
