// A table whose columns sort.

import { TableView } from "./data";
import { button, element, save } from "./text";

export function table(view: TableView): HTMLElement {
  const body = element("tbody");
  let sorted = -1, direction = 1;
  const fill = (rows: string[][]): void =>
    body.replaceChildren(...rows.map((row) => element("tr", {}, ...row.map((cell, i) => element("td", view.numbers[i] ? { class: "number" } : {}, cell)))));
  const heads = view.columns.map((name, i) => {
    const head = element("th", view.numbers[i] ? { scope: "col", class: "number" } : { scope: "col" });
    head.append(button(name, "Sort by this column", () => {
      direction = sorted === i ? -direction : 1;
      sorted = i;
      heads.forEach((each, k) => each.setAttribute("aria-sort", k !== i ? "none" : direction > 0 ? "ascending" : "descending"));
      fill([...view.rows].sort((a, b) => direction * (view.numbers[i] ? parseFloat(a[i]) - parseFloat(b[i]) || 0 : a[i].localeCompare(b[i]))));
    }));
    return head;
  });
  fill(view.rows);
  const csv = (): string => [view.columns, ...view.rows].map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)).join(",")).join("\n") + "\n";
  return element("div", {}, element("div", { class: "controls" }, button("CSV", "This table", () => save("table.csv", csv(), "text/csv"))),
                 element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": view.name + ", table" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body)));
}
