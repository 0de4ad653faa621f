//! Errors and pointers at the border.
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
};
use tpulang::{Error, Result};
use tpulang_base::invalid;

/// The call has succeeded.
pub const TPULANG_OK: i32 = 0;
/// The call has failed: see `tpulang_last_error`.
pub const TPULANG_ERROR: i32 = 1;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Returns the message of the last error in this thread, in UTF-8; empty before the first one. It is valid until the
/// next call of this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn tpulang_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns the version of the library: "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn tpulang_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}

/// Runs the body of a function; errors and panics become a message.
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> i32 {
    let message = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return TPULANG_OK,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "internal error: tpulang has panicked; please report it".to_owned(),
    };
    let message = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
    // A thread that ends has no messages any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = message);
    TPULANG_ERROR
}

pub(crate) fn null(argument: &str) -> Error {
    invalid(format!("{argument} is null"))
}

/// # Safety
/// The pointer must be null or valid for as long as the reference is used.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T, argument: &str) -> Result<&'a T> {
    // SAFETY: as for this function.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(argument))
}

/// # Safety
/// The pointer must be null or that of a string that ends with 0.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, argument: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(argument));
    }
    // SAFETY: as for this function.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| invalid(format!("{argument} is not UTF-8")))
}

/// Returns a list, which may be null if it is empty.
///
/// # Safety
/// The pointer must be null or have `count` elements.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, count: usize, argument: &str) -> Result<&'a [T]> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(argument)),
        (false, _) if count > isize::MAX as usize / size_of::<T>().max(1) => {
            Err(tpulang_base::argument(format!("the length of {argument}"), count, "no memory has room for as many"))
        }
        (false, _) if !pointer.is_aligned() => {
            Err(invalid(format!("{argument} is not aligned: its address must be a multiple of {}", align_of::<T>())))
        }
        // SAFETY: as for this function; it is not null, and neither too long nor misaligned.
        (false, _) => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// Writes a new object to `out`.
///
/// # Safety
/// The pointer must be null or valid for a write.
pub(crate) unsafe fn give<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T>) -> Result<()> {
    if out.is_null() {
        return Err(null("out"));
    }
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: as for this function; it is not null.
    unsafe { out.write(made) };
    Ok(())
}

/// Drops an object that [`give`] has made.
///
/// # Safety
/// The pointer must be null or one of [`give`], which is not used afterwards.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        guarded(|| {
            // SAFETY: as for this function.
            drop(unsafe { Box::from_raw(pointer) });
            Ok(())
        });
    }
}
