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
    composer.levels.entry(ROOT).or_default();
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
    /// The lower end of the rank that it leaves, and the upper end of the one that it enters.
    leave: Option<f64>,
    enter: Option<f64>,
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
        if level.items.is_empty() {
            return Plan { size: (2.0 * MARGIN, 2.0 * MARGIN), ..Plan::default() };
        }
        // Groups may depend on each other; dagre adds reversed edges beside others.
        let mut graph = Graph::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
        for item in &level.items {
            let (width, height) = self.size(*item);
            graph.set_node(name(*item), Some(NodeLabel { width, height, ..NodeLabel::default() }));
        }
        let mut labels: IndexMap<(Item, Item), String> = IndexMap::new();
        let mut labeled = IndexSet::new();
        for (ends, tensors) in &level.edges {
            // The type of a tensor is shown once.
            let fresh = tensors.iter().find(|t| !labeled.contains(*t)).copied();
            labeled.extend(tensors.iter().copied());
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
                // A line is straight beside higher items of the same rank.
                let points = [start]
                    .into_iter()
                    .chain(path.leave.map(|y| (start.0, at.1 + y)).filter(|p| p.1 > start.1 + 0.5))
                    .chain(path.inner.iter().map(inner))
                    .chain(path.enter.map(|y| (end.0, at.1 + y)).filter(|p| p.1 < end.1 - 0.5))
                    .chain([end])
                    .chain(into_group.then_some((end.0, end.1 + TITLE)));
                layout.lines.push(Line { points: points.collect(), arrow: matches!(path.to, Some(Item::Box(_))) });
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
    let center = |name: &str| graph.node(name).map_or((0.0, 0.0), |n| (n.x.unwrap_or(0.0), n.y.unwrap_or(0.0)));
    let mut bounds = Bounds::default();
    for item in &level.items {
        let n = name(*item);
        let (w, h) = graph.node(&n).map_or((0.0, 0.0), |n| (n.width, n.height));
        bounds.cover(center(&n), (w, h));
    }
    let (mut paths, texts) = paths(graph, level, &labels, &mut bounds);
    for (side, ports) in [('i', &level.ins), ('o', &level.outs)] {
        ports.keys().for_each(|t| bounds.cover(center(&port(side, *t)), (10.0, 1.0)));
    }
    let top = if title.is_some() { TITLE } else { 0.0 };
    let width = (bounds.right - bounds.left + 2.0 * MARGIN).max(title.unwrap_or(0.0));
    let dx = (width - (bounds.right - bounds.left)) / 2.0 - bounds.left;
    let dy = top + MARGIN - bounds.top;
    let moved = |(x, y): Point| (x + dx, y + dy);
    for path in &mut paths {
        path.inner.iter_mut().for_each(|p| *p = moved(*p));
        path.leave.iter_mut().chain(&mut path.enter).for_each(|y| *y += dy);
    }
    let corner = |item: &Item| {
        let n = name(*item);
        let (w, h) = graph.node(&n).map_or((0.0, 0.0), |n| (n.width, n.height));
        let (x, y) = moved(center(&n));
        (*item, (x - w / 2.0, y - h / 2.0))
    };
    let places = |side: char, ports: &IndexMap<Tensor, IndexSet<Item>>| {
        ports.keys().map(|t| (*t, moved(center(&port(side, *t))).0)).collect()
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

/// Returns the height of each rank, which is that of its highest item, by the vertical position of its middle.
fn ranks(graph: &Graph<NodeLabel, EdgeLabel>, level: &Level) -> HashMap<i64, f64> {
    let mut ranks: HashMap<i64, f64> = HashMap::new();
    for item in &level.items {
        let Some(node) = graph.node(&name(*item)) else { continue };
        let height = ranks.entry(rounded(node.y.unwrap_or(0.0))).or_default();
        *height = height.max(node.height);
    }
    ranks
}

fn rounded(y: f64) -> i64 {
    y.round() as i64
}

/// Returns the paths of all edges and the labels on them, and extends the bounds by them.
fn paths(
    graph: &Graph<NodeLabel, EdgeLabel>,
    level: &Level,
    labels: &IndexMap<(Item, Item), String>,
    bounds: &mut Bounds,
) -> (Vec<Path>, Vec<(Point, String)>) {
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
    let ranks = ranks(graph, level);
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
        let side = |item: Item, by: f64| {
            let y = graph.node(&name(item))?.y?;
            Some(y + by * ranks.get(&rounded(y))?)
        };
        let leave = from.and_then(|item| side(item, 0.5));
        let enter = to.and_then(|item| side(item, -0.5));
        paths.push(Path { from, to, tensors, inner, leave, enter });
    }
    (paths, texts)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Dtype, Result};

    /// Points of a line as it is drawn: vertical at its own points.
    fn curve(points: &[Point]) -> Vec<Point> {
        let between = |pair: &[Point]| {
            let [(x, y), (to_x, to_y)] = [pair[0], pair[1]];
            (0..=20).map(move |i| {
                let t = f64::from(i) / 20.0;
                let (a, b) = ((1.0 - t).powi(2) * (1.0 + 2.0 * t), t * t * (3.0 - 2.0 * t));
                let half = 3.0 * t * (1.0 - t) * f64::midpoint(y, to_y);
                (a * x + b * to_x, (1.0 - t).powi(3) * y + half + t.powi(3) * to_y)
            })
        };
        points.windows(2).flat_map(between).collect()
    }

    /// Scopes of different heights and operators beside them, which read any earlier results.
    fn network(seed: u64) -> Result<crate::graph::Graph> {
        let mut state = seed;
        let mut draw = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        let mut g = crate::graph::Graph::new("net")?;
        let mut made = vec![g.input("x", Dtype::Float32, [2, 3])?];
        for i in 0..12 {
            let (a, b) = (made[draw(made.len())], made[draw(made.len())]);
            let depth = draw(8);
            made.push(g.scope(&format!("scope{i}"), |g| {
                let mut h = g.add(a, b).call()?;
                for _ in 0..depth {
                    h = g.relu(h).call()?;
                }
                Ok(h)
            })?);
        }
        g.set_outputs(&[made[12]])?;
        Ok(g)
    }

    /// Returns how many lines pass the boxes and groups of others, and how many cross one.
    fn crossings(seed: u64) -> Result<(usize, usize)> {
        let g = network(seed)?;
        let network = Network::new(&g);
        let drawing = network.drawing(None, usize::MAX);
        let layout = lay_out(&network, &drawing, &vec![(80.0, 42.0); drawing.boxes.len()], &|_| 80.0);
        let rects = layout.groups.iter().map(|(_, rect)| rect).chain(layout.boxes.iter().map(|(_, rect)| rect));
        let (mut passed, mut crossed) = (0, 0);
        for Rect { at, size } in rects {
            let is_in = |(x, y): &Point| {
                (at.0 + 1.0..at.0 + size.0 - 1.0).contains(x) && (at.1 + 1.0..at.1 + size.1 - 1.0).contains(y)
            };
            let ends = |line: &&Line| [line.points.first(), line.points.last()].into_iter().flatten().any(is_in);
            for line in layout.lines.iter().filter(|line| !ends(line)) {
                passed += 1;
                crossed += usize::from(curve(&line.points).iter().any(is_in));
            }
        }
        Ok((passed, crossed))
    }

    #[test]
    fn lines_pass_beside_high_scopes() -> Result<()> {
        for seed in 0..20 {
            let (passed, crossed) = crossings(seed)?;
            assert!(passed > 1000 && crossed == 0, "seed {seed}: {crossed} of {passed}");
        }
        Ok(())
    }
}
