// The camera of a graph: over all of it, or at a start position for reading; distances of its nodes.

import { Camera } from "./canvas";
import { GraphView } from "./data";
import { choice } from "./text";

export const nodeHeight = 34;
/// Smaller text is illegible.
export const leastLetters = 11;

/// Largest number of nodes read one by one, width of a narrow screen, and the least legible scale.
const mostRead = 600, narrow = 600, legible = 0.75, margin = 20;

/// A rectangle of the world.
export interface Extent { left: number; top: number; right: number; bottom: number }

export function extentOf({ nodes, bends, what }: GraphView): Extent {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let node = 0; node < nodes.x.length; ++node) {
    all.left = Math.min(all.left, nodes.x[node] - nodes.width[node] / 2);
    all.right = Math.max(all.right, nodes.x[node] + nodes.width[node] / 2);
    all.top = Math.min(all.top, nodes.y[node] - nodeHeight / 2);
    all.bottom = Math.max(all.bottom, nodes.y[node] + nodeHeight / 2);
  }
  // For a network, the tops of arcs.
  for (let i = 0; what === "network" && i < bends.length; i += 2) {
    all.left = Math.min(all.left, bends[i]);
    all.right = Math.max(all.right, bends[i]);
    all.top = Math.min(all.top, bends[i + 1]);
    all.bottom = Math.max(all.bottom, bends[i + 1]);
  }
  return nodes.x.length > 0 ? all : { left: 0, top: 0, right: 1, bottom: 1 };
}

export function wholeOf({ left, top, right, bottom }: Extent, width: number, height: number): Camera {
  const k = Math.min(1.5, (width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1));
  return { x: (left + right) / 2 - width / 2 / k, y: (top + bottom) / 2 - height / 2 / k, kx: k, ky: k };
}

/// Shows everything, unless that would be a thin line, or few tasks without names on a narrow screen. Then shows the sources,
/// centred for few of them, or from the first of many.
export function startOf({ nodes, what }: GraphView, { left, top, right, bottom }: Extent, width: number, height: number): Camera {
  const whole = wholeOf({ left, top, right, bottom }, width, height);
  const isThin = Math.min((right - left) * whole.kx / width, (bottom - top) * whole.kx / height) < 0.3;
  if (what === "network" || nodeHeight * whole.kx >= leastLetters + 2 || !(isThin || (what === "tasks" && nodes.name.length <= mostRead && width < narrow))) return whole;
  let from = Infinity, to = -Infinity;
  nodes.y.forEach((y, node) => {
    if (y > top + nodeHeight) return;
    from = Math.min(from, nodes.x[node] - nodes.width[node] / 2);
    to = Math.max(to, nodes.x[node] + nodes.width[node] / 2);
  });
  const k = legible, areFew = (to - from) * k <= width - 2 * margin, y = top - margin / k;
  // The overview is below.
  return { x: areFew ? (from + to - width / k) / 2 : from - margin / k, y, kx: k, ky: k };
}

/// Zoom in one direction: factors of the distances between nodes.
const stretches: Record<string, [number, number]> = { no: [1, 1], "2 x wide": [2, 1], "4 x wide": [4, 1], "2 x high": [1, 2], "4 x high": [1, 4] };

/// Returns a choice that moves the nodes of a graph apart, horizontally or vertically, and then calls `moved`.
export function stretchChoice(view: GraphView, moved: () => void): HTMLElement {
  let now = stretches.no;
  return choice("Stretch", Object.keys(stretches), (chosen) => {
    const { nodes, bends } = view, next = stretches[chosen], x = next[0] / now[0], y = next[1] / now[1];
    nodes.x.forEach((at, node) => (nodes.x[node] = at * x));
    nodes.y.forEach((at, node) => (nodes.y[node] = at * y));
    bends.forEach((at, i) => (bends[i] = at * (i % 2 === 0 ? x : y)));
    now = next;
    moved();
  });
}
