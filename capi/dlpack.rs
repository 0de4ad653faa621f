//! Runs on DLPack tensors.
use super::{TpulangSession, list, reference, text};
use crate::errors::{guarded, null};
use std::ffi::c_char;
use tpulang::{
    Array, Result,
    array::{
        ArrayView,
        dlpack::{Managed, Versioned as DLManagedTensorVersioned},
    },
};
use tpulang_base::invalid;

type Tensor = Managed<DLManagedTensorVersioned>;

/// Runs the graph on DLPack tensors, without copies: `names[i]` is the input of `feeds[i]`. The tensors of
/// `result_names` are written to `results`; call their deleters. The feeds' deleters are called when they are no longer
/// needed, also if the call fails: the caller gives them away.
///
/// A session of a GPU also takes tensors of its memory, and returns results there; they must be outputs. Otherwise
/// tensors are in the memory of the host.
///
/// # Safety
/// All pointers must be valid, and so must the tensors; a tensor is given only once. Nobody may write to a fed tensor
/// until its deleter and those of all results have been called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_session_run_dlpack(
    session: *const TpulangSession,
    names: *const *const c_char,
    feeds: *const *mut DLManagedTensorVersioned,
    feed_count: usize,
    result_names: *const *const c_char,
    results: *mut *mut DLManagedTensorVersioned,
    result_count: usize,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe {
        // All tensors are taken first, so that none is left if a check fails.
        let taken: Vec<_> = list(feeds, feed_count, "feeds")?.iter().map(|raw| Managed::from_raw(*raw)).collect();
        let mut fed = Vec::new();
        let names = list(names, feed_count, "names")?;
        for (name, tensor) in names.iter().zip(taken) {
            let name = text(*name, "a name")?;
            fed.push((name, tensor.map_err(|e| invalid(format!("the tensor fed to {name:?}: {e}")))?));
        }
        let wanted = list(result_names, result_count, "result_names")?.iter().map(|name| text(*name, "a result name"));
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        if results.is_null() && !wanted.is_empty() {
            return Err(null("results"));
        }
        let made = computed(reference(session, "session")?, fed, &wanted)?;
        made.into_iter().enumerate().for_each(|(i, tensor)| results.add(i).write(tensor.into_raw()));
        Ok(())
    })
}

/// # Safety
/// The tensors must be valid, and nobody may write to them as long as they and the results live.
unsafe fn computed(session: &TpulangSession, fed: Vec<(&str, Tensor)>, wanted: &[&str]) -> Result<Vec<Tensor>> {
    #[cfg(feature = "cuda")]
    if let Some(cuda) = session.session.backend().downcast_ref() {
        // SAFETY: as for this function.
        return unsafe { on_gpu(session, cuda, fed, wanted) };
    }
    // SAFETY: as for this function.
    let array = |(name, tensor)| unsafe { Ok((name, ArrayView::from_dlpack(tensor)?.to_array()?)) };
    let feeds = fed.into_iter().map(array).collect::<Result<Vec<(&str, Array)>>>()?;
    let results = session.session.fetch(feeds.as_slice(), wanted)?;
    drop(feeds);
    let result = |name: &&str| results.get(*name).ok_or_else(|| invalid(format!("there is no result {name:?}")));
    wanted.iter().map(|name| result(name)?.strided().to_dlpack()).collect()
}

/// # Safety
/// Same as for [`computed`].
#[cfg(feature = "cuda")]
unsafe fn on_gpu(
    session: &TpulangSession,
    cuda: &tpulang::exec::CudaBackend,
    fed: Vec<(&str, Tensor)>,
    wanted: &[&str],
) -> Result<Vec<Tensor>> {
    use tpulang::{
        array::dlpack::{Description, DeviceType},
        exec::{AnyBuffer, Backend, DeviceArray},
    };
    let buffer = |tensor: Tensor| -> Result<DeviceArray> {
        let is_on_gpu = Description::of(&tensor)?.device.device_type == DeviceType::CUDA;
        // SAFETY: as for this function.
        unsafe {
            if is_on_gpu { cuda.from_dlpack(tensor) } else { cuda.upload(&ArrayView::from_dlpack(tensor)?.to_array()?) }
        }
    };
    let feeds = fed.into_iter().map(|(name, tensor)| Ok((name, AnyBuffer::new(buffer(tensor)?))));
    let results = session.session.run_on(feeds.collect::<Result<_>>()?)?;
    session.session.synchronize()?;
    let result = |name: &&str| -> Result<Tensor> {
        let missing = || invalid(format!("{name:?} is not an output; only those are returned on a GPU"));
        let array = results.get(*name).and_then(AnyBuffer::downcast_ref::<DeviceArray>).ok_or_else(missing)?;
        cuda.to_dlpack(array)
    };
    wanted.iter().map(result).collect()
}
