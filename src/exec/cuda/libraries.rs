//! NVIDIA's shared libraries: checks that they are installed and export the required functions.
use super::device::failure;
use crate::base::Result;
use cudarc::{cublaslt, cudnn, driver};
use libloading::Library as SharedLibrary;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The oldest supported driver, by its CUDA version.
pub(super) const OLDEST_DRIVER: i32 = 12000;

/// The driver's functions that are called.
const OF_DRIVER: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
    "cuGraphDestroy",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventDestroy_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemcpyDtoDAsync_v2",
    "cuPointerGetAttribute",
    "cuMemFreeHost",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuLaunchKernel",
];

/// The functions of cuBLASLt that are called.
const OF_CUBLASLT: &[&str] = &[
    "cublasLtCreate",
    "cublasLtDestroy",
    "cublasLtMatmulDescCreate",
    "cublasLtMatmulDescSetAttribute",
    "cublasLtMatmulDescDestroy",
    "cublasLtMatrixLayoutCreate",
    "cublasLtMatrixLayoutSetAttribute",
    "cublasLtMatrixLayoutDestroy",
    "cublasLtMatmulPreferenceCreate",
    "cublasLtMatmulPreferenceSetAttribute",
    "cublasLtMatmulPreferenceDestroy",
    "cublasLtMatmulAlgoGetHeuristic",
    "cublasLtMatmul",
];

/// The functions of cuDNN that are called.
const OF_CUDNN: &[&str] = &[
    "cudnnGetVersion",
    "cudnnGetErrorString",
    "cudnnCreate",
    "cudnnDestroy",
    "cudnnSetStream",
    "cudnnCreateTensorDescriptor",
    "cudnnSetTensorNdDescriptor",
    "cudnnDestroyTensorDescriptor",
    "cudnnCreateFilterDescriptor",
    "cudnnSetFilterNdDescriptor",
    "cudnnDestroyFilterDescriptor",
    "cudnnCreateConvolutionDescriptor",
    "cudnnSetConvolutionNdDescriptor",
    "cudnnSetConvolutionMathType",
    "cudnnSetConvolutionGroupCount",
    "cudnnDestroyConvolutionDescriptor",
    "cudnnGetConvolutionForwardAlgorithm_v7",
    "cudnnGetConvolutionForwardWorkspaceSize",
    "cudnnConvolutionForward",
    "cudnnGetConvolutionBackwardDataAlgorithm_v7",
    "cudnnGetConvolutionBackwardDataWorkspaceSize",
    "cudnnConvolutionBackwardData",
];

/// A mathematics library. Without it, this backend uses its own kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Library {
    CublasLt,
    Cudnn,
}

/// Checks that the driver is installed and exports the required functions.
///
/// # Errors
/// Returns an error if the driver is missing or lacks a function.
pub(super) fn require_driver() -> Result<()> {
    // SAFETY: loading NVIDIA's libraries runs their initializers, as expected by a program that uses a GPU.
    let library = unsafe { driver::sys::is_culib_present().then(|| driver::sys::culib()) };
    let missing =
        "no NVIDIA driver: libcuda.so.1 is not found or cannot be loaded; install the driver, or run on the cpu";
    has_all("CUDA", "libcuda.so", library.ok_or_else(|| failure("CUDA", missing))?, OF_DRIVER)
}

/// The message if no NVRTC is installed.
pub(super) const MISSING_COMPILER: &str = "libnvrtc.so, which compiles kernels, is not found; it comes with the CUDA toolkit and with `pip install \
     nvidia-cuda-nvrtc` (nvidia-cuda-nvrtc-cu12 for a CUDA 12 driver; its folder must be in LD_LIBRARY_PATH)";

/// Checks that a mathematics library is installed and exports the required functions.
///
/// # Errors
/// Returns an error if the library is missing or lacks a function.
pub(super) fn require(library: Library) -> Result<()> {
    // SAFETY: as above.
    unsafe {
        match library {
            Library::CublasLt => {
                let found = cublaslt::sys::is_culib_present().then(|| cublaslt::sys::culib());
                let missing = "libcublasLt.so is not found; it comes with the CUDA toolkit and with `pip install nvidia-cublas` \
                               (nvidia-cublas-cu12 for a CUDA 12 driver; its folder must be in LD_LIBRARY_PATH)";
                has_all("cuBLASLt", "libcublasLt.so", found.ok_or_else(|| failure("cuBLASLt", missing))?, OF_CUBLASLT)
            }
            Library::Cudnn => {
                let found = cudnn::sys::is_culib_present().then(|| cudnn::sys::culib());
                let missing = "libcudnn.so is not found; it comes with cuDNN 9 and with `pip install nvidia-cudnn-cu13` \
                               (nvidia-cudnn-cu12 for a CUDA 12 driver; its folder must be in LD_LIBRARY_PATH)";
                let found = found.ok_or_else(|| failure("cuDNN", missing))?;
                has_all("cuDNN", "libcudnn.so", found, OF_CUDNN)?;
                // cuDNN 8 has other parts, and is rejected because of its version.
                let is_older = found.get::<unsafe extern "C" fn()>(b"cudnnOpsInferVersionCheck").is_ok();
                if is_older { Ok(()) } else { has_parts() }
            }
        }
    }
}

/// The sublibraries of cuDNN, which aborts the process if one is missing.
const PARTS_OF_CUDNN: [&str; 3] = ["libcudnn_graph.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9"];

fn has_parts() -> Result<()> {
    // cuDNN searches its own folder first.
    let beside = folder_of("/libcudnn.so").unwrap_or_default();
    for part in PARTS_OF_CUDNN {
        // SAFETY: same as for `require_driver`.
        let loaded = unsafe { SharedLibrary::new(beside.join(part)).or_else(|_| SharedLibrary::new(part)) };
        // The sublibrary stays loaded, because cuDNN calls it.
        let missing = || failure("cuDNN", format!("{part}, a part of it, is not found or cannot be loaded"));
        std::mem::forget(loaded.map_err(|_| missing())?);
    }
    Ok(())
}

/// Returns the folder of a loaded library whose path contains `part`.
fn folder_of(part: &str) -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().filter_map(|line| line.get(line.find('/')?..)).find(|path| path.contains(part))?;
    Path::new(path).parent().map(Path::to_path_buf)
}

/// Loads a library from the folder of a loaded one whose path contains `part`, which the system's loader may not search. It
/// stays loaded, so that the other library finds it by name.
pub(super) fn load_beside(part: &str, file: &str) {
    let Some(path) = folder_of(part).map(|folder| folder.join(file)).filter(|path| path.exists()) else { return };
    // SAFETY: loading NVIDIA's libraries runs their initializers; a failure is reported when the library is used.
    if let Ok(library) = unsafe { SharedLibrary::new(path) } {
        std::mem::forget(library);
    }
}

/// The message if a library does not export a function.
pub(super) fn lacks(file: &str, symbol: &str) -> String {
    format!("{file} does not export {symbol}; it is outdated or not NVIDIA's")
}

fn has_all(name: &str, file: &str, library: &SharedLibrary, symbols: &[&str]) -> Result<()> {
    // SAFETY: the symbol is only looked up, not called.
    let is_exported = |symbol: &&&str| unsafe { library.get::<unsafe extern "C" fn()>(symbol.as_bytes()).is_ok() };
    match symbols.iter().find(|symbol| !is_exported(symbol)) {
        None => Ok(()),
        Some(symbol) => Err(failure(name, lacks(file, symbol))),
    }
}
