//! What a drawing consists of, whatever draws it: boxes, and edges between them.
use crate::{
    base::pluralized,
    family::Family,
    graph::Tensor,
    groups::{GroupId, ROOT, last_part},
    network::{Network, Node},
};
use std::collections::{HashMap, HashSet};

/// The boxes and edges of a network.
pub(crate) struct Drawing {
    pub boxes: Vec<Box>,
    pub edges: Vec<Edge>,
}

/// A box, in the group that is drawn around it.
pub(crate) struct Box {
    pub group: GroupId,
    pub title: String,
    pub text: String,
    /// The name with its scopes.
    pub full_name: String,
    pub kind: BoxKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoxKind {
    /// An input, an argument of a block, or an output.
    Terminal,
    Operator(Family),
    /// A group that is not unfolded.
    Folded,
}

/// A tensor that flows from a box to another.
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub tensor: Tensor,
}

impl<'g> Network<'g> {
    /// Returns what to draw if `depth` levels of groups are unfolded. Of the inputs of a group, or its outputs, `most` have boxes of
    /// their own, and the others share one.
    pub(crate) fn drawing(&self, depth: Option<usize>, most: usize) -> Drawing {
        let mut drawn = Drawn {
            network: self,
            depth: depth.unwrap_or(usize::MAX),
            most,
            boxes: Vec::new(),
            shared: HashSet::new(),
            folded: HashMap::new(),
            producers: HashMap::new(),
        };
        for of_group in self.arguments.chunk_by(|(_, a), (_, b)| a == b) {
            let (tensors, group): (Vec<Tensor>, GroupId) = (of_group.iter().map(|(t, _)| *t).collect(), of_group[0].1);
            if drawn.outermost_folded(group).is_none() {
                let boxes = drawn.terminals(&tensors, group, "input", |tensor| self.type_text(tensor));
                drawn.producers.extend(tensors.into_iter().zip(boxes));
            }
        }
        let of_nodes: Vec<usize> = self.nodes.iter().map(|node| drawn.of_node(node)).collect();
        let mut edges = Vec::new();
        let mut seen = HashSet::new();
        for (node, &to) in self.nodes.iter().zip(&of_nodes) {
            for tensor in self.sources(node) {
                edges.extend(drawn.producers.get(&tensor).and_then(|from| drawn.edge(*from, to, tensor, &mut seen)));
            }
        }
        let outputs = self.graph.outputs();
        let boxes = drawn.terminals(outputs, ROOT, "output", |_| "output".into());
        for (tensor, to) in outputs.iter().zip(boxes) {
            edges.extend(drawn.producers.get(tensor).and_then(|from| drawn.edge(*from, to, *tensor, &mut seen)));
        }
        Drawing { boxes: drawn.boxes, edges }
    }
}

struct Drawn<'n, 'g> {
    network: &'n Network<'g>,
    depth: usize,
    /// Maximum number of inputs or outputs of a group that have boxes of their own.
    most: usize,
    boxes: Vec<Box>,
    /// The boxes of several inputs or outputs.
    shared: HashSet<usize>,
    folded: HashMap<GroupId, usize>,
    /// The box from which a tensor comes.
    producers: HashMap<Tensor, usize>,
}

/// The boxes that an edge connects, and its tensor, unless it stands for several.
type Ends = (usize, usize, Option<Tensor>);

impl<'g> Drawn<'_, 'g> {
    /// Returns the outermost group around that is not unfolded.
    fn outermost_folded(&self, group: GroupId) -> Option<GroupId> {
        let of = |id: GroupId| &self.network.groups[id.0];
        let mut folded = None;
        let mut next = Some(group);
        while let Some(id) = next.filter(|id| of(*id).depth > self.depth) {
            (folded, next) = (Some(id), of(id).parent);
        }
        folded
    }
    /// Adds the boxes of inputs or outputs (`what`), with a text for each, and returns the box of each.
    fn terminals(
        &mut self,
        tensors: &[Tensor],
        group: GroupId,
        what: &str,
        text: impl Fn(Tensor) -> String,
    ) -> Vec<usize> {
        let (first, own) = (self.boxes.len(), tensors.len().min(self.most));
        for tensor in &tensors[..own] {
            let full_name = self.network.tensor_name(*tensor).to_owned();
            let (title, text) = (last_part(&full_name).to_owned(), text(*tensor));
            self.boxes.push(Box { group, title, text, full_name, kind: BoxKind::Terminal });
        }
        let others = tensors.len() - own;
        if others > 0 {
            self.shared.insert(self.boxes.len());
            let (title, text) = ("…".to_owned(), pluralized(others, &format!("more {what}")));
            self.boxes.push(Box { group, title, full_name: text.clone(), text, kind: BoxKind::Terminal });
        }
        (0..tensors.len()).map(|i| first + i.min(own)).collect()
    }
    /// Returns the box of an operator, which may be that of a folded group.
    fn of_node(&mut self, node: &Node<'g>) -> usize {
        let at = match self.outermost_folded(node.group) {
            Some(group) => self.of_folded(group),
            None => {
                let title = node.operator.op.name();
                let (text, kind) = (self.network.short_name(node).into(), BoxKind::Operator(Family::of(title)));
                let full_name = self.network.name(node).to_owned();
                self.boxes.push(Box { group: node.group, title: title.into(), text, full_name, kind });
                self.boxes.len() - 1
            }
        };
        self.producers.extend(node.operator.outputs().map(|t| (t, at)));
        at
    }
    fn of_folded(&mut self, group: GroupId) -> usize {
        let next = self.boxes.len();
        let at = *self.folded.entry(group).or_insert(next);
        if at == next {
            let of = &self.network.groups[group.0];
            let text = pluralized(of.costs.operators, "operator");
            let parent = of.parent.unwrap_or(ROOT);
            let (title, full_name) = (of.name.clone(), of.path.clone());
            self.boxes.push(Box { group: parent, title, text, full_name, kind: BoxKind::Folded });
        }
        at
    }
    /// Returns the edge, unless it is within a box or drawn already. All tensors of a shared box are one edge.
    fn edge(&self, from: usize, to: usize, tensor: Tensor, seen: &mut HashSet<Ends>) -> Option<Edge> {
        let is_shared = self.shared.contains(&from) || self.shared.contains(&to);
        let is_new = from != to && seen.insert((from, to, (!is_shared).then_some(tensor)));
        is_new.then_some(Edge { from, to, tensor })
    }
}
