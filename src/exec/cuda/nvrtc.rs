//! Kernels compiled for a GPU's architecture by NVIDIA's run-time compiler.
use super::{device::failure, libraries, source::Source};
use crate::base::{Result, invalid};
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString, c_char};

/// For messages.
const NAME: &str = "NVRTC";

/// Kernels multiply and add by `fmaf` where they want it, so that what is exact on the CPU is exact here.
const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "--device-int128"];

/// What a kernel has become: the code, and the function's name in it.
pub(super) struct Compiled {
    pub code: Vec<u8>,
    pub name: String,
}

impl Compiled {
    /// As it is kept on disk: the name, a line feed, the code.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.name.as_bytes(), b"\n", &self.code].concat()
    }
    pub fn from_bytes(bytes: &[u8]) -> Option<Compiled> {
        let end = bytes.iter().position(|b| *b == b'\n')?;
        Some(Compiled { name: String::from_utf8(bytes[..end].to_vec()).ok()?, code: bytes[end + 1..].to_vec() })
    }
}

/// The compiler's version, and all that changes what it makes.
///
/// # Errors
/// It is not there.
pub(super) fn version() -> Result<String> {
    libraries::require_compiler()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library has the function; both places live until it returns.
    check(unsafe { sys::nvrtcVersion(&mut major, &mut minor) })?;
    Ok(format!("NVRTC {major}.{minor} {}", OPTIONS.join(" ")))
}

fn check(code: sys::nvrtcResult) -> Result<()> {
    code.result().map_err(|e| failure(NAME, e))
}

/// Is destroyed when it is dropped.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: it was created, and is destroyed once.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

/// Compiles a kernel for `sm_90`.
///
/// # Errors
/// The compiler is not there, does not know the architecture, or refuses the text.
pub(super) fn compile(source: &Source, architecture: &str) -> Result<Compiled> {
    libraries::require_compiler()?;
    let text = |t: String| CString::new(t).map_err(|e| invalid(format!("the text of a kernel: {e}")));
    let (code, file, function) = (text(source.text())?, text(source.file.into())?, text(source.function.clone())?);
    let program = result::create_program(&code, Some(&file)).map_err(|e| failure(NAME, e))?;
    let program = Program(program);
    // SAFETY: the program is alive, the name ends with 0.
    check(unsafe { sys::nvrtcAddNameExpression(program.0, function.as_ptr()) })?;
    let options: Vec<String> =
        OPTIONS.map(String::from).into_iter().chain([format!("--gpu-architecture={architecture}")]).collect();
    // SAFETY: the program is alive, its text too; the options are copied.
    if let Err(e) = unsafe { result::compile_program(program.0, &options) } {
        let problem = format!("{} of {} for {architecture}: {e}\n{}", source.function, source.file, log(&program));
        return Err(failure(NAME, problem.trim_end()));
    }
    Ok(Compiled { code: cubin(&program)?, name: lowered(&program, &function)? })
}

fn log(program: &Program) -> String {
    // SAFETY: the program is alive.
    let bytes = unsafe { result::get_program_log(program.0) }.unwrap_or_default();
    let bytes: Vec<u8> = bytes.into_iter().map(|c| c as u8).take_while(|c| *c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn cubin(program: &Program) -> Result<Vec<u8>> {
    let mut size = 0;
    // SAFETY: the program is alive and was compiled; the place lives until the call returns.
    check(unsafe { sys::nvrtcGetCUBINSize(program.0, &mut size) })?;
    let mut code = crate::array::zeros::<u8>(size)?;
    // SAFETY: there is room for as many bytes as it said.
    check(unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast::<c_char>()) })?;
    Ok(code)
}

fn lowered(program: &Program, function: &CStr) -> Result<String> {
    let mut name: *const c_char = std::ptr::null();
    // SAFETY: the program is alive, and this name was added before it was compiled.
    check(unsafe { sys::nvrtcGetLoweredName(program.0, function.as_ptr(), &mut name) })?;
    if name.is_null() {
        return Err(failure(NAME, "a kernel without a name"));
    }
    // SAFETY: it ends with 0 and belongs to the program, which is alive.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}
