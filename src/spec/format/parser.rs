//! Text with comments as a tree.
use super::{Comment, Item, Value};
use crate::plain::{comment_end, string_end};

/// What lies between two tokens.
struct Gap<'t> {
    /// Comments on the line of the token before.
    trailing: Vec<&'t str>,
    leading: Vec<Comment<'t>>,
    /// Whether there is a blank line before what follows, after the comments.
    after_blank: bool,
}

/// Returns the value of a text, which is known to be valid, and the comments after it.
pub(super) fn tree(text: &str) -> (Item<'_>, Vec<Comment<'_>>) {
    Parser { text, at: 0 }.root()
}

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
