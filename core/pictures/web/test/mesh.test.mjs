// Does a mesh show its partitions?
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, drawn, folder, ink, launch, open, takt } from "./browser.mjs";
import { faultsOf } from "./reading.mjs";
import { testsAfter } from "./tests_after.mjs";

let browser;
const test = testsAfter(async () => {
  browser = await launch();
  takt("view", "grid:rows=6,columns=9", "--processors", "6", "--output", "grid6.html");
  // Two triangles, of which the lower one is cell 0.
  writeFileSync(join(folder, "two.msh"), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1e-3 0 0\n3 1e-3 1e-3 0\n4 0 1e-3 0\n$EndNodes\n" +
    "$Elements\n2\n1 2 0 1 2 3\n2 2 0 1 3 4\n$EndElements\n");
  takt("view", "two.msh", "-P", "2", "--output", "two.html");
});

test("each partition has a picture, figures, and a processor for each cell", async () => {
  const page = await open(browser, "grid6.html"), mesh = page.getByRole("region", { name: "Mesh", exact: true }), canvas = mesh.locator("canvas");
  const live = mesh.locator(".surface .live"), loads = () => mesh.locator("tbody tr").allInnerTexts();
  assert.deepEqual(await mesh.getByLabel("Partition").locator("option").allInnerTexts(), ["rows", "columns", "blocks", "cyclic rows", "block-cyclic rows", "block-cyclic blocks", "bisection"]);
  // A row of nine cells each, between two others; a value goes up and down.
  assert.deepEqual((await loads()).map((row) => row.split(/\s+/).map((each) => each.trim())), [["P0", "9", "9", "9", "1"], ...[1, 2, 3, 4].map((p) => [`P${p}`, "9", "18", "18", "2"]), ["P5", "9", "9", "9", "1"]]);
  const visited = [];
  await canvas.focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "Escape"]) {
    await page.keyboard.press(key);
    visited.push(await live.innerText());
  }
  assert.deepEqual(visited, ["row 0, column 0; on P0; neighbours on P1", "row 0, column 1; on P0; neighbours on P1", "row 1, column 1; on P1; neighbours on P0, P2",
    "row 1, column 0; on P1; neighbours on P0, P2", "row 0, column 0; on P0; neighbours on P1", "row 0, column 0; on P0; neighbours on P1", ""]);
  const before = await ink(page, ".mesh canvas");
  await mesh.getByLabel("Partition").selectOption("blocks");
  await drawn(page);
  assert.deepEqual((await loads()).map((row) => row.split(/\s+/)[1]), Array(6).fill("9"));
  assert.ok(before.colours > 6);
  // Each processor's name is written.
  await page.evaluate(() => (window.written.length = 0));
  await canvas.focus();
  await page.keyboard.press("0");
  await drawn(page);
  const names = new Set(await page.evaluate(() => window.written.filter((each) => /mesh/.test(each.within)).map((each) => each.text)));
  assert.deepEqual([...names].sort(), ["P0", "P1", "P2", "P3", "P4", "P5"]);
  const box = await canvas.boundingBox();
  await canvas.click({ position: { x: box.width / 2, y: box.height / 2 + 3 } });
  assert.match(await live.innerText(), /^row 3, column 4; on P4; neighbours on P1$/);
  page.checkQuiet();
});

test("cells of a small mesh are found under the pointer", async () => {
  const page = await open(browser, "two.html"), canvas = page.locator(".mesh canvas"), live = page.locator(".mesh .live"), box = await canvas.boundingBox();
  await page.locator("section[aria-label=Mesh] select").selectOption("cyclic by number");
  await canvas.click({ position: { x: box.width / 2 + 30, y: box.height / 2 + 30 } });
  assert.equal(await live.innerText(), "cell 0; on P0; neighbours on P1");
  await canvas.click({ position: { x: box.width / 2 - 30, y: box.height / 2 - 30 } });
  assert.equal(await live.innerText(), "cell 1; on P1; neighbours on P0");
  page.checkQuiet();
});

test("pages of meshes can be read light, dark and small", async () => {
  for (const [viewport, colorScheme] of [[{ width: 390, height: 800 }, "light"], [{ width: 1280, height: 900 }, "light"], [{ width: 1280, height: 900 }, "dark"]]) {
    const page = await open(browser, "grid6.html", { viewport, colorScheme });
    await drawn(page);
    assert.deepEqual(await faultsOf(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
    if (colorScheme === "light") await accessible(page);
    page.checkQuiet();
  }
});
