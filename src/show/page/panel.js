// The details of what is selected. Texts of the network become text nodes only.
const panel = document.getElementById("panel");

function element(tag, attributes = {}, ...children) {
  const isDrawn = ["svg", "rect", "path", "line"].includes(tag);
  const made = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(made.style, value);
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Three digits: 4.10 k.
function figure(n, unit = "") {
  let [value, prefix] = [n, ""];
  for (const next of ["k", "M", "G", "T", "P", "E"]) {
    if (value < 999.5) break;
    [value, prefix] = [value / 1000, next];
  }
  const digits = prefix === "" && Number.isInteger(value) ? 0 : value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${prefix}${unit}`.trim();
}
const short = (v) => (v === 0 || (Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5) ? String(Number(v.toPrecision(4))) : v.toExponential(2));

const rows = (all) => element("table", {}, ...all.filter(Boolean).map(([name, value]) =>
  element("tr", {}, element("td", {}, name), element("td", { class: "number" }, value))));

function costs(of) {
  return rows([
    of.operators > 1 && ["operators", of.operators.toLocaleString("en")],
    ["parameters", of.parameters.toLocaleString("en")],
    ["FLOPs", figure(of.operations)],
    ["bytes read and written", figure(of.bytes, "B")],
    of.ms !== null && ["time", `${of.ms.toFixed(3)} ms`],
  ]);
}

function link(item, text) {
  return element("a", { onclick: () => reveal(item) }, text);
}

function tensorBox(index, role) {
  const tensor = network.tensors[index];
  const producer = producers.get(index);
  const quantized = tensor.quantization ? element("p", {}, tensor.quantization) : null;
  return element("div", { class: "tensor" },
    element("span", { class: "role" }, role ? `${role}  ` : ""),
    producer ? link(producer, tensor.name) : element("span", {}, tensor.name),
    element("div", {}, element("code", {}, tensor.type)), quantized,
    tensor.preprocess ? element("p", {}, `preprocess: ${tensor.preprocess}`) : null,
    tensor.statistics ? statistics(tensor.statistics) : null);
}

function statistics({ min, max, mean, std, zeros, not_finite, histogram }) {
  const parts = [`min ${short(min)}`, `max ${short(max)}`, `mean ${short(mean)}`, `std ${short(std)}`];
  if (zeros) parts.push(`${zeros.toLocaleString("en")} zeros`);
  if (not_finite) parts.push(`${not_finite.toLocaleString("en")} NaN or infinite`);
  const box = element("div", {}, element("p", {}, parts.join(" · ")));
  if (histogram.length) {
    const most = Math.max(...histogram);
    const bars = histogram.map((count, i) => {
      const height = count ? Math.max(1, 42 * count / most) : 0;
      return element("rect", { x: i * 10, y: 44 - height, width: 9, height });
    });
    const title = `Histogram of ${histogram.length} bins from ${short(min)} to ${short(max)}`;
    box.append(element("svg", {
      class: "histogram", viewBox: `0 0 ${histogram.length * 10} 44`, preserveAspectRatio: "none", role: "img", "aria-label": title,
    }, ...bars));
  }
  return box;
}

const title = (text) => element("h3", {}, text);

function operatorDetails({ of }) {
  const inputs = of.operands.filter(([, tensor]) => !network.tensors[tensor].coefficient);
  const coefficients = of.operands.filter(([, tensor]) => network.tensors[tensor].coefficient);
  const parts = [
    element("span", { class: "tag", style: { background: `var(--${of.family})` } }, of.op),
    element("h2", {}, of.name),
    element("p", {}, of.function ? `by the function ${of.function}` : `top.${of.op}`,
      of.line ? `, line ${of.line} of ${network.source ?? "the spec"}` : ""),
    costs(of), element("p", {}, `${figure(network.memory.live[of.index], "B")} of values are live while it runs`),
  ];
  if (of.attributes.length) {
    const all = [...of.attributes].sort((a, b) => a.default - b.default);
    parts.push(title("Attributes"), element("table", {}, ...all.map((attribute) =>
      element("tr", attribute.default ? { class: "default", title: "the default" } : {},
        element("td", {}, attribute.name), element("td", { class: "code" }, attribute.value)))));
  }
  if (inputs.length) parts.push(title("Inputs"), ...inputs.map(([role, tensor]) => tensorBox(tensor, role)));
  if (coefficients.length) parts.push(title("Coefficients"), ...coefficients.map(([role, tensor]) => tensorBox(tensor, role)));
  parts.push(title("Results"), ...of.results.map((tensor) => tensorBox(tensor, "")));
  return parts;
}

// The operators with the largest values.
function top(items, by) {
  const { label, of, unit } = measures[by];
  const all = items.filter((item) => of(item)).sort((a, b) => of(b) - of(a)).slice(0, 8);
  if (!all.length) return [];
  const most = of(all[0]);
  const row = (item) => element("tr", {},
    element("td", { style: { width: "65%", whiteSpace: "normal" } }, link(item, item.of.name),
      element("div", { class: "bar", style: { width: `${100 * of(item) / most}%` } })),
    element("td", { class: "number" }, unit ? `${of(item).toFixed(3)} ${unit}` : figure(of(item))));
  return [title(`Most ${label}`), element("table", {}, ...all.map(row))];
}

function* operatorsIn(group) {
  for (const member of group.members) {
    if (member.kind === kinds.operator) yield member;
    else if (member.kind === kinds.group) yield* operatorsIn(member);
  }
}

function groupDetails(item) {
  const of = item.of;
  const inside = [...operatorsIn(item)];
  const tensors = (name, all) => all.length ? [title(name), ...all.slice(0, 20).map((tensor) => tensorBox(tensor, ""))] : [];
  return [
    element("h2", {}, of.path || of.name), of.path && of.path !== of.name ? element("p", {}, of.name) : null, costs(of),
    element("p", {}, element("a", { onclick: () => toggle(item) }, item.open ? "Fold" : "Unfold")),
    ...top(inside, network.memory.timed ? "time" : "operations"),
    ...tensors("Enter", [...item.ins.keys()]), ...tensors("Leave", [...item.outs.keys()]),
  ].filter(Boolean);
}

function terminalDetails(item) {
  return [element("p", {}, item.kind), ...[tensorBox(network.tensors.indexOf(item.of), "")]];
}

function networkDetails() {
  const counts = new Map();
  operators.forEach((item) => counts.set(item.of.op, (counts.get(item.of.op) ?? 0) + 1));
  const families = new Map(operators.map((item) => [item.of.op, item.of.family]));
  const mark = (op) => element("i", { class: "mark", style: { background: `var(--${families.get(op)})` }, title: families.get(op) });
  const all = [...counts].sort((a, b) => b[1] - a[1]);
  return [
    element("h2", {}, network.name), network.source ? element("p", {}, network.source) : null, costs(network.groups[0]),
    ...memoryChart(), title("Ops"),
    element("table", {}, ...all.map(([op, count]) =>
      element("tr", {}, element("td", {}, mark(op), op), element("td", { class: "number" }, count.toLocaleString("en"))))),
    ...top(operators, network.memory.timed ? "time" : "operations"),
    title("Inputs"), ...network.arguments.filter(([, group]) => group === 0).map(([tensor]) => tensorBox(tensor, "")),
    title("Outputs"), ...network.outputs.map((tensor) => tensorBox(tensor, "")),
  ].filter(Boolean);
}

function memoryChart() {
  const { live, peak, coefficients } = network.memory;
  if (peak === null) return [];
  const width = 300;
  const most = live[peak] || 1;
  const count = Math.min(width, live.length);
  const part = (i) => live.slice(Math.floor(i * live.length / count), Math.floor((i + 1) * live.length / count));
  const bars = Array.from({ length: count }, (_, i) => 70 - 68 * part(i).reduce((a, b) => Math.max(a, b), 0) / most);
  const step = width / count;
  const path = `M0 72 ${bars.map((y, i) => `L${i * step} ${y} L${(i + 1) * step} ${y}`).join(" ")} L${width} 72 Z`;
  const at = (peak + 0.5) * width / live.length;
  const chart = element("svg", {
    class: "chart", viewBox: `0 0 ${width} 72`, preserveAspectRatio: "none", role: "img", "aria-label": "Memory of values over time",
    onclick: (event) => {
      const box = chart.getBoundingClientRect();
      reveal(operators[Math.min(live.length - 1, Math.floor((event.clientX - box.left) / box.width * live.length))]);
    },
  }, element("path", { d: path }), element("line", { x1: at, x2: at, y1: 0, y2: 72 }));
  return [
    title("Memory of values over time"), chart,
    element("p", {}, `at most ${figure(live[peak], "B")}, at `, link(operators[peak], operators[peak].of.name)),
    element("p", {}, `coefficients: ${figure(coefficients, "B")}`),
  ];
}

function showDetails() {
  const item = selected ?? root;
  const details = item === root ? networkDetails() : item.kind === kinds.operator ? operatorDetails(item)
    : item.kind === kinds.group ? groupDetails(item) : terminalDetails(item);
  panel.replaceChildren(...details);
  panel.scrollTop = 0;
}
