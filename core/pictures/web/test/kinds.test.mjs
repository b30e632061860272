// Do pages of every kind of file load without a word, in light, dark and small, on screen and on paper?
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, drawn, folder, ink, launch, open, takt } from "./browser.mjs";
import { testsAfter } from "./tests_after.mjs";

let browser;
const test = testsAfter(async () => {
  browser = await launch();
  takt("plan", "fft:depth=3,cost=5..9,data=1..5", "--machine", "logp:P=4,L=2,o=1,g=2", "--output", "a.yaml");
  takt("plan", "fft:depth=3,cost=5..9,data=1..5", "--machine", "logp:P=4,L=2,o=1,g=2", "--scheduler", "greedy", "--output", "b.yaml");
  takt("view", "a.yaml", "b.yaml", "--output", "ab.html");
  takt("graph", "gauss:size=5,cost=1..9,data=1..9", "--output", "g.yaml");
  takt("view", "g.yaml", "--output", "g.html");
});

test("pages of every kind load without a word, in light, dark and small, on screen and on paper", async () => {
  writeFileSync(join(folder, "report.yaml"), "name: r\nsources:\n  s: {type: synthetic, element: float32, axes: [time=256, channel=2], pattern: noise, rate: 500 Hz, frames: 60}\n" +
    "tasks:\n  work: {kernel: spin, input: s, time: 200 us}\nsinks:\n  n: {type: hdf5, input: work, path: r.h5}\n");
  takt("run", "report.yaml", "--report", "report.json", "--no-progress");
  takt("view", "report.json", "--output", "report.html");
  takt("view", "r.h5", "--output", "recording.html");
  writeFileSync(join(folder, "compared.json"), takt("compare", "fft:depth=2", "--machine", "logp:P=3,L=1,o=1,g=2", "--schedulers", "list", "--format", "json"));
  takt("view", "compared.json", "--output", "compared.html");
  takt("view", "delay:P=6,network=ring:6", "--output", "machine.html");
  writeFileSync(join(folder, "front.json"), takt("plan", "fft:depth=2", "--machine", "logp:P=4,L=2,o=1,g=2", "--pareto", "--format", "json"));
  takt("view", "front.json", "--output", "front.html");
  // Each is loaded once, in one of the three ways, and then becomes what the others are.
  for (const [i, file] of ["report.html", "recording.html", "compared.html", "machine.html", "front.html", "g.html", "ab.html"].entries()) {
    const wide = { width: 1280, height: 900 }, narrow = { width: 390, height: 800 };
    const page = await open(browser, file, [{}, { colorScheme: "dark" }, { viewport: narrow }][i % 3]);
    const hasCanvas = (await page.locator(".surface canvas").count()) > 0;
    for (const [viewport, colorScheme] of [[narrow, "light"], [wide, "light"], [wide, "dark"]]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      if (hasCanvas) assert.ok((await ink(page, ".surface canvas")).inked > 0.005, file);
      else assert.ok((await page.locator(".bar").first().boundingBox()).height > 8, file);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${file} fits its window`);
      if (viewport === wide && colorScheme === "light") await accessible(page);
    }
    // Paper is white, also for those whose screen is dark, and nothing stands beyond its edge.
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${file} fits its paper`);
    if (hasCanvas) {
      const ground = await page.locator(".surface canvas").first().evaluate((canvas) => [...canvas.getContext("2d").getImageData(2, canvas.height - 3, 1, 1).data]);
      assert.deepEqual(ground, [255, 255, 255, 255], file);
      const shapes = await page.locator(".surface canvas").evaluateAll((all) => all.map((each) => each.width / each.height / (each.clientWidth / each.clientHeight)));
      assert.ok(shapes.every((each) => Math.abs(each - 1) < 0.02), `${file}: letters are not squeezed: ${shapes}`);
    }
    // Texts are as dark as on a light screen, also where no canvas heard of the printing; what colours tell is printed.
    await page.evaluate(() => document.documentElement.classList.remove("printing"));
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("h1")).color), "rgb(29, 35, 48)", file);
    const inks = await page.locator(".bar, .key, .levels li").evaluateAll((all) => all.map((one) => getComputedStyle(one).printColorAdjust));
    assert.ok(inks.every((each) => each === "exact"), file);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await page.locator(".controls").first().isVisible(), false);
    page.checkQuiet();
  }
  // Bars are whole names and values, which anybody can read.
  let page = await open(browser, "report.html");
  // Parts of a whole begin together, whichever of them are nothing.
  const begins = await page.locator("section[aria-label=\"Use of the ranks' time\"] .bar-row").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll(".bar")].find((one) => one.offsetWidth > 2).getBoundingClientRect().left));
  assert.ok(begins.length > 0 && begins.every((each) => Math.abs(each - begins[0]) < 0.5), begins.join());
  assert.match(await page.getByRole("listitem").filter({ hasText: "rank 0" }).locator(".bar").first().getAttribute("title"), /^rank 0\ncompute: [\d.]+ %$/);
  page = await open(browser, "compared.html", { viewport: { width: 390, height: 800 } });
  const shown = await page.getByRole("region", { name: "period / bound" }).getByRole("listitem").allInnerTexts();
  const compared = JSON.parse(readFileSync(join(folder, "compared.json"), "utf8"));
  assert.deepEqual(new Set(shown.map((each) => each.split("\n")[0])), new Set(compared.map((each) => each.scheduler)));
  const ratios = shown.map((each) => Number(each.split("\n")[1]));
  assert.ok(ratios.every((each) => each >= 1));
  assert.deepEqual(ratios, [...ratios].sort((a, b) => a - b), "the best first");
  // Each row of a table is a block of names and values there.
  const cell = page.locator("section[aria-label='All'] tbody td").nth(2);
  assert.equal(await cell.getAttribute("data-name"), "scheduler");
  assert.ok((await page.locator("section[aria-label='All'] tbody").boundingBox()).width <= 390);
});
