//! JSON with comments and trailing commas, as JSON.
use std::borrow::Cow;

/// Replaces comments and trailing commas by spaces, so that every other byte keeps its place.
///
/// # Errors
/// Returns the offset of a comment that is not closed.
pub(super) fn plain(text: &str) -> Result<Cow<'_, str>, usize> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut blank = |from: usize, to: usize| {
        for byte in &mut out.get_or_insert_with(|| bytes.to_vec())[from..to] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    };
    // A comma after a value, if nothing else follows it so far.
    let mut comma = None;
    let mut after_value = false;
    let mut at = 0;
    while at < bytes.len() {
        if let Some(end) = comment_end(text, at)? {
            blank(at, end);
            at = end;
            continue;
        }
        let byte = bytes[at];
        let end = if byte == b'"' { string_end(bytes, at) } else { at + 1 };
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b',' => comma = (after_value && comma.is_none()).then_some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    blank(comma, comma + 1);
                }
            }
            _ => comma = None,
        }
        if !byte.is_ascii_whitespace() {
            after_value = !matches!(byte, b',' | b':' | b'[' | b'{');
        }
        at = end;
    }
    Ok(match out {
        None => Cow::Borrowed(text),
        // Whole characters were replaced.
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    })
}

/// Returns the end of the comment that begins at a byte, if one does. The end of a line comment is the line break.
///
/// # Errors
/// Returns the offset of a comment that is not closed.
pub(super) fn comment_end(text: &str, at: usize) -> Result<Option<usize>, usize> {
    let bytes = text.as_bytes();
    Ok(match (bytes[at], bytes.get(at + 1)) {
        (b'/', Some(b'/')) => Some(bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n)),
        (b'/', Some(b'*')) => {
            let close = bytes[at + 2..].windows(2).position(|pair| pair == b"*/").ok_or(at)?;
            Some(at + 2 + close + 2)
        }
        _ => None,
    })
}

/// Returns the end of the string that begins at a byte, or the end of the text if it is not closed.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        for (text, expected) in [
            ("[1, 2]", "[1, 2]"),
            ("[1, /* é */ 2]", "[1,          2]"),
            ("[1, 2,]", "[1, 2 ]"),
            ("{\"a\": [1,], // x\n}", "{\"a\": [1 ]     \n}"),
            ("[1 // one,\n, // two\r\n]", "[1        \n       \r\n]"),
            ("[\"//\", \"/*\\\"*/,]\",]", "[\"//\", \"/*\\\"*/,]\" ]"),
            // These are errors, which serde_json reports.
            ("[,]", "[,]"),
            ("[1,,]", "[1,,]"),
            ("{\"a\":,}", "{\"a\":,}"),
            ("[1] / 2", "[1] / 2"),
            ("[\"open, // ]", "[\"open, // ]"),
        ] {
            let found = plain(text).unwrap();
            assert_eq!(found, expected);
            assert_eq!(found.len(), text.len(), "{text}");
        }
        assert_eq!(plain("[1] /* open"), Err(4));
        assert_eq!(plain("[1] /*/"), Err(4));
    }
}
