//! Drawings as SVG.
use crate::{
    base::escaped,
    drawing::{Box, BoxKind},
    groups::{GroupId, ROOT},
    layout::{Line, Point, Rect, TITLE, lay_out},
    network::Network,
};
use std::fmt::Write;

/// Maximum number of inputs or outputs of a group that have boxes of their own.
const MAX_TERMINALS: usize = 100;

/// Longest text of a box, in characters; longer ones are shortened in the middle.
const LONGEST: usize = 28;

const STYLE: &str = "\
text{font-family:Inter,system-ui,'Helvetica Neue',Arial,sans-serif;text-anchor:middle;dominant-baseline:central}\
.t{font-size:12.5px;font-weight:600}.n{font-size:11px;fill:#64748b}.l{font-size:10px;fill:#64748b;stroke:#fff;stroke-width:4px;\
stroke-linejoin:round;paint-order:stroke}.g{fill:#475c84;fill-opacity:.045;stroke:#d3dae5}.h{font-size:12px;font-weight:600;\
fill:#64748b;text-anchor:start;stroke:#f7f8fa;stroke-width:4px;stroke-linejoin:round;paint-order:stroke}\
.e{fill:none;stroke:#a3aec0;stroke-width:1.25}.a{fill:#a3aec0}";

impl Network<'_> {
    /// Returns the network as an SVG image. Groups within `depth` others are unfolded.
    ///
    /// ```
    /// # use tpulang::{Dtype, Graph, show::Network};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2, 3])?;
    /// g.relu(x).out_name("y").call()?;
    /// assert!(Network::new(&g).svg(None).starts_with("<svg"));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn svg(&self, depth: Option<usize>) -> String {
        let network = self.divided();
        let drawing = network.drawing(depth, MAX_TERMINALS);
        let sizes: Vec<Point> = drawing.boxes.iter().map(size).collect();
        let title_width = |id: GroupId| network.groups[id.0].name.chars().count().min(LONGEST) as f64 * 7.4 + 28.0;
        let layout = lay_out(&network, &drawing, &sizes, &title_width);
        let (width, height) = (layout.size.0.ceil(), layout.size.1.ceil());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            escape(network.graph.name())
        );
        let groups = || layout.groups.iter().filter(|(id, _)| *id != ROOT);
        for (_, Rect { at: (x, y), size: (w, h) }) in groups() {
            let _ = writeln!(
                svg,
                "<rect class=\"g\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"10\"/>"
            );
        }
        layout.lines.iter().for_each(|line| add_line(line, &mut svg));
        // Titles are drawn over the lines that enter the group.
        for (id, Rect { at: (x, y), .. }) in groups() {
            let name = escape(&shortened(&network.groups[id.0].name));
            let (x, y) = (x + 12.0, y + TITLE / 2.0 + 2.0);
            let _ = writeln!(svg, "<text class=\"h\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
        }
        for ((x, y), text) in &layout.labels {
            let _ = writeln!(svg, "<text class=\"l\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text));
        }
        layout.boxes.iter().for_each(|(i, rect)| add_box(&drawing.boxes[*i], *rect, &mut svg));
        svg + "</svg>\n"
    }
}

fn size(b: &Box) -> Point {
    let width = |text: &str, each: f64| text.chars().count().min(LONGEST) as f64 * each;
    let inner = width(&b.title, 7.4).max(width(&b.text, 6.2));
    ((inner + 26.0).max(72.0).round(), 42.0)
}

fn add_box(b: &Box, Rect { at: (x, y), size: (w, h) }: Rect, svg: &mut String) {
    let (border, fill, radius) = match b.kind {
        BoxKind::Terminal => ("#cbd5e1", "#ffffff", h / 2.0),
        BoxKind::Folded => ("#64748b", "#f8fafc", 8.0),
        BoxKind::Operator(family) => {
            let (border, fill) = family.colors();
            (border, fill, 8.0)
        }
    };
    let title = if matches!(b.kind, BoxKind::Operator(_)) { border } else { "#17202e" };
    let (middle, name) = (x + w / 2.0, escape(&shortened(&b.title)));
    let _ = writeln!(
        svg,
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"{radius}\" fill=\"{fill}\" \
         stroke=\"{border}\"/><text class=\"t\" x=\"{middle:.1}\" y=\"{:.1}\" fill=\"{title}\">{name}</text>\
         <text class=\"n\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text></g>",
        escape(&b.full_name),
        y + h / 2.0 - 8.0,
        y + h / 2.0 + 9.0,
        escape(&shortened(&b.text)),
    );
}

/// Adds a curve that is vertical at its points, so that those of a group and the one around it join smoothly.
fn add_line(line: &Line, svg: &mut String) {
    let Some((&(x, y), rest)) = line.points.split_first() else { return };
    let mut path = format!("M{x:.1} {y:.1}");
    let (mut x, mut y) = (x, y);
    for &(to_x, to_y) in rest {
        let half = f64::midpoint(y, to_y);
        let _ = match (x - to_x).abs() < 0.5 {
            true => write!(path, "L{to_x:.1} {to_y:.1}"),
            false => write!(path, "C{x:.1} {half:.1} {to_x:.1} {half:.1} {to_x:.1} {to_y:.1}"),
        };
        (x, y) = (to_x, to_y);
    }
    let _ = writeln!(svg, "<path class=\"e\" d=\"{path}\"/>");
    if line.arrow {
        let _ = writeln!(svg, "<path class=\"a\" d=\"M{x:.1} {y:.1}l-3.5 -6.5h7z\"/>");
    }
}

fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let kept = (LONGEST - 1) / 2;
    text.chars().take(kept).chain(['…']).chain(text.chars().skip(length - kept)).collect()
}

/// Escapes a text for XML, which has no characters that cannot be printed, nor U+FFFE and U+FFFF.
fn escape(text: &str) -> String {
    let text = escaped(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
