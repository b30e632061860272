// A Gantt chart: rows of boxes on one axis of time, with as much detail as there is room for.

import { Camera, Scene, Surface, marks } from "./canvas";
import { colour, seriesColour } from "./colours";
import { Boxes, BoxKind, GanttView, boxKinds } from "./data";
import { button, choice, element, field, number, ranges, save, time } from "./text";

const fewRows = 12;
const left = 96, top = 26, headingHeight = 22, leastRow = 6, mostRow = 64;
/// Narrower boxes are drawn together: a column of the screen is filled to the share that is busy.
const narrow = 3;
/// More message lines than this are a carpet.
const mostLines = 2000;

interface RowPlace { y: number; row: number }

export class Gantt implements Scene {
  readonly zooms = "x" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  boxes: Boxes;
  selected = -1;
  /// Boxes that begin later are not shown; for the steps of placement and for a replay.
  until = Infinity;
  /// A moment that is marked.
  cursor = NaN;
  onSelect?: (box: number) => void;

  private rowHeight = 28;
  private places: RowPlace[] = [];
  private headings: { y: number; group: number }[] = [];
  private colourBy = "task";
  private showsMessages = true;
  private hovered = -1;
  private steps: Int32Array | undefined;
  private step = 0;
  private isShownTask: (task: number) => boolean = () => true;
  /// Of many rows, those in which nothing happens are left out until somebody asks for them.
  private readonly isBusyRow = (row: number): boolean => this.view.rows.name.length <= fewRows || this.view.rows.boxes[row] > 0;
  private isShownRow: (row: number) => boolean = this.isBusyRow;
  private isShownLayer: (layer: number) => boolean = () => true;
  private hatch?: { key: string; pattern: CanvasPattern | null };
  private messagesOf = new Map<number, number[]>();
  private table: HTMLElement;

  constructor(readonly view: GanttView, private readonly height = 0) {
    this.label = `${view.name}: Gantt chart with ${view.rows.name.length} rows and ${view.box.gap.length} boxes. ` +
      "Arrow keys go from box to box, + and - zoom, 0 shows everything, m messages, n and p step.";
    this.boxes = new Boxes(view, 1);
    view.messages.send.forEach((send, message) => {
      for (const end of [send, view.messages.receive[message]])
        if (end >= 0) this.messagesOf.set(end, [...(this.messagesOf.get(end) ?? []), message]);
    });
    this.surface = new Surface(this, "gantt");
    this.table = element("details", { class: "in-view" }, element("summary", {}, "What is in view, as a table"));
    this.table.addEventListener("toggle", () => this.fillTable());
    this.root = element("div", {}, this.controls(), this.surface.root, this.legend(), this.table);
    this.layOutRows();
    this.surface.root.style.height = `${Math.min(this.height || 620, Math.max(140, this.contentHeight() + 8))}px`;
  }

  private controls(): HTMLElement {
    const bar = element("div", { class: "controls" });
    const options = ["task", "instance", "layer", "kind"];
    if (this.view.streams.length > 1) options.unshift("stream");
    else if (this.view.groups.replicas.some((count) => count > 1)) options.unshift("instance");
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
      this.layOutRows();
    })));
    bar.append(field("Layers", "0-3", (text) => this.set(() => (this.isShownLayer = ranges(text) ?? (() => true)))));
    bar.append(button("messages", "Lines from senders to receivers (m)", () => this.toggleMessages()));
    bar.append(button("-", "Zoom out (-)", () => this.surface.zoom(1 / 1.5)),
               button("+", "Zoom in (+)", () => this.surface.zoom(1.5)),
               button("all", "Show everything (0)", () => this.surface.seeEverything()),
               button("step", "One operation after the other, in order of start (n, back: p)", () => this.takeStep(1)),
               button("CSV", "All boxes as a table", () => save("schedule.csv", this.csv(), "text/csv")),
               button("PNG", "This picture", () => this.surface.picture((blob) => blob && save("schedule.png", blob))));
    return bar;
  }

  private legend(): HTMLElement {
    const idle = this.view.rows.name.filter((_, row) => !this.isBusyRow(row)).length;
    return element("p", { class: "legend" }, idle > 0 ? `${idle} rows in which nothing happens are left out (Rows: 0-${this.view.rows.name.length - 1} shows them). ` : "",
      ...([["compute", "compute"], ["send", "send"], ["receive", "receive"], ["transfer", "transfer on a link"], ["wait", "waits"]] as const)
        .filter((_, kind) => this.view.box.kind.includes(kind)).flatMap(([name, says]) => [element("span", { class: "key " + name }), says + " "]),
      element("span", { class: "key blank" }), "blank");
  }

  private set(change: () => void): void {
    change();
    this.surface.redraw();
  }
  private toggleMessages(): void { this.set(() => (this.showsMessages = !this.showsMessages)); }

  private repeat(count: number): void {
    this.boxes = new Boxes(this.view, count);
    this.selected = this.hovered = -1;
    this.steps = undefined;
    this.until = Infinity;
    this.surface.seeEverything();
  }

  /// Shows the first boxes only, in order of start.
  takeStep(by: number): void {
    if (!this.steps) {
      const order = Int32Array.from({ length: this.boxes.count }, (_, i) => i);
      order.sort((a, b) => this.boxes.start[a] - this.boxes.start[b] || a - b);
      this.steps = order;
      this.step = 0;
    }
    this.step = Math.min(this.steps.length, Math.max(0, this.step + by));
    if (this.step === 0) {
      this.until = Infinity;
      this.steps = undefined;
      this.select(-1);
      return this.surface.say("all operations");
    }
    const box = this.steps[this.step - 1];
    this.until = this.boxes.start[box];
    this.select(box, `step ${this.step} of ${this.steps.length}: `);
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

  everything(width: number, height: number): Camera {
    const rows = Math.max(1, this.view.rows.name.filter((_, row) => this.isShownRow(row)).length);
    this.rowHeight = Math.min(28, Math.max(leastRow, (height - top - 8 - headingHeight * this.headings.length) / rows));
    this.layOutRows();
    const span = Math.max(this.boxes.most - this.boxes.least, 1e-9);
    return { x: this.boxes.least - span * 0.01 - left / ((width - left) / (span * 1.03)), y: 0,
             kx: (width - left) / (span * 1.03), ky: 1 };
  }

  private x(time: number): number { return (time - this.surface.camera.x) * this.surface.camera.kx; }
  private timeAt(x: number): number { return x / this.surface.camera.kx + this.surface.camera.x; }
  private y(place: RowPlace): number { return place.y - this.surface.camera.y; }

  private colourOf(box: number): string {
    const { boxes, view } = this, task = boxes.subject[box];
    if (boxes.kind[box] === BoxKind.send) return colour("ink");
    if (boxes.kind[box] === BoxKind.wait) return colour("grid");
    if (boxes.kind[box] !== BoxKind.compute) return colour("muted");
    switch (this.colourBy) {
      case "instance": return seriesColour(boxes.instance[box]);
      case "stream": return seriesColour(view.tasks.stream[task] ?? 0);
      case "layer": return seriesColour(view.tasks.layer[task] ?? 0);
      case "kind": return colour("c0");
    }
    return seriesColour(task);
  }
  private isDimmed(box: number): boolean {
    if (this.boxes.kind[box] !== BoxKind.compute) return false;
    const task = this.boxes.subject[box];
    return !this.isShownTask(task) || !this.isShownLayer(this.view.tasks.layer[task] ?? 0);
  }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    const camera = this.surface.camera;
    camera.y = Math.min(Math.max(0, camera.y), Math.max(0, this.contentHeight() - height));
    const from = this.timeAt(left), to = this.timeAt(width);
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(left, top, width - left, height - top);
    context.clip();
    this.drawGrid(context, from, to, height);
    const shown = this.places.filter((place) => this.y(place) + this.rowHeight >= top && this.y(place) <= height);
    for (const place of shown) this.drawRow(context, place, from, to, width);
    if (this.showsMessages) this.drawMessages(context, from, to);
    context.restore();
    this.drawFrame(context, from, to, width, height, shown);
    if (this.table.hasAttribute("open")) this.fillTable();
  }

  private drawGrid(context: CanvasRenderingContext2D, from: number, to: number, height: number): void {
    context.fillStyle = colour("grid");
    for (const mark of marks(from, to, (this.surface.size.width - left) / 110)) context.fillRect(Math.round(this.x(mark)), top, 1, height);
  }

  private drawFrame(context: CanvasRenderingContext2D, from: number, to: number, width: number, height: number,
                    shown: RowPlace[]): void {
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, top);
    context.fillRect(0, 0, left, height);
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (const mark of marks(from, to, (width - left) / 110))
      context.fillText(time(Number(mark.toPrecision(12)), this.view.unit), Math.max(left + 20, this.x(mark)), top / 2);
    context.textAlign = "right";
    context.fillStyle = colour("ink");
    const every = Math.ceil(13 / this.rowHeight);
    for (const place of shown) {
      const y = this.y(place) + this.rowHeight / 2;
      if (y < top + 4 || place.row % every !== 0) continue;
      const name = this.view.rows.name[place.row];
      context.fillText(name.length > 14 ? name.slice(0, 13) + "…" : name, left - 8, y);
    }
    context.textAlign = "left";
    context.font = '600 12px system-ui, "DejaVu Sans", sans-serif';
    for (const heading of this.headings) {
      const y = heading.y - this.surface.camera.y + headingHeight / 2;
      if (y > top) context.fillText(this.view.groups.name[heading.group], 8, y);
    }
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    const marked = this.until < Infinity ? this.until : this.cursor;
    if (isFinite(marked) && this.x(marked) >= left) {
      context.fillStyle = colour("heat");
      context.fillRect(this.x(marked), top, 2, height);
    }
  }

  private drawRow(context: CanvasRenderingContext2D, place: RowPlace, from: number, to: number, width: number): void {
    const { boxes } = this, { row } = place;
    const begin = boxes.first[row], end = boxes.first[row + 1];
    if (begin === end) return;
    const y = this.y(place), height = Math.max(2, this.rowHeight - (this.rowHeight > 12 ? 6 : 1));
    // From the row's first box to its last one: what is not covered is blank.
    const first = Math.max(left, this.x(boxes.start[begin])), last = Math.min(width, this.x(boxes.end[end - 1]));
    context.globalAlpha = 0.5;
    context.fillStyle = colour("grid");
    if (last > first) context.fillRect(first, y, last - first, height);
    context.globalAlpha = 1;
    let column = -1, busy = 0, columnColour = "";
    const flush = (): void => {
      if (column >= 0 && busy > 0) {
        context.fillStyle = columnColour;
        const filled = Math.max(1, height * Math.min(1, busy));
        context.fillRect(column, y + height - filled, 1, filled);
      }
      column = -1;
      busy = 0;
    };
    for (let box = Math.max(begin, boxes.lastBefore(row, from)); box < end && boxes.start[box] <= to; ++box) {
      if (boxes.start[box] > this.until) continue;
      const x = this.x(boxes.start[box]), boxWidth = this.x(boxes.end[box]) - x;
      if (boxWidth >= narrow) {
        flush();
        this.drawBox(context, box, x, y, boxWidth, height);
        continue;
      }
      const at = Math.floor(x);
      if (at !== column) {
        flush();
        column = at;
        columnColour = this.colourOf(box);
      }
      busy += Math.max(boxWidth, 0.15);
    }
    flush();
    for (const marked of [this.hovered, this.selected]) {
      if (marked < begin || marked >= end) continue;
      context.strokeStyle = colour("heat");
      context.lineWidth = 2.5;
      const x = this.x(boxes.start[marked]);
      context.strokeRect(x, y, Math.max(2, this.x(boxes.end[marked]) - x), height);
      context.lineWidth = 1;
    }
  }

  private drawBox(context: CanvasRenderingContext2D, box: number, x: number, y: number, width: number, height: number): void {
    const kind = this.boxes.kind[box], isCompute = kind === BoxKind.compute;
    const begin = Math.max(x, left - 2), end = Math.min(x + width, this.surface.size.width + 2);
    context.globalAlpha = this.isDimmed(box) ? 0.08 : isCompute ? 0.5 : kind === BoxKind.send ? 0.85 : 0.75;
    context.fillStyle = this.colourOf(box);
    const inner = width > 6 ? 0.8 : 0;
    context.fillRect(begin, y, end - begin - inner, height);
    if (kind === BoxKind.receive || kind === BoxKind.wait) {
      context.fillStyle = this.pattern(context) ?? context.fillStyle;
      context.globalAlpha = 0.9;
      context.fillRect(begin, y, end - begin - inner, height);
    }
    context.globalAlpha = 1;
    const label = this.labelOf(box);
    if (height < 11 || end - begin < label.length * 7 + 4) return;
    context.fillStyle = isCompute ? colour("ink") : colour("card");
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(label, (begin + end) / 2, y + height / 2);
  }

  /// Receives are told apart by more than their colour.
  private pattern(context: CanvasRenderingContext2D): CanvasPattern | null {
    const key = colour("card");
    if (this.hatch?.key === key) return this.hatch.pattern;
    const small = document.createElement("canvas");
    small.width = small.height = 6;
    const pen = small.getContext("2d")!;
    pen.strokeStyle = key;
    pen.beginPath();
    pen.moveTo(-1, 7);
    pen.lineTo(7, -1);
    pen.stroke();
    this.hatch = { key, pattern: context.createPattern(small, "repeat") };
    return this.hatch.pattern;
  }

  private labelOf(box: number): string {
    const { boxes, view } = this;
    if (boxes.kind[box] === BoxKind.compute) {
      const name = view.tasks.name[boxes.subject[box]];
      return boxes.instance[box] > 0 || view.groups.replicas.some((count) => count > 1) ? `${boxes.instance[box]}.${name}` : name;
    }
    if (boxes.kind[box] === BoxKind.wait) return "";
    return (boxes.kind[box] === BoxKind.send ? ">" : boxes.kind[box] === BoxKind.receive ? "<" : "") + boxes.subject[box];
  }

  private drawMessages(context: CanvasRenderingContext2D, from: number, to: number): void {
    const { view, boxes } = this;
    const marked = this.hovered >= 0 ? this.hovered : this.selected;
    const place = new Map(this.places.map((each) => [each.row, this.y(each) + this.rowHeight / 2 - 2]));
    const copies = Math.max(1, Math.round(boxes.count / Math.max(1, view.box.gap.length)));
    const lines: [number, number, number, number][] = [], own: typeof lines = [];
    const height = this.surface.size.height;
    for (let message = 0; message < view.messages.send.length; ++message) {
      const { send, receive } = { send: view.messages.send[message], receive: view.messages.receive[message] };
      if (send < 0 || receive < 0) continue;
      for (let k = 0; k < copies; ++k) {
        const a = copies === 1 ? send : boxes.find(send, k, view), b = copies === 1 ? receive : boxes.find(receive, k, view);
        if (a < 0 || b < 0 || boxes.start[b] > this.until || boxes.start[b] < from || boxes.end[a] > to) continue;
        const y1 = place.get(boxes.row[a]), y2 = place.get(boxes.row[b]);
        if (y1 === undefined || y2 === undefined || Math.max(y1, y2) < top || Math.min(y1, y2) > height) continue;
        const line: [number, number, number, number] = [this.x(boxes.end[a]), y1, this.x(boxes.start[b]), y2];
        if (marked === a || marked === b || this.carries(marked, message, k)) own.push(line);
        else if (lines.length <= mostLines) lines.push(line);
      }
    }
    const stroke = (which: typeof lines, name: string, alpha: number, lineWidth: number): void => {
      context.strokeStyle = colour(name);
      context.globalAlpha = alpha;
      context.lineWidth = lineWidth;
      context.beginPath();
      for (const [x1, y1, x2, y2] of which) {
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
      }
      context.stroke();
      context.globalAlpha = 1;
      context.lineWidth = 1;
    };
    if (lines.length <= mostLines) stroke(lines, "ink", marked >= 0 ? 0.25 : 0.5, 1);
    stroke(own, "heat", 1, 2);
  }

  /// Whether a box is a transfer of the message on a link.
  private carries(box: number, message: number, shift: number): boolean {
    if (box < 0 || this.boxes.kind[box] !== BoxKind.transfer || this.boxes.subject[box] !== this.view.messages.id[message]) return false;
    const group = (each: number): number => this.view.rows.group[this.boxes.row[each]];
    const send = this.boxes.find(this.view.messages.send[message], shift, this.view);
    return send >= 0 && group(send) === group(box) && this.boxes.shiftOf(box, this.view) === shift;
  }

  private boxAt(x: number, y: number): number {
    const place = this.places.find((each) => y >= this.y(each) && y < this.y(each) + this.rowHeight);
    if (!place || x < left || y < top) return -1;
    const slack = 2 / this.surface.camera.kx, at = this.timeAt(x);
    const { boxes } = this, found = boxes.lastBefore(place.row, at + slack);
    for (let box = found; box >= boxes.first[place.row] && box > found - 4; --box)
      if (boxes.end[box] + slack >= at && boxes.start[box] <= this.until) return box;
    return -1;
  }

  /// A box in words.
  describe(box: number): string {
    const { boxes, view } = this, unit = view.unit, row = boxes.row[box];
    const kind = boxKinds[boxes.kind[box]];
    let text = boxes.kind[box] === BoxKind.compute ? `task ${view.tasks.name[boxes.subject[box]]}`
      : boxes.kind[box] === BoxKind.wait ? "waits" : `${kind} of message ${boxes.subject[box]}`;
    text += `\n${view.rows.name[row]}${view.groups.name.length > 1 ? `, ${view.groups.name[view.rows.group[row]]}` : ""}, frame ${boxes.instance[box]}`;
    text += `\n${time(boxes.start[box], unit)} .. ${time(boxes.end[box], unit)}, takes ${time(boxes.end[box] - boxes.start[box], unit)}`;
    for (const message of (this.messagesOf.get(boxes.origin[box]) ?? []).slice(0, 3))
      text += `\n${view.messages.name[message]}: ${number(view.messages.bytes[message])} ${unit === "ns" ? "bytes" : "units"}`;
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
    if (end < left + 10 || x > width - 10) camera.x = this.boxes.start[box] - (left + (width - left) / 3) / camera.kx;
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

  /// To the next box in the row, or to the one that is on at the same time in the next row.
  private walk(key: string): boolean {
    const { boxes } = this;
    if (boxes.count === 0) return false;
    if (this.selected < 0) {
      this.select(this.boxOn(this.places[0]?.row ?? 0, this.timeAt(left)));
      return true;
    }
    const row = boxes.row[this.selected];
    if (key === "ArrowLeft" && this.selected > boxes.first[row]) this.select(this.selected - 1);
    if (key === "ArrowRight" && this.selected + 1 < boxes.first[row + 1]) this.select(this.selected + 1);
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

  private fillTable(): void {
    if (!this.table.hasAttribute("open")) return;
    const most = 200, from = this.timeAt(left), to = this.timeAt(this.surface.size.width);
    const body = element("tbody");
    let more = 0;
    for (const { row } of this.places)
      for (let box = Math.max(this.boxes.first[row], this.boxes.lastBefore(row, from)); box < this.boxes.first[row + 1] && this.boxes.start[box] <= to; ++box) {
        if (this.boxes.end[box] < from || this.isDimmed(box)) continue;
        if (body.rows.length >= most) {
          ++more;
          continue;
        }
        body.append(element("tr", {}, ...this.cells(box).map((cell, i) => element("td", i > 2 ? { class: "number" } : {}, cell))));
      }
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...["row", "what", "kind", "frame", "start", "end"].map((name) => element("th", { scope: "col" }, name)))), body);
    while (this.table.childNodes.length > 1) this.table.lastChild!.remove();
    this.table.append(table);
    if (more > 0) this.table.append(element("p", {}, `and ${more} more: zoom in`));
  }
  private cells(box: number): string[] {
    const { boxes, view } = this;
    return [view.rows.name[boxes.row[box]], boxes.kind[box] === BoxKind.compute ? view.tasks.name[boxes.subject[box]] : String(boxes.subject[box]),
            boxKinds[boxes.kind[box]], String(boxes.instance[box]), String(boxes.start[box]), String(boxes.end[box])];
  }
  private csv(): string {
    const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    let text = "row,subject,kind,frame,start,end\n";
    for (let box = 0; box < this.boxes.count; ++box) text += this.cells(box).map(quote).join(",") + "\n";
    return text;
  }
}
