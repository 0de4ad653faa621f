//! A tree as text.
use super::{Comment, Item, Value};

/// The longest line, in characters, if it can be broken.
const WIDTH: usize = 120;

/// Returns a document as text, with the comments after it.
pub(super) fn text(root: &Item, rest: &[Comment]) -> String {
    let mut to = Printer { out: String::new(), depth: 0 };
    to.comments(&root.leading, true);
    if !root.leading.is_empty() {
        to.end_line(root.after_blank);
    }
    to.value(&root.value, Role::Document, 0);
    to.trailing(&root.trailing);
    to.comments(rest, false);
    to.end_line(false);
    to.out
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
