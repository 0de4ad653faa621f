//! A GPU, by its driver's C API.
use super::{
    cache,
    device::{Address, Loaded, Value, failure},
    geometry::Geometry,
    libraries::{self, OLDEST_DRIVER},
    nvrtc::{self, Compiled},
    source::Source,
    staging::Staging,
};
use crate::base::{Result, argument, counted, invalid};
use cudarc::driver::{
    result::{self, DriverError, ctx, device, graph, module, primary_ctx, stream},
    sys::{self, CUdevice_attribute as Attribute, CUresult},
};
use std::{
    collections::HashMap,
    ffi::{CString, c_void},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

/// For messages.
const NAME: &str = "CUDA";

/// A GPU with one stream: what it is told is done in that order, launches without waiting.
pub(super) struct Gpu {
    number: usize,
    /// `NVIDIA H200`
    name: String,
    /// `sm_90`
    architecture: String,
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    /// On which launches are recorded, so that nothing that others tell meanwhile is among them.
    recorder: sys::CUstream,
    /// Who records.
    recording: Mutex<Option<ThreadId>>,
    /// Of what compiles kernels.
    compiler: String,
    kept: Option<PathBuf>,
    kernels: Mutex<HashMap<Source, Loaded>>,
    staging: Mutex<Staging>,
}

// SAFETY: a context may be used from any thread that has made it current, which every method does first; streams and functions
// belong to it. Nothing else here is a pointer.
unsafe impl Send for Gpu {}
// SAFETY: as above; the driver's calls may come from several threads at once.
unsafe impl Sync for Gpu {}

/// What an error of the driver means to who meets it.
fn told(error: DriverError) -> String {
    let name =
        error.error_name().map_or_else(|_| format!("error {}", error.0 as u32), |n| n.to_string_lossy().into_owned());
    let what = match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => "no GPU is visible; see nvidia-smi and CUDA_VISIBLE_DEVICES",
        CUresult::CUDA_ERROR_OPERATING_SYSTEM | CUresult::CUDA_ERROR_NOT_PERMITTED => {
            "the GPU may not be used; see the permissions of /dev/nvidia*"
        }
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => "the GPU's memory is full",
        CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => "another process has the GPU for itself",
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "libcuda.so is not that of the running driver; restart the machine"
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
        "" => format!("{text} ({name})"),
        what => format!("{what} ({name})"),
    }
}

/// An error of the driver in words, and in what.
fn in_words(doing: &str) -> impl Fn(DriverError) -> crate::base::Error {
    move |e| failure(NAME, format!("{doing}: {}", told(e)))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the driver, and says which GPUs there are.
fn start() -> Result<i32> {
    libraries::require_driver()?;
    let mut version = 0;
    // SAFETY: the library has the function, which needs no initialisation; the place lives until it returns.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(in_words("asking for the driver's version"))?;
    if version < OLDEST_DRIVER {
        let of = |v: i32| format!("{}.{}", v / 1000, v % 1000 / 10);
        let problem = format!("the driver is for CUDA {}; {} or newer is needed", of(version), of(OLDEST_DRIVER));
        return Err(failure(NAME, problem));
    }
    result::init().map_err(in_words("starting the driver"))?;
    device::get_count().map_err(in_words("counting GPUs"))
}

impl Gpu {
    /// The GPU of that number.
    ///
    /// # Errors
    /// There is no driver, or an old one; there is no such GPU, or it may not be used; there is no NVRTC.
    pub fn new(ordinal: usize) -> Result<Gpu> {
        let count = start()?;
        let number = i32::try_from(ordinal).ok().filter(|i| *i < count);
        let expected = || format!("there is {}, counted from 0", counted(count.max(0) as usize, "GPU"));
        let number = number.ok_or_else(|| argument("the GPU", ordinal, expected()))?;
        let compiler = nvrtc::version()?;
        let device = device::get(number).map_err(in_words("asking for the GPU"))?;
        let name = device::get_name(device).map_err(in_words("asking for the GPU's name"))?;
        // SAFETY: the device was given by the driver.
        let of =
            |attribute| unsafe { device::get_attribute(device, attribute) }.map_err(in_words("asking what the GPU is"));
        let major = of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        // SAFETY: the device was given by the driver; the context is released when this is dropped.
        let context = unsafe { primary_ctx::retain(device) }.map_err(in_words("opening the GPU"))?;
        let mut gpu = Gpu {
            number: ordinal,
            name,
            architecture: format!("sm_{major}{minor}"),
            device,
            context,
            stream: std::ptr::null_mut(),
            recorder: std::ptr::null_mut(),
            recording: Mutex::default(),
            compiler,
            kept: cache::folder(),
            kernels: Mutex::default(),
            staging: Mutex::default(),
        };
        gpu.enter()?;
        let open = || stream::create(stream::StreamKind::NonBlocking).map_err(in_words("opening a stream"));
        gpu.stream = open()?;
        gpu.recorder = open()?;
        Ok(gpu)
    }

    /// Makes the context current in this thread.
    pub fn enter(&self) -> Result<()> {
        // SAFETY: the context is retained as long as this lives.
        unsafe { ctx::set_current(self.context) }.map_err(in_words("entering the GPU's context"))
    }

    /// For people: `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn number(&self) -> usize {
        self.number
    }
    /// Which this thread's launches are told: the one stream, but while it records them.
    pub fn told(&self) -> sys::CUstream {
        let records = *locked(&self.recording) == Some(thread::current().id());
        if records { self.recorder } else { self.stream }
    }

    /// Memory for so many bytes, aligned to 256.
    ///
    /// # Errors
    /// There is not enough.
    pub fn allocate(&self, bytes: u64) -> Result<Address> {
        self.enter()?;
        let size = usize::try_from(bytes).map_err(|_| invalid(format!("{bytes} bytes of memory")))?;
        // SAFETY: what is in the memory is written before it is read.
        let address = unsafe { result::malloc_sync(size) }.map_err(in_words("allocating memory"))?;
        Ok(Address(address))
    }
    /// Gives memory back, which everything that was told before may still use.
    pub fn free(&self, address: Address) {
        if self.synchronise().is_ok() {
            // SAFETY: it was allocated here, is freed once, and nothing is running that uses it.
            let _ = unsafe { result::free_sync(address.0) };
        }
    }
    /// Bytes that are free.
    pub fn available(&self) -> Result<u64> {
        self.enter()?;
        Ok(result::mem_get_info().map_err(in_words("asking for memory"))?.0 as u64)
    }
    /// Memory of the machine's that the GPU can write.
    ///
    /// # Errors
    /// There is not enough.
    pub fn pinned(self: &Arc<Self>, bytes: usize) -> Result<Pinned> {
        self.enter()?;
        // SAFETY: what is in the memory is written before it is read; it is freed when `Pinned` is dropped.
        let memory = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        Ok(Pinned { memory: memory.map_err(in_words("allocating pinned memory"))?, gpu: self.clone() })
    }
    /// Copies in; when it returns, `from` may change.
    pub fn write(&self, to: Address, from: &[u8]) -> Result<()> {
        self.enter()?;
        self.refuse_recorded()?;
        locked(&self.staging).write(to, from, self.stream).map_err(in_words("copying to the GPU"))
    }
    /// A copy within what is recorded would be of what is not there yet.
    fn refuse_recorded(&self) -> Result<()> {
        let is_recorded = self.told() != self.stream;
        if is_recorded {
            Err(failure(NAME, "copies to and from the machine's memory cannot be recorded"))
        } else {
            Ok(())
        }
    }
    /// Copies out, after everything that was told before.
    pub fn read(&self, from: Address, to: &mut [u8]) -> Result<()> {
        self.enter()?;
        self.refuse_recorded()?;
        locked(&self.staging).read(from, to, self.stream).map_err(in_words("copying from the GPU"))
    }
    /// A kernel for this GPU's architecture, or another's: from disk, or compiled and kept there.
    ///
    /// # Errors
    /// It does not compile, or there is no compiler.
    fn compiled(&self, source: &Source) -> Result<Compiled> {
        let (kept, name) = (self.kept.as_deref(), source.hash([self.compiler.as_str(), self.architecture.as_str()]));
        if let Some(compiled) = cache::read(kept, &name).and_then(|bytes| Compiled::from_bytes(&bytes)) {
            return Ok(compiled);
        }
        let compiled = nvrtc::compile(source, &self.architecture)?;
        cache::keep(kept, &name, &compiled.to_bytes());
        Ok(compiled)
    }
    /// Makes a kernel ready.
    ///
    /// # Errors
    /// It does not compile, or what compiles it is not there.
    pub fn load(&self, source: &Source) -> Result<Loaded> {
        if let Some(loaded) = locked(&self.kernels).get(source) {
            return Ok(*loaded);
        }
        let compiled = self.compiled(source)?;
        self.enter()?;
        let name = CString::new(compiled.name).map_err(|e| invalid(format!("the name of a kernel: {e}")))?;
        let doing = format!("loading {} of {}", source.function, source.file);
        // SAFETY: the code is what NVRTC made, whole by its checksum; it stays loaded as long as the context.
        let function = unsafe {
            let module = module::load_data(compiled.code.as_ptr().cast()).map_err(in_words(&doing))?;
            module::get_function(module, name).map_err(in_words(&doing))?
        };
        let loaded = Loaded(function as usize);
        locked(&self.kernels).insert(source.clone(), loaded);
        Ok(loaded)
    }
    /// Tells the GPU to run a kernel; no geometry may be empty.
    ///
    /// # Errors
    /// The launch is impossible, or something has failed before.
    pub fn launch(&self, kernel: Loaded, geometry: Geometry, arguments: &[Value]) -> Result<()> {
        self.enter()?;
        let mut values: Vec<[u8; 8]> = arguments.iter().map(|a| a.bytes()).collect();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
        let ([x, y, z], [a, b, c]) = (geometry.blocks, geometry.threads);
        let function = kernel.0 as sys::CUfunction;
        // SAFETY: the function is one of this context. Its parameters are those that its launcher gives, which the emulated driver
        // has compared in the tests; they are copied before the call returns. Addresses are of memory that lives until the stream
        // has come here.
        let launched = unsafe { result::launch_kernel(function, (x, y, z), (a, b, c), 0, self.told(), &mut pointers) };
        launched.map_err(in_words("launching a kernel"))
    }
    /// Waits until everything is done.
    ///
    /// # Errors
    /// Something has failed.
    pub fn synchronise(&self) -> Result<()> {
        self.enter()?;
        // SAFETY: the stream is alive.
        unsafe { stream::synchronize(self.stream) }.map_err(in_words("running kernels"))
    }

    /// What `launches` tells the GPU in this thread, as one thing to be told again, and what it gives. One thread records at a time.
    ///
    /// # Errors
    /// One of them fails, or cannot be recorded.
    pub fn recorded<T>(self: &Arc<Self>, launches: impl FnOnce() -> Result<T>) -> Result<(Recording, T)> {
        self.enter()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive; recording ends when `capture` is gone.
        unsafe { stream::begin_capture(self.recorder, mode) }.map_err(in_words("recording launches"))?;
        *locked(&self.recording) = Some(thread::current().id());
        let capture = Capture { gpu: self };
        let told = launches();
        let graph = capture.end();
        let told = told?;
        let graph = graph.map_err(in_words("recording launches"))?;
        // SAFETY: the graph was made above; what is instantiated does not need it any more.
        let made = unsafe {
            let made = graph::instantiate(graph, sys::CUgraphInstantiate_flags(0));
            let _ = graph::destroy(graph);
            made
        };
        let graph = made.map_err(in_words("recording launches"))?;
        Ok((Recording { graph, _gpu: self.clone() }, told))
    }
    /// Tells the GPU what was recorded.
    ///
    /// # Errors
    /// Something has failed before.
    pub fn replay(&self, recording: &Recording) -> Result<()> {
        self.enter()?;
        // SAFETY: recording and stream are alive.
        unsafe { graph::launch(recording.graph, self.stream) }.map_err(in_words("running kernels"))
    }
}

/// Memory of the machine's that a GPU can write, at the same address.
pub(super) struct Pinned {
    memory: *mut c_void,
    gpu: Arc<Gpu>,
}

impl Pinned {
    pub fn address(&self) -> Address {
        Address(self.memory as u64)
    }
}

// SAFETY: the memory is of no thread in particular; whoever has parts of it sees to it that nobody else has.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.gpu.synchronise().is_ok() {
            // SAFETY: it was allocated by `Gpu::pinned`, is freed once, and nothing is running that uses it.
            let _ = unsafe { result::free_host(self.memory) };
        }
    }
}

/// A recording that is not at its end.
struct Capture<'a> {
    gpu: &'a Gpu,
}

impl Capture<'_> {
    fn end(self) -> std::result::Result<sys::CUgraph, DriverError> {
        let gpu = self.gpu;
        std::mem::forget(self);
        *locked(&gpu.recording) = None;
        // SAFETY: it was begun when this was made.
        unsafe { stream::end_capture(gpu.recorder) }
    }
}

impl Drop for Capture<'_> {
    /// What recorded has panicked.
    fn drop(&mut self) {
        if let Ok(graph) = (Capture { gpu: self.gpu }).end() {
            // SAFETY: nobody else has it.
            let _ = unsafe { graph::destroy(graph) };
        }
    }
}

/// Launches that were recorded. Whose addresses they have must live as long.
pub(super) struct Recording {
    graph: sys::CUgraphExec,
    /// Of whose context it is.
    _gpu: Arc<Gpu>,
}

// SAFETY: an executable graph belongs to a context that is retained by the device; it is launched under the driver's own lock.
unsafe impl Send for Recording {}
// SAFETY: as above.
unsafe impl Sync for Recording {}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: it was instantiated, and is destroyed once; running launches are finished by the driver.
        let _ = unsafe { graph::exec_destroy(self.graph) };
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.enter().is_err() {
            return;
        }
        locked(&self.staging).close();
        // SAFETY: stream and context were opened by `new`, are closed once, and nobody uses them any more.
        unsafe {
            for stream in [self.stream, self.recorder].into_iter().filter(|s| !s.is_null()) {
                let _ = stream::synchronize(stream);
                let _ = stream::destroy(stream);
            }
            let _ = primary_ctx::release(self.device);
        }
    }
}
