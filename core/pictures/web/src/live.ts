// A running pipeline, displayed from its launcher's updates.

import { Chart } from "./chart";
import { GraphView, Series } from "./data";
import { Graph, NodeState } from "./graph";
import { ProbeRow, ProbeView } from "./probe";
import { Steering } from "./steer";
import { element, hertz, number, setText } from "./text";

/// An update of the launcher, several times per second. Times in s and ms, shares from 0 to 1.
interface Update {
  pipeline: string;
  state: string;
  seconds: number;
  frequency: { sustained: number | null; required: number | null; predicted: number | null };
  latency_ms: { p50: number | null; p99: number | null };
  frames: Record<string, number>;
  /// `busy_s` of `loop_s` went into work. Cells are the columns of the figures, by heading, in their order.
  ranks: { rank: number; host: string; cells: Record<string, string>; busy_s: number; loop_s: number; activity: string }[];
  stages: { name: string; kind: string; ranks: number[]; frames: number; total_s: number; queue: number; cells: Record<string, string> }[];
  /// Data of live sources: source, channel (`all`: whole frames), number, mean and longest age, as texts.
  ages: string[][];
  held: boolean;
  log: string[];
  probe?: ProbeRow;
}

/// Seconds between two pictures. All figures are of the last two seconds, or change less.
const between = 2;
/// Points of twenty minutes.
const longest = 1200 / between;

/// The growth of one count relative to another over the last two seconds: the current rate.
class Pace {
  private readonly recent: [number, number][] = [];
  at(moment: number, count: number): number | null {
    const { recent } = this;
    // Restarted ranks count from the beginning.
    if (recent.length > 0 && (count < recent[recent.length - 1][1] || moment < recent[recent.length - 1][0])) recent.length = 0;
    recent.push([moment, count]);
    while (recent.length > 2 && recent[1][0] < moment - 2) recent.shift();
    return recent.length > 1 && moment > recent[0][0] ? (count - recent[0][1]) / (moment - recent[0][0]) : null;
  }
}

function series(name: string): Series { return { name, style: "line", x: [], y: [] }; }

class History {
  readonly chart: Chart;
  private last = -Infinity;
  private drawn = -Infinity;
  constructor(name: string, y: string, private readonly names: string[], nothing: string) {
    this.chart = new Chart({ kind: "chart", name, says: "", x: "seconds", y, series: names.map(series) }, 240, true);
    this.chart.nothing = nothing;
  }
  add(moment: number, values: (number | null)[]): void {
    const all = this.chart.view.series;
    // Two seconds form one point with the newest value; the chart is drawn when the next one begins.
    const isNew = moment - this.last >= 0.9 * between;
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
    // Points less than a pixel apart are indistinguishable.
    if (!isNew || moment - this.drawn < 1 / this.chart.surface.camera.kx) return;
    this.drawn = moment;
    this.chart.refresh();
  }
}

export function startLive(root: HTMLElement): void {
  const title = element("h1", {}, "takt"), state = element("p", { role: "status" }, "connecting");
  const figures = element("dl", { class: "facts" });
  const frequency = new History("Frequency", "frames/s", ["now", "sustained", "required", "predicted"], "no update yet");
  const latency = new History("Latency", "ms", ["median", "99 %"], "no frame delivered yet");
  const rankBody = element("tbody"), stageBody = element("tbody"), ageHead = element("tr"), ageBody = element("tbody"), log = element("pre", { class: "log", tabindex: "0", role: "log", "aria-label": "log, newest line last" });
  const steering = new Steering(), probe = new ProbeView((name) => steering.post("probe", name), () => {
    events.close();
    listen();
  });
  const load = element("section", { "aria-label": "Utilisation" }, element("h2", {}, "Utilisation"), element("p", {}, "Busy time of each rank."));
  let utilisation: History | undefined;
  const unheard = element("p", {}, "No rank has reported yet.");
  load.append(unheard);
  const pipeline = element("section", { "aria-label": "pipeline" }, element("h2", {}, "Pipeline"), element("p", {}, "Numbers at the edges: waiting frames."));
  const rankHead = element("tr"), stageHead = element("tr"), words = new Set(["rank", "host", "doing", "task", "ranks", "source", "channel"]);
  const table = (name: string, head: HTMLElement, body: HTMLElement): HTMLElement =>
    element("section", { "aria-label": name }, element("h2", {}, name), element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": name + ", table" },
      element("table", { class: "stacks" }, element("thead", {}, head), body)));
  const chart = (name: string, says: string, each: History): HTMLElement =>
    element("section", { "aria-label": name }, element("h2", {}, name), element("p", {}, says), each.chart.root);
  const ages = table("Data age", ageHead, ageBody);
  ages.hidden = true;
  root.append(title, state, steering.root, figures,
    element("div", { class: "columns small" }, chart("Frequency", "Throughput at the sinks.", frequency), chart("Latency", "From ingestion to the end in a sink.", latency), load),
    element("div", { class: "columns wide" }, table("Tasks", stageHead, stageBody), table("Ranks", rankHead, rankBody)), ages, pipeline, probe.root,
    element("section", { "aria-label": "log" }, element("h2", {}, "Log"), element("p", {}, "Times in UTC."), log));

  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const fill = (head: HTMLElement, body: HTMLElement, heads: string[], rows: string[][]): void => {
    if (head.children.length !== heads.length) head.replaceChildren(...heads.map((each) => element("th", { scope: "col" }, each)));
    // Cells change, elements stay: who points at one keeps pointing at it.
    while (body.children.length > rows.length) body.lastChild!.remove();
    rows.forEach((row, i) => {
      const line = body.children[i] ?? body.appendChild(element("tr", {}, ...heads.map((head) => element("td", words.has(head) ? { "data-name": head } : { class: "number", "data-name": head }))));
      row.forEach((cell, k) => setText(line.children[k], cell));
    });
  };
  let graph: Graph | undefined, drawn = "";
  const unknown = element("p", {}, "No plan yet: takt measures tasks and links first.");
  pipeline.append(unknown);
  const rate = new Pace(), rankPaces: Pace[] = [], stagePaces: Pace[] = [];
  const take = (now: Update): void => {
    if (document.title !== now.pipeline) title.textContent = document.title = now.pipeline;
    setText(state, `${now.state}, ${number(Math.round(now.seconds))} s`);
    const shown: [string, string][] = [["sustained", now.frequency.sustained === null ? "-" : hertz(now.frequency.sustained)],
      ["required", now.frequency.required === null ? "-" : hertz(now.frequency.required)],
      ["predicted", now.frequency.predicted === null ? "-" : hertz(now.frequency.predicted)],
      ...Object.entries(now.frames).map(([name, count]): [string, string] => [name, number(count)])];
    if (figures.children.length !== shown.length) figures.replaceChildren(...shown.map(([name]) => element("div", {}, element("dt", {}, name), element("dd"))));
    shown.forEach(([, value], i) => setText(figures.children[i].lastElementChild!, value));
    // A prediction far above the required rate would flatten all other values: it is displayed at the edge.
    const predicted = now.frequency.predicted, needed = Math.max(now.frequency.required ?? 0, now.frequency.sustained ?? 0);
    const isFar = predicted !== null && !(predicted < 5 * needed);
    frequency.chart.tellAbove(3, isFar ? predicted : undefined);
    frequency.add(now.seconds, [rate.at(now.seconds, now.frames.delivered ?? 0), now.frequency.sustained, now.frequency.required, isFar ? null : predicted]);
    latency.add(now.seconds, [now.latency_ms.p50, now.latency_ms.p99]);
    const busy = now.stages.map((each, i) => (stagePaces[i] ??= new Pace()).at(now.seconds, each.total_s) ?? 0);
    const loads = now.ranks.map((each, i) => (rankPaces[i] ??= new Pace()).at(each.loop_s, each.busy_s));
    // More lines than colours are indistinguishable.
    if (!utilisation && loads.length > 0) {
      utilisation = new History("Utilisation", "%", loads.length <= 8 ? loads.map((_, i) => `rank ${i}`) : ["least", "mean", "most"], "begins with the next update");
      unheard.replaceWith(utilisation.chart.root);
    }
    const known = loads.filter((each) => each !== null).map((each) => 100 * each!);
    if (known.length === loads.length && known.length > 0)
      utilisation?.add(now.seconds, loads.length <= 8 ? known : [Math.min(...known), known.reduce((sum, each) => sum + each) / known.length, Math.max(...known)]);
    const columns = (rows: { cells: Record<string, string> }[]): string[] => Object.keys(rows[0]?.cells ?? {});
    fill(rankHead, rankBody, ["rank", "host", ...columns(now.ranks), "doing"], now.ranks.map((each) => [String(each.rank), each.host, ...Object.values(each.cells), each.activity]));
    fill(stageHead, stageBody, ["task", "ranks", ...columns(now.stages), "busy"], now.stages.map((each, i) => [each.name, each.ranks.join(" "), ...Object.values(each.cells), percent(busy[i])]));
    ages.hidden = now.ages.length === 0;
    fill(ageHead, ageBody, ["source", "channel", "frames or records", "mean", "longest"], now.ages);
    // A plan may be changed for another one, which places tasks elsewhere.
    const places = now.stages.map((each) => each.ranks.join(" ")).join();
    if (now.stages.length > 0 && places !== drawn) {
      drawn = places;
      fetch("graph").then((answer) => answer.json()).then((view: GraphView) => {
        if (graph) return graph.place(view);
        graph = new Graph(view, 340, { running: "busy", ready: "idle", waiting: "no frame yet" });
        unknown.replaceWith(graph.root);
      }).catch(() => (drawn = ""));
    }
    if (graph) {
      const states = now.stages.map((each, i): NodeState => (busy[i] > 0.02 ? "running" : each.frames > 0 ? "ready" : "waiting"));
      // Edges are labelled with their waiting frames.
      const queues = graph.view.edges.to.map((to) => now.stages[to]?.queue ?? 0);
      if (states.some((each, i) => each !== graph!.states?.[i]) || queues.some((each, edge) => each !== graph!.waiting?.[edge])) {
        graph.states = states;
        graph.waiting = queues;
        graph.surface.redraw();
      }
    }
    steering.show(now.held);
    probe.offer(now.stages.filter((each) => each.kind !== "sink").map((each) => each.name));
    const lines = now.log.join("\n");
    if (log.textContent !== lines) {
      const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      log.textContent = lines;
      if (isAtEnd) log.scrollTop = log.scrollHeight;
    }
    document.documentElement.dataset.ready = "yes";
  };
  // Twenty updates arrive as the lines of one event, every two seconds, or fewer when the run changes its state, and the newest one is
  // displayed: receiving an event and displaying a frame costs a browser more than its contents. While a probe's frames are displayed,
  // updates arrive immediately.
  const together = 10 * between;
  let shownAt = -Infinity, shownState = "", events: EventSource;
  const show = (lines: string): void => {
    const now = JSON.parse(lines.slice(lines.lastIndexOf("\n") + 1)) as Update;
    if (now.probe) probe.take(now.probe, now.stages[now.probe.stage]?.name);
    if (probe.isOn && now.state === shownState && performance.now() - shownAt < 1000 * between - 20) return;
    [shownAt, shownState] = [performance.now(), now.state];
    take(now);
  };
  const listen = (): void => {
    events = new EventSource(probe.isOn ? "events" : `events?together=${together}`);
    events.onmessage = (event) => show(event.data as string);
    events.onopen = () => probe.again();
    events.onerror = () => setText(state, "the run has ended or does not respond");
  };
  listen();
}
