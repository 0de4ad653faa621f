//! What the targets share.
use tpulang::{Array, Graph, exec, mlir, spec};

/// What a graph goes through that came of an input: written and read again, and run if it is small.
#[allow(dead_code)]
pub fn exercise(g: &Graph) {
    let elements = g.tensors().map(|(_, t)| t.shape.iter().fold(1usize, |n, d| n.saturating_mul(*d)));
    if elements.fold(0, usize::saturating_add) > 100_000 {
        return;
    }
    if let Ok(emitted) = mlir::emit(g) {
        let again = mlir::read_text(&emitted.text).expect("what is written can be read");
        // Text alone has no coefficients' data, so that it is emitted again only where there are none.
        if let Ok(second) = mlir::emit(&again) {
            assert_eq!(second.text, emitted.text);
        }
    }
    let _ = spec::to_text(g, None).map(|text| spec::from_text(&text, "again.json", None));
    let inputs = g.inputs().iter().filter_map(|t| g.tensor(*t).ok());
    let feeds: indexmap::IndexMap<String, Array> = inputs
        .filter_map(|t| Some((t.name.clone(), Array::filled(t.dtype, t.shape.clone(), 0.0).ok()?)))
        .collect();
    let _ = exec::run(g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default());
}

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
