// Can pages of every kind be read and used at the width of a telephone, of a laptop and of a large screen, in light and in dark?
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, folder, launch, open, program, takt } from "./browser.mjs";
import { faultsOf } from "./reading.mjs";
import { testsAfter } from "./tests_after.mjs";

let browser;
const machine = ["--machine", "logp:P=4,L=2,o=1,g=2"];
const files = [];
const page = (name, ...sources) => {
  takt("view", ...sources, "--output", `w-${name}.html`);
  files.push(`w-${name}.html`);
};
const json = (name, ...words) => {
  writeFileSync(join(folder, name), takt(...words, "--format", "json"));
  return name;
};
// Datagrams over loopback to port 4000, one a millisecond: a pcap file of raw IPv4.
const capture = (payloads) => {
  const bytes = (size, ...fields) => {
    const out = Buffer.alloc(size);
    for (const [way, at, value] of fields) out[`write${way}`](value, at);
    return out;
  };
  const packets = payloads.map((payload, i) => {
    const size = 28 + payload.length;
    const ip = bytes(28, ["UInt8", 0, 0x45], ["UInt16BE", 2, size], ["UInt8", 8, 64], ["UInt8", 9, 17], ["UInt32BE", 12, 0x7f000001], ["UInt32BE", 16, 0x7f000001],
      ["UInt16BE", 20, 5000], ["UInt16BE", 22, 4000], ["UInt16BE", 24, 8 + payload.length]);
    return Buffer.concat([bytes(16, ["UInt32LE", 0, 1_700_000_000], ["UInt32LE", 4, 1000 * i], ["UInt32LE", 8, size], ["UInt32LE", 12, size]), ip, payload]);
  });
  return Buffer.concat([bytes(24, ["UInt32LE", 0, 0xa1b2c3d4], ["UInt16LE", 4, 2], ["UInt16LE", 6, 4], ["UInt32LE", 16, 65535], ["UInt32LE", 20, 101]), ...packets]);
};
// What a service remembers of a stream that has ended.
const served = async () => {
  writeFileSync(join(folder, "w-served.yaml"), "name: watched\nsources:\n  s: {type: synthetic, axes: [time=64], rate: 100 Hz, frames: 20}\nsinks:\n  n: {type: 'null', input: s}\nrate: 100 Hz\n");
  const service = spawn(program, ["serve", "--folder", "w-service", "--machine", "logp:P=1,L=1,o=1,g=1"], { cwd: folder, stdio: "ignore" });
  const exists = (name) => readdirSync(folder).includes("w-service") && readdirSync(join(folder, "w-service")).includes(name);
  while (!exists("address")) await new Promise((done) => setTimeout(done, 50));
  takt("add", "w-served.yaml", "--folder", "w-service");
  while (!/ended/.test(takt("ps", "--folder", "w-service"))) await new Promise((done) => setTimeout(done, 50));
  const ended = new Promise((done) => service.on("exit", done));
  service.kill("SIGTERM");
  await ended;
  return "w-service/service.db";
};
const test = testsAfter(async () => {
  browser = await launch();
  takt("plan", "fft:depth=2,cost=5..9,data=1..5", ...machine, "--scheduler", "dls", "--trace", "--output", "w-a.yaml");
  takt("plan", "fft:depth=2,cost=5..9,data=1..5", ...machine, "--scheduler", "greedy", "--output", "w-b.yaml");
  page("schedule", "w-a.yaml");
  page("schedules", "w-a.yaml", "w-b.yaml");
  takt("plan", "fft:depth=2,cost=5..9", "gauss:size=4,cost=3..9", ...machine, "--rate", "0.004", "--rate", "0.008", "--output", "w-streams.yaml");
  page("streams", "w-streams.yaml");
  takt("plan", "layered:tasks=8,complexity=mixed,alpha=0..0.25,seed=3", ...machine, "--scheduler", "m_heft", "--output", "w-groups.yaml");
  page("groups", "w-groups.yaml");
  writeFileSync(join(folder, "w-mesh.yaml"), "processors: 6\ncosts: {all: {latency: 0 + 1}}\nnetwork: {topology: mesh:2x3, link: 0 + 1}\n");
  page("machine", "w-mesh.yaml");
  takt("plan", "gauss:size=5,cost=5..15,data=4..9", "--machine", "w-mesh.yaml", "--scheduler", "bsa", "--output", "w-links.yaml");
  page("links", "w-links.yaml");
  page("front", json("w-front.json", "plan", "fft:depth=2", ...machine, "--pareto"));
  page("simulation", json("w-simulation.json", "simulate", "w-a.yaml", "--frames", "100"));
  page("comparison", json("w-compared.json", "compare", "fft:depth=2", ...machine, "--schedulers", "list"));
  takt("compare", "fft:depth=2", "gauss:size=4", ...machine, "--schedulers", "list", "--output", "w-comparison-page.html");
  files.push("w-comparison-page.html");
  writeFileSync(join(folder, "w-run.yaml"), "name: run\nsources:\n  s: {type: synthetic, element: float32, axes: [time=256, channel=2], pattern: noise, rate: 500 Hz, frames: 40}\n" +
    "tasks:\n  a_task_with_a_long_name: {kernel: spin, input: s, time: 100 us}\nsinks:\n  n: {type: hdf5, input: a_task_with_a_long_name, path: w-recording.h5}\n");
  takt("run", "w-run.yaml", "--report", "w-report.json", "--trace", "w-trace.json", "--no-progress", "--no-serve");
  page("report", "w-report.json");
  page("recording", "w-recording.h5");
  page("replay", "w-trace.json");
  takt("view", "w-trace.json", "--format", "json", "--output", "w-events.json");
  page("events", "w-events.json");
  page("pipeline", "w-run.yaml");
  writeFileSync(join(folder, "w-failing.yaml"), "name: failing\nsources:\n  s: {type: synthetic, axes: [time=4096], rate: 500 Hz}\nsinks:\n  n: {type: raw, input: s, path: /dev/full}\n");
  assert.throws(() => takt("run", "w-failing.yaml", "--report", "w-failed.json", "--no-progress", "--no-serve", "--trial", "0s"));
  page("failed", "w-failed.json");
  writeFileSync(join(folder, "w-captured.yaml"), "name: captured\nsources:\n  s: {type: gnuradio_udp, ports: [4000], axes: [time=64, channel=4], element: int16, payload: 512, rate: 100 Hz}\nsinks:\n  n: {type: 'null', input: s}\n");
  writeFileSync(join(folder, "w-capture.pcap"), capture(Array.from({ length: 200 }, (_, i) => {
    const payload = Buffer.alloc(520);
    payload.writeBigUInt64LE(BigInt(i), 0);
    for (let k = 0; k < 256; ++k) payload.writeInt16LE(Math.round(1000 * Math.sin(0.1 * (64 * i + (k >> 2)))), 8 + 2 * k);
    return payload;
  })));
  page("capture", "w-capture.pcap", "--pipeline", "w-captured.yaml");
  page("service", await served());
});

test("no page scrolls sideways, hides a text or has one that cannot be read, at 390, 1280 and 2560 pixels, in light and in dark", async () => {
  for (const file of files) {
    const shown = await open(browser, file, { viewport: { width: 390, height: 800 } });
    for (const width of [390, 1280, 2560])
      for (const colorScheme of ["light", "dark"]) {
        await shown.setViewportSize({ width, height: 800 });
        await shown.emulateMedia({ colorScheme });
        await drawn(shown);
        assert.deepEqual(await faultsOf(shown), [], `${file} at ${width} pixels, ${colorScheme}`);
      }
    shown.checkQuiet();
  }
});

test("tables of a comparison's page sort by keys", async () => {
  const shown = await open(browser, "w-comparison-page.html");
  const head = shown.locator("th", { hasText: "mean NSL" }).first();
  await head.getByRole("button").focus();
  await shown.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  const values = (await shown.locator("table").first().locator("tbody tr td:nth-child(6)").allInnerTexts()).map(Number);
  assert.deepEqual(values, [...values].sort((a, b) => a - b));
});
