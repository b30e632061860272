// Formatting of numbers, and DOM elements.

import { ColumnKind } from "./data";

export type Child = Node | string;

/// Returns an element with attributes (class, type, ...) and children; texts are never parsed as markup.
export function element<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const name of Object.keys(attributes)) made.setAttribute(name, attributes[name]);
  made.append(...children);
  return made;
}

/// Changes an element's text if it differs, and keeps its text node, whose layout is faster than that of a new one.
export function setText(where: Element, text: string): void {
  const node = where.firstChild as Text | null;
  if (!node) where.textContent = text;
  else if (node.data !== text) node.data = text;
}

export function button(text: string, says: string, does: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title: says }, text);
  made.addEventListener("click", does);
  return made;
}

/// Returns a button that asks once more, with another text for some seconds, before it does something. It does not ask where
/// nothing is lost.
export function sureButton(text: string, says: string, again: string, does: () => void, isRisky = (): boolean => true): HTMLButtonElement {
  let isSure = false;
  const made = button(text, says, () => {
    const isMeant = isSure || !isRisky();
    isSure = !isMeant;
    made.textContent = isMeant ? text : again;
    if (isMeant) return does();
    setTimeout(() => {
      isSure = false;
      made.textContent = text;
    }, 4000);
  });
  return made;
}

export function choice(label: string, options: string[], does: (chosen: string) => void): HTMLLabelElement {
  const select = element("select", {}, ...options.map((each) => element("option", {}, each)));
  select.addEventListener("change", () => does(select.value));
  return element("label", {}, label + " ", select);
}

export function field(label: string, says: string, does: (text: string) => void): HTMLLabelElement {
  const input = element("input", { type: "search", size: "13", placeholder: says, title: says });
  input.addEventListener("input", () => does(input.value));
  return element("label", {}, label + " ", input);
}

/// Returns the length of the names' common prefix, up to its last word separator. 0 if an ellipsis would save
/// nothing.
export function commonBeginning(names: string[]): number {
  if (names.length < 2) return 0;
  let common = names[0].length;
  for (const name of names) {
    common = Math.min(common, name.length);
    while (!name.startsWith(names[0].slice(0, common))) --common;
  }
  while (common > 0 && /[\p{L}\p{N}]/u.test(names[0][common - 1])) --common;
  return common < 4 ? 0 : common;
}

/// Returns the text, or as much of it as fits with an ellipsis: instead of its middle unless space is short, since ends
/// distinguish names as often as beginnings. Empty if not even one character and the ellipsis fit. O(log letters). The first
/// `common` letters carry no information and are dropped first.
export function shortened(context: CanvasRenderingContext2D, text: string, room: number, keepsEnd = true, common = 0): string {
  if (context.measureText(text).width <= room) return text;
  if (common > 0) return shortened(context, "\u2026" + text.slice(common), room, keepsEnd);
  const letters = [...text];
  const cut = (kept: number): string => {
    const last = keepsEnd && kept >= 7 ? Math.floor(kept / 2) : 0;
    return letters.slice(0, kept - last).join("") + "…" + letters.slice(letters.length - last).join("");
  };
  let low = 0, high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(cut(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? cut(low) : "";
}

function superscript(exponent: number): string {
  return String(exponent).replace(/./g, (letter) => (letter === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[Number(letter)]));
}

/// As number_text of core/pictures/figure_text.hpp: four significant digits; whole numbers are exact, in groups of three from a
/// million on; beyond 10^15 and below a thousandth with a power of ten.
export function number(value: number): string {
  if (isNaN(value)) return "-";
  if (!isFinite(value)) return value > 0 ? "\u221e" : "-\u221e";
  const size = Math.abs(value);
  if (size < 1e15 && (Number.isInteger(value) || size >= 9999.5)) {
    const digits = Math.round(value + 0).toString();
    return size < 1e6 ? digits : digits.replace(/(?<=\d)(?=(?:\d{3})+$)/g, "\u202f");
  }
  if (size >= 1e-3 && size < 1e6) return Number(value.toPrecision(4)).toString();
  const [digits, exponent] = value.toExponential(2).split("e");
  return `${Number(digits)}\u00d7`.replace(/^(-?)1\u00d7$/, "$1") + "10" + superscript(Number(exponent));
}

type Unit = [name: string, size: number];
const times: Unit[] = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
const sizes: Unit[] = [["B", 1], ["KiB", 1024], ["MiB", 1024 ** 2], ["GiB", 1024 ** 3]];
const frequencies: Unit[] = [["Hz", 1], ["kHz", 1e3], ["MHz", 1e6], ["GHz", 1e9]];

/// Returns the largest unit in which the value is at least one.
function fitting(value: number, units: Unit[]): Unit {
  return units.reduce((best, each) => (Math.abs(value) >= each[1] ? each : best));
}
function withUnit(value: number, units: Unit[], digits: number): string {
  const [name, size] = fitting(value, units), shown = value / size;
  return (Math.abs(shown) >= 1e6 || (shown !== 0 && Math.abs(shown) < 1e-3) ? number(shown) : Number(shown.toPrecision(digits)).toString()) + " " + name;
}

export function time(value: number, unit: "ns" | "ticks", digits = 6): string {
  return unit === "ticks" ? number(value) : withUnit(value, times, digits);
}
/// Formats data sizes, in bytes or in a graph's own units.
export function dataSize(value: number, unit: "ns" | "ticks"): string {
  return unit === "ticks" ? number(value) : withUnit(value, sizes, 4);
}
/// Formats a fraction of a whole in percent, two decimals.
export function share(value: number): string { return value > 0 && value < 5e-5 ? "< 0.01 %" : (100 * value).toFixed(2) + " %"; }
export function hertz(value: number): string { return withUnit(value, frequencies, 6); }

/// Formats a table cell whose column has a unit; texts that are no numbers are unchanged.
export function cellText(kind: ColumnKind, cell: string): string {
  const value = cell.trim() === "" ? NaN : Number(cell);
  if (kind === ColumnKind.text || isNaN(value)) return cell;
  if (kind === ColumnKind.ns) return withUnit(value, times, 6);
  if (kind === ColumnKind.seconds) return withUnit(1e9 * value, times, 6);
  if (kind === ColumnKind.hz) return withUnit(value, frequencies, 6);
  if (kind === ColumnKind.bytes) return withUnit(value, sizes, 6);
  if (kind === ColumnKind.share) return share(value);
  // Keeps explicitly chosen digits.
  return cell.length <= 8 && !/e/i.test(cell) && Math.abs(value) < 1e6 ? cell : number(value);
}

/// Formats a column of such cells: those of one unit with equal numbers of decimals, as many as the widest of them has within six
/// digits, so that decimal points are aligned.
export function aligned(cells: string[]): string[] {
  const parts = cells.map((cell) => /^(-?(\d+)(?:\.(\d+))?) (\D+)$/.exec(cell)), decimals = new Map<string, number>(), widest = new Map<string, number>();
  for (const part of parts) {
    if (!part) continue;
    decimals.set(part[4], Math.max(decimals.get(part[4]) ?? 0, (part[3] ?? "").length));
    widest.set(part[4], Math.max(widest.get(part[4]) ?? 0, part[2].length));
  }
  return cells.map((cell, i) => {
    const part = parts[i];
    return part ? `${Number(part[1]).toFixed(Math.min(decimals.get(part[4])!, Math.max(0, 6 - widest.get(part[4])!)))} ${part[4]}` : cell;
  });
}

/// Returns an axis in the fitting unit of its values: its title, and the divisor of the values. Titles end with their unit,
/// alone or in brackets; others are unchanged.
export function axisUnit(title: string, most: number): { title: string; size: number } {
  const found = /^(?:(.*\()([^()]+)\)|(.+))$/.exec(title), name = found?.[2] ?? found?.[3] ?? "", own = name === "seconds" ? "s" : name;
  for (const units of [times, sizes, frequencies]) {
    const now = units.find((each) => each[0] === own);
    if (!now || !(most > 0) || !isFinite(most)) continue;
    const best = fitting(most * now[1], units);
    // Bandwidths are displayed in MHz even above 1000.
    if (units === frequencies && best[1] > now[1] && most < 1e4) continue;
    if (best[0] !== own) return { title: found?.[1] ? `${found[1]}${best[0]})` : best[0], size: best[1] / now[1] };
  }
  return { title, size: 1 };
}

/// Returns a title without its unit in brackets, for marks with units; and formats such a value.
export function plainTitle(title: string): string { return title.replace(/ \([^()]+\)$/, ""); }
export function withUnitOf(title: string, value: number): string {
  const own = /\(([^()]+)\)$/.exec(title)?.[1] ?? title, units = [times, sizes, frequencies].find((each) => each.some(([name]) => name === own));
  return units ? withUnit(value * units.find(([name]) => name === own)![1], units, 4) : number(value);
}

/// Returns a mark's text, with the digits that distinguish it from the next one.
export function markText(mark: number, step: number): string {
  if (Math.abs(mark) < step * 1e-6) return "0";
  if (Math.abs(mark) >= 1e6 || step < 1e-6) return number(Number(mark.toPrecision(12)));
  return mark.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

/// Formats processors in ascending order: `P0-P3, P7`.
export function rangesText(processors: number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < processors.length; ++i) {
    const first = i;
    while (i + 1 < processors.length && processors[i + 1] === processors[i] + 1) ++i;
    parts.push(`P${processors[first]}` + (i > first ? `-P${processors[i]}` : ""));
  }
  return parts.join(", ");
}

/// Parses `0-3,7` to a predicate for numbers, true for an empty text; undefined if it is invalid.
export function ranges(text: string): ((value: number) => boolean) | undefined {
  if (text.trim() === "") return () => true;
  const parts = text.split(",").map((part) => /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part));
  if (parts.some((part) => !part)) return undefined;
  return (value) => parts.some((part) => value >= Number(part![1]) && value <= Number(part![2] ?? part![1]));
}

/// Offers a text for download as a file.
export function save(name: string, text: string | Blob, type = "text/plain"): void {
  const address = URL.createObjectURL(typeof text === "string" ? new Blob([text], { type }) : text);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
