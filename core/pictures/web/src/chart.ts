// Charts of lines, dots and steps over two axes.

import { Camera, Scene, Surface, axis, logAxis, rounding } from "./canvas";
import { colour, seriesColour } from "./colours";
import { ChartView, Series } from "./data";
import { axisUnit, button, element, number, save, shortened } from "./text";

const leastLeft = 72, edge = 12, right = 16;
/// Space left of the marks: the axis' vertical title, and a gap.
const margin = 30;
/// Height above the curves for each outlier.
const aboveHeight = 20;
/// Height below the axis: its marks and its title.
const bottom = 40;

/// Lines of one colour are also distinguished by their dashes.
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
function dashesOf(index: number): number[] { return dashes[index === 0 ? 0 : 1 + (index - 1) % 3]; }

/// Returns a sample of a series for the legend.
function legendKey(index: number, style: Series["style"], hasMark = true): SVGElement {
  const draw = (name: string, attributes: Record<string, string | number>): SVGElement => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const each of Object.keys(attributes)) made.setAttribute(each, String(attributes[each]));
    return made;
  };
  const key = draw("svg", { class: "series-key", width: 26, height: 12, "aria-hidden": "true" }), stroke = `var(--c${index % 7 < 6 ? index % 7 : 7})`;
  if (style !== "dots") key.append(draw("line", { x1: 0, y1: 6, x2: 26, y2: 6, "stroke-width": 2, "stroke-dasharray": style === "line" ? dashesOf(index).join(" ") : "" }));
  if (hasMark) key.append(index % 3 === 0 ? draw("circle", { cx: 13, cy: 6, r: 3.5 }) : draw("path", { d: index % 3 === 1 ? "M9.5 2.5h7v7h-7z" : "M13 2.5l3.5 7h-7z" }));
  key.style.fill = key.style.stroke = stroke;
  return key;
}

export class Chart implements Scene {
  readonly zooms = "x" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  private hovered?: { series: number; point: number };
  private readonly legendBox: HTMLElement;
  /// The text for an empty chart.
  nothing = "no values";
  /// A marked time.
  cursor = NaN;
  /// Outliers by series: displayed as text at the upper edge, since an axis that includes them would flatten all other
  /// values.
  private above = new Map<number, number>();

  constructor(readonly view: ChartView, height = 360, isSmall = false) {
    for (const series of view.series) {
      series.y = series.y.map((value, i) => (value === null || (view.log && !(value > 0 && series.x[i] > 0)) ? NaN : value));
      for (const i of series.zeros ?? []) series.y[i] = -Infinity;
    }
    this.label = `${view.name}: chart of ${view.series.map((series) => series.name).join(", ")} over ${view.x}. Arrow keys move from point to point.`;
    this.surface = new Surface(this, "chart");
    this.surface.root.style.height = `${height}px`;
    this.legendBox = element("p", { class: "legend" });
    const bar = element("div", { class: "controls" }, button("-", "Zoom out (-)", () => this.surface.zoom(1 / 1.5)), button("+", "Zoom in (+)", () => this.surface.zoom(1.5)),
                        button("all", "Show everything (0)", () => this.surface.seeEverything()), button("CSV", "All points as a table", () => save("chart.csv", this.csv(), "text/csv")),
                        button("PNG", "This picture", () => this.surface.picture((blob) => blob && save("chart.png", blob))));
    this.root = element("div", {}, ...(isSmall ? [] : [bar]), this.surface.root, this.legendBox);
    this.showLegend();
  }

  private showLegend(): void {
    const names = this.view.series.length > 1 ? this.view.series : [];
    // A series with the colour of another one has no legend entry.
    this.legendBox.replaceChildren(...names.flatMap((series, i) => series.of !== undefined ? [] : [element("span", { class: "entry" }, legendKey(this.lookOf(i), series.style, !this.isBare(i)), series.name + (this.above.has(i) ? `: ${this.aboveText(i)}, far above the others` : "")), " "]));
  }
  /// The index that determines colour, dashes and marks.
  private lookOf(index: number): number { return this.view.series[index].of ?? index; }
  /// Lines without marks: models next to measurements, which could be confused with dots.
  private isBare(index: number): boolean { return this.view.series[index].style === "line" && this.view.log === true; }

  /// Draws new points of the same series.
  refresh(): void {
    this.surface.grow();
  }

  /// Displays a series' value beyond the axis at its upper edge; none if undefined.
  tellAbove(series: number, value: number | undefined): void {
    const before = this.above.get(series);
    if (value === before) return;
    if (value === undefined) this.above.delete(series);
    else this.above.set(series, value);
    this.showLegend();
    this.surface.redraw();
  }

  private reach(): [number, number, number, number] {
    let [x1, x2, y1, y2] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const series of this.view.series)
      for (let i = 0; i < series.x.length; ++i) {
        if (!isFinite(series.y[i])) continue;
        x1 = Math.min(x1, this.at(series.x[i]));
        x2 = Math.max(x2, this.at(series.x[i]));
        y1 = Math.min(y1, this.at(series.y[i]));
        y2 = Math.max(y2, this.at(series.y[i]));
      }
    if (!(x2 >= x1)) return [0, 1, 0, 1];
    if (this.view.log) return [x1, x2, y1 - (y2 - y1) * 0.04 - 0.02, y2 + (y2 - y1) * 0.04 + 0.02];
    // Values that differ by rounding only are one value, with an axis of that size.
    const isOne = (a: number, b: number): boolean => b - a <= rounding * Math.max(Math.abs(a), Math.abs(b));
    if (isOne(x1, x2)) x2 = x1;
    if (isOne(y1, y2)) y2 = y1;
    // The axis of positive values begins at 0 unless they are far from it; 0 decibels are not zero.
    if (y1 > 0 && y1 < 0.7 * y2 && this.view.y !== "decibels" && this.view.y !== "dB") y1 = 0;
    // Percentages are displayed up to 100.
    if (this.view.y === "%" && y1 >= 0 && y2 < 110) return [x1, x2, 0, Math.max(100, y2)];
    const slack = (y2 - y1) * 0.06 || Math.abs(y2) * 0.1 || 1;
    return [x1, x2, y1 === 0 ? 0 : y1 - slack, y2 + slack];
  }

  everything(width: number): Camera {
    // A single value is in the centre of a fifth of itself, so that frequencies do not extend below 0.
    const [x1, x2] = this.reach(), single = Math.abs(x1) * 0.2 || 1, span = (x2 - x1) * 1.04 || single, kx = (width - this.left - right) / span;
    return { x: x1 - (x2 === x1 ? single / 2 : (x2 - x1) * 0.02) - this.left / kx, y: 0, kx, ky: 1 };
  }

  /// The positions of the axes: marks and notes have their own space.
  private left = leastLeft;
  private get top(): number { return edge + this.above.size * aboveHeight; }
  private low = 0;
  private high = 1;
  private height = 1;
  /// Returns a value's position on its axis.
  private at(value: number): number { return this.view.log ? Math.log10(value) : value; }
  private sx(x: number): number { return (this.at(x) - this.surface.camera.x) * this.surface.camera.kx; }
  private sy(y: number): number { return y === -Infinity ? this.height - bottom : this.height - bottom - (this.at(y) - this.low) / (this.high - this.low) * (this.height - bottom - this.top); }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    this.height = height;
    this.surface.camera.y = 0;
    [, , this.low, this.high] = this.reach();
    this.makeRoom(context, height);
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    if (!this.view.series.some((series) => series.y.some((value) => isFinite(value)))) return this.sayNothing(context, width, height);
    const from = this.surface.camera.x + this.left / this.surface.camera.kx, to = this.surface.camera.x + (width - right) / this.surface.camera.kx;
    this.drawAxes(context, from, to, width, height);
    context.save();
    context.beginPath();
    context.rect(this.left, 0, width - this.left - right + 2, height - bottom + 2);
    context.clip();
    this.view.series.forEach((_, i) => this.drawSeries(context, i, from, to));
    if (isFinite(this.cursor)) {
      context.fillStyle = colour("heat");
      context.fillRect(this.sx(this.cursor), this.top, 2, height - this.top - bottom);
    }
    context.restore();
    this.drawAbove(context, width);
    if (this.hovered) {
      const series = this.view.series[this.hovered.series];
      context.strokeStyle = colour("heat");
      context.lineWidth = 2;
      context.beginPath();
      context.arc(this.sx(series.x[this.hovered.point]), this.sy(series.y[this.hovered.point]), 6, 0, 7);
      context.stroke();
      context.lineWidth = 1;
    }
  }

  /// Wide marks move the axis to the right, so that its title does not overlap them.
  private makeRoom(context: CanvasRenderingContext2D, height: number): void {
    const { marks } = (this.view.log ? logAxis : axis)(this.view.y, this.low, this.high, (height - this.top - bottom) / 45);
    const needed = Math.max(leastLeft, ...marks.map(([, text]) => Math.ceil(context.measureText(text).width) + margin));
    if (needed === this.left) return;
    this.surface.camera.x += (this.left - needed) / this.surface.camera.kx;
    this.left = needed;
    this.surface.showAllAgain();
  }

  /// Without values, an axis would be arbitrary.
  private sayNothing(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = colour("muted");
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(this.nothing, width / 2, height / 2);
  }

  private aboveText(series: number): string { return `${number(this.above.get(series)!)} ${this.view.y}`; }

  private drawAbove(context: CanvasRenderingContext2D, width: number): void {
    let y = edge + 2;
    for (const index of this.above.keys()) {
      context.strokeStyle = context.fillStyle = seriesColour(index);
      context.setLineDash(dashesOf(index));
      context.lineWidth = 1.6;
      context.beginPath();
      context.moveTo(this.left, y);
      context.lineTo(width - right, y);
      context.stroke();
      context.setLineDash([]);
      context.lineWidth = 1;
      context.fillStyle = colour("ink");
      context.textAlign = "right";
      context.textBaseline = "top";
      context.fillText(shortened(context, `${this.view.series[index].name}: ${this.aboveText(index)}`, width - this.left - right - 14), width - right - 14, y + 4);
      context.beginPath();
      context.moveTo(width - right - 9, y + 14);
      context.lineTo(width - right - 5, y + 5);
      context.lineTo(width - right - 1, y + 14);
      context.fill();
      y += 20;
    }
  }

  private drawAxes(context: CanvasRenderingContext2D, from: number, to: number, width: number, height: number): void {
    context.textBaseline = "middle";
    const marked = this.view.log ? logAxis : axis;
    const across = marked(this.view.x, from, to, (width - this.left) / 100), up = marked(this.view.y, this.low, this.high, (height - this.top - bottom) / 45);
    for (const [mark, text] of across.marks) {
      context.fillStyle = colour("grid");
      context.fillRect(Math.round(this.sx(mark)), this.top, 1, height - this.top - bottom);
      context.fillStyle = colour("muted");
      context.textAlign = "center";
      context.fillText(text, this.sx(mark), height - bottom + 12);
    }
    for (const [mark, text] of up.marks) {
      context.fillStyle = colour("grid");
      context.fillRect(this.left, Math.round(this.sy(mark)), width - this.left - right, 1);
      context.fillStyle = colour("muted");
      context.textAlign = "right";
      context.fillText(text, this.left - 6, this.sy(mark));
    }
    context.textAlign = "center";
    context.fillText(across.title, (this.left + width - right) / 2, height - 9);
    context.save();
    context.translate(11, (this.top + height - bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(up.title, 0, 0);
    context.restore();
  }

  private drawSeries(context: CanvasRenderingContext2D, index: number, from: number, to: number): void {
    const { style, x, y } = this.view.series[index], look = this.lookOf(index);
    context.strokeStyle = context.fillStyle = seriesColour(look);
    context.lineWidth = 1.6;
    context.setLineDash(style === "line" ? dashesOf(look) : []);
    if (style === "dots") {
      for (let i = 0; i < x.length; ++i) {
        if (this.at(x[i]) < from || this.at(x[i]) > to || isNaN(y[i])) continue;
        this.mark(context, look, this.sx(x[i]), this.sy(y[i]), look === index ? 4.5 : 3);
      }
    } else {
      context.beginPath();
      let isDown = false;
      let column = NaN, least = 0, most = 0;
      for (let i = 0; i < x.length; ++i) {
        if (isNaN(y[i])) {
          isDown = false;
          continue;
        }
        if (this.at(x[i + 1] ?? Infinity) < from || this.at(x[i - 1] ?? (this.view.log ? 0 : -Infinity)) > to) continue;
        const px = this.sx(x[i]), py = this.sy(y[i]);
        // Of many points in one pixel column only the extremes are drawn.
        if (isDown && Math.floor(px) === column && (style === "line" || x.length > 20000)) {
          if (py < least || py > most) context.lineTo(px, py);
          least = Math.min(least, py);
          most = Math.max(most, py);
          continue;
        }
        if (isDown && style === "steps") context.lineTo(px, this.sy(y[i - 1]));
        if (isDown) context.lineTo(px, py);
        else context.moveTo(px, py);
        [isDown, column, least, most] = [true, Math.floor(px), py, py];
      }
      context.stroke();
      if (x.length < 60 && !this.isBare(index)) for (let i = 0; i < x.length; ++i) if (!isNaN(y[i]) && this.at(x[i]) >= from && this.at(x[i]) <= to) this.mark(context, index, this.sx(x[i]), this.sy(y[i]), 2.5);
    }
    context.setLineDash([]);
    context.lineWidth = 1;
  }
  /// Series differ in form, not only in colour.
  private mark(context: CanvasRenderingContext2D, index: number, x: number, y: number, r = 4.5): void {
    context.beginPath();
    if (index % 3 === 0) context.arc(x, y, r, 0, 7);
    else if (index % 3 === 1) context.rect(x - r, y - r, 2 * r, 2 * r);
    else {
      context.moveTo(x, y - r);
      context.lineTo(x + r, y + r);
      context.lineTo(x - r, y + r);
    }
    context.fill();
  }

  private describe(series: number, point: number): string {
    const each = this.view.series[series];
    const value = each.y[point], x = axisUnit(this.view.x, Math.abs(each.x[point])), y = axisUnit(this.view.y, Math.abs(value));
    const says = value === -Infinity ? "none (0)" : isNaN(value) ? "missing" : number(value / y.size);
    return `${each.name}\n${x.title}: ${Number((each.x[point] / x.size).toPrecision(9))}\n${y.title}: ${says}` + (each.says?.[point] ? "\n" + each.says[point] : "");
  }

  tell(x: number, y: number): string | undefined {
    let nearest = 30, found: typeof this.hovered;
    this.view.series.forEach((series, s) => {
      for (let i = 0; i < series.x.length; ++i) {
        const distance = Math.hypot(this.sx(series.x[i]) - x, (this.sy(series.y[i]) - y) * 0.5);
        if (distance < nearest) [nearest, found] = [distance, { series: s, point: i }];
      }
    });
    this.hovered = found;
    this.surface.redraw();
    return found && this.describe(found.series, found.point);
  }

  key(event: KeyboardEvent): boolean {
    if (!event.key.startsWith("Arrow") || event.shiftKey || this.view.series.length === 0) return false;
    const at = this.hovered ?? { series: 0, point: -1 }, count = this.view.series.length;
    if (event.key === "ArrowUp") at.series = (at.series + count - 1) % count;
    if (event.key === "ArrowDown") at.series = (at.series + 1) % count;
    const last = this.view.series[at.series].x.length - 1;
    at.point = Math.min(last, Math.max(0, at.point + (event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0)));
    if (last < 0) return true;
    this.hovered = at;
    this.surface.say(this.describe(at.series, at.point).replace(/\n/g, "; "));
    this.surface.redraw();
    return true;
  }

  private csv(): string {
    return "series,x,y\n" + this.view.series.map((series) => series.x.map((x, i) => `${series.name},${x},${series.y[i]}\n`).join("")).join("");
  }
}
