// Does the page of a running pipeline follow it?
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessible, folder, ink, launch, program } from "./browser.mjs";
import { faultsOf } from "./reading.mjs";

let browser, run, address;
// Where it is served, with its token.
const addressOf = (process) => new Promise((found, failed) => {
  let said = "";
  process.stderr.on("data", (text) => {
    said += text;
    const match = /http:\/\/[\d.:]+\/#[0-9a-f]{32}/.exec(said);
    if (match) found(match[0]);
  });
  process.on("exit", () => failed(new Error(said)));
});
const end = async (process) => {
  const ended = new Promise((done) => process.on("exit", done));
  process.kill("SIGINT");
  await ended;
};
before(async () => {
  browser = await launch();
  writeFileSync(join(folder, "live.yaml"), "name: at work\nsources:\n  s: {type: synthetic, element: complex_float32, axes: [time=1024], rate: 100 Hz, frames: 100000, pattern: tone, frequency: 0.25}\n" +
    "tasks:\n  work: {kernel: pass, input: s}\nsinks:\n  n: {type: raw, input: work, path: live.raw}\nrate: 100 Hz\n");
  run = spawn(program, ["run", "live.yaml", "--serve", "0"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  address = await addressOf(run);
});
after(async () => {
  await browser.close();
  await end(run);
});

test("figures and curves follow the run, without a message on the console", async () => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage(), said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  await page.goto(address);
  await page.waitForSelector("html[data-ready=yes]");
  const delivered = async () => Number(await page.locator(".facts div:has(dt:text-is('delivered')) dd").innerText());
  await page.waitForFunction(() => /at work/.test(document.title));
  const first = await delivered();
  await page.waitForFunction((before) => [...document.querySelectorAll(".facts div")].some((each) => /delivered/.test(each.textContent) && parseInt(each.querySelector("dd").textContent) > before + 50), first);
  await page.waitForSelector(".graph canvas");
  await page.waitForFunction(() => document.querySelector(".graph canvas").dataset.drawn !== undefined);
  assert.ok((await ink(page, ".chart canvas")).colours > 4);
  assert.ok((await ink(page, ".graph canvas")).colours > 4);
  // Boxes are said to be what the legend calls them.
  await page.locator(".graph canvas").focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".graph .live").innerText(), /; (busy|idle)/);
  assert.match(await page.locator("section[aria-label='Tasks']").innerText(), /work\s+0\s+\d+/);
  assert.match(await page.locator("p[role=status]").innerText(), /^running, \d+ s/);
  // A pass of 8 KiB can be repeated far more than five times as often as is asked for: said, not left out.
  const [, predicted] = /predicted: ([\d.e+]+) frames\/s, far above the others/.exec(await page.locator("section[aria-label='Frequency'] .legend").innerText());
  const [, shown, kilo] = /^([\d.]+) (k?)Hz/.exec(await page.locator(".facts div:has(dt:text-is('predicted')) dd").innerText());
  assert.ok(Math.abs(Number(predicted) / (Number(shown) * (kilo ? 1000 : 1)) - 1) < 1e-3, `${predicted} and ${shown} ${kilo}Hz`);
  // Browsers have said nothing of what the page was kept from.
  assert.deepEqual(said, []);
  await page.context().close();
});

test("it fits a telephone and a wide screen, and can be used in the dark", async () => {
  const windows = [390, 1280, 2560].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ viewport: { width, height: 900 }, colorScheme })));
  for (const options of [...windows, { viewport: { width: 1100, height: 900 } }]) {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll("section[aria-label='Ranks'] tbody td").length > 0 && document.querySelector(".graph canvas")?.dataset.drawn !== undefined);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "fits its window");
    // No table has a part that must be moved into view.
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".scrolls")].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.getAttribute("aria-label"))), []);
    assert.deepEqual(await faultsOf(page), [], JSON.stringify(options));
    if (options.viewport.width === (options.colorScheme === "dark" ? 1280 : 390)) await accessible(page);
    await page.context().close();
  }
});

test("a probe shows the spectrum and the waterfall of a task", async () => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage(), said = [];
  page.on("console", (message) => said.push(message.text()));
  await page.goto(address);
  await page.waitForSelector("html[data-ready=yes]");
  const probe = page.locator("section[aria-label='probe']");
  await page.waitForFunction(() => document.querySelectorAll("section[aria-label='probe'] option").length === 3);
  await probe.locator("select").selectOption("work");
  // What is not on the screen is not drawn.
  await probe.locator(".waterfall canvas").scrollIntoViewIfNeeded();
  // A few rows of one colour with a line of another in it.
  await page.waitForFunction(() => {
    const canvas = document.querySelector("section[aria-label='probe'] .waterfall canvas");
    if (!canvas || canvas.width === 0) return false;
    const { data } = canvas.getContext("2d").getImageData(72, 8, canvas.width - 160, 20), seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size > 3;
  });
  const canvas = probe.locator(".chart canvas"), box = await canvas.boundingBox();
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await probe.locator(".chart .live").innerText(), /frequency \(kHz\): -51\.15;/);
  // The tone of 0.25 cycles per sample at 102.4 kHz.
  const peak = await page.evaluate(async () => {
    const events = new EventSource("events");
    return new Promise((found) => (events.onmessage = (event) => {
      const row = JSON.parse(event.data).probe;
      if (!row) return;
      events.close();
      const at = row.values.indexOf(Math.max(...row.values.map((value) => value ?? 0)));
      found(row.first + at / (row.values.length - 1) * (row.last - row.first));
    }));
  });
  assert.ok(Math.abs(peak - 25600) <= 100, String(peak));
  assert.ok(box.width > 300);
  await probe.locator("select").selectOption("none");
  // Chromium's word on how this test itself reads pixels.
  assert.deepEqual(said.filter((text) => !text.startsWith("Canvas2D: Multiple readback")), []);
  await page.context().close();
});

test("buttons steer the run for those who have its token, and not for others", async () => {
  const context = await browser.newContext(), page = await context.newPage();
  await page.goto(address.replace(/#.*/, ""));
  await page.waitForSelector("html[data-ready=yes]");
  await page.waitForFunction(() => document.querySelectorAll("section[aria-label='Tasks'] tbody tr").length === 3);
  await page.getByRole("button", { name: "stop writing" }).click();
  await page.waitForFunction(() => /enter the token/.test(document.querySelector("[aria-label=steering] [role=status]").textContent));
  await page.locator("[aria-label=steering] input").fill(address.replace(/.*#/, ""));
  await page.locator("[aria-label=steering] input").press("Enter");
  await page.getByRole("button", { name: "stop writing" }).click();
  await page.waitForFunction(() => /nothing is written/.test(document.querySelector("p[role=status]").textContent));
  await page.getByRole("button", { name: "start writing" }).click();
  await page.waitForFunction(() => !/nothing is written/.test(document.querySelector("p[role=status]").textContent));
  await page.getByRole("button", { name: "new files" }).click();
  await page.waitForFunction(() => /sinks begin new files, as a user of the live page wanted/.test(document.querySelector(".log").textContent));
  await page.goto(address);
  await page.waitForSelector("html[data-ready=yes]");
  assert.ok(!page.url().includes(address.replace(/.*#/, "")), "the token is out of the address");
  assert.equal(await page.locator("[aria-label=steering] input").isVisible(), false);
  await context.close();
});

// The processes of this pipeline that are a rank.
const ranks = (file) => readdirSync("/proc").filter((id) => /^\d+$/.test(id)).filter((id) => {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(file) && /(^|\0)OMPI_COMM_WORLD_RANK=0\0/.test(readFileSync(`/proc/${id}/environ`, "utf8"));
  } catch {
    return false;
  }
}).map(Number);

test("ranks that are started again do what was wanted of those before them", async () => {
  const file = join(folder, "again.yaml");
  writeFileSync(file, "name: again\nsources:\n  s: {type: synthetic, element: complex_float32, axes: [time=1024], rate: 100 Hz, frames: 100000, pattern: tone}\n" +
    "tasks:\n  work: {kernel: pass, input: s}\nsinks:\n  n: {type: raw, input: work, path: again.raw}\ndeployment:\n  restart: {attempts: 3, backoff: 10 ms, every: 100 ms}\n");
  const again = spawn(program, ["run", file, "--serve", "0", "--trial", "0s"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  try {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: "dark" }), page = await context.newPage(), said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(await addressOf(again));
    await page.waitForFunction(() => document.querySelectorAll("section[aria-label='probe'] option").length === 3);
    // All that its events say from here on.
    await page.evaluate(() => {
      window.frames = [];
      const events = new EventSource("events");
      events.onmessage = (event) => window.frames.push(JSON.parse(event.data));
    });
    await page.locator("section[aria-label='probe'] select").selectOption("work");
    await page.getByRole("button", { name: "stop writing" }).click();
    await page.waitForFunction(() => window.frames.some((each) => each.probe && each.held));
    const [victim, ...others] = ranks(file);
    assert.deepEqual(others, []);
    process.kill(victim, "SIGKILL");
    await page.waitForFunction(() => window.frames.some((each) => each.stages.length === 0));
    await page.evaluate(() => (window.frames = []));
    await page.waitForFunction(() => window.frames.some((each) => each.stages.length > 0 && each.probe));
    await page.waitForFunction(() => /running, nothing is written/.test(document.querySelector("p[role=status]").textContent));
    assert.equal(await page.locator("section[aria-label='probe'] select").inputValue(), "work");
    // Nothing of what comes is written.
    await page.waitForFunction(() => window.frames.at(-1).stages.at(-1).frames > 20);
    const size = statSync(join(folder, "again.raw")).size;
    await page.evaluate(() => (window.frames = []));
    await page.waitForFunction(() => window.frames.length > 5);
    assert.equal(statSync(join(folder, "again.raw")).size, size);
    // Counts that begin anew are no negative rate.
    await page.locator("section[aria-label='Frequency'] .chart canvas").focus();
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press("ArrowRight");
      assert.doesNotMatch(await page.locator("section[aria-label='Frequency'] .live").innerText(), /: -\d/);
    }
    // The pipeline is drawn in a small window in the dark.
    await page.locator("section[aria-label='pipeline']").scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector(".graph canvas")?.dataset.drawn !== undefined);
    assert.ok((await ink(page, ".graph canvas")).colours > 4);
    assert.deepEqual(said.filter((text) => !text.startsWith("Canvas2D: Multiple readback")), []);
    await context.close();
  } finally {
    await end(again);
  }
});
