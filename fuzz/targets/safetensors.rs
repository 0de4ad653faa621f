#![no_main]
//! The reader of .safetensors files, with any bytes.
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::read_weights(bytes, ".safetensors"));
fuzzer_main!();
