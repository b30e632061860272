// How fast are pages? TAKT_PROGRAM=... node test/speed.mjs, in a folder with node_modules (build/release/tests/core/web): 10^5 boxes moved
// and zoomed, a graph of 10^4 nodes laid out, and what a page that follows a run takes of a core, browser and all.
import { statSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { folder, launch, open, program, takt } from "./browser.mjs";

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const browser = await launch();

takt("plan", "layered:tasks=35000,cost=1..100,seed=1,density=0.00006", "--machine", "delay:P=64", "--scheduler", "hlfet", "--output", "large.yaml");
takt("view", "large.yaml", "--output", "large.html");
const size = statSync(join(folder, "large.html")).size;
const page = await open(browser, "large.html", { viewport: { width: 1600, height: 900 }, listens: false });
const boxes = await page.locator(".gantt canvas").first().getAttribute("aria-label");
// Each step changes the picture; frames are counted as the browser shows them, and the time to draw apart.
const rates = await page.evaluate(async () => {
  const canvas = document.querySelector(".gantt canvas"), press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, shiftKey: key.startsWith("Arrow") }));
  const frame = () => new Promise((done) => requestAnimationFrame(done)), found = [];
  canvas.focus();
  for (const [name, zooms] of [["everything", 0], ["5 times as near", 4], ["60 times as near", 10]]) {
    press("0");
    for (let i = 0; i < zooms; ++i) press("+");
    await frame();
    const draws = [], count = 60, begin = performance.now();
    for (let i = 0; i < count; ++i) {
      press(i % 2 === 0 ? "ArrowRight" : "ArrowLeft");
      await frame();
      draws.push(Number(canvas.dataset.drawn));
    }
    found.push({ name, draws, seconds: (performance.now() - begin) / 1000, count });
  }
  return found;
});
console.log(`page of ${boxes.replace(/\. .*/, "")}: ${(size / 1e6).toFixed(2)} MB`);
for (const { name, draws, seconds, count } of rates)
  console.log(`  ${name}: ${(count / seconds).toFixed(0)} pictures a second (no more than 60), ${median(draws).toFixed(1)} ms of drawing each, longest ${Math.max(...draws).toFixed(1)}`);
await page.goto("about:blank");

takt("graph", "layered:tasks=10000,cost=1..100,seed=1,density=0.0005", "--output", "graph.yaml");
const seconds = (words) => {
  const begin = performance.now();
  takt(...words);
  return (performance.now() - begin) / 1000;
};
const times = Array.from({ length: 5 }, () => [seconds(["view", "graph.yaml", "--output", "graph.svg"]), seconds(["graph", "graph.yaml", "--info"])]);
console.log(`graph of 10,000 nodes, ${/edges +(\d+)/.exec(takt("graph", "graph.yaml", "--info"))[1]} edges: ${Math.min(...times.map((each) => each[0])).toFixed(2)} s to SVG, ` +
  `${Math.min(...times.map((each) => each[1])).toFixed(2)} s of them to read the file`);

writeFileSync(join(folder, "live.yaml"), "name: live\nsources:\n  s: {type: synthetic, axes: [time=4096], rate: 100 Hz, frames: 100000}\ntasks:\n  work: {kernel: pass, input: s}\nsinks:\n  n: {type: 'null', input: work}\n");
const run = spawn(program, ["run", "live.yaml", "--serve", "0"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
const address = await new Promise((found) => run.stderr.on("data", (text) => {
  const match = /http:\/\/[\d.:]+\/#[0-9a-f]{32}/.exec(text);
  if (match) found(match[0]);
}));
const live = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage(), session = await live.context().newCDPSession(live);
await live.goto(address);
await session.send("Performance.enable");
const busy = async () => (await session.send("Performance.getMetrics")).metrics.find((each) => each.name === "TaskDuration").value;
await live.waitForTimeout(4000);
const before = await busy();
await live.waitForTimeout(8000);
console.log(`live page in the browser: ${(100 * (await busy() - before) / 8).toFixed(1)} % of a core`);
const ended = new Promise((done) => run.on("exit", done));
run.kill("SIGINT");
await ended;
await browser.close();
