//! Text that is printed: names, paths and words of files may hold control characters, which a terminal obeys.
use std::{borrow::Cow, fmt, path::Path};

/// Whether printing a character may do more than show it: control characters, separators of lines, and marks that
/// change the direction of text.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The text on one line, with unprintable characters escaped as in Rust (`\n`, `\u{1b}`).
///
/// ```
/// assert_eq!(tpulang_base::escaped("a\u{1b}[31m"), "a\\u{1b}[31m");
/// ```
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return text.into();
    }
    let each = text.chars().map(|c| if is_unprintable(c) { escape(c) } else { c.to_string() });
    each.collect::<String>().into()
}

/// Like [`escaped`], for a path. An empty one is shown as `""`.
pub fn escaped_path(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return "\"\"".to_owned();
    }
    escaped(&path.to_string_lossy()).into_owned()
}

/// Like [`escaped`], but for text of several lines.
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c != '\n' && is_unprintable(c)) {
        return text.into();
    }
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n").into()
}

/// Returns JSON with the same values, in which unprintable characters of strings are escaped (`\u001b`).
///
/// ```
/// assert_eq!(tpulang_base::escaped_json("\"a\u{9b}31m\""), r#""a\u009b31m""#);
/// ```
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |c| c != '\n' && is_unprintable(c);
    if !json.contains(is_escaped) {
        return json.into();
    }
    // All unprintable characters are below U+10000, so that one escape is enough.
    let each = json.chars().map(|c| if is_escaped(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() });
    each.collect::<String>().into()
}

/// Shortens a long path in a document, such as one into nested blocks. Line and column still locate the error.
pub(super) fn without_middle(path: &str) -> String {
    const KEPT: usize = 80;
    let length = path.chars().count();
    if length <= 2 * KEPT {
        return path.to_owned();
    }
    let (start, end) = (path.chars().take(KEPT), path.chars().skip(length - KEPT));
    start.chain("...".chars()).chain(end).collect()
}

fn escape(c: char) -> String {
    match c {
        '\n' | '\r' | '\t' => c.escape_default().to_string(),
        _ => c.escape_unicode().to_string(),
    }
}

/// Escapes what is written through it, except the ends of lines.
pub(super) struct EscapeLines<'a, W>(pub &'a mut W);

impl<W: fmt::Write> fmt::Write for EscapeLines<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(&escaped_lines(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_values() {
        let names = ["a\0\u{7f}\u{9b}31m\r\n\t\u{202e}\u{2028}\u{feff}é漢", "plain"];
        let json = format!("{:#}", serde_json::json!(names));
        let escaped = escaped_json(&json);
        assert!(!escaped.contains(|c| c != '\n' && is_unprintable(c)));
        assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), names);
    }

    #[test]
    fn unprintable_characters_are_escaped() {
        let all = "a\0\u{7}\u{1b}[0m\u{7f}\u{9b}31m\r\n\t\u{202e}\u{2028}é漢";
        assert_eq!(escaped(all), "a\\u{0}\\u{7}\\u{1b}[0m\\u{7f}\\u{9b}31m\\r\\n\\t\\u{202e}\\u{2028}é漢");
        assert_eq!(escaped_lines("a\rb\nc"), "a\\rb\nc");
        assert!(matches!(escaped("a b/é"), Cow::Borrowed(_)));
    }
}
