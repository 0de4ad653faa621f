//! Compiles kernels with NVIDIA's run-time compiler, NVRTC.
use super::{
    device::failure,
    libraries::{self, MISSING_COMPILER},
    source::Source,
};
use crate::base::{Result, invalid};
use libloading::Library;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    ptr::{null, null_mut},
};

/// The library's name in messages.
const NAME: &str = "NVRTC";

/// `--fmad=false` restricts fused multiply-add to `fmaf`, so that results that are exact on the CPU are exact here.
const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "--device-int128"];

/// The oldest major version that is searched for by its file name.
const OLDEST_MAJOR: i32 = 12;

/// A compiled kernel.
pub(super) struct Compiled {
    /// Machine code (cubin), or PTX with a terminating zero.
    pub code: Vec<u8>,
    /// The mangled name of the function.
    pub name: String,
}

impl Compiled {
    /// Returns the cache format: the name, a line feed, the code.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.name.as_bytes(), b"\n", &self.code].concat()
    }
    pub fn from_bytes(bytes: &[u8]) -> Option<Compiled> {
        let end = bytes.iter().position(|b| *b == b'\n')?;
        Some(Compiled { name: String::from_utf8(bytes[..end].to_vec()).ok()?, code: bytes[end + 1..].to_vec() })
    }
}

/// The target that kernels are compiled for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Machine code for this architecture: `sm_90`.
    Machine(String),
    /// PTX for the newest architecture that NVRTC supports, which the driver compiles for a newer GPU: `compute_90`.
    Ptx(String),
}

impl Target {
    /// Returns the value of `--gpu-architecture`.
    pub fn option(&self) -> &str {
        match self {
            Target::Machine(option) | Target::Ptx(option) => option,
        }
    }
}

/// `nvrtcProgram`
type RawProgram = *mut c_void;

/// Declares the functions of NVRTC that are called.
macro_rules! functions {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }
        impl Functions {
            /// # Errors
            /// Returns the name of the first function that the library does not export.
            ///
            /// # Safety
            /// The library must be NVRTC, and must stay loaded as long as the functions are called.
            unsafe fn load(library: &Library) -> std::result::Result<Functions, &'static str> {
                // SAFETY: the types are those of `nvrtc.h`.
                unsafe { Ok(Functions { $($field: *library.get($symbol.as_bytes()).map_err(|_| $symbol)?,)* }) }
            }
        }
    };
}

functions! {
    version = "nvrtcVersion" (*mut c_int, *mut c_int);
    architecture_count = "nvrtcGetNumSupportedArchs" (*mut c_int);
    architectures = "nvrtcGetSupportedArchs" (*mut c_int);
    create = "nvrtcCreateProgram"
        (*mut RawProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
    destroy = "nvrtcDestroyProgram" (*mut RawProgram);
    add_name = "nvrtcAddNameExpression" (RawProgram, *const c_char);
    compile = "nvrtcCompileProgram" (RawProgram, c_int, *const *const c_char);
    log_size = "nvrtcGetProgramLogSize" (RawProgram, *mut usize);
    log = "nvrtcGetProgramLog" (RawProgram, *mut c_char);
    lowered_name = "nvrtcGetLoweredName" (RawProgram, *const c_char, *mut *const c_char);
    cubin_size = "nvrtcGetCUBINSize" (RawProgram, *mut usize);
    cubin = "nvrtcGetCUBIN" (RawProgram, *mut c_char);
    ptx_size = "nvrtcGetPTXSize" (RawProgram, *mut usize);
    ptx = "nvrtcGetPTX" (RawProgram, *mut c_char);
}

/// The newest NVRTC that is compatible with the driver.
pub(super) struct Nvrtc {
    functions: Functions,
    error_text: unsafe extern "C" fn(c_int) -> *const c_char,
    /// Major and minor version.
    version: [c_int; 2],
    /// The supported compute capabilities, as `90` for 9.0, in ascending order.
    architectures: Vec<c_int>,
}

impl Nvrtc {
    /// Loads NVRTC for a driver of this CUDA version (`13000` for 13.0): the one of the driver's major version if it is
    /// installed, otherwise an older one.
    ///
    /// # Errors
    /// Returns an error if NVRTC is not found, lacks a function, or is newer than the driver.
    pub fn load(driver: c_int) -> Result<Nvrtc> {
        let of_major = (OLDEST_MAJOR..=driver / 1000).rev().map(|major| format!("libnvrtc.so.{major}"));
        let mut problem = None;
        for file in of_major.chain(["libnvrtc.so".to_owned()]) {
            match Nvrtc::open(&file, driver) {
                Some(Ok(nvrtc)) => return Ok(nvrtc),
                Some(Err(e)) => problem = problem.or(Some(e)),
                None => {}
            }
        }
        Err(problem.unwrap_or_else(|| failure(NAME, MISSING_COMPILER)))
    }
    /// Opens one file. Returns `None` if it cannot be loaded.
    fn open(file: &str, driver: c_int) -> Option<Result<Nvrtc>> {
        // SAFETY: loading NVIDIA's library runs its initializers, as expected by a program that uses a GPU.
        let library = unsafe { Library::new(file) }.ok()?;
        // SAFETY: the library stays loaded: it is closed only if this call fails.
        let nvrtc = unsafe { Nvrtc::of_library(&library, file) };
        let [found, newest] = [nvrtc.as_ref().map_or(0, |n| n.version[0]), driver / 1000];
        if found > newest {
            let problem = format!(
                "{file} is from CUDA {found}, but the driver is for CUDA {newest}; \
                 install NVRTC from CUDA {newest} (`pip install nvidia-cuda-nvrtc-cu{newest}`) or a newer driver"
            );
            return Some(Err(failure(NAME, problem)));
        }
        if nvrtc.is_ok() {
            std::mem::forget(library);
        }
        Some(nvrtc)
    }
    /// # Safety
    /// The library must stay loaded as long as the result lives.
    unsafe fn of_library(library: &Library, file: &str) -> Result<Nvrtc> {
        let lacks = |symbol| failure(NAME, libraries::lacks(file, symbol));
        // SAFETY: same as for this function; the type is that of `nvrtc.h`.
        let (functions, error_text) = unsafe {
            let symbol = "nvrtcGetErrorString";
            (Functions::load(library).map_err(lacks)?, *library.get(symbol.as_bytes()).map_err(|_| lacks(symbol))?)
        };
        let mut nvrtc = Nvrtc { functions, error_text, version: [0; 2], architectures: Vec::new() };
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: both variables live until the call returns.
        nvrtc.check(unsafe { (nvrtc.functions.version)(&mut major, &mut minor) })?;
        nvrtc.version = [major, minor];
        libraries::load_beside("/libnvrtc.so", &format!("libnvrtc-builtins.so.{major}.{minor}"));
        // SAFETY: the variable lives until the call returns.
        nvrtc.check(unsafe { (nvrtc.functions.architecture_count)(&mut count) })?;
        let mut architectures = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the buffer has the reported length.
        nvrtc.check(unsafe { (nvrtc.functions.architectures)(architectures.as_mut_ptr()) })?;
        architectures.sort_unstable();
        Ok(Nvrtc { architectures, ..nvrtc })
    }
    fn describe_error(&self, code: c_int) -> String {
        // SAFETY: the library returns a static string.
        unsafe { CStr::from_ptr((self.error_text)(code)) }.to_string_lossy().into_owned()
    }
    fn check(&self, code: c_int) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(failure(NAME, self.describe_error(code))) }
    }
    /// Returns a description for cache keys: the version and all options.
    pub fn description(&self) -> String {
        let [major, minor] = self.version;
        format!("NVRTC {major}.{minor} {}", OPTIONS.join(" "))
    }
    /// Returns the target for a GPU of a compute capability (`90` for 9.0): machine code if NVRTC supports the architecture,
    /// otherwise PTX.
    ///
    /// # Errors
    /// Returns an error if the GPU is older than every architecture that NVRTC supports.
    pub fn target(&self, capability: c_int) -> Result<Target> {
        if self.architectures.contains(&capability) {
            return Ok(Target::Machine(format!("sm_{capability}")));
        }
        let newest = self.architectures.iter().rfind(|known| **known < capability);
        let of = |n: c_int| format!("{}.{}", n / 10, n % 10);
        newest.map(|n| Target::Ptx(format!("compute_{n}"))).ok_or_else(|| {
            let ([major, minor], oldest) = (self.version, self.architectures.first().copied().unwrap_or(0));
            let problem = format!(
                "NVRTC {major}.{minor} compiles for compute capability {} and newer; the GPU has {}; install an older \
                 NVRTC (`pip install nvidia-cuda-nvrtc-cu{OLDEST_MAJOR}`)",
                of(oldest),
                of(capability)
            );
            failure(NAME, problem)
        })
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// Returns an error if the compiler rejects the source.
    pub fn compile(&self, source: &Source, target: &Target) -> Result<Compiled> {
        let text = |t: String| CString::new(t).map_err(|e| invalid(format!("the text of a kernel: {e}")));
        let (code, file, function) = (text(source.text())?, text(source.file.into())?, text(source.function.clone())?);
        let mut program = NvrtcProgram { nvrtc: self, raw: null_mut() };
        // SAFETY: the strings end with 0 and are copied; there are no headers.
        let created =
            unsafe { (self.functions.create)(&mut program.raw, code.as_ptr(), file.as_ptr(), 0, null(), null()) };
        self.check(created)?;
        // SAFETY: the program is alive, and the name ends with 0.
        self.check(unsafe { (self.functions.add_name)(program.raw, function.as_ptr()) })?;
        let options = OPTIONS.map(str::to_owned).into_iter().chain([format!("--gpu-architecture={}", target.option())]);
        let options = options.map(text).collect::<Result<Vec<_>>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: the program and the options are alive.
        let compiled = unsafe { (self.functions.compile)(program.raw, pointers.len() as c_int, pointers.as_ptr()) };
        if compiled != 0 {
            let what = format!("{} of {} for {}", source.function, source.file, target.option());
            let problem = format!("{what}: {}\n{}", self.describe_error(compiled), program.log());
            return Err(failure(NAME, problem.trim_end()));
        }
        let code = match target {
            Target::Machine(_) => program.bytes(self.functions.cubin_size, self.functions.cubin)?,
            Target::Ptx(_) => program.bytes(self.functions.ptx_size, self.functions.ptx)?,
        };
        Ok(Compiled { code, name: program.lowered(&function)? })
    }
}

/// A program of NVRTC, destroyed on drop.
struct NvrtcProgram<'n> {
    nvrtc: &'n Nvrtc,
    raw: RawProgram,
}

impl NvrtcProgram<'_> {
    /// Returns bytes whose length `size` reports and whose content `copy` writes.
    fn bytes(
        &self,
        size: unsafe extern "C" fn(RawProgram, *mut usize) -> c_int,
        copy: unsafe extern "C" fn(RawProgram, *mut c_char) -> c_int,
    ) -> Result<Vec<u8>> {
        let mut count = 0;
        // SAFETY: the program is alive; the variable lives until the call returns.
        self.nvrtc.check(unsafe { size(self.raw, &mut count) })?;
        let mut bytes = crate::array::zeros::<u8>(count)?;
        // SAFETY: the buffer has the reported length.
        self.nvrtc.check(unsafe { copy(self.raw, bytes.as_mut_ptr().cast::<c_char>()) })?;
        Ok(bytes)
    }
    fn log(&self) -> String {
        let bytes = self.bytes(self.nvrtc.functions.log_size, self.nvrtc.functions.log).unwrap_or_default();
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
    fn lowered(&self, function: &CStr) -> Result<String> {
        let mut name: *const c_char = null();
        // SAFETY: the program is alive, and this name was added before compilation.
        self.nvrtc.check(unsafe { (self.nvrtc.functions.lowered_name)(self.raw, function.as_ptr(), &mut name) })?;
        if name.is_null() {
            return Err(failure(NAME, "a kernel without a name"));
        }
        // SAFETY: the name ends with 0 and belongs to the program, which is alive.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}

impl Drop for NvrtcProgram<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the program was created above and is destroyed once.
            let _ = unsafe { (self.nvrtc.functions.destroy)(&mut self.raw) };
        }
    }
}
