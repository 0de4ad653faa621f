//! What differs between two networks, by name.
use crate::{
    array::Array,
    base::{Result, escaped, pluralized},
    graph::{Block, Graph, Tensor, TensorInfo, TensorKind},
    network::{Network, Node},
};
use indexmap::IndexMap;
use std::{
    fmt,
    hash::{DefaultHasher, Hasher},
};

/// What differs between two networks: what was removed, added and changed, by name.
///
/// An operator has the name of its first result.
#[derive(Debug, Default)]
pub struct Differences {
    all: Vec<Difference>,
    /// Operators that are the same in both.
    same: usize,
}

#[derive(Debug)]
struct Difference {
    kind: Kind,
    what: String,
    name: String,
    /// For each change, what it was and is; of what was removed or added, its type.
    details: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Removed,
    Added,
    Changed,
}

/// Returns what differs between two networks. The data of coefficients are compared if both have them.
///
/// ```
/// use tpulang::{Dtype, Graph, show::differences};
/// let mut old = Graph::new("net")?;
/// let x = old.input("x", Dtype::Float32, [2, 3])?;
/// let mut new = old.clone();
/// old.permute(x, vec![1, 0]).out_name("y").call()?;
/// new.permute(x, vec![0, 1]).out_name("y").call()?;
/// let found = differences(&old, &new)?;
/// assert!(found.to_string().contains("order: [1, 0] -> [0, 1]"));
/// assert!(differences(&old, &old)?.is_empty());
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if data of a coefficient cannot be read.
pub fn differences(old: &Graph, new: &Graph) -> Result<Differences> {
    let mut found = Differences::default();
    let mut changes = Changes::default();
    changes.compare("name", old.name(), new.name());
    changes.compare("mode", &format!("{:?}", old.mode), &format!("{:?}", new.mode));
    for (what, a, b) in [("inputs", old.inputs(), new.inputs()), ("outputs", old.outputs(), new.outputs())] {
        let names = |graph: &Graph, all: &[crate::graph::Tensor]| {
            let names: Vec<_> =
                all.iter().filter_map(|t| graph.tensor(*t).ok()).map(|info| info.name.clone()).collect();
            names.join(", ")
        };
        changes.compare(what, &names(old, a), &names(new, b));
    }
    changes.compare("updates", &updates(old), &updates(new));
    found.changed("network", old.name(), changes);
    found.sources(old, new)?;
    found.operators(&Network::new(old), &Network::new(new));
    Ok(found)
}

impl Differences {
    /// Whether the networks are the same.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn changed(&mut self, what: &str, name: &str, changes: Changes) {
        if !changes.0.is_empty() {
            let (what, name) = (what.to_owned(), name.to_owned());
            self.all.push(Difference { kind: Kind::Changed, what, name, details: changes.0 });
        }
    }
    /// Compares inputs and coefficients.
    fn sources(&mut self, old: &Graph, new: &Graph) -> Result<()> {
        let (old, new) = (sources(old), sources(new));
        for (name, info) in &old {
            match new.get(name) {
                None => self.push(Kind::Removed, kind(info), name, info.type_text()),
                Some(other) => {
                    let mut changes = Changes::default();
                    changes.compare("kind", kind(info), kind(other));
                    changes.compare("type", &info.type_text(), &other.type_text());
                    changes.compare(
                        "preprocess",
                        &format!("{:?}", info.preprocess),
                        &format!("{:?}", other.preprocess),
                    );
                    if let (true, Some(a), Some(b)) = (changes.0.is_empty(), info.data(), other.data())
                        && hash(a)? != hash(b)?
                    {
                        changes.0.push("other data".into());
                    }
                    self.changed(kind(info), name, changes);
                }
            }
        }
        let added = new.iter().filter(|(name, _)| !old.contains_key(*name));
        added.for_each(|(name, info)| self.push(Kind::Added, kind(info), name, info.type_text()));
        Ok(())
    }
    fn operators(&mut self, old: &Network, new: &Network) {
        let by_name = |network: &Network| -> IndexMap<String, usize> {
            network.nodes.iter().enumerate().map(|(i, node)| (network.name(node).to_owned(), i)).collect()
        };
        let (old_names, new_names) = (by_name(old), by_name(new));
        for (name, &index) in &old_names {
            let node = &old.nodes[index];
            match new_names.get(name) {
                None => self.push(Kind::Removed, node.operator.op.name(), name, results(old, node)),
                Some(&other) => {
                    let changes = compare(old, node, new, &new.nodes[other]);
                    self.same += usize::from(changes.0.is_empty());
                    self.changed(node.operator.op.name(), name, changes);
                }
            }
        }
        for (name, &index) in new_names.iter().filter(|(name, _)| !old_names.contains_key(*name)) {
            let node = &new.nodes[index];
            self.push(Kind::Added, node.operator.op.name(), name, results(new, node));
        }
    }
    fn push(&mut self, kind: Kind, what: &str, name: &str, detail: String) {
        self.all.push(Difference { kind, what: what.to_owned(), name: name.to_owned(), details: vec![detail] });
    }
}

/// Prints a line for each difference, those of a kind together, and a summary.
impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let words = [(Kind::Removed, '-', "removed"), (Kind::Added, '+', "added"), (Kind::Changed, '~', "changed")];
        let mut counts = Vec::new();
        for (kind, sign, word) in words {
            let all: Vec<_> = self.all.iter().filter(|d| d.kind == kind).collect();
            for Difference { what, name, details, .. } in &all {
                let name = escaped(name);
                if kind == Kind::Changed {
                    writeln!(f, "{sign} {what} {name:?}")?;
                    details.iter().try_for_each(|detail| writeln!(f, "    {}", escaped(detail)))?;
                } else {
                    writeln!(f, "{sign} {what} {name:?}  {}", escaped(&details.join(", ")))?;
                }
            }
            counts.push(format!("{} {word}", all.len()));
        }
        let same = format!("{} the same", pluralized(self.same, "operator"));
        if self.is_empty() {
            writeln!(f, "no difference: {same}")
        } else {
            writeln!(f, "{}; {same}", counts.join(", "))
        }
    }
}

/// What changed, from what to what.
#[derive(Default)]
struct Changes(Vec<String>);

impl Changes {
    fn compare(&mut self, what: &str, old: &str, new: &str) {
        if old != new {
            self.0.push(format!("{what}: {old} -> {new}"));
        }
    }
}

fn sources(graph: &Graph) -> IndexMap<&str, &TensorInfo> {
    let is_source = |info: &TensorInfo| !matches!(info.kind, TensorKind::Value);
    graph.tensors().filter(|(_, info)| is_source(info)).map(|(_, info)| (info.name.as_str(), info)).collect()
}

fn kind(info: &TensorInfo) -> &'static str {
    match info.kind {
        TensorKind::Input => "input",
        TensorKind::Coefficient(_) => "coefficient",
        TensorKind::Argument => "argument",
        TensorKind::Value => "value",
    }
}

fn compare(old: &Network, a: &Node, new: &Network, b: &Node) -> Changes {
    let mut changes = Changes::default();
    changes.compare("op", a.operator.op.name(), b.operator.op.name());
    let attributes = |node: &Node| -> IndexMap<&'static str, String> {
        node.operator.op.attributes().into_iter().map(|(name, value)| (name, value.to_string())).collect()
    };
    let (was, is) = (attributes(a), attributes(b));
    let names = was.keys().chain(is.keys().filter(|name| !was.contains_key(*name)));
    let shown = |all: &IndexMap<&'static str, String>, name: &str| all.get(name).map_or("not set", |v| v).to_owned();
    names.for_each(|name| changes.compare(name, &shown(&was, name), &shown(&is, name)));
    let operands = |network: &Network, node: &Node| -> String {
        let all = node.operator.op.operands().map(|(role, t)| format!("{role} {:?}", network.tensor_name(*t)));
        all.collect::<Vec<_>>().join(", ")
    };
    changes.compare("operands", &operands(old, a), &operands(new, b));
    changes.compare("blocks", &blocks(old, a), &blocks(new, b));
    changes.compare("result", &results(old, a), &results(new, b));
    changes
}

/// Returns the arguments and results of an operator's blocks.
fn blocks(network: &Network, node: &Node) -> String {
    let names = |all: &[Tensor]| all.iter().map(|t| network.tensor_name(*t)).collect::<Vec<_>>().join(", ");
    let text = |block: &Block| format!("({}) yields {}", names(block.arguments()), names(block.results()));
    node.operator.blocks.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Returns the variables with their next values.
fn updates(graph: &Graph) -> String {
    let name = |t: &Tensor| graph.tensor(*t).map(|info| info.name.clone()).unwrap_or_default();
    let mut all: Vec<_> = graph.updates().iter().map(|(v, next)| format!("{} = {}", name(v), name(next))).collect();
    all.sort();
    all.join(", ")
}

fn results(network: &Network, node: &Node) -> String {
    let all: Vec<String> =
        node.operator.outputs().filter_map(|t| network.tensor(t)).map(TensorInfo::type_text).collect();
    all.join(", ")
}

fn hash(array: &Array) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    array.pieces(|piece| {
        hasher.write(piece);
        Ok(())
    })?;
    Ok(hasher.finish())
}
