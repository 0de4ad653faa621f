//! Drawings in Graphviz's DOT language.
use crate::{
    base::escaped,
    drawing::{BoxKind, Drawing},
    groups::{GroupId, ROOT},
    network::Network,
};
use std::fmt::Write;

impl Network<'_> {
    /// Returns the network in the DOT language, for Graphviz. Groups that are not within `depth` others are clusters; deeper
    /// ones are single nodes.
    ///
    /// ```
    /// # use tpulang::{Dtype, Graph, show::Network};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2, 3])?;
    /// g.relu(x).out_name("y").call()?;
    /// assert!(Network::new(&g).dot(None).contains(r#"n0 -> n1 [label="2x3 float32"];"#));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn dot(&self, depth: Option<usize>) -> String {
        let drawing = self.drawing(depth, usize::MAX);
        let mut within: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        drawing.boxes.iter().enumerate().for_each(|(i, b)| within[b.group.0].push(i));
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (i, group) in self.groups.iter().enumerate().filter(|(_, g)| g.depth <= depth.unwrap_or(usize::MAX)) {
            group.parent.into_iter().for_each(|parent| children[parent.0].push(i));
        }
        let mut dot = format!(
            "digraph {} {{\n  graph [rankdir=TB, fontname=\"Helvetica\", fontsize=11, nodesep=0.3, ranksep=0.4];\n  \
             node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11];\n  \
             edge [fontname=\"Helvetica\", fontsize=9, color=\"#94a3b8\", fontcolor=\"#64748b\"];\n",
            quoted(self.graph.name())
        );
        self.cluster(ROOT, &drawing, (&within, &children), &mut dot);
        for edge in &drawing.edges {
            let _ = writeln!(dot, "  n{} -> n{} [label={}];", edge.from, edge.to, quoted(&self.type_text(edge.tensor)));
        }
        dot + "}\n"
    }

    /// Adds the boxes of a group, and the clusters in it.
    fn cluster(&self, id: GroupId, drawing: &Drawing, of_groups: (&[Vec<usize>], &[Vec<usize>]), dot: &mut String) {
        let (within, children) = of_groups;
        let group = &self.groups[id.0];
        let indent = "  ".repeat(group.depth + 1);
        for &i in &within[id.0] {
            let b = &drawing.boxes[i];
            let style = match b.kind {
                BoxKind::Terminal => "shape=ellipse, color=\"#94a3b8\", fillcolor=\"#ffffff\"".to_owned(),
                BoxKind::Folded => "shape=folder, color=\"#64748b\", fillcolor=\"#f8fafc\"".to_owned(),
                BoxKind::Operator(family) => {
                    let (border, fill) = family.colors();
                    format!("color=\"{border}\", fillcolor=\"{fill}\"")
                }
            };
            let label = format!("{}\\n{}", escape(&b.title), escape(&b.text));
            let _ = writeln!(dot, "{indent}n{i} [label=\"{label}\", {style}];");
        }
        let is_shown = |child: usize| !within[child].is_empty() || !self.groups[child].members.is_empty();
        for &child in children[id.0].iter().filter(|child| is_shown(**child)) {
            let label = quoted(&self.groups[child].name);
            let style = "style=rounded, color=\"#cbd5e1\", labeljust=l";
            let _ = writeln!(dot, "{indent}subgraph cluster_{child} {{\n{indent}  label={label}; {style};");
            self.cluster(GroupId(child), drawing, of_groups, dot);
            let _ = writeln!(dot, "{indent}}}");
        }
    }
}

/// Returns a text as a string of DOT.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

/// Escapes a text for a string of DOT, in which Graphviz also replaces HTML's entities and sequences with a backslash.
fn escape(text: &str) -> String {
    escaped(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
