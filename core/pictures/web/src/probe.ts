// The output of a stage during the run: the last frame as a spectrum, earlier ones as a waterfall.

import { Camera, Scene, Surface, axis } from "./canvas";
import { Chart } from "./chart";
import { colour, drawHeatScale, heat, missingColour, zeroColour } from "./colours";
import { choice, element, number } from "./text";

/// A frame as a row (pipeline/runtime/probe.hpp).
export interface ProbeRow {
  stage: number;
  sequence: number;
  utc_ns: number;
  x: string;
  unit: string;
  first: number;
  last: number;
  power: boolean;
  values: (number | null)[];
}

const rows = 160, height = 300, left = 72, right = 96, top = 8, bottom = 40;

/// Newest row on top; the colour scale covers the range of the last rows.
class RollingWaterfall implements Scene {
  readonly zooms = "none" as const;
  readonly label = "waterfall of the chosen probe point, newest frame on top";
  readonly surface: Surface;
  private readonly image = document.createElement("canvas");
  private kept: { row: ProbeRow; values: number[]; low: number; high: number; zeros: boolean; missing: boolean }[] = [];
  private low = 0;
  private high = 1;
  private has = { values: false, zeros: false, missing: false };
  scale = "";

  constructor() {
    this.surface = new Surface(this, "waterfall");
    this.surface.root.style.height = `${height}px`;
    this.image.height = rows;
  }

  clear(): void {
    this.kept = [];
    this.surface.redraw();
  }

  add(row: ProbeRow, values: number[]): void {
    const finite = values.filter((value) => isFinite(value));
    this.kept.unshift({ row, values, low: Math.min(...finite), high: Math.max(...finite), zeros: values.includes(-Infinity), missing: values.some((value) => isNaN(value)) });
    if (this.kept.length > rows) this.kept.pop();
    let [low, high] = [Infinity, -Infinity];
    this.has = { values: false, zeros: false, missing: false };
    for (const each of this.kept) {
      low = Math.min(low, each.low);
      high = Math.max(high, each.high);
      this.has.zeros ||= each.zeros;
      this.has.missing ||= each.missing;
    }
    this.has.values = high >= low;
    if (!this.has.values) low = high = 0;
    // The colour scale is kept while new values fit it.
    const span = high - low, isNew = this.image.width !== values.length || low < this.low || high > this.high || this.high - this.low > 1.5 * span;
    if (isNew) {
      this.image.width = values.length;
      this.low = low - 0.05 * span;
      this.high = high + 0.05 * span;
      this.kept.forEach((each, i) => this.paint(each.values, i));
    } else {
      const context = this.image.getContext("2d")!;
      context.drawImage(this.image, 0, 0, values.length, rows - 1, 0, 1, values.length, rows - 1);
      this.paint(values, 0);
    }
    this.surface.redraw();
  }

  private paint(values: number[], at: number): void {
    const context = this.image.getContext("2d")!, data = context.createImageData(this.image.width, 1);
    values.forEach((value, i) => {
      data.data.set(isFinite(value) ? [...heat((value - this.low) / (this.high - this.low || 1)), 255] : isNaN(value) ? missingColour : zeroColour, 4 * i);
    });
    context.putImageData(data, 0, at);
  }

  everything(): Camera { return { x: 0, y: 0, kx: 1, ky: 1 }; }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    const w = width - left - right, h = height - top - bottom, newest = this.kept[0]?.row;
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    context.textAlign = "center";
    if (!newest) return context.fillText("no frame yet", left + w / 2, top + h / 2);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.image, 0, 0, this.image.width, this.kept.length, left, top, w, h * this.kept.length / rows);
    const low = Math.min(newest.first, newest.last), high = Math.max(newest.first, newest.last);
    const across = axis(newest.unit ? `${newest.x} (${newest.unit})` : newest.x, low, high, w / 100);
    for (const [mark, text] of across.marks) context.fillText(text, left + (mark - newest.first) / (newest.last - newest.first || 1) * w, height - bottom + 12);
    context.fillText(across.title, left + w / 2, height - 9);
    context.textAlign = "right";
    for (let i = 0; i < this.kept.length; i += 40) context.fillText(i === 0 ? "now" : `-${Number(((newest.utc_ns - this.kept[i].row.utc_ns) / 1e9).toPrecision(2))} s`, left - 6, top + 6 + i / rows * h);
    drawHeatScale(context, width - right + 12, top, h, this.low, this.high, this.scale, this.has);
  }

  tell(x: number, y: number): string | undefined {
    const { width, height } = this.surface.size, w = width - left - right, h = height - top - bottom;
    const row = this.kept[Math.floor((y - top) / h * rows)], column = Math.floor((x - left) / w * (row?.values.length ?? 0));
    if (!row || column < 0 || column >= row.values.length) return undefined;
    const at = row.row.first + (column + 0.5) / row.values.length * (row.row.last - row.row.first);
    return `${row.row.x}: ${number(at)} ${row.row.unit}\nframe ${row.row.sequence}, ${new Date(row.row.utc_ns / 1e6).toISOString()}\n${isNaN(row.values[column]) ? "missing" : isFinite(row.values[column]) ? `${number(row.values[column])} ${this.scale}` : "0: no power"}`;
  }
}

export class ProbeView {
  readonly root: HTMLElement;
  private readonly waterfall = new RollingWaterfall();
  private readonly chart = new Chart({ kind: "chart", name: "Spectrum", says: "", x: "", y: "", series: [{ name: "newest frame", style: "line", x: [], y: [] }] }, height, true);
  private readonly pictures = element("div", { class: "columns" }, this.chart.root, this.waterfall.surface.root);
  private readonly label: HTMLLabelElement;
  private names: string[] = [];
  private chosen = "";
  private last = "";

  /// `choose` requests the frames of a source or task, or of none; `turn` is called when the selection becomes empty or non-empty.
  constructor(private readonly choose: (name: string) => void, private readonly turn: () => void) {
    this.label = choice("frames of", ["none"], (name) => this.look(name));
    this.pictures.hidden = true;
    this.chart.nothing = "no frame yet";
    this.root = element("section", { "aria-label": "probe" }, element("h2", {}, "Probe"),
      element("p", {}, "Output of a source or task: the newest frame and earlier ones, a few per second. While a probe point is chosen, a rank copies a bounded part of a frame five times per second."),
      element("div", { class: "controls" }, this.label), this.pictures);
  }

  get isOn(): boolean { return this.chosen !== ""; }

  /// The server forgets the selection when no page is connected.
  again(): void { if (this.chosen) this.choose(this.chosen); }

  private look(name: string): void {
    const wasOn = this.isOn;
    this.chosen = name === "none" ? "" : name;
    this.pictures.hidden = this.chosen === "";
    this.waterfall.clear();
    const [series] = this.chart.view.series;
    series.x = series.y = [];
    this.chart.refresh();
    this.choose(this.chosen);
    if (wasOn !== this.isOn) this.turn();
  }

  offer(names: string[]): void {
    if (names.join("\n") === this.names.join("\n")) return;
    this.names = names;
    const select = this.label.querySelector("select")!;
    select.replaceChildren(...["none", ...names].map((each) => element("option", {}, each)));
    // Keeps the selection.
    select.value = names.includes(this.chosen) ? this.chosen : "none";
  }

  take(row: ProbeRow, name: string): void {
    const key = `${row.stage} ${row.sequence} ${row.utc_ns}`;
    if (key === this.last || name !== this.chosen || row.values.length === 0) return;
    this.last = key;
    const scale = row.power ? "dB" : "";
    // A power of 0 is minus infinity.
    const values = row.values.map((value) => value ?? NaN).map((value) => (row.power ? 10 * Math.log10(value) : value));
    const [series] = this.chart.view.series, step = (row.last - row.first) / Math.max(1, values.length - 1);
    series.x = values.map((_, i) => row.first + i * step);
    series.y = values;
    Object.assign(this.chart.view, { x: row.unit ? `${row.x} (${row.unit})` : row.x, y: scale || "value" });
    this.chart.refresh();
    this.waterfall.scale = scale;
    this.waterfall.add(row, values);
  }
}
