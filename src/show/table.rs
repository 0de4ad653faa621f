//! The table of operators, the totals, and a chart of memory over time.
use crate::{
    base::pluralized,
    figures,
    groups::{GroupId, Member, ROOT},
    network::{Costs, Network},
};

/// Columns of the chart of memory.
const CHART_WIDTH: usize = 72;
/// Rows of the chart of memory.
const CHART_HEIGHT: usize = 6;
/// Longest name of a row; longer ones are shortened in the middle.
const NAME_WIDTH: usize = 48;

impl Network<'_> {
    /// Returns a table of the operators: the line of the spec, the name, op, type of the first result, parameters, FLOPs
    /// and bytes, and milliseconds if there is a profile. Scopes are rows with the sums of their operators; those within
    /// `depth` others are not unfolded. Totals and a chart of memory follow.
    pub fn table(&self, depth: Option<usize>) -> String {
        let mut rows = vec![self.head()];
        self.rows(ROOT, depth.unwrap_or(usize::MAX), &mut rows);
        rows.push(Row { name: "total".into(), kind: operators(&self.total()), ..self.row(&self.total()) });
        let has_lines = rows.iter().skip(1).any(|row| !row.line.is_empty());
        format!("{}\n{}", aligned(&rows, has_lines, self.total().time.is_some()), self.memory_chart())
    }

    fn head(&self) -> Row {
        let [line, name, kind, ty, parameters, operations, bytes, time] =
            ["line", "name", "op", "type", "parameters", "FLOPs", "bytes", "ms"].map(str::to_owned);
        Row { line, name, kind, ty, figures: [parameters, operations, bytes, time] }
    }
    fn rows(&self, group: GroupId, depth: usize, rows: &mut Vec<Row>) {
        let indent = "  ".repeat(self.groups[group.0].depth);
        for member in &self.groups[group.0].members {
            match *member {
                Member::Group(id) => {
                    let inner = &self.groups[id.0];
                    let kind = operators(&inner.costs);
                    let name = format!("{indent}{}/", inner.name);
                    rows.push(Row { name, kind, ..self.row(&inner.costs) });
                    if inner.depth <= depth {
                        self.rows(id, depth, rows);
                    }
                }
                Member::Node(index) => {
                    let node = &self.nodes[index];
                    let line = node.line.map_or(String::new(), |line| line.to_string());
                    let name = format!("{indent}{}", self.short_name(node));
                    let ty = node.operator.outputs().next().map_or(String::new(), |t| self.type_text(t));
                    rows.push(Row { line, name, kind: node.operator.op.name().into(), ty, ..self.row(&node.costs) });
                }
            }
        }
    }
    fn row(&self, costs: &Costs) -> Row {
        let or_none = |n: u64, shown: String| if n == 0 { String::new() } else { shown };
        let Costs { parameters, work, time, .. } = *costs;
        let figures = [
            or_none(parameters, figures::count(parameters)),
            or_none(work.operations, figures::count(work.operations)),
            or_none(work.bytes, figures::bytes(work.bytes)),
            time.map_or(String::new(), |ms| format!("{ms:.3}")),
        ];
        Row { figures, ..Row::default() }
    }

    /// Draws the memory of values over time: each column is the maximum of a part of the operators.
    fn memory_chart(&self) -> String {
        let coefficients = figures::bytes(self.memory.coefficients);
        let Some((at, peak)) = self.memory.peak() else {
            return format!("memory: {coefficients} of coefficients\n");
        };
        let node = &self.nodes[at];
        let line = node.line.map_or(String::new(), |line| format!(", line {line}"));
        let live = &self.memory.live;
        let width = live.len().min(CHART_WIDTH);
        let column = |i: usize| live[i * live.len() / width..(i + 1) * live.len() / width].iter().max().copied();
        let columns: Vec<u64> = (0..width).filter_map(column).collect();
        let mut text = format!(
            "memory of values over time: at most {}, at {:?} (operator {} of {}{line}); coefficients: {coefficients}\n",
            figures::bytes(peak),
            self.name(node),
            at + 1,
            live.len(),
        );
        let label = figures::bytes(peak);
        for row in (0..CHART_HEIGHT).rev() {
            let label = if row + 1 == CHART_HEIGHT { label.as_str() } else { "" };
            let cells: String = columns.iter().map(|bytes| cell(*bytes, peak, row)).collect();
            text += format!("{label:>10} |{cells}").trim_end();
            text.push('\n');
        }
        text
    }
}

/// Returns the part of a bar in a row of the chart, 0 for the lowest.
fn cell(bytes: u64, peak: u64, row: usize) -> char {
    const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = (bytes as f64 / peak.max(1) as f64 * (8 * CHART_HEIGHT) as f64).round() as usize;
    // The least is seen, too.
    let height = height.max(usize::from(bytes > 0));
    EIGHTHS[height.saturating_sub(8 * row).min(8)]
}

fn operators(costs: &Costs) -> String {
    pluralized(costs.operators, "operator")
}

#[derive(Default)]
struct Row {
    line: String,
    name: String,
    kind: String,
    ty: String,
    /// Right-aligned: parameters, FLOPs, bytes, milliseconds.
    figures: [String; 4],
}

/// Formats rows in columns. The first row is the head.
fn aligned(rows: &[Row], has_lines: bool, has_times: bool) -> String {
    let shown: Vec<[String; 8]> = rows
        .iter()
        .map(|row| {
            let [parameters, operations, bytes, time] = row.figures.clone();
            let name = shortened(&row.name);
            [row.line.clone(), name, row.kind.clone(), row.ty.clone(), parameters, operations, bytes, time]
        })
        .collect();
    let is_shown = |column: usize| match column {
        0 => has_lines,
        7 => has_times,
        _ => true,
    };
    let widths: Vec<usize> =
        (0..8).map(|i| shown.iter().map(|cells| cells[i].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for cells in &shown {
        let columns = cells.iter().zip(&widths).enumerate().filter(|(i, _)| is_shown(*i));
        let line: Vec<String> = columns
            .map(|(i, (cell, &width))| match i {
                1..=3 => format!("{cell:width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        text += line.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Shortens a long name in the middle.
fn shortened(name: &str) -> String {
    let length = name.chars().count();
    if length <= NAME_WIDTH {
        return name.to_owned();
    }
    let kept = (NAME_WIDTH - 1) / 2;
    let (start, end) = (name.chars().take(kept), name.chars().skip(length - kept));
    start.chain(['…']).chain(end).collect()
}
