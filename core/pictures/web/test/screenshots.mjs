// screenshots.mjs FOLDER: the pictures of docs/how-to/pages.md, of pages that the program (TAKT_PROGRAM) makes now.
import { spawn } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { folder, launch, open, program, takt } from "./browser.mjs";

const output = resolve(process.argv[2] ?? ".");
const browser = await launch();
const examples = resolve(process.env.TAKT_SOURCES ?? join(dirname(fileURLToPath(import.meta.url)), "../../../.."), "docs/examples");
const viewport = { width: 1100, height: 800 };

const shoot = async (file, shots) => {
  // High enough for all: what is not on the screen is not drawn.
  const page = await open(browser, file, { viewport: { ...viewport, height: 2400 } });
  for (const [name, section, prepare] of shots) {
    if (prepare) await prepare(page);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.getByRole("region", { name: section, exact: true }).screenshot({ path: join(output, `page-${name}.png`) });
  }
};

takt("plan", "fft:depth=3,cost=5..9,data=1..5", "--machine", "logp:P=4,L=2,o=1,g=2", "--scheduler", "dls", "--trace", "--output", "a.yaml");
takt("plan", "fft:depth=3,cost=5..9,data=1..5", "--machine", "logp:P=4,L=2,o=1,g=2", "--scheduler", "heft", "--output", "b.yaml");
takt("view", "a.yaml", "--output", "a.html");
takt("view", "a.yaml", "b.yaml", "--output", "ab.html");
await shoot("a.html", [["gantt", "Schedule", async (page) => {
  await page.locator(".gantt canvas").first().focus();
  for (let i = 0; i < 7; ++i) await page.keyboard.press("ArrowRight");
}], ["placement", "Placement", async (page) => {
  await page.locator("section[aria-label='Placement'] canvas").focus();
  for (let i = 0; i < 21; ++i) await page.keyboard.press("n");
}], ["graph", "Task graph"], ["interactions", "Task interaction graph"]]);
await shoot("ab.html", [["schedule-figures", "Figures"], ["schedules", "Schedules"]]);

takt("plan", "fft:depth=2,cost=5..9", "gauss:size=4,cost=3..9", "--machine", "logp:P=4,L=1,o=1,g=1", "--rate", "0.005", "--rate", "0.01", "--output", "streams.yaml");
takt("view", "streams.yaml", "--output", "streams.html");
await shoot("streams.html", [["streams", "Schedule"], ["stream-figures", "Streams"]]);
takt("plan", "layered:tasks=8,complexity=mixed,alpha=0..0.25,seed=3", "--machine", "logp:P=6,L=1,o=1,g=1", "--scheduler", "m_heft", "--output", "groups.yaml");
takt("view", "groups.yaml", "--output", "groups.html");
await shoot("groups.html", [["partitions", "Data partitions"], ["groups", "Task graph"]]);

writeFileSync(join(folder, "mesh.yaml"), "processors: 6\ncosts: {all: {latency: 0 + 1}}\nnetwork: {topology: mesh:2x3, link: 0 + 1}\n");
takt("plan", "gauss:size=6,cost=5..15,data=4..9", "--machine", "mesh.yaml", "--scheduler", "bsa", "--output", "n.yaml");
takt("view", "n.yaml", "--output", "n.html");
await shoot("n.html", [["links", "Schedule"], ["network", "Network"]]);

writeFileSync(join(folder, "grid.yaml"), "clusters:\n  - {name: lille, processors: 53, speed: 3.336}\n  - {name: lyon, processors: 56, speed: 3.254}\n  - {name: orsay, processors: 216, speed: 3.388}\n" +
  "costs:\n  node: {}\n  cluster: {latency: 300000 + 8, overhead: 0, gap: 0 + 8}\n  wide: {latency: 5600000 + 8, overhead: 0, gap: 0 + 8}\n  cluster_pairs:\n    - {between: [lille, orsay], latency: 3100000 + 8}\n");
takt("view", "grid.yaml", "--output", "grid.html");
await shoot("grid.html", [["levels", "Levels"]]);

takt("view", resolve(examples, "meshes/plate.msh"), "--processors", "6", "--output", "plate.html");
await shoot("plate.html", [["mesh", "Mesh", async (page) => { await page.locator("section[aria-label=Mesh] select").selectOption("bisection"); }]]);

writeFileSync(join(folder, "front.json"), takt("plan", "fft:depth=3,cost=5..9,data=1..5", "--machine", "logp:P=8,L=2,o=1,g=2", "--pareto", "--format", "json"));
takt("view", "front.json", "--output", "front.html");
await shoot("front.html", [["front", "Pareto front"]]);

writeFileSync(join(folder, "p.yaml"), "name: p\nsources:\n  s: {type: synthetic, axes: [time=64], pattern: count, frames: 60}\ntasks:\n  split: {kernel: spin, input: s, time: 300 us}\n" +
  "  left: {kernel: spin, input: split, time: 500 us}\n  right: {kernel: spin, input: split, time: 400 us}\n  join: {kernel: spin, inputs: [left, right], time: 300 us}\n" +
  "sinks:\n  n: {type: 'null', input: join}\ndeployment: {ranks: 2}\n");
takt("run", "p.yaml", "--trace", "t.json", "--trace-frames", "10-29");
takt("view", "t.json", "--output", "t.html");
await shoot("t.html", [["replay", "Replay", async (page) => { for (let i = 0; i < 12; ++i) await page.getByRole("button", { name: ">", exact: true }).click(); }]]);

// A filterbank file made here: noise, a tone that drifts, and a pulse that is dispersed.
const keyword = (name, ...rest) => Buffer.concat([Buffer.from(Uint32Array.of(name.length).buffer), Buffer.from(name), ...rest.map((each) => Buffer.from(each.buffer))]);
const channels = 128, samples = 200, values = new Float32Array(channels * samples);
let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
for (let t = 0; t < samples; ++t)
  for (let c = 0; c < channels; ++c) {
    const delay = 30 + 0.007 * c * c;
    values[t * channels + c] = 1 + 0.3 * random() + (Math.abs(c - 20 - t / 8) < 1 ? 2 : 0) + (Math.abs(t - delay) < 4 ? 0.5 : 0);
  }
writeFileSync(join(folder, "tone.fil"), Buffer.concat([keyword("HEADER_START"), keyword("data_type", Int32Array.of(1)), keyword("nchans", Int32Array.of(channels)), keyword("nbits", Int32Array.of(32)),
  keyword("nifs", Int32Array.of(1)), keyword("fch1", Float64Array.of(160)), keyword("foff", Float64Array.of(-0.1)), keyword("tsamp", Float64Array.of(0.01)), keyword("tstart", Float64Array.of(60000)), keyword("HEADER_END"), Buffer.from(values.buffer)]));
takt("view", "tone.fil", "--output", "tone.html");
await shoot("tone.html", [["spectrum", "Spectrum"], ["waterfall", "Waterfall"]]);

writeFileSync(join(folder, "r.yaml"), "name: r\nsources:\n  s: {type: synthetic, element: float32, axes: [time=512], pattern: noise, rate: 200 Hz, frames: 200}\n" +
  "tasks:\n  work: {kernel: spin, input: s, time: 300 us}\n  more: {kernel: spin, input: work, time: 400 us}\n" +
  "sinks:\n  wave: {type: hdf5, input: more, path: wave.h5}\ndeployment: {ranks: 2}\n");
takt("run", "r.yaml", "--report", "report.json");
takt("view", "report.json", "--output", "report.html");
await shoot("report.html", [["report", "Use of the ranks' time"]]);
takt("view", "wave.h5", "--output", "wave.html");
await shoot("wave.html", [["waveform", "Waveform"]]);

// Row i of a triangular system has i units, column by column; two workers.
const rows = 7, unit = (i, j) => i * (i - 1) / 2 + j, events = [], started = [];
for (let i = 1; i <= rows; ++i)
  for (let j = 1; j <= i; ++j) {
    const list = j < i ? [unit(i, j + 1)] : Array.from({ length: rows - i }, (_, k) => unit(i + 1 + k, i));
    events.push(`0 ${unit(i, j)} ${i === 1 ? 0 : j > 1 && j < i ? 2 : 1} ${list.length} ${list.join(" ")}`.trim());
  }
for (let j = 1; j <= rows; ++j)
  for (let i = j; i <= rows; ++i) {
    started.push(unit(i, j));
    events.push(`1 ${unit(i, j)}`);
    if (started.length === 2 || i === j || i === rows) for (const each of started.splice(0)) events.push(`2 ${each} 0.00${1 + each % 7}`);
  }
writeFileSync(join(folder, "tsolve.graph"), events.join("\n") + "\n");
takt("view", "tsolve.graph", "--output", "units.html");
await shoot("units.html", [["units", "Units", async (page) => {
  await page.getByLabel("events", { exact: true }).fill("53");
  await page.getByLabel("Critical path").selectOption("by time");
}]]);

writeFileSync(join(folder, "live.yaml"), "name: at work\nsources:\n  s: {type: synthetic, element: complex_float32, axes: [time=4096], rate: 100 Hz, frames: 100000, pattern: tone}\ntasks:\n  work: {kernel: spin, input: s, time: 2 ms}\n" +
  "  more: {kernel: spin, input: work, time: 3 ms}\nsinks:\n  n: {type: 'null', input: more}\nrate: 100 Hz\ndeployment: {ranks: 2}\n");
// A C program that is edited, with an error in what was saved.
copyFileSync(resolve(examples, "parallelise/fft.c"), join(folder, "fft.c"));
const editor = spawn(program, ["view", "fft.c", "--edit"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
const edited = await (await browser.newContext({ viewport: { ...viewport, width: 1280, height: 1000 } })).newPage();
await edited.goto(await new Promise((found) => editor.stderr.on("data", (text) => found(/http:\S+/.exec(text)[0]))));
await edited.waitForSelector("html[data-ready=yes]");
const field = edited.getByLabel("text of the file");
await field.fill((await field.inputValue()).replace("IntraMult(data[1][i], data[0][i]", "IntraMult(data[1][i], data[1][i]"));
await edited.getByRole("button", { name: "save", exact: true }).click();
await edited.getByRole("alert").getByRole("button").first().click();
await edited.screenshot({ path: join(output, "page-edit.png"), clip: { x: 0, y: 0, width: 1280, height: 900 } });
editor.kill("SIGINT");

const run = spawn(program, ["run", "live.yaml", "--serve", "0"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
const address = await new Promise((found) => run.stderr.on("data", (text) => {
  const match = /http:\/\/[\d.:]+\/#[0-9a-f]{32}/.exec(text);
  if (match) found(match[0]);
}));
const page = await (await browser.newContext({ viewport: { ...viewport, height: 2600 } })).newPage();
await page.goto(address);
await page.waitForTimeout(3000);
await page.locator("section[aria-label='probe'] select").selectOption("s");
await page.waitForTimeout(9000);
// As high as what it shows.
const height = await page.evaluate(() => Math.ceil(document.getElementById("page").getBoundingClientRect().bottom) + 16);
await page.screenshot({ path: join(output, "page-live.png"), clip: { x: 0, y: 0, width: viewport.width, height } });
run.kill("SIGINT");
await new Promise((done) => run.on("exit", done));
await browser.close();
