//! What a drawing consists of, whatever draws it: boxes, and edges between them.
use crate::{
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
    /// Returns what to draw if `depth` levels of groups are unfolded.
    pub(crate) fn drawing(&self, depth: Option<usize>) -> Drawing {
        let mut drawn = Drawn {
            network: self,
            depth: depth.unwrap_or(usize::MAX),
            boxes: Vec::new(),
            folded: HashMap::new(),
            producers: HashMap::new(),
        };
        for (tensor, group) in &self.arguments {
            if drawn.outermost_folded(*group).is_none() {
                drawn.boxes.push(self.terminal(*tensor, *group, self.type_text(*tensor)));
                drawn.producers.insert(*tensor, drawn.boxes.len() - 1);
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
        for tensor in self.graph.outputs() {
            drawn.boxes.push(self.terminal(*tensor, ROOT, "output".into()));
            let to = drawn.boxes.len() - 1;
            edges.extend(drawn.producers.get(tensor).and_then(|from| drawn.edge(*from, to, *tensor, &mut seen)));
        }
        Drawing { boxes: drawn.boxes, edges }
    }
    fn terminal(&self, tensor: Tensor, group: GroupId, text: String) -> Box {
        let full_name = self.tensor_name(tensor).to_owned();
        Box { group, title: last_part(&full_name).to_owned(), text, full_name, kind: BoxKind::Terminal }
    }
}

struct Drawn<'n, 'g> {
    network: &'n Network<'g>,
    depth: usize,
    boxes: Vec<Box>,
    folded: HashMap<GroupId, usize>,
    /// The box from which a tensor comes.
    producers: HashMap<Tensor, usize>,
}

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
            let text = crate::base::pluralized(of.costs.operators, "operator");
            let parent = of.parent.unwrap_or(ROOT);
            let (title, full_name) = (of.name.clone(), of.path.clone());
            self.boxes.push(Box { group: parent, title, text, full_name, kind: BoxKind::Folded });
        }
        at
    }
    /// Returns the edge, unless it is within a box or drawn already.
    fn edge(&self, from: usize, to: usize, tensor: Tensor, seen: &mut HashSet<(usize, usize, Tensor)>) -> Option<Edge> {
        let is_new = from != to && seen.insert((from, to, tensor));
        is_new.then_some(Edge { from, to, tensor })
    }
}
