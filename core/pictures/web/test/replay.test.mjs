// Does a recorded run play again?
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, folder, launch, open, takt } from "./browser.mjs";
import { testsAfter } from "./tests_after.mjs";

let browser;
const test = testsAfter(async () => {
  browser = await launch();
  writeFileSync(join(folder, "p.yaml"), "name: p\nsources:\n  s: {type: synthetic, axes: [time=64], pattern: count, frames: 40}\n" +
    "tasks:\n  a: {kernel: spin, input: s, time: 200 us}\n  b: {kernel: spin, input: a, time: 300 us}\nsinks:\n  n: {type: 'null', input: b}\ndeployment: {ranks: 2}\n");
  takt("run", "p.yaml", "--trace", "t.json", "--trace-frames", "0-19");
  takt("view", "t.json", "--output", "t.html");
});

test("the critical path can be read on a telephone", async () => {
  const page = await open(browser, "t.html", { viewport: { width: 390, height: 800 } });
  const path = page.locator("[aria-label='Critical path, table']");
  assert.ok(await path.locator("td[data-name='reason']").count() >= 2);
  assert.ok(await path.evaluate((each) => each.scrollWidth <= each.clientWidth + 1), "no part of it must be moved into view");
  page.checkQuiet();
});

test("steps, positions and frames move the replay", async () => {
  const page = await open(browser, "t.html"), clock = page.locator("output.clock");
  assert.equal(await clock.innerText(), "0 ns");
  const moments = ["0 ns"];
  for (let i = 0; i < 3; ++i) {
    await page.getByRole("button", { name: ">", exact: true }).click();
    moments.push(await clock.innerText());
  }
  assert.equal(new Set(moments).size, moments.length, moments.join());
  await page.getByRole("button", { name: "<", exact: true }).click();
  assert.equal(await clock.innerText(), moments[2]);
  await page.getByRole("button", { name: "|<" }).click();
  assert.equal(await clock.innerText(), "0 ns");
  await page.getByRole("button", { name: "go", exact: true }).click();
  await page.waitForFunction(() => document.querySelector("output.clock").textContent !== "0 ns");
  await page.getByRole("button", { name: "stop", exact: true }).click();
  const stopped = await clock.innerText();
  await drawn(page);
  assert.equal(await clock.innerText(), stopped);
  page.checkQuiet();
});

test("the critical path of a frame ends with its sink, and planned stands beside measured", async () => {
  const page = await open(browser, "t.html");
  await page.locator("label:has-text('Frame') select").selectOption("7");
  const rows = await page.locator("h3:has-text('Critical path') + div tbody tr").allInnerTexts();
  assert.ok(rows.length >= 2, rows.join("\n"));
  assert.match(rows[rows.length - 1], /^n\s+7\s.*ends last/);
  const table = await page.locator("section[aria-label='Planned and measured'] tbody tr").allInnerTexts();
  assert.equal(table.length, 4);
  // Works about 300 us, more on a busy machine; on one rank or on both.
  const times = [...table.find((row) => row.startsWith("b")).matchAll(/([\d.]+) (us|ms)/g)].map(([, value, unit]) => Number(value) * (unit === "ms" ? 1000 : 1));
  assert.ok(times.length >= 2 && times.every((time) => time >= 150), table.join("\n"));
  page.checkQuiet();
});
