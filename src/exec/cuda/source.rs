//! CUDA C of kernels: a family's file behind what all share, and which of its functions is meant.
use super::cache;
use std::borrow::Cow;

/// What every kernel sees.
const COMMON: &str = include_str!("common.cuh");

/// What files ask for, by the line that does.
const INCLUDED: [(&str, &str); 4] = [
    ("#include \"gemm.cuh\"", include_str!("gemm.cuh")),
    ("#include \"index.cuh\"", include_str!("index.cuh")),
    ("#include \"together.cuh\"", include_str!("together.cuh")),
    ("#include \"windows.cuh\"", include_str!("windows.cuh")),
];

/// The file of texts that are generated whole.
pub(super) const GENERATED: &str = "generated.cu";

/// A file of kernels.
#[derive(Debug, Clone, Copy)]
pub(super) struct File {
    /// `norm.cu`, for messages.
    pub name: &'static str,
    pub text: &'static str,
}

/// Names the `.cu` beside a family's launchers.
macro_rules! file {
    ($name:literal) => {
        $crate::source::File { name: $name, text: include_str!($name) }
    };
}
pub(super) use file;

/// A kernel to be compiled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Source {
    /// Its file, for messages.
    pub file: &'static str,
    /// `softmax<float>`
    pub function: String,
    /// What was generated, before the file's own text.
    made: String,
    text: Cow<'static, str>,
}

impl Source {
    /// A function of a file, with its template's arguments: `softmax<float>`.
    pub fn new(file: File, function: impl Into<String>) -> Source {
        Source { file: file.name, function: function.into(), made: String::new(), text: Cow::Borrowed(file.text) }
    }
    /// As [`Source::new`], with an epilogue that was generated.
    pub fn with_epilogue(file: File, function: impl Into<String>, epilogue: &str) -> Source {
        Source { made: epilogue.to_owned(), ..Source::new(file, function) }
    }
    /// The function `generated` of a text.
    pub fn generated(text: String) -> Source {
        Source { file: GENERATED, function: "generated".into(), made: text, text: Cow::Borrowed("") }
    }
    /// A function of somebody else's text.
    pub fn of_user(text: &str, function: &str) -> Source {
        let (file, text) = ("a text of one's own", Cow::Owned(text.into()));
        Source { file, function: function.into(), made: String::new(), text }
    }
    /// All of it.
    pub fn text(&self) -> String {
        format!("{COMMON}\n{}{}", self.made, self.included())
    }
    /// What was generated of it, or is somebody else's.
    pub fn own_text(&self) -> Option<&str> {
        match &self.text {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => Some(self.made.as_str()).filter(|made| !made.is_empty()),
        }
    }
    fn included(&self) -> String {
        INCLUDED.iter().fold(self.text.to_string(), |text, (line, file)| text.replace(line, file))
    }
    /// A name for what is made of it `with` a compiler, an architecture, options.
    pub fn hash<const N: usize>(&self, with: [&str; N]) -> String {
        let text = self.text();
        cache::hash(with.into_iter().chain([self.function.as_str(), &text]))
    }
}
