// A pipeline at work, as its launcher tells it.

import { Chart } from "./chart";
import { GraphView, Series } from "./data";
import { Graph } from "./graph";
import { element, number } from "./text";

/// What the launcher sends, several times a second. Times in seconds and milliseconds, shares from 0 to 1.
interface Update {
  pipeline: string;
  state: string;
  seconds: number;
  frequency: { sustained: number | null; required: number | null; predicted: number | null };
  latency_ms: { p50: number | null; p99: number | null };
  frames: Record<string, number>;
  ranks: { rank: number; host: string; compute: number; message: number; starved: number; blocked: number; other: number; activity: string }[];
  stages: { name: string; ranks: number[]; frames: number; mean_ms: number; busy: number; queue: number }[];
  warnings: string[];
}

/// Twenty minutes at one point a second.
const longest = 1200;

function series(name: string): Series { return { name, style: "line", x: [], y: [] }; }

class History {
  readonly chart: Chart;
  private last = -Infinity;
  constructor(name: string, y: string, private readonly names: string[]) {
    this.chart = new Chart({ kind: "chart", name, says: "", x: "seconds", y, series: names.map(series) }, 240, true);
  }
  add(moment: number, values: (number | null)[]): void {
    const all = this.chart.view.series;
    // A second is one point: the newest value counts.
    const isNew = moment - this.last >= 1;
    if (isNew) this.last = moment;
    this.names.forEach((_, i) => {
      if (!isNew && all[i].x.length > 0) all[i].y[all[i].y.length - 1] = values[i] ?? NaN;
      else {
        all[i].x.push(moment);
        all[i].y.push(values[i] ?? NaN);
      }
      if (all[i].x.length > longest) {
        all[i].x.shift();
        all[i].y.shift();
      }
    });
    this.chart.refresh();
  }
}

export function startLive(root: HTMLElement): void {
  const title = element("h1", {}, "takt"), state = element("p", { role: "status" }, "connecting");
  const figures = element("dl", { class: "facts" });
  const frequency = new History("Frequency", "frames/s", ["now", "sustained", "required", "predicted"]);
  const latency = new History("Latency", "ms", ["half of the frames", "99 %"]);
  const rankBody = element("tbody"), stageBody = element("tbody"), log = element("pre", { class: "log", tabindex: "0", "aria-label": "warnings" });
  const pipeline = element("section", { "aria-label": "pipeline" }, element("h2", {}, "Pipeline"), element("p", {}, "Numbers at the edges: frames that wait there."));
  const table = (name: string, heads: string[], body: HTMLElement): HTMLElement =>
    element("section", { "aria-label": name }, element("h2", {}, name), element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": name + ", table" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), body)));
  const chart = (name: string, each: History): HTMLElement => element("section", { "aria-label": name }, element("h2", {}, name), each.chart.root);
  root.append(title, state, figures, element("div", { class: "columns" }, chart("Frequency", frequency), chart("Latency", latency),
    table("Ranks", ["rank", "host", "compute", "messages", "starved", "blocked", "other", "doing"], rankBody),
    table("Tasks", ["task", "ranks", "frames", "mean", "busy", "queue"], stageBody)), pipeline,
    element("section", { "aria-label": "warnings" }, element("h2", {}, "Warnings"), log));

  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const fill = (body: HTMLElement, rows: string[][]): void => {
    // Cells change, elements stay: who points at one keeps pointing at it.
    while (body.children.length > rows.length) body.lastChild!.remove();
    rows.forEach((row, i) => {
      const line = body.children[i] ?? body.appendChild(element("tr", {}, ...row.map((_, k) => element("td", k > 1 ? { class: "number" } : {}))));
      row.forEach((cell, k) => { if (line.children[k].textContent !== cell) line.children[k].textContent = cell; });
    });
  };
  let graph: Graph | undefined, asks = false;
  const recent: [number, number][] = [];
  /// Frames a second over the last two seconds: what happens now.
  const currentRate = (seconds: number, delivered: number): number | null => {
    recent.push([seconds, delivered]);
    while (recent.length > 2 && recent[1][0] < seconds - 2) recent.shift();
    return recent.length > 1 && seconds > recent[0][0] ? (delivered - recent[0][1]) / (seconds - recent[0][0]) : null;
  };
  const take = (now: Update): void => {
    title.textContent = document.title = now.pipeline;
    const text = `${now.state}, ${number(Math.round(now.seconds))} s`;
    state.textContent = text;
    const shown: [string, string][] = [["sustained", now.frequency.sustained === null ? "-" : number(now.frequency.sustained) + " Hz"],
      ["required", now.frequency.required === null ? "-" : number(now.frequency.required) + " Hz"],
      ["predicted", now.frequency.predicted === null ? "-" : number(now.frequency.predicted) + " Hz"],
      ...Object.entries(now.frames).map(([name, count]): [string, string] => [name, String(count)])];
    figures.replaceChildren(...shown.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    // A prediction far above what is asked for would press all else to the ground.
    const predicted = now.frequency.predicted, needed = Math.max(now.frequency.required ?? 0, now.frequency.sustained ?? 0);
    frequency.add(now.seconds, [currentRate(now.seconds, now.frames.delivered ?? 0), now.frequency.sustained, now.frequency.required, predicted !== null && predicted < 5 * needed ? predicted : null]);
    latency.add(now.seconds, [now.latency_ms.p50, now.latency_ms.p99]);
    fill(rankBody, now.ranks.map((each) => [String(each.rank), each.host, ...[each.compute, each.message, each.starved, each.blocked, each.other].map(percent), each.activity]));
    fill(stageBody, now.stages.map((each) => [each.name, each.ranks.join(" "), String(each.frames), number(each.mean_ms) + " ms", percent(each.busy), String(each.queue)]));
    if (now.stages.length > 0 && !asks) {
      asks = true;
      fetch("graph").then((answer) => answer.json()).then((view: GraphView) => {
        graph = new Graph(view, 340);
        pipeline.append(graph.root);
      }, () => (asks = false));
    }
    if (graph) {
      graph.states = now.stages.map((each) => (each.busy > 0.02 ? "running" : each.frames > 0 ? "ready" : "waiting"));
      // At the edges stand the frames that wait there.
      const { edges } = graph.view;
      edges.to.forEach((to, edge) => (edges.bytes[edge] = now.stages[to]?.queue ?? 0));
      graph.surface.redraw();
    }
    const warnings = now.warnings.join("\n");
    if (log.textContent !== warnings) log.textContent = warnings;
    document.documentElement.dataset.ready = "yes";
  };
  const events = new EventSource("events");
  events.onmessage = (event) => take(JSON.parse(event.data as string) as Update);
  events.onerror = () => { state.textContent = "the run has ended, or cannot be reached"; };
}
