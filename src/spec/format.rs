//! The canonical layout of a spec.
use super::{
    document::{json, without_mark},
    node::Document,
    plain::{comment_end, string_end},
};
use crate::base::Result;

/// The longest line, in characters, if it can be broken.
const WIDTH: usize = 120;

/// Returns a spec in its canonical layout: two spaces per level, one call a line, lists and objects on one line if they fit
/// in 120 columns, and no trailing commas. Comments, blank lines between entries, and the order of keys are kept.
///
/// The text need not be a valid spec. Messages call it `file`.
///
/// ```
/// let text = r#"{"version":1, "ops":[{"op":"relu","args":{"input":"x"},}, // the last
///     ]}"#;
/// let expected = r#"{
///   "version": 1,
///   "ops": [
///     {"op": "relu", "args": {"input": "x"}} // the last
///   ]
/// }
/// "#;
/// assert_eq!(tpulang::spec::format(text, "net.json")?, expected);
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the text is not JSON with comments.
pub fn format(text: &str, file: &str) -> Result<String> {
    let text = without_mark(text);
    Document::new(file, text, &json(text, file)?).check()?;
    let (root, rest) = Parser { text, at: 0 }.root();
    let mut to = Printer { out: String::new(), depth: 0 };
    to.comments(&root.leading, true);
    if !root.leading.is_empty() {
        to.end_line(root.after_blank);
    }
    to.value(&root.value, Role::Document, 0);
    to.trailing(&root.trailing);
    to.comments(&rest, false);
    to.end_line(false);
    Ok(to.out)
}

/// An element of a list, or an entry of an object.
struct Item<'t> {
    leading: Vec<Comment<'t>>,
    /// Whether there is a blank line before it, after its leading comments.
    after_blank: bool,
    /// The key of an entry, with its quotation marks.
    key: Option<&'t str>,
    value: Value<'t>,
    /// Comments on its last line.
    trailing: Vec<&'t str>,
}

enum Value<'t> {
    Scalar(&'t str),
    Container {
        brackets: [char; 2],
        items: Vec<Item<'t>>,
        /// Comments after the last item.
        last: Vec<Comment<'t>>,
    },
}

/// A comment on lines of its own.
struct Comment<'t> {
    text: &'t str,
    after_blank: bool,
}

/// What lies between two tokens.
struct Gap<'t> {
    /// Comments on the line of the token before.
    trailing: Vec<&'t str>,
    leading: Vec<Comment<'t>>,
    /// Whether there is a blank line before what follows, after the comments.
    after_blank: bool,
}

/// Reads text that is known to be valid.
struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn root(mut self) -> (Item<'t>, Vec<Comment<'t>>) {
        let Gap { trailing, leading, after_blank } = self.gap();
        let before = trailing.into_iter().map(|text| Comment { text, after_blank: false }).chain(leading).collect();
        let value = self.value();
        let Gap { trailing, leading, .. } = self.gap();
        (Item { leading: before, after_blank, key: None, value, trailing }, leading)
    }
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    /// Skips spaces and comments.
    fn gap(&mut self) -> Gap<'t> {
        let mut gap = Gap { trailing: Vec::new(), leading: Vec::new(), after_blank: false };
        // Comments before the first line break, which trail if nothing but a bracket follows them on their line.
        let mut first = Vec::new();
        let (mut lines, mut all_lines) = (0, 0);
        while self.at < self.text.len() {
            match self.peek() {
                b'\n' => (lines, all_lines) = (lines + 1, all_lines + 1),
                byte if byte.is_ascii_whitespace() => {}
                _ => {
                    let Ok(Some(end)) = comment_end(self.text, self.at) else { break };
                    let text = self.text[self.at..end].trim_end();
                    match all_lines {
                        0 => first.push(text),
                        _ => gap.leading.push(Comment { text, after_blank: lines > 1 }),
                    }
                    (self.at, lines) = (end, 0);
                    continue;
                }
            }
            self.at += 1;
        }
        gap.after_blank = lines > 1;
        if all_lines > 0 || matches!(self.peek(), b']' | b'}' | 0) {
            gap.trailing = first;
        } else {
            gap.leading.extend(first.into_iter().map(|text| Comment { text, after_blank: false }));
        }
        gap
    }

    fn value(&mut self) -> Value<'t> {
        let start = self.at;
        let brackets = match self.peek() {
            b'[' => ['[', ']'],
            b'{' => ['{', '}'],
            _ => {
                self.at = match self.peek() {
                    b'"' => string_end(self.text.as_bytes(), start),
                    _ => {
                        let ends = |c: char| c.is_ascii_whitespace() || ",]}/".contains(c);
                        self.text[start..].find(ends).map_or(self.text.len(), |n| start + n)
                    }
                };
                return Value::Scalar(&self.text[start..self.at]);
            }
        };
        self.at += 1;
        let (items, last) = self.items();
        self.at += 1;
        Value::Container { brackets, items, last }
    }

    /// Reads items up to the closing bracket; also returns the comments before it.
    fn items(&mut self) -> (Vec<Item<'t>>, Vec<Comment<'t>>) {
        let mut items: Vec<Item> = Vec::new();
        // Comments after an opening bracket belong to the first item.
        let Gap { trailing, leading, mut after_blank } = self.gap();
        let own_line = |text| Comment { text, after_blank: false };
        let mut pending: Vec<Comment> = trailing.into_iter().map(own_line).chain(leading).collect();
        while !matches!(self.peek(), b']' | b'}' | 0) {
            let (mut key, mut value) = (None, self.value());
            let mut gap = self.gap();
            if self.peek() == b':' {
                self.at += 1;
                let second = self.gap();
                let between = gap.trailing.into_iter().chain(second.trailing).map(own_line);
                pending.extend(between.chain(gap.leading).chain(second.leading));
                if let Value::Scalar(text) = value {
                    key = Some(text);
                }
                value = self.value();
                gap = self.gap();
            }
            let mut trailing = gap.trailing;
            let mut next = gap.leading;
            let mut next_after_blank = gap.after_blank;
            if self.peek() == b',' {
                self.at += 1;
                let second = self.gap();
                // Nothing follows a comment that ends its line.
                let ends_line = trailing.last().is_some_and(|comment| comment.starts_with("//"));
                match next.is_empty() && !ends_line {
                    true => trailing.extend(second.trailing),
                    false => next.extend(second.trailing.into_iter().map(own_line)),
                }
                next.extend(second.leading);
                next_after_blank = second.after_blank;
            }
            items.push(Item { after_blank, leading: std::mem::replace(&mut pending, next), key, value, trailing });
            after_blank = next_after_blank;
        }
        (items, pending)
    }
}

/// What a value is, which decides whether it may stand on one line.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The whole spec.
    Document,
    /// An object whose entries are on lines of their own, if there are several.
    Table,
    /// The functions of a spec, by name.
    Functions,
    Function,
    /// A list of calls.
    Calls,
    Other,
}

impl Role {
    /// Returns the role of an entry.
    fn of(self, key: Option<&str>) -> Role {
        match (self, key) {
            (_, Some("\"ops\"")) => Role::Calls,
            (Role::Document, Some("\"functions\"")) => Role::Functions,
            (Role::Document, Some("\"tensors\"" | "\"updates\"")) => Role::Table,
            (Role::Functions, _) => Role::Function,
            _ => Role::Other,
        }
    }
    /// Returns whether a value with this number of items is broken into lines, however short it is.
    fn is_broken(self, items: usize) -> bool {
        match self {
            Role::Other => false,
            Role::Table => items > 1,
            _ => items > 0,
        }
    }
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    /// Ends the line, and adds a blank one if there is to be one.
    fn end_line(&mut self, blank: bool) {
        self.out.push_str(if blank { "\n\n" } else { "\n" });
    }
    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }
    /// Prints comments, each on lines of its own. There are no blank lines before the first entry.
    fn comments(&mut self, comments: &[Comment], are_first: bool) {
        for (i, comment) in comments.iter().enumerate() {
            let is_first = are_first && i == 0;
            if !self.out.is_empty() {
                self.end_line(comment.after_blank && !is_first);
            }
            self.indent();
            self.out += comment.text;
        }
    }
    fn trailing(&mut self, comments: &[&str]) {
        for comment in comments {
            self.out.push(' ');
            self.out += comment;
        }
    }
    /// Prints a value, after which `more` characters follow on its last line.
    fn value(&mut self, value: &Value, role: Role, more: usize) {
        let column = self.out.chars().rev().take_while(|c| *c != '\n').count();
        let mut line = String::new();
        if compact(value, role, WIDTH.saturating_sub(column + more), &mut line) {
            self.out += &line;
            return;
        }
        let Value::Container { brackets: [open, close], items, last } = value else {
            return self.out.push_str(&line);
        };
        if role != Role::Document && last.is_empty() && self.around(items, WIDTH.saturating_sub(column), more) {
            return;
        }
        self.out.push(*open);
        self.items(items, last, role);
        self.out.push(*close);
    }
    /// Prints the lines between two brackets.
    fn items(&mut self, items: &[Item], last: &[Comment], role: Role) {
        self.depth += 1;
        let is_filled = last.is_empty() && role == Role::Other && self.filled(items);
        if !is_filled {
            for (i, item) in items.iter().enumerate() {
                // Version, name, mode and weights share a line.
                let follows = i > 0 && role == Role::Document && item.is_plain() && items[i - 1].is_plain();
                let line = self.out.len() - self.out.rfind('\n').map_or(0, |at| at + 1);
                let width = item.width() + usize::from(i + 1 < items.len());
                if follows && !item.after_blank && line + 1 + width <= WIDTH {
                    self.out.push(' ');
                    self.content(item, role, i + 1 < items.len());
                } else {
                    self.item(item, role, i == 0, i + 1 < items.len());
                }
            }
            self.comments(last, items.is_empty());
        }
        self.depth -= 1;
        self.end_line(false);
        self.indent();
    }
    /// Prints a function, a block or a call so that only the list of its calls, or its arguments, are broken:
    /// `{"inputs": ["x"], "ops": [`, the calls, and `], "outputs": ["y"]}`. Returns false if it is another object, or if this
    /// does not fit.
    fn around(&mut self, items: &[Item], width: usize, more: usize) -> bool {
        let broken = items.iter().enumerate().find_map(|(i, item)| match (&item.value, item.key) {
            (Value::Container { brackets, items, last }, Some("\"ops\"" | "\"args\"")) if !items.is_empty() => {
                Some((i, *brackets, items, last))
            }
            _ => None,
        });
        let Some((at, [open, close], inner, last)) = broken else { return false };
        let (mut before, mut after) = (String::from("{"), String::from(close));
        for (i, item) in items.iter().enumerate() {
            if !item.leading.is_empty() || !item.trailing.is_empty() {
                return false;
            }
            let line = if i <= at { &mut before } else { &mut after };
            line.push_str(if i > 0 { ", " } else { "" });
            line.push_str(item.key.unwrap_or_default());
            line.push_str(": ");
            if i == at {
                line.push(open);
            } else if !compact(&item.value, Role::Other.of(item.key), WIDTH, line) {
                return false;
            }
        }
        after.push('}');
        if before.chars().count() > width || after.chars().count() + more + 2 * self.depth > WIDTH {
            return false;
        }
        self.out += &before;
        self.items(inner, last, Role::Other.of(items[at].key));
        self.out += &after;
        true
    }
    fn item(&mut self, item: &Item, role: Role, is_first: bool, has_next: bool) {
        self.comments(&item.leading, is_first);
        self.end_line(item.after_blank && !(is_first && item.leading.is_empty()));
        self.indent();
        self.content(item, role, has_next);
    }
    fn content(&mut self, item: &Item, role: Role, has_next: bool) {
        if let Some(key) = item.key {
            self.out += key;
            self.out += ": ";
        }
        self.value(&item.value, role.of(item.key), usize::from(has_next));
        if has_next {
            self.out.push(',');
        }
        self.trailing(&item.trailing);
    }
    /// Prints short items, as many on a line as fit. Returns false if some are not, or if it is a list of lists.
    fn filled(&mut self, items: &[Item]) -> bool {
        let is_scalar = |item: &Item| matches!(item.value, Value::Scalar(_));
        if !items.iter().any(|item| is_scalar(item) || item.key.is_some()) {
            return false;
        }
        let mut lines = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let mut line = item.key.map_or(String::new(), |key| format!("{key}: "));
            let is_plain = item.leading.is_empty() && item.trailing.is_empty();
            if !is_plain || !compact(&item.value, Role::Other.of(item.key), WIDTH, &mut line) {
                return false;
            }
            line.push_str(if i + 1 < items.len() { "," } else { "" });
            let width = line.chars().count();
            if !is_scalar(item) && width + 2 * self.depth > WIDTH {
                return false;
            }
            lines.push((line, width));
        }
        let mut column = WIDTH;
        for (line, width) in lines {
            if column + 1 + width > WIDTH {
                self.end_line(false);
                self.indent();
                column = 2 * self.depth;
            } else {
                self.out.push(' ');
                column += 1;
            }
            self.out += &line;
            column += width;
        }
        true
    }
}

impl Item<'_> {
    /// Returns whether this is a scalar without comments.
    fn is_plain(&self) -> bool {
        matches!(self.value, Value::Scalar(_)) && self.leading.is_empty() && self.trailing.is_empty()
    }
    /// Returns the number of characters of an entry with a scalar.
    fn width(&self) -> usize {
        let value = if let Value::Scalar(text) = &self.value { text.chars().count() } else { 0 };
        self.key.map_or(0, |key| key.chars().count() + 2) + value
    }
}

/// Prints a value on one line. Returns false if it is longer than `width`, has comments, or must be broken.
fn compact(value: &Value, role: Role, width: usize, line: &mut String) -> bool {
    let (brackets, items, last) = match value {
        Value::Scalar(text) => {
            line.push_str(text);
            return true;
        }
        Value::Container { brackets, items, last } => (brackets, items, last),
    };
    if !last.is_empty() || role.is_broken(items.len()) {
        return false;
    }
    line.push(brackets[0]);
    for (i, item) in items.iter().enumerate() {
        if !item.leading.is_empty() || !item.trailing.is_empty() {
            return false;
        }
        if i > 0 {
            line.push_str(", ");
        }
        if let Some(key) = item.key {
            line.push_str(key);
            line.push_str(": ");
        }
        if !compact(&item.value, role.of(item.key), width, line) || line.chars().count() > width {
            return false;
        }
    }
    line.push(brackets[1]);
    line.chars().count() <= width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_keep_their_places() {
        let text = r#"// head

/* two
   lines */ {"version":1, // one
"tensors": {"a":{"shape":[1]}, /* of b */ "b" : /* value */ {"shape":[2],},

// c

"c":{"shape":[3] /* inner */}
// end
},
"inputs": [ "a"

, "b" ], "functions": {},
"ops":[{"op":"relu","args":{"input":"a",},"out":"y"} // trailing
, {"op":"relu","args":{},"out":"z"}, /* also */
]} // after
// foot"#;
        let expected = r#"// head

/* two
   lines */
{
  "version": 1, // one
  "tensors": {
    "a": {"shape": [1]},
    // of b
    "b": {"shape": [2]},

    // c

    "c": {
      "shape": [3] /* inner */
    }
    // end
  },
  "inputs": ["a", "b"],
  "functions": {},
  "ops": [
    {"op": "relu", "args": {"input": "a"}, "out": "y"}, // trailing
    {"op": "relu", "args": {}, "out": "z"} /* also */
  ]
} // after
// foot
"#;
        let expected = expected.replace("    // of b\n", "    /* of b */\n    /* value */\n");
        assert_eq!(format(text, "a.json").unwrap(), expected);
        assert_eq!(format(&expected, "a.json").unwrap(), expected);
    }

    #[test]
    fn long_lines_are_broken() {
        let data = vec!["1.5"; 60].join(",");
        let long = "n".repeat(100);
        let text = format!(
            r#"{{"data":[{data}],"ops":[{{"op":"relu","args":{{"input":"{long}"}},"out":"y"}}],"list":[[1,2],{{"a":"{long}"}}]}}"#
        );
        let once = format(&text, "a.json").unwrap();
        let expected = format!(
            r#"{{
  "data": [
    {},
    {},
    {}
  ],
  "ops": [
    {{"op": "relu", "args": {{
      "input": "{long}"
    }}, "out": "y"}}
  ],
  "list": [
    [1, 2],
    {{"a": "{long}"}}
  ]
}}
"#,
            ["1.5"; 23].join(", "),
            ["1.5"; 23].join(", "),
            ["1.5"; 14].join(", ")
        );
        assert_eq!(once, expected);
        assert_eq!(format(&once, "a.json").unwrap(), once);
    }

    #[test]
    fn what_is_not_json_is_told_with_its_place() {
        for (text, expected) in [
            ("{", "the file ends inside an object; is it truncated?"),
            ("{} {}", "more elements or text than expected"),
            ("{\"a\": 1 /* open", "the comment is not closed; it ends with */"),
            ("", "the file ends where a value is expected; is it truncated?"),
        ] {
            let error = format(text, "a.json").unwrap_err().to_string();
            assert!(error.starts_with(expected) && error.contains("--> a.json:1:"), "{error}");
        }
        assert!(format(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), "a.json").is_err());
    }
}
