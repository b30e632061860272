// The distribution of data: a row for each task, a block for each processor of its group.

import { ColumnKind, PartitionsView } from "./data";
import { table } from "./table";
import { dataSize, element } from "./text";

/// The table suffices for more rows.
const mostRows = 200;

export function partitions(view: PartitionsView): HTMLElement {
  const { task, frame, bytes, group } = view.parts, hasFrames = frame.some((each) => each > 0);
  const rows = task.slice(0, mostRows).map((name, i) => {
    const label = hasFrames ? `${frame[i]}.${name}` : name;
    return element("div", { class: "part" }, element("span", { class: "part-name", title: label }, label),
      element("span", { class: "part-blocks" }, ...group[i].map((processor, block) => {
        return element("span", { class: `block c${processor % 7 < 6 ? processor % 7 : 7}`, title: `${label}: block ${block + 1} of ${group[i].length} is on P${processor}` }, `P${processor}`);
      })), element("span", { class: "part-size" }, dataSize(bytes[i], view.unit) + (view.unit === "ns" ? "" : " units")));
  });
  const size = view.unit === "ns" ? ColumnKind.bytes : ColumnKind.number;
  const list = table({ kind: "table", name: view.name, says: "", columns: ["task", "frame", "group", "processors", "data", "a block"], numbers: [ColumnKind.text, ColumnKind.number, ColumnKind.number, ColumnKind.text, size, size],
    rows: task.map((name, i) => [name, String(frame[i]), String(group[i].length), group[i].join(" "), String(bytes[i]), String(Math.ceil(bytes[i] / group[i].length))]) });
  return element("div", {}, element("div", { class: "parts", role: "group", "aria-label": `${view.name}: blocks by owner; the table below has the same data` }, ...rows),
    ...(task.length > mostRows ? [element("p", { class: "legend" }, `and ${task.length - mostRows} more, in the table`)] : []),
    element("details", {}, element("summary", {}, "As a table"), list));
}
