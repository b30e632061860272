// Does the page of a running pipeline follow it?
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, ink, launch, program } from "./browser.mjs";

let browser, run, address;
before(async () => {
  browser = await launch();
  writeFileSync(join(folder, "live.yaml"), "name: at work\nsources:\n  s: {type: synthetic, axes: [time=64], rate: 100 Hz, frames: 100000}\n" +
    "tasks:\n  work: {kernel: spin, input: s, time: 100 us}\nsinks:\n  n: {type: 'null', input: work}\nrate: 100 Hz\n");
  run = spawn(program, ["run", "live.yaml", "--serve", "0"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  address = await new Promise((found, failed) => {
    let said = "";
    run.stderr.on("data", (text) => {
      said += text;
      const match = /http:\/\/[\d.:]+\//.exec(said);
      if (match) found(match[0]);
    });
    run.on("exit", () => failed(new Error(said)));
  });
});
after(async () => {
  await browser.close();
  const ended = new Promise((done) => run.on("exit", done));
  run.kill("SIGINT");
  await ended;
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
  assert.match(await page.locator("section[aria-label='Tasks']").innerText(), /work\s+0\s+\d+/);
  assert.match(await page.locator("p[role=status]").innerText(), /^running, \d+ s/);
  // Browsers have said nothing of what the page was kept from.
  assert.deepEqual(said, []);
  await page.context().close();
});
