//! Turns `td/top.td` into `$OUT_DIR/op_table.rs`, the static table of op
//! definitions that `src/graph/op_def.rs` includes.
use std::{collections::BTreeMap, env, error::Error, fmt::Write, fs, path::Path, process::Command};
use tblgen::{TableGenParser, TypedInit, record::Record};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() {
    println!("cargo:rerun-if-changed=td");
    println!("cargo:rerun-if-env-changed=TABLEGEN_220_PREFIX");
    if let Err(error) = generate() {
        eprintln!("error: td: {error}");
        std::process::exit(1);
    }
}

fn generate() -> Result<()> {
    let prefix =
        env::var("TABLEGEN_220_PREFIX").map_err(|_| "TABLEGEN_220_PREFIX is not set; .cargo/config.toml sets it")?;
    let config = Path::new(&prefix).join("bin/llvm-config");
    let include = Command::new(&config)
        .arg("--includedir")
        .output()
        .map_err(|e| format!("{}: {e}; `make setup` installs LLVM and MLIR 22", config.display()))?;
    let include = String::from_utf8(include.stdout)?;
    let keeper = TableGenParser::new()
        .add_include_directory(include.trim())
        .add_include_directory("td")
        .add_source_file("td/top.td")
        .parse()
        .map_err(|e| format!("{e} (the place is named above)"))?;
    let mut ops = BTreeMap::new();
    for record in keeper.all_derived_definitions("Top_Op") {
        let mnemonic = record.str_value("opName")?.to_owned();
        let text = op(record).map_err(|e| format!("{}: {e}", place(record)))?;
        if ops.insert(mnemonic.clone(), text).is_some() {
            return Err(format!("{}: op {mnemonic} is defined twice", place(record)).into());
        }
    }
    let mut out = String::from("/// Every op, by name.\npub static OPS: &[OpDef] = &[\n");
    ops.values().for_each(|text| out.push_str(text));
    out.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("op_table.rs"), out)?;
    Ok(())
}

/// `file:line` of a record. LLVM gives the place only as part of a rendered
/// message, so the definition is looked up in the sources by its name.
fn place(record: Record) -> String {
    let name = record.name().unwrap_or("?");
    let mut files: Vec<_> = fs::read_dir("td").into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        if let Some(at) = text.lines().position(|l| l.starts_with(&format!("def {name} "))) {
            return format!("{}:{}", file.display(), at + 1);
        }
    }
    name.to_owned()
}

fn op(record: Record) -> Result<String> {
    let name = record.str_value("opName")?;
    let summary = record.str_value("summary")?;
    if summary.is_empty() {
        return Err(format!("op {name} has no summary").into());
    }
    let description = record.str_value("description")?.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut operands, mut attributes, mut results) = (String::new(), String::new(), String::new());
    for (argument, definition) in dag(record, "arguments")? {
        if definition.subclass_of("Attr") {
            attributes += &attribute(&argument, definition)?;
        } else {
            operands += &value(&argument, definition)?;
        }
    }
    for (result, definition) in dag(record, "results")? {
        results += &value(&result, definition)?;
    }
    let transparent =
        record.list_of_defs_value("traits")?.iter().any(|t| t.name().is_ok_and(|n| n == "QuantTransparent"));
    Ok(format!(
        "  OpDef {{ name: {name:?}, summary: {summary:?}, description: {description:?}, operands: &[{operands}], \
         attributes: &[{attributes}], results: &[{results}], quant_transparent: {transparent} }},\n"
    ))
}

fn dag<'a>(record: Record<'a>, field: &str) -> Result<Vec<(String, Record<'a>)>> {
    let mut entries = Vec::new();
    for (name, init) in record.dag_value(field)?.args() {
        let name = name.filter(|n| !n.is_empty()).ok_or_else(|| format!("an entry of {field} has no $name"))?;
        match init {
            TypedInit::Def(definition) => entries.push((name.to_owned(), Record::from(definition))),
            other => return Err(format!("{field}: {name} is {other:?}, not a definition").into()),
        }
    }
    Ok(entries)
}

fn value(name: &str, definition: Record) -> Result<String> {
    let (arity, of) = if definition.subclass_of("Variadic") {
        ("Variadic", definition.def_value("baseType")?)
    } else if definition.subclass_of("Optional") {
        ("Optional", definition.def_value("baseType")?)
    } else {
        ("Required", definition)
    };
    let arity = match of.name() {
        Ok("AnyTensorOrNone") => "OrNone",
        _ => arity,
    };
    Ok(format!("ValueDef {{ name: {name:?}, arity: Arity::{arity} }}, "))
}

fn attribute(name: &str, definition: Record) -> Result<String> {
    let default =
        definition.optional_str_value("defaultValue").ok().flatten().filter(|s| !s.is_empty()).map(str::to_owned);
    let optional = definition.bit_value("isOptional").unwrap_or(false);
    let mut base = definition;
    while let Some(inner) = base.optional_def_value("baseAttr").filter(|d| !d.anonymous() || d.name().is_ok()) {
        base = inner;
    }
    let kind = if base.has_field("allowed") {
        format!("OneOf(&{:?})", base.list_of_strings_value("allowed")?)
    } else {
        match base.name()? {
            "I64Attr" => "Int".into(),
            "SI32Attr" => "Si32".into(),
            "F64Attr" => "Float".into(),
            "BoolAttr" => "Bool".into(),
            "StrAttr" => "Str".into(),
            "I64ArrayAttr" => "Ints".into(),
            "F64ArrayAttr" => "Floats".into(),
            other => return Err(format!("attribute {name} is of a kind that tpulang does not know: {other}").into()),
        }
    };
    let default = match default {
        None => "None".to_owned(),
        Some(text) => format!(
            "Some({})",
            default_value(&kind, &text)
                .ok_or_else(|| format!("attribute {name}: the default {text} is not of kind {kind}"))?
        ),
    };
    let mut out = String::new();
    write!(
        out,
        "AttributeDef {{ name: {name:?}, kind: AttributeKind::{kind}, default: {default}, optional: {optional} }}, "
    )?;
    Ok(out)
}

/// A default, written as C++ in td, as a Rust literal of the table.
fn default_value(kind: &str, text: &str) -> Option<String> {
    Some(match kind {
        "Int" | "Si32" => format!("Default::Int({})", text.parse::<i64>().ok()?),
        "Float" => format!("Default::Float({:?})", text.parse::<f64>().ok()?),
        "Bool" => format!("Default::Bool({})", text.parse::<bool>().ok()?),
        "Ints" | "Floats" if text == "{}" => "Default::Empty".to_owned(),
        _ => {
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            format!("Default::Str({inner:?})")
        }
    })
}
