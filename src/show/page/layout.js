// Positions: each unfolded group is laid out alone by dagre, from the innermost to the outermost, and only if something in
// it has changed. So no layout is of more than a few hundred boxes, whatever the size of the network.
const measure = document.createElement("canvas").getContext("2d");
const fonts = {
  title: "600 12.5px Inter, system-ui, sans-serif",
  text: "11px Inter, system-ui, sans-serif",
  label: "10px Inter, system-ui, sans-serif",
};
const longest = 26;
const head = 30;
const margin = 18;

const shortened = (text) => text.length <= longest ? text : `${text.slice(0, 12)}…${text.slice(-13)}`;

function widthOf(text, font) {
  measure.font = font;
  return measure.measureText(text).width;
}

// The size of an operator, an input or output, or a folded group.
function closedSize(item) {
  const extra = item.kind === kinds.group ? 52 : 30;
  const width = Math.max(72, widthOf(item.title, fonts.title) + extra, widthOf(item.text, fonts.text) + extra - 4);
  return { w: Math.round(width), h: item.kind === kinds.group ? 50 : 44 };
}
for (const item of [...groups, ...operators, ...terminals]) {
  [item.title, item.text] = [shortened(item.title), shortened(item.text)];
  item.closed = closedSize(item);
}

const size = (item) => item.wanted ? { w: item.plan.w, h: item.plan.h } : item.closed;

// Returns the size of an unfolded group, and the positions of its members and the paths of its edges, relative to its own.
function arrange(group) {
  if (!group.members.length) return { w: 2 * margin, h: 2 * margin, at: new Map(), paths: [], ports: { ins: new Map(), outs: new Map() } };
  const graph = new vendor.graphlib.Graph();
  graph.setGraph({ nodesep: 22, ranksep: 30, edgesep: 12, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Map(group.members.map((member, i) => [member, `m${i}`]));
  for (const [member, id] of ids) {
    const { w, h } = size(member);
    graph.setNode(id, { width: w, height: h });
  }
  const labeled = new Set();
  for (const [from, targets] of group.edges) {
    for (const [to, tensors] of targets) graph.setEdge(ids.get(from), ids.get(to), labelSize(tensors, labeled));
  }
  addPorts(graph, group, ids);
  vendor.layout(graph);
  return read(graph, group, ids);
}

// The types of tensors are shown on edges, each once.
function labelSize(tensors, labeled) {
  const fresh = [...tensors].find((tensor) => !labeled.has(tensor));
  if (fresh === undefined) return {};
  tensors.forEach((tensor) => labeled.add(tensor));
  const more = tensors.size > 1 ? ` +${tensors.size - 1}` : "";
  const text = network.tensors[fresh].type + more;
  return { text, width: widthOf(text, fonts.label) + 10, height: 12, labelpos: "c" };
}

// Ports are at the top and the bottom: they are pulled there by invisible boxes above and below all others.
function addPorts(graph, group, ids) {
  const free = (side) => group.members.filter((member) => !graph[side](ids.get(member))?.length);
  const [first, last] = [free("inEdges"), free("outEdges")];
  const add = (ports, side) => {
    for (const [tensor, members] of ports) {
      graph.setNode(`${side}${tensor}`, { width: 10, height: 1 });
      for (const member of members) {
        const [a, b] = side === "i" ? [`i${tensor}`, ids.get(member)] : [ids.get(member), `o${tensor}`];
        graph.setEdge(a, b, {});
      }
    }
  };
  if (group.ins.size) {
    add(group.ins, "i");
    graph.setNode("top", { width: 1, height: 1 });
    for (const tensor of group.ins.keys()) graph.setEdge("top", `i${tensor}`, { weight: 3 });
    for (const member of first) graph.setEdge("top", ids.get(member), { weight: 0 });
  }
  if (group.outs.size) {
    add(group.outs, "o");
    graph.setNode("bottom", { width: 1, height: 1 });
    for (const tensor of group.outs.keys()) graph.setEdge(`o${tensor}`, "bottom", { weight: 3 });
    for (const member of last) graph.setEdge(ids.get(member), "bottom", { weight: 0 });
  }
}

// Takes positions and paths from a layout.
function read(graph, group, ids) {
  const isHelper = (id) => id === "top" || id === "bottom";
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const cover = (x, y, w, h) => {
    [left, right] = [Math.min(left, x - w / 2), Math.max(right, x + w / 2)];
    [top, bottom] = [Math.min(top, y - h / 2), Math.max(bottom, y + h / 2)];
  };
  for (const id of graph.nodes()) {
    if (!isHelper(id)) { const n = graph.node(id); cover(n.x, n.y, n.width, n.height); }
  }
  const edges = graph.edges().filter(({ v, w }) => !isHelper(v) && !isHelper(w));
  for (const e of edges) graph.edge(e).points.slice(1, -1).forEach((p) => cover(p.x, p.y, 4, 0));
  for (const e of edges) { const l = graph.edge(e); if (l.text) cover(l.x, l.y, l.width, l.height); }
  const header = group.parent ? head : 0;
  const title = group.parent ? widthOf(group.title, fonts.title) + 60 : 0;
  const w = Math.max(right - left + 2 * margin, title);
  const [dx, dy] = [(w - (right - left)) / 2 - left, header + margin - 6 - top];
  const at = new Map();
  for (const [member, id] of ids) {
    const n = graph.node(id);
    at.set(member, [n.x + dx - n.width / 2, n.y + dy - n.height / 2]);
  }
  const ports = (tensors, side) => new Map([...tensors.keys()].map((t) => [t, graph.node(`${side}${t}`).x + dx]));
  const members = new Map([...ids].map(([member, id]) => [id, member]));
  const ranks = new Map();
  for (const id of ids.values()) {
    const { y, height } = graph.node(id);
    ranks.set(Math.round(y), Math.max(height, ranks.get(Math.round(y)) ?? 0));
  }
  const paths = edges.map((e) => {
    const { points, text, x, y } = graph.edge(e);
    const [from, to] = [members.get(e.v), members.get(e.w)];
    const tensors = from && to ? [...group.edges.get(from).get(to)] : [Number((from ? e.w : e.v).slice(1))];
    const inner = points.slice(1, -1).map((p) => [p.x + dx, p.y + dy]);
    // The lower end of the rank that the line leaves, and the upper end of the one that it enters.
    const side = (item, id, sign) => {
      const { y } = graph.node(id);
      return item && y + dy + (sign * ranks.get(Math.round(y))) / 2;
    };
    const ends = [side(from, e.v, 1), side(to, e.w, -1)];
    return { from, to, tensors, inner, ends, label: text ? { text, x: x + dx, y: y + dy } : null };
  });
  return { w, h: header + bottom - top + 2 * margin - 6, at, paths, ports: { ins: ports(group.ins, "i"), outs: ports(group.outs, "o") } };
}

// Ends paths at the ports of their boxes, or at the border of the group. A folded group or an operator has as many places
// for ends as it has paths.
function joinEnds(group) {
  const { paths, ports } = group.plan;
  const [leaving, entering] = [new Map(), new Map()];
  const list = (map, item) => map.get(item) ?? map.set(item, []).get(item);
  for (const path of paths) {
    if (path.from) list(leaving, path.from).push(path);
    if (path.to) list(entering, path.to).push(path);
  }
  const center = (item) => item.x + item.w / 2;
  const spread = (all, end, next) => {
    for (const [item, its] of all) {
      its.sort((a, b) => next(a) - next(b));
      const step = Math.min(14, (item.w * 0.6) / its.length);
      its.forEach((path, i) => (path[end] = center(item) + (i - (its.length - 1) / 2) * step));
    }
  };
  spread(leaving, "leave", (path) => path.inner[0]?.[0] ?? (path.to ? center(path.to) : 0));
  spread(entering, "enter", (path) => path.inner.at(-1)?.[0] ?? (path.from ? center(path.from) : 0));
  const lines = new Map();
  for (const { from, to, tensors, inner, ends, leave, enter } of paths) {
    for (const tensor of tensors) {
      const x0 = !from ? ports.ins.get(tensor) : from.open ? from.x + from.plan.ports.outs.get(tensor) : leave;
      const x1 = !to ? ports.outs.get(tensor) : to.open ? to.x + to.plan.ports.ins.get(tensor) : enter;
      const y0 = from ? from.y + from.h : group.parent ? head : 0;
      const points = [[x0, y0]];
      // A line is straight beside higher boxes of the same rank.
      if (from) points.push([x0, ends[0]]);
      points.push(...inner);
      if (to) points.push([x1, ends[1]]);
      points.push([x1, to ? to.y : group.h]);
      // A line continues below the title of an unfolded group.
      if (to?.open) points.push([x1, to.y + head]);
      const key = `${from?.id} ${to?.id} ${x0} ${x1}`;
      if (lines.has(key)) lines.get(key).tensors.push(tensor);
      else lines.set(key, { tensors: [tensor], points, arrow: Boolean(to && !to.open) });
    }
  }
  group.lines = [...lines.values()];
  group.labels = paths.filter((path) => path.label).map((path) => path.label);
  group.curves = null;
}

let layoutRun = 0;

// Lays out what has changed, a part at a time, so that the page stays responsive, and then shows it all at once. Returns
// whether it did: not if another run began.
async function layOut(report) {
  const run = ++layoutRun;
  const [reached, pending] = [[], []];
  const visit = (group) => {
    for (const member of group.members) if (member.wanted) visit(member);
    reached.push(group);
    if (group.stale) pending.push(group);
  };
  visit(root);
  let since = performance.now();
  for (const [i, group] of pending.entries()) {
    group.plan = arrange(group);
    group.stale = false;
    if (performance.now() - since > 40 && i + 1 < pending.length) {
      report(i + 1, pending.length);
      await new Promise((resolve) => setTimeout(resolve));
      if (run !== layoutRun) return false;
      since = performance.now();
    }
  }
  groups.forEach((group) => (group.open = group.wanted));
  for (const group of reached) {
    for (const [member, [x, y]] of group.plan.at) Object.assign(member, { x, y }, size(member));
  }
  Object.assign(root, size(root));
  reached.forEach(joinEnds);
  return true;
}

// Folds or unfolds a group at the next layout.
function setOpen(group, open) {
  if (group === root || group.wanted === open) return;
  group.wanted = open;
  for (const outer of ancestors(group)) outer.stale = true;
}
