// A mesh whose cells have the colours of their processors, in one of several partitions.

import { Camera, Scene, Surface } from "./canvas";
import { colour, paleColour } from "./colours";
import { ColumnKind, MeshView } from "./data";
import { table } from "./table";
import { button, choice, element, save } from "./text";

/// Least sizes of a cell, in pixels: for its shape, its outline, and its processor's name.
const leastShape = 3, leastOutline = 5, leastName = 24, margin = 12;
/// Browsers take more than proportional time for paths of more lines.
const mostAtOnce = 200;

interface Box { left: number; top: number; right: number; bottom: number }

export class MeshPicture implements Scene {
  readonly zooms = "both" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  private shown: MeshView["partitions"][number];
  private selected = -1;
  private hovered = -1;
  /// By cell, the index of its first corner.
  private readonly first: number[] = [0];
  /// Centres and boxes of the cells; y grows downwards.
  private readonly x: number[] = [];
  private readonly y: number[] = [];
  private readonly boxes: Box[] = [];
  private readonly all: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  private readonly neighbours: number[][];
  /// Mean and least width of a cell, and the width of a square of the raster.
  private readonly size: number;
  private least = Infinity;
  private readonly square: number;
  /// Cells by the squares of a raster that their boxes touch.
  private readonly raster = new Map<string, number[]>();
  /// Cells by processor, and the one with its name if cells are small.
  private cells: number[][] = [];
  private names: number[] = [];
  private readonly figures = element("div");
  private readonly says = element("p", { class: "legend" });

  constructor(private readonly view: MeshView) {
    const { corners, cells, sides, partitions } = view;
    this.shown = partitions[0];
    cells.count.forEach((count, cell) => {
      this.first.push(this.first[cell] + count);
      const own = this.cornersOf(cell), x = own.map((corner) => corners.x[corner]), y = own.map((corner) => -corners.y[corner]);
      const mean = (values: number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
      this.x.push(mean(x));
      this.y.push(mean(y));
      this.boxes.push({ left: Math.min(...x), top: Math.min(...y), right: Math.max(...x), bottom: Math.max(...y) });
    });
    for (const box of this.boxes) {
      this.least = Math.min(this.least, box.right - box.left, box.bottom - box.top);
      this.all.left = Math.min(this.all.left, box.left);
      this.all.top = Math.min(this.all.top, box.top);
      this.all.right = Math.max(this.all.right, box.right);
      this.all.bottom = Math.max(this.all.bottom, box.bottom);
    }
    this.size = this.boxes.reduce((sum, box) => sum + Math.min(box.right - box.left, box.bottom - box.top), 0) / this.boxes.length || 1;
    // As many squares as cells, since cells may differ a lot in size.
    this.square = Math.max(this.all.right - this.all.left, this.all.bottom - this.all.top) / Math.ceil(Math.sqrt(this.boxes.length)) || 1;
    this.boxes.forEach((box, cell) => this.squares(box).forEach((key) => {
      const list = this.raster.get(key);
      if (list) list.push(cell);
      else this.raster.set(key, [cell]);
    }));
    this.neighbours = cells.count.map(() => []);
    sides.a.forEach((a, side) => {
      this.neighbours[a].push(sides.b[side]);
      this.neighbours[sides.b[side]].push(a);
    });
    this.label = `${view.name}: ${cells.count.length} cells on ${partitions[0].load.length} processors. ` +
      "Arrow keys move from cell to cell, + and - zoom, 0 shows everything.";
    this.surface = new Surface(this, "mesh");
    const wide = this.all.right - this.all.left, high = this.all.bottom - this.all.top;
    Object.assign(this.surface.root.style, { aspectRatio: `${wide + 0.05 * high} / ${1.1 * high || wide}`, minHeight: "220px", maxHeight: "min(620px, 75vh)" });
    this.root = element("div", {}, element("div", { class: "controls" },
      choice("Partition", partitions.map((each) => each.name), (chosen) => this.show(partitions.find((each) => each.name === chosen)!)),
      button("-", "Zoom out (-)", () => this.surface.zoom(1 / 1.5)), button("+", "Zoom in (+)", () => this.surface.zoom(1.5)),
      button("all", "Show everything (0)", () => this.surface.seeEverything()),
      button("PNG", "This picture", () => this.surface.picture((blob) => blob && save("mesh.png", blob)))),
      this.surface.root, this.says, this.figures);
    this.show(this.shown);
  }

  private cornersOf(cell: number): number[] { return this.view.cells.corners.slice(this.first[cell], this.first[cell + 1]); }
  private squares({ left, top, right, bottom }: Box): string[] {
    const at = (value: number): number => Math.floor(value / this.square), found: string[] = [];
    for (let i = at(left); i <= at(right); ++i) for (let j = at(top); j <= at(bottom); ++j) found.push(`${i},${j}`);
    return found;
  }

  private show(partition: MeshView["partitions"][number]): void {
    this.shown = partition;
    this.cells = partition.load.map(() => []);
    partition.owner.forEach((owner, cell) => this.cells[owner].push(cell));
    this.names = this.cells.map((own) => this.roomiest(own));
    this.says.textContent = partition.says;
    const rows = partition.load.map((load, processor) => [`P${processor}`, String(load), String(partition.cut[processor]), String(partition.sent[processor]), String(partition.partners[processor])]);
    this.figures.replaceChildren(table({ kind: "table", name: "Processors", says: "", columns: ["processor", "cells", "cut sides", "values sent", "partners"],
      numbers: [ColumnKind.text, ColumnKind.number, ColumnKind.number, ColumnKind.number, ColumnKind.number], rows }));
    this.surface.redraw();
  }
  /// Returns the largest cell of a processor, of equal ones that nearest to the middle of all; -1 if it has none.
  private roomiest(own: number[]): number {
    const x = own.reduce((sum, cell) => sum + this.x[cell], 0) / own.length, y = own.reduce((sum, cell) => sum + this.y[cell], 0) / own.length;
    const distance = (cell: number): number => Math.hypot(this.x[cell] - x, this.y[cell] - y);
    const width = (cell: number): number => Math.min(this.boxes[cell].right - this.boxes[cell].left, this.boxes[cell].bottom - this.boxes[cell].top);
    const isBetter = (cell: number, best: number): boolean => best < 0 || width(cell) > width(best) || (width(cell) === width(best) && distance(cell) < distance(best));
    return own.reduce((best, cell) => (isBetter(cell, best) ? cell : best), -1);
  }

  extent(): Box { return this.all; }
  everything(width: number, height: number): Camera {
    const { left, top, right, bottom } = this.all;
    const k = Math.min((width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1));
    return { x: (left + right) / 2 - width / 2 / k, y: (top + bottom) / 2 - height / 2 / k, kx: k, ky: k };
  }
  private sx(x: number): number { return (x - this.surface.camera.x) * this.surface.camera.kx; }
  private sy(y: number): number { return (y - this.surface.camera.y) * this.surface.camera.kx; }

  private trace(context: CanvasRenderingContext2D, cell: number): void {
    const { corners, cells } = this.view;
    for (let i = this.first[cell]; i < this.first[cell + 1]; ++i) {
      const corner = cells.corners[i], x = this.sx(corners.x[corner]), y = this.sy(-corners.y[corner]);
      if (i === this.first[cell]) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.closePath();
  }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    const isVisible = (cell: number): boolean => {
      const box = this.boxes[cell];
      return this.sx(box.right) >= 0 && this.sx(box.left) <= width && this.sy(box.bottom) >= 0 && this.sy(box.top) <= height;
    };
    const size = this.size * this.surface.camera.kx;
    this.cells.forEach((own, processor) => {
      context.fillStyle = context.strokeStyle = paleColour(processor);
      if (size < leastShape) return own.forEach((cell) => isVisible(cell) && this.fillBox(context, cell));
      // Without outlines, lines of the same colour close the gaps between cells.
      if (size >= leastOutline) context.strokeStyle = colour("grid");
      this.inParts(context, own.filter(isVisible), (cell) => this.trace(context, cell), () => {
        context.fill();
        context.stroke();
      });
    });
    this.drawCut(context, Math.min(2.5, Math.max(1, size / 8)));
    this.drawNames(context, isVisible);
    for (const cell of [this.selected, this.hovered]) {
      if (cell < 0) continue;
      context.beginPath();
      this.trace(context, cell);
      context.strokeStyle = colour("heat");
      context.lineWidth = 2.5;
      context.stroke();
      context.lineWidth = 1;
    }
  }
  private fillBox(context: CanvasRenderingContext2D, cell: number): void {
    const { left, top, right, bottom } = this.boxes[cell], k = this.surface.camera.kx;
    context.fillRect(this.sx(left), this.sy(top), (right - left) * k + 0.5, (bottom - top) * k + 0.5);
  }
  private inParts(context: CanvasRenderingContext2D, items: number[], trace: (item: number) => void, draw: () => void): void {
    for (let i = 0; i < items.length; i += mostAtOnce) {
      context.beginPath();
      for (const item of items.slice(i, i + mostAtOnce)) trace(item);
      draw();
    }
  }
  private drawCut(context: CanvasRenderingContext2D, width: number): void {
    const { corners, sides } = this.view, { owner } = this.shown, cut: number[] = [];
    sides.a.forEach((a, side) => owner[a] !== owner[sides.b[side]] && cut.push(side));
    context.strokeStyle = colour("ink");
    context.lineWidth = width;
    this.inParts(context, cut, (side) => {
      context.moveTo(this.sx(corners.x[sides.from[side]]), this.sy(-corners.y[sides.from[side]]));
      context.lineTo(this.sx(corners.x[sides.to[side]]), this.sy(-corners.y[sides.to[side]]));
    }, () => context.stroke());
    context.lineWidth = 1;
  }
  /// Names each cell's processor if all cells have room for that, otherwise each processor once.
  private drawNames(context: CanvasRenderingContext2D, isVisible: (cell: number) => boolean): void {
    context.fillStyle = colour("ink");
    context.textAlign = "center";
    context.textBaseline = "middle";
    const write = (cell: number): void => context.fillText(`P${this.shown.owner[cell]}`, this.sx(this.x[cell]), this.sy(this.y[cell]));
    if (this.least * this.surface.camera.kx >= leastName) return this.x.forEach((_, cell) => isVisible(cell) && write(cell));
    context.font = `600 16px system-ui, "DejaVu Sans", sans-serif`;
    const named: number[] = [], isNear = (a: number, b: number): boolean => Math.abs(this.x[a] - this.x[b]) * this.surface.camera.kx < 34 && Math.abs(this.y[a] - this.y[b]) * this.surface.camera.ky < 20;
    for (const cell of this.names) {
      if (cell < 0 || named.some((each) => isNear(each, cell))) continue;
      named.push(cell);
      write(cell);
    }
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
  }

  /// Returns the cell at a place of the mesh; -1 if there is none.
  private cellIn(x: number, y: number): number {
    const { corners } = this.view;
    for (const cell of this.raster.get(this.squares({ left: x, top: y, right: x, bottom: y })[0]) ?? []) {
      let isInside = false;
      const own = this.cornersOf(cell);
      own.forEach((to, i) => {
        const from = own[(i + own.length - 1) % own.length], y1 = -corners.y[from], y2 = -corners.y[to];
        if ((y1 > y) !== (y2 > y) && x < corners.x[from] + (y - y1) / (y2 - y1) * (corners.x[to] - corners.x[from])) isInside = !isInside;
      });
      if (isInside) return cell;
    }
    return -1;
  }
  private cellAt(x: number, y: number): number {
    const { camera } = this.surface;
    return this.cellIn(x / camera.kx + camera.x, y / camera.kx + camera.y);
  }

  private describe(cell: number): string {
    const { columns } = this.view, { owner } = this.shown;
    const name = columns > 0 ? `row ${Math.floor(cell / columns)}, column ${cell % columns}` : `cell ${cell}`;
    const others = [...new Set(this.neighbours[cell].map((each) => owner[each]))].filter((each) => each !== owner[cell]).sort((a, b) => a - b);
    return `${name}\non P${owner[cell]}` + (others.length > 0 ? `\nneighbours on ${others.map((each) => `P${each}`).join(", ")}` : "");
  }
  tell(x: number, y: number): string | undefined {
    const cell = this.cellAt(x, y);
    if (cell !== this.hovered) {
      this.hovered = cell;
      this.surface.redraw();
    }
    return cell >= 0 ? this.describe(cell) : undefined;
  }
  click(x: number, y: number): void { this.select(this.cellAt(x, y)); }
  private select(cell: number): void {
    this.selected = cell;
    this.surface.say(cell >= 0 ? this.describe(cell).replace(/\n/g, "; ") : "");
    this.surface.redraw();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "Escape") return this.select(-1), true;
    const direction = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as Record<string, [number, number]>)[event.key];
    if (!direction || event.shiftKey) return false;
    if (this.selected < 0) return this.select(0), true;
    // The neighbour whose centre is most in that direction.
    let next = -1, most = 0.1;
    for (const cell of this.neighbours[this.selected]) {
      const dx = this.x[cell] - this.x[this.selected], dy = this.y[cell] - this.y[this.selected];
      const share = (dx * direction[0] + dy * direction[1]) / (Math.hypot(dx, dy) || 1);
      if (share > most) [next, most] = [cell, share];
    }
    if (next >= 0) this.select(next);
    return true;
  }
}
