//! Docstrings, in Google's style.
use super::{
    example::{WIDTH, example},
    literal::default,
    takes_shape_func,
};
use crate::command::reference;
use std::fmt::Write;
use tpulang::{
    Result,
    functions::{ArgumentDef, ArgumentKind, FunctionDef, Parameter, Returns},
};

/// Returns the docstring of a function. Its example runs with a graph `g`, whose inputs `x` (float32) and `i` (int8) are
/// 1x3x8x8, and with NumPy as `np`.
///
/// ```
/// use tpulang::{command::python, functions::function_def};
/// assert!(python::doc(function_def("abs")?)?.contains(">>> y = tpulang.abs(x)"));
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the function's example fails, which a test rules out.
pub fn doc(f: &FunctionDef) -> Result<String> {
    let mut out = wrapped(f.doc, "", "") + "\n\nArgs:\n";
    for (name, ty, meaning) in parameters(f) {
        let _ = writeln!(out, "{}", wrapped(&format!("{name} ({ty}): {meaning}"), "    ", "        "));
    }
    let returned = match f.returns() {
        Returns::One => "Tensor: The output.".to_owned(),
        Returns::Named(names) => format!("tuple of Tensor: {}.", names.join(", ")),
        Returns::List => "list of Tensor: The outputs.".to_owned(),
    };
    let raised = "tpulang.Error: An argument is not allowed, or dtypes, shapes or quantizations do not fit together. \
                  The graph is then unchanged.";
    let _ = write!(out, "\nReturns:\n    {returned}\n\nRaises:\n{}\n", wrapped(raised, "    ", "        "));
    let _ = writeln!(out, "\nExample:\n    x is a float32 input and i an int8 one, both of shape (1, 3, 8, 8).\n");
    for line in example(f)? {
        let _ = writeln!(out, "    {line}");
    }
    Ok(out)
}

/// Name, type and meaning of each parameter.
fn parameters(f: &FunctionDef) -> Vec<(&'static str, String, String)> {
    let signature = f.signature();
    let meanings = reference::arguments(f);
    let argument = |a: &ArgumentDef, has_default: bool| {
        let meaning = meanings.iter().find(|[name, ..]| name == a.name).map(|[.., meaning]| meaning.clone());
        let default = match (a.required, &a.default) {
            (true, _) => String::new(),
            _ if !has_default => " or None".into(),
            (_, None) => ", optional".into(),
            _ => format!("; default {}", default(a)),
        };
        let ty = if a.kind == ArgumentKind::Params { "dict" } else { &a.type_name };
        (a.name, format!("{ty}{default}"), meaning.unwrap_or_default())
    };
    let named = |p: &Parameter, ty: &str, meaning: &str| (p.name(), format!("{ty}, optional"), meaning.to_owned());
    let mut all: Vec<_> = signature
        .positional
        .iter()
        .enumerate()
        .map(|(i, p)| match p {
            Parameter::Argument(a) => argument(a, i >= signature.required),
            Parameter::OutName => match f.returns() {
                Returns::One => named(p, "string", "The name of the output."),
                _ => named(p, "string or list of strings", "The beginning of the outputs' names, or the name of each."),
            },
            Parameter::OutNames => named(p, "list of strings", "The name of each output."),
            Parameter::MaskName => named(p, "string", "The name of the second output."),
        })
        .collect();
    all.extend(signature.keyword_only.iter().map(|a| argument(a, true)));
    if takes_shape_func(f) {
        let meaning = "Returns the shapes of the outputs, instead of out_shapes: a function of tensors_in.";
        all.push(("shape_func", "function, optional".into(), meaning.into()));
    }
    let meaning = "The quantization of the output, the first of several; checked if it is known. (0.5, 3) is a scale \
                   and a zero point, and [0.5, 3] are the scales of two channels.";
    all.push(("out_quant", "scale, list of scales or (scale, zero_point), optional".into(), meaning.into()));
    all
}

/// Breaks a text into lines: the first one begins with `first`, the others with `next`.
fn wrapped(text: &str, first: &str, next: &str) -> String {
    let (mut out, mut line) = (String::new(), first.to_owned());
    for word in text.split(' ') {
        if line.trim().is_empty() {
            line += word;
        } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
            line = format!("{line} {word}");
        } else {
            let _ = writeln!(out, "{line}");
            line = format!("{next}{word}");
        }
    }
    out + &line
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpulang::functions::{function_def, functions};

    #[test]
    fn docstrings_are_these() {
        let docs = ["add", "conv", "custom", "topk"].map(|name| {
            let f = function_def(name).unwrap();
            format!("{name}{}\n{}", super::super::signature(f), doc(f).unwrap())
        });
        super::super::tests::assert_snapshot("python_docs", &docs.join("\n"));
    }

    #[test]
    fn every_parameter_has_a_meaning() {
        for f in functions() {
            let all = parameters(f);
            assert!(all.iter().all(|(.., meaning)| !meaning.is_empty()), "{}", f.name);
            // No quote ends the docstring, and no backslash begins an escape.
            let doc = doc(f).unwrap();
            assert!(!doc.contains("\"\"\"") && !doc.contains('\\'), "{doc}");
        }
    }

    #[test]
    fn lines_are_short() {
        let text = "word ".repeat(40);
        let lines = wrapped(text.trim_end(), "    ", "        ");
        assert!(lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
        assert_eq!(lines.split_whitespace().count(), 40);
    }
}
