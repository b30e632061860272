// Do the pages of takt view work in a real browser?
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
  takt("view", "a.yaml", "--output", "a.html");
  takt("view", "a.yaml", "b.yaml", "--output", "ab.html");
  takt("graph", "gauss:size=5,cost=1..9,data=1..9", "--output", "g.yaml");
  takt("view", "g.yaml", "--output", "g.html");
});

test("a schedule loads without a word, in light, dark and small", async () => {
  for (const options of [{}, { colorScheme: "dark" }, { viewport: { width: 390, height: 800 } }]) {
    const page = await open(browser, "a.html", options);
    for (const view of [".gantt canvas", ".graph canvas"]) {
      const { colours, inked } = await ink(page, view);
      assert.ok(colours > 8 && inked > 0.02, `${view} shows ${colours} colours, ${inked}`);
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "fits its window");
    page.checkQuiet();
    if (!options.viewport) await accessible(page);
  }
});

test("a box tells its figures when pointed at, and by keys", async () => {
  const page = await open(browser, "a.html"), canvas = page.locator(".gantt canvas");
  const box = await canvas.boundingBox();
  // The first row's first boxes are right of the names.
  await page.mouse.move(box.x + 60, box.y + 36);
  assert.match(await page.locator(".gantt .tip").innerText(), /^task \d+\nP0, frame 0\n\d+ \.\. \d+, takes \d+/);
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  const first = await page.locator(".gantt .live").innerText();
  await page.keyboard.press("ArrowRight");
  const second = await page.locator(".gantt .live").innerText();
  assert.match(first, /P0/);
  assert.notEqual(first, second);
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".gantt .live").innerText(), /P1/);
  page.checkQuiet();
});

test("a placement is stepped through in the order in which the scheduler decided", async () => {
  takt("plan", "gauss:size=4,cost=3..9,ccr=1", "--machine", "delay:P=3", "--scheduler", "hlfet", "--trace", "--output", "traced.yaml");
  takt("view", "traced.yaml", "--output", "traced.html");
  // An order that is not that of starts, as the file has it.
  const decided = [...readFileSync(join(folder, "traced.yaml"), "utf8").matchAll(/- \{task: (\S+), processor: (\d+), start: (\d+)/g)].map((match) => match.slice(1));
  assert.ok(decided.some(([, , start], i) => i > 0 && Number(start) < Number(decided[i - 1][2])), "this scheduler goes back in time");
  const page = await open(browser, "traced.html"), placement = page.getByRole("region", { name: "Placement", exact: true });
  await placement.locator("canvas").focus();
  for (const [i, [task, processor, start]] of decided.entries()) {
    await page.keyboard.press("n");
    assert.match(await placement.locator(".live").innerText(), new RegExp(`^step ${i + 1} of ${decided.length} \\(static level \\d+; considered.*\\): task ${task}; P${processor}, frame 0; ${start} \\.\\.`));
  }
  page.checkQuiet();
  await drawn(page);
  const { inked } = await ink(page, "section[aria-label='Placement'] canvas");
  for (let i = 0; i < decided.length - 1; ++i) await placement.getByRole("button", { name: "back" }).click();
  await drawn(page);
  assert.ok((await ink(page, "section[aria-label='Placement'] canvas")).inked < inked);
  assert.match(await placement.locator(".live").innerText(), /^step 1 of/);
  await accessible(page);
});

test("zoom, steps, filters and repetitions change the picture; 0 brings it back", async () => {
  const page = await open(browser, "a.html"), canvas = page.locator(".gantt canvas");
  const picture = () => canvas.evaluate((each) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(each.toDataURL())))));
  await canvas.focus();
  const begin = await picture();
  for (const key of ["+", "m", "n"]) {
    const before = await picture();
    await page.keyboard.press(key);
    assert.notEqual(await picture(), before, key);
  }
  assert.match(await page.locator(".gantt .live").innerText(), /^step 1 of \d+/);
  await page.keyboard.press("p");
  await page.keyboard.press("m");
  await page.keyboard.press("0");
  assert.equal(await picture(), begin);
  await page.locator("input[placeholder='0-3,7 or a name']").fill("0");
  assert.notEqual(await picture(), begin);
  await page.evaluate(() => (window.written.length = 0));
  await page.locator("input[placeholder='0-3,7 or a name']").fill("none of these");
  await drawn(page);
  assert.ok((await page.evaluate(() => window.written)).some((each) => each.text === "no row matches"));
  await page.locator("input[placeholder='0-3,7 or a name']").fill("");
  await page.locator("label:has-text('Repetitions') select").selectOption("4");
  assert.notEqual(await picture(), begin);
  page.checkQuiet();
});

test("several schedules stand on one axis, and a table says what is in view", async () => {
  const page = await open(browser, "ab.html");
  await page.locator(".in-view summary").click();
  await page.locator(".in-view tbody tr").first().waitFor();
  const rows = await page.locator(".in-view tbody tr").count();
  assert.ok(rows > 30, String(rows));
  await page.locator(".gantt canvas").focus();
  for (let i = 0; i < 8; ++i) await page.keyboard.press("+");
  await page.waitForFunction((all) => document.querySelectorAll(".in-view tbody tr").length < all, rows);
  page.checkQuiet();
});

test("streams have colours, which the legend names", async () => {
  takt("plan", "fft:depth=2", "chain:depth=3", "--machine", "logp:P=4,L=1,o=1,g=1", "--rate", "0.01", "--rate", "0.005", "--output", "streams.yaml");
  takt("view", "streams.yaml", "--output", "streams.html");
  const page = await open(browser, "streams.html");
  assert.equal(await page.locator("label:has-text('Colour by') select").first().inputValue(), "stream");
  assert.match(await page.locator("section[aria-label='Schedule'] .legend").innerText(), /stream \S+ +stream \S+/);
  page.checkQuiet();
});

test("each of several streams has figures of its own, and their page none of all of them", async () => {
  const page = await open(browser, "streams.html"), rows = page.locator("section[aria-label='Streams'] tbody tr");
  assert.equal(await rows.count(), 2);
  const cells = await rows.evaluateAll((all) => all.map((row) => Object.fromEntries([...row.cells].map((each) => [each.dataset.name, each.textContent]))));
  // As they were asked for above; a cycle is a whole number of ticks, so the reserved rate may be a little higher.
  assert.deepEqual(cells.map((each) => each.required), ["0.01", "0.005"]);
  for (const each of cells) {
    assert.equal(each.verdict, "holds");
    assert.ok(Number(each.reserved) >= Number(each.required), each.reserved);
    assert.ok(Math.abs(Number(each.reserved) * Number(each.period) - 1) < 1e-3);
    assert.ok(Number(each.latency) > 0 && Number(each["slack %"]) > 0);
    assert.match(each.processors, /^P\d/);
  }
  const facts = await page.locator(".facts dt").allInnerTexts();
  for (const name of ["period", "latency", "frequency", "frames in a repetition"]) assert.ok(!facts.includes(name), name);
  assert.ok(facts.includes("cycle"));
  // Streams' keys are in their colours, and no other key is in one of those.
  const keys = await page.locator("section[aria-label='Schedule'] .legend .key").evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
  assert.equal(new Set(keys).size, keys.length, keys.join(" "));
  page.checkQuiet();
});

test("several schedules have a line of figures each", async () => {
  const page = await open(browser, "ab.html"), rows = await page.locator("section[aria-label='Figures'] tbody tr").allInnerTexts();
  assert.equal(rows.length, 2);
  assert.match(rows[0], /^a\.yaml\s+optfo\s+\d/);
  assert.match(rows[1], /^b\.yaml\s+greedy\s+\d/);
});

test("groups are drawn on all of their processors, in the graph and among those that talk", async () => {
  takt("plan", "layered:tasks=8,complexity=mixed,alpha=0..0.25,seed=3", "--machine", "logp:P=6,L=1,o=1,g=1", "--scheduler", "m_heft", "--output", "groups.yaml");
  takt("view", "groups.yaml", "--output", "groups.html");
  const page = await open(browser, "groups.html");
  const { views } = JSON.parse(await page.locator("#takt").textContent());
  const groups = views.find((each) => each.name === "Task graph").nodes.group;
  const task = groups.findIndex((each) => each.length > 1);
  assert.ok(task >= 0, "there is a group");
  for (const name of ["Task graph", "Task interaction graph"]) {
    const section = page.getByRole("region", { name, exact: true });
    await section.locator("canvas").focus();
    // Nothing is chosen: the first arrow takes the first node.
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    const { name: names } = views.find((each) => each.name === name).nodes;
    for (let i = 0; i < 30; ++i) {
      const text = await section.locator(".live").innerText(), found = /^task (\S+?);.* on ([P\d, -]+)/.exec(text);
      assert.ok(found, text);
      const all = found[2].split(", ").flatMap((each) => {
        const [from, to] = each.trim().split("-").map((one) => Number(one.slice(1)));
        return Array.from({ length: (to ?? from) - from + 1 }, (_, k) => from + k);
      });
      assert.deepEqual(all, groups[names.indexOf(found[1])]);
      await page.keyboard.press(i % 2 ? "ArrowRight" : "ArrowDown");
    }
  }
  page.checkQuiet();
});

test("an unloaded network has thin lines without numbers, and no word about links where there are none", async () => {
  takt("view", "delay:P=6,network=ring:6", "--output", "ring.html");
  takt("plan", "gauss:size=5,cost=9", "--machine", "delay:P=6,network=ring:6", "--scheduler", "bsa", "--output", "loaded.yaml");
  takt("view", "loaded.yaml", "--output", "loaded.html");
  const inked = async (file) => {
    const page = await open(browser, file), found = await ink(page, "section[aria-label='Network'] canvas");
    return found.inked;
  };
  assert.ok((await inked("ring.html")) < (await inked("loaded.html")), "thick lines are load");
  const page = await open(browser, "a.html");
  assert.equal(await page.locator("section[aria-label='Schedule'] > p").first().innerText(), "One row per processor.");
});

test("an edited graph is saved as YAML that takt reads", async () => {
  const page = await open(browser, "g.html");
  await page.getByRole("button", { name: "edit" }).first().click();
  await page.getByRole("button", { name: "add", exact: true }).click();
  await page.getByLabel("name", { exact: true }).fill("new one: #1");
  await page.getByLabel("name", { exact: true }).press("Enter");
  await page.getByLabel("work", { exact: true }).fill("17");
  await page.getByLabel("work", { exact: true }).press("Enter");
  await page.getByRole("button", { name: "connect" }).click();
  const canvas = page.locator(".graph canvas").first();
  await canvas.focus();
  await page.keyboard.press("Escape");
  // Nothing is chosen: the first arrow takes the first node.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "save YAML" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  assert.match(text, /\{name: "new one: #1", work: 17\}/);
  assert.match(text, /\{from: "new one: #1", to: 0, size: 1\}/);
  writeFileSync(join(folder, "edited.yaml"), text);
  assert.match(takt("graph", "edited.yaml", "--info"), /tasks +15\b[^]*edges +20\b/);
  page.checkQuiet();
});

test("an edge is weighed and taken away by keys alone", async () => {
  const page = await open(browser, "g.html"), canvas = page.locator(".graph canvas").first();
  await page.getByRole("button", { name: "edit" }).first().press("Enter");
  await page.getByLabel("size of edges that are connected").fill("42");
  const saved = async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "save YAML" }).press("Enter");
    return readFileSync(await (await download).path(), "utf8");
  };
  const first = /\{from: (\S+), to: (\S+), size/.exec(await saved());
  const walk = async (key) => {
    await canvas.focus();
    // Nothing is chosen, the first node is, its first edge's other end is.
    for (const each of ["Escape", "Escape", "ArrowDown", key, "ArrowDown", "Enter"]) await page.keyboard.press(each);
    return (await saved()).match(/\{from: .*/g);
  };
  const weighed = await walk("c");
  assert.equal(weighed.length, 19);
  assert.deepEqual(weighed.filter((edge) => edge.includes("size: 42}")), [`{from: ${first[1]}, to: ${first[2]}, size: 42}`]);
  const fewer = await walk("u");
  assert.deepEqual(fewer, weighed.filter((edge) => !edge.includes("size: 42}")));
  // What is deleted is not told of any more, and of nothing no file is made.
  await canvas.focus();
  for (let i = 0; i < 14; ++i) for (const each of ["Escape", "ArrowDown", "Delete"]) await page.keyboard.press(each);
  assert.equal(await page.locator(".graph .live").first().innerText(), "");
  await page.getByRole("button", { name: "save YAML" }).press("Enter");
  assert.match(await page.locator(".editor [role=status]").innerText(), /^nothing to save/);
  page.checkQuiet();
});

test("an edited network is saved as a machine that takt plans for, links at their costs", async () => {
  writeFileSync(join(folder, "mesh.yaml"), "processors: 4\nnetwork: {topology: mesh:2x2, link: 3 + 0.5}\n");
  takt("view", "mesh.yaml", "--output", "mesh.html");
  const page = await open(browser, "mesh.html");
  await page.getByRole("button", { name: "edit" }).first().click();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "save YAML" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  assert.equal(text.match(/cost: 3 \+ 0\.5/g).length, 8);
  writeFileSync(join(folder, "network.yaml"), text);
  assert.equal(takt("plan", "fft:depth=2", "--machine", "network.yaml", "--seed", "1"), takt("plan", "fft:depth=2", "--machine", "mesh.yaml", "--seed", "1"));
  page.checkQuiet();
});

test("a filterbank file of zeros shows values, not missing ones, and says that all are the same", async () => {
  const word = (name, ...rest) => Buffer.concat([Buffer.from(Uint32Array.of(name.length).buffer), Buffer.from(name), ...rest.map((each) => Buffer.from(each.buffer))]);
  const file = (values) => Buffer.concat([word("HEADER_START"), word("data_type", Int32Array.of(1)), word("nchans", Int32Array.of(16)), word("nbits", Int32Array.of(32)), word("nifs", Int32Array.of(1)),
    word("fch1", Float64Array.of(160)), word("foff", Float64Array.of(-0.5)), word("tsamp", Float64Array.of(0.01)), word("tstart", Float64Array.of(60000)), word("HEADER_END"), Buffer.from(values.buffer)]);
  writeFileSync(join(folder, "zeros.fil"), file(new Float32Array(160)));
  // The first channel, that of the highest frequency, is the strongest; the second one is 0, of the third one nothing is there.
  writeFileSync(join(folder, "some.fil"), file(Float32Array.from({ length: 160 }, (_, i) => (i % 16 === 0 ? 100 : i % 16 === 1 ? 0 : i % 16 === 2 ? NaN : 1))));
  takt("view", "zeros.fil", "--output", "zeros.html");
  takt("view", "some.fil", "--output", "some.html");
  let page = await open(browser, "zeros.html");
  assert.match(await page.locator(".waterfall canvas").getAttribute("aria-label"), /, all 0$/);
  page.checkQuiet();
  page = await open(browser, "some.html");
  const canvas = page.locator(".waterfall canvas"), box = await canvas.boundingBox(), wide = (box.width - 72 - 96) / 16;
  const at = async (column) => {
    await page.mouse.move(box.x + 72 + (column + 0.5) * wide, box.y + 40);
    return page.locator(".waterfall .tip").innerText();
  };
  // Frequencies grow to the right.
  assert.match(await at(15), /^MHz: 160\n[^]*\n20 dB$/);
  assert.match(await at(14), /\n0: no power$/);
  assert.match(await at(13), /\nmissing$/);
  assert.match(await at(0), /^MHz: 152\.5\n[^]*\n0 dB$/);
  // So they do in the spectrum: the last point is the highest frequency.
  await page.locator(".chart canvas").focus();
  for (let i = 0; i < 16; ++i) await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".chart .live").innerText(), /MHz: 160; decibels: 20$/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator(".chart .live").innerText(), /decibels: none \(0\)$/);
  page.checkQuiet();
});

test("machines have pictures with and without a network, and data partitions are drawn by owner", async () => {
  writeFileSync(join(folder, "many.machine.yaml"), "processors: 48\ncosts:\n  all: {latency: 42000 + 140, overhead: 0, gap: 0}\n");
  takt("view", "many.machine.yaml", "--output", "many-nodes.html");
  let page = await open(browser, "many-nodes.html");
  assert.match(await page.locator("section[aria-label='Network'] .legend").innerText(), /^Complete: all nodes are linked/);
  const { inked } = await ink(page, "section[aria-label='Network'] canvas");
  assert.ok(inked < 0.3, `a ring, no disc: ${inked}`);
  // The machine holds its nodes.
  assert.match(await page.locator("section[aria-label='Levels'] .holder").innerText(), /^machine: 48 nodes, 48 processors\s+L 185 us, o 0 ns, g 0 ns\s+48 nodes of 1 processor: P0-P47$/);
  page.checkQuiet();
  await accessible(page);
  // Of the groups above, in a window that becomes a narrow one.
  page = await open(browser, "groups.html");
  for (const viewport of [{ width: 1280, height: 900 }, { width: 390, height: 800 }]) {
    await page.setViewportSize(viewport);
    await drawn(page);
    const blocks = page.locator("section[aria-label='Data partitions'] .block");
    const rows = await page.locator("section[aria-label='Data partitions'] .part").count(), table = page.locator("section[aria-label='Data partitions'] tbody tr");
    assert.equal(rows, 8);
    // As many blocks as the table says.
    const groups = await table.evaluateAll((all) => all.map((each) => Number(each.cells[2].textContent)));
    assert.equal(await blocks.count(), groups.reduce((sum, each) => sum + each));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "fits its window");
    await accessible(page);
    page.checkQuiet();
  }
});

test("a long title breaks on a telephone, and what was said of a step goes with it", async () => {
  const data = readFileSync(join(folder, "a.html"), "utf8");
  writeFileSync(join(folder, "title.html"), data.replace('"title":"a.yaml"', `"title":"${"a_very_long_name_without_a_blank".repeat(4)}.yaml"`));
  const page = await open(browser, "title.html", { viewport: { width: 390, height: 800 } });
  assert.match(await page.locator("h1").innerText(), /a_very_long/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "fits its window");
  await page.locator(".gantt canvas").focus();
  await page.keyboard.press("n");
  assert.match(await page.locator(".gantt .live").innerText(), /^step 1/);
  await page.locator("label:has-text('Repetitions') select").selectOption("2");
  assert.equal(await page.locator(".gantt .live").innerText(), "");
  page.checkQuiet();
});

test("a page prints", async () => {
  const page = await open(browser, "a.html", { colorScheme: "dark" });
  const pdf = await page.pdf();
  assert.ok(pdf.length > 20000);
});

test("100,000 boxes are drawn fast enough to move them, and a name is never markup", async () => {
  const tasks = 100000, rows = 100, each = tasks / rows, own = Array.from({ length: tasks }, (_, i) => i);
  const text = readFileSync(join(folder, "a.html"), "utf8");
  const data = JSON.parse(/id="takt">(.*?)<\/script>/s.exec(text)[1]);
  data.title = "</script><script>alert(1)</script>";
  data.views = [{ kind: "gantt", name: "large", says: "<b>no markup</b>", unit: "ticks", groups: { name: ["a"], repetition: [0], replicas: [1] }, streams: [""],
    rows: { name: Array.from({ length: rows }, (_, i) => `P${i}`), group: Array(rows).fill(0), boxes: Array(rows).fill(each) },
    tasks: { name: own.map(String), layer: Array(tasks).fill(0), stream: Array(tasks).fill(0) },
    box: { gap: own.map((i) => i % 3), len: own.map((i) => 1 + i % 7), kind: Array(tasks).fill(0), subject: own, instance: Array(tasks).fill(0) },
    messages: { send: [], receive: [], bytes: [], name: [], id: [] } }];
  const json = JSON.stringify(data).replace(/</g, "\\u003c");
  assert.ok(json.length < 3.2e6, String(json.length));
  writeFileSync(join(folder, "large.html"), text.replace(/(id="takt">).*?(<\/script>)/s, (_, a, b) => a + json + b));
  const page = await open(browser, "large.html");
  assert.equal(await page.locator("section b").count(), 0);
  const { inked } = await ink(page, ".gantt canvas");
  assert.ok(inked > 0.3, String(inked));
  page.checkQuiet();
});

test("much data is packed into the page, and drawn as little is", async () => {
  takt("graph", "layered:tasks=6000,cost=1..100,data=1..9,seed=1,density=0.001", "--output", "many.yaml");
  takt("view", "many.yaml", "--output", "many.html");
  const text = readFileSync(join(folder, "many.html"), "utf8");
  assert.match(text, /type="application\/x-takt-packed"/);
  const edges = /edges +(\d+)/.exec(takt("graph", "many.yaml", "--info"))[1];
  const page = await open(browser, "many.html");
  assert.match(await page.locator(".graph canvas").getAttribute("aria-label"), new RegExp(`^Task graph: graph with 6000 nodes and ${edges} edges`));
  assert.ok((await ink(page, ".graph canvas")).inked > 0.02);
  page.checkQuiet();
});

test("a picture that nobody has moved shows all of itself in a window that becomes another one", async () => {
  const picture = async (page) => {
    await drawn(page);
    return page.locator(".graph canvas").first().evaluate((canvas) => canvas.toDataURL());
  };
  const small = { width: 390, height: 800 }, fresh = await picture(await open(browser, "g.html", { viewport: small }));
  const page = await open(browser, "g.html");
  await page.setViewportSize(small);
  await drawn(page);
  assert.equal(await picture(page), fresh);
  // Who has chosen a part keeps it.
  await page.locator(".graph canvas").first().focus();
  await page.keyboard.press("+");
  await page.setViewportSize({ width: 1280, height: 900 });
  const moved = await picture(page);
  await page.keyboard.press("0");
  assert.notEqual(await picture(page), moved);
  page.checkQuiet();
});

test("in boxes, times are whole or left out, and tasks of streams are called by frame and task", async () => {
  takt("graph", "fft:depth=3,cost=100us..900us,data=1KiB..64KiB", "--output", "units.yaml");
  takt("view", "units.yaml", "--output", "units.html");
  let page = await open(browser, "units.html", { viewport: { width: 1280, height: 2000 } });
  for (const width of [1280, 700]) {
    await page.evaluate(() => (window.written.length = 0));
    await page.setViewportSize({ width, height: 2000 });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await drawn(page);
    const texts = (await page.evaluate(() => window.written)).filter((each) => each.of === "Task interaction graph").map((each) => each.text);
    assert.ok(texts.length > 30);
    assert.deepEqual(texts.filter((text) => /^\d.*\u2026$/.test(text)), []);
    if (width > 1000) assert.ok(texts.some((text) => /^\d+\u00a0us$/.test(text)), texts.join());
    page.checkQuiet();
  }
  page = await open(browser, "streams.html", { viewport: { width: 1280, height: 3000 } });
  const labels = (await page.evaluate(() => window.written)).filter((each) => each.of === "Task graph").map((each) => each.text);
  for (const label of ["0/0", "1/0", "0/2"]) assert.ok(labels.includes(label), labels.join());
  assert.equal(await page.locator("section[aria-label='Task graph'] select").first().inputValue(), "stream");
  page.checkQuiet();
});

test("an axis has two marks at least, however little room there is", async () => {
  const word = (name, ...rest) => Buffer.concat([Buffer.from(Uint32Array.of(name.length).buffer), Buffer.from(name), ...rest.map((each) => Buffer.from(each.buffer))]);
  writeFileSync(join(folder, "channels.fil"), Buffer.concat([word("HEADER_START"), word("data_type", Int32Array.of(1)), word("nchans", Int32Array.of(16)), word("nbits", Int32Array.of(32)), word("nifs", Int32Array.of(1)),
    word("fch1", Float64Array.of(480)), word("foff", Float64Array.of(-30)), word("tsamp", Float64Array.of(0.01)), word("tstart", Float64Array.of(60000)), word("HEADER_END"), Buffer.from(Float32Array.from({ length: 160 }, (_, i) => i).buffer)]));
  takt("view", "channels.fil", "--output", "channels.html");
  const page = await open(browser, "channels.html", { viewport: { width: 390, height: 2000 } });
  const height = (await page.locator(".waterfall canvas").boundingBox()).height;
  const marks = (await page.evaluate(() => window.written)).filter((each) => each.of === "Waterfall" && Math.abs(each.y - (height - 28)) < 3).map((each) => each.text);
  assert.ok(new Set(marks).size >= 2, marks.join());
  page.checkQuiet();
});

test("values that differ by rounding only are one, and no zoom goes where there are no numbers", async () => {
  writeFileSync(join(folder, "near.csv"), "x,y\n" + Array.from({ length: 40 }, (_, i) => `${1 + i},${2 + (i % 3) * Number.EPSILON}\n`).join(""));
  takt("view", "near.csv", "--output", "near.html");
  const page = await open(browser, "near.html"), canvas = page.locator(".chart canvas").first();
  const texts = (await page.evaluate(() => window.written)).map((each) => each.text);
  assert.ok(texts.includes("2.0") || texts.includes("2"), texts.join(" "));
  await canvas.focus();
  for (let i = 0; i < 120; ++i) await page.keyboard.press("+");
  await drawn(page);
  await page.keyboard.press("0");
  await drawn(page);
  assert.ok((await ink(page, ".chart canvas")).inked > 0.005);
  page.checkQuiet();
});

test("what a simulation and a search for the highest rate found is drawn", async () => {
  takt("plan", "fft:depth=3,cost=5..9,data=1..5", "--machine", "logp:P=4,L=2,o=1,g=2", "--scheduler", "optfo", "--output", "simulated.yaml");
  const simulated = takt("simulate", "simulated.yaml", "--frames", "200", "--format", "json");
  writeFileSync(join(folder, "simulated.json"), simulated);
  takt("view", "simulated.json", "--output", "simulated.html");
  let page = await open(browser, "simulated.html");
  const first = JSON.parse(simulated).processors[0];
  const bar = page.getByRole("listitem").filter({ hasText: "P0" }).locator(".bar").first();
  assert.equal(await bar.getAttribute("title"), `P0\ncompute: ${Number((100 * first.compute).toPrecision(4))} %`);
  assert.equal(await page.locator("section[aria-label='Processors'] td[data-name='processor']").nth(3).innerText(), "3");
  page.checkQuiet();
  const trial = (offered_hz, sustained_hz, holds, p50) => ({ offered_hz, sustained_hz, holds, fault: holds ? null : "3 dropped", latency_ns: { p50, p90: 2 * p50, p99: 3 * p50, max: 4 * p50 } });
  writeFileSync(join(folder, "rates.json"), JSON.stringify({ pipeline: "p", sustained_hz: 100, saturated: trial(0, 123, true, 9e6), trials: [trial(110, 90, false, 5e6), trial(100, 100, true, 2e6)], curve: [trial(20, 20, true, 1e6), trial(50, 50, true, 1.5e6)] }));
  takt("view", "rates.json", "--output", "rates.html");
  page = await open(browser, "rates.html");
  assert.match(await page.locator(".facts").innerText(), /as fast as possible\s+123 Hz/);
  const told = async (section, presses) => {
    await page.locator(`section[aria-label='${section}'] canvas`).focus();
    const found = [];
    for (let i = 0; i < presses; ++i) {
      await page.keyboard.press("ArrowRight");
      found.push(await page.locator(`section[aria-label='${section}'] .live`).innerText());
    }
    return found;
  };
  // Those of the curve, too, in the order of the rates.
  assert.deepEqual(await told("Trials", 3), [20, 50, 100].map((hz) => `holds; offered (Hz): ${hz}; sustained (Hz): ${hz}`));
  assert.deepEqual(await told("Latency", 4), [[20, "1"], [50, "1.5"], [100, "2"], [110, "5"]].map(([hz, ms]) => `median; offered (Hz): ${hz}; latency (ms): ${ms}`));
  page.checkQuiet();
});

test("a program's text and its graph show each other's choice", async () => {
  writeFileSync(join(folder, "sum.c"), "#include <stdio.h>\nstatic double a[4][8], s[4];\n" +
    "void make(double *x, int n) { for (int i = 0; i < 8; i++) x[i] = i + n; }\n" +
    "void sum(const double *x, double *y) { *y = 0; for (int i = 0; i < 8; i++) *y += x[i]; }\n" +
    "void show(const double s[4]) { printf(\"%g\\n\", s[0]); }\n" +
    "int main(void) {\n  for (int i = 0; i < 4; i++) make(a[i], i);\n  for (int i = 0; i < 4; i++) sum(a[i], &s[i]);\n  show(s);\n  return 0;\n}\n");
  try {
    takt("view", "sum.c", "--output", "sum.html");
  } catch (error) {
    assert.match(String(error), /clang.*not installed/);
    return;
  }
  const page = await open(browser, "sum.html"), section = page.getByRole("region", { name: "Source", exact: true });
  const says = section.getByRole("status").first(), call = section.getByRole("button", { name: "sum" });
  assert.equal(await section.locator(".mark.writes").first().innerText(), "a[i]");
  await call.click();
  assert.match(await says.innerText(), /^sum\(a\[0\], &s\[0\]\): call 4, 1 of 4 in line 8$/);
  await call.click();
  assert.match(await says.innerText(), /^sum\(a\[1\], &s\[1\]\): call 5, 2 of 4/);
  assert.equal(await section.locator(".mark.chosen").count(), 3);
  // Upwards along an edge: the call that made a[1].
  await section.locator("canvas").focus();
  await page.keyboard.press("ArrowUp");
  assert.match(await says.innerText(), /^make\(a\[1\], 1\): call 1, 2 of 4 in line 7$/);
  assert.equal(await section.locator("button.mark.chosen").innerText(), "make");
  await accessible(page);
  page.checkQuiet();
});
