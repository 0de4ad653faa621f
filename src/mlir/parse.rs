//! From text to a module: what is not of the Top dialect is refused before MLIR's parser sees it, and what that says
//! comes back as an error at its place.
use super::{admit::admit, text::of_diagnostic};
use crate::base::{Cause, Error, Place, Result};
use melior::{
    Context,
    ir::{Location, Module},
};
use mlir_sys::{
    MlirDiagnostic, MlirLogicalResult, mlirContextAttachDiagnosticHandler, mlirContextDetachDiagnosticHandler,
    mlirDiagnosticGetLocation,
};
use std::ffi::c_void;

/// What MLIR said first, and at what line and column.
type First = Option<((usize, usize), String)>;

/// Parses a module; `file` is for messages.
///
/// # Errors
/// It is none, or has what no module of the Top dialect has.
pub(super) fn parse<'c>(context: &'c Context, text: &str, file: &str) -> Result<Module<'c>> {
    let fail = |at: usize, problem| Error::from(Cause::Syntax(problem)).at(Place::of_byte(file, text, at));
    if let Some(at) = text.find('\0') {
        return Err(fail(at, "a NUL character".into()));
    }
    let admitted = admit(text).map_err(|(at, problem)| fail(at, problem))?;
    let mut first: First = None;
    // SAFETY: the handler gets the place of `first`, which outlives it: it is detached below.
    let id = unsafe {
        mlirContextAttachDiagnosticHandler(context.to_raw(), Some(on_diagnostic), (&raw mut first).cast(), None)
    };
    let module = Module::parse(context, &admitted);
    // SAFETY: it is attached.
    unsafe { mlirContextDetachDiagnosticHandler(context.to_raw(), id) };
    module.ok_or_else(|| {
        let ((line, column), problem) = first.unwrap_or(((1, 1), "not an MLIR module".into()));
        Error::from(Cause::Syntax(problem)).at(Place { file: file.into(), line, column, path: String::new() })
    })
}

unsafe extern "C" fn on_diagnostic(raw: MlirDiagnostic, first: *mut c_void) -> MlirLogicalResult {
    // SAFETY: `parse` passes such a pointer, and the diagnostic is alive during the call.
    let (first, location, said) = unsafe {
        let location = Location::from_raw(mlirDiagnosticGetLocation(raw));
        (&mut *first.cast::<First>(), location, of_diagnostic(raw))
    };
    let place = if location.is_file_line_col_range() {
        (location.file_line_col_range_start_line(), location.file_line_col_range_start_column())
    } else {
        (1, 1)
    };
    first.get_or_insert((place, said));
    MlirLogicalResult { value: 1 }
}
