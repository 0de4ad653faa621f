//! Validates module text before MLIR's parser, which is not hardened against malicious input: it overflows its stack,
//! allocates gigabytes, and crashes on some `dense` and `sparse` attributes. Only modules of the Top dialect pass.
use super::lexer::{Kind, Lexer, Problem, Token};
use crate::{
    base::{files::MAX_MODULE, pluralized},
    graph::MAX_NESTED_BLOCKS,
};
use std::{borrow::Cow, collections::HashMap};

/// Maximum nesting of brackets: two for each nested block (`({`), and more than module, function and the attributes and
/// types of an operator need. MLIR's parser overruns its stack on deeper text.
const MAX_NESTING: usize = 2 * MAX_NESTED_BLOCKS + 36;
/// Maximum size of a location with its aliases expanded. No operator has as many results.
const MAX_LOCATIONS: usize = 1 << 16;

/// The keywords, except for names of attributes and element types.
const WORDS: [&str; 14] = [
    "module",
    "builtin.module",
    "attributes",
    "func.func",
    "func.return",
    "return",
    "private",
    "public",
    "loc",
    "fused",
    "unknown",
    "none",
    "true",
    "false",
];
const FLOATS: [&str; 6] = ["f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"];

/// Returns the text for MLIR's parser, with the same length. Properties of unregistered ops (`<{..}>`), which MLIR drops
/// after parsing, are rewritten as attributes.
///
/// # Errors
/// Returns the offset and the problem if the text is not a module of the Top dialect.
pub(super) fn validate(text: &str) -> Result<Cow<'_, str>, Problem> {
    if text.len() as u64 > MAX_MODULE {
        return Err((0, format!("the text has {} bytes; at most {MAX_MODULE} are read", text.len())));
    }
    let mut sanitizer = Sanitizer::new(text);
    let mut tokens = Lexer::new(text).peekable();
    while let Some(token) = tokens.next() {
        let token = token?;
        let next = match tokens.peek() {
            Some(Ok(next)) => &text[next.at.clone()],
            _ => "",
        };
        sanitizer.token(&token, next)?;
        sanitizer.last = token;
    }
    if sanitizer.edits.is_empty() {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = text.as_bytes().to_vec();
    sanitizer.edits.iter().for_each(|(at, byte)| bytes[*at] = *byte);
    // Replacing ASCII characters keeps it UTF-8.
    Ok(Cow::Owned(String::from_utf8(bytes).unwrap_or_default()))
}

/// An open bracket.
#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    /// `<{` of an unregistered op.
    Properties,
    Other(u8),
}

/// The size of a location with its aliases expanded.
#[derive(Clone, Copy, Default)]
struct Extent {
    locations: usize,
    nesting: usize,
}

/// The values that are defined with several results, as in `%0:2 = ..`. MLIR's parser makes room for the result that a use
/// names (`%0#1`) before it looks whether there is one.
#[derive(Default)]
struct Values<'a> {
    /// The numbers of results of those that are visible.
    results: HashMap<&'a str, usize>,
    /// Their names, each with the number of brackets around it, in order.
    visible: Vec<(usize, &'a str)>,
    /// The number of results of all definitions so far.
    all: usize,
}

impl<'a> Values<'a> {
    /// Reads a value with what is attached to it: `%0`, `%0:2`, `%0#1`, or `%0:` before a type. `depth` is the number of brackets
    /// around it, and `bytes` the length of the text.
    fn value(&mut self, text: &'a str, depth: usize, bytes: usize) -> Result<(), String> {
        let name = text.split(['#', ':']).next().unwrap_or_default();
        let rest = &text[name.len()..];
        if rest.starts_with('#') {
            return self.used(name, rest);
        }
        let Some(count) = rest.strip_prefix(':').filter(|count| count.starts_with(|c: char| c.is_ascii_digit())) else {
            return Ok(());
        };
        let count = count.parse().unwrap_or(usize::MAX);
        self.all = self.all.saturating_add(count);
        // The type of each result follows.
        if self.all > bytes {
            return Err(format!("{text} defines more results than the text has types for"));
        }
        self.results.insert(name, count);
        self.visible.push((depth, name));
        Ok(())
    }
    /// Checks that a value has the result of a number: `#1`, or `#1:` before a type.
    fn used(&self, name: &str, number: &str) -> Result<(), String> {
        let index = number.trim_start_matches('#').split(':').next().unwrap_or_default();
        let digits = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
        let count = self.results.get(name).copied();
        match index.parse::<usize>().ok().filter(|_| digits) {
            // The result of an operation with one may have the number 0.
            Some(index) if index < count.unwrap_or(1) => Ok(()),
            _ => Err(match count {
                Some(count) => {
                    format!("{name} has {}, counted from 0; it has no {name}#{index}", pluralized(count, "result"))
                }
                None => format!("{name}#{index} needs a definition of several results before it, as in {name}:2 = .."),
            }),
        }
    }
    /// Forgets what a block that ends has defined.
    fn leave(&mut self, depth: usize) {
        while let Some((_, name)) = self.visible.pop_if(|(within, _)| *within > depth) {
            self.results.remove(name);
        }
    }
}

struct Sanitizer<'a> {
    text: &'a str,
    open: Vec<Bracket>,
    last: Token,
    /// The current op: the last name before a parenthesis, with its quotes.
    op: &'a str,
    aliases: HashMap<&'a str, Extent>,
    /// The alias that is being defined.
    defined: Option<(&'a str, Extent)>,
    values: Values<'a>,
    /// Whether the next attributes continue rewritten properties.
    merges: bool,
    /// Replaced characters by offset.
    edits: Vec<(usize, u8)>,
}

impl<'a> Sanitizer<'a> {
    fn new(text: &'a str) -> Self {
        Sanitizer {
            text,
            open: Vec::new(),
            last: Token { kind: Kind::Arrow, at: 0..0 },
            op: "",
            aliases: HashMap::new(),
            defined: None,
            values: Values::default(),
            merges: false,
            edits: Vec::new(),
        }
    }

    fn token(&mut self, token: &Token, next: &str) -> Result<(), Problem> {
        let text = &self.text[token.at.clone()];
        let before = &self.text[self.last.at.clone()];
        let problem = match token.kind {
            Kind::Word if is_word(text, next, before) => return Ok(()),
            Kind::Word => format!("unknown keyword {text}"),
            Kind::Type if matches!(text, "!quant.uniform" | "!quant.calibrated") => return Ok(()),
            Kind::Type => format!("the type {text} is not of the Top dialect"),
            Kind::Symbol if ["func.func", "private", "public", "module"].contains(&before) => return Ok(()),
            Kind::Symbol => format!("{text}: only functions and modules have symbols here"),
            // MLIR's parser takes `%0 #1`, with a blank, for `%0#1`.
            Kind::Alias if self.last.kind == Kind::Value => {
                return self.values.used(before, text).map_err(|problem| (token.at.start, problem));
            }
            Kind::Value => {
                let (depth, bytes) = (self.open.len(), self.text.len());
                return self.values.value(text, depth, bytes).map_err(|problem| (token.at.start, problem));
            }
            Kind::Alias if text.contains('.') || next == "<" => {
                format!("the attribute {text} is not of the Top dialect")
            }
            Kind::Alias if next == "=" => return self.begin_alias(token, text),
            Kind::Alias => return self.located(token, self.aliases.get(text).copied().unwrap_or_default()),
            Kind::Str if next == "(" && text.starts_with("\"tpu.") => {
                format!("{text}: this module has been lowered for a chip; expected the Top module it was lowered from")
            }
            Kind::Str => {
                if next == "(" {
                    self.op = text;
                }
                return self.located(token, Extent { locations: 1, nesting: 0 });
            }
            Kind::Mark(mark) => return self.mark(mark, token, next),
            _ => return Ok(()),
        };
        Err((token.at.start, problem))
    }

    fn begin_alias(&mut self, token: &Token, name: &'a str) -> Result<(), Problem> {
        let rest = self.text[token.at.end..].trim_start_matches([' ', '=']);
        if !self.open.is_empty() || !rest.starts_with("loc(") {
            return Err((token.at.start, format!("{name}: only locations have aliases here, as in {name} = loc(..)")));
        }
        self.defined = Some((name, Extent::default()));
        Ok(())
    }

    /// Adds a location to the alias that is being defined.
    fn located(&mut self, token: &Token, part: Extent) -> Result<(), Problem> {
        let Some((name, whole)) = &mut self.defined else { return Ok(()) };
        whole.locations = whole.locations.saturating_add(part.locations);
        whole.nesting = whole.nesting.max(part.nesting + 1);
        if whole.locations > MAX_LOCATIONS || whole.nesting > MAX_NESTING {
            let bound = format!("more than {MAX_LOCATIONS} locations, or is nested deeper than {MAX_NESTING}");
            return Err((token.at.start, format!("the location {name} is made of {bound}")));
        }
        Ok(())
    }

    fn mark(&mut self, mark: u8, token: &Token, next: &str) -> Result<(), Problem> {
        let at = token.at.start;
        match mark {
            b'(' | b'[' | b'{' | b'<' => self.open(mark, at, next),
            b')' | b']' | b'}' | b'>' => self.close(mark, at, next),
            _ => Ok(()),
        }
    }

    fn open(&mut self, mark: u8, at: usize, next: &str) -> Result<(), Problem> {
        let before = &self.text[self.last.at.clone()];
        let is_value = matches!(before, "=" | "," | "[" | "(" | "{" | "<");
        if self.open.len() == MAX_NESTING {
            return Err((at, format!("brackets are nested deeper than {MAX_NESTING}")));
        }
        // A function type; the generic form of func.func has one.
        if mark == b'(' && is_value && self.op != "\"func.func\"" {
            return Err((at, "unexpected '('".into()));
        }
        if mark == b'[' && before == ")" {
            return Err((at, "no op of the Top dialect has successors".into()));
        }
        let of_registered = matches!(self.op, "\"func.func\"" | "\"builtin.module\"" | "\"func.return\"");
        let bracket = match (mark, next) {
            (b'<', "{") if !of_registered => Bracket::Properties,
            _ => Bracket::Other(mark),
        };
        if bracket == Bracket::Properties {
            self.edits.push((at, b' '));
        }
        if std::mem::take(&mut self.merges) {
            self.edits.push((at, b' '));
        }
        self.open.push(bracket);
        Ok(())
    }

    fn close(&mut self, mark: u8, at: usize, next: &str) -> Result<(), Problem> {
        let bracket = self.open.pop();
        let expected = match bracket {
            Some(Bracket::Properties | Bracket::Other(b'<')) => b'>',
            Some(Bracket::Other(b'(')) => b')',
            Some(Bracket::Other(b'[')) => b']',
            Some(Bracket::Other(_)) => b'}',
            None => 0,
        };
        if mark != expected {
            return Err((at, format!("unexpected {:?}", mark as char)));
        }
        if bracket == Some(Bracket::Properties) {
            self.end_properties(at, next)?;
        }
        self.values.leave(self.open.len());
        if self.open.is_empty()
            && let Some((name, extent)) = self.defined.take()
        {
            self.aliases.insert(name, extent);
        }
        Ok(())
    }

    /// Replaces `}>` by `} `, or by `, ` if attributes follow.
    fn end_properties(&mut self, at: usize, next: &str) -> Result<(), Problem> {
        if next == "(" {
            return Err((at, "properties (<{..}>) of an op with blocks are not read; write them as attributes".into()));
        }
        self.edits.push((at, b' '));
        if next == "{" {
            self.merges = true;
            self.edits.push((self.last.at.start, b','));
        }
        Ok(())
    }
}

fn is_word(word: &str, next: &str, before: &str) -> bool {
    match next {
        "=" => true,
        "<" => word == "tensor" || before == "<" && (is_integer(word) || FLOATS.contains(&word)),
        "(" => word == "loc",
        "[" => word == "fused",
        _ => WORDS.contains(&word) || FLOATS.contains(&word) || is_integer(word),
    }
}

/// Returns whether a word is an integer type: `i8`, `si32`, `ui16`, or `u8` as in quantized types.
fn is_integer(word: &str) -> bool {
    let bits = ["si", "ui", "i", "u"].iter().find_map(|sign| word.strip_prefix(sign));
    bits.is_some_and(|bits| ["1", "4", "8", "16", "32", "64"].contains(&bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> String {
        validate(text).map_or_else(|(at, problem)| format!("{at}: {problem}"), Cow::into_owned)
    }

    #[test]
    fn what_is_not_of_the_dialect_is_refused() {
        let deep = "[".repeat(200);
        let chain: String = (1..200).map(|i| format!("#l{i} = loc(fused[#l{}])\n", i - 1)).collect();
        let wide: String = (1..30).map(|i| format!("#l{i} = loc(fused[#l{0}, #l{0}])\n", i - 1)).collect();
        let first = "#l0 = loc(\"a\")\n";
        let texts = [
            "{a = dense<(1.,2.)> : tensor<2x9xf32>}",
            "{a = sparse<[[0]], [1]> : tensor<2xf32>}",
            "{a = affine_map<(d0) -> (-d0)>}",
            "{a = () -> ()}",
            "{a = [() -> ()]}",
            ": (() -> ()) -> ()",
            "#a0 = [1]",
            "#a0 = loc(\"x\") #a1 = [#a0]",
            "{a = #tpu<round_mode HalfUp>}",
            "{a = #foo.x<1>}",
            "!a = i64",
            "{a = @b}",
            "{a = memref<4xf32>}",
            "\"tpu.Cast\"(%0) {round_mode = #tpu<round_mode HalfUp>}",
            "{a = distinct[0]<1 : i64>}",
            "\"top.Relu\"(%0)[^bb0]",
            "\"top.If\"(%0) <{a = 1}> ({})",
            "{a = [1)}",
            "]",
            &deep,
            &format!("{first}{chain}"),
            &format!("{first}{wide}"),
        ];
        insta::assert_snapshot!(texts.map(outcome).join("\n"), @r#"
        5: unknown keyword dense
        5: unknown keyword sparse
        5: unknown keyword affine_map
        5: unexpected '('
        6: unexpected '('
        3: unexpected '('
        0: #a0: only locations have aliases here, as in #a0 = loc(..)
        15: #a1: only locations have aliases here, as in #a1 = loc(..)
        5: the attribute #tpu is not of the Top dialect
        5: the attribute #foo.x is not of the Top dialect
        0: the type !a is not of the Top dialect
        5: @b: only functions and modules have symbols here
        5: unknown keyword memref
        0: "tpu.Cast": this module has been lowered for a chip; expected the Top module it was lowered from
        5: unknown keyword distinct
        14: no op of the Top dialect has successors
        21: properties (<{..}>) of an op with blocks are not read; write them as attributes
        7: unexpected ')'
        0: unexpected ']'
        100: brackets are nested deeper than 100
        2390: the location #l100 is made of more than 65536 locations, or is nested deeper than 100
        489: the location #l17 is made of more than 65536 locations, or is nested deeper than 100
        "#);
    }

    #[test]
    fn results_have_been_defined() {
        let long = format!("%0:{} = ", "9".repeat(30));
        let texts = [
            "%0:2 = \"a\"(%arg0#0) (%0#1, %0 #1) (%0#0: none)",
            "%0:2 = \"a\"(%0#2)",
            "%0:2 = \"a\"(%0 #2147483647)",
            "%0 = \"a\"(%0#1)",
            "\"a\"(%0#2147483647)",
            "%0:1000000000 = ",
            &long,
            "%0:2 = \"a\"(%0#)",
            "%0:2 = \"a\"(%0#1x)",
            "%0:2 = \"a\"() ({%1:3 = \"b\"(%0#1) \"c\"(%1#2)} \"d\"(%1#2)",
            "%0:9 = %1:9 = %2:9 = ",
        ];
        insta::assert_snapshot!(texts.map(outcome).join("\n"), @r#"
        %0:2 = "a"(%arg0#0) (%0#1, %0 #1) (%0#0: none)
        11: %0 has 2 results, counted from 0; it has no %0#2
        14: %0 has 2 results, counted from 0; it has no %0#2147483647
        9: %0#1 needs a definition of several results before it, as in %0:2 = ..
        4: %0#2147483647 needs a definition of several results before it, as in %0:2 = ..
        0: %0:1000000000 defines more results than the text has types for
        0: %0:999999999999999999999999999999 defines more results than the text has types for
        11: %0 has 2 results, counted from 0; it has no %0#
        11: %0 has 2 results, counted from 0; it has no %0#1x
        47: %1#2 needs a definition of several results before it, as in %1:2 = ..
        14: %2:9 defines more results than the text has types for
        "#);
    }

    #[test]
    fn properties_become_attributes_of_the_same_length() {
        let cases = [
            ("\"top.A\"(%0) <{a = 1 : i64}> : (none) -> none", "\"top.A\"(%0)  {a = 1 : i64}  : (none) -> none"),
            ("\"top.A\"(%0) <{a = 1}> {b = 2} : ", "\"top.A\"(%0)  {a = 1,   b = 2} : "),
            ("\"func.func\"() <{function_type = () -> ()}> ", "\"func.func\"() <{function_type = () -> ()}> "),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(text), expected);
        }
    }
}
