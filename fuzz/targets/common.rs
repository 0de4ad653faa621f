//! What the targets share.

/// Reads every array of a weights file with these bytes.
#[allow(dead_code)]
pub fn read_weights(bytes: &[u8], ending: &str) {
    let file = tempfile::Builder::new().suffix(ending).tempfile().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("a temporary file");
    let Ok(mut weights) = tpulang::array::WeightFile::open(file.path()) else { return };
    let names: Vec<String> = weights.names().iter().map(|n| (*n).to_owned()).collect();
    for name in names {
        if let Ok(array) = weights.read(&name) {
            let _ = array.bytes().map(<[u8]>::len);
        }
    }
}

/// MLIR's static libraries bring a `main` along, which the linker prefers to libFuzzer's.
#[macro_export]
macro_rules! fuzzer_main {
    () => {
        unsafe extern "C" {
            fn LLVMFuzzerRunDriver(
                argc: *mut i32,
                argv: *mut *mut *mut std::ffi::c_char,
                run: unsafe extern "C" fn(*const u8, usize) -> i32,
            ) -> i32;
            fn LLVMFuzzerTestOneInput(data: *const u8, len: usize) -> i32;
        }
        #[unsafe(no_mangle)]
        extern "C" fn main(mut argc: i32, mut argv: *mut *mut std::ffi::c_char) -> i32 {
            // SAFETY: these are the process's arguments.
            unsafe { LLVMFuzzerRunDriver(&mut argc, &mut argv, LLVMFuzzerTestOneInput) }
        }
    };
}
