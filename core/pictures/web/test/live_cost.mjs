// live_cost.mjs [SECONDS]: what the page of a running pipeline costs a browser, as shares of a core. TAKT_PROGRAM is the program.
// Processor time of all threads of Chromium's processes, as the kernel counts it in nanoseconds. Nobody looks into the browser
// meanwhile: tools that do are told of each event, which takes it as long again as the event itself.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { folder, program } from "./browser.mjs";

const seconds = Number(process.argv[2] ?? 12);
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
// A browser with one page, prepared by one who leaves again.
const measure = async (what, url, prepare) => {
  const profile = mkdtempSync(join(folder, "profile-"));
  const browser = spawn(process.env.TAKT_CHROMIUM ?? "/usr/bin/chromium", ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--window-size=1280,900", "--remote-debugging-port=0", `--user-data-dir=${profile}`, url], { stdio: "ignore", detached: true });
  await sleep(4000);
  if (prepare) {
    while (!existsSync(join(profile, "DevToolsActivePort"))) await sleep(100);
    const tools = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n")[0]}`);
    await prepare(tools.contexts()[0].pages()[0]);
    await tools.close();
    await sleep(2000);
  }
  const before = spent(browser.pid), begin = performance.now();
  await sleep(1000 * seconds);
  const after = spent(browser.pid), passed = (performance.now() - begin) / 1000;
  const shares = Object.entries(after).map(([kind, time]) => [kind, 100 * (time - (before[kind] ?? 0)) / passed]).filter(([, share]) => share >= 0.005);
  console.log(what.padEnd(40), `${shares.reduce((sum, [, share]) => sum + share, 0).toFixed(2)} %:`, shares.map(([kind, share]) => `${kind} ${share.toFixed(2)}`).join(", "));
  const ended = new Promise((done) => browser.on("exit", done));
  process.kill(-browser.pid);
  await ended;
};

await measure("a page without events", address.replace(/#.*/, "healthz"));
await measure("10 updates/s, one by one, nothing shown", receives);
await measure("10 updates/s, together, nothing shown", receives + "?together=20");
await measure("the page", address);
await measure("the page with a probe", address, (page) => page.locator("section[aria-label='probe'] select").selectOption("a"));
receiver.closeAllConnections();
receiver.close();
run.kill("SIGINT");
await new Promise((done) => run.on("exit", done));
