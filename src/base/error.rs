use super::{
    Dtype, Shape,
    escape::{EscapeLines, without_middle},
    escaped, escaped_path, pluralized, shape_text,
};
use std::{
    fmt::{self, Write},
    path::PathBuf,
};

/// A result with tpulang's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Maximum number of errors that are reported together. Each takes a search for its place in the file and for a similar
/// name, so readers stop after this number.
pub const MAX_ERRORS: usize = 100;

/// An error: its cause, the call in which it occurred, and its place in a file.
pub struct Error(Box<Inner>);

/// Like [`Display`](fmt::Display), since a program whose `main` returns an error prints this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Debug)]
struct Inner {
    cause: Cause,
    /// What failed, before the cause: `cannot write`.
    failed: Option<&'static str>,
    call: Option<CallContext>,
    place: Option<Place>,
}

/// The cause of an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The value of an argument is invalid.
    #[error("{argument} is {found}; {expected}")]
    Argument {
        /// Name of the argument.
        argument: String,
        /// Its value.
        found: String,
        /// The valid values.
        expected: String,
    },
    /// An argument does not fit the others.
    #[error("{argument} {problem}")]
    Misfit {
        /// Name of the argument.
        argument: String,
        /// The problem and the valid values: `has 4 elements; expected 3`.
        problem: String,
    },
    /// The dtype of an argument is not supported.
    #[error("{argument} is {found}; expected {}{}", list(allowed), remedy.as_ref().map_or(String::new(), |r| format!("; {r}")))]
    Dtype {
        /// Name of the argument.
        argument: String,
        /// Its dtype.
        found: Dtype,
        /// The supported dtypes.
        allowed: Vec<Dtype>,
        /// What would help: `softmax_int takes integers`.
        remedy: Option<String>,
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
    #[error("{argument} has {}; expected {expected}", pluralized(*found, "dimension"))]
    Rank {
        /// Name of the argument.
        argument: String,
        /// Its number of dimensions.
        found: usize,
        /// The valid values.
        expected: String,
    },
    /// An axis is out of range.
    #[error("{argument} is {axis}; with {} it must be from {} to {}", pluralized(*rank, "dimension"), -(*rank as i64), *rank as i64 - 1)]
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
        "shapes {} and {} cannot be broadcast together: {left_dim} and {right_dim} differ and neither is 1{}",
        shape_text(left),
        shape_text(right),
        per_channel_hint(left, right)
    )]
    Broadcast {
        /// First shape.
        left: Shape,
        /// Second shape.
        right: Shape,
        /// The dimension of the first that differs.
        left_dim: usize,
        /// The dimension of the second that differs.
        right_dim: usize,
    },
    /// Shapes or sizes do not match.
    #[error("{0}")]
    Shape(String),
    /// Quantization parameters are missing or invalid, or contradict earlier ones.
    #[error("quantization of {tensor:?}: {problem}")]
    Quantization {
        /// Name of the tensor.
        tensor: String,
        /// The problem.
        problem: String,
    },
    /// A name is used twice.
    #[error("the name {0:?} is used already; every tensor needs its own")]
    DuplicateName(String),
    /// A name does not exist.
    #[error("unknown {kind} {name:?}{}", suggestion(name, nearest.as_deref(), known))]
    UnknownName {
        /// The kind of thing that was looked up: tensor, function, argument, ...
        kind: &'static str,
        /// The name.
        name: String,
        /// The most similar name that exists.
        nearest: Option<String>,
        /// The names that exist, if they are few.
        known: Vec<String>,
    },
    /// An argument that the function does not have.
    #[error("there is no argument {argument:?}; {hint}")]
    UnknownArgument {
        /// The name that was given.
        argument: String,
        /// A similar name, or a list of the arguments.
        hint: String,
    },
    /// A tensor of another graph, by the index of its handle.
    #[error("the tensor is of another graph, or of a call that was undone; a graph takes only its own tensors")]
    ForeignTensor(u32),
    /// An operator does not match its definition.
    #[error("top.{op}: {problem}")]
    Operator {
        /// Name of the op.
        op: String,
        /// The problem.
        problem: String,
    },
    /// Something exceeds a limit, such as the available memory.
    #[error("{what} would take {needed}; {limit}")]
    TooLarge {
        /// The thing that is too large.
        what: String,
        /// Its size.
        needed: String,
        /// The limit.
        limit: String,
    },
    /// A device, its driver or its compiler is missing or failed.
    #[error("{device}: {problem}")]
    Device {
        /// The device or library: `CUDA`.
        device: String,
        /// The problem, and a remedy.
        problem: String,
    },
    /// A coefficient or an input has no data.
    #[error("{0}")]
    MissingData(String),
    /// The caller asked for a run to end.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be read or written.
    #[error("{}: {source}", escaped_path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file is not valid.
    #[error("{}: {problem}", escaped_path(path))]
    Format {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// Text is not valid JSON or MLIR, or does not have the expected form.
    #[error("{0}")]
    Syntax(String),
    /// Several independent errors.
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

/// Suggests the shape of a vector with one value per channel.
fn per_channel_hint(left: &[usize], right: &[usize]) -> String {
    let (tensor, vector) = if left.len() < right.len() { (right, left) } else { (left, right) };
    match (tensor, vector) {
        ([_, channels, rest @ ..], [n]) if n == channels => {
            let shape: Vec<usize> = [1, *n].into_iter().chain(rest.iter().map(|_| 1)).collect();
            format!("; for one value per channel, reshape {n} to {}", shape_text(&shape))
        }
        _ => String::new(),
    }
}

fn suggestion(name: &str, nearest: Option<&str>, known: &[String]) -> String {
    let without_digits = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let list = known.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match (nearest, known) {
        // A layer that does not exist is not a misspelling.
        (Some(near), _) if without_digits(near) == without_digits(name) => format!("; there is {near:?}"),
        (Some(near), [] | [_]) => format!("; did you mean {near:?}?"),
        (Some(near), _) => format!("; did you mean {near:?}? There are {list}"),
        (None, []) => String::new(),
        (None, [_]) => format!("; there is only {list}"),
        (None, _) => format!("; there are {list}"),
    }
}

fn many(errors: &[Error]) -> String {
    errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n")
}

/// The call in which an error occurred.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallContext {
    /// The function, `conv`.
    pub function: String,
    /// The name of its (first) output, if it was given.
    pub out: Option<String>,
    /// Its index among the calls of the graph.
    pub index: usize,
    /// For each tensor argument: its name, the name of the tensor, and shape and dtype.
    pub operands: Vec<[String; 3]>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Place {
    /// The file, or another name of the text.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The path in the document: `ops[3].args.weight`.
    pub path: String,
}

impl Place {
    /// Returns the place of a byte offset in a text.
    pub fn of_byte(file: &str, text: &str, offset: usize) -> Place {
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        Place { file: file.into(), line, column, path: String::new() }
    }
}

impl Error {
    /// Returns the cause.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }
    /// Returns the call in which it occurred.
    pub fn call(&self) -> Option<&CallContext> {
        self.0.call.as_ref()
    }
    /// Returns its place in a file.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
    /// Returns the message without the place: the call, the cause, and the operands of the call.
    ///
    /// ```
    /// use tpulang::{Error, base::Place};
    /// let error = Error::new("the shapes differ").at(Place { file: "net.json".into(), line: 3, ..Place::default() });
    /// assert_eq!(error.message(), "the shapes differ");
    /// ```
    pub fn message(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_message(&mut EscapeLines(&mut text));
        text
    }
    fn write_message(&self, f: &mut impl Write) -> fmt::Result {
        let Inner { cause, failed, call, .. } = &*self.0;
        if let Some(call) = call {
            write_call(f, call)?;
        }
        failed.iter().try_for_each(|failed| write!(f, "{failed} "))?;
        match cause {
            // The call names the op already.
            Cause::Operator { op, problem } if call.as_ref().is_some_and(|c| c.function == format!("top.{op}")) => {
                write!(f, "{problem}")?
            }
            _ => write!(f, "{cause}")?,
        }
        call.iter().flat_map(CallContext::rows).try_for_each(|row| write!(f, "\n   {row}"))
    }
    /// Returns the independent errors: the error itself, or those of [`Cause::Many`].
    pub fn each(&self) -> &[Error] {
        match &self.0.cause {
            Cause::Many(errors) => errors,
            _ => std::slice::from_ref(self),
        }
    }
    /// Like [`Error::each`], but returns owned errors.
    pub fn into_each(self) -> Vec<Error> {
        match self.0.cause {
            Cause::Many(errors) => errors,
            cause => vec![Error(Box::new(Inner { cause, ..*self.0 }))],
        }
    }
    /// Returns the argument that the error is about, if any.
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
    /// Whether the caller asked for the run to end (`RunOptions::interrupt`).
    ///
    /// ```
    /// use tpulang::{Error, base::Cause};
    /// assert!(Error::from(Cause::Interrupted).is_interrupted());
    /// ```
    pub fn is_interrupted(&self) -> bool {
        matches!(self.cause(), Cause::Interrupted)
    }
    /// Creates an error with this message, for type rules and kernels outside this crate.
    ///
    /// ```
    /// let error = tpulang::Error::new("the operands differ in length");
    /// assert_eq!(error.to_string(), "the operands differ in length");
    /// ```
    pub fn new(problem: impl fmt::Display) -> Error {
        invalid(problem)
    }
    /// Renames the argument. `words` contains pairs of a name and the name that the caller knows.
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
    /// Changes the index of the call, if not every call was recorded.
    pub fn numbered(mut self, index: usize) -> Self {
        if let Some(call) = &mut self.0.call {
            call.index = index;
        }
        self
    }
    /// Attaches the call context unless one is already set.
    pub fn in_call(mut self, call: CallContext) -> Self {
        self.0.call.get_or_insert(call);
        self
    }
    /// Attaches the place in a file unless one is already set.
    pub fn at(mut self, place: Place) -> Self {
        self.0.place.get_or_insert(place);
        self
    }
    /// Returns a function that turns an I/O error into an error about a file.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Cause::Io { path: path.into(), source }.into()
    }
    /// Adds what failed, with which the message begins: `cannot write`.
    pub(super) fn failed_to(mut self, failed: &'static str) -> Self {
        self.0.failed = Some(failed);
        self
    }
    /// Returns an error that a file is not valid.
    pub fn format(path: impl Into<PathBuf>, problem: impl fmt::Display) -> Error {
        Cause::Format { path: path.into(), problem: problem.to_string() }.into()
    }
    /// Combines errors into one, with at most [`MAX_ERRORS`] causes.
    ///
    /// # Errors
    /// Returns the combined error unless `errors` is empty.
    pub fn collect(mut errors: Vec<Error>) -> Result<()> {
        if errors.len() > MAX_ERRORS {
            errors.truncate(MAX_ERRORS);
            errors.push(Cause::Syntax(format!("too many errors; showing the first {MAX_ERRORS}")).into());
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
        Error(Box::new(Inner { cause, failed: None, call: None, place: None }))
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
        // Messages quote text of files; names and paths are on one line each.
        let mut f = EscapeLines(f);
        self.write_message(&mut f)?;
        self.0.place.iter().try_for_each(|place| write_place(&mut f, place))
    }
}

impl CallContext {
    /// The operands in aligned columns, one per line.
    fn rows(&self) -> Vec<String> {
        let cells = |o: &[String; 3]| o.each_ref().map(|cell| escaped(cell).into_owned());
        let operands: Vec<[String; 3]> = self.operands.iter().map(cells).collect();
        let width = |i: usize| operands.iter().map(|o| o[i].chars().count()).max().unwrap_or(0);
        let (a, b) = (width(0), width(1));
        operands.iter().map(|[argument, name, ty]| format!("{argument:a$}  {name:b$}  {ty}")).collect()
    }
}

/// Writes what precedes the message of an error or a warning: `conv "y" (ops[3]): `.
pub(super) fn write_call(f: &mut impl Write, call: &CallContext) -> fmt::Result {
    let out = call.out.as_ref().map(|o| format!(" {o:?}")).unwrap_or_default();
    write!(f, "{}{out} (ops[{}]): ", escaped(&call.function), call.index)
}

/// Writes the line that names the place.
pub(super) fn write_place(f: &mut impl Write, place: &Place) -> fmt::Result {
    write!(f, "\n   --> {}:{}:{}", escaped(&place.file), place.line, place.column)?;
    if place.path.is_empty() { Ok(()) } else { write!(f, " ({})", escaped(&without_middle(&place.path))) }
}

/// Returns an error about the value of an argument.
pub fn argument(argument: impl fmt::Display, found: impl fmt::Display, expected: impl fmt::Display) -> Error {
    Cause::Argument { argument: argument.to_string(), found: found.to_string(), expected: expected.to_string() }.into()
}

/// Returns an error about an argument that contradicts others.
pub fn misfit(argument: impl fmt::Display, problem: impl fmt::Display) -> Error {
    Cause::Misfit { argument: argument.to_string(), problem: problem.to_string() }.into()
}

/// Truncates a text for a message.
pub fn truncated(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Returns an error about shapes or sizes, or another one without a kind of its own.
pub fn invalid(what: impl fmt::Display) -> Error {
    Cause::Shape(what.to_string()).into()
}
