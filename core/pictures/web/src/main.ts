// The page: reads its data and creates its views.

import { bars } from "./bars";
import { Chart } from "./chart";
import { Page, View } from "./data";
import { Gantt } from "./gantt";
import { Graph } from "./graph";
import { levels } from "./levels";
import { follow } from "./follow";
import { startLive } from "./live";
import { partitions } from "./partitions";
import { Replay } from "./replay";
import { Source } from "./source";
import { table } from "./table";
import { element } from "./text";
import { UnitReplay } from "./unit_replay";
import { Waterfall } from "./waterfall";

function show(view: View): HTMLElement {
  switch (view.kind) {
    case "gantt": return new Gantt(view).root;
    case "graph": return new Graph(view).root;
    case "levels": return levels(view);
    case "chart": return view.names ? bars(view) : new Chart(view).root;
    case "waterfall": return new Waterfall(view).root;
    case "table": return table(view);
    case "partitions": return partitions(view);
    case "replay": return new Replay(view).root;
    case "source": return new Source(view).root;
    case "units": return new UnitReplay(view).root;
  }
}

/// Reports whether a view fits half of a wide window: time charts and wide tables need all of it.
function isHalf(view: View): boolean {
  return view.kind === "table" ? view.columns.length <= 10 : !["gantt", "replay", "source", "units"].includes(view.kind);
}

function section(view: View): HTMLElement {
  return element("section", { "aria-label": view.name, ...(isHalf(view) ? { class: "half" } : {}) }, element("h2", {}, view.name), element("p", {}, view.says), show(view));
}

function facts(page: Page): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [name, value, meaning] of page.facts)
    list.append(element("div", meaning ? { title: meaning } : {}, element("dt", {}, name), element("dd", {}, value)));
  return list;
}

/// Returns the page's data as JSON, decompressed if necessary (core/pictures/packed.hpp).
async function textOf(data: Element): Promise<string> {
  const text = data.textContent!;
  if (data.getAttribute("type") === "application/json") return text;
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

async function start(): Promise<void> {
  const data = document.getElementById("takt"), root = document.getElementById("page")!;
  if (!data) return location.pathname === "/trace" ? follow(root) : startLive(root);
  const text = await textOf(data);
  const page = JSON.parse(text) as Page;
  document.title = page.title;
  root.append(element("h1", {}, page.title), element("p", {}, page.says), facts(page));
  for (const view of page.views) root.append(section(view));
  root.append(element("p", { class: "help" }, "Choose a picture to use keys: arrows select (with Shift: move), + and - zoom, 0 shows everything, Escape leaves. The wheel zooms a chosen picture."));
  document.documentElement.dataset.ready = "yes";
}

start().catch((error: unknown) => document.getElementById("page")!.append(element("p", { class: "notice", role: "alert" }, `Cannot show this page: ${String(error)}. It needs a browser of 2023 or later.`)));
