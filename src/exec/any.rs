//! A backend that is chosen at run time.
use super::{Backend, Fusion, Kernel, KernelInfo, Layouts, Precision, Recorder, Run, Signature};
use crate::{
    array::{Array, ArrayMut},
    base::{Dtype, Error, Result, Shape, invalid},
};
use std::{any::Any, sync::Arc};

/// Any backend, for a device chosen at run time. Clones share the backend.
///
/// ```
/// use tpulang::{Array, Dtype, Graph, exec::{AnyBackend, CpuBackend, RunOptions, Session}};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [2])?;
/// let y = g.relu(x).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let backend = AnyBackend::new(CpuBackend::new());
/// let session = Session::new(&g, backend, &RunOptions::default())?;
/// assert_eq!(session.run(&[("x", Array::from([-1f32, 2.0]))])?["y"].to_f32()?, [0.0, 2.0]);
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Clone)]
pub struct AnyBackend(Arc<dyn ErasedBackend>);

/// A buffer of an [`AnyBackend`].
pub struct AnyBuffer(Erased);

/// A buffer without its type.
#[derive(Clone)]
enum Erased {
    /// A buffer of the CPU, which needs no memory of its own.
    Array(Array),
    Other(Box<dyn ErasedBuffer>),
}

/// A kernel of an [`AnyBackend`].
pub struct AnyKernel(Box<dyn ErasedKernel>);

impl AnyBackend {
    /// Erases the type of a backend.
    pub fn new<B: Backend<Buffer: 'static, Kernel: 'static> + 'static>(backend: B) -> AnyBackend {
        AnyBackend(Arc::new(backend))
    }
    /// The backend, if it is of type `B`.
    pub fn downcast_ref<B: 'static>(&self) -> Option<&B> {
        let backend: &dyn Any = &*self.0;
        backend.downcast_ref()
    }
}

impl AnyBuffer {
    /// Erases the type of a buffer. It must belong to the backend that it is used with.
    pub fn new<T: Clone + Send + Sync + 'static>(buffer: T) -> AnyBuffer {
        match cast(buffer) {
            Ok(array) => AnyBuffer(Erased::Array(array)),
            Err(buffer) => AnyBuffer(Erased::Other(Box::new(buffer))),
        }
    }
    /// The buffer, if it is of type `T`.
    pub fn downcast_ref<T: 'static>(&self) -> Option<&T> {
        let buffer: &dyn Any = match &self.0 {
            Erased::Array(array) => array,
            Erased::Other(buffer) => &**buffer,
        };
        buffer.downcast_ref()
    }
    /// # Errors
    /// Returns an error if the buffer belongs to a backend of another type.
    fn downcast<T: 'static>(self) -> Result<T> {
        match self.0 {
            Erased::Array(array) => cast(array).map_err(|_| foreign()),
            Erased::Other(buffer) => {
                let buffer: Box<dyn Any> = buffer;
                buffer.downcast().map(|buffer| *buffer).map_err(|_| foreign())
            }
        }
    }
}

/// Returns `from` as a `T`, if that is its type.
fn cast<F: 'static, T: 'static>(from: F) -> Result<T, F> {
    let mut from = Some(from);
    let place: &mut dyn Any = &mut from;
    match (place.downcast_mut::<Option<T>>().and_then(Option::take), from) {
        (Some(to), _) => Ok(to),
        (None, Some(from)) => Err(from),
        (None, None) => unreachable!("it is taken only as a `T`"),
    }
}

impl Clone for AnyBuffer {
    fn clone(&self) -> Self {
        AnyBuffer(self.0.clone())
    }
}

impl Clone for Box<dyn ErasedBuffer> {
    fn clone(&self) -> Self {
        (**self).clone_buffer()
    }
}

fn foreign() -> Error {
    invalid("the buffer belongs to a backend of another type")
}

trait ErasedBuffer: Any + Send + Sync {
    fn clone_buffer(&self) -> Box<dyn ErasedBuffer>;
}

impl<T: Clone + Send + Sync + 'static> ErasedBuffer for T {
    fn clone_buffer(&self) -> Box<dyn ErasedBuffer> {
        Box::new(self.clone())
    }
}

trait ErasedKernel: Kernel + Any {}
impl<K: Kernel + Any> ErasedKernel for K {}

impl Kernel for AnyKernel {
    fn reads(&self, operand: usize) -> bool {
        self.0.reads(operand)
    }
    fn workspace(&self) -> u64 {
        self.0.workspace()
    }
    fn take_error(&self) -> Option<Error> {
        self.0.take_error()
    }
    fn explain(&self) -> Vec<KernelInfo> {
        self.0.explain()
    }
}

/// The methods of [`Backend`] without its associated types.
trait ErasedBackend: Any + Send + Sync {
    fn name(&self) -> &str;
    fn prepare(&self, signature: &Signature) -> Result<Option<AnyKernel>>;
    fn run(&self, kernel: &AnyKernel, operands: &mut [Option<AnyBuffer>]) -> Result<Vec<AnyBuffer>>;
    fn upload(&self, array: &Array) -> Result<AnyBuffer>;
    fn download(&self, buffer: &AnyBuffer) -> Result<Array>;
    fn synchronize(&self) -> Result<()>;
    fn type_of(&self, buffer: &AnyBuffer) -> Option<(Dtype, Shape)>;
    fn over(&self, memory: ArrayMut) -> Option<AnyBuffer>;
    fn run_into(
        &self,
        kernel: &AnyKernel,
        operands: &mut [Option<AnyBuffer>],
        into: &mut [Option<AnyBuffer>],
    ) -> Result<Vec<AnyBuffer>>;
    fn available_memory(&self) -> u64;
    fn supports_precision(&self, precision: Precision) -> bool;
    fn warnings(&self) -> Vec<String>;
    fn fusion(&self) -> Option<&dyn Fusion>;
    fn shares_kernels(&self) -> bool;
    fn layouts(&self) -> Option<&dyn Layouts>;
    fn recorder(&self) -> Option<Box<dyn Recorder<AnyBuffer>>>;
}

impl<B: Backend<Buffer: 'static, Kernel: 'static> + 'static> ErasedBackend for B {
    fn name(&self) -> &str {
        Backend::name(self)
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<AnyKernel>> {
        Ok(Backend::prepare(self, signature)?.map(|kernel| AnyKernel(Box::new(kernel))))
    }
    fn run(&self, kernel: &AnyKernel, operands: &mut [Option<AnyBuffer>]) -> Result<Vec<AnyBuffer>> {
        Backend::run(self, of_backend::<B>(kernel)?, &mut taken(operands)?).map(wrapped)
    }
    fn upload(&self, array: &Array) -> Result<AnyBuffer> {
        Backend::upload(self, array).map(AnyBuffer::new)
    }
    fn download(&self, buffer: &AnyBuffer) -> Result<Array> {
        Backend::download(self, buffer.downcast_ref().ok_or_else(foreign)?)
    }
    fn synchronize(&self) -> Result<()> {
        Backend::synchronize(self)
    }
    fn type_of(&self, buffer: &AnyBuffer) -> Option<(Dtype, Shape)> {
        Backend::type_of(self, buffer.downcast_ref()?)
    }
    fn over(&self, memory: ArrayMut) -> Option<AnyBuffer> {
        Backend::over(self, memory).map(AnyBuffer::new)
    }
    fn run_into(
        &self,
        kernel: &AnyKernel,
        operands: &mut [Option<AnyBuffer>],
        into: &mut [Option<AnyBuffer>],
    ) -> Result<Vec<AnyBuffer>> {
        let mut places = taken(into)?;
        let results = Backend::run_into(self, of_backend::<B>(kernel)?, &mut taken(operands)?, &mut places)?;
        into.iter_mut().zip(places).for_each(|(into, place)| *into = place.map(AnyBuffer::new));
        Ok(wrapped(results))
    }
    fn available_memory(&self) -> u64 {
        Backend::available_memory(self)
    }
    fn supports_precision(&self, precision: Precision) -> bool {
        Backend::supports_precision(self, precision)
    }
    fn warnings(&self) -> Vec<String> {
        Backend::warnings(self)
    }
    fn fusion(&self) -> Option<&dyn Fusion> {
        Backend::fusion(self)
    }
    fn shares_kernels(&self) -> bool {
        Backend::shares_kernels(self)
    }
    fn layouts(&self) -> Option<&dyn Layouts> {
        Backend::layouts(self)
    }
    fn recorder(&self) -> Option<Box<dyn Recorder<AnyBuffer>>> {
        Some(Box::new(ErasedRecorder(Backend::recorder(self)?)))
    }
}

impl Backend for AnyBackend {
    type Buffer = AnyBuffer;
    type Kernel = AnyKernel;
    fn name(&self) -> &str {
        self.0.name()
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<AnyKernel>> {
        self.0.prepare(signature)
    }
    fn run(&self, kernel: &AnyKernel, operands: &mut [Option<AnyBuffer>]) -> Result<Vec<AnyBuffer>> {
        self.0.run(kernel, operands)
    }
    fn upload(&self, array: &Array) -> Result<AnyBuffer> {
        self.0.upload(array)
    }
    fn download(&self, buffer: &AnyBuffer) -> Result<Array> {
        self.0.download(buffer)
    }
    fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }
    fn type_of(&self, buffer: &AnyBuffer) -> Option<(Dtype, Shape)> {
        self.0.type_of(buffer)
    }
    fn over(&self, memory: ArrayMut) -> Option<AnyBuffer> {
        self.0.over(memory)
    }
    fn run_into(
        &self,
        kernel: &AnyKernel,
        operands: &mut [Option<AnyBuffer>],
        into: &mut [Option<AnyBuffer>],
    ) -> Result<Vec<AnyBuffer>> {
        self.0.run_into(kernel, operands, into)
    }
    fn available_memory(&self) -> u64 {
        self.0.available_memory()
    }
    fn supports_precision(&self, precision: Precision) -> bool {
        self.0.supports_precision(precision)
    }
    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }
    fn fusion(&self) -> Option<&dyn Fusion> {
        self.0.fusion()
    }
    fn shares_kernels(&self) -> bool {
        self.0.shares_kernels()
    }
    fn layouts(&self) -> Option<&dyn Layouts> {
        self.0.layouts()
    }
    fn recorder(&self) -> Option<Box<dyn Recorder<AnyBuffer>>> {
        self.0.recorder()
    }
}

/// A recorder of buffers of type `T`, on [`AnyBuffer`]s.
struct ErasedRecorder<T>(Box<dyn Recorder<T>>);

impl<T: Clone + Send + Sync + 'static> Recorder<AnyBuffer> for ErasedRecorder<T> {
    fn run(&self, feeds: Vec<Array>, run: Run<AnyBuffer>) -> Result<Vec<Array>> {
        let Run { repeatable, has_host_steps, steps, check } = run;
        let mut steps = |feeds: Vec<T>| unwrapped(steps(wrapped(feeds))?);
        self.0.run(feeds, Run { repeatable, has_host_steps, steps: &mut steps, check })
    }
    fn run_on(&self, feeds: Vec<AnyBuffer>, run: Run<AnyBuffer>) -> Result<Vec<AnyBuffer>> {
        let Run { repeatable, has_host_steps, steps, check } = run;
        let mut steps = |feeds: Vec<T>| unwrapped(steps(wrapped(feeds))?);
        self.0.run_on(unwrapped(feeds)?, Run { repeatable, has_host_steps, steps: &mut steps, check }).map(wrapped)
    }
    fn run_on_into(&self, feeds: Vec<AnyBuffer>, into: &[AnyBuffer], run: Run<AnyBuffer>) -> Result<()> {
        let Run { repeatable, has_host_steps, steps, check } = run;
        let mut steps = |feeds: Vec<T>| unwrapped(steps(wrapped(feeds))?);
        let into = unwrapped(into.to_vec())?;
        self.0.run_on_into(unwrapped(feeds)?, &into, Run { repeatable, has_host_steps, steps: &mut steps, check })
    }
    fn on_host(&self, compute: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.0.on_host(compute)
    }
    fn place(&self, result: AnyBuffer) -> Result<AnyBuffer> {
        self.0.place(result.downcast()?).map(AnyBuffer::new)
    }
    fn has_memory(&self) -> bool {
        self.0.has_memory()
    }
    fn replay(&self) -> Result<bool> {
        self.0.replay()
    }
}

/// # Errors
/// Returns an error if the kernel belongs to a backend of another type.
fn of_backend<B: Backend<Kernel: 'static>>(kernel: &AnyKernel) -> Result<&B::Kernel> {
    let kernel: &dyn Any = &*kernel.0;
    kernel.downcast_ref().ok_or_else(|| invalid("the kernel belongs to a backend of another type"))
}

/// Takes the buffers out of their places.
///
/// # Errors
/// Returns an error if a buffer belongs to a backend of another type.
fn taken<T: 'static>(buffers: &mut [Option<AnyBuffer>]) -> Result<Vec<Option<T>>> {
    buffers.iter_mut().map(|buffer| buffer.take().map(AnyBuffer::downcast).transpose()).collect()
}

fn wrapped<T: Clone + Send + Sync + 'static>(buffers: Vec<T>) -> Vec<AnyBuffer> {
    buffers.into_iter().map(AnyBuffer::new).collect()
}

/// # Errors
/// Returns an error if a buffer belongs to a backend of another type.
fn unwrapped<T: 'static>(buffers: Vec<AnyBuffer>) -> Result<Vec<T>> {
    buffers.into_iter().map(AnyBuffer::downcast).collect()
}
