// Bars below each other, with complete names and values.

import { ChartView } from "./data";
import { axisUnit, button, element, number, save } from "./text";

/// A table is more useful for more names.
const mostNames = 300;

/// Returns a name that may be broken after its underscores.
function breakable(name: string): (string | HTMLElement)[] { return name.split(/(?<=_)/).flatMap((part, i) => (i > 0 ? [element("wbr"), part] : [part])); }

export function bars(view: ChartView): HTMLElement {
  const { names = [], series, stacked } = view, all = series.flatMap((each) => each.y).filter((value) => value !== null && isFinite(value));
  const sums = names.map((_, i) => series.reduce((sum, each) => sum + Math.max(0, each.y[i] || 0), 0));
  const most = [...(stacked ? sums : all)].reduce((a, b) => Math.max(a, b), 0), unit = axisUnit(view.y, most);
  // Negligible compared with the other values.
  const text = (value: number): string => (value !== 0 && Math.abs(value) < 1e-4 * most ? "\u2248 0" : number(value / unit.size)), share = (value: number): string => `${Math.max(0, 100 * value / (most || 1))}%`;
  const inUnit = unit.title.length < 9 ? ` ${unit.title}` : "";
  const bar = (i: number, k: number): HTMLElement => {
    const value = series[k].y[i], isKnown = value !== null && isFinite(value);
    const block = element("span", { class: `bar c${k % 7 < 6 ? k % 7 : 7}` });
    block.style.width = isKnown ? share(value) : "0";
    const says = `${names[i]}\n${series[k].name}: ${isKnown ? text(value) + inUnit : "none"}`;
    if (stacked) {
      block.title = says;
      block.append(element("span", {}, isKnown && value > 0 ? text(value) : ""));
      return block;
    }
    return element("span", { class: "bar-line", title: says }, block, element("span", { class: "bar-value" }, isKnown ? text(value) : "-"));
  };
  const rows = names.slice(0, mostNames).map((name, i) => element("div", { class: "bar-row", role: "listitem" }, element("span", { class: "bar-name" }, ...breakable(name)),
    element("span", { class: stacked ? "bar-parts" : "bar-group" }, ...series.map((_, k) => bar(i, k)))));
  const csv = (): string => `${view.x},${series.map((each) => each.name).join(",")}\n` + names.map((name, i) => [name, ...series.map((each) => String(each.y[i] ?? ""))]
    .map((cell) => (/[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)).join(",") + "\n").join("");
  const legend = series.length > 1 ? [element("p", { class: "legend" }, ...series.flatMap((each, k) => {
    return [element("span", { class: `key ${stacked ? "pale" : "bar"} c${k % 7 < 6 ? k % 7 : 7}` }), each.name + " "];
  }))] : [];
  return element("div", {}, element("div", { class: "controls" }, button("CSV", "All values as a table, in the units of the file", () => save("chart.csv", csv(), "text/csv"))),
    ...legend, element("div", { class: "bars", role: "list", "aria-label": `${view.name}: bars of ${series.map((each) => each.name).join(", ")} by ${view.x}` }, ...rows),
    element("p", { class: "legend" }, `${unit.title} by ${view.x}${names.length > mostNames ? `; the first ${mostNames} of ${names.length}` : ""}`));
}
