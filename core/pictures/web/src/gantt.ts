// A Gantt chart: rows of boxes on one time axis, with details as far as they fit.

import { Camera, Scene, Surface } from "./canvas";
import { colour } from "./colours";
import { Boxes, BoxKind, GanttView, boxKinds } from "./data";
import { GanttPainter, gutterOf, headingHeight, top } from "./gantt_paint";
import { GanttTable } from "./gantt_table";
import { Steps, orderOfSteps } from "./steps";
import { button, choice, dataSize, element, field, ranges, save, time } from "./text";

const leastRow = 6, mostRow = 64;

export interface RowPlace { y: number; row: number }

export class Gantt implements Scene {
  /// The beginning of the axis: right of the row names.
  readonly left: number;
  readonly zooms = "x" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  boxes: Boxes;
  steps: Steps;
  selected = -1;
  hovered = -1;
  colourBy = "task";
  rowHeight = 28;
  places: RowPlace[] = [];
  headings: { y: number; group: number }[] = [];
  /// A marked time.
  cursor = NaN;
  onSelect?: (box: number) => void;

  private showsMessages = true;
  private isShownTask: (task: number) => boolean = () => true;
  /// Rows without boxes are hidden until the user requests them.
  private readonly isBusyRow = (row: number): boolean => this.view.rows.boxes[row] > 0;
  private isShownRow: (row: number) => boolean = this.isBusyRow;
  private isShownLayer: (layer: number) => boolean = () => true;
  private messagesOf = new Map<number, number[]>();
  /// Whether some boxes are of frames of earlier iterations.
  readonly isPipelined: boolean;
  private readonly painter: GanttPainter;
  private readonly table = new GanttTable(this);

  constructor(readonly view: GanttView, private readonly height = 0) {
    this.left = gutterOf(view.rows.name);
    this.isPipelined = view.box.instance.some((instance) => instance < 0);
    this.painter = new GanttPainter(this);
    this.label = `${view.name}: Gantt chart with ${view.rows.name.length} rows and ${view.box.gap.length} boxes. ` +
      "Arrow keys move from box to box, + and - zoom, 0 shows everything, m messages, n and p step " + orderOfSteps(view) + ".";
    this.boxes = new Boxes(view, 1);
    this.steps = new Steps(view, this.boxes);
    view.messages.send.forEach((send, message) => {
      for (const end of [send, view.messages.receive[message]])
        if (end >= 0) this.messagesOf.set(end, [...(this.messagesOf.get(end) ?? []), message]);
    });
    this.surface = new Surface(this, "gantt");
    this.root = element("div", {}, this.controls(), this.surface.root, this.legend(), this.table.root);
    this.layOutRows();
    this.surface.root.style.height = `${Math.min(this.height || 620, Math.max(140, this.contentHeight() + 8))}px`;
  }

  private controls(): HTMLElement {
    const bar = element("div", { class: "controls" });
    const options = ["task", "instance", "layer", "kind"];
    if (this.view.streams.length > 1) options.unshift("stream");
    else if (this.view.groups.replicas.some((count) => count > 1) || this.isPipelined) options.unshift("instance");
    this.colourBy = options[0];
    bar.append(choice("Colour by", [...new Set(options)], (chosen) => this.set(() => (this.colourBy = chosen))));
    if (this.view.groups.repetition.some((repetition) => repetition > 0))
      bar.append(choice("Repetitions", ["1", "2", "4", "8", "16"], (chosen) => this.repeat(Number(chosen))));
    bar.append(field("Tasks", "part of a name", (text) => this.set(() => {
      const wanted = text.toLowerCase();
      this.isShownTask = (task) => wanted === "" || (this.view.tasks.name[task] ?? "").toLowerCase().includes(wanted);
    })));
    bar.append(field("Rows", "0-3,7 or a name", (text) => this.set(() => {
      const within = ranges(text), wanted = text.toLowerCase();
      this.isShownRow = text.trim() === "" ? this.isBusyRow : within ?? ((row) => this.view.rows.name[row].toLowerCase().includes(wanted));
      this.fitRows(this.surface.size.height);
    })));
    bar.append(field("Layers", "0-3", (text) => this.set(() => (this.isShownLayer = ranges(text) ?? (() => true)))));
    if (this.view.messages.send.length > 0) bar.append(button("messages", "Lines from senders to receivers (m)", () => this.toggleMessages()));
    bar.append(button("-", "Zoom out (-)", () => this.surface.zoom(1 / 1.5)),
               button("+", "Zoom in (+)", () => this.surface.zoom(1.5)),
               button("all", "Show everything (0)", () => this.surface.seeEverything()),
               button("step", `One more, ${orderOfSteps(this.view)} (n)`, () => this.takeStep(1)),
               button("back", "One step back (p)", () => this.takeStep(-1)),
               button("CSV", "All boxes as a table", () => save("schedule.csv", this.table.csv(), "text/csv")),
               button("PNG", "This picture", () => this.surface.picture((blob) => blob && save("schedule.png", blob))));
    return bar;
  }

  private legend(): HTMLElement {
    const { idle, streams } = this.view;
    return element("p", { class: "legend" },
      // Streams have their own colours, which are named below.
      ...([["compute", streams.length > 1 ? "" : "compute"], ["send", "send"], ["receive", "receive"], ["transfer", "transfer on a link"], ["wait", "waits"]] as const)
        .filter(([, says], kind) => says && this.view.box.kind.includes(kind)).flatMap(([name, says]) => [element("span", { class: "key " + name }), says + " "]),
      element("span", { class: "key blank" }), "blank ", ...this.streamKeys(), idle ? `\u2003idle: ${idle}` : "");
  }

  /// Returns the legend of the streams, as far as they have their own colour.
  private streamKeys(): (HTMLElement | string)[] {
    const { streams } = this.view;
    if (streams.length < 2 || streams.length > 7) return [];
    return streams.flatMap((name, i) => {
      const key = element("span", { class: "key compute" });
      key.style.background = `var(--p${i})`;
      return [key, `stream ${name} `];
    });
  }

  private set(change: () => void): void {
    change();
    this.surface.redraw();
  }
  private toggleMessages(): void { this.set(() => (this.showsMessages = !this.showsMessages)); }

  private repeat(count: number): void {
    this.boxes = new Boxes(this.view, count);
    this.selected = this.hovered = -1;
    this.steps = new Steps(this.view, this.boxes);
    // The displayed text was about a previous step or box.
    this.surface.say("");
    this.surface.seeEverything();
  }

  /// Advances by this many steps and displays the result.
  takeStep(by: number): void {
    const box = this.steps.take(by);
    this.select(box, this.steps.says);
    if (box < 0) this.surface.say(this.steps.says);
  }

  private layOutRows(): void {
    this.places = [];
    this.headings = [];
    let y = top, last = -1;
    this.view.rows.name.forEach((_, row) => {
      if (!this.isShownRow(row)) return;
      const group = this.view.rows.group[row];
      if (this.view.groups.name.length > 1 && group !== last) {
        this.headings.push({ y, group });
        y += headingHeight;
        last = group;
      }
      this.places.push({ y, row });
      y += this.rowHeight;
    });
  }
  private contentHeight(): number {
    return (this.places.length > 0 ? this.places[this.places.length - 1].y + this.rowHeight : top) + 6;
  }

  /// Adapts the row height to the available space.
  private fitRows(height: number): void {
    const rows = Math.max(1, this.view.rows.name.filter((_, row) => this.isShownRow(row)).length);
    this.rowHeight = Math.min(28, Math.max(leastRow, (height - top - 8 - headingHeight * this.headings.length) / rows));
    this.layOutRows();
  }

  everything(width: number, height: number): Camera {
    this.fitRows(height);
    const span = this.boxes.count > 0 ? this.boxes.most - this.boxes.least || 1 : 1;
    return { x: this.boxes.least - span * 0.01 - this.left / ((width - this.left) / (span * 1.03)), y: 0,
             kx: (width - this.left) / (span * 1.03), ky: 1 };
  }

  x(time: number): number { return (time - this.surface.camera.x) * this.surface.camera.kx; }
  timeAt(x: number): number { return x / this.surface.camera.kx + this.surface.camera.x; }
  y(place: RowPlace): number { return place.y - this.surface.camera.y; }

  isDimmed(box: number): boolean {
    if (this.boxes.kind[box] !== BoxKind.compute) return false;
    const task = this.boxes.subject[box];
    return !this.isShownTask(task) || !this.isShownLayer(this.view.tasks.layer[task] ?? 0);
  }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    const camera = this.surface.camera;
    camera.y = Math.min(Math.max(0, camera.y), Math.max(0, this.contentHeight() - height));
    const from = this.timeAt(this.left), to = this.timeAt(width);
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(this.left, top, width - this.left, height - top);
    context.clip();
    this.painter.drawGrid(context, from, to, height);
    const shown = this.places.filter((place) => this.y(place) + this.rowHeight >= top && this.y(place) <= height);
    this.painter.drawRows(context, shown, from, to, width, height);
    if (this.showsMessages) this.painter.drawMessages(context, from, to);
    context.restore();
    this.painter.drawFrame(context, from, to, width, height, shown);
    if (this.places.length === 0) {
      context.fillStyle = colour("muted");
      context.textAlign = "center";
      context.fillText(this.boxes.count > 0 ? "no row matches" : "no boxes", (this.left + width) / 2, (top + height) / 2);
    }
    this.table.fill();
  }

  /// Reports whether a box is a transfer of the message on a link.
  carries(box: number, message: number, shift: number): boolean {
    if (box < 0 || this.boxes.kind[box] !== BoxKind.transfer || this.boxes.subject[box] !== this.view.messages.id[message]) return false;
    const group = (each: number): number => this.view.rows.group[this.boxes.row[each]];
    const send = this.boxes.find(this.view.messages.send[message], shift, this.view);
    return send >= 0 && group(send) === group(box) && this.boxes.shiftOf(box, this.view) === shift;
  }

  private boxAt(x: number, y: number): number {
    const place = this.places.find((each) => y >= this.y(each) && y < this.y(each) + this.rowHeight);
    if (!place || x < this.left || y < top) return -1;
    const slack = 2 / this.surface.camera.kx, at = this.timeAt(x);
    const { boxes } = this, found = boxes.lastBefore(place.row, at + slack);
    let looked = 0;
    for (let box = found; box >= boxes.first[place.row] && looked < 4; --box) {
      if (!this.steps.shows(box)) continue;
      if (boxes.end[box] + slack >= at) return box;
      ++looked;
    }
    return -1;
  }

  /// Describes a box.
  describe(box: number): string {
    const { boxes, view } = this, unit = view.unit, row = boxes.row[box];
    const kind = boxKinds[boxes.kind[box]];
    let text = boxes.kind[box] === BoxKind.compute ? `task ${view.tasks.name[boxes.subject[box]]}`
      : boxes.kind[box] === BoxKind.wait ? "waits" : `${kind} of message ${boxes.subject[box]}`;
    text += `\n${view.rows.name[row]}${view.groups.name.length > 1 ? `, ${view.groups.name[view.rows.group[row]]}` : ""}, frame ${boxes.instance[box]}`;
    text += `\n${time(boxes.start[box], unit)} .. ${time(boxes.end[box], unit)}, takes ${time(boxes.end[box] - boxes.start[box], unit)}`;
    for (const message of (this.messagesOf.get(boxes.origin[box]) ?? []).slice(0, 3))
      text += `\n${view.messages.name[message]}: ${dataSize(view.messages.bytes[message], unit)}${unit === "ns" ? "" : " units"}`;
    if (boxes.kind[box] === BoxKind.compute && view.streams.length > 1) text += `\nstream ${view.streams[view.tasks.stream[boxes.subject[box]]]}`;
    return text;
  }

  tell(x: number, y: number): string | undefined {
    const box = this.boxAt(x, y);
    if (box !== this.hovered) {
      this.hovered = box;
      this.surface.redraw();
    }
    return box >= 0 ? this.describe(box) : undefined;
  }

  click(x: number, y: number): void { this.select(this.boxAt(x, y)); }

  select(box: number, prefix = ""): void {
    this.selected = box;
    this.surface.say(box >= 0 ? prefix + this.describe(box).replace(/\n/g, "; ") : "");
    if (box >= 0) this.bringIntoView(box);
    this.onSelect?.(box);
    this.surface.redraw();
  }

  private bringIntoView(box: number): void {
    const camera = this.surface.camera, { width, height } = this.surface.size;
    const x = this.x(this.boxes.start[box]), end = this.x(this.boxes.end[box]);
    if (end < this.left + 10 || x > width - 10) camera.x = this.boxes.start[box] - (this.left + (width - this.left) / 3) / camera.kx;
    const place = this.places.find((each) => each.row === this.boxes.row[box]);
    if (place && (this.y(place) < top || this.y(place) + this.rowHeight > height)) camera.y = place.y - height / 2;
  }

  key(event: KeyboardEvent): boolean {
    if (event.shiftKey && (event.key === "+" || event.key === "*")) return this.setRowHeight(1.3);
    switch (event.key) {
      case "m": this.toggleMessages(); return true;
      case "n": this.takeStep(1); return true;
      case "p": this.takeStep(-1); return true;
      case "[": return this.setRowHeight(1 / 1.3);
      case "]": return this.setRowHeight(1.3);
      case "Escape": this.select(-1); return true;
    }
    if (!event.key.startsWith("Arrow") || event.shiftKey) return false;
    return this.walk(event.key);
  }
  private setRowHeight(factor: number): boolean {
    this.rowHeight = Math.min(mostRow, Math.max(leastRow, this.rowHeight * factor));
    this.layOutRows();
    this.surface.redraw();
    return true;
  }

  /// Moves to the next box in the row, or to the simultaneous one in the next row.
  private walk(key: string): boolean {
    const { boxes } = this;
    if (boxes.count === 0) return false;
    if (this.selected < 0) {
      this.select(this.boxOn(this.places[0]?.row ?? 0, this.timeAt(this.left)));
      return true;
    }
    const row = boxes.row[this.selected];
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const by = key === "ArrowLeft" ? -1 : 1;
      let next = this.selected + by;
      while (next >= boxes.first[row] && next < boxes.first[row + 1] && !this.steps.shows(next)) next += by;
      if (next >= boxes.first[row] && next < boxes.first[row + 1]) this.select(next);
    }
    if (key === "ArrowUp" || key === "ArrowDown") {
      const rows = this.places.map((each) => each.row).filter((each) => boxes.first[each + 1] > boxes.first[each]);
      const at = rows.indexOf(row) + (key === "ArrowUp" ? -1 : 1);
      if (at >= 0 && at < rows.length) this.select(this.boxOn(rows[at], boxes.start[this.selected]));
    }
    return true;
  }
  private boxOn(row: number, at: number): number {
    if (this.boxes.first[row] === this.boxes.first[row + 1]) return -1;
    return Math.max(this.boxes.first[row], this.boxes.lastBefore(row, at));
  }
}
