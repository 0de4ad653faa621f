//! Parses text to a module. The text is validated before MLIR's parser reads it; MLIR's diagnostics become errors with a
//! place.
use super::{text::of_diagnostic, validate::validate};
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

/// The first diagnostic: its line and column, and its text.
type First = Option<((usize, usize), String)>;

/// Parses a module; `file` is for messages.
///
/// # Errors
/// Returns an error if the text is not a module of the Top dialect.
pub(super) fn parse<'c>(context: &'c Context, text: &str, file: &str) -> Result<Module<'c>> {
    let fail = |at: usize, problem| Error::from(Cause::Syntax(problem)).at(Place::of_byte(file, text, at));
    if let Some(at) = text.find('\0') {
        return Err(fail(at, "a NUL character".into()));
    }
    let valid = validate(text).map_err(|(at, problem)| fail(at, problem))?;
    let mut first: First = None;
    // SAFETY: the handler gets a pointer to `first`, which outlives it, since the handler is detached below.
    let id = unsafe {
        mlirContextAttachDiagnosticHandler(context.to_raw(), Some(on_diagnostic), (&raw mut first).cast(), None)
    };
    let module = Module::parse(context, &valid);
    // SAFETY: the handler is attached.
    unsafe { mlirContextDetachDiagnosticHandler(context.to_raw(), id) };
    module.ok_or_else(|| {
        let ((line, column), mut problem) = first.unwrap_or(((1, 1), "not an MLIR module".into()));
        if !text.trim_end().ends_with(['}', ')']) {
            problem += "; is the file truncated?";
        }
        Error::from(Cause::Syntax(problem)).at(Place { file: file.into(), line, column, path: String::new() })
    })
}

unsafe extern "C" fn on_diagnostic(raw: MlirDiagnostic, first: *mut c_void) -> MlirLogicalResult {
    // SAFETY: `parse` passes such a pointer, and the diagnostic is alive during the call.
    let (first, location, message) = unsafe {
        let location = Location::from_raw(mlirDiagnosticGetLocation(raw));
        (&mut *first.cast::<First>(), location, of_diagnostic(raw))
    };
    let place = if location.is_file_line_col_range() {
        (location.file_line_col_range_start_line(), location.file_line_col_range_start_column())
    } else {
        (1, 1)
    };
    first.get_or_insert((place, message));
    MlirLogicalResult { value: 1 }
}
