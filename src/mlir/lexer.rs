//! The tokens of MLIR's text, as far as modules of the Top dialect use them.
use std::ops::Range;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `module`, `loc`, `relu_limit`, `func.func`.
    Word,
    /// `%0`.
    Value,
    /// `#loc1`.
    Alias,
    /// `!quant.uniform`.
    Type,
    /// `@main`.
    Symbol,
    /// `^bb0`.
    Block,
    /// A string with its quotes.
    Str,
    /// `-1`, `0x7FC00000`, `1.0e-5`.
    Number,
    /// `1x3x`, `*x`, after `tensor<`.
    Dimensions,
    /// `->`.
    Arrow,
    /// One of `()[]{}<>=,:?`.
    Mark(u8),
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    pub at: Range<usize>,
}

/// An error: its offset in the text and the problem.
pub(super) type Problem = (usize, String);

/// Maximum number of digits. MLIR parses numbers in quadratic time and copies them to the stack. No float64 needs more than
/// 767 digits.
const MAX_DIGITS: usize = 800;
const MAX_NAME: usize = 1000;

/// An iterator over the tokens, or the first error.
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// 1 after `tensor`, 2 after `tensor<`.
    in_tensor: u8,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer { text: text.as_bytes(), at: 0, in_tensor: 0 }
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.text[self.at..] {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [b'/', b'/', ..] => self.at += self.text[self.at..].iter().take_while(|b| **b != b'\n').count(),
                _ => return,
            }
        }
    }

    fn run(&self, from: usize, of: impl Fn(u8) -> bool) -> usize {
        self.text[from..].iter().take_while(|b| of(**b)).count()
    }

    fn token(&mut self) -> Result<Token, Problem> {
        let start = self.at;
        let rest = &self.text[start..];
        let in_name = |b: u8| b.is_ascii_alphanumeric() || b"_$.-".contains(&b);
        let after_mark = || 1 + self.run(start + 1, in_name);
        let (kind, len) = match rest[0] {
            _ if self.in_tensor == 2 && self.dimensions() > 0 => (Kind::Dimensions, self.dimensions()),
            b'-' if rest.get(1) == Some(&b'>') => (Kind::Arrow, 2),
            b'-' if rest.get(1).is_some_and(u8::is_ascii_digit) => (Kind::Number, 1 + self.number(start + 1)),
            b'0'..=b'9' => (Kind::Number, self.number(start)),
            b'%' => (Kind::Value, 1 + self.run(start + 1, |b| in_name(b) || b == b'#' || b == b':')),
            b'#' => (Kind::Alias, after_mark()),
            b'!' => (Kind::Type, after_mark()),
            b'^' => (Kind::Block, after_mark()),
            b'@' if rest.get(1) == Some(&b'"') => (Kind::Symbol, 1 + self.string(start + 1)?),
            b'@' => (Kind::Symbol, after_mark()),
            b'"' => (Kind::Str, self.string(start)?),
            b if b.is_ascii_alphabetic() || b == b'_' => (Kind::Word, self.run(start, |b| in_name(b) && b != b'-')),
            b if b"()[]{}<>=,:?".contains(&b) => (Kind::Mark(b), 1),
            _ => return Err((start, format!("unexpected {}", shown(rest)))),
        };
        let limit = match kind {
            Kind::Number | Kind::Dimensions => MAX_DIGITS,
            Kind::Str => usize::MAX,
            _ => MAX_NAME,
        };
        if len > limit {
            return Err((start, format!("{} has {len} characters; at most {limit} are read", shown(rest))));
        }
        self.at += len;
        self.in_tensor = match (kind, self.in_tensor) {
            (Kind::Word, _) if rest[..len] == *b"tensor" => 1,
            (Kind::Mark(b'<'), 1) => 2,
            _ => 0,
        };
        Ok(Token { kind, at: start..self.at })
    }

    /// Returns the length of dimensions such as `1x3x` or `*x`: numbers, `?` or `*`, each followed by `x`.
    fn dimensions(&self) -> usize {
        let mut at = self.at;
        loop {
            let digits = self.run(at, |b| b.is_ascii_digit());
            let len = if digits == 0 && matches!(self.text.get(at), Some(b'?' | b'*')) { 1 } else { digits };
            if len == 0 || self.text.get(at + len) != Some(&b'x') {
                return at - self.at;
            }
            at += len + 1;
        }
    }

    /// Returns the length of a number without its sign. A point or an exponent needs digits before it.
    fn number(&self, start: usize) -> usize {
        if self.text[start..].starts_with(b"0x") && self.text.get(start + 2).is_some_and(u8::is_ascii_hexdigit) {
            return 2 + self.run(start + 2, |b| b.is_ascii_hexdigit());
        }
        let digits = |at: usize| self.run(at, |b| b.is_ascii_digit());
        let mut at = start + digits(start);
        if self.text.get(at) != Some(&b'.') {
            return at - start;
        }
        at += 1 + digits(at + 1);
        if matches!(self.text.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.text.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at + 1 + sign);
            at += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        at - start
    }

    /// Returns the length of a string with its quotes. Its unescaped bytes must be UTF-8, since names are.
    fn string(&self, start: usize) -> Result<usize, Problem> {
        let mut at = start + 1;
        let mut bytes = Vec::new();
        loop {
            match self.text[at..] {
                [] | [b'\n', ..] => return Err((start, "a string that does not end on its line".into())),
                [b'"', ..] => break,
                [b'\\', b'n' | b't' | b'\\' | b'"', ..] => {
                    bytes.push(b' ');
                    at += 2;
                }
                [b'\\', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    let digit = |b: u8| (b as char).to_digit(16).unwrap_or_default() as u8;
                    bytes.push(digit(high) << 4 | digit(low));
                    at += 3;
                }
                [b'\\', ..] => return Err((at, "an escape that is none of \\n, \\t, \\\\, \\\" and \\XX".into())),
                [b, ..] => {
                    bytes.push(b);
                    at += 1;
                }
            }
        }
        match std::str::from_utf8(&bytes) {
            Ok(_) => Ok(at + 1 - start),
            Err(_) => Err((start, "a string that is not UTF-8".into())),
        }
    }
}

/// Returns the beginning of a text, for messages.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(40)]);
    let word: String = text.chars().take_while(|c| !c.is_whitespace()).take(20).collect();
    format!("{word:?}")
}

impl Iterator for Lexer<'_> {
    type Item = Result<Token, Problem>;
    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks();
        if self.at >= self.text.len() {
            return None;
        }
        let token = self.token();
        if token.is_err() {
            self.at = self.text.len();
        }
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let shown = |t: Token| format!("{:?} {}", t.kind, &text[t.at]);
        Lexer::new(text)
            .map(|t| t.map(shown).unwrap_or_else(|(at, e)| format!("{at}: {e}")))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn tokens() {
        insta::assert_snapshot!(kinds(
            "// all <<< of it\n%0:2 = \"top.A\\\"\"(%arg0) {a = -1.5e-3 : f64, b = 0x7F} : tensor<*xf32> -> \
             tensor<1x?x4x!quant.uniform<u8<0:255>:f32, 1.0:-3>>, i64 loc(#loc3) @main ^bb0"
        ), @r#"
        Value %0:2
        Mark(61) =
        Str "top.A\""
        Mark(40) (
        Value %arg0
        Mark(41) )
        Mark(123) {
        Word a
        Mark(61) =
        Number -1.5e-3
        Mark(58) :
        Word f64
        Mark(44) ,
        Word b
        Mark(61) =
        Number 0x7F
        Mark(125) }
        Mark(58) :
        Word tensor
        Mark(60) <
        Dimensions *x
        Word f32
        Mark(62) >
        Arrow ->
        Word tensor
        Mark(60) <
        Dimensions 1x?x4x
        Type !quant.uniform
        Mark(60) <
        Word u8
        Mark(60) <
        Number 0
        Mark(58) :
        Number 255
        Mark(62) >
        Mark(58) :
        Word f32
        Mark(44) ,
        Number 1.0
        Mark(58) :
        Number -3
        Mark(62) >
        Mark(62) >
        Mark(44) ,
        Word i64
        Word loc
        Mark(40) (
        Alias #loc3
        Mark(41) )
        Symbol @main
        Block ^bb0
        "#);
    }

    #[test]
    fn invalid_tokens_are_errors() {
        let long = format!("1.{}", "5".repeat(900));
        let bad = ["a + b", "- -1", "\"open", "\"a\nb\"", "\"\\FF\"", "\"\\q\"", "{-# x #-}", &long, "\u{e9}"];
        insta::assert_snapshot!(bad.map(|t| kinds(t).lines().last().unwrap_or_default().to_owned()).join("\n"), @r#"
        2: unexpected "+"
        0: unexpected "-"
        0: a string that does not end on its line
        0: a string that does not end on its line
        0: a string that is not UTF-8
        1: an escape that is none of \n, \t, \\, \" and \XX
        1: unexpected "-#"
        0: "1.555555555555555555" has 902 characters; at most 800 are read
        0: unexpected "é"
        "#);
        assert_eq!(kinds("\"\\C3\\A9\""), "Str \"\\C3\\A9\"");
    }
}
