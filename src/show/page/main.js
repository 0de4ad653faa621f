// What the user does.
const $ = (id) => document.getElementById(id);
const search = $("search");
const results = $("results");
const progress = $("progress");

const zoom = vendor.zoom().scaleExtent([0.002, 4]).on("zoom", (event) => {
  transform = event.transform;
  redraw();
});
const zoomed = vendor.select(canvas).call(zoom).on("dblclick.zoom", null);
const setTransform = (k, x, y) => zoomed.call(zoom.transform, vendor.zoomIdentity.translate(x, y).scale(k));

function fit() {
  const { width, height } = canvas.getBoundingClientRect();
  const k = Math.min(1, (width - 40) / root.w, (height - 40) / root.h);
  // Of a tall network the beginning is shown, large enough to read.
  const readable = Math.max(k, Math.min(1, Math.max(0.6, (width - 40) / root.w)));
  setTransform(readable, (width - root.w * readable) / 2, readable > k ? 20 : (height - root.h * k) / 2);
}

function fitAll() {
  const { width, height } = canvas.getBoundingClientRect();
  const k = Math.min(1, (width - 40) / root.w, (height - 40) / root.h);
  setTransform(k, (width - root.w * k) / 2, (height - root.h * k) / 2);
}

async function update() {
  const done = await layOut((i, of) => {
    progress.hidden = false;
    progress.textContent = `Laying out ${i} of ${of} scopes …`;
  });
  if (done) progress.hidden = true;
  redraw();
  return done;
}

function select(item) {
  selected = item === root ? null : item;
  showDetails();
  redraw();
}

// Folds or unfolds a group, which stays where it is on the screen.
async function toggle(group) {
  const before = placeOf(group);
  setOpen(group, !group.wanted);
  if (!(await update())) return;
  const after = placeOf(group);
  const { k, x, y } = transform;
  const center = (place) => place.x + place.w / 2;
  setTransform(k, x + (center(before) - center(after)) * k, y + (before.y - after.y) * k);
  showDetails();
}

async function setAll(open) {
  groups.forEach((group) => setOpen(group, open));
  if (await update()) fit();
  showDetails();
}

// Selects an item, unfolds what is around it, and brings it into view.
async function reveal(item) {
  select(item);
  for (const group of ancestors(item)) setOpen(group, true);
  if (!(await update())) return;
  const { x, y, w, h } = placeOf(item);
  const { width, height } = canvas.getBoundingClientRect();
  const k = Math.min(Math.max(transform.k, 0.8), 1.2, Math.max(0.05, (width - 60) / w));
  setTransform(k, width / 2 - (x + w / 2) * k, height / 2 - (y + Math.min(h, height / k) / 2) * k);
}

// Search.
const haystack = [...groups.slice(1), ...operators, ...terminals].map((item) => {
  const { op, name, path, attributes, function: by } = item.of;
  const texts = [path ?? name, op, by, ...(attributes ?? []).filter((a) => !a.default).map((a) => `${a.name}=${a.value}`)];
  return { item, text: texts.filter(Boolean).join("\n").toLowerCase() };
});
let found = [];
let current = -1;

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  found = words.length ? haystack.filter(({ text }) => words.every((word) => text.includes(word))).map(({ item }) => item) : [];
  current = -1;
  const most = 100;
  const row = (item, i) => element("div", { role: "option", onmousedown: (event) => { event.preventDefault(); choose(i); } },
    element("b", {}, item.kind === kinds.operator ? item.of.op : item.kind), element("span", {}, "\u200e" + (item.of.path ?? item.of.name)));
  const note = found.length > most ? `${found.length - most} more` : found.length ? null : "Nothing found";
  results.replaceChildren(...found.slice(0, most).map(row), ...(note ? [element("p", {}, note)] : []));
  results.hidden = !words.length;
}

function choose(i) {
  if (!found.length) return;
  current = (i + found.length) % found.length;
  [...results.children].forEach((row, j) => row.classList.toggle("current", j === current));
  results.children[current]?.scrollIntoView({ block: "nearest" });
  reveal(found[current]);
}

search.addEventListener("input", find);
search.addEventListener("focus", () => { if (search.value) results.hidden = false; });
search.addEventListener("blur", () => (results.hidden = true));
search.addEventListener("keydown", (event) => {
  const steps = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps) {
    event.preventDefault();
    choose(current < 0 && steps[event.key] < 0 ? found.length - 1 : current + steps[event.key]);
  } else if (event.key === "Escape") {
    search.blur();
  }
});

// The pointer: d3-zoom drags and zooms; a click selects.
const at = (event) => {
  const box = canvas.getBoundingClientRect();
  return itemAt(event.clientX - box.left, event.clientY - box.top);
};
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons) return;
  const { item } = at(event);
  const next = item === root ? null : item;
  canvas.classList.toggle("over", Boolean(next) && !next.open);
  if (next !== hovered) { hovered = next; redraw(); }
});
canvas.addEventListener("pointerleave", () => { hovered = null; redraw(); });
canvas.addEventListener("click", (event) => {
  const { item, isSign } = at(event);
  select(item);
  if (isSign) toggle(item);
});
canvas.addEventListener("dblclick", (event) => {
  const { item, isSign } = at(event);
  if (item.kind === kinds.group && item !== root && !isSign) toggle(item);
});
document.addEventListener("keydown", (event) => {
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    "/": () => search.focus(), f: fitAll, Escape: () => select(root),
    "+": () => zoomed.call(zoom.scaleBy, 1.3), "-": () => zoomed.call(zoom.scaleBy, 1 / 1.3),
    Enter: () => { if (selected?.kind === kinds.group) toggle(selected); },
  };
  const does = keys[event.key];
  const isTaken = event.target.tagName === "SELECT" || (event.target.tagName === "BUTTON" && event.key === "Enter");
  if (does && !isTaken) { event.preventDefault(); does(); }
});

// Light and dark: as the system, until the user chooses.
const system = window.matchMedia("(prefers-color-scheme: dark)");
function setDark(isDark) {
  document.documentElement.classList.toggle("dark", isDark);
  readPalette();
  redraw();
}
let isChosen = false;
system.addEventListener("change", () => { if (!isChosen) setDark(system.matches); });
$("theme").addEventListener("click", () => {
  isChosen = true;
  setDark(!document.documentElement.classList.contains("dark"));
});

$("fit").addEventListener("click", fitAll);
$("fold").addEventListener("click", () => setAll(false));
$("unfold").addEventListener("click", () => setAll(true));
for (const [name, { label, of }] of Object.entries(measures)) {
  if (name === "family" || operators.some((item) => of(item))) $("colors").append(element("option", { value: name }, label));
}
$("colors").addEventListener("change", (event) => setColor(event.target.value));
$("title").append(network.name, element("span", {},
  `${network.groups[0].operators.toLocaleString("en")} operators · ${figure(network.groups[0].parameters)} parameters`));
if (groups.length === 1) $("fold").hidden = $("unfold").hidden = true;

new ResizeObserver(resize).observe(canvas);
setDark(system.matches);
if (network.memory.timed) { $("colors").value = "time"; setColor("time"); }
showDetails();
resize();
update().then((done) => {
  if (done) fit();
  document.body.dataset.ready = "true";
});

// For scripts and tests: where things are, in pixels of the window.
window.shownNetwork = {
  // A function's result has the name of its scope; `kind` tells them apart.
  find(name, kind = "") {
    const all = [...operators, ...groups.slice(1), ...terminals];
    const item = all.find((item) => (item.of.path ?? item.of.name) === name && item.kind.startsWith(kind));
    if (!item) return null;
    const { x, y, w, h, shown } = placeOf(item);
    const box = canvas.getBoundingClientRect();
    const [left, top] = transform.apply([x, y]);
    return { x: box.left + left, y: box.top + top, w: w * transform.k, h: h * transform.k, folded: shown !== item || (item.kind === kinds.group && !item.open) };
  },
  count: operators.length,
  transform: () => ({ k: transform.k, x: transform.x, y: transform.y }),
  draw,
};
