// The overview of a graph in a corner of its picture, with a frame around the visible part.

import { colour } from "./colours";
import { GraphView } from "./data";
import { Extent, nodeHeight } from "./graph_window";

const margin = 6, least = 30;

export class Overview {
  private readonly image = document.createElement("canvas");
  private paintedFor = "";
  /// Its position on the screen; of size 0 while hidden.
  private box = { x: 0, y: 0, width: 0, height: 0 };
  private extent: Extent = { left: 0, top: 0, right: 1, bottom: 1 };

  /// Called after changes of nodes or edges.
  forget(): void { this.paintedFor = ""; }

  /// Draws it if the window shows a small part of the graph. Narrow graphs are drawn wider than they are, flat ones higher.
  draw(context: CanvasRenderingContext2D, view: GraphView, extent: Extent, seen: Extent, width: number, height: number): void {
    const wide = extent.right - extent.left, high = extent.bottom - extent.top;
    const share = (a: number, b: number, from: number, to: number): number => Math.max(0, Math.min(b, to) - Math.max(a, from)) / (to - from || 1);
    this.box.width = 0;
    if (share(seen.left, seen.right, extent.left, extent.right) * share(seen.top, seen.bottom, extent.top, extent.bottom) > 0.7) return;
    const k = Math.min(Math.min(240, 0.45 * width) / (wide || 1), 0.35 * height / (high || 1));
    const w = Math.round(Math.max(least, wide * k)), h = Math.round(Math.max(least, high * k));
    this.extent = extent;
    this.box = { x: width - w - margin, y: height - h - margin, width: w, height: h };
    this.paint(view, w, h);
    context.fillStyle = colour("card");
    context.fillRect(this.box.x - 2, this.box.y - 2, w + 4, h + 4);
    context.drawImage(this.image, this.box.x, this.box.y, w, h);
    context.strokeStyle = colour("muted");
    context.strokeRect(this.box.x - 2, this.box.y - 2, w + 4, h + 4);
    const x = (at: number): number => this.box.x + Math.min(w, Math.max(0, (at - extent.left) / (wide || 1) * w));
    const y = (at: number): number => this.box.y + Math.min(h, Math.max(0, (at - extent.top) / (high || 1) * h));
    context.strokeStyle = colour("heat");
    context.lineWidth = 2;
    context.strokeRect(x(seen.left), y(seen.top), Math.max(4, x(seen.right) - x(seen.left)), Math.max(4, y(seen.bottom) - y(seen.top)));
    context.lineWidth = 1;
  }

  /// Paints nodes as dots of one colour, so that it need not be repainted with every state of a run.
  private paint(view: GraphView, width: number, height: number): void {
    const ratio = devicePixelRatio || 1, key = [width, height, ratio, colour("card"), view.nodes.name.length].join();
    if (this.paintedFor === key) return;
    this.paintedFor = key;
    this.image.width = Math.round(width * ratio);
    this.image.height = Math.round(height * ratio);
    const context = this.image.getContext("2d")!, { nodes } = view, { left, top, right, bottom } = this.extent;
    const kx = this.image.width / (right - left || 1), ky = this.image.height / (bottom - top || 1);
    for (const isCritical of [0, 1]) {
      context.fillStyle = colour(isCritical ? "ink" : "muted");
      context.globalAlpha = nodes.name.length > 2000 && !isCritical ? 0.4 : 0.8;
      for (let node = 0; node < nodes.name.length; ++node) {
        if (nodes.critical[node] !== isCritical) continue;
        const w = Math.max(1.5, nodes.width[node] * kx * 0.8), h = Math.max(2, Math.min(6 * ratio, nodeHeight * ky));
        context.fillRect((nodes.x[node] - left) * kx - w / 2, (nodes.y[node] - top) * ky - h / 2, w, h);
      }
    }
  }

  /// Returns the world position under a screen position within the overview.
  placeAt(x: number, y: number, isHeld = false): { x: number; y: number } | undefined {
    const { box, extent } = this;
    if (box.width === 0 || (!isHeld && (x < box.x - 2 || y < box.y - 2))) return undefined;
    return { x: extent.left + (x - box.x) / box.width * (extent.right - extent.left), y: extent.top + (y - box.y) / box.height * (extent.bottom - extent.top) };
  }
}
