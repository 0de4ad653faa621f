//! The canonical layout of a spec.
mod parser;
mod printer;

use super::{
    document::{json, without_mark},
    node::Document,
};
use crate::base::Result;

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
    let (root, rest) = parser::tree(text);
    Ok(printer::text(&root, &rest))
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
