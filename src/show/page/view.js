// Drawing, on a canvas: only what is in view, with as much detail as its size on the screen allows.
const canvas = document.getElementById("canvas");
const context = canvas.getContext("2d");
let transform = vendor.zoomIdentity;
let selected = null;
let hovered = null;
let colorBy = "family";
let palette = {};

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const names = [
    "back", "raised", "text", "muted", "edge", "accent", "accent-soft", "scope", "scope-line", "hot", "product",
    "activation", "norm", "reduce", "arithmetic", "layout", "convert", "control", "other",
  ];
  palette = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// What boxes can be colored by, with the value of an item.
const measures = {
  family: { label: "op family", of: () => null },
  time: { label: "time", of: (item) => item.of.ms, unit: "ms" },
  operations: { label: "FLOPs", of: (item) => item.of.operations },
  bytes: { label: "bytes", of: (item) => item.of.bytes },
  parameters: { label: "parameters", of: (item) => item.of.parameters },
};
let hottest = 1;

function setColor(by) {
  colorBy = by;
  const values = operators.map((item) => measures[by].of(item) ?? 0);
  hottest = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  redraw();
}

// From 0 to 1 for an operator; a folded group may have more than its hottest operator.
const heat = (item) => Math.min(1, Math.sqrt((measures[colorBy].of(item) ?? 0) / hottest));

function colorOf(item) {
  if (item.kind === kinds.operator && colorBy === "family") return palette[item.of.family];
  return palette.muted;
}

let isPending = false;
function redraw() {
  if (isPending) return;
  isPending = true;
  requestAnimationFrame(() => { isPending = false; draw(); });
}

function resize() {
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = canvas.getBoundingClientRect();
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  redraw();
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = palette.back;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const { k, x, y } = transform;
  const seen = { x0: -x / k, y0: -y / k, x1: (canvas.width / ratio - x) / k, y1: (canvas.height / ratio - y) / k };
  context.translate(x, y);
  context.scale(k, k);
  drawGroup(root, 0, 0, seen, k);
}

function rounded(x, y, w, h, r) {
  context.beginPath();
  context.roundRect(x, y, w, h, r);
}

function drawGroup(group, x, y, seen, k) {
  if (!group.lines) return;
  if (group.parent) {
    const isMarked = group === selected || group === hovered;
    rounded(x, y, group.w, group.h, 12);
    context.fillStyle = palette.scope;
    context.fill();
    context.lineWidth = isMarked ? 2 : 1;
    context.strokeStyle = isMarked ? palette.accent : palette["scope-line"];
    context.stroke();
  }
  if (group.h * k < 5) return;
  drawLines(group, x, y, k);
  for (const member of group.members) {
    const [mx, my] = [x + member.x, y + member.y];
    if (mx > seen.x1 || my > seen.y1 || mx + member.w < seen.x0 || my + member.h < seen.y0) continue;
    if (member.open) drawGroup(member, mx, my, seen, k);
    else drawBox(member, mx, my, k);
  }
  if (k > 0.55) drawLabels(group, x, y, seen);
  if (group.parent && k > 0.3) {
    context.textAlign = "left";
    context.textBaseline = "middle";
    drawSign(x + 17, y + 16, false);
    context.font = fonts.title;
    halo(group.title, x + 30, y + 16.5);
  }
}

// Lines are vertical at their points, so that those of a group and the one around it join smoothly.
function trace(path, points, x, y) {
  let [px, py] = points[0];
  path.moveTo(x + px, y + py);
  for (const [qx, qy] of points.slice(1)) {
    const half = (py + qy) / 2;
    if (Math.abs(px - qx) < 0.5) path.lineTo(x + qx, y + qy);
    else path.bezierCurveTo(x + px, y + half, x + qx, y + half, x + qx, y + qy);
    [px, py] = [qx, qy];
  }
}

function drawLines(group, x, y, k) {
  if (!group.curves) {
    group.curves = new Path2D();
    group.lines.forEach((line) => trace(group.curves, line.points, 0, 0));
  }
  context.save();
  context.translate(x, y);
  context.lineWidth = Math.max(1.25, 0.6 / k);
  context.strokeStyle = palette.edge;
  context.stroke(group.curves);
  const marked = markedTensors();
  const lines = marked.size ? group.lines.filter((line) => line.tensors.some((t) => marked.has(t))) : [];
  if (lines.length) {
    context.strokeStyle = palette.accent;
    context.lineWidth = Math.max(2, 1.2 / k);
    context.beginPath();
    lines.forEach((line) => trace(context, line.points, 0, 0));
    context.stroke();
  }
  if (k > 0.3) {
    const arrows = (all, color) => {
      context.fillStyle = color;
      context.beginPath();
      for (const { points, arrow } of all) {
        if (!arrow) continue;
        const [ax, ay] = points.at(-1);
        context.moveTo(ax, ay);
        context.lineTo(ax - 3.6, ay - 6.5);
        context.lineTo(ax + 3.6, ay - 6.5);
      }
      context.fill();
    };
    arrows(group.lines, palette.edge);
    arrows(lines, palette.accent);
  }
  context.restore();
}

// The tensors of what is selected, or under the pointer.
let marks = { item: null, tensors: new Set() };
function markedTensors() {
  const item = hovered && hovered.kind !== kinds.group ? hovered : selected;
  if (marks.item !== item) marks = { item, tensors: new Set(tensorsOf(item)) };
  return marks.tensors;
}
function tensorsOf(item) {
  if (!item || item === root) return [];
  if (item.kind === kinds.operator) return [...item.of.sources, ...item.of.results];
  if (item.kind === kinds.group) return [...item.ins.keys(), ...item.outs.keys()];
  return [network.tensors.indexOf(item.of)];
}

function drawLabels(group, x, y, seen) {
  context.font = fonts.label;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const label of group.labels) {
    const [lx, ly] = [x + label.x, y + label.y];
    if (lx < seen.x0 - 90 || lx > seen.x1 + 90 || ly < seen.y0 || ly > seen.y1) continue;
    halo(label.text, lx, ly);
  }
}

// A text that interrupts the lines behind it.
function halo(text, x, y) {
  context.strokeStyle = palette.back;
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeText(text, x, y);
  context.fillStyle = palette.muted;
  context.fillText(text, x, y);
}

function drawSign(x, y, isPlus) {
  context.strokeStyle = palette.muted;
  context.lineWidth = 1.4;
  context.beginPath();
  context.roundRect(x - 6, y - 6, 12, 12, 3.5);
  context.moveTo(x - 3, y);
  context.lineTo(x + 3, y);
  if (isPlus) {
    context.moveTo(x, y - 3);
    context.lineTo(x, y + 3);
  }
  context.stroke();
}

function drawBox(item, x, y, k) {
  const isMarked = item === selected || item === hovered;
  const color = colorOf(item);
  const isTerminal = item.kind === kinds.input || item.kind === kinds.output;
  const radius = isTerminal ? item.h / 2 : 8;
  if (item.h * k < 7) {
    context.fillStyle = color;
    context.globalAlpha = colorBy === "family" ? 0.75 : 0.18 + 0.8 * heat(item);
    if (colorBy !== "family") context.fillStyle = palette.hot;
    context.fillRect(x, y, item.w, item.h);
    context.globalAlpha = 1;
    return;
  }
  if (item.kind === kinds.group) {
    // A second sheet behind it.
    rounded(x + 4, y + 4, item.w, item.h, 8);
    context.fillStyle = palette.raised;
    context.fill();
    context.strokeStyle = palette["scope-line"];
    context.lineWidth = 1;
    context.stroke();
  }
  rounded(x, y, item.w, item.h, radius);
  context.fillStyle = palette.raised;
  context.fill();
  const tint = (fill, alpha) => {
    context.globalAlpha = alpha;
    context.fillStyle = fill;
    context.fill();
    context.globalAlpha = 1;
  };
  if (colorBy !== "family" && !isTerminal) tint(palette.hot, 0.85 * heat(item));
  else if (item.kind === kinds.operator) tint(color, 0.11);
  context.strokeStyle = isMarked ? palette.accent : item.kind === kinds.operator ? color : palette["scope-line"];
  context.globalAlpha = isMarked || item.kind !== kinds.operator ? 1 : 0.5;
  context.lineWidth = isMarked ? 2.5 : 1.2;
  context.stroke();
  context.globalAlpha = 1;
  if (k > 0.28) drawTexts(item, x, y, k);
}

function drawTexts(item, x, y, k) {
  const isGroup = item.kind === kinds.group;
  context.textAlign = isGroup ? "left" : "center";
  context.textBaseline = "middle";
  const left = isGroup ? x + 32 : x + item.w / 2;
  if (isGroup) drawSign(x + 17, y + item.h / 2, true);
  context.font = fonts.title;
  const isHot = colorBy !== "family" && heat(item) > 0.6;
  context.fillStyle = isHot ? "#ffffff" : item.kind === kinds.operator && colorBy === "family" ? colorOf(item) : palette.text;
  context.fillText(item.title, left, y + item.h / 2 - 8);
  if (k < 0.42) return;
  context.font = fonts.text;
  context.fillStyle = isHot ? "#ffffff" : palette.muted;
  context.fillText(item.text, left, y + item.h / 2 + 9);
}

// What is at a point of the screen: the innermost, and whether it is the sign that folds.
function itemAt(px, py) {
  const [wx, wy] = transform.invert([px, py]);
  let [group, x, y] = [root, 0, 0];
  for (;;) {
    const inside = group.members.find((m) =>
      wx >= x + m.x && wx <= x + m.x + m.w && wy >= y + m.y && wy <= y + m.y + m.h);
    if (!inside) return { item: group, isSign: group.parent && wy < y + head && wx < x + 30 };
    [x, y] = [x + inside.x, y + inside.y];
    if (!inside.open) return { item: inside, isSign: inside.kind === kinds.group && wx < x + 30 };
    group = inside;
  }
}

// The place of an item in the drawing, or of the folded group that contains it.
function placeOf(item) {
  const outer = [...ancestors(item)].reverse();
  const shown = outer.find((group) => !group.open) ?? item;
  let [x, y] = [shown.x, shown.y];
  for (const group of ancestors(shown)) [x, y] = [x + group.x, y + group.y];
  return { x, y, w: shown.w, h: shown.h, shown };
}
