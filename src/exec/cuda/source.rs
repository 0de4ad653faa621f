//! The CUDA C source of a kernel: the common prelude, generated code, a family's file, and the name of the function.
use super::cache;
use std::borrow::Cow;

/// The prelude of every kernel.
const COMMON: &str = include_str!("common.cuh");

/// The headers, by their include directive.
const INCLUDED: [(&str, &str); 4] = [
    ("#include \"gemm.cuh\"", include_str!("gemm.cuh")),
    ("#include \"index.cuh\"", include_str!("index.cuh")),
    ("#include \"block_reduce.cuh\"", include_str!("block_reduce.cuh")),
    ("#include \"windows.cuh\"", include_str!("windows.cuh")),
];

/// The file name of generated kernels.
pub(super) const GENERATED: &str = "generated.cu";

/// A file of kernels.
#[derive(Debug, Clone, Copy)]
pub(super) struct File {
    /// `norm.cu`, used in messages.
    pub name: &'static str,
    pub text: &'static str,
}

/// Names the `.cu` file next to a family's launchers.
macro_rules! file {
    ($name:literal) => {
        $crate::source::File { name: $name, text: include_str!($name) }
    };
}
pub(super) use file;

/// A kernel to be compiled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Source {
    /// The file name, used in messages.
    pub file: &'static str,
    /// `softmax<float>`
    pub function: String,
    /// Generated code, which precedes the file's text.
    made: String,
    text: Cow<'static, str>,
}

impl Source {
    /// Creates the source of a function of a file, with its template arguments: `softmax<float>`.
    pub fn new(file: File, function: impl Into<String>) -> Source {
        Source { file: file.name, function: function.into(), made: String::new(), text: Cow::Borrowed(file.text) }
    }
    /// Like [`Source::new`], with a generated epilogue.
    pub fn with_epilogue(file: File, function: impl Into<String>, epilogue: &str) -> Source {
        Source { made: epilogue.to_owned(), ..Source::new(file, function) }
    }
    /// Creates the source of the function `generated` of a generated text.
    pub fn generated(text: String) -> Source {
        Source { file: GENERATED, function: "generated".into(), made: text, text: Cow::Borrowed("") }
    }
    /// Creates the source of a function of a user's text.
    pub fn of_user(text: &str, function: &str) -> Source {
        let (file, text) = ("a custom kernel", Cow::Owned(text.into()));
        Source { file, function: function.into(), made: String::new(), text }
    }
    /// Returns the whole text.
    pub fn text(&self) -> String {
        format!("{COMMON}\n{}{}", self.made, self.included())
    }
    /// Returns the generated code or the user's text, if any.
    pub fn own_text(&self) -> Option<&str> {
        match &self.text {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => Some(self.made.as_str()).filter(|made| !made.is_empty()),
        }
    }
    fn included(&self) -> String {
        INCLUDED.iter().fold(self.text.to_string(), |text, (line, file)| text.replace(line, file))
    }
    /// Returns the cache key of the compiled kernel; `with` has the compiler and the architecture.
    pub fn hash<const N: usize>(&self, with: [&str; N]) -> String {
        let text = self.text();
        cache::hash(with.into_iter().chain([self.function.as_str(), &text]))
    }
}
