// Can what canvases write be read? axe sees the page's elements, not what is in a canvas.
import assert from "node:assert/strict";
import { launch, open, takt } from "./browser.mjs";
import { testsAfter } from "./tests_after.mjs";

let browser;
const test = testsAfter(async () => {
  browser = await launch();
  takt("graph", "chain:depth=3", "--output", "c.yaml");
  takt("view", "c.yaml", "--output", "c.html");
});

const rgb = (text) => [1, 3, 5].map((at) => parseInt((text.length === 4 ? "#" + [...text.slice(1)].map((each) => each + each).join("") : text).slice(at, at + 2), 16));
const over = (above, alpha, below) => above.map((value, i) => alpha * value + (1 - alpha) * below[i]);
// WCAG 2.2, relative luminance and contrast ratio.
const luminance = (colour) => {
  const [r, g, b] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

test("texts on canvases have a contrast of 4.5 in light and in dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, "c.html", { colorScheme });
    const names = ["ink", "muted", "card", "page", "grid", "heat", "good", "send", "message", ...Array.from({ length: 7 }, (_, i) => `p${i}`)];
    const values = await page.evaluate((wanted) => wanted.map((name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()), names);
    const c = Object.fromEntries(names.map((name, i) => [name, rgb(values[i])]));
    const pairs = { "ink on card": [c.ink, c.card], "muted on card": [c.muted, c.card], "ink on page": [c.ink, c.page], "muted on page": [c.muted, c.page],
      "label of a send": [c.card, c.send], "label of a receive": [c.ink, c.message], "label of what waits": [c.ink, c.grid], "pressed button": [c.page, c.ink] };
    // Boxes and nodes, those of states among them.
    for (let i = 0; i < 7; ++i) pairs[`ink on p${i}`] = [c.ink, c[`p${i}`]];
    // The ends of viridis, for works.
    for (const end of [[68, 1, 84], [253, 231, 37]]) pairs[`ink on ${end}`] = [c.ink, over(end, 0.35, c.card)];
    for (const [name, [text, ground]] of Object.entries(pairs)) assert.ok(contrast(text, ground) >= 4.5, `${colorScheme}: ${name}: ${contrast(text, ground).toFixed(2)}`);
    // Boxes are filled with just these, whose differences the test of the palette knows.
    const filled = await page.locator(".graph canvas").first().evaluate((canvas, [r, g, b]) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) ++count;
      return count;
    }, c.p0);
    assert.ok(filled > 200, `${colorScheme}: ${filled} pixels of the first layer's colour`);
    // What marks a box is no text: 3.
    assert.ok(contrast(c.heat, c.card) >= 3, `${colorScheme}: heat`);
  }
});
