//! Parameters, and the strings that contain expressions of them: `"${2*N}"`.
use super::{expression::evaluate, plain::string_end};
use crate::base::{nearest, truncated};
use indexmap::IndexMap;
use serde::Deserialize;
use std::{fmt, rc::Rc};

/// The longest text of a parameter, in bytes. Without a limit, parameters that contain each other would grow exponentially.
const LONGEST: usize = 1000;

/// The most bytes by which a value may grow when its expressions are replaced.
const MOST_GROWTH: usize = 16 << 20;

/// The value of a parameter of a spec.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected a number, a string, true or false")]
#[non_exhaustive]
pub enum Param {
    /// An integer.
    Int(i64),
    /// A number with a fraction or exponent.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text, such as a part of a name.
    Text(String),
}

macro_rules! param_from {
    ($($t:ty => |$v:ident| $e:expr;)*) => { $(
        impl From<$t> for Param {
            fn from($v: $t) -> Self { $e }
        }
    )* };
}
param_from! {
    i32 => |v| Param::Int(v.into());
    i64 => |v| Param::Int(v);
    f64 => |v| Param::Float(v);
    bool => |v| Param::Bool(v);
    &str => |v| Param::Text(v.into());
    String => |v| Param::Text(v);
}

/// Formats the value as it stands within a string.
impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Param::Int(v) => write!(f, "{v}"),
            Param::Float(v) => write!(f, "{v:?}"),
            Param::Bool(v) => write!(f, "{v}"),
            Param::Text(v) => f.write_str(v),
        }
    }
}

impl Param {
    /// Reads a value from a command line: an integer, a float, `true`, `false`, or otherwise a text.
    ///
    /// ```
    /// use tpulang::spec::Param;
    /// assert_eq!(Param::from_argument("8"), Param::Int(8));
    /// assert_eq!(Param::from_argument("1e-5"), Param::Float(1e-5));
    /// assert_eq!(Param::from_argument("layer1.0"), Param::Text("layer1.0".into()));
    /// ```
    pub fn from_argument(text: &str) -> Param {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let float = || text.parse::<f64>().ok().filter(|v| is_number && v.is_finite()).map(Param::Float);
        let word = || text.parse::<bool>().ok().map(Param::Bool);
        text.parse().ok().map(Param::Int).or_else(float).or_else(word).unwrap_or_else(|| Param::Text(text.into()))
    }
    pub(super) fn shown(&self) -> String {
        match self {
            Param::Text(text) => format!("{:?}", truncated(text)),
            other => other.to_string(),
        }
    }
    fn kind(&self) -> &'static str {
        match self {
            Param::Int(_) => "an integer",
            Param::Float(_) => "a number",
            Param::Bool(_) => "true or false",
            Param::Text(_) => "a string",
        }
    }
    /// Converts the value to the kind of the default.
    ///
    /// # Errors
    /// Returns what is expected instead.
    pub(super) fn like(self, default: Option<&Param>) -> Result<Param, String> {
        match (default, self) {
            (Some(Param::Text(_)), value) => checked(value.to_string()).map(Param::Text),
            (Some(Param::Float(_)), Param::Int(v)) => Ok(Param::Float(v as f64)),
            (Some(default), value) if value.kind() != default.kind() => {
                Err(format!("is {}; expected {}, like the default {}", value.shown(), default.kind(), default.shown()))
            }
            (_, Param::Text(text)) => checked(text).map(Param::Text),
            (_, value) => Ok(value),
        }
    }
}

fn checked(text: String) -> Result<String, String> {
    match text.len() <= LONGEST {
        true => Ok(text),
        false => Err(format!("has {} bytes; at most {LONGEST} are read", text.len())),
    }
}

/// The parameters that an expression sees: its own, and those around it.
#[derive(Default)]
pub(super) struct Variables {
    outer: Option<Rc<Variables>>,
    own: IndexMap<String, Param>,
}

impl Variables {
    pub fn with(outer: &Rc<Variables>, own: impl IntoIterator<Item = (String, Param)>) -> Rc<Variables> {
        Rc::new(Variables { outer: Some(outer.clone()), own: own.into_iter().collect() })
    }
    /// Adds a parameter: to the innermost level if no one else holds it, otherwise to a new one.
    pub fn add(variables: &mut Rc<Variables>, name: String, value: Param) {
        match Rc::get_mut(variables) {
            Some(alone) => drop(alone.own.insert(name, value)),
            None => *variables = Variables::with(variables, [(name, value)]),
        }
    }
    /// Returns the parameters of each level, those of its own first.
    fn levels(&self) -> impl Iterator<Item = &IndexMap<String, Param>> {
        std::iter::successors(Some(self), |v| v.outer.as_deref()).map(|v| &v.own)
    }
    /// Returns the value of a parameter.
    ///
    /// # Errors
    /// Returns that there is none of that name, with a similar name or all names.
    pub fn get(&self, name: &str) -> Result<Param, String> {
        if let Some(value) = self.levels().find_map(|own| own.get(name)) {
            return Ok(value.clone());
        }
        let mut names: Vec<_> = self.levels().flat_map(|own| own.keys().rev()).map(String::as_str).collect();
        names.reverse();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None if names.is_empty() => "none is defined here".into(),
            None => format!("there are {}", truncated(&names.join(", "))),
        };
        Err(format!("unknown parameter {:?}; {hint}", truncated(name)))
    }

    /// Replaces the expressions in a name.
    ///
    /// # Errors
    /// Returns what is wrong with the first wrong one, or that the name becomes longer than any may be.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        self.fill_to(text, (&mut out, LONGEST), str::to_owned, &mut |_, _| ())?;
        Ok(out)
    }

    /// Replaces the expressions in the strings of a JSON text. A string that is one expression becomes its value.
    ///
    /// # Errors
    /// Returns the place and the problem of the first wrong one.
    pub fn fill_json(&self, json: &str) -> Result<Filled, (usize, String)> {
        let mut filled = Filled::default();
        let most = json.len().saturating_add(MOST_GROWTH);
        let mut at = 0;
        // In valid JSON, quotation marks enclose strings.
        while let Some(start) = json[at..].find('"').map(|n| at + n) {
            filled.copy(&json[at..start], at);
            let end = string_end(json.as_bytes(), start);
            let content = &json[start + 1..end - 1];
            let placed = |problem| (start, problem);
            if let Some(expression) = whole(content) {
                let value = self.evaluate(expression).map_err(placed)?;
                filled.moved.push((filled.text.len(), Source::Value(start)));
                filled.text += &match value {
                    Param::Text(text) => format!("\"{}\"", escaped(&text)),
                    other => other.to_string(),
                };
            } else {
                filled.copy("\"", start);
                let Filled { text, moved } = &mut filled;
                let mut part = |to, from| moved.push((to, Source::Copy(start + 1 + from)));
                self.fill_to(content, (text, most), escaped, &mut part).map_err(placed)?;
                filled.copy("\"", end - 1);
            }
            check_length(&filled.text, most).map_err(placed)?;
            at = end;
        }
        filled.copy(&json[at..], at);
        Ok(filled)
    }

    /// Replaces the expressions in a string, unless `out` grows beyond `most` bytes. `moved` is told the offset in `out` and in
    /// `text` of every part.
    fn fill_to(
        &self,
        text: &str,
        (out, most): (&mut String, usize),
        escape: fn(&str) -> String,
        moved: &mut dyn FnMut(usize, usize),
    ) -> Result<(), String> {
        let mut at = 0;
        while let Some(dollar) = text[at..].find("${").map(|n| at + n) {
            let is_escaped = text[at..dollar].ends_with('$');
            moved(out.len(), at);
            out.push_str(&text[at..dollar - usize::from(is_escaped)]);
            if is_escaped {
                out.push_str("${");
                at = dollar + 2;
                continue;
            }
            let open = || "\"${\" has no \"}\"; for the characters themselves, write \"$${\"".to_owned();
            let end = text[dollar..].find('}').map(|n| dollar + n).ok_or_else(open)?;
            let value = self.evaluate(&text[dollar + 2..end])?;
            moved(out.len(), dollar);
            out.push_str(&escape(&value.to_string()));
            check_length(out, most)?;
            at = end + 1;
        }
        moved(out.len(), at);
        out.push_str(&text[at..]);
        check_length(out, most)
    }

    fn evaluate(&self, expression: &str) -> Result<Param, String> {
        evaluate(expression, self).map_err(|problem| format!("in \"${{{}}}\": {problem}", truncated(expression)))
    }
}

/// Few bytes of expressions may stand for many.
fn check_length(filled: &str, most: usize) -> Result<(), String> {
    match filled.len() <= most {
        true => Ok(()),
        false => Err(format!("with its expressions replaced, it exceeds {most} bytes")),
    }
}

/// Returns the expression if the string is just one.
fn whole(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("${")?.strip_suffix('}')?;
    (!inner.contains('}')).then_some(inner)
}

/// Escapes a string for JSON.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A JSON text whose expressions are replaced by their values.
#[derive(Default)]
pub(super) struct Filled {
    pub text: String,
    /// Offsets in the text, in order, and where what follows comes from.
    moved: Vec<(usize, Source)>,
}

#[derive(Clone, Copy)]
enum Source {
    /// It is copied from an offset on.
    Copy(usize),
    /// It is the value of the string at an offset.
    Value(usize),
}

impl Filled {
    fn copy(&mut self, part: &str, from: usize) {
        self.moved.push((self.text.len(), Source::Copy(from)));
        self.text.push_str(part);
    }
    /// Returns where an offset of the text comes from.
    pub fn source(&self, at: usize) -> usize {
        let next = self.moved.partition_point(|(to, _)| *to <= at);
        match next.checked_sub(1).map(|i| self.moved[i]) {
            Some((to, Source::Copy(from))) => from + (at - to),
            Some((_, Source::Value(from))) => from,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Rc<Variables> {
        let own = [("N", Param::Int(8)), ("eps", Param::Float(1e-5)), ("name", Param::Text("a\"b".into()))];
        let own = own.map(|(name, value)| (name.to_owned(), value));
        Variables::with(&Rc::default(), own)
    }

    #[test]
    fn strings_are_filled() {
        for (json, expected) in [
            (r#"["${N}", 3]"#, "[8, 3]"),
            (r#"{"a": "${N/2}", "b": "${eps}"}"#, r#"{"a": 4, "b": 1e-5}"#),
            (r#""w${N}.x${N+1}""#, r#""w8.x9""#),
            (r#"["${name}", "${name}.c"]"#, r#"["a\"b", "a\"b.c"]"#),
            (r#"["$${N}", "$$${N}", "$N", "${N}$", "a\"${N}"]"#, r#"["${N}", "$${N}", "$N", "8$", "a\"8"]"#),
        ] {
            assert_eq!(variables().fill_json(json).unwrap().text, expected, "{json}");
        }
        assert_eq!(variables().fill("w${N}.$${N}"), Ok("w8.${N}".into()));
    }

    #[test]
    fn what_expressions_stand_for_is_bounded() {
        let long = Variables::with(&Rc::default(), [("N".to_owned(), Param::Text("a".repeat(LONGEST)))]);
        assert_eq!(long.fill("${N}").map(|name| name.len()), Ok(LONGEST));
        let exceeds = |most: usize| format!("with its expressions replaced, it exceeds {most} bytes");
        for name in ["${N}b", "b${N}", "${N}${N}${M}"] {
            assert_eq!(long.fill(name), Err(exceeds(LONGEST)), "{name}");
        }
        let count = MOST_GROWTH / LONGEST + 1;
        // The last expression is wrong: nothing is replaced beyond the bound.
        for (text, at) in [
            (format!("[1, \"{}${{M}}\"]", "${N}".repeat(count + 100)), 4),
            (format!("[1, {}\"${{M}}\"]", "\"${N}\", ".repeat(count + 100)), 0),
        ] {
            let (found, problem) = long.fill_json(&text).err().unwrap();
            assert_eq!(problem, exceeds(text.len() + MOST_GROWTH));
            assert!(at == 0 || found == at, "{found}");
        }
    }

    #[test]
    fn offsets_are_found_again() {
        let json = r#"["${N}", "abc", "x${N}y", 3]"#;
        let filled = variables().fill_json(json).unwrap();
        assert_eq!(filled.text, r#"[8, "abc", "x8y", 3]"#);
        for part in ["\"abc", "y\"", "3]"] {
            assert_eq!(filled.source(filled.text.find(part).unwrap()), json.find(part).unwrap(), "{part}");
        }
        assert_eq!(filled.source(1), 1);
    }

    #[test]
    fn wrong_expressions_are_placed() {
        for (json, at, problem) in [
            (r#"["${N}", "x${M}"]"#, 9, "in \"${M}\": unknown parameter \"M\"; there are N, eps, name"),
            (r#"["x${N"]"#, 1, "\"${\" has no \"}\"; for the characters themselves, write \"$${\""),
        ] {
            assert_eq!(variables().fill_json(json).err(), Some((at, problem.into())), "{json}");
        }
    }

    #[test]
    fn values_are_like_their_defaults() {
        let like = |text: &str, default: Option<Param>| Param::from_argument(text).like(default.as_ref());
        assert_eq!(like("2", Some(Param::Float(1.0))), Ok(Param::Float(2.0)));
        assert_eq!(like("2", Some(Param::Text("a".into()))), Ok(Param::Text("2".into())));
        assert_eq!(like("2.5", Some(Param::Int(1))), Err("is 2.5; expected an integer, like the default 1".into()));
        assert_eq!(like("x", Some(Param::Int(1))), Err("is \"x\"; expected an integer, like the default 1".into()));
        assert_eq!(like("true", None), Ok(Param::Bool(true)));
        assert_eq!(like(&"x".repeat(1001), None), Err("has 1001 bytes; at most 1000 are read".into()));
    }
}
