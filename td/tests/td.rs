//! Tests of reading `.td` files, of the errors reported for them, and that the generated files are up to date.
use std::{fs, path::Path};
use tpulang_td::{
    definition::{self, Arity, Default, Dialect, Kind},
    generate, include_folder,
};

#[test]
fn the_generated_files_are_up_to_date() {
    let folder = Path::new(tpulang_td::ROOT).join("src/ops/generated");
    let generated = tpulang_td::generated().unwrap();
    let mut there: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    there.sort();
    assert_eq!(there, generated.keys().cloned().collect::<Vec<_>>(), "run `make ops`");
    for (name, text) in generated {
        assert!(fs::read_to_string(folder.join(&name)).unwrap() == text, "{name} is out of date: run `make ops`");
    }
}

/// Reads the definitions of a file `family.td` that is placed next to the project's `common.td`.
fn read(family: &str) -> Result<Dialect, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("common.td", folder.path().join("common.td")).unwrap();
    fs::write(folder.path().join("top.td"), "include \"common.td\"\ninclude \"family.td\"\n").unwrap();
    fs::write(folder.path().join("family.td"), family).unwrap();
    let read = definition::read(folder.path(), &include_folder().unwrap());
    read.map_err(|e| e.replace(&format!("{}/", folder.path().display()), ""))
}

fn op(arguments: &str) -> String {
    format!(
        "\ndef Top_TOp : Top_Op<\"T\"> {{\n  let summary = \"t\";\n  let arguments = (ins AnyTensor:$input,\n    {arguments});\n}}\n"
    )
}

#[test]
fn everything_that_the_dialect_needs_is_understood() {
    let dialect = read(
        r#"
def Shade : OneOf<["dark_blue", "1N"]>;
def Top_LoopOp : Top_Op<"Loop", [QuantTransparent]> {
  let summary = "loop";
  let arguments = (ins Arg<AnyTensorOrNone, "The limit">:$M, Arg<AnyTensor, "Whether it runs">:$cond,
    Arg<Variadic<AnyTensorOrNone>, "The first values">:$v_initial,
    Arg<I32Attr, "One\n    of a [list]. `[a]`">:$a, Arg<DefaultValuedAttr<UI32Attr, "7">, "B">:$b,
    Arg<OptionalAttr<I32ArrayAttr>, "C">:$c, Arg<DictArrayAttr, "D">:$d, Arg<IndexListArrayAttr, "M">:$mod,
    Arg<DefaultValuedAttr<Shade, "\"1N\"">, "S">:$shade, Arg<DefaultValuedAttr<F64ArrayAttr, "{1.0, 2}">, "F">:$f);
  let ignored = ["a"];
  let results = (outs Res<AnyTensorOrNone, "The last value">:$x, Res<Variadic<AnyTensor>, "The others">:$rest);
  let regions = (region AnyRegion:$body);
}
def Top_PadOp : Top_Op<"Pad", [Structure]> {
  let summary = "pad";
  let arguments = (ins Arg<AnyTensor, "The tensor">:$input, Arg<Optional<AnyTensorOrNone>, "The padding">:$paddingsT);
  let results = (outs AnyTensor:$output);
}
"#,
    );
    let dialect = dialect.unwrap_or_else(|e| panic!("{e}"));
    let op = &dialect.ops["Loop"];
    let arities: Vec<_> = op.operands.iter().map(|o| (o.name.as_str(), o.arity)).collect();
    assert_eq!(arities, [("M", Arity::OrNone), ("cond", Arity::Required), ("v_initial", Arity::Variadic)]);
    let kinds: Vec<_> = op.attributes.iter().map(|a| a.kind.clone()).collect();
    let shade = Kind::OneOf("Shade".into());
    assert_eq!(kinds, [Kind::I32, Kind::Ui32, Kind::I32s, Kind::Dicts, Kind::IntLists, shade, Kind::Floats]);
    assert_eq!(op.attributes[1].default, Some(Default::Int(7)));
    assert_eq!(op.attributes[6].default, Some(Default::Floats(vec![1.0, 2.0])));
    assert!(op.attributes[2].optional && op.quant_transparent && op.blocks == ["body"]);
    assert!(op.attributes.iter().all(|a| a.ignored == (a.name == "a")));
    let pad = &dialect.ops["Pad"];
    assert!(pad.operands[1].arity == Arity::Optional && pad.structure);
    let rust: String = generate::files(&dialect).unwrap().into_values().collect();
    for part in [
        "pub struct Loop<V>",
        "/// The limit.\n    pub M: Option<V>",
        "pub v_initial: Vec<V>",
        "/// One of a \\[list\\]. `[a]`. It changes no result.\n    pub a: i64",
        "/// B. The default is `7`.\n    pub b: i64",
        "pub d: Vec<Dict>",
        "pub r#mod: Vec<Vec<i64>>",
        "pub enum Shade {\n    DarkBlue,\n    _1N,\n}",
    ] {
        assert!(rust.contains(part), "{part}: {rust}");
    }
}

#[test]
fn mistakes_are_told_at_their_line() {
    let named = "\ndef Top_TOp : Top_Op<\"T\"> { let summary = \"t\"; }\n";
    for (text, expected) in [
        // LLVM's parser prints its errors, with their places, to standard error itself.
        (op("I65Attr:$a"), "(the place is named above)"),
        (op("APIntAttr:$a"), "family.td:5: attribute a is of a kind that tpulang does not know: APIntAttr"),
        (
            op("DefaultValuedAttr<I64Attr, \"one\">:$a"),
            "family.td:5: attribute a: the default one is not of its kind (Int)",
        ),
        (
            op("DefaultValuedAttr<SI32Attr, \"3000000000\">:$a"),
            "family.td:5: attribute a: the default 3000000000 is not of its kind (Si32)",
        ),
        (
            op("DefaultValuedAttr<AutoPad, \"\\\"SAME\\\"\">:$a"),
            "family.td:5: attribute a: the default \"SAME\" is not of its kind",
        ),
        (
            op("DefaultValuedAttr<I32ArrayAttr, \"{1, 3000000000}\">:$a"),
            "family.td:5: attribute a: the default {1, 3000000000} is not of its kind (I32s)",
        ),
        (op("ConfinedAttr<I64Attr, [IntPositive]>:$a"), "family.td:5: attribute a: constraints, and defaults of"),
        (op("OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$a"), "family.td:5: attribute a: constraints, and"),
        (op("DefaultValuedOptionalAttr<I64Attr, \"1\">:$a"), "family.td:5: attribute a: constraints, and defaults of"),
        (op("I64Attr"), "family.td:2: an entry of arguments has no $name"),
        (op("I64Attr:$input"), "family.td:4: input is the name of two arguments"),
        (op("Optional<AnyTensor>:$o, AnyTensor:$p"), "family.td:5: o is optional or variadic; only the last can be"),
        (
            op("I64Attr:$a").replace("let summary", "let ignored = [\"b\"]; let summary"),
            "family.td:2: b, which is ignored, is not an attribute",
        ),
        (op("I64Attr:$self"), "family.td:5: self cannot be the name of a field in Rust"),
        (op("AnyInteger:$o"), "family.td:5: o is of the type AnyInteger, which is unknown"),
        (op("OneOf<[\"a\"]>:$o"), "a OneOf needs a name of its own"),
        ("\ndef E : OneOf<[]>;\n".into(), "family.td:2: it allows nothing"),
        (format!("{named}{}", named.replace("Top_TOp", "Top_UOp")), "op T is defined twice"),
        (named.replace("\"t\"", "\"\""), "family.td:2: op T has no summary"),
        (
            named.replace("def Top_TOp : ", "  def  Top_TOp: ").replace("\"t\"", "\"\""),
            "family.td:2: op T has no summary",
        ),
        (
            "multiclass Twice { def Op : Top_Op<\"T\"> { let summary = \"t\"; } }\ndefm Top_T : Twice;\n".into(),
            "Top_TOp: its def does not begin a line of a .td file, so its family is unknown",
        ),
        (named.replace("<\"T\">", "<\"T\", [Pure]>"), "(the place is named above)"),
        (
            "def Other : NativeOpTrait<\"Other\">;".to_owned() + &named.replace("<\"T\">", "<\"T\", [Other]>"),
            "family.td:2: the trait Other is unknown",
        ),
        (
            op("Arg<I64Attr, \"A\">:$a"),
            "family.td:4: input has no description: write Arg<KIND, \"DESCRIPTION\">:$input",
        ),
        (
            op("Arg<I64Attr, \"the axis\">:$a").replace("AnyTensor:", "Arg<AnyTensor, \"T\">:"),
            "family.td:5: the description of a must begin with a capital letter",
        ),
        (
            op("Arg<I64Attr, \"The axis.\">:$a").replace("AnyTensor:", "Arg<AnyTensor, \"T\">:"),
            "family.td:5: the description of a must begin with a capital letter",
        ),
        (
            named.replace("}", "let results = (outs Res<AnyTensor, \"R\">:$r, AnyTensor:$s); }"),
            "family.td:2: s has no description: write Res<KIND, \"DESCRIPTION\">:$s",
        ),
    ] {
        let error = read(&text).err().unwrap_or_else(|| panic!("{text} is accepted"));
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn a_forgotten_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("common.td", folder.path().join("common.td")).unwrap();
    fs::write(folder.path().join("lost.td"), "").unwrap();
    for comment in ["", "// include \"lost.td\"\n"] {
        fs::write(folder.path().join("top.td"), format!("include \"common.td\" // shared\n{comment}")).unwrap();
        let error = definition::read(folder.path(), &include_folder().unwrap()).err().unwrap();
        assert!(error.ends_with("lost.td:1: top.td does not include this file"), "{error}");
    }
}
