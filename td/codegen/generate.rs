//! Writes the Rust source of a dialect: the op table, and per op family the typed structs.
use super::definition::{Arity, Attribute, Default, Dialect, Kind, Op, Value, Words};
use std::{collections::BTreeMap, fmt::Write};

/// Writes to a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => { let _ = writeln!($out, $($arg)*); };
}

/// The first line of every generated file.
const HEADER: &str = "// Generated from td/*.td by `make ops`. Do not edit.\n";

/// Returns the generated files by name: `mod.rs` with the op table and the enum of all ops, and one file per family with the
/// structs and string enums that its `.td` file defines.
///
/// # Errors
/// Returns an error if the generated text is not valid Rust, which is a bug of the generator.
pub fn files(dialect: &Dialect) -> Result<BTreeMap<String, String>, String> {
    let mut families: BTreeMap<&str, String> = BTreeMap::new();
    for (name, words) in dialect.words.iter().filter(|(_, w)| w.rust.is_empty()) {
        word_enum(name, words, families.entry(&words.family).or_default());
    }
    for op in dialect.ops.values() {
        let family = families.entry(&op.family).or_default();
        definition(op, dialect, family);
        if !matches!(op.name.as_str(), "None" | "Weight") {
            op_struct(op, dialect, family);
        }
    }
    let mut files: BTreeMap<String, String> =
        families.iter().map(|(family, text)| (format!("{family}.rs"), format!("use super::*;\n{text}"))).collect();
    files.insert("mod.rs".into(), module(dialect, families.keys().copied()));
    for (name, text) in &mut files {
        let file = syn::parse_file(text).map_err(|e| format!("{name}: {e}"))?;
        *text = format!("{HEADER}{}", prettyplease::unparse(&file));
    }
    Ok(files)
}

/// Returns the module of all families, with the table and the enum.
fn module<'a>(dialect: &Dialect, families: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::from("use crate::{attribute::*, base::Result, def::*, quant::RoundMode};\n");
    let (mut modules, mut exports) = (String::new(), String::new());
    for family in families {
        put!(modules, "mod {family};");
        put!(exports, "pub use {family}::*;");
    }
    out += &modules;
    out += &exports;
    put!(out, "/// Every op, sorted by name.\npub static OPS: &[OpDef] = &[");
    dialect.ops.values().for_each(|op| {
        put!(out, "{}::{},", op.family, constant(op));
    });
    put!(out, "];");
    op_enum(&dialect.ops.values().filter(|op| !op.structure).collect::<Vec<_>>(), &mut out);
    out
}

/// Returns the name of the constant with an op's definition: `CONV` for `Conv`.
fn constant(op: &Op) -> String {
    op.name.to_uppercase()
}

fn definition(op: &Op, dialect: &Dialect, out: &mut String) {
    let Op { name, summary, description, quant_transparent, structure, blocks, .. } = op;
    let values = |list: &[Value]| -> String {
        let row = |v: &Value| {
            let Value { name, description, arity } = v;
            format!("ValueDef {{ name: {name:?}, description: {description:?}, arity: Arity::{arity:?} }}, ")
        };
        list.iter().map(row).collect()
    };
    let attributes: String = op.attributes.iter().map(|a| attribute_row(a, dialect)).collect();
    put!(
        out,
        "pub(super) const {}: OpDef = OpDef {{ name: {name:?}, summary: {summary:?}, description: {description:?}, operands: &[{}], \
         attributes: &[{attributes}], results: &[{}], blocks: &{blocks:?}, quant_transparent: {quant_transparent}, \
         structure: {structure} }};",
        constant(op),
        values(&op.operands),
        values(&op.results)
    );
}

fn attribute_row(a: &Attribute, dialect: &Dialect) -> String {
    let kind = match &a.kind {
        Kind::OneOf(set) => format!("OneOf(&{:?})", dialect.words[set].allowed),
        other => format!("{other:?}"),
    };
    let default = a.default.as_ref().map(|d| match d {
        Default::Ints(v) => format!("Default::Ints(&{v:?})"),
        Default::Floats(v) => format!("Default::Floats(&{v:?})"),
        other => format!("Default::{other:?}"),
    });
    let default = default.map_or("None".into(), |d| format!("Some({d})"));
    format!(
        "AttributeDef {{ name: {:?}, description: {:?}, kind: AttributeKind::{kind}, default: {default}, optional: {}, ignored: {} }}, ",
        a.name, a.description, a.optional, a.ignored
    )
}

/// Converts `half_pixel` to `HalfPixel`. A leading digit gets an underscore before it.
fn camel(word: &str) -> String {
    let mut out = String::new();
    for part in word.split(|c: char| !c.is_alphanumeric()) {
        let mut chars = part.chars();
        out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(chars.as_str());
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!("_{out}") } else { out }
}

fn word_enum(name: &str, words: &Words, out: &mut String) {
    put!(out, "/// A string attribute: one of {}.", words.allowed.join(", "));
    put!(
        out,
        "#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\n#[allow(missing_docs, reason = \"the names say it\")]"
    );
    let variants: Vec<_> = words.allowed.iter().map(|w| (camel(w), w)).collect();
    put!(out, "pub enum {name} {{ {} }}", variants.iter().map(|v| v.0.as_str()).collect::<Vec<_>>().join(", "));
    let names: String = variants.iter().map(|(v, w)| format!("{name}::{v} => {w:?}, ")).collect();
    let back: String = variants.iter().map(|(v, w)| format!("{w:?} => {name}::{v}, ")).collect();
    put!(
        out,
        "impl {name} {{\n  /// Returns the string.\n  pub fn name(self) -> &'static str {{ match self {{ {names} }} }}\n  \
         /// Returns the value that `name` denotes.\n  pub fn from_name(name: &str) -> Option<Self> {{ Some(match name {{ {back} _ => return None }}) }}\n}}"
    );
    put!(out, "one_of!({name});");
}

/// Converts a name to a Rust identifier; keywords become raw ones.
fn ident(name: &str) -> String {
    if syn::parse_str::<syn::Ident>(name).is_err() { format!("r#{name}") } else { name.to_owned() }
}

fn attribute_type(kind: &Kind, dialect: &Dialect) -> String {
    match kind {
        Kind::Int | Kind::Si32 | Kind::I32 | Kind::Ui32 => "i64".into(),
        Kind::Float => "f64".into(),
        Kind::Bool => "bool".into(),
        Kind::Str => "String".into(),
        Kind::OneOf(set) if dialect.words[set].rust.is_empty() => set.clone(),
        Kind::OneOf(set) => dialect.words[set].rust.clone(),
        Kind::Ints | Kind::I32s => "Vec<i64>".into(),
        Kind::Floats => "Vec<f64>".into(),
        Kind::IntLists => "Vec<Vec<i64>>".into(),
        Kind::Dicts => "Vec<Dict>".into(),
    }
}

fn default_text(a: &Attribute, dialect: &Dialect) -> Option<String> {
    Some(match a.default.as_ref()? {
        Default::Int(v) => format!("{v}"),
        Default::Float(v) => format!("{v:?}f64"),
        Default::Bool(v) => format!("{v}"),
        Default::Str(v) => match &a.kind {
            Kind::OneOf(_) => format!("{}::{}", attribute_type(&a.kind, dialect), camel(v)),
            _ => format!("{v:?}.to_owned()"),
        },
        Default::Ints(v) => format!("vec!{v:?}"),
        Default::Floats(v) => format!("vec!{v:?}"),
    })
}

fn value_type(arity: Arity, v: &str) -> String {
    match arity {
        Arity::Required => v.into(),
        Arity::OrNone | Arity::Optional => format!("Option<{v}>"),
        Arity::Variadic => format!("Vec<{v}>"),
    }
}

/// Escapes brackets outside of code, which rustdoc would interpret as links.
fn plain(text: &str) -> String {
    let mut code = false;
    let mut out = String::new();
    for c in text.chars() {
        code ^= c == '`';
        if !code && "[]<>".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Writes an op's struct, its constructor and its conversions.
fn op_struct(op: &Op, dialect: &Dialect, out: &mut String) {
    let name = &op.name;
    let more = if op.description.is_empty() { String::new() } else { format!("\n\n{}", op.description) };
    put!(
        out,
        "#[doc = {:?}]\n#[derive(Debug, Clone, PartialEq)]\npub struct {name}<V> {{",
        plain(&format!("`top.{name}`: {}.{more}", op.summary))
    );
    for v in &op.operands {
        let doc = plain(&format!(" {}.", v.description));
        put!(out, "  #[doc = {doc:?}]\n  pub {}: {},", ident(&v.name), value_type(v.arity, "V"));
    }
    for a in &op.attributes {
        let ty = attribute_type(&a.kind, dialect);
        let (ty, note) = match default_text(a, dialect) {
            _ if a.optional => (format!("Option<{ty}>"), String::new()),
            Some(default) => (ty, format!(" The default is `{default}`.")),
            None => (ty, String::new()),
        };
        let note = if a.ignored { format!("{note} It changes no result.") } else { note };
        let doc = plain(&format!(" {}.{note}", a.description));
        put!(out, "  #[doc = {doc:?}]\n  pub {}: {ty},", ident(&a.name));
    }
    if op.operands.is_empty() {
        put!(out, "  /// No operands.\n  pub operands: std::marker::PhantomData<V>,");
    }
    put!(out, "}}\nimpl<V> {name}<V> {{");
    constructor(op, dialect, out);
    parts(op, out);
    put!(out, "}}");
}

fn constructor(op: &Op, dialect: &Dialect, out: &mut String) {
    let (mut parameters, mut init) = (String::new(), String::new());
    for v in &op.operands {
        let field = ident(&v.name);
        match v.arity {
            Arity::Required | Arity::Variadic => {
                parameters += &format!("{field}: {}, ", value_type(v.arity, "V"));
                init += &format!("{field}, ");
            }
            Arity::OrNone | Arity::Optional => init += &format!("{field}: None, "),
        }
    }
    for a in &op.attributes {
        let field = ident(&a.name);
        init += &match default_text(a, dialect) {
            _ if a.optional => format!("{field}: None, "),
            Some(default) => format!("{field}: {default}, "),
            None => {
                parameters += &format!("{field}: {}, ", attribute_type(&a.kind, dialect));
                format!("{field}, ")
            }
        };
    }
    if op.operands.is_empty() {
        init += "operands: std::marker::PhantomData, ";
    }
    put!(
        out,
        "  /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults."
    );
    put!(out, "  pub fn new({parameters}) -> Self {{ Self {{ {init} }} }}");
}

/// The expressions of an op's conversions between its struct and the lists that the table describes, one after the other.
#[derive(std::default::Default)]
struct Parts {
    /// The operands as values with names.
    operand_values: String,
    /// Statements that list the attributes.
    attributes: String,
    /// The fields, taken from lists of operands and attributes.
    built: String,
    /// The fields, with `f` applied to the operands.
    mapped: String,
}

impl Parts {
    fn of(op: &Op) -> Parts {
        let mut all = Parts::default();
        op.operands.iter().for_each(|v| all.operand(v));
        op.attributes.iter().for_each(|a| all.attribute(a));
        if op.operands.is_empty() {
            all.built += "operands: std::marker::PhantomData, ";
            all.mapped += "operands: std::marker::PhantomData, ";
        }
        all
    }
    fn operand(&mut self, v: &Value) {
        let (f, n) = (ident(&v.name), &v.name);
        let (value, build, map) = match v.arity {
            Arity::Required => (format!("OperandValue::One(&self.{f})"), "required", format!("f(&self.{f})?")),
            Arity::OrNone | Arity::Optional => (
                format!("self.{f}.as_ref().map_or(OperandValue::Absent, OperandValue::One)"),
                "optional",
                format!("self.{f}.as_ref().map(&mut *f).transpose()?"),
            ),
            Arity::Variadic => (
                format!("OperandValue::Many(&self.{f})"),
                "rest",
                format!("self.{f}.iter().map(&mut *f).collect::<Result<_, E>>()?"),
            ),
        };
        self.operand_values += &format!("({n:?}, {value}), ");
        self.built += &format!("{f}: operands.{build}({n:?})?, ");
        self.mapped += &format!("{f}: {map}, ");
    }
    fn attribute(&mut self, a: &Attribute) {
        let (f, n) = (ident(&a.name), &a.name);
        let optional = if a.optional { "_optional" } else { "" };
        self.attributes += &format!("a.put{optional}({n:?}, &self.{f}); ");
        self.built += &format!("{f}: attributes.take{optional}({n:?})?, ");
        let copied = matches!(
            a.kind,
            Kind::Int | Kind::Si32 | Kind::I32 | Kind::Ui32 | Kind::Float | Kind::Bool | Kind::OneOf(_)
        );
        self.mapped += &format!("{f}: self.{f}{}, ", if copied { "" } else { ".clone()" });
    }
}

/// Writes the conversions between the struct and the lists that the table describes.
fn parts(op: &Op, out: &mut String) {
    let Parts { operand_values, attributes, built, mapped } = Parts::of(op);
    if op.structure {
        put!(out, "  #[allow(dead_code, reason = \"the graph creates them, and not every one is read\")]");
    }
    put!(
        out,
        "  pub(crate) fn build(operands: &mut OperandList<V>, attributes: &mut Attributes) -> Result<Self> {{ let _ = (&operands, &attributes); Ok(Self {{ {built} }}) }}"
    );
    if op.structure {
        return;
    }
    put!(
        out,
        "  pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {{ vec![{operand_values}] }}"
    );
    let attributes = match attributes.as_str() {
        "" => "Attributes::default()".to_owned(),
        all => format!("let mut a = Attributes::default(); {all} a"),
    };
    put!(out, "  pub(crate) fn attributes(&self) -> Attributes {{ {attributes} }}");
    let unused = if op.operands.is_empty() { "let _ = f;" } else { "" };
    put!(
        out,
        "  pub(crate) fn try_map<U, E>(&self, f: &mut dyn FnMut(&V) -> Result<U, E>) -> Result<{}<U>, E> {{ {unused} Ok({} {{ {mapped} }}) }}",
        op.name,
        op.name
    );
}

fn op_enum(ops: &[&Op], out: &mut String) {
    put!(
        out,
        "/// Any op that computes, with operands of type `V`.\n#[derive(Debug, Clone, PartialEq)]\n#[allow(missing_docs, reason = \"each variant holds the struct that documents it\")]\npub enum Op<V> {{"
    );
    ops.iter().for_each(|op| {
        put!(out, "  {0}(Box<{0}<V>>),", op.name);
    });
    put!(out, "}}");
    ops.iter().for_each(|op| {
        put!(
            out,
            "impl<V> From<{0}<V>> for Op<V> {{ fn from(op: {0}<V>) -> Self {{ Op::{0}(Box::new(op)) }} }}",
            op.name
        );
    });
    let arms = |f: &dyn Fn(&str) -> String| -> String { ops.iter().map(|op| f(&op.name)).collect() };
    put!(out, "impl<V> Op<V> {{");
    put!(
        out,
        "  /// Returns the op's name without the dialect: `Conv`.\n  pub fn name(&self) -> &'static str {{ match self {{ {} }} }}",
        arms(&|n| format!("Op::{n}(_) => {n:?}, "))
    );
    put!(
        out,
        "  /// Returns the operands with their names, in td's order.\n  pub fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {{ match self {{ {} }} }}",
        arms(&|n| format!("Op::{n}(op) => op.operand_values(), "))
    );
    put!(
        out,
        "  /// Returns the attributes by name.\n  pub fn attributes(&self) -> Attributes {{ match self {{ {} }} }}",
        arms(&|n| format!("Op::{n}(op) => op.attributes(), "))
    );
    put!(
        out,
        "  /// Returns the same op with `f` applied to each operand.\n  ///\n  /// # Errors\n  /// Returns the first error of `f`.\n  pub fn try_map<U, E>(&self, f: &mut dyn FnMut(&V) -> Result<U, E>) -> Result<Op<U>, E> {{ Ok(match self {{ {} }}) }}",
        arms(&|n| format!("Op::{n}(op) => Op::{n}(Box::new(op.try_map(f)?)), "))
    );
    put!(
        out,
        "  pub(crate) fn build(name: &str, operands: &mut OperandList<V>, attributes: &mut Attributes) -> Result<Self> {{ Ok(match name {{ {} _ => return Err(is_structure(name)) }}) }}",
        arms(&|n| format!("{n:?} => {n}::build(operands, attributes)?.into(), "))
    );
    put!(out, "}}");
}
