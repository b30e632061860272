// The replay of a SCHEDULE program's trace, event by event.

import { bars } from "./bars";
import { UnitPath, UnitRun, UnitsView } from "./data";
import { button, choice, element, number, save } from "./text";
import { UnitGraph } from "./unit_graph";

/// Events per second, to choose from; the first one that shows a whole trace in twenty seconds is the first choice.
const speeds = [1, 4, 16, 64, 256, 1024, 4096], wholeIn = 20;

export class UnitReplay {
  readonly root: HTMLElement;
  private run: UnitRun;
  private readonly graph: UnitGraph;
  /// Events that have been taken, and where their changes end.
  private at = 0;
  private changed = 0;
  private states: Uint8Array = new Uint8Array();
  private speed = 4;
  private timer?: number;
  private since = 0;
  private from = 0;

  private readonly files = element("select", {});
  private readonly slider = element("input", { type: "range", min: "0", "aria-label": "events" });
  private readonly count = element("output", { class: "event-count" });
  private readonly event = element("output", { class: "event" });
  private readonly chosen = element("output", { class: "chosen" }, "no node chosen");
  private readonly findings = element("ul", { class: "findings" });
  private readonly pathText = element("p", { class: "path" });
  private readonly histogram = element("div", { class: "histogram" });
  private readonly pathChoice: HTMLLabelElement;
  private readonly speedChoice: HTMLLabelElement;
  private readonly go: HTMLButtonElement;
  private readonly stop: HTMLButtonElement;
  private readonly full: HTMLButtonElement;
  private readonly scroller = element("div", { class: "unit-scroller", tabindex: "0", role: "region", "aria-label": "graph of units" });

  constructor(private view: UnitsView) {
    this.run = view.runs[0];
    this.graph = new UnitGraph(this.run);
    this.graph.onSelect = (unit) => (this.chosen.textContent = unit < 0 ? "no node chosen" : `node ${this.run.nodes.tag[unit]}`);
    this.files.addEventListener("change", () => this.load(this.view.runs[this.files.selectedIndex]));
    this.slider.addEventListener("input", () => this.pauseAt(Number(this.slider.value)));
    this.go = button("go", "Take events until stop, or to the end", () => this.start());
    this.stop = button("stop", "Stop at this event", () => this.halt());
    this.speedChoice = choice("Speed", speeds.map((each) => `${each} events/s`), (chosen) => this.setSpeed(parseInt(chosen, 10)));
    this.pathChoice = choice("Critical path", ["hidden", "by time", "by nodes"], (chosen) => this.showPath(chosen));
    this.full = button("full", "The picture four times as large, or as before", () => this.toggleFull());
    this.scroller.append(this.graph.surface.root);
    const files = element("label", {}, "Trace file ", this.files);
    this.root = element("div", { class: "unit-replay" },
      element("div", { class: "controls" }, files, button("load", "The chosen trace from its beginning", () => this.load(this.run)), this.go, this.stop,
        button("step", "One event forward", () => this.pauseAt(this.at + 1)), button("back", "One event back", () => this.pauseAt(this.at - 1)), this.speedChoice,
        this.pathChoice, button("subtree", "What is below the chosen node (s); may be repeated", () => this.graph.subtree()),
        button("redraw", "The whole graph", () => this.graph.whole()), this.full,
        button("PNG", "This picture", () => this.graph.surface.picture((blob) => blob && save("units.png", blob)))),
      element("div", { class: "controls" }, element("label", {}, "Events ", this.slider), this.count, this.event, this.chosen),
      this.scroller,
      element("p", { class: "legend" }, ...([["clear", "clear: waits for dependencies"], ["lined", "lined: may start"], ["hashed", "hashed: executes"], ["black", "filled: complete"],
        ["waiting", "broken frame: waits for children"]] as const).map(([kind, says]) => element("span", { class: "entry" }, element("span", { class: `key unit-${kind}` }), says))),
      this.pathText, this.findings, element("h3", {}, "Events by number of active processors"), this.histogram);
    this.fillFiles();
    this.load(this.run);
  }

  /// The trace has grown: goes on with it, at its end if that was shown.
  update(view: UnitsView): void {
    const wasAtEnd = this.at === this.run.events.length, wasLast = this.files.selectedIndex === this.files.length - 1, chosen = this.files.selectedIndex;
    this.view = view;
    this.fillFiles();
    this.files.selectedIndex = wasAtEnd && wasLast ? view.runs.length - 1 : Math.min(chosen, view.runs.length - 1);
    const at = this.at, isGoing = this.timer !== undefined;
    this.take(view.runs[this.files.selectedIndex], true);
    this.goTo(wasAtEnd ? this.run.events.length : Math.min(at, this.run.events.length));
    if (isGoing && !wasAtEnd) this.start();
  }

  toEnd(): void { this.pauseAt(this.run.events.length); }

  private fillFiles(): void { this.files.replaceChildren(...this.view.runs.map((each) => element("option", {}, each.name))); }

  private load(run: UnitRun): void {
    this.files.selectedIndex = this.view.runs.indexOf(run);
    this.setSpeed(speeds.find((each) => run.events.length / each <= wholeIn) ?? speeds[speeds.length - 1]);
    this.take(run);
    this.goTo(run.described);
  }
  private take(run: UnitRun, grows = false): void {
    this.halt();
    const tag = grows && this.graph.selected >= 0 ? this.run.nodes.tag[this.graph.selected] : 0;
    this.run = run;
    this.graph.load(run);
    this.at = this.changed = 0;
    this.states = new Uint8Array(run.nodes.tag.length);
    this.slider.max = String(run.events.length);
    // As high as few layers need, or as the window allows.
    const { width, height } = this.graph.extentSize, k = Math.min(1.4, 1100 / width);
    this.graph.surface.root.style.setProperty("--height", `min(${Math.round(Math.max(260, k * height + 70))}px, 72vh)`);
    if (grows) this.graph.surface.grow();
    else this.graph.surface.seeEverything();
    this.chosen.textContent = "no node chosen";
    if (tag > 0 && run.nodes.tag.includes(tag)) this.graph.select(run.nodes.tag.indexOf(tag));
    this.findings.replaceChildren(...run.findings.map((each) => element("li", {}, each)));
    this.showPath(this.pathChoice.querySelector("select")!.value);
    const counts = run.histogram.map((events, active): [string, number] => [String(active), events]).filter(([, events]) => events > 0);
    this.histogram.replaceChildren(counts.length > 0 ? bars({ kind: "chart", name: "Active processors", says: "", x: "active processors", y: "events",
      names: counts.map(([active]) => active), series: [{ name: "events", style: "bars", x: [], y: counts.map(([, events]) => events) }] }) : element("p", {}, "Nothing has run."));
  }

  private setSpeed(speed: number): void {
    this.speed = speed;
    this.speedChoice.querySelector("select")!.value = `${speed} events/s`;
    [this.from, this.since] = [this.at, performance.now()];
  }
  private start(): void {
    if (this.at >= this.run.events.length) this.goTo(this.run.described);
    this.halt();
    [this.from, this.since] = [this.at, performance.now()];
    this.timer = window.setInterval(() => this.tick(), Math.max(20, 1000 / this.speed / 4));
    this.showButtons();
  }
  private tick(): void {
    const wanted = Math.min(this.run.events.length, this.from + Math.floor((performance.now() - this.since) / 1000 * this.speed));
    if (wanted > this.at) this.goTo(wanted);
    if (wanted >= this.run.events.length) this.halt();
  }
  private halt(): void {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.showButtons();
  }
  private pauseAt(at: number): void {
    this.halt();
    this.goTo(at);
  }
  private showButtons(): void {
    this.go.setAttribute("aria-pressed", String(this.timer !== undefined));
    this.stop.disabled = this.timer === undefined;
  }

  /// Shows the states after so many events.
  private goTo(wanted: number): void {
    const { changes, events, active } = this.run, at = Math.max(0, Math.min(events.length, wanted));
    if (at < this.at) {
      this.states.fill(0);
      this.at = this.changed = 0;
    }
    for (; this.at < at; ++this.at)
      for (const end = this.changed + changes.count[this.at]; this.changed < end; ++this.changed) this.states[changes.unit[this.changed]] = changes.state[this.changed];
    this.slider.value = String(at);
    this.count.textContent = `${number(at)} of ${number(events.length)}`;
    this.event.textContent = at === 0 ? "" : `event ${events[at - 1]}, ${active[at - 1]} active`;
    this.graph.show(this.states);
  }

  private showPath(which: string): void {
    const { by_time, by_units, nodes } = this.run, path: UnitPath | undefined = which === "by time" ? by_time : which === "by nodes" ? by_units : undefined;
    this.graph.showPath(path);
    const tags = (units: number[]): string => units.map((each) => nodes.tag[each]).join(" ");
    this.pathText.hidden = path === undefined;
    this.pathText.textContent = path ? `Critical path ${which}: ${tags(path.units)}${path.children.length > 0 ? ` with children ${tags(path.children)}` : ""} (${which === "by time" ? `${Number(path.length.toPrecision(6))} s` : `${path.length} nodes`})` : "";
  }

  private toggleFull(): void {
    const isFull = this.scroller.classList.toggle("full");
    this.full.setAttribute("aria-pressed", String(isFull));
  }
}
