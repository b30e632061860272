// The boxes of a Gantt chart as a table: those in view on the page, all of them in a file.

import { BoxKind, boxKinds } from "./data";
import type { Gantt } from "./gantt";
import { element, time } from "./text";

const heads = ["row", "what", "kind", "frame", "start", "end"];

export class GanttTable {
  readonly root = element("details", { class: "in-view" }, element("summary", {}, "Visible boxes, as a table"));

  constructor(private readonly gantt: Gantt) {
    this.root.addEventListener("toggle", () => this.fill());
  }

  /// Refills the table when it is open.
  fill(): void {
    if (!this.root.hasAttribute("open")) return;
    const most = 200, from = this.gantt.timeAt(this.gantt.left), to = this.gantt.timeAt(this.gantt.surface.size.width);
    const body = element("tbody");
    let more = 0;
    for (const { row } of this.gantt.places)
      for (let box = Math.max(this.gantt.boxes.first[row], this.gantt.boxes.lastBefore(row, from)); box < this.gantt.boxes.first[row + 1] && this.gantt.boxes.start[box] <= to; ++box) {
        if (this.gantt.boxes.end[box] < from || this.gantt.isDimmed(box) || !this.gantt.steps.shows(box)) continue;
        if (body.rows.length >= most) {
          ++more;
          continue;
        }
        body.append(element("tr", {}, ...this.cells(box).map((cell, i) =>
          element("td", { ...(i > 2 ? { class: "number" } : {}), "data-name": heads[i] }, i > 3 ? time(Number(cell), this.gantt.view.unit) : cell))));
      }
    const table = element("table", { class: "stacks" }, element("thead", {}, element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)))), body);
    while (this.root.childNodes.length > 1) this.root.lastChild!.remove();
    this.root.append(table);
    if (more > 0) this.root.append(element("p", {}, `and ${more} more: zoom in`));
  }
  private cells(box: number): string[] {
    const { boxes, view } = this.gantt;
    return [view.rows.name[boxes.row[box]], boxes.kind[box] === BoxKind.compute ? view.tasks.name[boxes.subject[box]] : String(boxes.subject[box]),
            boxKinds[boxes.kind[box]], String(boxes.instance[box]), String(boxes.start[box]), String(boxes.end[box])];
  }
  csv(): string {
    const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    let text = "row,subject,kind,frame,start,end\n";
    for (let box = 0; box < this.gantt.boxes.count; ++box) text += this.cells(box).map(quote).join(",") + "\n";
    return text;
  }
}
