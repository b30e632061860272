// live_cost.mjs [SECONDS]: what the page of a running pipeline costs the browser, as shares of a core. TAKT_PROGRAM is the program.
// Processor time of Chromium's processes from /proc; beside it that of an empty page, and of one that only receives.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { folder, program } from "./browser.mjs";

const seconds = Number(process.argv[2] ?? 30), ticksASecond = 100;
writeFileSync(join(folder, "live.yaml"), "name: at work\nsources:\n  s: {type: synthetic, element: complex_float32, axes: [time=1024], rate: 100 Hz, frames: 10000000, pattern: tone}\n" +
  "tasks:\n  a: {kernel: pass, input: s}\n  b: {kernel: pass, input: a}\nsinks:\n  n: {type: 'null', input: b}\nrate: 100 Hz\n");
const run = spawn(program, ["run", "live.yaml", "--serve", "0"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
const address = await new Promise((found) => run.stderr.on("data", (text) => {
  const match = /http:\/\/[\d.:]+\/#[0-9a-f]{32}/.exec(text);
  if (match) found(match[0]);
}));
const server = await chromium.launchServer({ executablePath: process.env.TAKT_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

// Processor time so far of the browser and what it has started, by kind of process, in seconds.
const spent = () => {
  const parents = new Map(), times = new Map(), kinds = new Map();
  for (const id of readdirSync("/proc").filter((each) => /^\d+$/.test(each)))
    try {
      const fields = readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      parents.set(Number(id), Number(fields[1]));
      times.set(Number(id), (Number(fields[11]) + Number(fields[12])) / ticksASecond);
      kinds.set(Number(id), /--type=([\w-]+)/.exec(readFileSync(`/proc/${id}/cmdline`, "utf8"))?.[1] ?? "browser");
    } catch { /* It has ended. */ }
  const sums = {};
  for (const id of times.keys()) {
    let above = id;
    while (above && above !== server.process().pid) above = parents.get(above);
    if (above) sums[kinds.get(id)] = (sums[kinds.get(id)] ?? 0) + times.get(id);
  }
  return sums;
};
const measure = async (page) => {
  await page.waitForTimeout(3000);
  const before = spent(), begin = performance.now();
  await page.waitForTimeout(1000 * seconds);
  const after = spent(), passed = (performance.now() - begin) / 1000;
  return Object.fromEntries(Object.keys(after).map((kind) => [kind, (after[kind] - (before[kind] ?? 0)) / passed]));
};
const say = (what, shares) => console.log(what.padEnd(28), Object.entries(shares).map(([kind, share]) => `${kind} ${(100 * share).toFixed(2)} %`).join(", "));

const browser = await chromium.connect(server.wsEndpoint()), page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
say("empty page", await measure(page));
// What it takes to be sent updates at all.
await page.goto(address.replace(/#.*/, "healthz"));
await page.evaluate(() => { new EventSource("events").onmessage = () => undefined; });
say("10 updates/s, nothing shown", await measure(page));
await page.goto(address);
await page.waitForSelector("html[data-ready=yes]");
say("the page", await measure(page));
await page.locator("section[aria-label='probe'] select").selectOption("a");
say("the page with a probe", await measure(page));
await browser.close();
await server.close();
run.kill("SIGINT");
await new Promise((done) => run.on("exit", done));
