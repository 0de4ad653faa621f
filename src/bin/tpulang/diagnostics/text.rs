//! Messages as text, like rustc's.
use super::{Kind, Message, source};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use tpulang::base::{Place, Severity};
use tpulang_base::{escaped, escaped_lines};

pub struct Renderer(annotate_snippets::Renderer);

/// The width for which messages are written to a file or a pipe.
const WIDTH: usize = 120;

impl Renderer {
    pub fn new(is_colored: bool, is_terminal: bool) -> Renderer {
        let renderer =
            if is_colored { annotate_snippets::Renderer::styled() } else { annotate_snippets::Renderer::plain() };
        let columns = is_terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0));
        Renderer(renderer.term_width(columns.unwrap_or(WIDTH)))
    }

    pub fn render(&self, message: &Message) -> String {
        let level = match message.kind {
            Kind::Error(_) => Level::ERROR,
            Kind::Warning(code) if code.severity() == Severity::Remark => Level::INFO.with_name("remark"),
            Kind::Warning(_) => Level::WARNING,
        };
        let (first, rest) = message.text.split_once('\n').unwrap_or((&message.text, ""));
        let rest = unindented(rest);
        // Without a source line, there is no margin for notes.
        let (title, note) = match message.place {
            Some(_) => (first.to_owned(), rest),
            None => (format!("{first}\n{rest}").trim_end().to_owned(), String::new()),
        };
        let title = level.primary_title(title);
        let title = message.kind.code().into_iter().fold(title, |title, code| title.id(code.name()));
        let group = message.place.into_iter().fold(Group::with_title(title), located);
        let notes = (!note.is_empty()).then(|| Level::NOTE.message(note));
        // Without a source line, positions are not indented.
        self.0.render(&[group.elements(notes)]).replace("\n-->", "\n  -->")
    }
}

/// Adds the source line with the part that the message is about, or else the position.
fn located<'a>(group: Group<'a>, place: &'a Place) -> Group<'a> {
    let Some(found) = source::line(place) else {
        let named = if place.path.is_empty() { String::new() } else { format!(" ({})", escaped(&place.path)) };
        let origin = format!("{}:{}:{}{named}", escaped(&place.file), place.line, place.column);
        return group.element(Origin::path(origin));
    };
    let marked = AnnotationKind::Primary.span(found.start..found.end.max(found.start));
    let label = (!place.path.is_empty()).then(|| escaped(&place.path).into_owned());
    let snippet = Snippet::source(found.text).line_start(place.line).path(escaped(&place.file).into_owned());
    group.element(snippet.annotation(marked.label(label)))
}

fn unindented(text: &str) -> String {
    escaped_lines(text).lines().map(str::trim_start).collect::<Vec<_>>().join("\n")
}
