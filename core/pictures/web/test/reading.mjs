// Whether a page can be read and used in its window: texts of a contrast too low, what makes it scroll sideways, what is too small for a finger.
export const faultsOf = (page) => page.evaluate(() => {
  const faults = [], root = document.scrollingElement;
  if (root.scrollWidth > innerWidth) faults.push(`scrolls sideways: ${root.scrollWidth} of ${innerWidth} pixels`);
  // Boxes that cannot be moved hide nothing: but for values of bars that have no room, which are in a title, too.
  for (const box of document.querySelectorAll("section, dl, p, table, .controls"))
    if (box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 && !box.closest(".scrolls")) faults.push(`reaches beyond its box: ${box.tagName} ${box.textContent.slice(0, 40)}`);
  // WCAG 2.2: contrast ratio of relative luminances.
  const channels = (text) => {
    const values = text.match(/[\d.]+/g).map(Number);
    // `color(srgb 0.5 0.5 0.5)`, as color-mix gives it, and `rgb(127, 127, 127)`.
    const [r, g, b] = values.slice(0, 3).map((value) => (text.startsWith("color(") ? 255 * value : value));
    return [r, g, b, values[3] ?? 1];
  };
  const over = (above, below) => below.map((value, i) => above[3] * above[i] + (1 - above[3]) * value);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = new Map();
  const groundOf = (element) => {
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) grounds.set(element, over(channels(getComputedStyle(element).backgroundColor), groundOf(element.parentElement)));
    return grounds.get(element);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim(), element = walker.currentNode.parentElement;
    if (!text || element.closest("script, style, noscript, option, title, :disabled") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), isDrawn = element instanceof SVGElement;
    let ground = groundOf(isDrawn ? element.ownerSVGElement.parentElement : element);
    // A cell of a heat map is a box and its letters.
    const box = isDrawn && element.previousElementSibling?.matches("rect") ? getComputedStyle(element.previousElementSibling) : undefined;
    const isWithin = box && element.previousElementSibling.getBoundingClientRect().right >= element.getBoundingClientRect().right;
    if (isWithin) ground = over([...channels(box.fill).slice(0, 3), Number(box.fillOpacity)], ground);
    const ratio = contrast(over(channels(isDrawn ? style.fill : style.color), ground), ground);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
    ++texts;
  }
  if (texts < 5) faults.push("hardly a text was found");
  if (matchMedia("(max-width: 600px)").matches)
    for (const target of document.querySelectorAll("button, select, input:not([type=range]), summary")) {
      const { width, height } = target.getBoundingClientRect();
      if (target.checkVisibility() && (width < 40 || height < 40)) faults.push(`too small for a finger: ${target.textContent || target.placeholder} ${width.toFixed()} x ${height.toFixed()}`);
    }
  for (const picture of document.querySelectorAll("canvas, svg[role=img]")) if (!picture.getAttribute("aria-label")) faults.push("a picture without a name");
  if (!document.title) faults.push("no title");
  return [...new Set(faults)];
});
