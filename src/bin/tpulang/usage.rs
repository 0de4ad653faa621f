//! Errors about the command's arguments. clap finds them; the tips here know the whole command and the tool chain.
use super::{Cli, shell::shell_word, written};
use clap::{
    CommandFactory, Error,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::{
    ffi::{OsStr, OsString},
    io::Write,
};
use tpulang_base::escaped_lines;

/// Subcommands by the names that people try.
const SUBCOMMANDS: &[(&[&str], &str)] = &[
    (&["compile", "export", "transform", "build"], "convert"),
    (&["validate", "lint", "verify", "parse"], "check"),
    (&["infer", "inference", "predict", "execute", "eval", "test"], "run"),
    (&["benchmark", "time", "profile"], "bench"),
    (&["diff", "cmp"], "compare"),
    (&["format"], "fmt"),
    (&["new", "create"], "init"),
    (&["functions", "list", "doc", "docs", "search"], "ops"),
    (&["visualize", "draw", "view", "print", "summary", "info"], "show"),
];

/// Options of tpu_mlir's model_deploy, which people pass to `convert`. Some are those of other subcommands, too.
const OF_MODEL_DEPLOY: &[&str] = &["--chip", "--processor", "--quantize", "--calibration_table", "--model"];

/// Prints help, the version, or an error about arguments, and returns the exit status. Arguments are quoted as they were
/// given, so that unusual ones are printed without the colors, escaped.
pub fn print(usage: Error, args: &[OsString]) -> u8 {
    let usage = with_tips(usage, args);
    let is_plain =
        |argument: &OsStr| argument.to_str().is_some_and(|text| !text.contains('\n') && escaped_lines(text) == text);
    let printed = if args.iter().all(|argument| is_plain(argument)) {
        written(usage.print())
    } else {
        written(write!(std::io::stderr(), "{}", escaped_lines(&usage.render().to_string())))
    };
    match printed {
        Err(error) if !usage.use_stderr() => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            2
        }
        _ => u8::try_from(usage.exit_code()).unwrap_or(2),
    }
}

/// Replaces clap's tips where more is known.
fn with_tips(mut usage: Error, args: &[OsString]) -> Error {
    let text = |usage: &Error, kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match usage.kind() {
        ErrorKind::UnknownArgument => {
            let Some(unknown) = text(&usage, ContextKind::InvalidArg) else { return usage };
            // The tip to pass an option after -- suits commands whose values begin with hyphens, which none here takes.
            usage.remove(ContextKind::Suggested);
            let name = unknown.split('=').next().unwrap_or_default();
            let tip = missing_equals(name, args).or_else(|| of_model_deploy(name, args)).or_else(|| elsewhere(name));
            let is_misspelled = usage.get(ContextKind::SuggestedArg).is_some();
            let tip = tip.or_else(|| for_model_deploy(name, args).filter(|_| !is_misspelled));
            if let Some(tip) = tip {
                usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
            }
        }
        ErrorKind::InvalidSubcommand => {
            let Some(unknown) = text(&usage, ContextKind::InvalidSubcommand) else { return usage };
            if [".json", ".mlir", ".onnx"].iter().any(|extension| unknown.ends_with(extension)) {
                let tip = format!("a command comes first: tpulang show {}", shell_word(&unknown));
                usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
            } else if let Some(ours) = subcommand_like(&unknown) {
                usage.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![ours]));
            }
        }
        _ => {}
    }
    usage
}

/// Recognizes the value of an option that takes values after = only: `--profile json`.
fn missing_equals(unknown: &str, args: &[OsString]) -> Option<String> {
    let before = args.windows(2).find(|pair| pair[1] == unknown).and_then(|pair| pair[0].to_str())?;
    let needs_equals = Cli::command().get_subcommands().any(|command| {
        command.get_arguments().any(|a| a.is_require_equals_set() && before.strip_prefix("--") == a.get_long())
    });
    needs_equals.then(|| format!("write {before}={unknown}"))
}

/// Returns the subcommand that a name stands for, or of which it has the letters in another order.
fn subcommand_like(name: &str) -> Option<String> {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let command = Cli::command();
    let mut names = command.get_subcommands().map(clap::Command::get_name);
    let known = SUBCOMMANDS.iter().find(|(theirs, _)| theirs.contains(&name)).map(|(_, ours)| *ours);
    known.or_else(|| names.find(|ours| letters(ours) == letters(name))).map(str::to_owned)
}

/// Whether the arguments are those of a subcommand.
fn is_of(subcommand: &str, args: &[OsString]) -> bool {
    let first = args.iter().skip(1).find(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
    first.is_some_and(|first| first == subcommand)
}

/// Recognizes an option that is passed to `deploy` without `--` before it.
fn for_model_deploy(option: &str, args: &[OsString]) -> Option<String> {
    let is_long = is_of("deploy", args) && option.starts_with("--");
    is_long.then(|| format!("options of model_deploy go after --: tpulang deploy .. -- {option}"))
}

/// Recognizes an option that is passed to `convert` for what follows it.
fn of_model_deploy(option: &str, args: &[OsString]) -> Option<String> {
    let is_for_it = is_of("convert", args) && OF_MODEL_DEPLOY.contains(&option);
    let tip = format!(
        "{option} is an option of tpu_mlir's model_deploy, which compiles what convert writes; deploy runs both"
    );
    is_for_it.then_some(tip)
}

/// Returns which other subcommands have an option.
fn elsewhere(option: &str) -> Option<String> {
    let is_it = |a: &clap::Arg| match option.strip_prefix("--") {
        Some(long) => a.get_long() == Some(long),
        None => option.strip_prefix('-').is_some_and(|rest| rest.chars().next() == a.get_short()) && option.len() == 2,
    };
    let command = Cli::command();
    let takers = command.get_subcommands().filter(|command| command.get_arguments().any(is_it));
    let takers: Vec<&str> = takers.map(clap::Command::get_name).collect();
    match takers.as_slice() {
        [] => None,
        [only] => Some(format!("{only} has the option {option}")),
        [all @ .., last] => Some(format!("{} and {last} have the option {option}", all.join(", "))),
    }
}
