//! Sessions.
use super::{TpulangArray, TpulangGraph, TpulangValueInfo, free, give, list, reference, text};
use crate::{
    arrays::Info,
    errors::{guarded, null},
};
use std::{ffi::c_char, ptr};
use tpulang::{
    Result,
    exec::{AnyBackend, Device, Precision, RunOptions, Session},
};
use tpulang_base::{argument, pluralized};

/// A graph prepared for a device. It runs any number of times, from any thread.
pub struct TpulangSession {
    pub(crate) session: Session<AnyBackend>,
    inputs: Vec<Info>,
    outputs: Vec<Info>,
}

/// Options of a session; `tpulang_options_default` writes the defaults.
#[repr(C)]
pub struct TpulangOptions {
    /// The size of this struct in the caller's header. Later versions may add options at the end.
    pub size: usize,
    /// Number of threads of the CPU kernels; 0 means one per core, and more than 256 are 256.
    pub threads: usize,
    /// Not 0: keep every tensor that is computed, not only the outputs.
    pub all: u8,
    /// Not 0: refuse to fall back to the CPU for operators that the device lacks.
    pub strict: u8,
    /// Not 0: run every operator separately.
    pub unfused: u8,
    /// Not 0: store float16 tensors as float16, on a GPU.
    pub float16: u8,
    /// Maximum number of iterations of a loop.
    pub max_iterations: u64,
}

impl TpulangOptions {
    fn defaults() -> TpulangOptions {
        let RunOptions { threads, max_iterations, .. } = RunOptions::default();
        let (all, strict, unfused, float16) = (0, 0, 0, 0);
        TpulangOptions { size: size_of::<TpulangOptions>(), threads, all, strict, unfused, float16, max_iterations }
    }
}

/// Writes the default options to `out`, which has `size` bytes: sizeof(TpulangOptions). The caller may have been compiled
/// with the header of an earlier version, which had fewer options.
///
/// # Safety
/// `out` must be null or valid for a write of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_options_default(out: *mut TpulangOptions, size: usize) -> i32 {
    guarded(|| {
        if out.is_null() {
            return Err(null("out"));
        }
        check_size(size)?;
        let defaults = TpulangOptions { size, ..TpulangOptions::defaults() };
        // SAFETY: as for this function; it is not null, and `size` is at most that of the defaults.
        unsafe { ptr::copy_nonoverlapping((&raw const defaults).cast::<u8>(), out.cast::<u8>(), size) };
        Ok(())
    })
}

/// Checks the size of the caller's options, which end before an option or after the last one.
fn check_size(size: usize) -> Result<()> {
    const ALL: usize = size_of::<TpulangOptions>();
    if (size_of::<usize>()..=ALL).contains(&size) && size.is_multiple_of(align_of::<u64>()) {
        return Ok(());
    }
    let expected =
        format!("expected sizeof(TpulangOptions), which is {ALL} in this version, or that of an earlier one");
    Err(argument("the size of the options", size, expected))
}

/// Reads options of the caller's, with defaults for those that its header lacks.
///
/// # Safety
/// The pointer must have as many bytes as its first field says.
unsafe fn run_options(options: *const TpulangOptions) -> Result<RunOptions> {
    // SAFETY: as for this function; the size comes first.
    let size = unsafe { options.cast::<usize>().read_unaligned() };
    check_size(size)?;
    let mut given = TpulangOptions::defaults();
    // SAFETY: as for this function; `size` is at most that of the defaults, and any bytes are valid numbers.
    unsafe { ptr::copy_nonoverlapping(options.cast::<u8>(), (&raw mut given).cast::<u8>(), size) };
    let TpulangOptions { threads, all, strict, unfused, float16, max_iterations, .. } = given;
    let precision = if float16 == 0 { Precision::F32 } else { Precision::F16 };
    let flags = RunOptions::default().all(all != 0).strict(strict != 0).unfused(unfused != 0);
    Ok(flags.threads(threads).precision(precision).max_iterations(max_iterations))
}

/// Prepares a graph for a device: `cpu`, `cuda` or `cuda:1`. `options` may be null for the defaults.
///
/// # Safety
/// The pointers must be valid; `device` must end with 0. Free the session with `tpulang_session_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_new(
    graph: *const TpulangGraph,
    device: *const c_char,
    options: *const TpulangOptions,
    out: *mut *mut TpulangSession,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe {
        let (graph, device) = (reference(graph, "graph")?, text(device, "device")?);
        let options = if options.is_null() { RunOptions::default() } else { run_options(options)? };
        let device: Device = device.parse().map_err(|e| argument("device", format!("{device:?}"), e))?;
        give(out, || {
            let session = Session::new(&graph.0, device.open()?, &options)?;
            let inputs = session.inputs().iter().map(Info::new).collect::<Result<_>>()?;
            let outputs = session.outputs().iter().map(Info::new).collect::<Result<_>>()?;
            Ok(TpulangSession { session, inputs, outputs })
        })
    })
}

/// Frees a session, which may be null.
///
/// # Safety
/// The session must not be used afterwards, nor the names and shapes that it has given out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_free(session: *mut TpulangSession) {
    // SAFETY: the caller promises the same.
    unsafe { free(session) }
}

/// Returns the number of inputs; 0 for null.
///
/// # Safety
/// The session must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_input_count(session: *const TpulangSession) -> usize {
    // SAFETY: the caller promises the same.
    unsafe { session.as_ref() }.map_or(0, |session| session.inputs.len())
}

/// Returns the number of outputs; 0 for null.
///
/// # Safety
/// The session must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_output_count(session: *const TpulangSession) -> usize {
    // SAFETY: the caller promises the same.
    unsafe { session.as_ref() }.map_or(0, |session| session.outputs.len())
}

/// Describes an input by its index.
///
/// # Safety
/// The pointers must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_input(
    session: *const TpulangSession,
    index: usize,
    out: *mut TpulangValueInfo,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe { describe(&reference(session, "session")?.inputs, ("input", index), out) })
}

/// Describes an output by its index.
///
/// # Safety
/// The pointers must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_output(
    session: *const TpulangSession,
    index: usize,
    out: *mut TpulangValueInfo,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe { describe(&reference(session, "session")?.outputs, ("output", index), out) })
}

/// # Safety
/// The pointer must be null or valid for a write.
unsafe fn describe(infos: &[Info], (kind, index): (&str, usize), out: *mut TpulangValueInfo) -> Result<()> {
    let missing = || argument("index", index, format!("the session has {}", pluralized(infos.len(), kind)));
    let info = infos.get(index).ok_or_else(missing)?;
    if out.is_null() {
        return Err(null("out"));
    }
    // SAFETY: as for this function; it is not null.
    unsafe { out.write(info.view()) };
    Ok(())
}

/// Runs the graph: reads the arrays of the inputs and writes the tensors that `results` names, outputs or others, to
/// the caller's memory. On the CPU, kernels write straight to it. If a check fails, nothing is written.
///
/// # Safety
/// All pointers must be valid. No other thread may write to the data of a fed array or use those of a result meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_run(
    session: *const TpulangSession,
    feeds: *const TpulangArray,
    feed_count: usize,
    results: *const TpulangArray,
    result_count: usize,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe {
        let session = reference(session, "session")?;
        let feeds = list(feeds, feed_count, "feeds")?.iter().map(|a| a.read()).collect::<Result<Vec<_>>>()?;
        let results = list(results, result_count, "results")?.iter().map(|a| a.write());
        session.session.run_into(feeds.as_slice(), &mut results.collect::<Result<Vec<_>>>()?)
    })
}
