//! Positions of boxes and paths of edges, by dagre's algorithm: each group is laid out alone, from the innermost to the
//! outermost. The page does the same in the browser (`page/layout.js`).
use crate::{
    drawing::Drawing,
    graph::Tensor,
    groups::{GroupId, ROOT},
    network::Network,
};
use dagre::{
    EdgeLabel, LayoutOptions, NodeLabel,
    graph::{Graph, GraphOptions},
};
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

/// Height of the title of a group.
pub(crate) const TITLE: f64 = 26.0;
const MARGIN: f64 = 16.0;

/// A point, or a size.
pub(crate) type Point = (f64, f64);

/// What is drawn in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Box(usize),
    Group(GroupId),
}

/// A rectangle: its upper left corner and its size.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rect {
    pub at: Point,
    pub size: Point,
}

/// A drawing with positions.
#[derive(Default)]
pub(crate) struct Layout {
    pub size: Point,
    /// The outer ones first.
    pub groups: Vec<(GroupId, Rect)>,
    pub boxes: Vec<(usize, Rect)>,
    pub lines: Vec<Line>,
    pub labels: Vec<(Point, String)>,
}

/// The path of a tensor.
pub(crate) struct Line {
    pub points: Vec<Point>,
    /// Whether it ends at a box, not at the border of a group.
    pub arrow: bool,
}

/// Lays out a drawing, whose boxes have these sizes. `title_width` is the width of the title of a group.
pub(crate) fn lay_out(
    network: &Network,
    drawing: &Drawing,
    sizes: &[Point],
    title_width: &dyn Fn(GroupId) -> f64,
) -> Layout {
    let mut composer = Composer { network, levels: HashMap::new(), plans: HashMap::new(), sizes, title_width };
    for (i, b) in drawing.boxes.iter().enumerate() {
        composer.add(b.group, Item::Box(i));
    }
    for edge in &drawing.edges {
        composer.connect(
            (edge.from, drawing.boxes[edge.from].group),
            (edge.to, drawing.boxes[edge.to].group),
            edge.tensor,
        );
    }
    let label = |tensor: Tensor| network.type_text(tensor);
    let mut ids: Vec<GroupId> = composer.levels.keys().copied().collect();
    // The innermost first.
    ids.sort_by_key(|id| (std::cmp::Reverse(network.groups[id.0].depth), id.0));
    for id in ids {
        let plan = composer.arrange(id, &label);
        composer.plans.insert(id, plan);
    }
    let mut layout = Layout { size: composer.size(Item::Group(ROOT)), ..Layout::default() };
    composer.place(ROOT, (0.0, 0.0), &mut layout);
    layout
}

/// The items of a group, the edges between them, and the tensors that enter and leave the group.
#[derive(Default)]
struct Level {
    items: IndexSet<Item>,
    edges: IndexMap<(Item, Item), IndexSet<Tensor>>,
    ins: IndexMap<Tensor, IndexSet<Item>>,
    outs: IndexMap<Tensor, IndexSet<Item>>,
}

/// The arrangement of a group, relative to its corner.
#[derive(Default)]
struct Plan {
    size: Point,
    at: IndexMap<Item, Point>,
    /// Horizontal positions of the tensors that enter and leave.
    ins: HashMap<Tensor, f64>,
    outs: HashMap<Tensor, f64>,
    paths: Vec<Path>,
    labels: Vec<(Point, String)>,
}

struct Path {
    /// `None` for the border of the group.
    from: Option<Item>,
    to: Option<Item>,
    tensors: Vec<Tensor>,
    inner: Vec<Point>,
}

struct Composer<'n, 'g> {
    network: &'n Network<'g>,
    levels: HashMap<GroupId, Level>,
    plans: HashMap<GroupId, Plan>,
    sizes: &'n [Point],
    title_width: &'n dyn Fn(GroupId) -> f64,
}

impl Composer<'_, '_> {
    fn parent(&self, id: GroupId) -> Option<GroupId> {
        self.network.groups[id.0].parent
    }
    /// Adds an item to a group, and the group to those around it.
    fn add(&mut self, group: GroupId, item: Item) {
        let (mut group, mut item) = (group, item);
        while self.levels.entry(group).or_default().items.insert(item) {
            let Some(outer) = self.parent(group) else { break };
            (item, group) = (Item::Group(group), outer);
        }
    }
    /// Adds the parts of an edge: within the innermost group that contains both boxes, and through the borders of the
    /// groups on the way.
    fn connect(&mut self, from: (usize, GroupId), to: (usize, GroupId), tensor: Tensor) {
        let (mut a, mut a_in, mut b, mut b_in) = (Item::Box(from.0), from.1, Item::Box(to.0), to.1);
        while a_in != b_in {
            let depth = |id: GroupId| self.network.groups[id.0].depth;
            let (a_depth, b_depth) = (depth(a_in), depth(b_in));
            if a_depth >= b_depth {
                self.levels.entry(a_in).or_default().outs.entry(tensor).or_default().insert(a);
                (a, a_in) = (Item::Group(a_in), self.parent(a_in).unwrap_or(ROOT));
            }
            if b_depth >= a_depth {
                self.levels.entry(b_in).or_default().ins.entry(tensor).or_default().insert(b);
                (b, b_in) = (Item::Group(b_in), self.parent(b_in).unwrap_or(ROOT));
            }
        }
        self.levels.entry(a_in).or_default().edges.entry((a, b)).or_default().insert(tensor);
    }
    fn size(&self, item: Item) -> Point {
        match item {
            Item::Box(i) => self.sizes[i],
            Item::Group(id) => self.plans.get(&id).map_or((0.0, 0.0), |plan| plan.size),
        }
    }

    fn arrange(&self, id: GroupId, label: &dyn Fn(Tensor) -> String) -> Plan {
        let level = &self.levels[&id];
        let mut graph = Graph::with_options(GraphOptions { directed: true, multigraph: false, compound: false });
        for item in &level.items {
            let (width, height) = self.size(*item);
            graph.set_node(name(*item), Some(NodeLabel { width, height, ..NodeLabel::default() }));
        }
        let mut labels: IndexMap<(Item, Item), String> = IndexMap::new();
        let mut labelled = IndexSet::new();
        for (ends, tensors) in &level.edges {
            // The type of a tensor is shown once.
            let fresh = tensors.iter().find(|t| !labelled.contains(*t)).copied();
            labelled.extend(tensors.iter().copied());
            let mut edge = EdgeLabel::default();
            if let Some(tensor) = fresh {
                let more = if tensors.len() > 1 { format!(" +{}", tensors.len() - 1) } else { String::new() };
                let text = label(tensor) + &more;
                (edge.width, edge.height) = (text.chars().count() as f64 * 5.6 + 8.0, 12.0);
                edge.labelpos = dagre::layout::types::LabelPos::Center;
                labels.insert(*ends, text);
            }
            graph.set_edge(name(ends.0), name(ends.1), Some(edge), None);
        }
        add_ports(&mut graph, level);
        let options = LayoutOptions { nodesep: 20.0, ranksep: 28.0, edgesep: 12.0, ..LayoutOptions::default() };
        dagre::layout(&mut graph, Some(options));
        let title = id != ROOT;
        read(&graph, level, labels, title.then(|| (self.title_width)(id)))
    }

    /// Adds a group and what is in it to the layout.
    fn place(&self, id: GroupId, at: Point, layout: &mut Layout) {
        let plan = &self.plans[&id];
        layout.groups.push((id, Rect { at, size: plan.size }));
        let rect = |item: Item| {
            let corner = plan.at.get(&item).copied().unwrap_or_default();
            Rect { at: (at.0 + corner.0, at.1 + corner.1), size: self.size(item) }
        };
        let inner = |p: &Point| (at.0 + p.0, at.1 + p.1);
        for path in &plan.paths {
            let mut seen = Vec::new();
            for tensor in &path.tensors {
                let start = match path.from {
                    None => (at.0 + plan.ins[tensor], at.1 + TITLE),
                    Some(item) => self.end(item, rect(item), *tensor, false),
                };
                let end = match path.to {
                    None => (at.0 + plan.outs[tensor], at.1 + plan.size.1),
                    Some(item) => self.end(item, rect(item), *tensor, true),
                };
                if seen.contains(&(start, end)) {
                    continue;
                }
                seen.push((start, end));
                let into_group = matches!(path.to, Some(Item::Group(_)));
                let below = into_group.then_some((end.0, end.1 + TITLE));
                let points =
                    [start].into_iter().chain(path.inner.iter().map(inner)).chain([end]).chain(below).collect();
                layout.lines.push(Line { points, arrow: matches!(path.to, Some(Item::Box(_))) });
            }
        }
        layout.labels.extend(plan.labels.iter().map(|(p, text)| (inner(p), text.clone())));
        for item in plan.at.keys() {
            match item {
                Item::Box(i) => layout.boxes.push((*i, rect(*item))),
                Item::Group(inner) => self.place(*inner, rect(*item).at, layout),
            }
        }
    }
    /// Returns where a tensor enters (`into`) or leaves an item.
    fn end(&self, item: Item, rect: Rect, tensor: Tensor, into: bool) -> Point {
        let plan = match item {
            Item::Group(id) => self.plans.get(&id),
            Item::Box(_) => None,
        };
        let port = plan.and_then(|plan| if into { plan.ins.get(&tensor) } else { plan.outs.get(&tensor) });
        let x = rect.at.0 + port.copied().unwrap_or(rect.size.0 / 2.0);
        (x, if into { rect.at.1 } else { rect.at.1 + rect.size.1 })
    }
}

fn name(item: Item) -> String {
    match item {
        Item::Box(i) => format!("b{i}"),
        Item::Group(id) => format!("g{}", id.0),
    }
}
fn port(side: char, tensor: Tensor) -> String {
    format!("{side}{}", tensor.index())
}

/// Adds the places where tensors enter and leave. They are pulled to the top and the bottom by invisible boxes there.
fn add_ports(graph: &mut Graph<NodeLabel, EdgeLabel>, level: &Level) {
    let edge = |weight: i32| Some(EdgeLabel { weight, ..EdgeLabel::default() });
    let node = |width| Some(NodeLabel { width, height: 1.0, ..NodeLabel::default() });
    let (first, last) = (graph.sources(), graph.sinks());
    for (side, ports, around, ends) in [('i', &level.ins, "top", first), ('o', &level.outs, "bottom", last)] {
        if ports.is_empty() {
            continue;
        }
        graph.set_node(around, node(1.0));
        let mut connect = |inner: String, outer: String, weight: i32| {
            let (from, to) = if side == 'i' { (outer, inner) } else { (inner, outer) };
            graph.set_edge(from, to, edge(weight), None);
        };
        for (tensor, items) in ports {
            items.iter().for_each(|item| connect(name(*item), port(side, *tensor), 1));
            connect(port(side, *tensor), around.to_owned(), 3);
        }
        ends.into_iter().for_each(|end| connect(end, around.to_owned(), 0));
        for tensor in ports.keys() {
            graph.set_node(port(side, *tensor), node(10.0));
        }
    }
}

/// Takes positions and paths from what dagre laid out. `title` is the width of the group's title, if it has one.
fn read(
    graph: &Graph<NodeLabel, EdgeLabel>,
    level: &Level,
    labels: IndexMap<(Item, Item), String>,
    title: Option<f64>,
) -> Plan {
    let centre = |name: &str| graph.node(name).map_or((0.0, 0.0), |n| (n.x.unwrap_or(0.0), n.y.unwrap_or(0.0)));
    let mut bounds = Bounds::default();
    for item in &level.items {
        let n = name(*item);
        let (w, h) = graph.node(&n).map_or((0.0, 0.0), |n| (n.width, n.height));
        bounds.cover(centre(&n), (w, h));
    }
    let ends = level.edges.iter().map(|((from, to), tensors)| {
        (Some(*from), Some(*to), tensors.iter().copied().collect::<Vec<_>>(), name(*from), name(*to))
    });
    let ins = level
        .ins
        .iter()
        .flat_map(|(t, items)| items.iter().map(|item| (None, Some(*item), vec![*t], port('i', *t), name(*item))));
    let outs = level
        .outs
        .iter()
        .flat_map(|(t, items)| items.iter().map(|item| (Some(*item), None, vec![*t], name(*item), port('o', *t))));
    let mut paths = Vec::new();
    let mut texts = Vec::new();
    for (from, to, tensors, v, w) in ends.chain(ins).chain(outs) {
        let Some(edge) = graph.edge(&v, &w, None) else { continue };
        let count = edge.points.len();
        let inner: Vec<Point> = edge.points.iter().take(count.saturating_sub(1)).skip(1).map(|p| (p.x, p.y)).collect();
        inner.iter().for_each(|p| bounds.cover(*p, (4.0, 0.0)));
        if let (Some(a), Some(b), Some(x), Some(y)) = (from, to, edge.x, edge.y)
            && let Some(text) = labels.get(&(a, b))
        {
            bounds.cover((x, y), (edge.width, edge.height));
            texts.push(((x, y), text.clone()));
        }
        paths.push(Path { from, to, tensors, inner });
    }
    for (side, ports) in [('i', &level.ins), ('o', &level.outs)] {
        ports.keys().for_each(|t| bounds.cover(centre(&port(side, *t)), (10.0, 1.0)));
    }
    let top = if title.is_some() { TITLE } else { 0.0 };
    let width = (bounds.right - bounds.left + 2.0 * MARGIN).max(title.unwrap_or(0.0));
    let dx = (width - (bounds.right - bounds.left)) / 2.0 - bounds.left;
    let dy = top + MARGIN - bounds.top;
    let moved = |(x, y): Point| (x + dx, y + dy);
    paths.iter_mut().for_each(|path| path.inner.iter_mut().for_each(|p| *p = moved(*p)));
    let corner = |item: &Item| {
        let n = name(*item);
        let (w, h) = graph.node(&n).map_or((0.0, 0.0), |n| (n.width, n.height));
        let (x, y) = moved(centre(&n));
        (*item, (x - w / 2.0, y - h / 2.0))
    };
    let places = |side: char, ports: &IndexMap<Tensor, IndexSet<Item>>| {
        ports.keys().map(|t| (*t, moved(centre(&port(side, *t))).0)).collect()
    };
    Plan {
        size: (width, top + bounds.bottom - bounds.top + 2.0 * MARGIN),
        at: level.items.iter().map(corner).collect(),
        ins: places('i', &level.ins),
        outs: places('o', &level.outs),
        paths,
        labels: texts.into_iter().map(|(p, text)| (moved(p), text)).collect(),
    }
}

struct Bounds {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { left: f64::INFINITY, top: f64::INFINITY, right: f64::NEG_INFINITY, bottom: f64::NEG_INFINITY }
    }
}

impl Bounds {
    /// Extends them by a rectangle around a point.
    fn cover(&mut self, (x, y): Point, (w, h): Point) {
        (self.left, self.right) = (self.left.min(x - w / 2.0), self.right.max(x + w / 2.0));
        (self.top, self.bottom) = (self.top.min(y - h / 2.0), self.bottom.max(y + h / 2.0));
    }
}
