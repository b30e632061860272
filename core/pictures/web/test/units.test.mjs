// Does the trace of a SCHEDULE program play again, also while it is written?
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, drawn, folder, ink, launch, open, program, takt } from "./browser.mjs";
import { faultsOf } from "./reading.mjs";
import { testsAfter } from "./tests_after.mjs";

// 1 and 2 at the bottom, 3 above 2 with two children, 4 above 3, 5 above 1 and 4.
const trace = "0 1 0 1 5\n0 2 0 1 3\n0 3 1 1 4\n0 4 1 1 5\n0 5 2 0\n1 1\n1 2\n2 2 1.0\n1 3\n3 3 6\n3 3 7\n2 3 0.5\n4 3 6\n4 3 7\n" +
  "5 3 6 0.25\n5 3 7 2.0\n1 4\n2 4 1.0\n2 1 10.0\n1 5\n2 5 1.0\n";
let browser;
const test = testsAfter(async () => {
  browser = await launch();
  writeFileSync(join(folder, "units.graph"), trace);
  writeFileSync(join(folder, "trace.two"), "0 1 0 1 2\n0 2 1 0\n1 1\n2 1 0.5\n1 2\n2 2 0.5\n0 1 0 0\n1 1\n");
  takt("view", "units.graph", "--output", "units.html");
  takt("view", "units.graph", "trace.two", "--output", "three.html");
});

const count = (page) => page.locator(".event-count").innerText();
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
// Chooses the unit whose number stands there.
const clickOn = async (page, tag) => {
  await drawn(page);
  const at = await page.evaluate((text) => [...window.written].reverse().find((each) => each.text === text && /units/.test(each.within)), String(tag));
  await page.locator(".units canvas").click({ position: { x: at.x, y: at.y } });
  assert.equal(await page.locator("output.chosen").innerText(), `node ${tag}`);
};
// The state that the picture tells of a unit.
const stateOf = async (page, tag) => {
  await clickOn(page, tag);
  return /^tag \d+: ([^;]*)/.exec(await page.locator(".units .live").innerText())[1];
};

test("a trace begins where the graph is described, and steps through its events", async () => {
  const page = await open(browser, "units.html");
  assert.equal(await count(page), "5 of 21");
  assert.equal(await stateOf(page, 2), "may start");
  assert.equal(await stateOf(page, 3), "waits for dependencies");
  await press(page, "step");
  await press(page, "step");
  assert.equal(await count(page), "7 of 21");
  assert.equal(await page.locator("output.event").innerText(), "event 1 2, 2 active");
  assert.equal(await stateOf(page, 2), "executes");
  for (let i = 0; i < 5; ++i) await press(page, "step");
  assert.equal(await stateOf(page, 3), "waits for children");
  assert.equal(await stateOf(page, 6), "may start");
  await page.getByLabel("events", { exact: true }).fill("21");
  assert.equal(await count(page), "21 of 21");
  assert.equal(await stateOf(page, 5), "complete");
  await press(page, "back");
  assert.equal(await count(page), "20 of 21");
  assert.equal(await stateOf(page, 5), "executes");
  await press(page, "load");
  assert.equal(await count(page), "5 of 21");
  page.checkQuiet();
});

test("go plays to the end, and stop stops it", async () => {
  const page = await open(browser, "units.html");
  await page.getByLabel("Speed").selectOption("4 events/s");
  await press(page, "go");
  await page.waitForFunction(() => parseInt(document.querySelector(".event-count").textContent) >= 7);
  await press(page, "stop");
  const stopped = await count(page);
  assert.ok(parseInt(stopped) < 21, stopped);
  await drawn(page);
  assert.equal(await count(page), stopped);
  await page.getByLabel("Speed").selectOption("256 events/s");
  await press(page, "go");
  await page.waitForFunction(() => document.querySelector(".event-count").textContent === "21 of 21");
  assert.ok(await page.getByRole("button", { name: "stop", exact: true }).isDisabled());
  page.checkQuiet();
});

test("arrow keys go along dependencies", async () => {
  const page = await open(browser, "units.html"), chosen = page.locator("output.chosen");
  await page.getByLabel("events", { exact: true }).fill("21");
  await clickOn(page, 5);
  await page.locator(".units canvas").focus();
  const visited = [];
  for (const key of ["ArrowDown", "ArrowUp", "ArrowDown", "ArrowRight", "Escape"]) {
    await page.keyboard.press(key);
    visited.push(await chosen.innerText());
  }
  assert.deepEqual(visited.slice(0, 3), ["node 1", "node 5", "node 1"]);
  // 1 stands at the bottom, as 2, 6 and 7 do.
  assert.match(visited[3], /^node [267]$/);
  assert.equal(visited[4], "no node chosen");
  page.checkQuiet();
});

test("critical paths by time and by nodes, and the histogram of active processors", async () => {
  const page = await open(browser, "units.html"), path = page.locator("p.path");
  assert.equal(await path.isVisible(), false);
  await page.getByLabel("Critical path").selectOption("by time");
  assert.equal(await path.innerText(), "Critical path by time: 1 5 (11 s)");
  await page.getByLabel("Critical path").selectOption("by nodes");
  assert.equal(await path.innerText(), "Critical path by nodes: 2 3 4 5 (4 nodes)");
  const bars = await page.locator(".histogram .bar-row").allInnerTexts();
  assert.deepEqual(bars.map((each) => each.split(/\s+/).map(Number)), [[0, 2], [1, 6], [2, 7], [3, 1]]);
  page.checkQuiet();
});

test("subtrees of chosen nodes, one within another, and the whole graph again", async () => {
  const page = await open(browser, "units.html");
  await page.getByLabel("events", { exact: true }).fill("21");
  const shown = async () => {
    await drawn(page);
    await page.evaluate(() => (window.written.length = 0));
    await page.locator(".units canvas").focus();
    await page.keyboard.press("0");
    await drawn(page);
    return [...new Set(await page.evaluate(() => window.written.filter((each) => /units/.test(each.within)).map((each) => Number(each.text))))].sort();
  };
  assert.deepEqual(await shown(), [1, 2, 3, 4, 5, 6, 7]);
  await clickOn(page, 4);
  await press(page, "subtree");
  assert.deepEqual(await shown(), [2, 3, 4, 6, 7]);
  await clickOn(page, 3);
  await press(page, "subtree");
  assert.deepEqual(await shown(), [2, 3, 6, 7]);
  await clickOn(page, 6);
  await press(page, "subtree");
  assert.deepEqual(await shown(), [6]);
  await press(page, "redraw");
  assert.deepEqual(await shown(), [1, 2, 3, 4, 5, 6, 7]);
  page.checkQuiet();
});

test("full makes the picture four times as large, and as before", async () => {
  const page = await open(browser, "units.html", { viewport: { width: 1280, height: 800 } });
  await page.getByLabel("events", { exact: true }).fill("21");
  const size = () => page.locator(".units canvas").evaluate((each) => each.clientWidth * each.clientHeight);
  const usual = await size();
  await press(page, "full");
  await drawn(page);
  assert.ok(Math.abs((await size()) / usual - 4) < 0.6, `${await size()} of ${usual}`);
  await press(page, "redraw");
  await press(page, "full");
  await drawn(page);
  assert.equal(await size(), usual);
  page.checkQuiet();
});

test("several traces and several sched are chosen by name", async () => {
  const page = await open(browser, "three.html");
  const names = await page.getByLabel("Trace file").locator("option").allInnerTexts();
  assert.deepEqual(names, ["units.graph", "trace.two, sched 1", "trace.two, sched 2"]);
  await page.getByLabel("Trace file").selectOption("trace.two, sched 2");
  assert.equal(await count(page), "1 of 2");
  assert.deepEqual(await page.locator(".findings li").allInnerTexts(), ["At the end of the trace tag 1 executes."]);
  page.checkQuiet();
});

test("pages of traces can be read light, dark and small", async () => {
  for (const [viewport, colorScheme] of [[{ width: 390, height: 800 }, "light"], [{ width: 1280, height: 900 }, "light"], [{ width: 1280, height: 900 }, "dark"]]) {
    const page = await open(browser, "units.html", { viewport, colorScheme });
    await page.getByLabel("events", { exact: true }).fill("12");
    await drawn(page);
    assert.deepEqual(await faultsOf(page), []);
    assert.ok((await ink(page, ".units canvas")).inked > 0.01);
    if (colorScheme === "light") await accessible(page);
    page.checkQuiet();
  }
});

test("the page follows a trace that grows", async () => {
  const lines = readFileSync(join(folder, "units.graph"), "utf8").split("\n").slice(0, -1);
  const served = spawn(program, ["view", "growing.graph", "--follow"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((done) => served.on("exit", done));
  try {
    const address = await new Promise((found, failed) => {
      let said = "";
      served.stderr.on("data", (text) => {
        said += text;
        const match = /http:\/\/[\d.:]+\/trace/.exec(said);
        if (match) found(match[0]);
      });
      served.on("exit", () => failed(new Error(said)));
    });
    const page = await (await browser.newContext()).newPage(), said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(address);
    await page.waitForSelector("html[data-ready=yes]");
    assert.match(await page.locator("p[role=status]").innerText(), /No event yet/);
    // The last line is still being written.
    writeFileSync(join(folder, "growing.graph"), lines.slice(0, 9).join("\n") + "\n3 3");
    await page.waitForFunction(() => document.querySelector(".event-count")?.textContent === "9 of 9");
    appendFileSync(join(folder, "growing.graph"), " 6\n" + lines.slice(10, 15).join("\n") + "\n");
    await page.waitForFunction(() => document.querySelector(".event-count").textContent === "15 of 15");
    // Who looks at an earlier event goes on to see it.
    await press(page, "back");
    await press(page, "back");
    appendFileSync(join(folder, "growing.graph"), lines.slice(15).join("\n") + "\n");
    await page.waitForFunction(() => document.querySelector(".event-count").textContent === "13 of 21");
    assert.deepEqual(said, []);
    await press(page, "quit");
    assert.equal(await ended, 0);
    // The replay works on.
    await page.waitForFunction(() => /has ended/.test(document.querySelector("p[role=status]").textContent));
    await press(page, "back");
    assert.equal(await count(page), "12 of 21");
    await page.context().close();
  } finally {
    served.kill("SIGINT");
    await ended;
  }
});
