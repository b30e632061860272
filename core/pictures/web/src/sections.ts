// The sections of a page: its figures and views.

import { bars } from "./bars";
import { Chart } from "./chart";
import { Page, View } from "./data";
import { Gantt } from "./gantt";
import { Graph } from "./graph";
import { levels } from "./levels";
import { MeshPicture } from "./mesh";
import { partitions } from "./partitions";
import { Replay } from "./replay";
import { Source } from "./source";
import { table } from "./table";
import { element } from "./text";
import { TextPane } from "./text_pane";
import { UnitReplay } from "./unit_replay";
import { Waterfall } from "./waterfall";

function show(view: View, text?: TextPane): HTMLElement {
  switch (view.kind) {
    case "gantt": return new Gantt(view).root;
    case "graph": return new Graph(view).root;
    case "levels": return levels(view);
    case "chart": return view.names ? bars(view) : new Chart(view).root;
    case "waterfall": return new Waterfall(view).root;
    case "table": return table(view);
    case "partitions": return partitions(view);
    case "mesh": return new MeshPicture(view).root;
    case "replay": return new Replay(view).root;
    case "source": return new Source(view, text).root;
    case "units": return new UnitReplay(view).root;
  }
}

/// Reports whether a view fits half of a wide window: time charts and wide tables need all of it.
function isHalf(view: View): boolean {
  return view.kind === "table" ? view.columns.length <= 10 : !["gantt", "mesh", "replay", "source", "units"].includes(view.kind);
}

/// Returns the section of a view. A program's text has its editor next to it, if there is one.
export function section(view: View, text?: TextPane): HTMLElement {
  return element("section", { "aria-label": view.name, ...(isHalf(view) ? { class: "half" } : {}) }, element("h2", {}, view.name), element("p", {}, view.says), show(view, text));
}

export function facts(page: Page): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [name, value, meaning] of page.facts)
    list.append(element("div", meaning ? { title: meaning } : {}, element("dt", {}, name), element("dd", {}, value)));
  return list;
}
