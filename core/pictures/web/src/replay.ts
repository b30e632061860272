// The replay of a recorded run on its graph.

import { Chart } from "./chart";
import { BoxKind, ChartView, ReplayView } from "./data";
import { Gantt } from "./gantt";
import { Graph, NodeState } from "./graph";
import { button, choice, element, time } from "./text";

interface Run { box: number; start: number; end: number }

export class Replay {
  readonly root: HTMLElement;
  private readonly graph: Graph;
  private readonly gantt: Gantt;
  private readonly active: Chart;
  private readonly slider: HTMLInputElement;
  private readonly clock = element("output", { class: "clock" });
  private readonly path = element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Critical path, table" });
  private readonly play: HTMLButtonElement;
  /// By frame, then by task.
  private readonly runs = new Map<number, Run[]>();
  private readonly frames: number[];
  private readonly moments: number[];
  private frame: number | undefined;
  private now: number;
  private speed = 1;
  private isGoing = false;
  private lastTick = 0;

  constructor(private readonly view: ReplayView) {
    this.gantt = new Gantt(view.gantt, 380);
    this.graph = new Graph(view.graph, 420, { waiting: "waiting", ready: "ready", running: "running", done: "done" });
    const { boxes } = this.gantt, moments = new Set<number>();
    for (let box = 0; box < boxes.count; ++box) {
      if (boxes.kind[box] !== BoxKind.compute) continue;
      const frame = boxes.instance[box], list = this.runs.get(frame) ?? [];
      // For a group, from the first one's start to the last one's end.
      const others = list[boxes.subject[box]];
      list[boxes.subject[box]] = { box: others && others.end > boxes.end[box] ? others.box : box,
        start: Math.min(boxes.start[box], others?.start ?? Infinity), end: Math.max(boxes.end[box], others?.end ?? -Infinity) };
      this.runs.set(frame, list);
      moments.add(boxes.start[box]).add(boxes.end[box]);
    }
    this.frames = [...this.runs.keys()].sort((a, b) => a - b);
    this.moments = [...moments].sort((a, b) => a - b);
    this.frame = this.frames[0];
    this.now = boxes.least;
    this.active = new Chart(this.histogram(), 180, true);
    this.slider = element("input", { type: "range", min: "0", max: "1000", value: "0", "aria-label": "time of the run" });
    this.slider.addEventListener("input", () => this.goTo(boxes.least + Number(this.slider.value) / 1000 * (boxes.most - boxes.least)));
    this.play = button("go", "Play the run, or stop (space)", () => this.toggle());
    const bar = element("div", { class: "controls replay" }, this.play, button("|<", "To the beginning", () => this.goTo(boxes.least)),
      button("<", "One event back", () => this.stepTo(-1)), button(">", "One event forward", () => this.stepTo(1)),
      choice("Speed", ["1", "0.1", "0.25", "4", "16"], (chosen) => (this.speed = Number(chosen))),
      choice("Frame", [...this.frames.slice(0, 200).map(String), "all"], (chosen) => this.follow(chosen === "all" ? undefined : Number(chosen))),
      this.slider, this.clock);
    bar.addEventListener("keydown", (event) => {
      if (event.key !== " " || event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      this.toggle();
    });
    this.root = element("div", {}, bar, this.graph.root, element("h3", {}, "Ranks over time"), this.gantt.root,
      element("h3", {}, "Number of computing ranks"), this.active.root, element("h3", {}, "Critical path of the frame, by time"), this.path);
    this.gantt.onSelect = (box) => {
      if (box < 0 || boxes.kind[box] !== BoxKind.compute) return;
      this.graph.selected = boxes.subject[box];
      this.graph.surface.redraw();
    };
    this.follow(this.frame);
    this.goTo(boxes.least);
  }

  private follow(frame: number | undefined): void {
    this.frame = frame;
    this.showPath();
    this.show();
  }

  private toggle(): void {
    this.isGoing = !this.isGoing;
    this.play.textContent = this.isGoing ? "stop" : "go";
    this.play.setAttribute("aria-pressed", String(this.isGoing));
    if (!this.isGoing) return;
    if (this.now >= this.gantt.boxes.most) this.now = this.gantt.boxes.least;
    this.lastTick = performance.now();
    requestAnimationFrame((moment) => this.tick(moment));
  }
  /// The whole run takes ten seconds at speed 1.
  private tick(moment: number): void {
    if (!this.isGoing) return;
    const { least, most } = this.gantt.boxes;
    this.goTo(Math.min(most, this.now + (moment - this.lastTick) / 10000 * this.speed * (most - least)));
    this.lastTick = moment;
    if (this.now >= most) return this.toggle();
    requestAnimationFrame((next) => this.tick(next));
  }

  private stepTo(by: number): void {
    const next = by > 0 ? this.moments.find((each) => each > this.now) : [...this.moments].reverse().find((each) => each < this.now);
    if (next !== undefined) this.goTo(next);
  }

  private goTo(moment: number): void {
    this.now = moment;
    const { least, most } = this.gantt.boxes;
    this.slider.value = String(Math.round((moment - least) / (most - least || 1) * 1000));
    this.show();
  }

  private show(): void {
    const { least } = this.gantt.boxes;
    this.clock.textContent = time(Math.round(this.now - least), this.view.gantt.unit);
    this.graph.states = this.states();
    this.gantt.cursor = this.now;
    this.active.cursor = this.now - least;
    for (const each of [this.graph, this.gantt, this.active]) each.surface.redraw();
  }

  private stateOf(run: Run | undefined): NodeState {
    return !run || run.start > this.now ? "waiting" : run.end > this.now ? "running" : "done";
  }
  private states(): NodeState[] {
    const { nodes, edges } = this.view.graph;
    const state = (task: number): NodeState => {
      if (this.frame !== undefined) return this.stateOf(this.runs.get(this.frame)?.[task]);
      let isDone = false;
      for (const list of this.runs.values()) {
        const each = this.stateOf(list[task]);
        if (each === "running") return each;
        isDone = isDone || each === "done";
      }
      return isDone ? "done" : "waiting";
    };
    const states = nodes.name.map((_, task) => state(task));
    const lacks = new Set<number>();
    edges.to.forEach((to, edge) => { if (states[edges.from[edge]] !== "done") lacks.add(to); });
    return states.map((each, task) => (each === "waiting" && !lacks.has(task) ? "ready" : each));
  }

  private histogram(): ChartView {
    const changes: [number, number][] = [], { boxes } = this.gantt;
    for (let box = 0; box < boxes.count; ++box)
      if (boxes.kind[box] === BoxKind.compute) changes.push([boxes.start[box], 1], [boxes.end[box], -1]);
    changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const x: number[] = [], y: number[] = [];
    let count = 0;
    for (const [moment, by] of changes) {
      count += by;
      const at = moment - boxes.least;
      if (x.length > 0 && x[x.length - 1] === at) y[y.length - 1] = count;
      else {
        x.push(at);
        y.push(count);
      }
    }
    return { kind: "chart", name: "Active ranks", says: "", x: "ns", y: "ranks", series: [{ name: "computing", style: "steps", x, y }] };
  }

  /// Traces back from the frame's last task: the latest event before a start, input or rank, delayed it.
  private criticalPath(): { run: Run; why: string }[] {
    const list = this.frame === undefined ? undefined : this.runs.get(this.frame);
    if (!list) return [];
    const { boxes } = this.gantt, { edges } = this.view.graph;
    const path: { run: Run; why: string }[] = [];
    let run = list.reduce<Run | undefined>((last, each) => (each && (!last || each.end > last.end) ? each : last), undefined);
    let why = "ends last";
    const begin = Math.min(...list.filter((each) => each !== undefined).map((each) => each.start)), seen = new Set<number>();
    while (run && !seen.has(run.box)) {
      seen.add(run.box);
      path.unshift({ run, why });
      const { box, start }: Run = run, row = boxes.row[box], own = this.runs.get(boxes.instance[box]) ?? [];
      // Events before the frame's start did not delay it.
      if (start <= begin) break;
      let before: Run | undefined;
      why = "";
      edges.to.forEach((to, edge) => {
        const input = own[edges.from[edge]];
        if (to !== boxes.subject[box] || !input || input.end > start || (before && before.end >= input.end)) return;
        [before, why] = [input, "produced the input"];
      });
      for (let other = box - 1; other >= boxes.first[row]; --other) {
        if (boxes.kind[other] !== BoxKind.compute) continue;
        if (!before || boxes.end[other] > before.end) [before, why] = [{ box: other, start: boxes.start[other], end: boxes.end[other] }, "kept the rank busy"];
        break;
      }
      run = before && before.end > begin ? before : undefined;
    }
    return path;
  }

  private showPath(): void {
    const { boxes } = this.gantt, { unit, tasks, rows } = this.view.gantt, path = this.criticalPath();
    if (path.length === 0) {
      this.path.replaceChildren(element("p", {}, "Choose one frame."));
      return;
    }
    const body = element("tbody"), heads = ["task", "frame", "rank", "start", "duration", "wait before", "reason"];
    let last = path[0].run.start;
    for (const { run, why } of path) {
      const row = element("tr", {}, ...[tasks.name[boxes.subject[run.box]], String(boxes.instance[run.box]), rows.name[boxes.row[run.box]],
        time(run.start - boxes.least, unit, 4), time(run.end - run.start, unit, 4), time(Math.max(0, run.start - last), unit, 4), why].map((cell, i) => element("td", { ...(i > 2 && i < 6 ? { class: "number" } : {}), "data-name": heads[i] }, cell)));
      row.addEventListener("click", () => this.gantt.select(run.box));
      body.append(row);
      last = run.end;
    }
    this.path.replaceChildren(element("table", { class: "stacks" }, element("thead", {}, element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)))), body));
  }
}
