// A waterfall: rows of coloured channels over time.

import { Camera, Scene, Surface, axis } from "./canvas";
import { colour, drawHeatScale, heat, missingColour, zeroColour } from "./colours";
import { WaterfallView } from "./data";
import { button, element, number, save } from "./text";

const left = 72, top = 8, bottom = 40, right = 96;
/// Cells without a value (data.ts).
const zero = 254, missing = 255;

export class Waterfall implements Scene {
  readonly zooms = "none" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  private readonly cells: Uint8Array;
  private readonly image: HTMLCanvasElement;
  /// The kinds of cells that occur.
  private readonly has: { values: boolean; zeros: boolean; missing: boolean };

  constructor(readonly view: WaterfallView, height = 420) {
    this.cells = Uint8Array.from(atob(view.cells), (letter) => letter.charCodeAt(0));
    this.has = { values: this.cells.some((cell) => cell < zero), zeros: this.cells.includes(zero), missing: this.cells.includes(missing) };
    this.label = `${view.name}: ${view.rows} rows of ${view.columns} values, ` + (!this.has.values ? this.has.zeros ? "all 0" : "all missing"
      : view.least === view.most ? `all ${this.text(view.least)}` : `from ${this.text(view.least)} to ${this.text(view.most)}`);
    this.image = this.paint();
    this.surface = new Surface(this, "waterfall");
    this.surface.root.style.height = `${height}px`;
    this.root = element("div", {}, element("div", { class: "controls" }, button("PNG", "This picture", () => this.surface.picture((blob) => blob && save("waterfall.png", blob)))), this.surface.root);
  }

  private paint(): HTMLCanvasElement {
    const canvas = document.createElement("canvas"), { rows, columns } = this.view;
    canvas.width = Math.max(1, columns);
    canvas.height = Math.max(1, rows);
    const context = canvas.getContext("2d")!, data = context.createImageData(canvas.width, canvas.height);
    const table = [...Array.from({ length: zero }, (_, i) => [...heat(i / (zero - 1)), 255]), zeroColour, missingColour];
    for (let i = 0; i < rows * columns; ++i) data.data.set(table[this.cells[i]], 4 * i);
    context.putImageData(data, 0, 0);
    return canvas;
  }

  private text(value: number): string { return number(value) + (this.view.unit ? " " + this.view.unit : ""); }

  everything(): Camera { return { x: 0, y: 0, kx: 1, ky: 1 }; }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { view } = this, w = width - left - right, h = height - top - bottom;
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = view.columns > w || view.rows > h;
    context.drawImage(this.image, left, top, w, h);
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    context.textAlign = "center";
    const low = Math.min(view.first_x, view.last_x), high = Math.max(view.first_x, view.last_x);
    const across = axis(view.x, low, high, w / 100), down = axis(view.y, view.first_y, view.last_y, h / 45);
    for (const [mark, text] of across.marks) context.fillText(text, left + (mark - view.first_x) / (view.last_x - view.first_x) * w, height - bottom + 12);
    context.fillText(across.title, left + w / 2, height - 9);
    context.textAlign = "right";
    for (const [mark, text] of down.marks) context.fillText(text, left - 6, top + (mark - view.first_y) / (view.last_y - view.first_y) * h);
    context.save();
    context.translate(11, top + h / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(down.title, 0, 0);
    context.restore();
    drawHeatScale(context, width - right + 12, top, h, view.least, view.most, view.unit, this.has);
  }

  tell(x: number, y: number): string | undefined {
    const { width, height } = this.surface.size, { view } = this;
    const column = Math.floor((x - left) / (width - left - right) * view.columns), row = Math.floor((y - top) / (height - top - bottom) * view.rows);
    if (column < 0 || row < 0 || column >= view.columns || row >= view.rows) return undefined;
    const cell = this.cells[row * view.columns + column];
    const value = cell === missing ? "missing" : cell === zero ? "0: no power" : this.text(view.least + (view.most - view.least) * cell / (zero - 1));
    return `${view.x}: ${number(view.first_x + (column + 0.5) / view.columns * (view.last_x - view.first_x))}\n` +
      `${view.y}: ${number(view.first_y + (row + 0.5) / view.rows * (view.last_y - view.first_y))}\n${value}`;
  }
}
