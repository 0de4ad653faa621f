//! Divides groups of very many operators, so that each part can be drawn.
use crate::{
    groups::{Group, GroupId, Member, ROOT},
    network::Network,
};
use std::collections::HashMap;

/// Maximum number of members of a group that is not divided.
const MAX_MEMBERS: usize = 250;
/// Members of a part.
const PART: usize = 100;

impl<'g> Network<'g> {
    /// Returns the network with the members of large groups divided into parts of consecutive operators, in several levels
    /// if need be. They are cut where few tensors cross.
    pub(crate) fn divided(&self) -> Network<'g> {
        let mut all = self.groups.clone();
        let mut next = 0;
        while next < all.len() {
            if all[next].members.len() > MAX_MEMBERS {
                divide(self, &mut all, next);
            }
            next += 1;
        }
        let mut nodes = self.nodes.clone();
        let mut inner = vec![ROOT];
        while let Some(id) = inner.pop() {
            let depth = all[id.0].depth + 1;
            for member in all[id.0].members.clone() {
                match member {
                    Member::Node(index) => nodes[index].group = id,
                    Member::Group(group) => {
                        all[group.0].depth = depth;
                        inner.push(group);
                    }
                }
            }
        }
        let mut network = self.clone();
        (network.nodes, network.groups) = (nodes, all);
        network
    }
}

fn divide(network: &Network, all: &mut Vec<Group>, id: usize) {
    let members = std::mem::take(&mut all[id].members);
    let crossing = crossing(network, all, &members, id);
    // At most as many parts as a group may have members; larger parts are divided in turn.
    let size = PART.max(members.len().div_ceil(MAX_MEMBERS));
    let mut first = 0;
    while first < members.len() {
        let rest = members.len() - first;
        let count = if rest < size + size / 2 { rest } else { cut(&crossing[first..], size) };
        let part: Vec<Member> = members[first..first + count].to_vec();
        let name = format!("{} … {}", label(network, all, part[0]), label(network, all, part[count - 1]));
        let mut group = Group::new(name, all[id].path.clone(), Some(GroupId(id)));
        let new = GroupId(all.len());
        for member in &part {
            match member {
                Member::Node(index) => group.costs.add(&network.nodes[*index].costs),
                Member::Group(inner) => {
                    group.costs.add(&all[inner.0].costs.clone());
                    all[inner.0].parent = Some(new);
                }
            }
        }
        group.members = part;
        all.push(group);
        all[id].members.push(Member::Group(new));
        first += count;
    }
}

fn label(network: &Network, all: &[Group], member: Member) -> String {
    match member {
        Member::Group(id) => all[id.0].name.clone(),
        Member::Node(index) => network.short_name(&network.nodes[index]).to_owned(),
    }
}

/// Returns the number of members of the next part: about `size`, ending where the fewest tensors cross.
fn cut(crossing: &[usize], size: usize) -> usize {
    let range = size - size / 4..size + size / 4;
    range.min_by_key(|at| (crossing.get(*at).copied().unwrap_or(0), at.abs_diff(size))).unwrap_or(size)
}

/// Returns, for each member, the number of tensors that members before it compute and it or members after it read.
fn crossing(network: &Network, all: &[Group], members: &[Member], id: usize) -> Vec<usize> {
    let mut positions: HashMap<Member, usize> = HashMap::new();
    positions.extend(members.iter().enumerate().map(|(at, member)| (*member, at)));
    // The member of this group that a node is, or is in.
    let position = |index: usize| {
        let mut member = Member::Node(index);
        let mut group = Some(network.nodes[index].group);
        loop {
            if let Some(at) = positions.get(&member) {
                return Some(*at);
            }
            let inner = group.filter(|inner| inner.0 != id)?;
            (member, group) = (Member::Group(inner), all[inner.0].parent);
        }
    };
    let mut produced = HashMap::new();
    let mut last: HashMap<_, usize> = HashMap::new();
    for (index, node) in network.nodes.iter().enumerate() {
        let Some(at) = position(index) else { continue };
        produced.extend(node.operator.outputs().map(|tensor| (tensor, at)));
        network.sources(node).into_iter().for_each(|tensor| {
            let until = last.entry(tensor).or_insert(at);
            *until = at.max(*until);
        });
    }
    // Tensors that begin and end to cross before a member.
    let mut changes = vec![0i64; members.len() + 1];
    for (tensor, from) in produced {
        if let Some(&until) = last.get(&tensor).filter(|until| **until > from) {
            changes[from + 1] += 1;
            changes[until + 1] -= 1;
        }
    }
    let mut now = 0;
    let live = changes.iter().take(members.len()).map(|change| {
        now += change;
        usize::try_from(now).unwrap_or(0)
    });
    live.collect()
}
