// The editor of graphs and networks, with output as YAML.

import { colour } from "./colours";
import { Graph } from "./graph";
import { button, element, save } from "./text";

/// Returns a scalar that every reader of YAML treats as this text.
export function yamlText(text: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(text) ? text : /^\d{1,15}$/.test(text) ? text : JSON.stringify(text);
}

export class GraphEditor {
  readonly root: HTMLElement;
  private isOn = true;
  private connectsFrom = -1;
  private dragged = -1;
  private readonly name = element("input", { size: "12", "aria-label": "name" });
  private readonly weight = element("input", { size: "8", "aria-label": "work", inputmode: "numeric" });
  private readonly size = element("input", { size: "8", "aria-label": "size of edges that are connected", value: "1", inputmode: "numeric" });
  private readonly notice = element("span", { class: "notice", role: "status" });

  constructor(private readonly graph: Graph) {
    const isNetwork = graph.view.what === "network";
    this.name.addEventListener("change", () => this.rename());
    this.weight.addEventListener("change", () => this.weigh());
    this.root = element("div", { class: "controls editor" },
      button("add", "Add a node: double-click an empty place, or use this button", () => this.addHere()),
      button("connect", "Connect the chosen node to the next one clicked, with the size on the right; an existing edge gets that size (c)", () => this.connect()),
      button("delete", "Delete the chosen node and its edges (Delete)", () => this.remove()),
      button("unlink", "Remove the edge between the chosen node and the next one clicked (u)", () => this.unlink()),
      element("label", {}, "name ", this.name));
    if (!isNetwork) this.root.append(element("label", {}, "work ", this.weight));
    this.root.append(element("label", {}, isNetwork ? "cost per byte " : "edge size ", this.size),
                     button("save YAML", "A file for takt", () => this.keep()), this.notice);
    if (graph.view.loses) this.say(graph.view.loses);
  }

  toggle(): void {
    this.isOn = !this.isOn;
    this.root.hidden = !this.isOn;
  }
  private say(text: string): void { this.notice.textContent = text; }

  /// Puts the figures of a node into the fields.
  show(node: number): void {
    if (node < 0) return;
    this.name.value = this.graph.view.nodes.name[node];
    this.weight.value = String(this.graph.view.nodes.work[node]);
  }

  private unlinks = false;
  click(x: number, y: number, node: number, event: MouseEvent): boolean {
    if (!this.isOn) return false;
    if (this.connectsFrom >= 0 && node >= 0) return this.finish(node);
    if (node < 0 && event.detail === 2) {
      this.add(this.graph.wx(x), this.graph.wy(y));
      return true;
    }
    return false;
  }

  drag(x: number, y: number, phase: "begin" | "move" | "end"): boolean {
    if (!this.isOn) return false;
    if (phase === "begin") this.dragged = this.graph.nodeAt(x, y);
    if (this.dragged < 0) return false;
    if (phase === "move") {
      this.graph.view.nodes.x[this.dragged] = this.graph.wx(x);
      this.graph.view.nodes.y[this.dragged] = this.graph.wy(y);
      this.straighten(this.dragged);
    }
    if (phase === "end") {
      this.graph.index();
      this.dragged = -1;
    }
    this.graph.surface.redraw();
    return true;
  }

  key(event: KeyboardEvent): boolean {
    if (!this.isOn) return false;
    if (event.key === "Delete") return this.remove();
    if (event.key === "c" && this.graph.selected >= 0) return this.connect();
    if (event.key === "u" && this.graph.selected >= 0) return this.unlink();
    if (event.key === "Escape" && this.connectsFrom >= 0 && this.graph.selected < 0) return this.stop();
    if (event.key === "Enter" && this.connectsFrom >= 0 && this.graph.selected >= 0 && this.graph.selected !== this.connectsFrom) return this.finish(this.graph.selected);
    return false;
  }
  /// Handles the second end of an edge that is created, weighted or deleted.
  private finish(node: number): boolean {
    if (this.unlinks) this.disjoin(this.connectsFrom, node);
    else this.join(this.connectsFrom, node);
    this.connectsFrom = -1;
    this.unlinks = false;
    return true;
  }
  private stop(): boolean {
    this.connectsFrom = -1;
    this.unlinks = false;
    this.say("");
    this.graph.surface.redraw();
    return true;
  }

  draw(context: CanvasRenderingContext2D): void {
    if (this.connectsFrom < 0) return;
    const { nodes } = this.graph.view;
    context.strokeStyle = colour("heat");
    context.setLineDash([4, 3]);
    context.strokeRect(this.graph.sx(nodes.x[this.connectsFrom]) - 40, this.graph.sy(nodes.y[this.connectsFrom]) - 24, 80, 48);
    context.setLineDash([]);
  }

  private addHere(): void {
    const { width, height } = this.graph.surface.size;
    this.add(this.graph.wx(width / 2), this.graph.wy(height / 2));
  }
  private add(x: number, y: number): void {
    const { nodes, what } = this.graph.view;
    let count = nodes.name.length;
    if (what !== "network") while (nodes.name.includes(`task${count}`)) ++count;
    nodes.name.push(what === "network" ? String(count) : `task${count}`);
    nodes.x.push(x);
    nodes.y.push(y);
    nodes.width.push(60);
    nodes.work.push(what === "network" ? 0 : 1);
    nodes.layer.push(0);
    nodes.processor.push(-1);
    nodes.critical.push(0);
    this.graph.index();
    this.graph.select(nodes.name.length - 1);
  }

  private connect(): boolean {
    if (this.graph.selected < 0) return this.say("choose a node first"), true;
    this.connectsFrom = this.graph.selected;
    this.unlinks = false;
    this.say("click the other end, or move there and press Enter");
    this.graph.surface.redraw();
    return true;
  }
  private unlink(): boolean {
    this.connect();
    this.unlinks = this.connectsFrom >= 0;
    return true;
  }

  private join(from: number, to: number): void {
    const { edges, what } = this.graph.view, size = Number(this.size.value);
    if (!(size >= 0) || (what !== "network" && !Number.isInteger(size))) return this.say(`size: expected a number, not '${this.size.value}'`);
    if (from === to) return this.say("a node cannot have an edge to itself");
    if (this.weighEdge(from, to, size)) return;
    if (what === "tasks" && this.leadsTo(to, from)) return this.say("this edge makes a cycle");
    const add = (a: number, b: number): void => {
      edges.from.push(a);
      edges.to.push(b);
      edges.bytes.push(size);
      edges.fixed.push(0);
      edges.critical.push(0);
      edges.load.push(-1);
      edges.bends.push(0);
    };
    add(from, to);
    if (what === "network") add(to, from);
    this.say("");
    this.changed();
  }
  /// Sets the size of an existing edge, in both directions of a network, in any of an interaction; returns whether it exists.
  private weighEdge(from: number, to: number, size: number): boolean {
    const { edges, what } = this.graph.view;
    const own = edges.from.map((_, edge) => edge).filter((edge) => (edges.from[edge] === from && edges.to[edge] === to) ||
      (what !== "tasks" && edges.from[edge] === to && edges.to[edge] === from));
    if (!own.some((edge) => what === "interactions" || edges.from[edge] === from)) return false;
    for (const edge of own) edges.bytes[edge] = size;
    this.changed();
    this.say(`the existing edge now has size ${size}`);
    return true;
  }
  private leadsTo(from: number, to: number): boolean {
    const { edges } = this.graph.view, seen = new Set([from]);
    for (const node of seen) edges.from.forEach((each, edge) => each === node && seen.add(edges.to[edge]));
    return seen.has(to);
  }
  private disjoin(a: number, b: number): void {
    const { edges } = this.graph.view;
    this.keepEdges((edge) => !((edges.from[edge] === a && edges.to[edge] === b) || (edges.from[edge] === b && edges.to[edge] === a)));
    this.say("");
  }

  /// Removes the bends of a moved node's edges.
  private straighten(node: number): void {
    const { edges } = this.graph.view;
    if (!edges.from.some((from, edge) => (from === node || edges.to[edge] === node) && edges.bends[edge] > 0)) return;
    const bends: number[] = [];
    let at = 0;
    edges.bends.forEach((count, edge) => {
      const isNear = edges.from[edge] === node || edges.to[edge] === node;
      if (!isNear) bends.push(...this.graph.view.bends.slice(2 * at, 2 * (at + count)));
      else edges.bends[edge] = 0;
      at += count;
    });
    this.graph.view.bends = bends;
    this.graph.index();
  }

  private keepEdges(isKept: (edge: number) => boolean): void {
    const { edges, bends } = this.graph.view, kept: number[] = [], points: number[] = [];
    let at = 0;
    edges.bends.forEach((count, edge) => {
      if (isKept(edge)) {
        kept.push(edge);
        points.push(...bends.slice(2 * at, 2 * (at + count)));
      }
      at += count;
    });
    for (const column of [edges.from, edges.to, edges.bytes, edges.fixed, edges.critical, edges.load, edges.bends]) {
      const values = kept.map((edge) => column[edge]);
      column.length = 0;
      column.push(...values);
    }
    this.graph.view.bends = points;
    this.changed();
  }

  private remove(): boolean {
    const { nodes, edges } = this.graph.view, node = this.graph.selected;
    if (node < 0) return this.say("choose a node first"), true;
    this.keepEdges((edge) => edges.from[edge] !== node && edges.to[edge] !== node);
    for (const column of [nodes.name, nodes.x, nodes.y, nodes.width, nodes.work, nodes.layer, nodes.processor, nodes.critical] as unknown[][]) column.splice(node, 1);
    for (const column of [edges.from, edges.to]) column.forEach((each, edge) => { if (each > node) column[edge] = each - 1; });
    if (this.graph.view.what === "network") nodes.name.forEach((_, i) => (nodes.name[i] = String(i)));
    this.graph.selected = this.connectsFrom = -1;
    this.graph.surface.say("");
    this.changed();
    return true;
  }
  /// After a change of costs, the critical path is unknown, and also whether a network is complete.
  private changed(): void {
    this.graph.view.complete = false;
    this.graph.view.nodes.critical.fill(0);
    this.graph.view.edges.critical.fill(0);
    this.graph.index();
    this.graph.surface.redraw();
  }

  private rename(): void {
    const { nodes, what } = this.graph.view, node = this.graph.selected, name = this.name.value.trim();
    if (node < 0 || what === "network") return;
    if (name === "") return this.say("a task needs a name");
    if (nodes.name.some((each, i) => each === name && i !== node)) return this.say(`task '${name}' already exists`);
    nodes.name[node] = name;
    nodes.width[node] = Math.max(46, name.length * 7 + 16);
    this.say("");
    this.graph.surface.redraw();
  }
  private weigh(): void {
    const work = Number(this.weight.value), node = this.graph.selected;
    if (node < 0) return;
    if (!Number.isInteger(work) || work < 0 || this.weight.value.trim() === "") return this.say(`work: expected a whole number of ticks, not '${this.weight.value}'`);
    this.graph.view.nodes.work[node] = work;
    this.say("");
    this.changed();
  }

  /// Returns the format of graph files and machine files.
  yaml(): string {
    const { nodes, edges, what, undirected } = this.graph.view;
    if (what === "network") {
      const links = edges.from.map((from, edge) => `    - {from: ${from}, to: ${edges.to[edge]}, cost: ${edges.fixed[edge]} + ${edges.bytes[edge]}}`);
      return `processors: ${nodes.name.length}\nnetwork:\n  nodes: ${nodes.name.length}\n  links:\n${links.join("\n")}\n`;
    }
    const tasks = nodes.name.map((name, node) => `  - {name: ${yamlText(name)}, work: ${nodes.work[node]}}`);
    const lines = edges.from.map((from, edge) => `  - {from: ${yamlText(nodes.name[from])}, to: ${yamlText(nodes.name[edges.to[edge]])}, size: ${edges.bytes[edge]}}`);
    return `${undirected ? "undirected: true\n" : ""}tasks:\n${tasks.join("\n")}\n${lines.length > 0 ? `edges:\n${lines.join("\n")}\n` : ""}`;
  }
  private keep(): void {
    if (this.graph.view.nodes.name.length === 0) return this.say("nothing to save: add a node first");
    // The editor of a file takes the text over; otherwise it becomes a file of its own.
    const event = new CustomEvent("yaml", { detail: this.yaml(), bubbles: true, cancelable: true });
    if (!this.root.dispatchEvent(event)) return this.say("the text above has the changes: save writes the file");
    save(this.graph.view.what === "network" ? "network.yaml" : "graph.yaml", this.yaml(), "application/yaml");
  }
}
