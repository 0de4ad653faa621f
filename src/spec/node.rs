//! JSON values with their path and position in the document, and with the parameters that their expressions see.
use super::{
    json_error::{offset, problem},
    params::{Param, Variables},
};
use crate::base::{Cause, Error, MAX_ERRORS, Place, Result, nearest, pluralized, truncated};
use indexmap::IndexMap;
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned},
};
use serde_json::value::RawValue;
use std::{cell::Cell, fmt, rc::Rc};

/// Maximum number of calls of a spec, including those of expanded functions and repetitions.
pub(super) const MAX_CALLS: usize = 1_000_000;

/// The text of a spec.
pub(super) struct Document<'a> {
    file: &'a str,
    /// The text as it was given, for positions.
    source: &'a str,
    /// The text as JSON of the same length, without comments.
    text: &'a str,
    /// Calls and repetitions so far.
    calls: Cell<usize>,
    /// Places from which others are counted, in order: the start of each line, and some in long lines.
    marks: Vec<Mark>,
}

/// A byte of the text with its line and column.
struct Mark {
    offset: usize,
    line: usize,
    column: usize,
}

/// Distance of the marks in a long line, in bytes.
const MARKED: usize = 4096;

/// A value of the document.
#[derive(Clone)]
pub(super) struct Node<'a> {
    document: &'a Document<'a>,
    /// `ops[3].args.weight`; empty for the root.
    pub path: String,
    raw: &'a RawValue,
    variables: Rc<Variables>,
}

/// How often an entry is repeated: a number, or the values of a parameter.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number of repetitions, or an object with a parameter and its number or list of values"
)]
enum Repeat {
    Count(usize),
    Of(IndexMap<String, Values>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    /// From 0 on.
    Count(usize),
    List(Vec<Param>),
}

/// The entries of an object in order, including repeated keys.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);
impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> std::result::Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        d.deserialize_map(Visitor)
    }
}

impl<'a> Document<'a> {
    /// `text` is the text of `source` as JSON.
    pub fn new(file: &'a str, source: &'a str, text: &'a str) -> Document<'a> {
        Document { file, source, text, calls: Cell::new(0), marks: marks(source) }
    }
    /// Checks that the text is JSON, of limited depth.
    ///
    /// # Errors
    /// Returns an error if it is not.
    pub fn check(&self) -> Result<()> {
        let checked = serde_json::from_str::<serde_json::Value>(self.text);
        checked.map(drop).map_err(|e| self.json_error(&e, offset(&e, self.text), String::new()))
    }
    /// Returns the root value.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub fn root(&'a self) -> Result<Node<'a>> {
        let json_error = |e: serde_json::Error| self.json_error(&e, offset(&e, self.text), String::new());
        let raw: &RawValue = serde_json::from_str(self.text).map_err(json_error)?;
        Ok(Node { document: self, path: String::new(), raw, variables: Rc::default() })
    }
    /// Returns the position of a byte.
    fn place(&self, offset: usize, path: String) -> Place {
        let mark = self.mark(offset);
        let column = mark.column + characters(self.source.as_bytes().get(mark.offset..offset).unwrap_or_default());
        Place { file: self.file.into(), line: mark.line, column, path }
    }
    /// Returns the last mark before a byte.
    fn mark(&self, offset: usize) -> &Mark {
        &self.marks[self.marks.partition_point(|mark| mark.offset <= offset) - 1]
    }
    /// Converts serde's error at `offset`.
    fn json_error(&self, e: &serde_json::Error, offset: usize, path: String) -> Error {
        let found = self.text.get(offset..).unwrap_or_default();
        Error::from(Cause::Syntax(problem(e, found, &path))).at(self.place(offset, path))
    }
    /// Counts calls or repetitions.
    ///
    /// # Errors
    /// Returns an error if there are more than [`MAX_CALLS`] in all.
    fn count(&self, more: usize) -> Result<(), String> {
        let calls = self.calls.get().saturating_add(more);
        if calls > MAX_CALLS {
            return Err(format!("a spec may have {MAX_CALLS} calls and repetitions in all, which this exceeds"));
        }
        self.calls.set(calls);
        Ok(())
    }
}

/// Returns the marks of a text.
fn marks(source: &str) -> Vec<Mark> {
    let mut marks = vec![Mark { offset: 0, line: 1, column: 1 }];
    let mut offset = 0;
    for (i, line) in source.split_inclusive('\n').enumerate() {
        let mut column = 1;
        for part in line.as_bytes().chunks(MARKED) {
            marks.push(Mark { offset, line: i + 1, column });
            offset += part.len();
            column += characters(part);
        }
    }
    if source.ends_with('\n') {
        marks.push(Mark { offset, line: source.lines().count() + 1, column: 1 });
    }
    marks
}

/// Returns the number of characters that begin in a part of a text.
fn characters(part: &[u8]) -> usize {
    part.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
}

impl<'a> Node<'a> {
    fn offset(&self) -> usize {
        // The raw value borrows from the document's text.
        self.raw.get().as_ptr() as usize - self.document.text.as_ptr() as usize
    }
    /// Returns the position of the value.
    pub fn place(&self) -> Place {
        self.document.place(self.offset(), self.path.clone())
    }
    /// Returns the line of the value, counted from 1.
    pub fn line(&self) -> usize {
        self.document.mark(self.offset()).line
    }
    /// Creates an error about this value.
    pub fn error(&self, cause: Cause) -> Error {
        Error::from(cause).at(self.place())
    }
    /// Creates an error about this value, with the given message.
    pub fn problem(&self, problem: impl fmt::Display) -> Error {
        self.error(Cause::Syntax(problem.to_string()))
    }
    /// Creates an error about a value that should be of another form, with what is right.
    pub fn expected(&self, expected: impl fmt::Display) -> Error {
        let key = self.path.rsplit('.').next().unwrap_or_default();
        self.problem(format!("{key} is {}; expected {expected}", truncated(self.text())))
    }
    /// Returns the text of the value.
    pub fn text(&self) -> &'a str {
        self.raw.get()
    }
    pub fn is_null(&self) -> bool {
        self.raw.get() == "null"
    }
    /// Reads the structure of the value as `T`, with expressions as they are written; `None` if that fails.
    pub fn outline<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.raw.get()).ok()
    }
    /// Reads the value as `T`, or returns `None`, which is cheaper than an error.
    pub fn peek<T: DeserializeOwned>(&self) -> Option<T> {
        if self.has_expressions() {
            let filled = self.variables.fill_json(self.raw.get()).ok()?;
            return serde_json::from_str(&filled.text).ok();
        }
        serde_json::from_str(self.raw.get()).ok()
    }
    /// Reads the value as `T`.
    ///
    /// # Errors
    /// Returns an error if the value is not a `T`, with the position of the wrong part, or if an expression is wrong.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        if !self.has_expressions() {
            return self.parse(self.raw.get(), |at| at);
        }
        let filled = self.variables.fill_json(self.raw.get());
        let filled = filled.map_err(|(at, problem)| {
            let place = self.document.place(self.offset() + at, self.path.clone());
            Error::from(Cause::Syntax(problem)).at(place)
        })?;
        self.parse(&filled.text, |at| filled.source(at))
    }
    /// Whether a string in the value has an expression.
    pub fn has_expressions(&self) -> bool {
        self.raw.get().contains("${")
    }
    /// Reads a text as `T`; `source` tells where its bytes come from.
    fn parse<'t, T: Deserialize<'t>>(&self, text: &'t str, source: impl Fn(usize) -> usize) -> Result<T> {
        let mut json = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut json).map_err(|e| {
            let inner = e.path().to_string();
            let path = match inner.as_str() {
                "." => self.path.clone(),
                inner if inner.starts_with('[') => format!("{}{inner}", self.path),
                inner => format!("{}.{inner}", self.path),
            };
            let at = source(offset(e.inner(), text));
            self.document.json_error(e.inner(), self.offset() + at, path)
        })
    }
    /// Replaces the expressions in a string that the value contains.
    pub fn fill(&self, text: &str) -> Result<String> {
        if !text.contains("${") {
            return Ok(text.to_owned());
        }
        self.variables.fill(text).map_err(|problem| self.problem(problem))
    }
    pub fn variables(&self) -> &Rc<Variables> {
        &self.variables
    }
    /// Returns the value with expressions that see these parameters.
    pub fn with(&self, variables: Rc<Variables>) -> Node<'a> {
        Node { variables, ..self.clone() }
    }
    /// Counts a call; see [`MAX_CALLS`].
    ///
    /// # Errors
    /// Returns an error if there are too many.
    pub fn count_call(&self) -> Result<()> {
        self.document.count(1).map_err(|problem| self.problem(problem))
    }
    /// Returns the value as often as `repeat` says, with a parameter that tells which one it is.
    ///
    /// # Errors
    /// Returns an error if `repeat` is not valid, or if there are too many repetitions.
    pub fn repeated(&self, repeat: &Node<'a>) -> Result<impl Iterator<Item = Node<'a>> + use<'a>> {
        let (name, values) = match repeat.read()? {
            Repeat::Count(count) => ("i".to_owned(), Values::Count(count)),
            Repeat::Of(mut one) if one.len() == 1 => one.pop().unwrap_or(("i".to_owned(), Values::Count(0))),
            Repeat::Of(_) => return Err(repeat.problem("repeat has one parameter, as in {\"i\": 12}")),
        };
        check_identifier(&name).map_err(|problem| repeat.problem(problem))?;
        let (count, list) = match values {
            Values::Count(count) => (count, None),
            Values::List(list) => {
                let told = |problem| repeat.problem(format!("a value of {} {problem}", truncated(&name)));
                let list =
                    list.into_iter().map(|value| value.like(None)).collect::<Result<Vec<_>, _>>().map_err(told)?;
                (list.len(), Some(list))
            }
        };
        let told = |problem| repeat.problem(format!("{} are too many: {problem}", pluralized(count, "repetition")));
        self.document.count(count).map_err(told)?;
        let node = self.clone();
        Ok((0..count).map(move |i| {
            let number = || Param::Int(i64::try_from(i).unwrap_or(i64::MAX));
            let value = list.as_ref().map_or_else(number, |list| list[i].clone());
            let path = format!("{}{{{}={}}}", node.path, truncated(&name), truncated(&value.to_string()));
            let variables = Variables::with(&node.variables, vec![(name.clone(), value)]);
            Node { path, ..node.with(variables) }
        }))
    }
    /// Returns the element at a path such as `[1][0]`, or the deepest existing part on the way.
    pub fn part(&self, path: &str) -> Node<'a> {
        let indices = path.split(['[', ']']).filter_map(|i| i.parse::<usize>().ok());
        indices.fold(self.clone(), |node, i| match node.list() {
            Ok(items) => items.into_iter().nth(i).unwrap_or(node),
            Err(_) => node,
        })
    }
    fn child(&self, path: String, raw: &'a RawValue) -> Node<'a> {
        Node { document: self.document, path, raw, variables: self.variables.clone() }
    }
    /// Returns the entries of an object, with the expressions in keys replaced.
    ///
    /// # Errors
    /// Returns an error if the value is not an object, if a key occurs twice, or if an expression is wrong.
    pub fn object(&self) -> Result<Vec<(String, Node<'a>)>> {
        self.named_entries(|node, key| node.fill(key))
    }
    /// Returns the entries of an object, with keys as they are written.
    ///
    /// # Errors
    /// Returns an error if the value is not an object, or if a key occurs twice.
    pub fn entries(&self) -> Result<Vec<(String, Node<'a>)>> {
        self.named_entries(|_, key| Ok(key.to_owned()))
    }
    /// Returns the entries of an object, with the names that their keys stand for.
    fn named_entries(&self, name: impl Fn(&Node<'a>, &str) -> Result<String>) -> Result<Vec<(String, Node<'a>)>> {
        let Pairs(pairs) = self.parse(self.raw.get(), |at| at)?;
        let shown = |key: &str| key.chars().take(60).collect::<String>();
        let mut seen = std::collections::HashSet::new();
        let mut entries = Vec::with_capacity(pairs.len());
        for (key, raw) in pairs {
            let part = shown(&key);
            let path = if self.path.is_empty() { part } else { format!("{}.{part}", self.path) };
            let node = self.child(path, raw);
            let name = name(&node, &key)?;
            if !seen.insert(name.clone()) {
                return Err(node.problem(format!("the key {:?} occurs twice", shown(&name))));
            }
            entries.push((name, node));
        }
        Ok(entries)
    }
    /// Returns the entries of an object with a fixed set of keys.
    ///
    /// # Errors
    /// Same as for [`Node::object`], and an error for each unknown key.
    pub fn fields(&self, known: &[&str]) -> Result<Fields<'a>> {
        let entries = self.object()?;
        let unknown = entries.iter().filter(|(k, _)| !known.contains(&k.as_str()));
        let errors: Vec<_> = unknown
            .take(MAX_ERRORS + 1)
            .map(|(key, node)| {
                let hint = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => format!("expected one of {}", known.join(", ")),
                };
                node.problem(format!("unknown key {:?}; {hint}", key.chars().take(60).collect::<String>()))
            })
            .collect();
        Error::collect(errors)?;
        Ok(Fields { node: self.clone(), entries })
    }
    /// Returns the elements of a list.
    ///
    /// # Errors
    /// Returns an error if the value is not a list.
    pub fn list(&self) -> Result<Vec<Node<'a>>> {
        if self.text().starts_with('"') {
            let list = if self.text().len() <= 60 { format!("a list: [{}]", self.text()) } else { "a list".into() };
            return Err(self.expected(list));
        }
        let items: Vec<&RawValue> = self.parse(self.raw.get(), |at| at)?;
        Ok(items.into_iter().enumerate().map(|(i, raw)| self.child(format!("{}[{i}]", self.path), raw)).collect())
    }
    /// Whether the value is a list with repeated elements.
    pub fn has_repeated(&self) -> bool {
        self.raw.get().starts_with('[') && self.raw.get().contains("\"each\"")
    }
    /// Returns the elements of a list, in which `{"repeat": 12, "each": ..}` stands for 12 elements, or for 12 times those of
    /// a list.
    ///
    /// # Errors
    /// Returns an error if the value is not a list, or if a repetition is not valid.
    pub fn items(&self) -> Result<Vec<Node<'a>>> {
        let items = self.list()?;
        if !self.has_repeated() {
            return Ok(items);
        }
        let mut all = Vec::new();
        for item in items {
            if !item.text().starts_with('{') {
                all.push(item);
                continue;
            }
            let fields = item.fields(&["repeat", "each"])?;
            let (repeat, each) = (fields.need("repeat")?, fields.need("each")?);
            for each in each.repeated(repeat)? {
                if each.text().starts_with('[') { all.extend(each.list()?) } else { all.push(each) }
            }
        }
        Ok(all)
    }
}

/// The entries of an object by key. Null counts as absent.
pub(super) struct Fields<'a> {
    node: Node<'a>,
    entries: Vec<(String, Node<'a>)>,
}

impl<'a> Fields<'a> {
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries.iter().find(|(k, n)| k == key && !n.is_null()).map(|(_, n)| n)
    }
    /// Returns the position of the object.
    pub fn place(&self) -> Place {
        self.node.place()
    }
    /// Returns the value of a required key.
    ///
    /// # Errors
    /// Returns an error if the key is missing.
    pub fn need(&self, key: &str) -> Result<&Node<'a>> {
        self.get(key).ok_or_else(|| self.node.problem(format!("the key {key:?} is missing")))
    }
    /// Returns the entries with expressions that see these parameters.
    pub fn with(&self, variables: &Rc<Variables>) -> Fields<'a> {
        let entries = self.entries.iter().map(|(key, node)| (key.clone(), node.with(variables.clone()))).collect();
        Fields { node: self.node.with(variables.clone()), entries }
    }
    /// Reads the value of a key, if it is present.
    ///
    /// # Errors
    /// Returns an error if the value is not a `T`.
    pub fn read<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        self.get(key).map(Node::read).transpose()
    }
}

/// Checks that a name can stand in an expression.
///
/// # Errors
/// Returns what is wrong with it.
pub(super) fn check_identifier(name: &str) -> Result<(), String> {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_word || name.starts_with(|c: char| c.is_ascii_digit()) {
        let shown = truncated(name);
        return Err(format!(
            "the name of a parameter is {shown:?}; expected letters, digits and _, and a letter first"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_marks() {
        let long = format!("[{}]", "\"é漢\", 12, ".repeat(MARKED / 5));
        for text in ["", "\n", "{\n  \"é\": 1\n}\n", &long, &format!("{{\n{long},\r\n\n{long}"), &format!("{long}\n")]
        {
            let document = Document::new("a.json", text, text);
            let step = text.len() / 300 + 1;
            let offsets = (0..text.len()).step_by(step).chain([text.len()]);
            for offset in offsets.filter(|offset| text.is_char_boundary(*offset)) {
                let expected = Place::of_byte("a.json", text, offset);
                assert_eq!(document.place(offset, String::new()), expected, "{offset} of {}", text.len());
            }
        }
    }
}
