// Is a file edited in the browser what the program then reads, and never lost?
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, drawn, folder, launch, program, takt } from "./browser.mjs";
import { faultsOf } from "./reading.mjs";
import { testsAfter } from "./tests_after.mjs";

let browser;
const test = testsAfter(async () => (browser = await launch()));

const text = (name) => readFileSync(join(folder, name), "utf8");
// Serves a file and opens its page, which says nothing on the console; ends both.
const editing = async (file, action) => {
  const served = spawn(program, ["view", file, "--edit"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((done) => served.on("exit", done));
  const context = await browser.newContext();
  try {
    const address = await new Promise((found, failed) => {
      let said = "";
      served.stderr.on("data", (text) => {
        said += text;
        const match = /http:\/\/[\d.:]+\/edit#[0-9a-f]{32}/.exec(said);
        if (match) found(match[0]);
      });
      served.on("exit", () => failed(new Error(said)));
    });
    const page = await context.newPage(), said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(address);
    await page.waitForSelector("html[data-ready=yes]");
    page.ended = ended;
    await action(page, address);
    assert.deepEqual(said.filter((each) => !page.mayFail || !/Failed to load resource/.test(each)), []);
  } finally {
    await context.close();
    served.kill("SIGINT");
    await ended;
  }
};
const area = (page) => page.getByLabel("text of the file");
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const status = (page) => page.locator(".controls > [role=status]").first();
const says = (page, pattern) => page.waitForFunction(([source]) => new RegExp(source).test(document.querySelector(".controls > [role=status]").textContent), [pattern]);

const sum = "static double a[4][8], s[4];\nvoid make(double *x, int n) { for (int i = 0; i < 8; i++) x[i] = i + n; }\n" +
  "void sum(const double *x, double *y) { *y = 0; for (int i = 0; i < 8; i++) *y += x[i]; }\n" +
  "int main(void) {\n  for (int i = 0; i < 4; i++) make(a[i], i);\n  for (int i = 0; i < 4; i++) sum(a[i], &s[i]);\n  return 0;\n}\n";

test("a program is edited next to its graph; errors lead to their places", async () => {
  writeFileSync(join(folder, "edited.c"), sum);
  try {
    takt("graph", "edited.c", "--info");
  } catch (error) {
    assert.match(String(error), /clang.*not installed/);
    return;
  }
  await editing("edited.c", async (page) => {
    const source = page.getByRole("region", { name: "Source", exact: true });
    const tasks = () => source.locator(".graph canvas").getAttribute("aria-label");
    assert.equal(await area(page).inputValue(), sum);
    assert.match(await tasks(), /8 nodes/);
    assert.equal(await status(page).innerText(), "saved");
    // The marked text instead of the editor, and back.
    assert.equal(await source.locator("button.mark").first().isVisible(), false);
    await source.getByRole("button", { name: "edit", exact: true }).first().click();
    await source.locator("button.mark").filter({ hasText: "sum" }).click();
    assert.match(await source.getByRole("status").first().innerText(), /^sum\(a\[0\], &s\[0\]\): call 4/);
    await source.getByRole("button", { name: "edit", exact: true }).first().click();
    // The caret in the line of a call chooses its first task.
    await area(page).evaluate((each) => each.setSelectionRange(each.value.indexOf("make(a[i]"), each.value.indexOf("make(a[i]")));
    await area(page).press("ArrowRight");
    assert.match(await source.getByRole("status").first().innerText(), /^make\(a\[0\], 0\): call 0/);
    assert.match(await source.locator(".text-pane .legend").innerText(), /^line 5, column 32$/);

    await area(page).fill(sum.replace("i < 4; i++) sum", "i < 3; i++) sum"));
    assert.equal(await status(page).innerText(), "not saved");
    assert.equal(text("edited.c"), sum);
    await area(page).press("Control+s");
    await page.waitForFunction(() => /7 nodes/.test(document.querySelector(".graph canvas").ariaLabel));
    await says(page, "^saved$");
    assert.match(text("edited.c"), /i < 3; i\+\+\) sum/);

    // Written twice: an error of takt's own rules. Then one of the compiler.
    await area(page).fill(sum.replace("make(a[i], i)", "make(a[0], i)"));
    await press(page, "save");
    await says(page, "with errors");
    assert.match(await page.getByRole("alert").innerText(), /edited\.c:5:36: error: .*\n[^]*\^/);
    await page.getByRole("alert").getByRole("button").first().click();
    assert.deepEqual(await area(page).evaluate((each) => each.value.slice(0, each.selectionStart).split("\n").length), 5);
    assert.equal(await area(page).evaluate((each) => each.value.slice(each.selectionStart, each.selectionEnd)), "a");
    assert.match(await tasks(), /7 nodes/);
    await area(page).fill(sum.replace("return 0;", "return 0"));
    await press(page, "save");
    await page.waitForFunction(() => /expected ';'/.test(document.querySelector("[role=alert]").textContent));
    assert.match(await page.getByRole("alert").getByRole("button").first().innerText(), /^edited\.c:7:11: error/);
    await accessible(page);
    await area(page).fill(sum);
    await press(page, "save");
    await says(page, "^saved$");
    assert.equal(await page.getByRole("alert").isVisible(), false);
    assert.match(await tasks(), /8 nodes/);
    await press(page, "quit");
    assert.equal(await page.ended, 0);
    page.mayFail = true;
  });
});

test("what another program has written meanwhile is not overwritten", async () => {
  writeFileSync(join(folder, "both.yaml"), "tasks:\n  - {name: a, work: 3}\n");
  await editing("both.yaml", async (page) => {
    page.mayFail = true;
    await area(page).fill("tasks:\n  - {name: mine, work: 5}\n");
    writeFileSync(join(folder, "both.yaml"), "tasks:\n  - {name: theirs, work: 4}\n");
    await says(page, "changed on disk");
    await press(page, "save");
    await says(page, "nothing was saved");
    assert.match(text("both.yaml"), /theirs/);
    await press(page, "reload");
    assert.match(await area(page).inputValue(), /mine/);
    await press(page, "really drop the changes");
    await says(page, "^saved$");
    assert.match(await area(page).inputValue(), /theirs/);
    // Without changes of its own the page follows.
    writeFileSync(join(folder, "both.yaml"), "tasks:\n  - {name: newer, work: 4}\n  - {name: other, work: 1}\n");
    await page.waitForFunction(() => /newer/.test(document.querySelector("textarea").value));
    await page.waitForFunction(() => /2 nodes/.test(document.querySelector(".graph canvas").ariaLabel));
  });
});

test("graphs, interactions and networks that are edited in their pictures go to the text, and from there to the file", async () => {
  writeFileSync(join(folder, "pairs.yaml"), "undirected: true\ntasks:\n  - {name: a, work: 3}\n  - {name: b, work: 4}\n  - {name: c, work: 2}\nedges:\n  - {from: a, to: b, size: 2}\n");
  await editing("pairs.yaml", async (page) => {
    const picture = page.getByRole("region", { name: "Task interaction graph" }), canvas = picture.locator("canvas");
    await picture.getByRole("button", { name: "edit", exact: true }).click();
    await picture.getByLabel("size of edges").fill("9");
    // From the first task to the one linked to it: the existing pair gets another size, from either end.
    await canvas.focus();
    for (const key of ["ArrowDown", "ArrowDown", "c", "Escape", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await picture.getByRole("button", { name: "save YAML" }).click();
    assert.match(await area(page).inputValue(), /^undirected: true\ntasks:[^]*- \{from: a, to: b, size: 9\}\n$/);
    assert.equal(await status(page).innerText(), "not saved");
    await press(page, "save");
    await says(page, "^saved$");
    assert.match(takt("graph", "pairs.yaml"), /undirected: true/);
  });
  writeFileSync(join(folder, "ring.yaml"), "processors: 3\nnetwork: {topology: ring:3, link: 1 + 2}\n");
  await editing("ring.yaml", async (page) => {
    const picture = page.getByRole("region", { name: "Network" });
    await picture.getByRole("button", { name: "edit", exact: true }).click();
    await picture.getByRole("button", { name: "add", exact: true }).click();
    await picture.getByRole("button", { name: "save YAML" }).click();
    await press(page, "save");
    await page.waitForFunction(() => document.querySelector("[role=alert]").textContent !== "" || /4 nodes/.test(document.querySelector(".graph canvas").ariaLabel));
    assert.match(text("ring.yaml"), /nodes: 4/);
  });
});

test("a file is created, and its errors have places", async () => {
  await editing("new.yaml", async (page) => {
    assert.match(await page.getByRole("alert").innerText(), /does not exist yet/);
    assert.equal(existsSync(join(folder, "new.yaml")), false);
    await area(page).fill("tasks:\n  - {name: \u00fc, work: x}\n");
    await press(page, "save");
    await page.waitForFunction(() => /new\.yaml:2/.test(document.querySelector("[role=alert]").textContent));
    await page.getByRole("alert").getByRole("button").first().click();
    assert.equal(await area(page).evaluate((each) => each.value.slice(each.selectionStart, each.selectionEnd)), "x");
    await area(page).fill("tasks:\n  - {name: \u00fc, work: 4}\n");
    await press(page, "save");
    await says(page, "^saved$");
    assert.match(takt("graph", "new.yaml"), /work: 4/);
  });
});

test("the page of an edited file can be read light, dark and small, and without its token shows nothing", async () => {
  writeFileSync(join(folder, "wide.yaml"), takt("graph", "fft:depth=2"));
  await editing("wide.yaml", async (page, address) => {
    for (const [viewport, colorScheme] of [[{ width: 390, height: 800 }, "light"], [{ width: 1280, height: 900 }, "light"], [{ width: 1280, height: 900 }, "dark"]]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      assert.deepEqual(await faultsOf(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
      if (colorScheme === "light") await accessible(page);
    }
    page.mayFail = true;
    // The address of the history has no token.
    assert.ok(!page.url().includes("#"));
    await page.reload();
    await says(page, "enter the token");
    assert.equal(await area(page).inputValue(), "");
    await page.getByPlaceholder("token").fill(address.slice(address.indexOf("#") + 1));
    await page.getByPlaceholder("token").press("Enter");
    await says(page, "^saved$");
    assert.equal(await area(page).inputValue(), text("wide.yaml"));
  });
});
