use super::{Outcome, definitions, diagnostics::Diagnostics, print, python, reference, side_by_side};
use std::fmt::Write;
use tpulang::{
    Error,
    functions::{FunctionDef, function_def, functions, known_elsewhere},
    ops::{OPS, OpDef, op_def},
};

/// List functions and ops, search them, or show one with an example
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tpulang ops\n  tpulang ops conv\n  tpulang ops top.Conv\n  tpulang ops --search transpose"
)]
pub struct Args {
    /// The function (conv) or op (top.Conv) to show
    name: Option<String>,
    /// Search names, PyTorch and ONNX aliases, arguments and descriptions
    #[arg(long, value_name = "WORD", conflicts_with = "name")]
    search: Option<String>,
    /// Print the reference as Markdown, as in docs/functions.md, docs/ops.md and docs/tpulang.md
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["name", "search"])]
    markdown: Option<Markdown>,
    /// Print the definitions of all functions and ops as one JSON object, which docs/definitions.md describes
    #[arg(long, conflicts_with_all = ["name", "search", "markdown"])]
    json: bool,
    /// Print the type stubs of the Python package's functions
    #[arg(long, hide = true, conflicts_with_all = ["name", "search", "markdown", "json"])]
    python: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Markdown {
    Functions,
    Ops,
    Tpulang,
}

pub fn main(args: Args, messages: &Diagnostics) -> Outcome {
    if args.python {
        print(&python::stubs())?;
        return Ok(true);
    }
    if args.json {
        print(&format!("{:#}\n", definitions::all()))?;
        return Ok(true);
    }
    let text = match (args.name.as_deref(), args.search, args.markdown) {
        (Some(name), ..) => one(name)?,
        (_, Some(word), _) => return search(&word, messages),
        (.., Some(Markdown::Functions)) => reference::functions_page()?,
        (.., Some(Markdown::Ops)) => reference::ops_page(),
        (.., Some(Markdown::Tpulang)) => side_by_side::page()?,
        (None, None, None) => list(functions().map(row)),
    };
    print(&text)?;
    Ok(true)
}

fn row(f: &FunctionDef) -> (String, &str) {
    (f.name.to_owned(), reference::summary(f.doc))
}
fn op_row(op: &OpDef) -> (String, &str) {
    (format!("top.{}", op.name), op.summary)
}

fn list<'a>(rows: impl Iterator<Item = (String, &'a str)>) -> String {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, summary)| format!("{name:width$}  {summary}\n")).collect()
}

fn search(word: &str, messages: &Diagnostics) -> Outcome {
    let wanted = word.to_lowercase();
    let has = |texts: &[&str]| texts.iter().any(|t| t.to_lowercase().contains(&wanted));
    let described = |f: &&FunctionDef| {
        let names: Vec<_> = f.aliases().collect();
        has(&[f.name, f.doc]) || has(&names) || f.arguments().iter().any(|a| has(&[a.name, a.doc]))
    };
    let defined = |op: &&OpDef| {
        has(&[op.name, op.summary, op.description])
            || reference::op_arguments(op).iter().any(|[name, _, meaning]| has(&[name, meaning]))
    };
    let elsewhere = known_elsewhere(word);
    let is_known = |name: &str| elsewhere.iter().any(|known| known == name);
    let mut found: Vec<_> = functions().filter(|f| described(f) || is_known(f.name)).map(row).collect();
    let op_is_known = |op: &&OpDef| is_known(&format!("top.{}", op.name));
    found.extend(OPS.iter().filter(|op| defined(op) || op_is_known(op)).map(op_row));
    // What other frameworks call so comes first, and then matches of the name.
    found.sort_by_key(|(name, _)| (!is_known(name.as_str()), !name.to_lowercase().contains(&wanted)));
    if found.is_empty() {
        messages.report_aside(&format!("no match for {word:?}; `tpulang ops` lists all functions\n"));
    }
    print(&list(found.iter().map(|(name, summary)| (name.clone(), *summary))))?;
    Ok(!found.is_empty())
}

fn one(name: &str) -> Result<String, Error> {
    match name.strip_prefix("top.") {
        Some(name) => Ok(op(op_def(name)?)),
        None => function(function_def(name)?),
    }
}

/// Rows with their columns aligned.
fn table(rows: &[[String; 3]], out: &mut String) {
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let (a, b) = (width(0), width(1));
    for [first, second, third] in rows {
        let row = format!("  {first:a$}  {second:b$}  {third}");
        let _ = writeln!(out, "{}", row.trim_end());
    }
}

fn op(op: &OpDef) -> String {
    let mut out = format!("top.{}\n\n{}\n", op.name, reference::op_description(op));
    if !op.blocks.is_empty() {
        let _ = writeln!(out, "\nBlocks: {}", op.blocks.join(", "));
    }
    for (heading, rows) in [("Arguments", reference::op_arguments(op)), ("Results", reference::op_results(op))] {
        if !rows.is_empty() {
            let _ = writeln!(out, "\n{heading}:");
            table(&rows, &mut out);
        }
    }
    out
}

fn function(f: &FunctionDef) -> Result<String, Error> {
    let mut out = format!("{}\n\n{}\n\nArguments:\n", f.name, f.doc);
    table(&reference::arguments(f), &mut out);
    let example = reference::Example::of(f)?;
    let _ = writeln!(out, "\nIn Rust (x is float32 1x3x8x8, i is int8 1x3x8x8):");
    f.example().for_each(|l| {
        let _ = writeln!(out, "  {l}");
    });
    let _ = writeln!(out, "\nIn a spec:");
    example.calls.iter().for_each(|c| {
        let _ = writeln!(out, "  {c}");
    });
    let _ = writeln!(out, "\nLowers to: {}", example.ops.join(", "));
    Ok(out)
}
