#![no_main]
//! The reader of ONNX files, with any bytes: as a file, whose large tensors stay there, and as a stream.
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let options = tpulang::onnx::Options::new();
    let _ = tpulang::onnx::read_stream(bytes, "stream", &options);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("a temporary file");
    let _ = tpulang::onnx::read(file.path(), &options);
});
fuzzer_main!();
