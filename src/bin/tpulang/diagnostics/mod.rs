//! Errors, warnings and remarks on standard error, as text with the source line or as JSON.

mod explain;
mod json;
mod levels;
mod source;
mod text;

pub use explain::Args as Explain;
pub use levels::Selection;
pub use source::remember;

use self::{levels::Levels, text::Renderer};
use super::{
    Outcome, print, print_as_is,
    progress::{self, Verbosity},
};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    io::{IsTerminal, Write, stderr},
};
use tpulang::{
    Error, Graph, Result,
    base::{CallContext, Place, Severity, Warning, WarningCode, Warnings},
};
use tpulang_base::{MAX_ERRORS, escaped_json, escaped_lines, invalid, pluralized};

/// Options of all subcommands.
#[derive(clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct Options {
    /// Print only errors and requested JSON
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Also print how long each task takes: reading, preparing, running, writing
    #[arg(short, long, global = true, conflicts_with_all = ["quiet", "message_format"])]
    verbose: bool,
    /// Treat a warning as an error; nothing is written then. CODE is a code such as unused-input, or `warnings` for all
    /// that the model does not allow
    #[arg(long, global = true, value_name = "CODE", value_delimiter = ',')]
    deny: Vec<Selection>,
    /// Do not print a warning. `tpulang explain` lists the codes
    #[arg(long, global = true, value_name = "CODE", value_delimiter = ',')]
    allow: Vec<Selection>,
    /// How errors and warnings are written to standard error: human, or one JSON object per line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "human", hide_possible_values = true)]
    message_format: MessageFormat,
    /// Whether messages are colored: auto (on a terminal), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    color: clap::ColorChoice,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum MessageFormat {
    Human,
    Json,
}

/// Prints messages in the form that the user has chosen.
pub struct Diagnostics {
    levels: Levels,
    is_quiet: bool,
    form: Form,
    /// Each warning is printed once.
    printed: RefCell<Vec<Warning>>,
}

enum Form {
    Human(Renderer),
    Json,
}

/// What a command prints besides messages.
pub enum Report {
    /// What it has done.
    Text(String),
    /// Data that the user has requested. It is printed even with `--quiet`.
    Json(String),
}

/// What a message is: an error, or a warning with its code.
#[derive(Clone, Copy)]
enum Kind {
    Error(Option<WarningCode>),
    Warning(WarningCode),
}

/// A message and what it is about.
struct Message<'a> {
    kind: Kind,
    text: String,
    call: Option<&'a CallContext>,
    place: Option<&'a Place>,
}

impl Diagnostics {
    pub fn new(options: &Options) -> Diagnostics {
        let is_colored = match options.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => anstream::AutoStream::choice(&stderr()) != anstream::ColorChoice::Never,
        };
        let form = match options.message_format {
            MessageFormat::Human => Form::Human(Renderer::new(is_colored, stderr().is_terminal())),
            MessageFormat::Json => Form::Json,
        };
        progress::set_verbosity(match options {
            Options { quiet: true, .. } => Verbosity::Quiet,
            Options { verbose: true, .. } => Verbosity::Verbose,
            _ => Verbosity::Normal,
        });
        let levels = Levels::new(&options.allow, &options.deny);
        Diagnostics { levels, is_quiet: options.quiet, form, printed: RefCell::default() }
    }

    /// Returns whether a warning of this code about a model is an error.
    fn denies(&self, graph: &Graph, code: WarningCode) -> bool {
        self.levels.denies(code, graph.allows(code))
    }

    /// Prints the warnings about a model that are known once it has been read.
    ///
    /// # Errors
    /// Returns an error if some of them are denied.
    pub fn warn_of_model(&self, graph: &Graph) -> Result<()> {
        let kinds = [graph.conversions(), graph.structural_warnings(), graph.weight_warnings()];
        kinds.iter().try_for_each(|warnings| self.warn(graph, warnings))
    }

    /// Like [`Diagnostics::warn_of_model`]. If weights that are not finite are an error, reads all of them, so that nothing is written
    /// then.
    ///
    /// # Errors
    /// Returns an error if some of the warnings are denied, or a weight cannot be read.
    pub fn warn_of_model_and_weights(&self, graph: &Graph) -> Result<()> {
        if self.denies(graph, WarningCode::NotFiniteWeight) {
            let mut weights = graph.tensors().filter_map(|(_, info)| info.data());
            weights.try_for_each(|data| data.pieces(|_| Ok(())))?;
        }
        self.warn_of_model(graph)
    }

    /// Prints the warnings about a model that have not been printed yet.
    ///
    /// # Errors
    /// Returns an error if some of them are denied.
    pub fn warn(&self, graph: &Graph, warnings: &Warnings) -> Result<()> {
        let mut denied = BTreeSet::new();
        for warning in warnings.iter().filter(|w| !self.levels.allows(w.code(), graph.allows(w.code()))) {
            let code = warning.code();
            let is_new = !self.printed.borrow().contains(warning);
            let is_denied = self.denies(graph, code);
            if is_denied {
                denied.insert(code);
            }
            if is_new && (is_denied || !self.is_quiet) {
                let kind = if is_denied { Kind::Error(Some(code)) } else { Kind::Warning(code) };
                self.print(&Message { kind, text: warning.message(), call: warning.call(), place: warning.place() });
                self.printed.borrow_mut().push(warning.clone());
            }
        }
        let Some(first) = denied.first() else { return Ok(()) };
        let codes: Vec<&str> = denied.iter().map(|code| code.name()).collect();
        Err(invalid(format!("denied: {}; for more, run tpulang explain {first}", codes.join(", "))))
    }

    /// Prints errors. If that fails, the exit status still indicates an error.
    pub fn error(&self, error: &Error) {
        let each = error.each();
        for error in each {
            let (call, place) = (error.call(), error.place());
            self.print(&Message { kind: Kind::Error(None), text: error.message(), call, place });
        }
        if matches!(self.form, Form::Human(_)) && (2..=MAX_ERRORS).contains(&each.len()) {
            let _ = writeln!(stderr(), "{}", pluralized(each.len(), "error"));
        }
    }

    /// Prints what a command has done to standard output, unless the user wants errors only.
    pub fn report(&self, text: &str) -> Result<()> {
        if self.is_quiet { Ok(()) } else { print(text) }
    }

    /// Prints a report to standard output.
    pub fn deliver(&self, report: &Report) -> Result<()> {
        match report {
            Report::Text(text) => self.report(text),
            Report::Json(text) => print_as_is(escaped_json(text).as_bytes()),
        }
    }

    /// Like [`Diagnostics::report`], but to standard error, for commands whose results go to standard output.
    pub fn report_aside(&self, text: &str) {
        if !self.is_quiet {
            // Nothing can be done if standard error is closed.
            let _ = write!(stderr(), "{}", escaped_lines(text));
        }
    }

    /// Like [`Diagnostics::deliver`], but to standard error.
    pub fn deliver_aside(&self, report: &Report) {
        match report {
            Report::Text(text) => self.report_aside(text),
            Report::Json(text) => {
                let _ = write!(stderr(), "{}", escaped_json(text));
            }
        }
    }

    fn print(&self, message: &Message) {
        let text = match &self.form {
            Form::Human(renderer) => renderer.render(message),
            Form::Json => json::render(message),
        };
        // Nothing can be done if standard error is closed.
        let _ = writeln!(stderr(), "{text}");
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Error(_) => "error",
            Kind::Warning(code) => match code.severity() {
                Severity::Warning => "warning",
                Severity::Remark => "remark",
            },
        }
    }
    fn code(self) -> Option<WarningCode> {
        match self {
            Kind::Error(code) => code,
            Kind::Warning(code) => Some(code),
        }
    }
}

/// Runs `tpulang explain`.
pub fn explain(args: Explain) -> Outcome {
    explain::main(args)
}
