//! Convolutions by cuDNN.
use super::{
    device::{Address, failure},
    driver::Gpu,
    float::Float,
    libraries::{self, Library},
    library_call::{self, DISABLE_HINT, LibraryCall, WORKSPACE},
};
use crate::base::{Error, Result, shape_text};
use cudarc::cudnn::{
    result::{self, CudnnError},
    sys,
};
use std::{
    ffi::{CStr, c_int, c_void},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

type Handle<T> = library_call::Handle<T, CudnnError>;

/// The library's name in messages.
const NAME: &str = "cuDNN";

/// The oldest supported version.
const OLDEST: usize = 90_000;

/// The number of requested algorithms.
const CANDIDATES: usize = 8;

/// An open library, for one GPU.
pub(super) struct Dnn {
    /// Used by one thread at a time. Declared before the GPU, so that it is dropped first.
    handle: Mutex<Handle<sys::cudnnHandle_t>>,
    gpu: Arc<Gpu>,
    tf32: bool,
}

/// A convolution, or the gradient of its input, which is a transposed convolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Convolution {
    pub is_transposed: bool,
    pub float: Float,
    /// Images, channels and spatial axes of the operand, and of the result.
    pub input: Vec<usize>,
    pub output: Vec<usize>,
    /// oc x ic/groups x kernel. A transposed convolution has the filter of the convolution whose gradient it computes.
    pub filter: Vec<usize>,
    pub groups: usize,
    /// The padding of each spatial axis, equal at both ends.
    pub pads: Vec<i64>,
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
}

impl fmt::Display for Convolution {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let what = if self.is_transposed { "a transposed convolution" } else { "a convolution" };
        write!(f, "{what} of {} to {}", shape_text(&self.input), shape_text(&self.output))
    }
}

fn text_of(e: CudnnError) -> String {
    // SAFETY: the library returns a static string.
    unsafe { CStr::from_ptr(sys::cudnnGetErrorString(e.0)) }.to_string_lossy().into_owned()
}

fn refused(e: CudnnError) -> Error {
    failure(NAME, text_of(e))
}

type Tensor = Handle<sys::cudnnTensorDescriptor_t>;
type Filter = Handle<sys::cudnnFilterDescriptor_t>;
type Windows = Handle<sys::cudnnConvolutionDescriptor_t>;

impl Dnn {
    /// # Errors
    /// Returns an error if the library is missing, too old, or cannot be opened.
    pub fn new(gpu: Arc<Gpu>, tf32: bool) -> Result<Dnn> {
        libraries::require(Library::Cudnn)?;
        let version = result::get_version();
        if version < OLDEST {
            return Err(failure(NAME, format!("libcudnn.so has version {version}; {OLDEST} or newer is needed")));
        }
        gpu.enter()?;
        let raw = result::create_handle().map_err(refused)?;
        // SAFETY: it was created above, and is not shared.
        let handle = unsafe { Handle::new(raw, result::destroy_handle) };
        Ok(Dnn { handle: Mutex::new(handle), gpu, tf32 })
    }

    /// Selects the algorithm for a convolution.
    ///
    /// # Errors
    /// Returns an error if the library has no deterministic algorithm whose workspace is small enough.
    pub fn plan(self: &Arc<Self>, convolution: Convolution) -> Result<DnnCall> {
        let none = || failure(NAME, format!("no deterministic algorithm within {} MiB of workspace", WORKSPACE >> 20));
        self.try_plan(convolution)?.ok_or_else(none)
    }

    fn try_plan(self: &Arc<Self>, c: Convolution) -> Result<Option<DnnCall>> {
        self.gpu.enter()?;
        let sizes = |shape: &[usize]| numbers(&shape.iter().map(|d| *d as i64).collect::<Vec<_>>(), 4, 1);
        let (Some(x), Some(y), Some(w)) = (sizes(&c.input), sizes(&c.output), sizes(&c.filter)) else {
            return Ok(None);
        };
        let (Some(windows), Some(x), Some(y)) = (self.windows(&c)?, tensor(&x, c.float)?, tensor(&y, c.float)?) else {
            return Ok(None);
        };
        let described = Described { x, w: filter(&w, c.float)?, y, windows };
        let Some((algorithm, workspace)) = self.algorithm(&c, &described)? else { return Ok(None) };
        Ok(Some(DnnCall { dnn: self.clone(), convolution: c, described, algorithm, workspace }))
    }

    /// Creates the descriptor of padding, strides, dilations, groups and precision.
    fn windows(&self, c: &Convolution) -> Result<Option<Windows>> {
        let lists = (numbers(&c.pads, 2, 0), numbers(&c.strides, 2, 1), numbers(&c.dilations, 2, 1));
        let ((Some(pads), Some(strides), Some(dilations)), Ok(groups)) = (lists, c_int::try_from(c.groups)) else {
            return Ok(None);
        };
        let raw = result::create_convolution_descriptor().map_err(refused)?;
        let mode = sys::cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION;
        // SAFETY: the descriptor was created above; the lists have the given length and are copied.
        unsafe {
            let windows = Handle::new(raw, result::destroy_convolution_descriptor);
            let [p, s, d] = [&pads, &strides, &dilations].map(|list| list.as_ptr());
            let float = sys::cudnnDataType_t::CUDNN_DATA_FLOAT;
            result::set_convolutionnd_descriptor(raw, pads.len() as c_int, p, s, d, mode, float).map_err(refused)?;
            result::set_convolution_group_count(raw, groups).map_err(refused)?;
            result::set_convolution_math_type(raw, self.mathematics(c.float)).map_err(refused)?;
            Ok(Some(windows))
        }
    }

    fn mathematics(&self, float: Float) -> sys::cudnnMathType_t {
        match (float, self.tf32) {
            (Float::Half, _) => sys::cudnnMathType_t::CUDNN_TENSOR_OP_MATH,
            // This mode is TF32 from compute capability 8.0 on.
            (Float::Single, true) => sys::cudnnMathType_t::CUDNN_DEFAULT_MATH,
            (Float::Single, false) => sys::cudnnMathType_t::CUDNN_FMA_MATH,
        }
    }

    /// Returns the algorithm that the library expects to be the fastest deterministic one whose workspace is at most
    /// [`WORKSPACE`], with its workspace in bytes.
    fn algorithm(&self, c: &Convolution, d: &Described) -> Result<Option<(Algorithm, u64)>> {
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = if c.is_transposed { d.backward(handle.raw()) } else { d.forward(handle.raw()) };
        let sound = candidates.map_err(refused)?.into_iter().filter(|c| c.is_sound);
        let keeps_mathematics = self.mathematics(c.float) == sys::cudnnMathType_t::CUDNN_FMA_MATH;
        for candidate in sound {
            if !keeps_mathematics {
                // SAFETY: the descriptor is alive.
                unsafe { result::set_convolution_math_type(d.windows.raw(), candidate.mathematics) }
                    .map_err(refused)?;
            }
            // The library may still reject an algorithm that it proposes.
            match d.workspace(handle.raw(), candidate.algorithm) {
                Ok(workspace) if workspace <= WORKSPACE => return Ok(Some((candidate.algorithm, workspace))),
                _ => {}
            }
        }
        Ok(None)
    }
}

impl Drop for Dnn {
    fn drop(&mut self) {
        // The handle must be destroyed in the GPU's context.
        let _ = self.gpu.enter();
    }
}

#[derive(Debug, Clone, Copy)]
enum Algorithm {
    Forward(sys::cudnnConvolutionFwdAlgo_t),
    Backward(sys::cudnnConvolutionBwdDataAlgo_t),
}

/// An algorithm that the library proposes.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    algorithm: Algorithm,
    /// Whether it is available and deterministic.
    is_sound: bool,
    mathematics: sys::cudnnMathType_t,
}

/// The descriptors of a convolution.
struct Described {
    x: Tensor,
    w: Filter,
    y: Tensor,
    windows: Windows,
}

/// Requests the algorithms that one of the library's functions proposes. The results of both functions have the same fields.
macro_rules! candidates {
    ($performance:ty, $kind:expr, |$count:ident, $found:ident| $ask:expr) => {{
        // SAFETY: all fields are integers or floats, for which 0 is valid.
        let mut all: [$performance; CANDIDATES] = unsafe { std::mem::zeroed() };
        let mut count: c_int = 0;
        let ($count, $found) = (&mut count, all.as_mut_ptr());
        $ask?;
        let candidate = |p: &$performance| Candidate {
            algorithm: $kind(p.algo),
            is_sound: p.status == sys::cudnnStatus_t::CUDNN_STATUS_SUCCESS
                && p.determinism == sys::cudnnDeterminism_t::CUDNN_DETERMINISTIC,
            mathematics: p.mathType,
        };
        Ok(all.iter().take(usize::try_from(count).unwrap_or(0)).map(candidate).collect())
    }};
}

impl Described {
    /// Returns the workspace of an algorithm in bytes.
    fn workspace(&self, handle: sys::cudnnHandle_t, algorithm: Algorithm) -> std::result::Result<u64, CudnnError> {
        let (x, w, y, windows) = (self.x.raw(), self.w.raw(), self.y.raw(), self.windows.raw());
        // SAFETY: handle and descriptors are alive.
        let bytes = unsafe {
            match algorithm {
                Algorithm::Forward(a) => result::get_convolution_forward_workspace_size(handle, x, w, windows, y, a),
                Algorithm::Backward(a) => {
                    result::get_convolution_backward_data_workspace_size(handle, w, x, windows, y, a)
                }
            }
        };
        bytes.map(|bytes| bytes as u64)
    }
    fn forward(&self, handle: sys::cudnnHandle_t) -> std::result::Result<Vec<Candidate>, CudnnError> {
        let (x, w, y, windows) = (self.x.raw(), self.w.raw(), self.y.raw(), self.windows.raw());
        candidates!(sys::cudnnConvolutionFwdAlgoPerf_t, Algorithm::Forward, |count, found| {
            let most = CANDIDATES as c_int;
            // SAFETY: handle and descriptors are alive; the array has room for the requested number of results.
            unsafe { result::get_convolution_forward_algorithm(handle, x, w, windows, y, most, count, found) }
        })
    }
    fn backward(&self, handle: sys::cudnnHandle_t) -> std::result::Result<Vec<Candidate>, CudnnError> {
        let (x, w, y, windows) = (self.x.raw(), self.w.raw(), self.y.raw(), self.windows.raw());
        candidates!(sys::cudnnConvolutionBwdDataAlgoPerf_t, Algorithm::Backward, |count, found| {
            let most = CANDIDATES as c_int;
            // SAFETY: as above.
            unsafe { result::get_convolution_backward_data_algorithm(handle, w, x, windows, y, most, count, found) }
        })
    }
}

/// Converts numbers to the library's type, and appends `more` until there are `least` of them, because a single spatial axis
/// needs a second one. Returns `None` if a number is too large.
fn numbers(list: &[i64], least: usize, more: c_int) -> Option<Vec<c_int>> {
    let mut numbers = list.iter().map(|n| c_int::try_from(*n).ok()).collect::<Option<Vec<_>>>()?;
    numbers.resize(numbers.len().max(least), more);
    Some(numbers)
}

fn kind(float: Float) -> sys::cudnnDataType_t {
    match float {
        Float::Single => sys::cudnnDataType_t::CUDNN_DATA_FLOAT,
        Float::Half => sys::cudnnDataType_t::CUDNN_DATA_HALF,
    }
}

/// Creates the descriptor of a row-major tensor. Returns `None` if it has more than 2^31 elements.
fn tensor(sizes: &[c_int], float: Float) -> Result<Option<Tensor>> {
    let mut steps = vec![1; sizes.len()];
    for a in (1..sizes.len()).rev() {
        let Some(step) = c_int::checked_mul(steps[a], sizes[a]) else { return Ok(None) };
        steps[a - 1] = step;
    }
    if sizes.first().and_then(|n| n.checked_mul(steps[0])).is_none() {
        return Ok(None);
    }
    let raw = result::create_tensor_descriptor().map_err(refused)?;
    // SAFETY: the descriptor was created above; both lists have the given length and are copied.
    unsafe {
        let tensor = Handle::new(raw, result::destroy_tensor_descriptor);
        let rank = sizes.len() as c_int;
        result::set_tensornd_descriptor(raw, kind(float), rank, sizes.as_ptr(), steps.as_ptr()).map_err(refused)?;
        Ok(Some(tensor))
    }
}

fn filter(sizes: &[c_int], float: Float) -> Result<Filter> {
    let raw = result::create_filter_descriptor().map_err(refused)?;
    let format = sys::cudnnTensorFormat_t::CUDNN_TENSOR_NCHW;
    // SAFETY: the descriptor was created above; the list is copied.
    unsafe {
        let filter = Handle::new(raw, result::destroy_filter_descriptor);
        result::set_filternd_descriptor(raw, kind(float), format, sizes.len() as c_int, sizes.as_ptr())
            .map_err(refused)?;
        Ok(filter)
    }
}

/// A prepared convolution. Its addresses are the operand, the filter, the result, and the workspace if needed.
pub(super) struct DnnCall {
    dnn: Arc<Dnn>,
    convolution: Convolution,
    described: Described,
    algorithm: Algorithm,
    workspace: u64,
}

impl LibraryCall for DnnCall {
    fn run(&self, addresses: &[Address]) -> Result<()> {
        let mut addresses = addresses.iter().map(|a| a.0 as *mut c_void);
        let mut next = || addresses.next().unwrap_or(std::ptr::null_mut());
        let (of_x, of_w, of_y) = (next(), next(), next());
        let (workspace, size) =
            (if self.workspace > 0 { next() } else { std::ptr::null_mut() }, self.workspace as usize);
        let Described { x, w, y, windows } = &self.described;
        let (x, w, y, windows) = (x.raw(), w.raw(), y.raw(), windows.raw());
        let (one, zero) = (1f32, 0f32);
        let (one, zero) = (std::ptr::from_ref(&one).cast(), std::ptr::from_ref(&zero).cast());
        self.dnn.gpu.enter()?;
        let handle = self.dnn.handle.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the handle is alive, and the stream belongs to the GPU, which outlives it.
        unsafe { result::set_stream(handle.raw(), self.dnn.gpu.current_stream().cast()) }.map_err(refused)?;
        // SAFETY: handle, descriptors and algorithm belong together. The program allocates memory for all elements of the
        // descriptors, which lives until the stream has completed the call. The scalars are read before the call returns.
        let submitted = unsafe {
            match self.algorithm {
                Algorithm::Forward(algorithm) => result::convolution_forward(
                    handle.raw(),
                    one,
                    x,
                    of_x,
                    w,
                    of_w,
                    windows,
                    algorithm,
                    workspace,
                    size,
                    zero,
                    y,
                    of_y,
                ),
                Algorithm::Backward(algorithm) => result::convolution_backward_data(
                    handle.raw(),
                    one,
                    w,
                    of_w,
                    x,
                    of_x,
                    windows,
                    algorithm,
                    workspace,
                    size,
                    zero,
                    y,
                    of_y,
                ),
            }
        };
        submitted.map_err(|e| failure(NAME, format!("{} ({DISABLE_HINT})", text_of(e))))
    }
    fn describe(&self) -> String {
        format!("cuDNN: {}", self.convolution)
    }
    fn workspace(&self) -> u64 {
        self.workspace
    }
}
