// A table with sortable columns.

import { ColumnKind, TableView } from "./data";
import { aligned, button, cellText, element, save } from "./text";

/// Displays the rows of a table wider than its box as blocks of names and values, so that no column is cut off.
function stackWhereWide(box: HTMLElement, table: HTMLElement): void {
  let natural = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === 0) return;
    if (!table.classList.contains("stacked")) natural = table.scrollWidth;
    table.classList.toggle("stacked", natural > box.clientWidth);
  }).observe(box);
}

export function table(view: TableView): HTMLElement {
  const body = element("tbody");
  let sorted = -1, direction = 1;
  const isNumber = (column: number): boolean => view.numbers[column] !== ColumnKind.text;
  const shown = view.columns.map((_, i) => {
    const texts = view.rows.map((row) => cellText(view.numbers[i], row[i]));
    return isNumber(i) ? aligned(texts) : texts;
  });
  const places = new Map(view.rows.map((row, i) => [row, i]));
  const fill = (rows: string[][]): void =>
    body.replaceChildren(...rows.map((row) => element("tr", {}, ...row.map((_, i) =>
      element("td", { ...(isNumber(i) ? { class: "number" } : {}), "data-name": view.columns[i] }, shown[i][places.get(row)!])))));
  // Texts that are no numbers come last.
  const value = (cell: string): number => (isNaN(parseFloat(cell)) ? Infinity : parseFloat(cell));
  const heads = view.columns.map((name, i) => {
    const head = element("th", isNumber(i) ? { scope: "col", class: "number" } : { scope: "col" });
    head.append(button(name, "Sort by this column", () => {
      direction = sorted === i ? -direction : 1;
      sorted = i;
      heads.forEach((each, k) => each.setAttribute("aria-sort", k !== i ? "none" : direction > 0 ? "ascending" : "descending"));
      fill([...view.rows].sort((a, b) => direction * (isNumber(i) ? value(a[i]) - value(b[i]) || 0 : a[i].localeCompare(b[i]))));
    }));
    return head;
  });
  fill(view.rows);
  const csv = (): string => [view.columns, ...view.rows].map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)).join(",")).join("\n") + "\n";
  // Tables with many columns are printed in landscape.
  const many = 10;
  const all = element("table", { class: "stacks" }, element("thead", {}, element("tr", {}, ...heads)), body);
  const box = element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": view.name + ", table" }, all);
  stackWhereWide(box, all);
  return element("div", view.columns.length > many ? { class: "broad" } : {}, element("div", { class: "controls" }, button("CSV", "This table, in the units of the file", () => save("table.csv", csv(), "text/csv"))), box);
}
