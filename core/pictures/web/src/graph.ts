// Nodes and edges: task graphs, interaction graphs, networks, and their editor.

import { Camera, Scene, Surface } from "./canvas";
import { colour, heatColour, paleColour, seriesColour } from "./colours";
import { GraphView } from "./data";
import { GraphEditor } from "./edit";
import { drawSizes } from "./edge_sizes";
import { Extent, extentOf, leastLetters, nodeHeight, startOf, stretchChoice, wholeOf } from "./graph_window";
import { Overview } from "./overview";
import { button, choice, commonBeginning, dataSize, element, field, rangesText, save, shortened, time } from "./text";

/// Largest number of edges drawn at a time.
const mostEdges = 30000;
/// Smaller nodes are dots.
const leastBox = 5;

/// A node's state in a replay.
export type NodeState = "waiting" | "ready" | "running" | "done";
/// Display names of the states.
export type StateNames = Partial<Record<NodeState, string>>;
const stateColours: Record<NodeState, string> = { waiting: "grid", ready: "p4", running: "p1", done: "p2" };

export class Graph implements Scene {
  readonly zooms = "both" as const;
  readonly label: string;
  readonly surface: Surface;
  readonly root: HTMLElement;
  selected = -1;
  states?: NodeState[];
  /// By edge, for a run: the number of waiting frames, displayed instead of the data size.
  waiting?: number[];
  onSelect?: (node: number) => void;
  editor?: GraphEditor;

  private hovered = -1;
  /// Labels of the boxes: for streams, which have colours, frame and task.
  private names: string[] = [];
  /// By node.
  private streams: number[] = [];
  /// Length of the prefix common to all node names.
  private readonly common: number;
  private colourBy: string;
  private isWanted: (node: number) => boolean = () => true;
  private relatives?: Set<number>;
  private followsSubtree = false;
  private out: number[][] = [];
  private into: number[][] = [];
  private cells = new Map<string, number[]>();
  /// By edge, the index of its first bend.
  firstBend: number[] = [];
  private readonly cell = 200;
  private readonly overview = new Overview();
  private holdsOverview = false;
  private reach!: Extent;

  constructor(readonly view: GraphView, height = 620, private readonly stateNames?: StateNames) {
    const nodes = view.nodes;
    this.label = `${view.name}: graph with ${nodes.name.length} nodes and ${view.edges.from.length} edges. ` +
      "Arrow keys move along edges, + and - zoom, 0 shows everything, s shows the successors of a node.";
    const choices = ["layer", "work", "plain"];
    if (nodes.processor.some((processor) => processor >= 0)) choices.unshift("processor");
    if (view.streams) choices.unshift("stream");
    if (stateNames) choices.unshift("state");
    this.colourBy = view.what === "network" ? "plain" : choices[0];
    this.index();
    this.common = commonBeginning(this.names);
    this.surface = new Surface(this, "graph");
    const bar = element("div", { class: "controls" });
    if (view.what === "tasks" || view.what === "interactions") bar.append(choice("Colour by", choices, (chosen) => {
      this.colourBy = chosen;
      this.surface.redraw();
    }));
    bar.append(field("Find", "part of a name", (text) => {
      const wanted = text.toLowerCase();
      this.isWanted = (node) => wanted === "" || nodes.name[node].toLowerCase().includes(wanted);
      this.surface.redraw();
    }));
    bar.append(button("-", "Zoom out (-)", () => this.surface.zoom(1 / 1.5)), button("+", "Zoom in (+)", () => this.surface.zoom(1.5)),
               button("all", "Show everything (0)", () => this.surface.seeEverything()));
    if (view.what !== "network") bar.append(stretchChoice(view, () => {
      this.index();
      this.surface.seeEverything();
    }));
    if (view.what === "tasks") bar.append(button("subtree", "Show the successors of the chosen node (s)", () => this.toggleSubtree()));
    bar.append(button("PNG", "This picture", () => this.surface.picture((blob) => blob && save("graph.png", blob))));
    const editing = element("div", { class: "editing" });
    // A graph of a running or finished run is not a file's contents.
    if ((view.what !== "interactions" || view.undirected) && !stateNames)
      bar.append(button("edit", "Add, connect, weigh and delete; keep the result as YAML", () => {
        if (this.editor) return this.editor.toggle();
        this.editor = new GraphEditor(this);
        editing.append(this.editor.root);
      }));
    this.root = element("div", {}, bar, editing, this.surface.root, element("p", { class: "legend" }, ...this.stateKeys(), (stateNames ? "\u2003" : "") + this.legendText()));
    // Few nodes need little space, and a narrow window needs only the graph's own height there.
    const high = this.reach.bottom - this.reach.top, wide = this.reach.right - this.reach.left;
    // Graphs that do not fit reserve space for a legible part, above their overview.
    const isLarge = wide > 500 && high > 100;
    Object.assign(this.surface.root.style, { aspectRatio: `${wide + 40} / ${high + 80}`, minHeight: isLarge ? "340px" : "220px", maxHeight: `min(max(${height}px, 68vh), ${Math.max(220, 1.5 * high + 80)}px)` });
  }

  private nameNodes(): void {
    const { nodes, streams } = this.view, at = (name: string): number => (streams ? name.indexOf("#") : -1);
    this.names = nodes.name.map((name) => name.slice(at(name) + 1));
    this.streams = nodes.name.map((name) => Math.max(0, (streams ?? []).indexOf(name.slice(0, Math.max(0, at(name))))));
  }

  private stateKeys(): (HTMLElement | string)[] {
    return Object.entries(this.stateNames ?? {}).flatMap(([state, says]) => [element("span", { class: "key " + state }), says + " "]);
  }
  private legendText(): string {
    if (this.view.what === "network") return (this.view.complete ? "Complete: all nodes are linked; the picture shows busy links, and the links of the node under the pointer or chosen. " : "") +
      (this.view.edges.load.some((load) => load >= 0) ? "The width and colour of a link show its load; links without a number are idle." : "");
    const streams = (this.view.streams ?? []).length > 1 ? "Boxes show frame and task; colours show the streams above. " : "";
    if (this.view.what === "interactions") return streams + (this.view.edges.from.length > 0 ? "The width of a line shows the exchanged data." : "");
    return streams + (this.view.nodes.critical.some((each) => each === 1) ? "The critical path has thick lines." : "");
  }

  /// Moves the same nodes to other processors.
  place(view: GraphView): void {
    Object.assign(this.view.nodes, { processor: view.nodes.processor, group: view.nodes.group });
    this.surface.redraw();
  }

  /// Updates the index after changes of nodes or edges.
  index(): void {
    const { nodes, edges } = this.view;
    this.nameNodes();
    this.out = nodes.name.map(() => []);
    this.into = nodes.name.map(() => []);
    edges.from.forEach((from, edge) => {
      this.out[from].push(edge);
      this.into[edges.to[edge]].push(edge);
    });
    this.firstBend = [0];
    edges.bends.forEach((count, edge) => this.firstBend.push(this.firstBend[edge] + count));
    this.cells = new Map();
    nodes.name.forEach((_, node) => {
      const key = this.key_of(nodes.x[node], nodes.y[node]);
      const list = this.cells.get(key);
      if (list) list.push(node);
      else this.cells.set(key, [node]);
    });
    this.relate();
    this.reach = extentOf(this.view);
    this.overview.forget();
  }
  private key_of(x: number, y: number): string { return `${Math.floor(x / this.cell)},${Math.floor(y / this.cell)}`; }

  extent(): Extent { return this.reach; }
  everything(width: number, height: number): Camera { return wholeOf(this.reach, width, height); }
  start(width: number, height: number): Camera { return startOf(this.view, this.reach, width, height); }

  sx(x: number): number { return (x - this.surface.camera.x) * this.surface.camera.kx; }
  sy(y: number): number { return (y - this.surface.camera.y) * this.surface.camera.kx; }
  wx(x: number): number { return x / this.surface.camera.kx + this.surface.camera.x; }
  wy(y: number): number { return y / this.surface.camera.kx + this.surface.camera.y; }

  draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = colour("card");
    context.fillRect(0, 0, width, height);
    this.drawEdges(context, width, height);
    if (this.view.complete) this.sayComplete(context);
    const { nodes } = this.view, k = this.surface.camera.kx;
    const counts = nodes.name.length;
    for (let node = 0; node < counts; ++node) {
      const x = this.sx(nodes.x[node]), y = this.sy(nodes.y[node]), w = nodes.width[node] * k, h = nodeHeight * k;
      if (x + w < 0 || x - w > width || y + h < 0 || y - h > height) continue;
      this.drawNode(context, node, x, y, w, h);
    }
    if (nodeHeight * k < leastBox) this.drawCritical(context);
    this.editor?.draw(context);
    const seen = { left: this.wx(0), top: this.wy(0), right: this.wx(width), bottom: this.wy(height) };
    this.overview.draw(context, this.view, this.reach, seen, width, height);
  }

  /// Draws the critical path over dense dots, which would cover it.
  private drawCritical(context: CanvasRenderingContext2D): void {
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    context.beginPath();
    this.view.edges.critical.forEach((isCritical, edge) => isCritical === 1 && this.trace(context, edge));
    context.stroke();
    context.lineWidth = 1;
  }

  /// In the centre of the ring.
  private sayComplete(context: CanvasRenderingContext2D): void {
    const { x, y } = this.view.nodes, mean = (values: number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
    context.fillStyle = colour("muted");
    context.textAlign = "center";
    context.textBaseline = "middle";
    const at = this.sx(mean(x)), below = this.sy(mean(y));
    context.fillText("complete: all linked", at, below - 8);
    context.fillText(`${this.view.edges.from.length} links`, at, below + 8);
  }

  private drawEdges(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { edges, nodes } = this.view, k = this.surface.camera.kx;
    const visible: number[] = [], near = this.hovered >= 0 ? this.hovered : this.selected;
    for (let edge = 0; edge < edges.from.length; ++edge) {
      const a = edges.from[edge], b = edges.to[edge];
      if (this.view.complete && !(edges.load[edge] > 0) && a !== near && b !== near) continue;
      const x1 = this.sx(nodes.x[a]), y1 = this.sy(nodes.y[a]), x2 = this.sx(nodes.x[b]), y2 = this.sy(nodes.y[b]);
      const slack = 400 * k;
      if (Math.max(x1, x2) < -slack || Math.min(x1, x2) > width + slack || Math.max(y1, y2) < 0 || Math.min(y1, y2) > height) continue;
      visible.push(edge);
    }
    const stride = Math.ceil(visible.length / mostEdges);
    context.globalAlpha = visible.length > 3000 ? 0.25 : 0.7;
    context.strokeStyle = colour("muted");
    context.lineWidth = 1;
    const special: number[] = [];
    const marked = this.hovered >= 0 ? this.hovered : this.selected;
    context.beginPath();
    for (let i = 0; i < visible.length; ++i) {
      const edge = visible[i];
      if (edges.critical[edge] === 1 || edges.load[edge] >= 0 || this.view.what !== "tasks" || edges.from[edge] === marked || edges.to[edge] === marked ||
          (this.relatives?.has(edges.from[edge]) && this.relatives.has(edges.to[edge]))) special.push(edge);
      else if (i % stride === 0) this.trace(context, edge);
    }
    context.stroke();
    if (stride > 1) this.surface.say(`${Math.ceil(visible.length / stride)} of ${visible.length} edges are drawn: zoom in for all`);
    // A link's cost is not its load: links of unknown load are thin.
    const isWeighed = this.view.what === "interactions", most = isWeighed ? Math.max(1, ...sample(edges.bytes)) : 1;
    for (const edge of special.slice(0, mostEdges)) {
      const isNear = edges.from[edge] === marked || edges.to[edge] === marked;
      const share = edges.load[edge] >= 0 ? Math.min(1, edges.load[edge]) : isWeighed ? edges.bytes[edge] / most : 0;
      context.globalAlpha = isNear ? 1 : 0.8;
      context.strokeStyle = isNear ? colour("heat") : edges.load[edge] >= 0 ? heatColour(0.75 - 0.75 * share) : colour(edges.critical[edge] === 1 ? "ink" : "muted");
      context.lineWidth = (this.view.what === "tasks" ? (edges.critical[edge] === 1 ? 2.5 : 1.5) : 1 + 5 * share) * Math.min(1.5, Math.max(0.5, k));
      context.beginPath();
      this.trace(context, edge);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.lineWidth = 1;
    if (k > 0.45 && visible.length <= 1500) this.drawHeads(context, visible, k);
    if (k > 0.8 && visible.length <= 250) drawSizes(this, context, visible);
  }

  /// Traces an edge's line. Each of two opposite links is drawn on its right side.
  private trace(context: CanvasRenderingContext2D, edge: number): void {
    const { edges, nodes, bends } = this.view, a = edges.from[edge], b = edges.to[edge];
    if (this.view.what !== "tasks") {
      const [x1, y1, x2, y2] = this.segment(edge), towards = this.towards(edge);
      context.moveTo(x1, y1);
      if (towards) context.quadraticCurveTo(...towards, x2, y2);
      else context.lineTo(x2, y2);
      return;
    }
    let x = this.sx(nodes.x[a]), y = this.sy(nodes.y[a] + nodeHeight / 2);
    context.moveTo(x, y);
    const curve = (toX: number, toY: number): void => {
      context.bezierCurveTo(x, (y + toY) / 2, toX, (y + toY) / 2, toX, toY);
      x = toX;
      y = toY;
    };
    for (let bend = this.firstBend[edge]; bend < this.firstBend[edge + 1]; ++bend) curve(this.sx(bends[2 * bend]), this.sy(bends[2 * bend + 1]));
    curve(this.sx(nodes.x[b]), this.sy(nodes.y[b] - nodeHeight / 2));
  }
  /// Returns the control point of a link's curve around boxes of other nodes: twice as far away as the top of its arc.
  private towards(edge: number): [number, number] | undefined {
    const at = 2 * this.firstBend[edge], { bends, edges } = this.view;
    if (this.view.what !== "network" || edges.bends[edge] === 0) return undefined;
    const [x1, y1, x2, y2] = this.segment(edge);
    return [2 * this.sx(bends[at]) - (x1 + x2) / 2, 2 * this.sy(bends[at + 1]) - (y1 + y2) / 2];
  }
  /// Returns the position at a fraction of a network's link, and the direction there.
  onLink(edge: number, share: number): { x: number; y: number; ux: number; uy: number } {
    const [x1, y1, x2, y2] = this.segment(edge), [x, y] = this.towards(edge) ?? [(x1 + x2) / 2, (y1 + y2) / 2], rest = 1 - share;
    const dx = rest * (x - x1) + share * (x2 - x), dy = rest * (y - y1) + share * (y2 - y), length = Math.hypot(dx, dy) || 1;
    const at = (a: number, b: number, c: number): number => rest * rest * a + 2 * share * rest * b + share * share * c;
    return { x: at(x1, x, x2), y: at(y1, y, y2), ux: dx / length, uy: dy / length };
  }
  segment(edge: number): [number, number, number, number] {
    const { edges, nodes } = this.view, a = edges.from[edge], b = edges.to[edge];
    const x1 = this.sx(nodes.x[a]), y1 = this.sy(nodes.y[a]), x2 = this.sx(nodes.x[b]), y2 = this.sy(nodes.y[b]);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, aside = this.view.what === "network" ? 4 * Math.min(1, this.surface.camera.kx) : 0;
    const dx = -(y2 - y1) / length * aside, dy = (x2 - x1) / length * aside;
    return [x1 + dx, y1 + dy, x2 + dx, y2 + dy];
  }

  private drawHeads(context: CanvasRenderingContext2D, visible: number[], k: number): void {
    if (this.view.what === "interactions") return;
    context.fillStyle = colour("muted");
    const size = 5 * Math.min(1.2, k);
    context.beginPath();
    for (const edge of visible) {
      if (this.view.what === "network") {
        const { x, y, ux, uy } = this.onLink(edge, 0.68);
        context.moveTo(x + ux * size, y + uy * size);
        context.lineTo(x - ux * size - uy * size * 0.7, y - uy * size + ux * size * 0.7);
        context.lineTo(x - ux * size + uy * size * 0.7, y - uy * size - ux * size * 0.7);
        continue;
      }
      const node = this.view.edges.to[edge], x = this.sx(this.view.nodes.x[node]), y = this.sy(this.view.nodes.y[node] - nodeHeight / 2);
      context.moveTo(x, y);
      context.lineTo(x - size * 0.7, y - size * 1.5);
      context.lineTo(x + size * 0.7, y - size * 1.5);
    }
    context.fill();
  }

  /// Returns an edge's label: the load of a link, or the data size. The editor displays a link's cost.
  edgeText(edge: number): string {
    const { edges, what, unit } = this.view;
    if (edges.load[edge] >= 0) return `${Math.round(100 * edges.load[edge])} %`;
    if (what === "network") return "";
    if (this.waiting) return this.waiting[edge] > 0 ? String(this.waiting[edge]) : "";
    return this.hasSizes() ? dataSize(edges.bytes[edge], unit) : "";
  }
  private processors(node: number): number[] {
    const { group, processor } = this.view.nodes;
    return group?.[node] ?? (processor[node] >= 0 ? [processor[node]] : []);
  }
  private hasWork(): boolean { return this.mostWork() > 0; }
  private hasSizes(): boolean { return this.view.edges.bytes.some((each) => each > 0); }

  /// Returns the colour of a box with text, or of a dot, which has no other mark.
  private nodeColour(node: number, isDot: boolean): [string, number] {
    const of = isDot ? seriesColour : paleColour;
    const { nodes } = this.view, state = this.colourBy === "state" ? this.states?.[node] : undefined;
    if (state) return [colour(stateColours[state]), 1];
    switch (this.colourBy) {
      case "processor": return nodes.processor[node] >= 0 ? [of(nodes.processor[node]), 1] : [colour(isDot ? "muted" : "grid"), 1];
      case "stream": return [of(this.streams[node]), 1];
      case "layer": return [of(nodes.layer[node]), 1];
      case "work": return [heatColour(1 - 0.85 * nodes.work[node] / Math.max(1e-9, this.mostWork())), 0.35];
    }
    return [colour(isDot ? "muted" : "grid"), 1];
  }
  private heaviest = -1;
  private mostWork(): number {
    if (this.heaviest < 0) this.heaviest = this.view.nodes.work.reduce((a, b) => Math.max(a, b), 0);
    return this.heaviest;
  }

  private drawNode(context: CanvasRenderingContext2D, node: number, x: number, y: number, w: number, h: number): void {
    const { nodes } = this.view, isDot = h < leastBox, [fill, alpha] = this.nodeColour(node, isDot);
    const isFaint = !this.isWanted(node) || (this.relatives !== undefined && !this.relatives.has(node));
    if (isDot) {
      context.globalAlpha = isFaint ? 0.15 : 1;
      context.fillStyle = nodes.critical[node] === 1 ? colour("ink") : fill;
      const size = Math.max(1.5, h);
      context.fillRect(x - Math.max(size, w) / 2, y - size / 2, Math.max(size, w), size);
      context.globalAlpha = 1;
      if (node === this.selected || node === this.hovered) this.outline(context, x, y, Math.max(8, w), Math.max(8, h), colour("heat"), 2);
      return;
    }
    context.globalAlpha = 1;
    context.fillStyle = colour("card");
    context.fillRect(x - w / 2, y - h / 2, w, h);
    context.globalAlpha = isFaint ? alpha * 0.25 : alpha;
    // A stripe for each processor of a group.
    const group = this.colourBy === "processor" ? this.processors(node) : [], stripes = Math.min(group.length, Math.floor(w / 2));
    context.fillStyle = fill;
    if (stripes < 2) context.fillRect(x - w / 2, y - h / 2, w, h);
    else for (let i = 0; i < stripes; ++i) {
      context.fillStyle = paleColour(group[i]);
      context.fillRect(x - w / 2 + i * w / stripes, y - h / 2, w / stripes, h);
    }
    context.globalAlpha = isFaint ? 0.3 : 1;
    const marked = node === this.selected || node === this.hovered;
    this.outline(context, x, y, w, h, marked ? colour("heat") : nodes.critical[node] === 1 ? colour("ink") : colour("muted"),
                 marked || nodes.critical[node] === 1 ? 2.5 : 1);
    if (h >= leastLetters + 2) {
      context.fillStyle = colour("ink");
      context.textAlign = "center";
      context.textBaseline = "middle";
      // If two lines do not fit, only the name is drawn.
      const size = Math.min(12, Math.max(leastLetters, h * 0.36));
      context.font = `${leastLetters}px system-ui, "DejaVu Sans", sans-serif`;
      const second = h >= 2 * leastLetters + 3 ? this.secondLine(context, node, w - 2) : "";
      if (second) context.fillText(second, x, y + h * 0.24);
      context.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
      context.fillText(shortened(context, this.names[node], w - 3, true, this.common), x, second ? y - h * 0.18 : y);
      context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    }
    context.globalAlpha = 1;
  }
  private outline(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, stroke: string, width: number): void {
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.strokeRect(x - w / 2, y - h / 2, w, h);
    context.lineWidth = 1;
  }
  /// In the legend's terms.
  private stateName(node: number): string { return this.stateNames?.[this.states![node]] ?? this.states![node]; }
  /// Returns the parts that fit: a truncated number would be another number.
  private secondLine(context: CanvasRenderingContext2D, node: number, room: number): string {
    const { nodes } = this.view, parts: string[] = [];
    // A work of 0 is informative if other tasks have work.
    if (this.hasWork()) parts.push(time(nodes.work[node], this.view.unit, 3).replace(" ", "\u00a0"));
    if (nodes.processor[node] >= 0) parts.push(rangesText(this.processors(node)));
    if (this.states?.[node]) parts.push(this.stateName(node));
    while (parts.length > 0 && context.measureText(parts.join(" ")).width > room) parts.pop();
    return parts.join(" ");
  }

  nodeAt(x: number, y: number): number {
    const wx = this.wx(x), wy = this.wy(y), { nodes } = this.view;
    const slack = 4 / this.surface.camera.kx, reach = Math.ceil(Math.max(slack, 160) / this.cell);
    let found = -1, nearest = Infinity;
    const column = Math.floor(wx / this.cell), row = Math.floor(wy / this.cell);
    for (let i = column - reach; i <= column + reach; ++i)
      for (let j = row - Math.min(reach, 20); j <= row + Math.min(reach, 20); ++j)
        for (const node of this.cells.get(`${i},${j}`) ?? []) {
          const dx = Math.abs(nodes.x[node] - wx) - nodes.width[node] / 2, dy = Math.abs(nodes.y[node] - wy) - nodeHeight / 2;
          if (dx > slack || dy > slack) continue;
          const distance = Math.max(dx, dy);
          if (distance < nearest) [found, nearest] = [node, distance];
        }
    return found;
  }

  describe(node: number): string {
    const { nodes, edges, unit, what } = this.view;
    let text = `${what === "network" ? "node " : "task "}${nodes.name[node]}`;
    if (what !== "network" && this.hasWork()) text += `\nwork ${time(nodes.work[node], unit)}`;
    if (nodes.processor[node] >= 0) text += `\non ${rangesText(this.processors(node))}`;
    if (what === "tasks") text += `\nlayer ${nodes.layer[node]}${nodes.critical[node] === 1 ? ", on the critical path" : ""}`;
    if (this.states?.[node]) text += `\n${this.stateName(node)}`;
    const list = (title: string, ids: number[], other: number[]): void => {
      if (ids.length === 0) return;
      text += `\n${title} ` + ids.slice(0, 6).map((edge) => nodes.name[other[edge]] + (this.edgeText(edge) && ` (${this.edgeText(edge)})`)).join(", ") + (ids.length > 6 ? `, and ${ids.length - 6} more` : "");
    };
    list(what === "network" ? "links to" : what === "interactions" ? "talks with" : "to", this.out[node], edges.to);
    list(what === "network" ? "links from" : what === "interactions" ? "and" : "from", this.into[node], edges.from);
    return text;
  }

  tell(x: number, y: number): string | undefined {
    const node = this.overview.placeAt(x, y) ? -1 : this.nodeAt(x, y);
    if (node !== this.hovered) {
      this.hovered = node;
      this.surface.redraw();
    }
    return node >= 0 ? this.describe(node) : undefined;
  }

  click(x: number, y: number, event: MouseEvent): void {
    if (this.overview.placeAt(x, y)) return;
    const node = this.nodeAt(x, y);
    if (this.editor?.click(x, y, node, event)) return;
    this.select(node);
  }
  drag(x: number, y: number, phase: "begin" | "move" | "end", _event: PointerEvent): boolean {
    if (phase === "begin") this.holdsOverview = this.overview.placeAt(x, y) !== undefined;
    if (this.holdsOverview) {
      const place = this.overview.placeAt(x, y, true);
      if (place) this.surface.centre(place.x, place.y);
      return true;
    }
    return this.editor?.drag(x, y, phase) ?? false;
  }

  select(node: number): void {
    this.selected = node;
    this.relate();
    this.surface.say(node >= 0 ? this.describe(node).replace(/\n/g, "; ") : "");
    if (node >= 0) this.bringIntoView(node);
    this.onSelect?.(node);
    this.editor?.show(node);
    this.surface.redraw();
  }
  private bringIntoView(node: number): void {
    const { width, height } = this.surface.size, x = this.sx(this.view.nodes.x[node]), y = this.sy(this.view.nodes.y[node]);
    const isBehind = this.overview.placeAt(x, y) !== undefined;
    if (x >= 20 && x <= width - 20 && y >= 20 && y <= height - 20 && !isBehind) return;
    this.surface.centre(this.view.nodes.x[node], this.view.nodes.y[node]);
  }

  private toggleSubtree(): void {
    this.followsSubtree = !this.followsSubtree;
    this.relate();
    this.surface.redraw();
  }
  private relate(): void {
    this.relatives = undefined;
    if (!this.followsSubtree || this.selected < 0) return;
    this.relatives = new Set([this.selected]);
    for (const node of this.relatives) for (const edge of this.out[node]) this.relatives.add(this.view.edges.to[edge]);
  }

  key(event: KeyboardEvent): boolean {
    if (this.editor?.key(event)) return true;
    const { nodes, edges } = this.view;
    if (event.key === "s" && this.view.what === "tasks") {
      this.toggleSubtree();
      return true;
    }
    if (event.key === "Escape") {
      this.select(-1);
      return true;
    }
    if (!event.key.startsWith("Arrow") || event.shiftKey || nodes.name.length === 0) return false;
    if (this.selected < 0) {
      this.select(0);
      return true;
    }
    const goes = (ids: number[], other: number[]): void => { if (ids.length > 0) this.select(other[ids[0]]); };
    if (event.key === "ArrowDown") goes(this.out[this.selected], edges.to);
    if (event.key === "ArrowUp") goes(this.into[this.selected], edges.from);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const sign = event.key === "ArrowRight" ? 1 : -1, own = this.selected;
      let next = -1;
      for (let node = 0; node < nodes.name.length; ++node) {
        const distance = sign * (nodes.x[node] - nodes.x[own]);
        if (distance <= 0 || Math.abs(nodes.y[node] - nodes.y[own]) > nodeHeight) continue;
        if (next < 0 || distance < sign * (nodes.x[next] - nodes.x[own])) next = node;
      }
      if (next >= 0) this.select(next);
    }
    return true;
  }
}

/// Limits the number of values for a call with spread arguments.
function sample(values: number[]): number[] {
  return values.length < 50000 ? values : values.filter((_, i) => i % Math.ceil(values.length / 50000) === 0);
}
