#![no_main]
//! The reader of specs, with any text.
mod common;
#[path = "../../tests/suite/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(g) = tpulang::spec::from_text(text, "fuzz.json", None) {
        exercise::all(&g);
    }
});
fuzzer_main!();
