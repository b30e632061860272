// The units of a SCHEDULE program and their dependencies, in states; the last unit is at the top.

import { Camera, Scene, Surface } from "./canvas";
import { colour } from "./colours";
import { UnitPath, UnitRun, UnitState } from "./data";
import { Extent } from "./graph_window";

const nodeHeight = 30;
/// Boxes of fewer pixels have neither pattern nor number.
const leastPattern = 9, leastNumber = 13;

export const stateNames: Record<UnitState, string> = {
  [UnitState.absent]: "not created", [UnitState.clear]: "waits for dependencies", [UnitState.lined]: "may start", [UnitState.hashed]: "executes",
  [UnitState.black]: "complete", [UnitState.waiting]: "waits for children",
};

export class UnitGraph implements Scene {
  readonly zooms = "both" as const;
  readonly surface: Surface;
  selected = -1;
  onSelect?: (unit: number) => void;

  private run!: UnitRun;
  private states: Uint8Array = new Uint8Array();
  private above: number[][] = [];
  private below: number[][] = [];
  private firstBend: number[] = [];
  private path?: Set<number>;
  /// The units that are shown, if not all are.
  private part?: Set<number>;
  private hovered = -1;
  private reach!: Extent;

  constructor(run: UnitRun) {
    this.load(run);
    this.surface = new Surface(this, "units");
  }

  get label(): string {
    return `Graph of ${this.run.nodes.tag.length} units and ${this.run.edges.below.length} dependencies, in the states of the chosen event. Arrow keys move along dependencies, ` +
      "+ and - zoom, 0 shows everything, s shows the subtree of a unit.";
  }

  /// Shows another run, or the same one with more units.
  load(run: UnitRun): void {
    this.run = run;
    this.above = run.nodes.tag.map(() => []);
    this.below = run.nodes.tag.map(() => []);
    run.edges.below.forEach((below, edge) => {
      this.above[below].push(run.edges.above[edge]);
      this.below[run.edges.above[edge]].push(below);
    });
    this.firstBend = [0];
    run.edges.bends.forEach((count, edge) => this.firstBend.push(this.firstBend[edge] + count));
    this.selected = this.hovered = -1;
    this.path = this.part = undefined;
    this.measure();
  }

  show(states: Uint8Array): void {
    this.states = states;
    this.surface.redraw();
  }
  showPath(path: UnitPath | undefined): void {
    this.path = path && new Set([...path.units, ...path.children]);
    this.surface.redraw();
  }
  /// The chosen unit with all below it, or all units; returns how many.
  subtree(): number {
    if (this.selected < 0) return 0;
    this.part = new Set([this.selected]);
    for (const unit of this.part) for (const each of this.below[unit]) this.part.add(each);
    this.measure();
    this.surface.seeEverything();
    return this.part.size;
  }
  whole(): void {
    this.part = undefined;
    this.measure();
    this.surface.seeEverything();
  }

  private measure(): void {
    const { nodes } = this.run, all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (let unit = 0; unit < nodes.tag.length; ++unit) {
      if (this.part && !this.part.has(unit)) continue;
      all.left = Math.min(all.left, nodes.x[unit] - nodes.width[unit] / 2);
      all.right = Math.max(all.right, nodes.x[unit] + nodes.width[unit] / 2);
      all.top = Math.min(all.top, nodes.y[unit] - nodeHeight / 2);
      all.bottom = Math.max(all.bottom, nodes.y[unit] + nodeHeight / 2);
    }
    this.reach = all.left < Infinity ? all : { left: 0, top: 0, right: 1, bottom: 1 };
  }
  /// Width and height in pixels at scale 1.
  get extentSize(): { width: number; height: number } { return { width: this.reach.right - this.reach.left, height: this.reach.bottom - this.reach.top }; }

  extent(): Extent { return this.reach; }
  everything(width: number, height: number): Camera {
    const { left, top, right, bottom } = this.reach, margin = 16;
    const k = Math.min(1.5, (width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1));
    return { x: (left + right) / 2 - width / 2 / k, y: (top + bottom) / 2 - height / 2 / k, kx: k, ky: k };
  }

  private sx(x: number): number { return (x - this.surface.camera.x) * this.surface.camera.kx; }
  private sy(y: number): number { return (y - this.surface.camera.y) * this.surface.camera.kx; }
  private isShown(unit: number): boolean { return this.states[unit] !== UnitState.absent && (!this.part || this.part.has(unit)); }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    this.drawEdges(context);
    const { nodes } = this.run, k = this.surface.camera.kx;
    for (let unit = 0; unit < nodes.tag.length; ++unit) {
      const x = this.sx(nodes.x[unit]), y = this.sy(nodes.y[unit]), w = nodes.width[unit] * k, h = nodeHeight * k;
      if (!this.isShown(unit) || x + w < 0 || x - w > width || y + h < 0 || y - h > height) continue;
      this.drawNode(context, unit, x, y, Math.max(2, w), Math.max(2, h));
    }
  }

  private drawEdges(context: CanvasRenderingContext2D): void {
    const { edges } = this.run, marked = this.hovered >= 0 ? this.hovered : this.selected;
    const draw = (isWanted: (edge: number) => boolean): void => {
      context.beginPath();
      for (let edge = 0; edge < edges.below.length; ++edge)
        if (this.isShown(edges.below[edge]) && this.isShown(edges.above[edge]) && isWanted(edge)) this.trace(context, edge);
      context.stroke();
    };
    const isOnPath = (edge: number): boolean => this.path !== undefined && this.path.has(edges.below[edge]) && this.path.has(edges.above[edge]);
    const isMarked = (edge: number): boolean => edges.below[edge] === marked || edges.above[edge] === marked;
    context.lineWidth = 1;
    context.strokeStyle = colour("muted");
    context.globalAlpha = edges.below.length > 3000 ? 0.3 : 0.8;
    draw((edge) => edges.child[edge] === 0);
    context.setLineDash([4, 3]);
    draw((edge) => edges.child[edge] === 1);
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.strokeStyle = colour("heat");
    context.lineWidth = 2;
    if (marked >= 0) draw(isMarked);
    context.strokeStyle = colour("ink");
    context.lineWidth = 3;
    if (this.path) draw(isOnPath);
    context.lineWidth = 1;
  }

  /// From the top of the lower unit to the bottom of the upper one.
  private trace(context: CanvasRenderingContext2D, edge: number): void {
    const { edges, nodes, bends } = this.run, below = edges.below[edge], above = edges.above[edge];
    let x = this.sx(nodes.x[below]), y = this.sy(nodes.y[below] - nodeHeight / 2);
    context.moveTo(x, y);
    const to = (nextX: number, nextY: number): void => {
      const half = (y + nextY) / 2;
      context.bezierCurveTo(x, half, nextX, half, nextX, nextY);
      [x, y] = [nextX, nextY];
    };
    for (let bend = this.firstBend[edge]; bend < this.firstBend[edge + 1]; ++bend) to(this.sx(bends[2 * bend]), this.sy(bends[2 * bend + 1]));
    to(this.sx(nodes.x[above]), this.sy(nodes.y[above] + nodeHeight / 2));
  }

  private drawNode(context: CanvasRenderingContext2D, unit: number, x: number, y: number, w: number, h: number): void {
    const state = this.states[unit], left = x - w / 2, top = y - h / 2, isSmall = h < leastPattern;
    context.fillStyle = colour(state === UnitState.black ? "ink" : isSmall && state === UnitState.lined ? "p4" : isSmall && state === UnitState.hashed ? "p1" : "card");
    context.fillRect(left, top, w, h);
    if (!isSmall && (state === UnitState.lined || state === UnitState.hashed)) pattern(context, left, top, w, h, state === UnitState.hashed);
    const isMarked = unit === this.selected || unit === this.hovered, isOnPath = this.path?.has(unit) ?? false;
    context.strokeStyle = colour(isMarked ? "heat" : "ink");
    context.lineWidth = isMarked ? 3 : 1;
    if (state === UnitState.waiting && !isSmall) context.setLineDash([3, 3]);
    context.strokeRect(left, top, w, h);
    context.setLineDash([]);
    // Complete units on the path would be as black as all others.
    if (isOnPath && !isSmall) {
      const gap = h < 24 ? 3 : 4;
      context.lineWidth = 0.5 * gap;
      context.strokeRect(left - gap, top - gap, w + 2 * gap, h + 2 * gap);
    }
    context.lineWidth = 1;
    if (h < leastNumber) return;
    context.font = `${Math.min(13, Math.max(10, 0.45 * h))}px system-ui, "DejaVu Sans", sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const text = String(this.run.nodes.tag[unit]), room = context.measureText(text).width + 4;
    if (room > w + 2) return;
    if (state === UnitState.lined || state === UnitState.hashed) {
      context.fillStyle = colour("card");
      context.fillRect(x - room / 2, y - 8, room, 16);
    }
    context.fillStyle = colour(state === UnitState.black ? "card" : "ink");
    context.fillText(text, x, y);
  }

  private unitAt(x: number, y: number): number {
    const { nodes } = this.run, { camera } = this.surface, wx = x / camera.kx + camera.x, wy = y / camera.kx + camera.y, slack = 4 / camera.kx;
    for (let unit = 0; unit < nodes.tag.length; ++unit)
      if (this.isShown(unit) && Math.abs(nodes.x[unit] - wx) <= nodes.width[unit] / 2 + slack && Math.abs(nodes.y[unit] - wy) <= nodeHeight / 2 + slack) return unit;
    return -1;
  }

  describe(unit: number): string {
    const { nodes } = this.run, tags = (units: number[]): string => units.slice(0, 12).map((each) => nodes.tag[each]).join(", ") + (units.length > 12 ? ", ..." : "");
    const isChild = (each: number): boolean => nodes.parent[each] === unit;
    const children = this.below[unit].filter(isChild), dependencies = this.below[unit].filter((each) => !isChild(each));
    const dependents = this.above[unit].filter((each) => each !== nodes.parent[unit]);
    return `tag ${nodes.tag[unit]}: ${stateNames[this.states[unit] as UnitState]}` + (nodes.parent[unit] >= 0 ? `\nspawned by ${nodes.tag[nodes.parent[unit]]}` : "") +
      (dependencies.length > 0 ? `\ndepends on ${tags(dependencies)}` : "") + (dependents.length > 0 ? `\nbefore ${tags(dependents)}` : "") +
      (children.length > 0 ? `\nchildren ${tags(children)}` : "") + `\n${Number(nodes.seconds[unit].toPrecision(6))} s`;
  }

  tell(x: number, y: number): string | undefined {
    const unit = this.unitAt(x, y);
    if (unit !== this.hovered) {
      this.hovered = unit;
      this.surface.redraw();
    }
    return unit >= 0 ? this.describe(unit) : undefined;
  }
  click(x: number, y: number): void { this.select(this.unitAt(x, y)); }
  select(unit: number): void {
    this.selected = unit;
    this.surface.say(unit >= 0 ? this.describe(unit).replace(/\n/g, "; ") : "");
    this.onSelect?.(unit);
    this.surface.redraw();
  }

  key(event: KeyboardEvent): boolean {
    const { nodes } = this.run;
    if (event.key === "s") {
      this.subtree();
      return true;
    }
    if (event.key === "Escape") {
      this.select(-1);
      return true;
    }
    if (!event.key.startsWith("Arrow") || event.shiftKey) return false;
    const shown = nodes.tag.map((_, unit) => unit).filter((unit) => this.isShown(unit));
    if (this.selected < 0 || !this.isShown(this.selected)) {
      if (shown.length > 0) this.select(shown[0]);
      return true;
    }
    const first = (units: number[]): number => units.find((each) => this.isShown(each)) ?? -1;
    let next = -1;
    if (event.key === "ArrowUp") next = first(this.above[this.selected]);
    if (event.key === "ArrowDown") next = first(this.below[this.selected]);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const sign = event.key === "ArrowRight" ? 1 : -1, own = this.selected;
      for (const unit of shown) {
        const distance = sign * (nodes.x[unit] - nodes.x[own]);
        if (distance > 0 && Math.abs(nodes.y[unit] - nodes.y[own]) < nodeHeight && (next < 0 || distance < sign * (nodes.x[next] - nodes.x[own]))) next = unit;
      }
    }
    if (next >= 0) this.select(next);
    return true;
  }
}

/// Horizontal lines, or crossing diagonals, within a box.
function pattern(context: CanvasRenderingContext2D, left: number, top: number, w: number, h: number, isHashed: boolean): void {
  context.save();
  context.beginPath();
  context.rect(left, top, w, h);
  context.clip();
  context.beginPath();
  context.strokeStyle = colour(isHashed ? "heat" : "ink");
  context.lineWidth = 1;
  if (isHashed)
    for (let at = -h; at < w; at += 6) {
      context.moveTo(left + at, top + h);
      context.lineTo(left + at + h, top);
      context.moveTo(left + at, top);
      context.lineTo(left + at + h, top + h);
    }
  else
    for (let at = 4; at < h; at += 4) {
      context.moveTo(left, Math.round(top + at) + 0.5);
      context.lineTo(left + w, Math.round(top + at) + 0.5);
    }
  context.stroke();
  context.restore();
}
