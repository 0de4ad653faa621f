//! The groups in which operators are shown: scopes, which are parts of names, and the blocks of operators.
use crate::{
    graph::Graph,
    network::{Costs, Node, OwnedBlock, name},
};
use std::collections::{HashMap, HashSet};

/// The index of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GroupId(pub usize);

/// The group of the whole network.
pub(crate) const ROOT: GroupId = GroupId(0);

/// A scope or a block, with its operators and groups.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The last part of the path.
    pub name: String,
    /// The names of the scopes around it and its own: `encoder/layer0`.
    pub path: String,
    pub parent: Option<GroupId>,
    /// 0 for the root.
    pub depth: usize,
    /// In the order of their first operators, or arguments.
    pub members: Vec<Member>,
    /// Those of all its operators.
    pub costs: Costs,
}

/// What a group contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Member {
    Group(GroupId),
    /// The index of a node.
    Node(usize),
}

/// Maximum depth of groups. The rest of a name with more parts stays whole.
const MAX_DEPTH: usize = 64;

/// Assigns each node to a group. `inside` is the index of the block around each. Returns the groups, the root first, and
/// those of the blocks.
pub(crate) fn of_scopes(
    graph: &Graph,
    nodes: &mut [Node],
    inside: &[Option<usize>],
    blocks: &[OwnedBlock],
) -> (Vec<Group>, Vec<GroupId>) {
    let root = Group::new(String::new(), String::new(), None);
    let mut tree = Tree { groups: vec![root], by_name: HashMap::new(), listed: HashSet::new() };
    tree.groups[0].name = graph.name().to_owned();
    let scopes = scopes(graph, nodes);
    // For each block, its group: within that of its owner's scope.
    let mut of_block: Vec<GroupId> = Vec::new();
    let around = |of_block: &[GroupId], block: Option<usize>| block.map_or(ROOT, |block| of_block[block]);
    for block in blocks {
        let owner = name(graph, block.owner);
        let outer = tree.scope(around(&of_block, block.around), scope_of(owner, &scopes));
        let label = format!("{} {}", last_part(owner), block.name.trim_end_matches("_branch"));
        of_block.push(tree.child(outer, &label, '\u{1}'));
    }
    // Arguments are shown even if the block has no operators.
    let has_arguments = |(_, block): &(usize, &OwnedBlock)| !block.block.arguments().is_empty();
    let mut next_blocks = blocks.iter().enumerate().filter(has_arguments).peekable();
    for (index, (node, block)) in nodes.iter_mut().zip(inside).enumerate() {
        while let Some((shown, _)) = next_blocks.next_if(|(_, block)| block.first <= index) {
            tree.list(of_block[shown]);
        }
        node.group = tree.scope(around(&of_block, *block), scope_of(name(graph, node.operator), &scopes));
        tree.insert(index, node);
    }
    (tree.groups, of_block)
}

/// Returns the paths of all scopes that operators' names begin with.
fn scopes<'g>(graph: &'g Graph, nodes: &[Node<'g>]) -> HashSet<&'g str> {
    let mut all = HashSet::new();
    for node in nodes {
        let mut rest = name(graph, node.operator);
        while let Some((scope, _)) = rest.rsplit_once('/') {
            // Its outer scopes are known, too.
            if !all.insert(scope) {
                break;
            }
            rest = scope;
        }
    }
    all
}

/// Returns the scope of an operator. The result of a function of a spec is named like the scope of its operators.
fn scope_of<'g>(name: &'g str, scopes: &HashSet<&str>) -> &'g str {
    if scopes.contains(name) { name } else { name.rsplit_once('/').map_or("", |(scope, _)| scope) }
}

/// Returns the part of a name after its scope.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('/').next().filter(|part| !part.is_empty()).unwrap_or(name)
}

struct Tree {
    groups: Vec<Group>,
    by_name: HashMap<(GroupId, String), GroupId>,
    /// The groups that are members of those around them.
    listed: HashSet<GroupId>,
}

impl Tree {
    /// Returns the group of a scope in `outer`, a group of the same or an outer scope, or a block.
    fn scope(&mut self, outer: GroupId, scope: &str) -> GroupId {
        let path = &self.groups[outer.0].path;
        let within = match scope.strip_prefix(path.as_str()) {
            _ if path.is_empty() => scope,
            Some("") => return outer,
            Some(rest) if rest.starts_with('/') => rest,
            _ => scope,
        };
        let depth = self.groups[outer.0].depth;
        let parts = within.split('/').filter(|part| !part.is_empty()).take(MAX_DEPTH.saturating_sub(depth));
        parts.fold(outer, |group, part| self.child(group, part, '/'))
    }
    /// Returns the group `name` in `parent`. Blocks and scopes, which `kind` tells apart, may have the same names.
    fn child(&mut self, parent: GroupId, name: &str, kind: char) -> GroupId {
        let key = (parent, format!("{kind}{name}"));
        if let Some(known) = self.by_name.get(&key) {
            return *known;
        }
        let id = GroupId(self.groups.len());
        let outer = &self.groups[parent.0].path;
        let path = match kind {
            // A block has the path of its owner's scope, as its operators' names have.
            '\u{1}' => outer.clone(),
            _ if outer.is_empty() => name.to_owned(),
            _ => format!("{outer}/{name}"),
        };
        let depth = self.groups[parent.0].depth + 1;
        self.groups.push(Group { depth, ..Group::new(name.to_owned(), path, Some(parent)) });
        self.by_name.insert(key, id);
        id
    }
    /// Makes a group a member of the one around it, and that one of the next.
    fn list(&mut self, group: GroupId) {
        let mut inner = group;
        while let Some(outer) = self.groups[inner.0].parent.filter(|_| self.listed.insert(inner)) {
            self.groups[outer.0].members.push(Member::Group(inner));
            inner = outer;
        }
    }
    fn insert(&mut self, index: usize, node: &Node) {
        self.list(node.group);
        self.groups[node.group.0].members.push(Member::Node(index));
        let mut group = Some(node.group);
        while let Some(id) = group {
            let into = &mut self.groups[id.0];
            into.costs.add(&node.costs);
            group = into.parent;
        }
    }
}

impl Group {
    pub fn new(name: String, path: String, parent: Option<GroupId>) -> Self {
        Group { name, path, parent, depth: 0, members: Vec::new(), costs: Costs::default() }
    }
}
