// Painting of a Gantt chart, with details as far as they fit.

import { marks } from "./canvas";
import { colour, paleColour, paleColours, seriesColour } from "./colours";
import { BoxKind } from "./data";
import type { Gantt, RowPlace } from "./gantt";
import { Pixels, pixel } from "./pixels";
import { commonBeginning, shortened, time } from "./text";

/// Heights of the axis, and of a schedule's name.
export const top = 26, headingHeight = 22;
/// Returns the width of the row names.
export function gutterOf(names: string[]): number {
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
  return Math.min(96, 22 + 7.5 * longest);
}
/// Narrower boxes are merged: a pixel column is filled in proportion to its busy time.
const narrow = 3;
/// More message lines than this would be illegible.
const mostLines = 2000;

/// With more boxes in view than this, boxes below the second width have neither labels nor patterns.
const crowd = 4000, narrowInCrowds = 12;

/// The fill of a box, also as a pixel; and as a pixel for boxes without text.
interface Ink { css: string; pale: number; full: number }
const series = paleColours, sendInk = series, otherInk = series + 1, waitInk = series + 2;
function makeInks(): Ink[] {
  const ink = (css: string, full: string): Ink => ({ css, pale: pixel(css, 1), full: pixel(full, 1) });
  return [...Array.from({ length: series }, (_, i) => ink(paleColour(i), seriesColour(i))),
          ...([["send", "ink"], ["message", "muted"], ["grid", "grid"]] as const).map(([pale, full]) => ink(colour(pale), colour(full)))];
}

export class GanttPainter {
  private readonly pixels = new Pixels();
  /// Length of the prefix common to all task names.
  private readonly common: number;
  private inks: Ink[] = [];
  private hatch?: { key: string; pattern: CanvasPattern | null };

  constructor(private readonly gantt: Gantt) {
    const { groups, streams, tasks } = gantt.view;
    // With streams, or frames, labels begin with those.
    this.common = streams.length > 1 || groups.replicas.some((count) => count > 1) || gantt.isPipelined ? 0 : commonBeginning(tasks.name);
  }

  /// Returns the ink of a box: its series, or a special one after them.
  private inkOf(box: number): number {
    const { boxes, view } = this.gantt, task = boxes.subject[box], kind = boxes.kind[box];
    if (kind !== BoxKind.compute) return kind === BoxKind.send ? sendInk : kind === BoxKind.wait ? waitInk : otherInk;
    switch (this.gantt.colourBy) {
      case "instance": return ((boxes.instance[box] % series) + series) % series;
      case "stream": return (view.tasks.stream[task] ?? 0) % series;
      case "layer": return (view.tasks.layer[task] ?? 0) % series;
      case "kind": return 0;
    }
    return task % series;
  }

  drawGrid(context: CanvasRenderingContext2D, from: number, to: number, height: number): void {
    const { left } = this.gantt;
    context.fillStyle = colour("grid");
    for (const mark of marks(from, to, (this.gantt.surface.size.width - left) / 110)) context.fillRect(Math.round(this.gantt.x(mark)), top, 1, height);
  }

  drawFrame(context: CanvasRenderingContext2D, from: number, to: number, width: number, height: number,
                    shown: RowPlace[]): void {
    const { left } = this.gantt;
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, top);
    context.fillRect(0, 0, left, height);
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (const mark of marks(from, to, (width - left) / 110)) {
      const text = time(Number(mark.toPrecision(12)), this.gantt.view.unit), half = context.measureText(text).width / 2 + 2;
      // Above its line; only text that would leave the picture is moved.
      context.fillText(text, Math.min(width - half, Math.max(half, this.gantt.x(mark))), top / 2);
    }
    context.textAlign = "right";
    context.fillStyle = colour("ink");
    const every = Math.ceil(13 / this.gantt.rowHeight);
    for (const place of shown) {
      const y = this.gantt.y(place) + this.gantt.rowHeight / 2;
      if (y < top + 4 || place.row % every !== 0) continue;
      const name = this.gantt.view.rows.name[place.row];
      context.fillText(shortened(context, name, left - 12), left - 8, y);
    }
    context.textAlign = "left";
    context.font = '600 12px system-ui, "DejaVu Sans", sans-serif';
    for (const heading of this.gantt.headings) {
      const y = heading.y - this.gantt.surface.camera.y + headingHeight / 2;
      if (y > top) context.fillText(shortened(context, this.gantt.view.groups.name[heading.group], width - 16), 8, y);
    }
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    const marked = this.gantt.steps.isOn && this.gantt.selected >= 0 ? this.gantt.boxes.start[this.gantt.selected] : this.gantt.cursor;
    if (isFinite(marked) && this.gantt.x(marked) >= this.gantt.left) {
      context.fillStyle = colour("heat");
      context.fillRect(this.gantt.x(marked), top, 2, height);
    }
  }

  drawRows(context: CanvasRenderingContext2D, shown: RowPlace[], from: number, to: number, width: number, height: number): void {
    const { boxes } = this.gantt;
    this.inks = makeInks();
    this.pixels.clear(Math.ceil(width), Math.ceil(height));
    let count = 0;
    for (const { row } of shown) count += boxes.lastBefore(row, to) - boxes.lastBefore(row, from);
    const least = count > crowd ? narrowInCrowds : narrow;
    const wide: [number, RowPlace][] = [];
    for (const place of shown) this.scanRow(context, place, from, to, width, least, (box) => wide.push([box, place]));
    this.pixels.draw(context);
    for (const [box, place] of wide) {
      const x = this.gantt.x(boxes.start[box]);
      this.drawBox(context, box, x, this.gantt.y(place), this.gantt.x(boxes.end[box]) - x, this.boxHeight);
    }
    for (const place of shown) this.markRow(context, place);
  }
  private get boxHeight(): number { return Math.max(2, this.gantt.rowHeight - (this.gantt.rowHeight > 12 ? 6 : 1)); }

  /// Paints narrow boxes into the pixels, and calls `isWide` for wide ones.
  private scanRow(context: CanvasRenderingContext2D, place: RowPlace, from: number, to: number, width: number, least: number,
                  isWide: (box: number) => void): void {
    const { boxes, steps, surface } = this.gantt, { row } = place, { pixels, inks } = this;
    const begin = boxes.first[row], end = boxes.first[row + 1];
    if (begin === end) return;
    const y = this.gantt.y(place), height = this.boxHeight, bottom = Math.round(y + height), { x: offset, kx } = surface.camera;
    // From the row's first box to its last one: uncovered time is blank.
    const first = Math.max(this.gantt.left, this.gantt.x(boxes.start[begin])), last = Math.min(width, this.gantt.x(boxes.end[end - 1]));
    context.fillStyle = colour("grid");
    if (last > first) context.fillRect(first, y, last - first, height);
    let column = -1, busy = 0, ink = 0, widest = -1;
    const flush = (): void => {
      if (column >= 0 && busy > 0) pixels.fill(column, bottom - Math.max(1, Math.round(height * Math.min(1, busy))), column + 1, bottom, inks[ink].full);
      column = -1;
      busy = 0;
    };
    for (let box = Math.max(begin, boxes.lastBefore(row, from)); box < end && boxes.start[box] <= to; ++box) {
      if (!steps.shows(box)) continue;
      const x = (boxes.start[box] - offset) * kx, boxWidth = (boxes.end[box] - boxes.start[box]) * kx;
      if (boxWidth < narrow) {
        const at = Math.floor(x);
        if (at !== column) {
          flush();
          column = at;
          widest = -1;
        }
        // The longest box determines the colour of a merged group.
        if (boxWidth > widest) [widest, ink] = [boxWidth, this.inkOf(box)];
        busy += Math.max(boxWidth, 0.15);
      } else if (boxWidth < least && !this.gantt.isDimmed(box)) {
        flush();
        // A gap of a pixel separates neighbours.
        const at = Math.round(x);
        pixels.fill(at, Math.round(y), Math.max(at + 1, Math.round(x + boxWidth) - 1), bottom, inks[this.inkOf(box)].pale);
      } else {
        flush();
        isWide(box);
      }
    }
    flush();
  }

  private markRow(context: CanvasRenderingContext2D, place: RowPlace): void {
    const { boxes } = this.gantt, begin = boxes.first[place.row], end = boxes.first[place.row + 1];
    for (const marked of [this.gantt.hovered, this.gantt.selected]) {
      if (marked < begin || marked >= end) continue;
      context.strokeStyle = colour("heat");
      context.lineWidth = 2.5;
      const x = this.gantt.x(boxes.start[marked]);
      context.strokeRect(x, this.gantt.y(place), Math.max(2, this.gantt.x(boxes.end[marked]) - x), this.boxHeight);
      context.lineWidth = 1;
    }
  }

  private drawBox(context: CanvasRenderingContext2D, box: number, x: number, y: number, width: number, height: number): void {
    const kind = this.gantt.boxes.kind[box];
    const begin = Math.max(x, this.gantt.left - 2), end = Math.min(x + width, this.gantt.surface.size.width + 2);
    const ink = this.inks[this.inkOf(box)];
    context.globalAlpha = this.gantt.isDimmed(box) ? 0.15 : 1;
    context.fillStyle = ink.css;
    const inner = width > 6 ? 0.8 : 0;
    context.fillRect(begin, y, end - begin - inner, height);
    if (kind === BoxKind.receive || kind === BoxKind.wait) {
      context.fillStyle = this.pattern(context) ?? context.fillStyle;
      context.globalAlpha = 0.9;
      context.fillRect(begin, y, end - begin - inner, height);
    }
    context.globalAlpha = 1;
    const label = this.labelOf(box);
    const shown = height < 11 || end - begin < 14 ? "" : shortened(context, label, end - begin - 4, true, label === this.gantt.view.tasks.name[this.gantt.boxes.subject[box]] ? this.common : 0);
    // A truncated number would be another number.
    const leading = /^[<>]?\d+\.?/.exec(label)?.[0];
    if (shown === "" || (leading && !shown.startsWith(leading) && !shown.startsWith("\u2026"))) return;
    context.fillStyle = colour(kind === BoxKind.send ? "card" : "ink");
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(shown, (begin + end) / 2, y + height / 2);
  }

  /// Receives are distinguished by more than their colour.
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
    const { boxes, view } = this.gantt;
    if (boxes.kind[box] === BoxKind.compute) {
      const name = view.tasks.name[boxes.subject[box]];
      // Streams are shown by colours: the label needs only frame and task.
      if (this.gantt.colourBy === "stream") return name.slice(name.indexOf("#") + 1);
      return boxes.instance[box] !== 0 || this.gantt.isPipelined || view.groups.replicas.some((count) => count > 1) ? `${boxes.instance[box]}.${name}` : name;
    }
    if (boxes.kind[box] === BoxKind.wait) return "";
    return (boxes.kind[box] === BoxKind.send ? ">" : boxes.kind[box] === BoxKind.receive ? "<" : "") + boxes.subject[box];
  }

  drawMessages(context: CanvasRenderingContext2D, from: number, to: number): void {
    const { view, boxes } = this.gantt;
    const marked = this.gantt.hovered >= 0 ? this.gantt.hovered : this.gantt.selected;
    const place = new Map(this.gantt.places.map((each) => [each.row, this.gantt.y(each) + this.gantt.rowHeight / 2 - 2]));
    const copies = Math.max(1, Math.round(boxes.count / Math.max(1, view.box.gap.length)));
    const lines: [number, number, number, number][] = [], own: typeof lines = [];
    const height = this.gantt.surface.size.height;
    for (let message = 0; message < view.messages.send.length; ++message) {
      const { send, receive } = { send: view.messages.send[message], receive: view.messages.receive[message] };
      if (send < 0 || receive < 0) continue;
      if (lines.length > mostLines && marked < 0) break;
      for (let k = 0; k < copies; ++k) {
        const a = copies === 1 ? send : boxes.find(send, k, view), b = copies === 1 ? receive : boxes.find(receive, k, view);
        if (a < 0 || b < 0 || !this.gantt.steps.shows(a) || !this.gantt.steps.shows(b) || boxes.start[b] < from || boxes.end[a] > to) continue;
        const y1 = place.get(boxes.row[a]), y2 = place.get(boxes.row[b]);
        if (y1 === undefined || y2 === undefined || Math.max(y1, y2) < top || Math.min(y1, y2) > height) continue;
        const line: [number, number, number, number] = [this.gantt.x(boxes.end[a]), y1, this.gantt.x(boxes.start[b]), y2];
        if (marked === a || marked === b || this.gantt.carries(marked, message, k)) own.push(line);
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
    // Many lines are drawn nearly transparent.
    if (lines.length <= mostLines) stroke(lines, "ink", Math.max(0.08, Math.min(0.5, 80 / Math.max(1, lines.length))) * (marked >= 0 ? 0.5 : 1), 1);
    stroke(own, "heat", 1, 2);
  }
}
