// Labels of edges with their data sizes or loads, as far as they fit.

import { colour } from "./colours";
import type { Graph } from "./graph";
import { leastLetters, nodeHeight } from "./graph_window";

export function drawSizes(graph: Graph, context: CanvasRenderingContext2D, visible: number[]): void {
  const { view, firstBend } = graph, { edges, nodes } = view;
  context.fillStyle = colour("muted");
  context.strokeStyle = colour("card");
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.font = `${leastLetters}px system-ui, "DejaVu Sans", sans-serif`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const taken: [number, number, number, number][] = [];
  // The nodes joined by the edge, whose boxes are drawn later.
  let ends: number[] = [];
  // Writes unless another size is in the way; returns whether it fitted.
  const write = (text: string, x: number, y: number): boolean => {
    const width = context.measureText(text).width, left = context.textAlign === "left" ? x : context.textAlign === "right" ? x - width : x - width / 2;
    if (taken.some(([l, t, r, b]) => left < r + 2 && l < left + width + 2 && y - leastLetters / 2 < b && t < y + leastLetters / 2)) return false;
    if (ends.some((node) => left < graph.sx(nodes.x[node] + nodes.width[node] / 2) && left + width > graph.sx(nodes.x[node] - nodes.width[node] / 2) &&
        Math.abs(y - graph.sy(nodes.y[node])) < (nodeHeight * graph.surface.camera.kx + leastLetters) / 2)) return false;
    taken.push([left, y - leastLetters / 2, left + width, y + leastLetters / 2]);
    // A background hides the lines behind it.
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
    return true;
  };
  for (const edge of visible) {
    // For an edge over several layers, on its first piece.
    const [a, b] = [edges.from[edge], edges.to[edge]], bend = edges.bends[edge] > 0 && view.what === "tasks" ? firstBend[edge] : -1;
    const toX = bend < 0 ? nodes.x[b] : view.bends[2 * bend], toY = bend < 0 ? nodes.y[b] : view.bends[2 * bend + 1], dx = toX - nodes.x[a];
    // For tasks: on the outer side of the curve, near its beginning, where curves are apart.
    const isCurve = view.what === "tasks";
    context.textAlign = isCurve && dx < 0 ? "right" : "left";
    const text = graph.edgeText(edge);
    // The legend explains links without a load.
    if (!text || edges.load[edge] === 0) continue;
    ends = isCurve ? [] : [a, b];
    if (view.what === "network") {
      // Each direction's label is on its own side.
      const { x, y, ux, uy } = graph.onLink(edge, 0.4);
      context.textAlign = "center";
      write(text, x - 14 * uy, y + 9 * ux);
      continue;
    }
    for (const [across, down] of isCurve ? [[0.2, 0.36], [0.3, 0.47]] : [[0.5, 0.5], [0.4, 0.4], [0.6, 0.6]]) {
      const x = graph.sx(nodes.x[a] + across * dx) + (isCurve && dx < 0 ? -4 : 4), y = graph.sy(nodes.y[a] + down * (toY - nodes.y[a]));
      if (write(text, x, y)) break;
    }
  }
  context.lineWidth = 1;
  context.lineJoin = "miter";
  context.font = '12px system-ui, "DejaVu Sans", sans-serif';
}
