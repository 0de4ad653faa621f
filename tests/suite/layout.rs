//! `tpulang fmt`: the layout of specs.
use super::{cli::tpulang, documents::files_in};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use tpulang::spec;

/// The layout changes neither the meaning of a spec nor a spec that has it.
#[test]
fn every_spec_is_laid_out() {
    let found = files_in(&["tests", "examples"], "json");
    assert!(found.len() > 50, "{}", found.len());
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let once = spec::format(&text, "spec.json").unwrap();
        assert_eq!(spec::format(&once, "again.json").unwrap(), once, "{}", path.display());
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            assert_eq!(serde_json::from_str::<Value>(&once).unwrap(), value, "{}", path.display());
        }
        let is_long = |line: &&str| line.chars().count() > 120 && line.contains(", ");
        assert_eq!(once.lines().find(is_long), None, "{}", path.display());
    }
}

/// Those that people read first.
#[test]
fn the_examples_have_the_layout() {
    let models = fs::read_dir("examples/models").unwrap().map(|e| e.unwrap().path());
    let models = models.filter(|path| path.extension().is_some_and(|e| e == "json"));
    for path in models.chain(["src/bin/tpulang/init.json".into()]) {
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(spec::format(&text, "spec.json").unwrap(), text, "{}: run tpulang fmt", path.display());
    }
}

/// What may stand between two tokens.
fn gap() -> impl Strategy<Value = String> {
    let gaps =
        ["", " ", "\n", "\n\n\n", "\t", " // line\n", "/* block */", " /* two\n lines */ ", "\n// own\n", "\r\n"];
    prop::collection::vec(prop::sample::select(gaps.to_vec()), 0..3).prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let scalars = ["1", "-2.5e3", "null", "true", "\"x\"", "\"// no comment\"", "\"a \\\" /* b\"", "\"\\u00e9é\""];
    let scalar = prop::sample::select(scalars.to_vec()).prop_map(|text| serde_json::from_str::<Value>(text).unwrap());
    let key =
        prop::sample::select(vec!["ops", "args", "op", "tensors", "functions", "out", "x", "a long name of a tensor"]);
    scalar.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().map(|(key, v)| (key.to_owned(), v)).collect())),
        ]
    })
}

/// Writes a value with these gaps between its tokens, in turn, and with trailing commas.
fn write(value: &Value, gaps: &mut impl Iterator<Item = String>, out: &mut String) {
    let mut space = |out: &mut String| *out += &gaps.next().unwrap();
    let (brackets, items): (_, Vec<(Option<&String>, &Value)>) = match value {
        Value::Array(all) => (['[', ']'], all.iter().map(|v| (None, v)).collect()),
        Value::Object(all) => (['{', '}'], all.iter().map(|(key, v)| (Some(key), v)).collect()),
        scalar => return *out += &scalar.to_string(),
    };
    out.push(brackets[0]);
    space(out);
    for (i, (key, item)) in items.iter().enumerate() {
        if let Some(key) = key {
            *out += &Value::from(key.as_str()).to_string();
            *out += &gaps.next().unwrap();
            out.push(':');
            *out += &gaps.next().unwrap();
        }
        write(item, gaps, out);
        *out += &gaps.next().unwrap();
        if i + 1 < items.len() || out.len().is_multiple_of(2) {
            out.push(',');
        }
        *out += &gaps.next().unwrap();
    }
    out.push(brackets[1]);
}

/// Returns the comments of a text, in order, without spaces around their lines.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let from = &rest[at..];
        let end = match () {
            () if from.starts_with("//") => from.find('\n').unwrap_or(from.len()),
            () if from.starts_with("/*") => from.find("*/").unwrap() + 2,
            () => {
                let mut chars = from.char_indices().skip(1);
                let mut end = from.len();
                while let Some((i, c)) = chars.next() {
                    match c {
                        '\\' => drop(chars.next()),
                        '"' => {
                            end = i + 1;
                            break;
                        }
                        _ => {}
                    }
                }
                rest = &from[end..];
                continue;
            }
        };
        found.push(from[..end].trim().to_owned());
        rest = &from[end..];
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No comment and no value is lost, and the layout is final.
    #[test]
    fn nothing_is_lost(value in value(), gaps in prop::collection::vec(gap(), 1..40)) {
        let mut text = String::new();
        let mut gaps = gaps.into_iter().cycle();
        text += &gaps.next().unwrap();
        write(&value, &mut gaps, &mut text);
        text += &gaps.next().unwrap();
        let once = spec::format(&text, "spec.json").unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(&spec::format(&once, "again.json").unwrap(), &once, "{}", text);
        let sorted = |text: &str| {
            let mut all: Vec<String> =
                comments(text).iter().flat_map(|c| c.split("// ")).map(|part| part.trim().to_owned()).collect();
            all.sort();
            all.retain(|part| !part.is_empty());
            all
        };
        prop_assert_eq!(sorted(&once), sorted(&text), "{}\n{}", text, once);
        if let Ok(plain) = serde_json::from_str::<Value>(&once) {
            prop_assert_eq!(plain, value);
        }
    }
}

#[test]
fn files_are_replaced_or_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (good, bad) = ("{\n  \"version\": 1\n}\n", "{\"version\":1}");
    fs::write(at("good.json"), good).unwrap();
    fs::write(at("bad.json"), bad).unwrap();
    fs::write(at("wrong.json"), "{").unwrap();
    let run = |args: &[&str]| {
        let out = tpulang(args);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&at(""), "");
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let (good_path, bad_path) = (at("good.json"), at("bad.json"));
    assert_eq!(run(&["fmt", "--check", &good_path, &bad_path]), (Some(1), "bad.json\n".into(), String::new()));
    assert_eq!(fs::read_to_string(&bad_path).unwrap(), bad);
    // One wrong file does not keep the others from being laid out.
    let (code, printed, error) = run(&["fmt", &at("wrong.json"), &good_path, &bad_path]);
    assert_eq!((code, printed.as_str()), (Some(2), "bad.json\n"));
    assert!(error.starts_with("error: the file ends inside an object; is it truncated?\n"), "{error}");
    assert_eq!(fs::read_to_string(&bad_path).unwrap(), good);
    assert_eq!(run(&["fmt", "--check", &good_path, &bad_path]), (Some(0), String::new(), String::new()));
    fs::copy("tests/onnx/classifier.onnx", at("net.onnx")).unwrap();
    let error = "error: net.onnx is an ONNX model; fmt takes specs (.json)\n";
    assert_eq!(run(&["fmt", &at("net.onnx")]), (Some(2), String::new(), error.into()));
}

#[test]
fn a_first_spec_is_written_checked_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let run = |args: &[&str]| {
        let out = tpulang(args);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&at(""), "");
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let expected = "new/net.json\nnext: tpulang check new/net.json\n";
    assert_eq!(run(&["init", &at("new/net")]), (Some(0), expected.into(), String::new()));
    let expected =
        "net: 8 operators, 62 parameters\n  input   image  1x3x64x64 float32\n  output  probability  1x4 float32\n";
    let checked = run(&["check", &at("new/net.json"), "--param", "size=64"]);
    assert_eq!(checked, (Some(0), expected.into(), String::new()));
    assert_eq!(run(&["bench", &at("new/net.json"), "--repeat", "1"]).0, Some(0));
    let (code, _, error) = run(&["init", &at("new/net.json")]);
    let expected =
        "error: new/net.json: it exists already, and init overwrites no file; choose another: tpulang init NAME\n";
    assert_eq!((code, error.as_str()), (Some(2), expected));
    let (code, _, error) = run(&["init", &at("two words")]);
    assert!(code == Some(2) && error.contains("the model is named after the file"), "{error}");
    let (_, printed, _) = run(&["init", "-"]);
    assert_eq!(printed, fs::read_to_string("src/bin/tpulang/init.json").unwrap());
}

#[test]
fn folders_of_specs_are_created() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["spec", "gradients"] {
        let path = folder.path().join(command).join("new/net.json");
        let out = tpulang(&[command, "examples/patterns/patterns.json", "-o", &path.display().to_string()]);
        assert!(out.status.success() && path.exists(), "{}", String::from_utf8_lossy(&out.stderr));
    }
}
