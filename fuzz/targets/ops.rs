#![no_main]
//! Every op of the table, with operands, attributes and quantizations that nobody would write.
mod common;
#[path = "../../tests/suite/drawn.rs"]
mod drawn;
#[path = "../../tests/suite/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = arbitrary::Unstructured::new(bytes);
    let d = &mut drawn::Draw { source: &mut |n| bytes.int_in_range(0..=n - 1).unwrap_or(0) };
    if let Some(g) = drawn::graph(d).filter(exercise::is_small) {
        exercise::write_and_read(&g);
        drawn::run(d, &g);
    }
});
fuzzer_main!();
