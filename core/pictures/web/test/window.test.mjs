// Where do pictures stand at first, and where after a window has become another one?
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, folder, launch, open, takt } from "./browser.mjs";
import { testsAfter } from "./tests_after.mjs";

const telephone = { width: 390, height: 800 };
let browser;
const test = testsAfter(async () => {
  browser = await launch();
  // A hundred tasks side by side, between two.
  const tasks = ["begin", ...Array.from({ length: 100 }, (_, i) => `part${i}`), "end"];
  const edges = tasks.slice(1, -1).flatMap((task) => [`  - {from: begin, to: ${task}, size: 1}`, `  - {from: ${task}, to: end, size: 1}`]);
  writeFileSync(join(folder, "wide.yaml"), `tasks:\n${tasks.map((task) => `  - {name: ${task}, work: 5}`).join("\n")}\nedges:\n${edges.join("\n")}\n`);
  takt("view", "wide.yaml", "--picture", "Task graph", "--output", "wide.html");
  takt("graph", "fft:depth=2", "--output", "small.yaml");
  takt("view", "small.yaml", "--picture", "Task graph", "--output", "small.html");
});

// The texts of the newest picture.
const labels = async (page) => {
  await page.evaluate(() => (window.written.length = 0));
  await page.locator(".graph canvas").evaluate(() => dispatchEvent(new Event("afterprint")));
  return (await page.evaluate(() => window.written)).map((each) => each.text);
};

test("a layer of a hundred tasks can be read at once, beginning at the source", async () => {
  const page = await open(browser, "wide.html", { viewport: telephone });
  const first = await labels(page);
  assert.ok(first.includes("begin"), first.join(" "));
  assert.ok(first.some((each) => each.startsWith("part")));
  const canvas = page.locator(".graph canvas"), box = await canvas.boundingBox();
  // The overview in the lower right corner leads to the last ones.
  await canvas.click({ position: { x: box.width - 12, y: box.height - 20 } });
  assert.ok((await labels(page)).includes("part99"));
  await canvas.focus();
  await page.keyboard.press("0");
  assert.deepEqual(await labels(page), [], "everything has no room for names");
  page.checkQuiet();
});

test("a small graph is shown whole, and has no overview", async () => {
  const page = await open(browser, "small.html", { viewport: telephone });
  const canvas = page.locator(".graph canvas"), box = await canvas.boundingBox();
  const before = await canvas.evaluate((each) => each.toDataURL());
  await canvas.click({ position: { x: box.width - 10, y: box.height - 10 } });
  await page.mouse.move(0, 0);
  await drawn(page);
  assert.equal(await canvas.evaluate((each) => each.toDataURL()), before, "nothing is there that leads elsewhere");
  page.checkQuiet();
});

test("marks of axes of logarithms stand at their values, and dots have no names of their own", async () => {
  const line = (constant, slope) => `{constant: [${constant}, ${constant}, ${constant}], per_byte: [${slope}, ${slope}, ${slope}], residual: 0}`;
  writeFileSync(join(folder, "m.yaml"), "processors: 2\nprofile: predict\nprofiles: {predict: {all: {latency: 1000 + 1}}}\ncalibration:\n  links:\n    - level: node\n      ranks: [0, 1]\n      empty_round_trip: 2000\n" +
    `      predict:\n        - {range: [1, 1048576], points: 3, samples: 9, latency: ${line(1000, 1)}, send_overhead: ${line(10, 0)}, receive_overhead: ${line(20, 0)}, gap: ${line(30, 0.5)}}\n` +
    "      measured: [[1, 2031, 10, 20, 30, 2031, 10, 20, 30], [1024, 3054, 10, 20, 542, 3054, 10, 20, 542]]\n");
  takt("view", "m.yaml", "--output", "m.html");
  const page = await open(browser, "m.html"), chart = page.locator("section[aria-label='node, ranks 0 and 1: medians']");
  assert.deepEqual(await chart.locator(".legend .entry").allInnerTexts(), ["lone message", "o_send", "L", "o_recv", "g"]);
  await page.evaluate(() => (window.written.length = 0));
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  const marks = (await page.evaluate(() => window.written)).filter((each) => each.of === "node, ranks 0 and 1: medians" && /^\d+ (B|KiB|MiB)$/.test(each.text));
  const bytes = marks.map(({ text }) => Number(text.split(" ")[0]) * { B: 1, KiB: 1024, MiB: 1048576 }[text.split(" ")[1]]);
  assert.ok(bytes.length >= 4, marks.map((each) => each.text).join());
  // Equal factors are equally far apart.
  const steps = marks.slice(1).map((each, i) => (each.x - marks[i].x) / Math.log2(bytes[i + 1] / bytes[i]));
  for (const step of steps) assert.ok(Math.abs(step - steps[0]) < 0.5 && step > 10, steps.join());
  page.checkQuiet();
});

test("what was looked at stays in the middle when the window becomes another one", async () => {
  const page = await open(browser, "small.html"), canvas = page.locator(".graph canvas");
  await canvas.focus();
  await page.keyboard.press("+");
  const wide = await labels(page);
  assert.ok(wide.length > 4);
  await page.setViewportSize(telephone);
  await drawn(page);
  await drawn(page);
  assert.ok((await labels(page)).length > 0, "part of the graph is still there");
  page.checkQuiet();
});

test("a picture cannot be moved to where nothing is, and a click with an unsteady hand moves nothing", async () => {
  const page = await open(browser, "small.html"), canvas = page.locator(".graph canvas"), box = await canvas.boundingBox();
  const begin = await canvas.evaluate((each) => each.toDataURL());
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 7, box.y + 6);
  await page.mouse.up();
  await page.mouse.move(0, 0);
  await drawn(page);
  assert.equal(await canvas.evaluate((each) => each.toDataURL()), begin);
  await canvas.focus();
  for (let i = 0; i < 40; ++i) await page.keyboard.press("Shift+ArrowRight");
  await drawn(page);
  assert.notEqual(await canvas.evaluate((each) => each.toDataURL()), begin);
  const inked = await canvas.evaluate((each) => {
    const { data } = each.getContext("2d").getImageData(0, 0, each.width, each.height), seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size;
  });
  assert.ok(inked > 3, "a part stays in it");
  page.checkQuiet();
});

// The texts of an SVG that cover each other, and elements that reach beyond the window, or beyond a box that does not scroll. Turned texts have boxes far
// larger than themselves.
const misplaced = (page) => page.evaluate(() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg")) {
    const boxes = [...svg.querySelectorAll("text")].filter((each) => each.textContent.trim() && !/rotate/.test(each.getAttribute("transform") ?? "")).map((each) => [each.textContent, each.getBoundingClientRect()]);
    boxes.forEach(([text, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 0.3 * Math.min(a.height, b.height)) found.push(`'${text}' over '${other}'`);
    }));
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`page of ${document.documentElement.scrollWidth} pixels in ${innerWidth}`);
  for (const box of document.querySelectorAll(".scrolls")) if (box.scrollWidth > box.clientWidth + 1 && !["auto", "scroll"].includes(getComputedStyle(box).overflowX)) found.push(`${box.ariaLabel}: ${box.scrollWidth} pixels in ${box.clientWidth}`);
  return found;
});

test("no text covers another one and no table is cut off, on any screen", async () => {
  // A report with more columns than any window holds, and schedulers whose points lie close together.
  const counters = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`packets_of_kind_${i}`, 1e6 + i]));
  writeFileSync(join(folder, "wide.json"), JSON.stringify({ pipeline: "p", sources: [{ name: "a", counters }, { name: "b", counters }], ranks: [{ rank: 0, compute: 0.5 }] }));
  takt("view", "wide.json", "--output", "wide-report.html");
  takt("compare", "fft:depth=3", "send_tree:depth=3", "--machine", "delay:P=4", "--schedulers", "list", "--format", "html", "--output", "compared.html");
  for (const file of ["wide-report.html", "compared.html"]) {
    const page = file === "compared.html" ? await (await browser.newContext({ offline: true })).newPage() : await open(browser, file);
    if (file === "compared.html") await page.goto("file://" + join(folder, file));
    for (const width of [390, 1280, 2560])
      for (const colorScheme of ["light", "dark"]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await drawn(page);
        await drawn(page);
        const wrong = await misplaced(page);
        assert.deepEqual(wrong, [], `${file} at ${width} pixels, ${colorScheme}`);
      }
  }
});

test("the name of an axis stands beside its marks, however long these are", async () => {
  writeFileSync(join(folder, "front.json"), JSON.stringify([1, 2, 3].map((processors) => ({ processors, period: 4e7 / processors, frequency: processors / 4e7, latency: 987654321 / processors, replicas: 1, scheduler: "optfo" }))));
  takt("view", "front.json", "--output", "long-front.html");
  for (const width of [390, 1280]) {
    const page = await open(browser, "long-front.html", { viewport: { width, height: 900 } });
    await page.evaluate(() => (window.written.length = 0));
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    const written = await page.evaluate(() => window.written);
    assert.ok(written.every((each) => !/[⁰¹²³⁴-⁹]|e[+-]/.test(each.text)), written.map((each) => each.text).join(" | "));
    const name = written.filter((each) => each.isTurned).at(-1), marks = written.filter((each) => each.align === "right" && !each.isTurned);
    assert.match(name.text, /^latency \(.*ticks\)$/);
    assert.ok(marks.length > 1);
    for (const mark of marks) assert.ok(mark.x - mark.width > name.left + 6, `'${mark.text}' stands over '${name.text}'`);
    page.checkQuiet();
  }
});
