//! The interface of the Python package, written from the table of functions: signatures, docstrings and type stubs.
//!
//! A function of the package takes the parameters of [`FunctionDef::signature`], and `out_quant` by name; `custom` also takes
//! `shape_func`.

mod doc;
mod example;
mod literal;
mod stubs;

pub use doc::doc;
pub use example::example;
pub use stubs::stubs;

use literal::default;
use tpulang::functions::{ArgumentDef, FunctionDef, Parameter};

/// Returns the signature of a function, for `__text_signature__`: `(input, weight, bias=None, ..., *, out_quant=None)`.
///
/// ```
/// use tpulang::{command::python, functions::function_def};
/// assert_eq!(python::signature(function_def("cast")?),
///     "(tensor_i, out_dtype=\"float32\", out_name=None, round_mode=\"half_away_from_zero\", *, out_quant=None)");
/// # Ok::<(), tpulang::Error>(())
/// ```
pub fn signature(f: &FunctionDef) -> String {
    let signature = f.signature();
    let positional = signature.positional.iter().enumerate().map(|(i, p)| match p {
        _ if i < signature.required => p.name().to_owned(),
        Parameter::Argument(argument) => with_default(argument),
        _ => format!("{}=None", p.name()),
    });
    let keyword_only = signature.keyword_only.iter().map(|argument| with_default(argument));
    let shape_func = takes_shape_func(f).then(|| "shape_func=None".to_owned());
    let last = ["*".to_owned()].into_iter().chain(keyword_only).chain(shape_func).chain(["out_quant=None".to_owned()]);
    format!("({})", positional.chain(last).collect::<Vec<_>>().join(", "))
}

fn with_default(argument: &ArgumentDef) -> String {
    format!("{}={}", argument.name, default(argument))
}

/// Returns whether a function is also a method of `Tensor`: its first parameter is a tensor.
///
/// ```
/// use tpulang::{command::python, functions::function_def};
/// assert!(python::is_method(function_def("add")?));
/// assert!(!python::is_method(function_def("concat")?), "it takes a list");
/// # Ok::<(), tpulang::Error>(())
/// ```
pub fn is_method(f: &FunctionDef) -> bool {
    use tpulang::functions::ArgumentKind::{AnyOf, Tensor};
    match f.arguments().first().map(|argument| &argument.kind) {
        Some(Tensor) => true,
        Some(AnyOf(kinds)) => kinds.contains(&Tensor),
        _ => false,
    }
}

/// Returns whether a function takes `shape_func`, as in older versions of TpuLang: a Python function of the tensors that
/// returns the shapes of the outputs.
///
/// ```
/// use tpulang::{command::python, functions::function_def};
/// assert!(python::takes_shape_func(function_def("custom")?));
/// # Ok::<(), tpulang::Error>(())
/// ```
pub fn takes_shape_func(f: &FunctionDef) -> bool {
    f.name == "custom"
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpulang::functions::{function_def, functions};

    const KEYWORDS: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];

    /// Compares with the snapshot `snapshots/NAME.snap`.
    pub fn assert_snapshot(name: &str, text: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../../../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, text));
    }

    #[test]
    fn no_name_is_a_keyword_of_python() {
        for f in functions() {
            let names = f.arguments().iter().map(|a| a.name).chain([f.name]);
            names.for_each(|name| assert!(!KEYWORDS.contains(&name), "{}: {name}", f.name));
        }
    }

    #[test]
    fn signatures_have_pythons_literals() {
        let of = |name| signature(function_def(name).unwrap());
        assert_eq!(
            of("conv"),
            "(input, weight, bias=None, stride=1, dilation=1, pad=0, group=1, out_dtype=None, out_name=None, *, \
             out_quant=None)"
        );
        assert_eq!(
            of("add"),
            "(tensor_i0, tensor_i1, scale=None, zero_point=(0, 0, 0), out_dtype=None, out_name=None, *, out_quant=None)"
        );
        assert_eq!(of("topk"), "(input, axis, k, out_name=None, *, out_quant=None)");
        assert_eq!(
            of("custom"),
            "(tensors_in, op_name, out_dtypes, out_names=None, params=None, *, out_shapes=None, shape_func=None, \
             out_quant=None)"
        );
        assert!(of("multi_scale_deformable_attention").starts_with("(query, value, identity, query_pos, key_padding"));
        assert!(of("rope").contains("is_permute_optimize=False, mul1_round_mode=\"half_up\""));
    }
}
