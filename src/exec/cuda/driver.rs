//! A GPU, through the driver's C API.
use super::{
    cache,
    device::{Address, KernelValue, Loaded, failure},
    geometry::Geometry,
    libraries::{self, OLDEST_DRIVER},
    nvrtc::{Compiled, Nvrtc, Target},
    source::Source,
    staging::{Queue, Staging},
    tape::{CapturedGraph, Tape},
};
use crate::base::{Result, argument, invalid, pluralized};
use cudarc::driver::{
    result::{self, DriverError, device, graph, module, primary_ctx, stream},
    sys::{self, CUdevice_attribute as Attribute, CUresult},
};
use std::{
    collections::HashMap,
    ffi::{CString, c_void},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The name in messages.
const NAME: &str = "CUDA";

/// A GPU. Work runs asynchronously on one stream, in submission order; another stream only captures.
pub(super) struct Gpu {
    number: usize,
    /// `NVIDIA H200`
    name: String,
    nvrtc: Nvrtc,
    target: Target,
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    /// The stream on which launches are captured, separate from the work of other threads.
    pub(super) recorder: sys::CUstream,
    /// The run that is being captured or replayed, if any.
    pub(super) tape: Mutex<Option<Tape>>,
    /// The folder for compiled kernels.
    cache: Option<PathBuf>,
    kernels: Mutex<HashMap<Source, Loaded>>,
    /// The modules of the kernels.
    modules: Mutex<Vec<sys::CUmodule>>,
    staging: Mutex<Staging>,
}

// SAFETY: a context may be used from any thread that has made it current, which every method does first; streams, modules and
// functions belong to it. No other field is a pointer.
unsafe impl Send for Gpu {}
// SAFETY: as above; the driver may be called from several threads concurrently.
unsafe impl Sync for Gpu {}

/// Whether an error destroys the context, so that every later call of this process fails.
fn is_sticky(code: CUresult) -> bool {
    matches!(
        code,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
    )
}

/// Describes an error of the driver, with advice for the user.
fn describe_error(error: DriverError) -> String {
    let name =
        error.error_name().map_or_else(|_| format!("error {}", error.0 as u32), |n| n.to_string_lossy().into_owned());
    let what = match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => "no GPU is visible; see nvidia-smi and CUDA_VISIBLE_DEVICES",
        CUresult::CUDA_ERROR_OPERATING_SYSTEM | CUresult::CUDA_ERROR_NOT_PERMITTED => {
            "the GPU may not be used; see the permissions of /dev/nvidia*"
        }
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => "the GPU's memory is full",
        CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => "another process has exclusive use of the GPU",
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "libcuda.so does not match the running driver; restart the machine"
        }
        CUresult::CUDA_ERROR_INVALID_IMAGE
        | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "the driver cannot load the kernel; is NVRTC newer than the driver?"
        }
        _ => "",
    };
    let text = error.error_string().map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
    match what {
        "" if is_sticky(error.0) => {
            format!("{text} ({name}); this process cannot use the GPU any more and must be restarted")
        }
        "" => format!("{text} ({name})"),
        what => format!("{what} ({name})"),
    }
}

/// Converts an error of the driver to one that names the failed operation.
pub(super) fn while_doing(doing: &str) -> impl Fn(DriverError) -> crate::base::Error {
    move |e| failure(NAME, format!("{doing}: {}", describe_error(e)))
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the driver. Returns the number of GPUs and the driver's CUDA version.
fn start() -> Result<(i32, i32)> {
    libraries::require_driver()?;
    let mut version = 0;
    // SAFETY: the library exports the function, which needs no initialization; the variable lives until it returns.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(while_doing("querying the driver's version"))?;
    if version < OLDEST_DRIVER {
        let of = |v: i32| format!("{}.{}", v / 1000, v % 1000 / 10);
        let problem = format!("the driver is for CUDA {}; {} or newer is needed", of(version), of(OLDEST_DRIVER));
        return Err(failure(NAME, problem));
    }
    result::init().map_err(while_doing("starting the driver"))?;
    Ok((device::get_count().map_err(while_doing("counting GPUs"))?, version))
}

impl Gpu {
    /// Opens the GPU with the given ordinal.
    ///
    /// # Errors
    /// Returns an error if the driver or NVRTC is missing or too old, or if the GPU does not exist or may not be used.
    pub fn new(ordinal: usize) -> Result<Gpu> {
        let (count, driver) = start()?;
        let number = i32::try_from(ordinal).ok().filter(|i| *i < count);
        let expected = || format!("there is {}, counted from 0", pluralized(count.max(0) as usize, "GPU"));
        let number = number.ok_or_else(|| argument("the GPU", ordinal, expected()))?;
        let nvrtc = Nvrtc::load(driver)?;
        let device = device::get(number).map_err(while_doing("querying the GPU"))?;
        let name = device::get_name(device).map_err(while_doing("querying the GPU's name"))?;
        let of = |attribute| {
            // SAFETY: the driver returned the device.
            unsafe { device::get_attribute(device, attribute) }.map_err(while_doing("querying the GPU's attributes"))
        };
        let major = of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let target = nvrtc.target(10 * major + minor)?;
        // SAFETY: the driver returned the device; the context is released on drop.
        let context = unsafe { primary_ctx::retain(device) }.map_err(while_doing("opening the GPU"))?;
        let mut gpu = Gpu {
            number: ordinal,
            name,
            nvrtc,
            target,
            device,
            context,
            stream: std::ptr::null_mut(),
            recorder: std::ptr::null_mut(),
            tape: Mutex::default(),
            cache: cache::folder(),
            kernels: Mutex::default(),
            modules: Mutex::default(),
            staging: Mutex::default(),
        };
        gpu.enter()?;
        let open = || stream::create(stream::StreamKind::NonBlocking).map_err(while_doing("opening a stream"));
        gpu.stream = open()?;
        gpu.recorder = open()?;
        Ok(gpu)
    }

    /// Makes the context current in this thread.
    pub fn enter(&self) -> Result<()> {
        self.queue().enter().map_err(while_doing("making the GPU's context current"))
    }

    /// Returns the name: `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn number(&self) -> usize {
        self.number
    }
    /// Allocates `bytes` bytes, aligned to 256.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn allocate(&self, bytes: u64) -> Result<Address> {
        self.enter()?;
        let size = usize::try_from(bytes).map_err(|_| invalid(format!("{bytes} bytes of memory")))?;
        // SAFETY: the memory is written before it is read.
        let address = unsafe { result::malloc_sync(size) }.map_err(while_doing("allocating memory"))?;
        Ok(Address(address))
    }
    /// Frees memory, after all submitted work has finished.
    pub fn free(&self, address: Address) {
        if self.synchronize().is_ok() {
            // SAFETY: the memory was allocated here and is freed once; no running work uses it.
            let _ = unsafe { result::free_sync(address.0) };
        }
    }
    /// Returns the ordinal of the GPU that owns an address, or `None` if it is not memory of a GPU.
    pub fn owner_of(&self, address: Address) -> Result<Option<usize>> {
        self.enter()?;
        let mut ordinal: i32 = -1;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the attribute is an int; the variable lives until the call returns.
        let found = unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast::<c_void>(), attribute, address.0) };
        Ok(found.result().ok().and_then(|()| usize::try_from(ordinal).ok()))
    }
    /// Copies within the GPU's memory, in stream order.
    pub fn copy(&self, from: Address, to: Address, bytes: u64) -> Result<()> {
        self.enter()?;
        let size = usize::try_from(bytes).map_err(|_| invalid(format!("{bytes} bytes of memory")))?;
        // SAFETY: both are memory of the GPU of at least this size, which lives until the stream has completed the copy.
        unsafe { result::memcpy_dtod_async(to.0, from.0, size, self.current_stream()) }
            .map_err(while_doing("copying on the GPU"))
    }
    /// Returns the number of free bytes.
    pub fn available(&self) -> Result<u64> {
        self.enter()?;
        Ok(result::mem_get_info().map_err(while_doing("querying the free memory"))?.0 as u64)
    }
    /// Allocates host memory that the GPU can write to.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn pinned(self: &Arc<Self>, bytes: usize) -> Result<Pinned> {
        self.enter()?;
        // SAFETY: the memory is written before it is read, and freed when `Pinned` is dropped.
        let memory = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        Ok(Pinned { memory: memory.map_err(while_doing("allocating pinned memory"))?, gpu: self.clone() })
    }
    fn queue(&self) -> Queue {
        Queue { context: self.context, stream: self.stream }
    }
    /// Copies to the GPU. `from` may change once this method returns.
    pub fn write(&self, to: Address, from: &[u8]) -> Result<()> {
        self.enter()?;
        self.end_graph()?;
        locked(&self.staging).write(to, from, self.queue()).map_err(while_doing("copying to the GPU"))
    }
    /// Copies from the GPU, after all submitted work has completed.
    pub fn read(&self, from: Address, to: &mut [u8]) -> Result<()> {
        self.enter()?;
        self.end_graph()?;
        locked(&self.staging).read(from, to, self.queue()).map_err(while_doing("copying from the GPU"))
    }
    /// Returns a kernel for this GPU, from the cache if possible; otherwise compiles and caches it.
    ///
    /// # Errors
    /// Returns an error if the kernel does not compile.
    fn compiled(&self, source: &Source) -> Result<Compiled> {
        let compiler = self.nvrtc.description();
        let (kept, name) = (self.cache.as_deref(), source.hash([compiler.as_str(), self.target.option()]));
        if let Some(compiled) = cache::read(kept, &name).and_then(|bytes| Compiled::from_bytes(&bytes)) {
            return Ok(compiled);
        }
        let compiled = self.nvrtc.compile(source, &self.target)?;
        cache::keep(kept, &name, &compiled.to_bytes());
        Ok(compiled)
    }
    /// Returns a loaded kernel, after compiling and loading it if necessary.
    ///
    /// # Errors
    /// Returns an error if the kernel does not compile.
    pub fn load(&self, source: &Source) -> Result<Loaded> {
        if let Some(loaded) = locked(&self.kernels).get(source) {
            return Ok(*loaded);
        }
        let compiled = self.compiled(source)?;
        self.enter()?;
        let name = CString::new(compiled.name).map_err(|e| invalid(format!("the name of a kernel: {e}")))?;
        let doing = format!("loading {} of {}", source.function, source.file);
        // SAFETY: NVRTC generated the code, and a checksum ensures that it is complete; it stays loaded as long as the GPU is
        // open.
        let function = unsafe {
            let module = module::load_data(compiled.code.as_ptr().cast()).map_err(while_doing(&doing))?;
            locked(&self.modules).push(module);
            module::get_function(module, name).map_err(while_doing(&doing))?
        };
        let loaded = Loaded(function as usize);
        locked(&self.kernels).insert(source.clone(), loaded);
        Ok(loaded)
    }
    /// Launches a kernel on a non-empty grid.
    ///
    /// # Errors
    /// Returns an error if the launch is invalid, or earlier work has failed.
    pub fn launch(&self, kernel: Loaded, geometry: Geometry, arguments: &[KernelValue]) -> Result<()> {
        self.enter()?;
        let mut values: Vec<[u8; 8]> = arguments.iter().map(|a| a.bytes()).collect();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
        let ([x, y, z], [a, b, c]) = (geometry.blocks, geometry.threads);
        let function = kernel.0 as sys::CUfunction;
        // SAFETY: the function belongs to this context. Its parameters are those that its launcher passes, which the
        // emulated driver checks in the tests; they are copied before the call returns. Addresses are of memory that lives
        // until the stream has completed the launch.
        let launched =
            unsafe { result::launch_kernel(function, (x, y, z), (a, b, c), 0, self.current_stream(), &mut pointers) };
        launched.map_err(while_doing("launching a kernel"))
    }
    /// Waits until all submitted work is complete.
    ///
    /// # Errors
    /// Returns an error if any of it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.enter()?;
        // SAFETY: the stream is alive.
        unsafe { stream::synchronize(self.stream) }.map_err(while_doing("running kernels"))
    }

    /// Prepares to submit work of this thread. Returns `false` if a graph that is being replayed already contains the work.
    ///
    /// # Errors
    /// Returns an error if a capture cannot begin.
    pub fn begin_work(&self) -> Result<bool> {
        let mut tape = locked(&self.tape);
        let Some(tape) = tape.as_mut().filter(|tape| tape.is_of_this_thread()) else { return Ok(true) };
        if !tape.is_open && tape.next.is_none() {
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            // SAFETY: the stream is alive; `end_graph` or `TapeEnd` ends the capture.
            unsafe { stream::begin_capture(self.recorder, mode) }.map_err(while_doing("capturing launches"))?;
        }
        tape.is_open = true;
        Ok(tape.next.is_none())
    }
    /// Returns the stream for this thread's work: the default one, except while this thread captures launches.
    pub fn current_stream(&self) -> sys::CUstream {
        let tape = locked(&self.tape);
        let captures = tape.as_ref().is_some_and(|tape| tape.is_of_this_thread() && tape.captures());
        if captures { self.recorder } else { self.stream }
    }
    /// Ends the graph of this thread's work, if any, and launches it.
    ///
    /// # Errors
    /// Returns an error if the work cannot be captured.
    pub fn end_graph(&self) -> Result<()> {
        let mut tape = locked(&self.tape);
        let is_mine = |tape: &&mut Tape| tape.is_of_this_thread() && tape.is_open;
        let Some(tape) = tape.as_mut().filter(is_mine) else { return Ok(()) };
        tape.is_open = false;
        let graph = match &mut tape.next {
            None => {
                // SAFETY: the capture was begun by `begin_work`.
                let graph = unsafe { stream::end_capture(self.recorder) }.map_err(while_doing("capturing launches"))?;
                // SAFETY: the graph was captured here; the arrays of the run keep the context alive.
                let graph = unsafe { CapturedGraph::new(graph) }.map_err(while_doing("capturing launches"))?;
                let graph = Arc::new(graph);
                tape.graphs.push(graph.clone());
                graph
            }
            Some(next) => {
                *next += 1;
                let missing = || failure(NAME, "internal error: a replayed run has more graphs than the captured one");
                tape.graphs.get(*next - 1).cloned().ok_or_else(missing)?
            }
        };
        self.replay(&graph)
    }
    /// Launches a graph.
    ///
    /// # Errors
    /// Returns an error if earlier work has failed.
    pub fn replay(&self, captured: &CapturedGraph) -> Result<()> {
        self.enter()?;
        // SAFETY: graph and stream are alive.
        unsafe { graph::launch(captured.graph, self.stream) }.map_err(while_doing("running kernels"))
    }
}

/// Host memory that a GPU can write to, at the same address.
pub(super) struct Pinned {
    memory: *mut c_void,
    gpu: Arc<Gpu>,
}

impl Pinned {
    pub fn address(&self) -> Address {
        Address(self.memory as u64)
    }
}

// SAFETY: the memory is not bound to a thread; its users access disjoint parts.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.gpu.synchronize().is_ok() {
            // SAFETY: `Gpu::pinned` allocated the memory, which is freed once; no running work uses it.
            let _ = unsafe { result::free_host(self.memory) };
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.enter().is_err() {
            return;
        }
        locked(&self.staging).close();
        let modules = std::mem::take(&mut *locked(&self.modules));
        // SAFETY: `new` created the streams and the context, and `load` the modules. They are closed once, the modules after all
        // work is complete, and not used afterwards.
        unsafe {
            for stream in [self.stream, self.recorder].into_iter().filter(|s| !s.is_null()) {
                let _ = stream::synchronize(stream);
                let _ = stream::destroy(stream);
            }
            for module in modules {
                let _ = module::unload(module);
            }
            let _ = primary_ctx::release(self.device);
        }
    }
}
