//! Conversion of MLIR's strings. Those of melior 0.27.1 panic on empty strings (`StringRef::as_str` reads the last byte) and,
//! when printing, on invalid UTF-8 (its `Display` fails).
use melior::ir::{Attribute, AttributeLike, Identifier, Type, TypeLike};
use mlir_sys::{
    MlirDiagnostic, MlirStringCallback, MlirStringRef, mlirAttributeIsAString, mlirAttributePrint, mlirDiagnosticPrint,
    mlirIdentifierStr, mlirStringAttrGetValue, mlirTypePrint,
};
use std::ffi::c_void;

/// Maximum number of characters of an attribute or a type in a message.
const MAX_CHARS: usize = 200;

/// Converts a string.
///
/// # Safety
/// The bytes that `raw` refers to must be alive.
pub(super) unsafe fn string(raw: MlirStringRef) -> String {
    if raw.length == 0 {
        return String::new();
    }
    // SAFETY: guaranteed by the caller; the string is not empty, so the pointer is not null.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

unsafe extern "C" fn collect(piece: MlirStringRef, all: *mut c_void) {
    // SAFETY: `printed` passes its list, and the piece is alive during the call.
    let (piece, all) = unsafe {
        let piece = (piece.length > 0).then(|| std::slice::from_raw_parts(piece.data.cast::<u8>(), piece.length));
        (piece, &mut *all.cast::<Vec<u8>>())
    };
    all.extend_from_slice(piece.unwrap_or_default());
}

fn printed(print: impl FnOnce(MlirStringCallback, *mut c_void)) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    print(Some(collect), (&raw mut bytes).cast());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn shortened(text: String) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    text.chars().take(MAX_CHARS).chain("..".chars()).collect()
}

/// Formats an attribute for a message.
pub(super) fn of_attribute(attribute: Attribute) -> String {
    // SAFETY: the attribute is alive; the callback gets the list that it expects.
    shortened(printed(|callback, data| unsafe { mlirAttributePrint(attribute.to_raw(), callback, data) }))
}

/// Formats a type for a message.
pub(super) fn of_type(ty: Type) -> String {
    // SAFETY: the type is alive; the callback gets the list that it expects.
    shortened(printed(|callback, data| unsafe { mlirTypePrint(ty.to_raw(), callback, data) }))
}

/// Returns the text of a diagnostic.
///
/// # Safety
/// The diagnostic must be alive, as it is while its handler runs.
pub(super) unsafe fn of_diagnostic(raw: MlirDiagnostic) -> String {
    // SAFETY: guaranteed by the caller; the callback gets the list that it expects.
    shortened(printed(|callback, data| unsafe { mlirDiagnosticPrint(raw, callback, data) }))
}

/// Returns the value of a string attribute, or `None` if it is of another kind.
pub(super) fn of_string(attribute: Attribute) -> Option<String> {
    let raw = attribute.to_raw();
    // SAFETY: the kind is tested first; the bytes live as long as the context.
    unsafe { mlirAttributeIsAString(raw).then(|| string(mlirStringAttrGetValue(raw))) }
}

/// Converts an identifier, such as the name of an operation (`top.Conv`) or an attribute.
pub(super) fn of_name(name: Identifier) -> String {
    // SAFETY: names live as long as the context.
    unsafe { string(mlirIdentifierStr(name.to_raw())) }
}
