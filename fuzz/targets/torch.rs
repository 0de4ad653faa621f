#![no_main]
//! The reader of PyTorch's files, with any bytes.
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::read_weights(bytes, ".pt"));
fuzzer_main!();
