// live_cost.mjs [SECONDS [ROUNDS]]: what the page of a running pipeline costs a browser, as shares of a core. TAKT_PROGRAM is the program.
// Processor time of all threads of Chromium's processes, as the kernel counts it in nanoseconds, of a browser for each page, all at the
// same time, so that a slow moment of the computer meets all of them; of some rounds, the medians. Nobody looks into the browsers
// meanwhile: tools that do are told of each event, which takes it as long again as the event itself.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { folder, program } from "./browser.mjs";

const seconds = Number(process.argv[2] ?? 10), rounds = Number(process.argv[3] ?? 3);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
writeFileSync(join(folder, "live.yaml"), "name: at work\nsources:\n  s: {type: synthetic, element: complex_float32, axes: [time=1024], rate: 100 Hz, frames: 10000000, pattern: tone}\n" +
  "tasks:\n  a: {kernel: pass, input: s}\n  b: {kernel: pass, input: a}\nsinks:\n  n: {type: 'null', input: b}\nrate: 100 Hz\n");
const run = spawn(program, ["run", "live.yaml", "--serve", "0"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
const address = await new Promise((found) => run.stderr.on("data", (text) => {
  const match = /http:\/\/[\d.:]+\/#[0-9a-f]{32}/.exec(text);
  if (match) found(match[0]);
}));

// Pages that take the run's events, and show nothing.
const receiver = createServer((asked, answer) => {
  if (!asked.url.startsWith("/events")) {
    answer.setHeader("Content-Type", "text/html");
    return answer.end(`<!DOCTYPE html><title>receives</title><script>new EventSource("events" + location.search).onmessage = () => undefined;</script>`);
  }
  const behind = request({ host: "127.0.0.1", port: new URL(address).port, path: asked.url }, (from) => answer.writeHead(from.statusCode, from.headers) && from.pipe(answer));
  behind.on("error", () => answer.destroy()).end();
  answer.on("close", () => behind.destroy());
});
await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
const receives = `http://127.0.0.1:${receiver.address().port}/`;

// Processor time so far of the browser and what it has started, by kind of process, in seconds.
const spent = (root) => {
  const parents = new Map(), times = new Map(), kinds = new Map();
  for (const id of readdirSync("/proc").filter((each) => /^\d+$/.test(each)))
    try {
      parents.set(Number(id), Number(readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")[1]));
      kinds.set(Number(id), /--type=([\w-]+)/.exec(readFileSync(`/proc/${id}/cmdline`, "utf8"))?.[1] ?? "browser");
      let time = 0;
      for (const task of readdirSync(`/proc/${id}/task`)) time += Number(readFileSync(`/proc/${id}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e9;
      times.set(Number(id), time);
    } catch { /* It has ended. */ }
  const sums = {};
  for (const id of times.keys()) {
    let above = id;
    while (above && above !== root) above = parents.get(above);
    if (above) sums[kinds.get(id)] = (sums[kinds.get(id)] ?? 0) + times.get(id);
  }
  return sums;
};
// A browser with one page.
const begin = (what, url) => {
  const profile = mkdtempSync(join(folder, "profile-"));
  const browser = spawn(process.env.TAKT_CHROMIUM ?? "/usr/bin/chromium", ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--window-size=1280,900", "--remote-debugging-port=0", `--user-data-dir=${profile}`, url], { stdio: "ignore", detached: true });
  return { what, profile, browser, shares: [], parts: {} };
};
const pages = [["a page that does nothing", address.replace(/#.*/, "healthz")], ["the updates, nothing shown", receives + "?together=20"], ["the page", address],
  ["the page with a probe", address], ["a page that does nothing", address.replace(/#.*/, "healthz")]].map(([what, url]) => begin(what, url));
await sleep(4000);
// The probe is chosen by one who leaves again.
const { profile } = pages[3];
while (!existsSync(join(profile, "DevToolsActivePort"))) await sleep(100);
const tools = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n")[0]}`);
await tools.contexts()[0].pages()[0].locator("section[aria-label='probe'] select").selectOption("a");
await tools.close();
// What browsers do after they have begun.
await sleep(8000);
for (let round = 0; round < rounds; ++round) {
  const before = pages.map((each) => spent(each.browser.pid)), start = performance.now();
  await sleep(1000 * seconds);
  const after = pages.map((each) => spent(each.browser.pid)), passed = (performance.now() - start) / 1000;
  pages.forEach((each, i) => {
    const parts = Object.entries(after[i]).map(([kind, time]) => [kind, 100 * (time - (before[i][kind] ?? 0)) / passed]);
    for (const [kind, share] of parts) (each.parts[kind] ??= []).push(share);
    each.shares.push(parts.reduce((sum, [, share]) => sum + share, 0));
  });
}
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
// Two pages that do nothing: what they differ by is what can be told at all.
const idle = (median(pages[0].shares) + median(pages.at(-1).shares)) / 2;
for (const { what, shares, parts } of pages)
  console.log(what.padEnd(28), `${median(shares).toFixed(2)} % of a core, ${(median(shares) - idle).toFixed(2)} beyond nothing; rounds ${shares.map((each) => each.toFixed(2)).join(" ")};`,
    Object.entries(parts).map(([kind, all]) => `${kind} ${median(all).toFixed(2)}`).join(", "));
for (const { browser } of pages) {
  const ended = new Promise((done) => browser.on("exit", done));
  process.kill(-browser.pid);
  await ended;
}
receiver.closeAllConnections();
receiver.close();
run.kill("SIGINT");
await new Promise((done) => run.on("exit", done));
