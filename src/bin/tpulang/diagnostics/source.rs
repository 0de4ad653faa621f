//! The line of a file that a message is about.
use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    sync::{Mutex, PoisonError},
};
use tpulang::base::Place;

/// A line and the bytes in it that a message is about.
pub struct SourceLine {
    pub text: String,
    pub start: usize,
    pub end: usize,
}

/// Longer lines are not shown: nobody reads them.
const MAX_LINE: u64 = 10_000;

/// Files are searched for a line up to this many bytes.
const MAX_BYTES: u64 = 1 << 28;

/// A text that cannot be read again, by the name that messages have for it.
static STREAM: Mutex<Option<(String, Vec<u8>)>> = Mutex::new(None);

/// Remembers what was read from standard input or a pipe.
pub fn remember(name: &str, bytes: &[u8]) {
    *STREAM.lock().unwrap_or_else(PoisonError::into_inner) = Some((name.to_owned(), bytes.to_vec()));
}

/// Reads the line at a place. Returns `None` if the file cannot be read again, or has changed.
pub fn line(place: &Place) -> Option<SourceLine> {
    match STREAM.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        Some((name, bytes)) if *name == place.file => return line_of(bytes.as_slice(), place),
        _ => {}
    }
    let file = File::open(&place.file).ok().filter(|file| file.metadata().is_ok_and(|m| m.is_file()))?;
    line_of(BufReader::new(file.take(MAX_BYTES)), place)
}

fn line_of(mut reader: impl BufRead, place: &Place) -> Option<SourceLine> {
    for _ in 1..place.line {
        reader.skip_until(b'\n').ok().filter(|read| *read > 0)?;
    }
    let mut bytes = Vec::new();
    reader.take(MAX_LINE).read_until(b'\n', &mut bytes).ok().filter(|read| *read < MAX_LINE as usize)?;
    let text = String::from_utf8(bytes).ok()?.trim_end_matches(['\n', '\r']).to_owned();
    let start = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(place.column.checked_sub(1)?)?;
    let end = start + token_length(&text[start..]);
    Some(SourceLine { text, start, end })
}

/// Returns the length of the JSON value or the word at the start of a text.
fn token_length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    match text.as_bytes().first() {
        Some(b'"') => string_length(text),
        Some(b'{' | b'[') => bracketed_length(text).unwrap_or(first),
        _ => text.find(|c: char| c.is_whitespace() || ",]}:)>".contains(c)).unwrap_or(text.len()).max(first),
    }
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = true;
    let end = text.char_indices().find(|(_, c)| {
        let is_end = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Returns the length of an object or a list that ends on the same line.
fn bracketed_length(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at += string_length(&text[at..]) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_part_is_one_value() {
        for (text, expected) in [
            (r#""a\"b", 1"#, r#""a\"b""#),
            (r#""unended"#, r#""unended"#),
            ("[1, [2, \"]\"]], 3", "[1, [2, \"]\"]]"),
            ("{\"a\": 1,", "{"),
            ("-1.5e3]", "-1.5e3"),
            ("漢字, 1", "漢字"),
            (", 1", ","),
            ("", ""),
        ] {
            assert_eq!(&text[..token_length(text)], expected, "{text}");
        }
    }

    #[test]
    fn places_that_are_not_in_the_file_have_no_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("net.json");
        std::fs::write(&path, "{\r\n  \"é\": 12}\r\n").unwrap();
        let at = |line, column| {
            let found = super::line(&Place { file: path.display().to_string(), line, column, path: String::new() })?;
            Some(found.text[found.start..found.end].to_owned())
        };
        assert_eq!(at(2, 3), Some("\"é\"".into()));
        assert_eq!(at(2, 8), Some("12".into()));
        assert_eq!(at(2, 11), Some(String::new()));
        assert_eq!([at(2, 12), at(9, 1), at(1, 0)], [None, None, None]);
    }
}
