// A waterfall: rows of channels over time, a colour each.

import { Camera, Scene, Surface, marks } from "./canvas";
import { colour, heat, heatColour } from "./colours";
import { WaterfallView } from "./data";
import { button, element, number, save } from "./text";

const left = 72, top = 8, bottom = 40, right = 84;

export class Waterfall implements Scene {
  readonly zooms = "none" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  private readonly cells: Uint8Array;
  private readonly image: HTMLCanvasElement;

  constructor(readonly view: WaterfallView, height = 420) {
    this.label = `${view.name}: ${view.rows} rows of ${view.columns} values from ${number(view.least)} to ${number(view.most)}`;
    this.cells = Uint8Array.from(atob(view.cells), (letter) => letter.charCodeAt(0));
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
    const table = Array.from({ length: 255 }, (_, i) => heat(i / 254));
    for (let i = 0; i < rows * columns; ++i) {
      const [r, g, b] = this.cells[i] === 255 ? [150, 150, 150] : table[this.cells[i]];
      data.data.set([r, g, b, this.cells[i] === 255 ? 90 : 255], 4 * i);
    }
    context.putImageData(data, 0, 0);
    return canvas;
  }

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
    for (const mark of marks(low, high, w / 100))
      context.fillText(number(Number(mark.toPrecision(12))), left + (mark - view.first_x) / (view.last_x - view.first_x) * w, height - bottom + 12);
    context.fillText(view.x, left + w / 2, height - 9);
    context.textAlign = "right";
    for (const mark of marks(view.first_y, view.last_y, h / 45))
      context.fillText(number(Number(mark.toPrecision(12))), left - 6, top + (mark - view.first_y) / (view.last_y - view.first_y) * h);
    context.save();
    context.translate(11, top + h / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(view.y, 0, 0);
    context.restore();
    for (let i = 0; i < h; ++i) {
      context.fillStyle = heatColour(1 - i / h);
      context.fillRect(width - right + 12, top + i, 14, 1.5);
    }
    context.fillStyle = colour("muted");
    context.textAlign = "left";
    for (let i = 0; i <= 4; ++i) context.fillText(number(view.least + (view.most - view.least) * i / 4), width - right + 30, top + 6 + (h - 12) * (1 - i / 4));
  }

  tell(x: number, y: number): string | undefined {
    const { width, height } = this.surface.size, { view } = this;
    const column = Math.floor((x - left) / (width - left - right) * view.columns), row = Math.floor((y - top) / (height - top - bottom) * view.rows);
    if (column < 0 || row < 0 || column >= view.columns || row >= view.rows) return undefined;
    const cell = this.cells[row * view.columns + column];
    const value = cell === 255 ? "missing" : number(view.least + (view.most - view.least) * cell / 254);
    return `${view.x}: ${number(view.first_x + (column + 0.5) / view.columns * (view.last_x - view.first_x))}\n` +
      `${view.y}: ${number(view.first_y + (row + 0.5) / view.rows * (view.last_y - view.first_y))}\n${value}`;
  }
}
