//! serde_json's errors in plain words.
use super::plain::string_end;
use crate::base::{nearest, truncated};

/// Returns what is wrong with the value at a path, where `found` is the text from there on.
pub(super) fn problem(e: &serde_json::Error, found: &str, path: &str) -> String {
    let known = other_notation(found).map(str::to_owned).or_else(|| unknown_variant(e, path));
    known.unwrap_or_else(|| plain_problem(e) + hint(e, found))
}

/// Returns what may have led to a syntax error, by the text at its place.
fn hint(e: &serde_json::Error, found: &str) -> &'static str {
    let first = found.chars().next();
    match e.to_string() {
        text if text.starts_with("key must be a string") => match first {
            Some('}' | ',') => " (is there a comma too many?)",
            Some('{') => "; an object has \"key\": value, and a list of objects has brackets, [ and ]",
            _ => "",
        },
        text if text.starts_with("expected value") => match first {
            Some(']' | '}' | ',') => " (is there a comma too many?)",
            Some('0'..='9' | '"' | '[' | '{' | '-') | None => "",
            _ if e.line() == 1 => "; this is not JSON",
            _ => "; text in JSON is in double quotes",
        },
        _ => "",
    }
}

/// Returns the offset of what an error is about.
pub(super) fn offset(e: &serde_json::Error, text: &str) -> usize {
    let at = byte_offset(text, e.line(), e.column());
    if e.is_data() { scalar_start(text, at) } else { at }
}

/// Recognizes what Python, YAML and people write in another way than JSON.
fn other_notation(text: &str) -> Option<&'static str> {
    let words = [
        ("(", "a list in JSON has brackets, [ and ]"),
        ("${", "an expression is in quotes: \"${N}\""),
        ("\u{201c}", "text in JSON has straight double quotes, \", not \u{201c} and \u{201d}"),
        ("\u{201d}", "text in JSON has straight double quotes, \", not \u{201c} and \u{201d}"),
        (".", "a number in JSON begins with a digit, as in 0.5"),
        ("+", "a positive number in JSON has no sign"),
        ("NaN", "write \"nan\", in quotes"),
        ("Infinity", "write \"inf\" or \"-inf\", in quotes"),
        ("'", "text in JSON has double quotes, not single ones"),
        ("True", "JSON writes true in lower case"),
        ("False", "JSON writes false in lower case"),
        ("None", "JSON writes null instead of None"),
    ];
    words.into_iter().find(|(word, _)| text.starts_with(word)).map(|(_, problem)| problem)
}

/// Returns serde's message without the position, which is reported separately, and without Rust's names of types.
fn plain_problem(e: &serde_json::Error) -> String {
    let text = e.to_string();
    let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(p, _)| p).replace('`', "");
    let plain = [
        ("EOF while parsing a string", "the file ends inside a string; is it truncated?"),
        ("EOF while parsing a value", "the file ends where a value is expected; is it truncated?"),
        ("EOF while parsing a list", "the file ends inside a list; is it truncated?"),
        ("EOF while parsing an object", "the file ends inside an object; is it truncated?"),
        ("trailing characters", "more elements or text than expected"),
        ("trailing comma", "a comma too many"),
        ("key must be a string", "expected a key in double quotes"),
        ("expected value", "expected a value"),
        ("expected ident", "expected a value; text in JSON is in double quotes"),
        ("invalid number", "expected a number"),
        ("i64", "an integer"),
        ("usize", "an integer of at least 0"),
        ("u64", "an integer of at least 0"),
        ("f64", "a number"),
        ("f32", "a number"),
        ("a sequence", "a list"),
        ("sequence", "a list"),
        ("an array of length", "a list of length"),
        ("a map", "an object"),
        ("map", "an object"),
        ("a boolean", "true or false"),
        ("missing field", "missing key"),
        ("unknown field", "unknown key"),
        ("unit value", "null"),
    ];
    let problem = plain.into_iter().fold(problem, |text, (rust, plain)| replace_words(&text, rust, plain));
    let found = problem.strip_prefix("invalid type: ").or(problem.strip_prefix("invalid value: "));
    match found.and_then(|rest| rest.split_once(", expected ")) {
        Some((found, expected)) => {
            format!("expected {expected}, found {}", found.replace("floating point", "the number"))
        }
        None => problem,
    }
}

/// Converts serde's message "unknown variant `rbg`, expected one of `rgb`, `bgr`" to one with the key and a suggestion.
fn unknown_variant(e: &serde_json::Error, path: &str) -> Option<String> {
    let text = e.to_string();
    let (found, expected) = text.strip_prefix("unknown variant `")?.split_once("`, expected ")?;
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    // In short words, typos are mostly swapped letters.
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let anagram = known.iter().find(|k| k.len() == found.len() && letters(k) == letters(found));
    let near = anagram.map(|k| (*k).to_owned()).or_else(|| nearest(found, known.iter().copied()));
    let hint = near.map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
    let expected = if known.len() == 1 { known[0].to_owned() } else { format!("one of {}", known.join(", ")) };
    let key = path.rsplit('.').next().filter(|key| !key.is_empty()).unwrap_or("the value");
    Some(format!("{key} is {:?}; {hint}expected {expected}", truncated(found)))
}

/// Replaces whole words.
fn replace_words(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let alone = !before.ends_with(word) && !after.starts_with(word);
        out.push_str(before);
        out.push_str(if alone { to } else { from });
        rest = after;
    }
    out + rest
}

/// Returns the byte offset of a line and column, which serde_json counts in bytes.
fn byte_offset(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (line_start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the start of the string, number or word at a byte. serde_json reports where a value of the wrong type ends.
fn scalar_start(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut next = 0;
    while let Some(start) = bytes[next..].iter().position(|b| *b == b'"').map(|n| next + n).filter(|start| *start <= at)
    {
        next = string_end(bytes, start);
        if at < next {
            return start;
        }
    }
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
    match bytes.get(at) {
        Some(b) if is_word(b) => bytes[..at].iter().rposition(|b| !is_word(b)).map_or(0, |before| before + 1),
        _ => at,
    }
}
