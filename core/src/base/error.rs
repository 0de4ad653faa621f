use super::{Dtype, Shape, counted, shape_text};
use std::{fmt, path::PathBuf};

/// Short for a result with tpulang's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Mistakes that are told together; who finds more may stop looking. Nobody reads them all, and each costs a search for
/// its place in the file and for the name that was meant.
pub const MAX_ERRORS: usize = 100;

/// What went wrong, in which call, and at which place of which file.
pub struct Error(Box<Inner>);

/// As [`Display`](fmt::Display), since it is what a program shows whose `main` returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Debug)]
struct Inner {
    cause: Cause,
    call: Option<CallContext>,
    place: Option<Place>,
}

/// The reason of an [`Error`], with its numbers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// An argument's value is not allowed.
    #[error("{argument} is {found}; {expected}")]
    Argument {
        /// Name of the argument.
        argument: String,
        /// Its value.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// An argument does not fit the others.
    #[error("{argument} {problem}")]
    Misfit {
        /// Name of the argument.
        argument: String,
        /// What is wrong with it and what would be right: `has 4 elements; expected 3`.
        problem: String,
    },
    /// An argument's dtype is not supported there.
    #[error("{argument} is {found}; expected {}", list(allowed))]
    Dtype {
        /// Name of the argument.
        argument: String,
        /// Its dtype.
        found: Dtype,
        /// What is supported.
        allowed: Vec<Dtype>,
    },
    /// Two arguments must have the same dtype.
    #[error("{left} is {left_dtype} and {right} is {right_dtype}; they must have the same dtype")]
    DtypeMismatch {
        /// Name of the first argument.
        left: String,
        /// Its dtype.
        left_dtype: Dtype,
        /// Name of the second argument.
        right: String,
        /// Its dtype.
        right_dtype: Dtype,
    },
    /// An argument has the wrong number of dimensions.
    #[error("{argument} has {}; expected {expected}", counted(*found, "dimension"))]
    Rank {
        /// Name of the argument.
        argument: String,
        /// Its number of dimensions.
        found: usize,
        /// What would be right.
        expected: String,
    },
    /// An axis is not one of the tensor's.
    #[error("{argument} is {axis}; with {} it must be from {} to {}", counted(*rank, "dimension"), -(*rank as i64), *rank as i64 - 1)]
    Axis {
        /// Name of the argument.
        argument: String,
        /// Its value.
        axis: i64,
        /// Number of dimensions.
        rank: usize,
    },
    /// Two shapes cannot be broadcast together.
    #[error(
        "shapes {} and {} cannot be broadcast together: {left_dim} and {right_dim} differ and neither is 1",
        shape_text(left),
        shape_text(right)
    )]
    Broadcast {
        /// First shape.
        left: Shape,
        /// Second shape.
        right: Shape,
        /// The dimension of the first that does not fit.
        left_dim: usize,
        /// The dimension of the second that does not fit.
        right_dim: usize,
    },
    /// Shapes or sizes that do not fit together.
    #[error("{0}")]
    Shape(String),
    /// Quantization parameters that are missing, impossible or contradict earlier ones.
    #[error("quantization of {tensor:?}: {problem}")]
    Quantization {
        /// Name of the tensor.
        tensor: String,
        /// What is wrong.
        problem: String,
    },
    /// A name is used twice.
    #[error("the name {0:?} is used already; every tensor needs its own")]
    DuplicateName(String),
    /// A name that nothing has.
    #[error("unknown {kind} {name:?}{}", did_you_mean(nearest))]
    UnknownName {
        /// What should have had the name: tensor, function, argument, ...
        kind: &'static str,
        /// The name.
        name: String,
        /// The most similar name that exists.
        nearest: Option<String>,
    },
    /// An argument that the function does not have.
    #[error("there is no argument {argument:?}; {hint}")]
    UnknownArgument {
        /// The name that was given.
        argument: String,
        /// What was probably meant, or which there are.
        hint: String,
    },
    /// A tensor handle that the graph did not give out.
    #[error("the tensor handle #{0} is not of this graph")]
    ForeignTensor(u32),
    /// An operator that does not fit its definition.
    #[error("top.{op}: {problem}")]
    Operator {
        /// Name of the op.
        op: String,
        /// What does not fit.
        problem: String,
    },
    /// Something larger than can be held.
    #[error("{what} would take {needed}; {limit}")]
    TooLarge {
        /// What is large.
        what: String,
        /// How large.
        needed: String,
        /// What is possible.
        limit: String,
    },
    /// A device, its driver or its compiler failed, or is not there.
    #[error("{device}: {problem}")]
    Device {
        /// The device or library: `CUDA`.
        device: String,
        /// What is wrong, and what would help.
        problem: String,
    },
    /// A coefficient or input without data.
    #[error("{0}")]
    MissingData(String),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Text that is not valid JSON or MLIR, or not of the right form.
    #[error("{0}")]
    Syntax(String),
    /// Independent errors, found together.
    #[error("{}", many(.0))]
    Many(Vec<Error>),
}

fn list(dtypes: &[Dtype]) -> String {
    let names: Vec<_> = dtypes.iter().map(|d| d.name()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => "none".to_owned(),
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!("; did you mean {n:?}?")).unwrap_or_default()
}

fn many(errors: &[Error]) -> String {
    errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n")
}

/// The call in which an error arose.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallContext {
    /// The function, `conv`.
    pub function: String,
    /// The name of its (first) output, where one was given.
    pub out: Option<String>,
    /// Its position among the graph's calls.
    pub index: usize,
    /// Argument, tensor name, and shape with dtype, of each tensor argument.
    pub operands: Vec<[String; 3]>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Place {
    /// The file, or another name for the text.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// Path in the document: `ops[3].args.weight`.
    pub path: String,
}

impl Place {
    /// The place of a byte of a file's text, which has no path.
    pub fn of_byte(file: &str, text: &str, offset: usize) -> Place {
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        Place { file: file.into(), line, column, path: String::new() }
    }
}

impl Error {
    /// The reason.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }
    /// The call in which it arose.
    pub fn call(&self) -> Option<&CallContext> {
        self.0.call.as_ref()
    }
    /// Where in which file it lies.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
    /// The independent errors: itself, or each of [`Cause::Many`].
    pub fn each(&self) -> &[Error] {
        match &self.0.cause {
            Cause::Many(errors) => errors,
            _ => std::slice::from_ref(self),
        }
    }
    /// As [`Error::each`], but owned.
    pub fn into_each(self) -> Vec<Error> {
        match self.0.cause {
            Cause::Many(errors) => errors,
            cause => vec![Error(Box::new(Inner { cause, ..*self.0 }))],
        }
    }
    /// The argument that the error is about, where it is about one.
    pub fn argument(&self) -> Option<&str> {
        match &self.0.cause {
            Cause::Argument { argument, .. }
            | Cause::Misfit { argument, .. }
            | Cause::Dtype { argument, .. }
            | Cause::Rank { argument, .. }
            | Cause::UnknownArgument { argument, .. }
            | Cause::Axis { argument, .. } => Some(argument),
            _ => None,
        }
    }
    /// The error with its argument called as the caller calls it: `words` has pairs of a name and the caller's.
    pub fn in_words(mut self, words: &[(&str, &str)]) -> Self {
        if let Cause::Argument { argument, .. }
        | Cause::Misfit { argument, .. }
        | Cause::Dtype { argument, .. }
        | Cause::Rank { argument, .. }
        | Cause::Axis { argument, .. } = &mut self.0.cause
            && let Some((_, theirs)) = words.iter().find(|(ours, _)| ours == argument)
        {
            *argument = (*theirs).to_owned();
        }
        self
    }
    /// The error of the call at another position, where not every call came to be recorded.
    pub fn numbered(mut self, index: usize) -> Self {
        if let Some(call) = &mut self.0.call {
            call.index = index;
        }
        self
    }
    /// It happened in that call, if it does not know better.
    pub fn in_call(mut self, call: CallContext) -> Self {
        self.0.call.get_or_insert(call);
        self
    }
    /// It happened at that place of a file, if it does not know better.
    pub fn at(mut self, place: Place) -> Self {
        self.0.place.get_or_insert(place);
        self
    }
    /// Of the operating system, about a file.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Cause::Io { path: path.into(), source }.into()
    }
    /// A file is not what it should be.
    pub fn format(path: impl Into<PathBuf>, problem: impl fmt::Display) -> Error {
        Cause::Format { path: path.into(), problem: problem.to_string() }.into()
    }
    /// Nothing, the one, or all of them (at most [`MAX_ERRORS`]) as one error.
    pub fn collect(mut errors: Vec<Error>) -> Result<()> {
        if errors.len() > MAX_ERRORS {
            errors.truncate(MAX_ERRORS);
            errors.push(Cause::Syntax(format!("there are more mistakes; these are the first {MAX_ERRORS}")).into());
        }
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(Cause::Many(errors).into()),
        }
    }
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Self {
        Error(Box::new(Inner { cause, call: None, place: None }))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.cause {
            Cause::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Inner { cause, call, place } = &*self.0;
        if let Some(call) = call {
            write_call(f, call)?;
        }
        match cause {
            // The call names the op already.
            Cause::Operator { op, problem } if call.as_ref().is_some_and(|c| c.function == format!("top.{op}")) => {
                write!(f, "{problem}")?
            }
            _ => write!(f, "{cause}")?,
        }
        if let Some(call) = call {
            let width = |i: usize| call.operands.iter().map(|o| o[i].chars().count()).max().unwrap_or(0);
            let (a, b) = (width(0), width(1));
            for [argument, name, ty] in &call.operands {
                write!(f, "\n   {argument:a$}  {name:b$}  {ty}")?;
            }
        }
        if let Some(p) = place {
            write_place(f, p)?;
        }
        Ok(())
    }
}

/// Writes what precedes the message of an error or a warning: `conv "y" (ops[3]): `.
pub(super) fn write_call(f: &mut fmt::Formatter, call: &CallContext) -> fmt::Result {
    let out = call.out.as_ref().map(|o| format!(" {o:?}")).unwrap_or_default();
    write!(f, "{}{out} (ops[{}]): ", call.function, call.index)
}

/// Writes the line that names the place.
pub(super) fn write_place(f: &mut fmt::Formatter, place: &Place) -> fmt::Result {
    write!(f, "\n   --> {}:{}:{}", place.file, place.line, place.column)?;
    if place.path.is_empty() { Ok(()) } else { write!(f, " ({})", place.path) }
}

/// An error about an argument's value.
pub fn argument(argument: impl fmt::Display, found: impl fmt::Display, expected: impl fmt::Display) -> Error {
    Cause::Argument { argument: argument.to_string(), found: found.to_string(), expected: expected.to_string() }.into()
}

/// An error about an argument that does not fit the others.
pub fn misfit(argument: impl fmt::Display, problem: impl fmt::Display) -> Error {
    Cause::Misfit { argument: argument.to_string(), problem: problem.to_string() }.into()
}

/// Text for a message, cut if it is long.
pub fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// An error about shapes that do not fit.
pub fn invalid(what: impl fmt::Display) -> Error {
    Cause::Shape(what.to_string()).into()
}
