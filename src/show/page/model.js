// The network as a tree of items: operators, inputs, outputs, and groups, which contain others. Each group has the edges
// between its members, and the ports through which tensors enter and leave it, so that each can be laid out alone.
const network = JSON.parse(document.getElementById("network").textContent);

let itemCount = 0;
const kinds = { operator: "operator", group: "group", input: "input", output: "output" };

function makeItem(kind, of, parent, title, text) {
  return {
    id: itemCount++, kind, of, parent, title, text, depth: parent ? parent.depth + 1 : 0, x: 0, y: 0, w: 0, h: 0,
    // Of groups: whether it is unfolded, whether it will be after the next layout, and whether its layout is out of date.
    open: false, wanted: false, stale: true, members: [],
    // From member to member to tensors; and for each tensor that enters or leaves, the members between which it does.
    edges: new Map(), ins: new Map(), outs: new Map(),
  };
}

const lastPart = (name) => name.slice(name.lastIndexOf("/") + 1) || name;

function makeItems() {
  const groups = network.groups.map((group) => makeItem(kinds.group, group, null, group.name, ""));
  network.groups.forEach((group, i) => {
    const item = groups[i];
    item.text = group.operators === 1 ? "1 operator" : `${group.operators.toLocaleString("en")} operators`;
    if (group.parent !== null) {
      item.parent = groups[group.parent];
      item.depth = item.parent.depth + 1;
    }
  });
  const operators = network.operators.map((operator) =>
    makeItem(kinds.operator, operator, groups[operator.group], operator.op, lastPart(operator.name)));
  const producers = new Map();
  const terminals = [];
  for (const [tensor, group] of network.arguments) {
    const { name, type } = network.tensors[tensor];
    const item = makeItem(kinds.input, network.tensors[tensor], groups[group], lastPart(name), type);
    groups[group].members.push(item);
    producers.set(tensor, item);
    terminals.push(item);
  }
  network.groups.forEach((group, i) => {
    for (const { group: inner, operator } of group.members) {
      groups[i].members.push(inner === undefined ? operators[operator] : groups[inner]);
    }
  });
  operators.forEach((item) => item.of.results.forEach((tensor) => producers.set(tensor, item)));
  const consumers = operators.map((item) => [item, item.of.sources]);
  for (const tensor of network.outputs) {
    const { name, type } = network.tensors[tensor];
    const item = makeItem(kinds.output, network.tensors[tensor], groups[0], lastPart(name), type);
    groups[0].members.push(item);
    consumers.push([item, [tensor]]);
    terminals.push(item);
  }
  for (const [item, sources] of consumers) {
    for (const tensor of sources) {
      const producer = producers.get(tensor);
      if (producer) connect(producer, item, tensor);
    }
  }
  return { root: groups[0], groups, operators, producers, terminals };
}

// Adds the parts of the edge from an operator to another: within the innermost group that contains both, and through the
// ports of the groups on the way.
function connect(from, to, tensor) {
  const port = (group, side, member) => {
    const ports = group[side];
    if (!ports.has(tensor)) ports.set(tensor, new Set());
    ports.get(tensor).add(member);
  };
  let [a, b] = [from, to];
  while (a.depth > b.depth) { port(a.parent, "outs", a); a = a.parent; }
  while (b.depth > a.depth) { port(b.parent, "ins", b); b = b.parent; }
  while (a.parent !== b.parent) {
    port(a.parent, "outs", a);
    port(b.parent, "ins", b);
    [a, b] = [a.parent, b.parent];
  }
  if (a === b) return;
  const edges = a.parent.edges;
  if (!edges.has(a)) edges.set(a, new Map());
  const to_b = edges.get(a);
  if (!to_b.has(b)) to_b.set(b, new Set());
  to_b.get(b).add(tensor);
}

const { root, groups, operators, producers, terminals } = makeItems();
root.wanted = true;

function* ancestors(item) {
  for (let group = item.parent; group; group = group.parent) yield group;
}

// Unfolds groups, the outermost first, while not too much is shown.
function openAtFirst() {
  const most = 160;
  let shown = root.members.length;
  let level = [root];
  while (level.length) {
    const inner = level.flatMap((group) => group.members.filter((m) => m.kind === kinds.group));
    const next = [];
    for (const group of inner) {
      if (shown + group.members.length > most) continue;
      shown += group.members.length;
      group.wanted = true;
      next.push(group);
    }
    level = next;
  }
}
openAtFirst();
