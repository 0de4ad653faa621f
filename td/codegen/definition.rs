//! Reads the `.td` files into plain data. Every error names its file and line.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use tblgen::{TableGenParser, TypedInit, record::Record};

/// The ops by name, and the sets of strings that attributes accept.
pub struct Dialect {
    pub ops: BTreeMap<String, Op>,
    pub words: BTreeMap<String, Words>,
}

pub struct Op {
    pub name: String,
    /// The `.td` file that defines it, without its extension.
    pub family: String,
    pub summary: String,
    pub description: String,
    pub operands: Vec<Value>,
    pub attributes: Vec<Attribute>,
    pub results: Vec<Value>,
    pub blocks: Vec<String>,
    pub quant_transparent: bool,
    /// Whether it declares values (inputs, weights, block ends) and computes nothing.
    pub structure: bool,
}

pub struct Value {
    pub name: String,
    /// One or more sentences, the last without its period; may be empty for an only result.
    pub description: String,
    pub arity: Arity,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arity {
    Required,
    OrNone,
    Optional,
    Variadic,
}

pub struct Attribute {
    pub name: String,
    /// One or more sentences, the last without its period.
    pub description: String,
    pub kind: Kind,
    pub default: Option<Default>,
    pub optional: bool,
    /// Whether it changes no result.
    pub ignored: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Int,
    Si32,
    I32,
    Ui32,
    Float,
    Bool,
    Str,
    /// One of a set of strings, by the set's name.
    OneOf(String),
    Ints,
    I32s,
    Floats,
    IntLists,
    Dicts,
}

#[derive(Debug, PartialEq)]
pub enum Default {
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(String),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

/// A set of strings.
pub struct Words {
    /// The `.td` file that defines it, without its extension.
    pub family: String,
    pub allowed: Vec<String>,
    /// The name of a handwritten Rust type for it; empty if the type is generated.
    pub rust: String,
}

/// Reads `top.td` of a folder.
pub fn read(folder: &Path, include: &str) -> Result<Dialect, String> {
    let sources = Sources::new(folder)?;
    let keeper = TableGenParser::new()
        .add_include_directory(include)
        .add_include_directory(&folder.display().to_string())
        .add_source_file(&folder.join("top.td").display().to_string())
        .parse()
        .map_err(|e| format!("{}: {e} (the place is named above)", folder.display()))?;
    sources.all_included()?;
    let mut dialect = Dialect { ops: BTreeMap::new(), words: BTreeMap::new() };
    for record in keeper.all_derived_definitions("OneOf") {
        let (name, words) = words(record, &sources).map_err(|e| sources.place(record, &e))?;
        dialect.words.insert(name, words);
    }
    for record in keeper.all_derived_definitions("Top_Op") {
        let op = sources.family(record).and_then(|family| op(record, family, &dialect.words));
        let op = op.map_err(|e| sources.place(record, &e))?;
        let name = op.name.clone();
        if dialect.ops.insert(name.clone(), op).is_some() {
            return Err(sources.place(record, &Mistake::of_op(format!("op {name} is defined twice"))));
        }
    }
    Ok(dialect)
}

/// An error, and the argument that it concerns.
struct Mistake {
    argument: Option<String>,
    problem: String,
}
impl Mistake {
    fn of_op(problem: impl Into<String>) -> Self {
        Mistake { argument: None, problem: problem.into() }
    }
    fn of(argument: &str, problem: impl Into<String>) -> Self {
        Mistake { argument: Some(argument.into()), problem: problem.into() }
    }
}
impl From<tblgen::error::Error> for Mistake {
    fn from(e: tblgen::error::Error) -> Self {
        Mistake::of_op(e.to_string())
    }
}

/// The texts of the files. LLVM reports a record's position only within a rendered message, so definitions are looked up
/// by name.
struct Sources(Vec<(PathBuf, String)>);

impl Sources {
    fn new(folder: &Path) -> Result<Sources, String> {
        let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        paths.retain(|p| p.extension().is_some_and(|e| e == "td"));
        paths.sort();
        let read =
            |p: PathBuf| fs::read_to_string(&p).map(|t| (p.clone(), t)).map_err(|e| format!("{}: {e}", p.display()));
        paths.into_iter().map(read).collect::<Result<_, _>>().map(Sources)
    }
    /// Checks that `top.td` includes every family's file; a missing one would be silently ignored.
    fn all_included(&self) -> Result<(), String> {
        let top = self.0.iter().find(|(p, _)| p.ends_with("top.td")).map_or("", |(_, t)| t);
        for (path, _) in self.0.iter().filter(|(p, _)| !p.ends_with("top.td")) {
            let include = format!("include \"{}\"", path.file_name().unwrap_or_default().to_string_lossy());
            let is_included = |line: &str| line.split("//").next().unwrap_or_default().trim() == include;
            if !top.lines().any(is_included) {
                return Err(format!("{}:1: top.td does not include this file", path.display()));
            }
        }
        Ok(())
    }
    /// Returns the file that defines a record, and the index of the definition's first line.
    fn definition(&self, record: Record) -> Option<(&Path, &str, usize)> {
        let name = record.name().ok()?;
        let defines = |line: &str| defined(line).and_then(|d| d.strip_prefix(name)).is_some_and(ends_a_word);
        self.0.iter().find_map(|(file, text)| {
            let line = text.lines().position(defines)?;
            Some((file.as_path(), text.as_str(), line))
        })
    }
    /// Returns the name of the file that defines a record, without its extension.
    fn family(&self, record: Record) -> Result<String, Mistake> {
        let file = self.definition(record).and_then(|(file, ..)| file.file_stem());
        let missing = || Mistake::of_op("its def does not begin a line of a .td file, so its family is unknown");
        Ok(file.ok_or_else(missing)?.to_string_lossy().into_owned())
    }
    /// Formats the error message for a mistake, with the line of the argument or of the definition.
    fn place(&self, record: Record, mistake: &Mistake) -> String {
        let problem = &mistake.problem;
        let Some((file, text, first)) = self.definition(record) else {
            return format!("{}: {problem}", record.name().unwrap_or("?"));
        };
        let wanted = mistake.argument.as_ref().map(|a| format!("${a}"));
        let names_it = |l: &str| wanted.as_ref().is_some_and(|w| l.split(w.as_str()).skip(1).any(ends_a_word));
        let mut lines = text.lines().enumerate().skip(first);
        let head = lines.next();
        let of_argument =
            head.into_iter().chain(lines.take_while(|(_, l)| defined(l).is_none())).find(|(_, l)| names_it(l));
        let line = of_argument.map_or(first, |(i, _)| i) + 1;
        format!("{}:{line}: {problem}", file.display())
    }
}

/// Returns what follows `def` in a line that begins with it.
fn defined(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("def ").map(str::trim_start)
}

fn ends_a_word(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn words(record: Record, sources: &Sources) -> Result<(String, Words), Mistake> {
    let name = record.name()?;
    if record.anonymous() {
        return Err(Mistake::of_op("a OneOf needs a name of its own: def NAME : OneOf<[..]>"));
    }
    let allowed: Vec<String> = record.list_of_strings_value("allowed")?.iter().map(|s| s.to_string()).collect();
    if allowed.is_empty() {
        return Err(Mistake::of_op("it allows nothing"));
    }
    let (family, rust) = (sources.family(record)?, record.str_value("rust")?.to_owned());
    Ok((name.to_owned(), Words { family, allowed, rust }))
}

/// The keywords that cannot be written as raw identifiers.
const NOT_RAW: [&str; 4] = ["self", "Self", "super", "crate"];

fn op(record: Record, family: String, words: &BTreeMap<String, Words>) -> Result<Op, Mistake> {
    let name = record.str_value("opName")?.to_owned();
    let mut op = Op {
        summary: record.str_value("summary")?.to_owned(),
        description: record.str_value("description")?.split_whitespace().collect::<Vec<_>>().join(" "),
        name,
        family,
        operands: Vec::new(),
        attributes: Vec::new(),
        results: Vec::new(),
        blocks: dag(record, "regions")?.into_iter().map(|entry| entry.name).collect(),
        quant_transparent: false,
        structure: false,
    };
    if op.summary.is_empty() {
        return Err(Mistake::of_op(format!("op {} has no summary", op.name)));
    }
    for entry in dag(record, "arguments")? {
        if entry.definition.subclass_of("Attr") {
            op.attributes.push(attribute(entry, words)?);
        } else {
            op.operands.push(value(entry)?);
        }
    }
    op.results = dag(record, "results")?.into_iter().map(value).collect::<Result<_, _>>()?;
    for list in [&op.operands, &op.results] {
        let open = |v: &&Value| matches!(v.arity, Arity::Optional | Arity::Variadic);
        if let Some(v) = list.iter().rev().skip(1).find(open) {
            return Err(Mistake::of(&v.name, format!("{} is optional or variadic; only the last can be", v.name)));
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for name in op.operands.iter().map(|v| &v.name).chain(op.attributes.iter().map(|a| &a.name)) {
        if seen.contains(&name.as_str()) {
            return Err(Mistake::of(name, format!("{name} is the name of two arguments")));
        }
        if NOT_RAW.contains(&name.as_str()) {
            return Err(Mistake::of(name, format!("{name} cannot be the name of a field in Rust")));
        }
        seen.push(name);
    }
    for name in record.list_of_strings_value("ignored")?.iter() {
        let attribute = op.attributes.iter_mut().find(|a| a.name == *name);
        attribute.ok_or_else(|| Mistake::of_op(format!("{name}, which is ignored, is not an attribute")))?.ignored =
            true;
    }
    for t in record.list_of_defs_value("traits")?.iter() {
        match t.name()? {
            "QuantTransparent" => op.quant_transparent = true,
            "Structure" => op.structure = true,
            other => return Err(Mistake::of_op(format!("the trait {other} is unknown"))),
        }
    }
    check_descriptions(&op)?;
    Ok(op)
}

fn check_descriptions(op: &Op) -> Result<(), Mistake> {
    let operands = op.operands.iter().map(|v| ("Arg", &v.name, &v.description));
    let attributes = op.attributes.iter().map(|a| ("Arg", &a.name, &a.description));
    let results = op.results.iter().map(|v| ("Res", &v.name, &v.description));
    // The op's own description is that of its only result.
    let is_required = |class: &str| class == "Arg" || op.results.len() > 1;
    for (class, name, description) in operands.chain(attributes).chain(results) {
        let problem = match description.as_str() {
            "" if is_required(class) => {
                format!("{name} has no description: write {class}<KIND, \"DESCRIPTION\">:${name}")
            }
            text if text.ends_with('.') || text.starts_with(char::is_lowercase) => {
                format!("the description of {name} must begin with a capital letter and end without a period")
            }
            _ => continue,
        };
        return Err(Mistake::of(name, problem));
    }
    Ok(())
}

/// An argument, a result or a region: `DEFINITION:$NAME`, or `Arg<DEFINITION, DESCRIPTION>:$NAME`.
struct Entry<'a> {
    name: String,
    definition: Record<'a>,
    description: String,
}

fn dag<'a>(record: Record<'a>, field: &str) -> Result<Vec<Entry<'a>>, Mistake> {
    let mut entries = Vec::new();
    for (name, init) in record.dag_value(field)?.args() {
        let name = name
            .filter(|n| !n.is_empty())
            .ok_or_else(|| Mistake::of_op(format!("an entry of {field} has no $name")))?;
        match init {
            TypedInit::Def(definition) => entries.push(entry(name.to_owned(), definition.into())?),
            _ => return Err(Mistake::of(name, format!("{field}: {name} is not a definition"))),
        }
    }
    Ok(entries)
}

fn entry(name: String, definition: Record<'_>) -> Result<Entry<'_>, Mistake> {
    if !definition.subclass_of("OpVariable") {
        return Ok(Entry { name, definition, description: String::new() });
    }
    let words: Vec<_> = definition.str_value("summary")?.split_whitespace().collect();
    Ok(Entry { name, definition: definition.def_value("constraint")?, description: words.join(" ") })
}

fn value(Entry { name, definition, description }: Entry) -> Result<Value, Mistake> {
    let (arity, of) = if definition.subclass_of("Variadic") {
        (Arity::Variadic, definition.def_value("baseType")?)
    } else if definition.subclass_of("Optional") {
        (Arity::Optional, definition.def_value("baseType")?)
    } else {
        (Arity::Required, definition)
    };
    match (of.name().unwrap_or("?"), arity) {
        ("AnyTensorOrNone", Arity::Required) => Ok(Value { name, description, arity: Arity::OrNone }),
        ("AnyTensor" | "AnyRankedTensor" | "NoneType" | "AnyTensorOrNone", _) => Ok(Value { name, description, arity }),
        (other, _) => Err(Mistake::of(&name, format!("{name} is of the type {other}, which is unknown"))),
    }
}

fn attribute(entry: Entry, words: &BTreeMap<String, Words>) -> Result<Attribute, Mistake> {
    let Entry { name, definition, description } = entry;
    let default =
        definition.optional_str_value("defaultValue").ok().flatten().filter(|s| !s.is_empty()).map(str::to_owned);
    let optional = definition.bit_value("isOptional").unwrap_or(false);
    let base = definition.optional_def_value("baseAttr").unwrap_or(definition);
    let is_nested = base.optional_def_value("baseAttr").is_some();
    if is_nested || definition.subclass_of("ConfinedAttr") || (optional && default.is_some()) {
        let problem = "constraints, and defaults of optional attributes, are not supported";
        return Err(Mistake::of(&name, format!("attribute {name}: {problem}")));
    }
    let kind = match base.name()? {
        "I64Attr" => Kind::Int,
        "SI32Attr" => Kind::Si32,
        "I32Attr" => Kind::I32,
        "UI32Attr" => Kind::Ui32,
        "F64Attr" => Kind::Float,
        "BoolAttr" => Kind::Bool,
        "StrAttr" => Kind::Str,
        "I64ArrayAttr" => Kind::Ints,
        "I32ArrayAttr" => Kind::I32s,
        "F64ArrayAttr" => Kind::Floats,
        "IndexListArrayAttr" => Kind::IntLists,
        "DictArrayAttr" => Kind::Dicts,
        set if words.contains_key(set) => Kind::OneOf(set.to_owned()),
        other => {
            return Err(Mistake::of(
                &name,
                format!("attribute {name} is of a kind that tpulang does not know: {other}"),
            ));
        }
    };
    let default = match default {
        None => None,
        Some(text) => Some(default_value(&kind, &text, words).ok_or_else(|| {
            Mistake::of(&name, format!("attribute {name}: the default {text} is not of its kind ({kind:?})"))
        })?),
    };
    Ok(Attribute { name, description, kind, default, optional, ignored: false })
}

/// Parses a default, which td writes as C++.
fn default_value(kind: &Kind, text: &str, words: &BTreeMap<String, Words>) -> Option<Default> {
    let list =
        || text.strip_prefix('{')?.strip_suffix('}').map(|t| t.split(',').map(str::trim).filter(|s| !s.is_empty()));
    let string = || text.strip_prefix('"')?.strip_suffix('"').map(str::to_owned);
    match kind {
        Kind::Int => text.parse().ok().map(Default::Int),
        Kind::Si32 | Kind::I32 => text.parse::<i32>().ok().map(|v| Default::Int(v.into())),
        Kind::Ui32 => text.parse::<u32>().ok().map(|v| Default::Int(v.into())),
        Kind::Float => text.parse().ok().map(Default::Float),
        Kind::Bool => text.parse().ok().map(Default::Bool),
        Kind::Str => string().map(Default::Str),
        Kind::OneOf(set) => {
            string().filter(|s| words.get(set).is_some_and(|w| w.allowed.contains(s))).map(Default::Str)
        }
        Kind::Ints => list()?.map(|v| v.parse().ok()).collect::<Option<_>>().map(Default::Ints),
        Kind::I32s => {
            let each = list()?.map(|v| v.parse::<i32>().ok().map(i64::from));
            each.collect::<Option<_>>().map(Default::Ints)
        }
        Kind::Floats => list()?.map(|v| v.parse().ok()).collect::<Option<_>>().map(Default::Floats),
        Kind::IntLists | Kind::Dicts => None,
    }
}
