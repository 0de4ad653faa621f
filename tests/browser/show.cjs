// Tests the page of `tpulang show --html` in Chromium: node show.cjs BINARY CHROMIUM
// With the name of a page and of an operator it makes pictures instead: node show.cjs CHROMIUM --pictures PAGE NAME FOLDER
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tpulang-show-"));
const options = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

// Names with what ends strings, elements and scripts.
const hostile = '</script><img src=x onerror="window.hurt=1">\\"\'';

function smallSpec() {
  const block = {
    inputs: ["i"], outputs: ["r"],
    ops: [
      { op: "matmul", args: { input: "i", right: "w" }, out: "product" },
      { op: "relu", args: { input: "product" }, out: "r" },
    ],
  };
  const layer = (i, from) => ({ op: "block", args: { i: from }, out: `encoder/layer${i}` });
  return {
    version: 1, name: "small", inputs: ["x"], outputs: ["y"], functions: { block },
    tensors: { x: { shape: [2, 3] }, w: { shape: [3, 3], coeff: true, data: [1, -2, 3, 4, 5, 6, 7, 8, 9] } },
    ops: [
      layer(0, "x"), layer(1, "encoder/layer0"), { op: "tanh", args: { input: "encoder/layer1" }, out: hostile },
      { op: "softmax", args: { input: hostile, axis: 1 }, out: "y" },
    ],
  };
}

// 10,000 operators without scopes.
function longSpec() {
  const ops = [];
  let last = "x";
  for (let i = 0; i < 10000; i += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((j) => `t${i + j}`);
    ops.push(
      { op: "relu", args: { input: last }, out: a }, { op: "tanh", args: { input: last }, out: b },
      { op: "mul", args: { tensor_i0: a, tensor_i1: b }, out: c }, { op: "add", args: { tensor_i0: c, tensor_i1: last }, out: d });
    last = d;
  }
  return { version: 1, name: "long", tensors: { x: { shape: [1, 64] } }, inputs: ["x"], ops, outputs: [last] };
}

function pageOf(binary, spec, ...more) {
  const [model, html] = [path.join(folder, `${spec.name}.json`), path.join(folder, `${spec.name}.html`)];
  fs.writeFileSync(model, JSON.stringify(spec));
  execFileSync(binary, ["show", model, "--html", html, ...more]);
  return html;
}

async function open(context, file) {
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(`the page has an error: ${error.stack}`));
  page.on("request", (request) => assert.match(request.url(), /^(file|data|blob|about):/, "the page asks for more"));
  await page.goto(`file://${file}`);
  await page.waitForSelector("body[data-ready=true]");
  return page;
}

const find = (page, name, kind) => page.evaluate(([name, kind]) => window.shownNetwork.find(name, kind), [name, kind]);
const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];
const heading = (page) => page.textContent("#panel h2");
const pixel = (page) => page.evaluate(() => {
  window.shownNetwork.draw();
  return [...document.getElementById("canvas").getContext("2d").getImageData(3, 3, 1, 1).data].join();
});

async function small(context, binary) {
  const profile = path.join(folder, "profile.json");
  fs.writeFileSync(profile, JSON.stringify({ ms: 3, steps: [{ name: "y", op: "Softmax", ms: 1 }, { name: hostile, ms: 2 }] }));
  const file = pageOf(binary, smallSpec(), "--profile", profile);
  const page = await open(context, file);
  assert.equal(await heading(page), "small");
  assert.match(await page.textContent("#panel"), /coefficients: 36 B/);

  // A click shows an operator; its weights have statistics.
  const product = await find(page, "encoder/layer0/product");
  assert.equal(product.folded, false);
  await page.mouse.click(...middle(product));
  assert.equal(await heading(page), "encoder/layer0/product");
  assert.match(await page.textContent("#panel"), /min -2 · max 9 · mean 4\.556/);
  assert.equal(await page.locator("#panel .histogram rect").count(), 32);

  // The sign of a scope folds and unfolds it.
  const scope = await find(page, "encoder/layer0", "group");
  const { k } = await page.evaluate(() => window.shownNetwork.transform());
  await page.mouse.click(scope.x + 17 * k, scope.y + 16 * k);
  await page.waitForFunction(() => window.shownNetwork.find("encoder/layer0/product").folded);
  const folded = await find(page, "encoder/layer0", "group");
  await page.mouse.dblclick(...middle(folded));
  await page.waitForFunction(() => !window.shownNetwork.find("encoder/layer0/product").folded);

  // Search unfolds what is around a match, and selects it.
  await page.click("#fold");
  await page.waitForFunction(() => window.shownNetwork.find("encoder/layer1/product").folded);
  await page.keyboard.press("/");
  await page.keyboard.type("layer1 matmul");
  assert.equal(await page.locator("#results [role=option]").count(), 1);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !window.shownNetwork.find("encoder/layer1/product").folded);
  assert.equal(await heading(page), "encoder/layer1/product");
  await page.fill("#search", "no such thing");
  assert.equal(await page.textContent("#results"), "Nothing found");
  await page.keyboard.press("Escape");

  // Hostile names are text.
  await page.fill("#search", "onerror tanh");
  assert.equal(await page.locator("#results [role=option]").count(), 1);
  await page.press("#search", "Enter");
  assert.equal(await heading(page), hostile);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  await page.keyboard.press("Escape");

  // Zoom and pan.
  const before = await page.evaluate(() => window.shownNetwork.transform());
  await page.mouse.move(300, 300);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction((k) => window.shownNetwork.transform().k > k * 1.2, before.k);
  const zoomed = await page.evaluate(() => window.shownNetwork.transform());
  await page.mouse.down();
  await page.mouse.move(340, 330, { steps: 4 });
  await page.mouse.up();
  const moved = await page.evaluate(() => window.shownNetwork.transform());
  assert.deepEqual([Math.round(moved.x - zoomed.x), Math.round(moved.y - zoomed.y)], [40, 30]);

  // Times are there, and colors by other figures.
  assert.equal(await page.inputValue("#colors"), "time");
  await page.selectOption("#colors", "parameters");

  // The theme is the system's, until it is chosen.
  const light = await pixel(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.classList.contains("dark"));
  const dark = await pixel(page);
  assert.notEqual(dark, light);
  await page.click("#theme");
  assert.equal(await pixel(page), light);
  await page.close();
  return file;
}

async function long(context, binary) {
  const started = performance.now();
  const page = await open(context, pageOf(binary, longSpec()));
  const opened = performance.now() - started;
  assert.equal(await page.evaluate(() => window.shownNetwork.count), 10000);
  await page.fill("#search", "t7777");
  await page.press("#search", "Enter");
  await page.waitForFunction(() => window.shownNetwork.find("t7777").folded === false);
  assert.equal(await heading(page), "t7777");
  await page.click("#unfold");
  await page.waitForFunction(() => !window.shownNetwork.find("t1").folded && !window.shownNetwork.find("t9999").folded);
  await page.keyboard.press("f");
  const frame = await page.evaluate(() => {
    const begun = performance.now();
    for (let i = 0; i < 10; i++) window.shownNetwork.draw();
    return (performance.now() - begun) / 10;
  });
  console.log(`10,000 operators: written and opened in ${opened.toFixed(0)} ms; drawn whole in ${frame.toFixed(0)} ms`);
  await page.close();
}

// Notebooks show a page in a frame.
async function framed(context, file) {
  const text = fs.readFileSync(file, "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const outer = path.join(folder, "notebook.html");
  fs.writeFileSync(outer, `<!doctype html><iframe srcdoc="${text}" style="width: 100%; height: 600px"></iframe>`);
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(`the frame has an error: ${error.stack}`));
  await page.goto(`file://${outer}`);
  await page.frameLocator("iframe").locator("body[data-ready=true]").waitFor();
  assert.equal(await page.frameLocator("iframe").locator("#panel h2").first().textContent(), "small");
  await page.close();
}

async function pictures(context, file, name, to) {
  const page = await open(context, path.resolve(file));
  await page.fill("#search", name);
  await page.press("#search", "Enter");
  await page.waitForFunction((name) => window.shownNetwork.find(name).folded === false, name);
  await page.evaluate(() => document.activeElement.blur());
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: path.join(to, theme === "light" ? "show.png" : "show-dark.png") });
  }
}

async function main() {
  const [first, second, ...rest] = process.argv.slice(2);
  const isPicture = second === "--pictures";
  const context = await chromium.launchPersistentContext(path.join(folder, "profile"), {
    executablePath: isPicture ? first : second, headless: true, args: options, colorScheme: "light",
    viewport: isPicture ? { width: 1180, height: 700 } : { width: 1280, height: 800 },
  });
  try {
    if (isPicture) return await pictures(context, ...rest);
    const file = await small(context, first);
    await framed(context, file);
    await long(context, first);
    console.log("the page works in Chromium");
  } finally {
    await context.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
