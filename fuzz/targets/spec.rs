#![no_main]
//! The reader of specs, with any text.
mod common;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(g) = tpulang::spec::from_text(text, "fuzz.json", None) {
        common::exercise(&g);
    }
});
fuzzer_main!();
