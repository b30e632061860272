// What the tests share: a browser without a network, pages of the program, and everything they must not do.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const program = process.env.TAKT_PROGRAM;
export const folder = mkdtempSync(join(tmpdir(), "takt-pages-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export const takt = (...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

// One browser for all files of tests that run together.
let started;
export const launch = () => (started ??= chromium.launch({
  executablePath: process.env.TAKT_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--force-color-profile=srgb", "--font-render-hinting=none"],
}).then((browser) => {
  // Other programs may have the processors for long.
  const make = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await make(options);
    context.setDefaultTimeout(180_000);
    return context;
  };
  return browser;
}));

// What canvases write, the newest texts last: they are no elements.
const listen = () => {
  const write = CanvasRenderingContext2D.prototype.fillText;
  window.written = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    if (window.written.length > 20000) window.written.splice(0, 10000);
    window.written.push({ text, x, y, width: this.measureText(text).width, align: this.textAlign, isTurned: this.getTransform().b !== 0, left: this.getTransform().e / (devicePixelRatio || 1), within: this.canvas.parentElement?.className ?? "", of: this.canvas.closest("section")?.ariaLabel ?? "" });
    return write.call(this, text, x, y, ...more);
  };
};
// One tab of each browser, since a new one costs three times as much as a page in it.
const tabs = new WeakMap();

// A page from a file, loaded anew in a window of this size and in these colours: no console message, no error, one request.
export const open = async (browser, file, { viewport = { width: 1280, height: 900 }, colorScheme = "light", listens = true } = {}) => {
  let page = tabs.get(browser);
  if (!page) {
    page = await (await browser.newContext({ offline: true, reducedMotion: "reduce" })).newPage();
    if (listens) await page.addInitScript(listen);
    tabs.set(browser, page);
  }
  const said = [], requests = [];
  for (const each of ["console", "pageerror", "request"]) page.removeAllListeners(each);
  await page.goto("about:blank");
  await page.mouse.move(0, 0);
  await page.emulateMedia({ media: null, colorScheme });
  await page.setViewportSize(viewport);
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(join(folder, file)).href);
  // Pages without views have no script of ours to wait for.
  await page.waitForSelector("html[data-ready=yes], body:not(:has(#page))");
  await page.waitForFunction(() => [...document.querySelectorAll(".surface canvas")].every((each) => each.dataset.drawn !== undefined || each.offsetParent === null));
  page.checkQuiet = () => {
    // Chromium's word on how the tests themselves read pixels.
    assert.deepEqual(said.filter((text) => !text.startsWith("Canvas2D: Multiple readback")), []);
    assert.equal(requests.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:")).length, 1, requests.join(" "));
  };
  return page;
};

// Until what was asked for is drawn.
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// How many colours a canvas shows, and the share of it that is not its background.
export const ink = (page, selector) => page.locator(selector).first().evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), seen = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const key = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return { colours: seen.size, inked: 1 - Math.max(...seen.values()) / (data.length / 4) };
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// What axe has to say against a page.
export const accessible = async (page) => {
  const context = page.context(), isolated = await context.newCDPSession(page);
  // The page forbids scripts of others; the tester's comes from outside.
  await isolated.send("Page.enable");
  await isolated.send("Runtime.evaluate", { expression: axe });
  const { result } = await isolated.send("Runtime.evaluate", { expression: "axe.run().then((all) => JSON.stringify(all.violations.map((each) => each.id + ': ' + each.nodes[0].html)))", awaitPromise: true });
  assert.deepEqual(JSON.parse(result.value), []);
  await isolated.detach();
};
