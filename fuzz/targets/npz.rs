#![no_main]
//! The reader of .npz files, with any bytes.
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::read_weights(bytes, ".npz"));
fuzzer_main!();
