//! The types of arguments as data, for programs that write calls in other languages.

/// The type of an argument.
///
/// ```
/// use tpulang::functions::{ArgumentKind, function_def};
/// let conv = function_def("conv")?;
/// let kind = |name| conv.arguments().iter().find(|a| a.name == name).map(|a| a.kind.clone());
/// assert_eq!(kind("group"), Some(ArgumentKind::Integer));
/// assert_eq!(kind("bias"), Some(ArgumentKind::Tensor));
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentKind {
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Any string.
    String,
    /// One of these strings.
    Word(Vec<&'static str>),
    /// A dtype.
    Dtype,
    /// A tensor, or data for a coefficient.
    Tensor,
    /// A number with a dtype.
    Scalar,
    /// Parameters by name.
    Params,
    /// A list of values of one type.
    List {
        /// The type of the values.
        of: Box<ArgumentKind>,
        /// Their number, if it is fixed.
        length: Option<usize>,
    },
    /// A value of one of these types.
    AnyOf(Vec<ArgumentKind>),
}

impl ArgumentKind {
    /// Whether values may contain tensors.
    ///
    /// ```
    /// use tpulang::functions::function_def;
    /// let takes_tensors = |name| function_def(name).map(|f| f.arguments()[0].kind.takes_tensors());
    /// assert!(takes_tensors("concat")?, "a list of tensors");
    /// assert!(takes_tensors("add")?, "a tensor or a scalar");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn takes_tensors(&self) -> bool {
        match self {
            ArgumentKind::Tensor => true,
            ArgumentKind::List { of, .. } => of.takes_tensors(),
            ArgumentKind::AnyOf(kinds) => kinds.iter().any(ArgumentKind::takes_tensors),
            _ => false,
        }
    }

    pub(super) fn list(of: ArgumentKind, length: Option<usize>) -> Self {
        ArgumentKind::List { of: Box::new(of), length }
    }
}
