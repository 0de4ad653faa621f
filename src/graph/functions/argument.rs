//! The types of arguments: how each is read from a [`Value`], written as one, and described.
use super::{kind::ArgumentKind, value::Value};
use crate::{
    Operand,
    base::{Dtype, Ints, OneOrMany, nearest},
    quant::RoundMode,
};
use serde_json::{Value as Json, json};

/// The reason why a value does not have the argument's type.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct Mismatch {
    /// Path within the argument: `[1]`.
    pub path: String,
    pub found: String,
    pub expected: String,
}

impl Mismatch {
    pub(super) fn of<T: Argument>(found: &Value) -> Self {
        Mismatch { path: String::new(), found: found.to_string(), expected: format!("expected {}", T::expected()) }
    }
    fn within(self, index: usize) -> Self {
        Mismatch { path: format!("[{index}]{}", self.path), ..self }
    }
}

/// A type of arguments.
#[doc(hidden)]
pub trait Argument: Clone {
    /// Returns a description for messages: `an integer`.
    fn expected() -> String;
    /// Returns the name for the reference: `integer`.
    fn type_name() -> String;
    /// Returns the plural, for lists of the type: `integers`.
    fn plural() -> String {
        format!("{}s", Self::type_name())
    }
    /// Returns the JSON Schema.
    fn schema() -> Json;
    /// Returns the type as data.
    fn kind() -> ArgumentKind;
    fn from_value(value: Value) -> Result<Self, Mismatch>;
    fn to_value(&self) -> Value;
    /// Visits the tensors in the argument.
    fn visit(&mut self, _: &mut dyn FnMut(&mut Operand)) {}
}

macro_rules! plain {
    ($($t:ty, $kind:ident, $name:literal, $expected:literal, $schema:tt, $($pattern:pat => $value:expr),+; |$v:ident| $to:expr;)*) => { $(
        impl Argument for $t {
            fn expected() -> String { $expected.into() }
            fn type_name() -> String { $name.into() }
            fn schema() -> Json { json!($schema) }
            fn kind() -> ArgumentKind { ArgumentKind::$kind }
            fn from_value(value: Value) -> Result<Self, Mismatch> {
                match value {
                    $($pattern => Ok($value),)+
                    other => Err(Mismatch::of::<Self>(&other)),
                }
            }
            fn to_value(&self) -> Value { let $v = self.clone(); $to }
        }
    )* };
}
plain! {
    i64, Integer, "integer", "an integer", { "type": "integer" }, Value::Int(v) => v; |v| Value::Int(v);
    String, String, "string", "a string", { "type": "string" }, Value::Str(v) => v; |v| Value::Str(v);
    bool, Boolean, "boolean", "true or false", { "type": "boolean" }, Value::Bool(v) => v; |v| Value::Bool(v);
}

impl Argument for f64 {
    fn expected() -> String {
        "a number".into()
    }
    fn type_name() -> String {
        "number".into()
    }
    fn schema() -> Json {
        json!({ "type": ["number", "string"], "pattern": "^(-?inf|nan)$" })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::Number
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        value.number().ok_or_else(|| Mismatch::of::<Self>(&value))
    }
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
}

/// An argument type whose values are strings.
pub(crate) trait StringEnum: Sized + Copy + PartialEq {
    /// The name for the reference: `dtype`.
    const NAME: &'static str;
    /// Returns the values with their strings.
    fn words() -> Vec<(Self, &'static str)>;
    /// Returns the words that messages list.
    fn listed() -> Vec<&'static str> {
        Self::words().into_iter().map(|(_, word)| word).collect()
    }
    /// Returns the type as data.
    fn kind() -> ArgumentKind {
        ArgumentKind::Word(Self::words().into_iter().map(|w| w.1).collect())
    }
}
impl StringEnum for Dtype {
    const NAME: &'static str = "dtype";
    fn kind() -> ArgumentKind {
        ArgumentKind::Dtype
    }
    fn words() -> Vec<(Self, &'static str)> {
        Dtype::all().map(|d| (d, d.name())).collect()
    }
    fn listed() -> Vec<&'static str> {
        Dtype::all().filter(|d| d.is_declared()).map(Dtype::name).collect()
    }
}
impl StringEnum for RoundMode {
    const NAME: &'static str = "rounding mode";
    fn words() -> Vec<(Self, &'static str)> {
        RoundMode::arguments().collect()
    }
}
impl<T: StringEnum> Argument for T {
    fn expected() -> String {
        format!("one of {}", T::listed().join(", "))
    }
    fn type_name() -> String {
        T::NAME.into()
    }
    fn schema() -> Json {
        json!({ "enum": T::words().into_iter().map(|w| w.1).collect::<Vec<_>>() })
    }
    fn kind() -> ArgumentKind {
        <T as StringEnum>::kind()
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let Value::Str(word) = &value else {
            return Err(Mismatch::of::<T>(&value));
        };
        let words = T::words();
        let known = words.iter().find(|(_, w)| w == word).map(|(v, _)| *v);
        known.ok_or_else(|| {
            let near = closest(word, &words.iter().map(|w| w.1).collect::<Vec<_>>());
            let hint = near.map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
            let mismatch = Mismatch::of::<T>(&value);
            Mismatch { expected: format!("{}{hint}", mismatch.expected), ..mismatch }
        })
    }
    fn to_value(&self) -> Value {
        T::words().into_iter().find(|(v, _)| v == self).map_or(Value::Null, |(_, w)| w.into())
    }
}

/// Names of dtypes in PyTorch, NumPy and safetensors, in lower case, and tpulang's.
const DTYPES_ELSEWHERE: &[(&str, &str)] = &[
    ("half", "float16"),
    ("fp16", "float16"),
    ("f16", "float16"),
    ("bf16", "bfloat16"),
    ("single", "float32"),
    ("fp32", "float32"),
    ("f32", "float32"),
    ("double", "float64"),
    ("f64", "float64"),
    ("char", "int8"),
    ("byte", "uint8"),
    ("short", "int16"),
    ("int", "int32"),
    ("i8", "int8"),
    ("u8", "uint8"),
    ("i16", "int16"),
    ("u16", "uint16"),
    ("i32", "int32"),
    ("u32", "uint32"),
    ("long", "int64"),
    ("i64", "int64"),
];

/// Returns the known word that was probably meant: the first one with this prefix (`float` means `float32`), or the most
/// similar one.
#[doc(hidden)]
pub fn closest(word: &str, known: &[&str]) -> Option<String> {
    // As in `torch.float32`.
    let lower = word.rsplit('.').next().unwrap_or(word).to_lowercase();
    let alias = DTYPES_ELSEWHERE.iter().find(|(theirs, _)| *theirs == lower).map_or(lower.as_str(), |(_, ours)| ours);
    if known.contains(&alias) {
        return Some(alias.to_owned());
    }
    let begins = known.iter().find(|k| word.len() >= 3 && k.starts_with(&lower)).map(|k| (*k).to_owned());
    begins.or_else(|| nearest(&lower, known.iter().copied()))
}

/// Returns the items of a list, or the value if it is not a list.
pub(super) fn items(value: Value) -> Result<Vec<Value>, Value> {
    if let Value::List(items) = value { Ok(items) } else { Err(value) }
}

pub(super) fn each<T: Argument>(items: Vec<Value>) -> Result<Vec<T>, Mismatch> {
    items.into_iter().enumerate().map(|(i, v)| T::from_value(v).map_err(|m| m.within(i))).collect()
}

/// `N` integers, one per axis or side; a single value applies to all.
///
/// ```
/// use tpulang::functions::Each;
/// assert_eq!(Each::<2>::from(3).0, [3, 3]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Each<const N: usize>(pub [i64; N]);

macro_rules! each_from {
    ($($t:ty),*) => { $(
        impl<const N: usize> From<[$t; N]> for Each<N> {
            // A size beyond i64 saturates, and is still too large.
            fn from(v: [$t; N]) -> Self { Each(v.map(|x| i64::try_from(x).unwrap_or(i64::MAX))) }
        }
        impl<const N: usize> From<$t> for Each<N> {
            fn from(v: $t) -> Self { [v; N].into() }
        }
    )* };
}
each_from!(i32, i64, usize);

impl<const N: usize> Argument for Each<N> {
    fn expected() -> String {
        // Those of six are too many for a short message.
        let each = if N > 3 { ", one per side" } else { "" };
        format!("an integer or a list of {N} integers{each}")
    }
    fn type_name() -> String {
        format!("{N} integers, or one for all")
    }
    fn schema() -> Json {
        json!({ "anyOf": [{ "type": "integer" },
            { "type": "array", "items": { "type": "integer" }, "minItems": N, "maxItems": N }] })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::AnyOf(vec![ArgumentKind::Integer, <[i64; N]>::kind()])
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let wrong = Mismatch::of::<Self>(&value);
        match items(value) {
            Ok(list) => each(list)?.try_into().map(Each).map_err(|_| wrong),
            Err(Value::Int(v)) => Ok(v.into()),
            Err(_) => Err(wrong),
        }
    }
    fn to_value(&self) -> Value {
        self.0.into()
    }
}

impl<const N: usize, T: Argument> Argument for [T; N] {
    fn expected() -> String {
        format!("a list of {N} {}", T::plural())
    }
    fn type_name() -> String {
        format!("{N} {}", T::plural())
    }
    fn plural() -> String {
        format!("lists of {N} {}", T::plural())
    }
    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema(), "minItems": N, "maxItems": N })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::list(T::kind(), Some(N))
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let wrong = Mismatch::of::<Self>(&value);
        let list = items(value).map_err(|_| wrong.clone())?;
        each(list)?.try_into().map_err(|_| wrong)
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(Argument::to_value).collect())
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn expected() -> String {
        format!("a list of {}", T::plural())
    }
    fn type_name() -> String {
        format!("list of {}", T::plural())
    }
    fn plural() -> String {
        format!("lists of {}", T::plural())
    }
    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema() })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::list(T::kind(), None)
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        each(items(value).map_err(|v| Mismatch::of::<Self>(&v))?)
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(Argument::to_value).collect())
    }
    fn visit(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        self.iter_mut().for_each(|v| v.visit(f));
    }
}

impl Argument for Ints {
    fn expected() -> String {
        Vec::<i64>::expected()
    }
    fn type_name() -> String {
        Vec::<i64>::type_name()
    }
    fn plural() -> String {
        Vec::<i64>::plural()
    }
    fn schema() -> Json {
        Vec::<i64>::schema()
    }
    fn kind() -> ArgumentKind {
        Vec::<i64>::kind()
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Argument::from_value(value).map(Ints)
    }
    fn to_value(&self) -> Value {
        self.0.to_value()
    }
}

impl<T: Argument> Argument for OneOrMany<T> {
    fn expected() -> String {
        format!("{} or a list of them", T::expected())
    }
    fn type_name() -> String {
        format!("{} or list", T::type_name())
    }
    fn schema() -> Json {
        json!({ "anyOf": [T::schema(), { "type": "array", "items": T::schema() }] })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::AnyOf(vec![T::kind(), Vec::<T>::kind()])
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match items(value) {
            Ok(list) => each(list).map(OneOrMany::Many),
            Err(one) => T::from_value(one)
                .map(OneOrMany::One)
                .map_err(|m| Mismatch { expected: format!("expected {}", Self::expected()), ..m }),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            OneOrMany::One(v) => v.to_value(),
            OneOrMany::Many(v) => v.to_value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_or_told_what_would_be_right() {
        let list = |v: &[i64]| Value::from(v.to_vec());
        assert_eq!(Each::<2>::from_value(2.into()), Ok(Each([2, 2])));
        assert_eq!(Each::<2>::from_value(list(&[2, 3])), Ok(Each([2, 3])));
        let m = Each::<2>::from_value(list(&[1, 2, 3])).unwrap_err();
        assert_eq!(
            (m.found.as_str(), m.expected.as_str()),
            ("[1, 2, 3]", "expected an integer or a list of 2 integers")
        );
        let m = Each::<2>::from_value(Value::List(vec![1.into(), "a".into()])).unwrap_err();
        assert_eq!((m.path.as_str(), m.found.as_str(), m.expected.as_str()), ("[1]", "\"a\"", "expected an integer"));
        let m = Dtype::from_value("float".into()).unwrap_err();
        assert!(m.expected.ends_with("did you mean \"float32\"?"), "{m:?}");
        let m = RoundMode::from_value("half_odd".into()).unwrap_err();
        assert!(
            m.expected.starts_with("expected one of half_away_from_zero, half_up, half_down, half_to_even, "),
            "{m:?}"
        );
        assert_eq!(Vec::<[i64; 2]>::type_name(), "list of lists of 2 integers");
        assert_eq!(Vec::<Ints>::type_name(), "list of lists of integers");
        assert_eq!(f64::from_value("-inf".into()), Ok(f64::NEG_INFINITY));
        assert_eq!(f64::from_value("Inf".into()).unwrap_err().found, "\"Inf\"");
    }
}
