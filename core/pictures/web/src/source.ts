// A program's text with its calls and their sections marked, and its task graph: each shows the other's choice.

import { SourceView } from "./data";
import { Graph } from "./graph";
import { button, element, setText } from "./text";
import { TextPane } from "./text_pane";

const accesses = ["", "reads", "writes", "updates", "calls"];

export class Source {
  readonly root: HTMLElement;
  readonly graph: Graph;
  private readonly marks: HTMLElement[][];
  private readonly calls: number[][];
  private readonly chosen = element("p", { class: "legend", role: "status" }, "Choose a call in the text, or a task.");
  private readonly text: HTMLElement;
  private readonly legend = element("p", { class: "legend" }, ...[1, 2, 3].flatMap((access) => [element("span", { class: `mark ${accesses[access]}` }, accesses[access]), " "]), "sections of a call");

  constructor(private readonly view: SourceView, private readonly pane?: TextPane) {
    this.graph = new Graph(view.graph, 560);
    this.marks = view.sites.map(() => []);
    this.calls = view.sites.map(() => []);
    view.calls.site.forEach((site, call) => this.calls[site].push(call));
    this.text = element("pre", { class: "source", tabindex: "0", role: "region", "aria-label": `${view.name}: the program's text` });
    view.parts.text.forEach((part, i) => this.text.append(this.part(part, view.parts.site[i], view.parts.access[i])));
    this.showCalls();
    this.graph.onSelect = (node) => this.show(node);
    const left = element("div", {}, this.text, this.legend);
    if (pane) this.edit(left, pane);
    this.root = element("div", {}, this.chosen, element("div", { class: "columns" }, left, this.graph.root));
  }

  /// Shows the editor of the text, or the marked text.
  private edit(left: HTMLElement, pane: TextPane): void {
    const toggle = button("edit", "Edit the text, or see its calls", () => set(!pane.isShown));
    const set = (isShown: boolean): void => {
      pane.isShown = isShown;
      pane.root.hidden = !isShown;
      this.text.hidden = this.legend.hidden = isShown;
      toggle.setAttribute("aria-pressed", String(isShown));
      if (!isShown) this.showCalls();
    };
    left.prepend(element("div", { class: "controls" }, toggle));
    left.append(pane.root);
    set(pane.isShown);
    pane.onErrors = () => set(true);
    pane.onLine = (line) => {
      const site = this.view.sites.indexOf(line);
      if (site >= 0 && this.calls[site][0] !== this.graph.selected) this.graph.select(this.calls[site][0]);
    };
  }

  /// Calls are at the end of a program.
  private showCalls(): void {
    requestAnimationFrame(() => (this.text.scrollTop = this.marks[0][0].offsetTop - this.text.offsetTop - 40));
  }

  private part(text: string, site: number, access: number): Node {
    if (site < 0) return document.createTextNode(text);
    const isName = accesses[access] === "calls", kind = `mark ${accesses[access]}`;
    const mark = isName ? element("button", { type: "button", class: kind, title: `${this.calls[site].length} calls; again: the next one` }, text) : element("span", { class: kind, title: accesses[access] }, text);
    if (isName) mark.addEventListener("click", () => this.graph.select(this.next(site)));
    this.marks[site].push(mark);
    return mark;
  }

  /// Returns the first task of a call in the text, or the one behind the chosen one.
  private next(site: number): number {
    const calls = this.calls[site];
    return calls[(calls.indexOf(this.graph.selected) + 1) % calls.length];
  }

  private show(node: number): void {
    const site = node >= 0 ? this.view.calls.site[node] : -1;
    this.marks.forEach((marks, each) => marks.forEach((mark) => mark.classList.toggle("chosen", each === site)));
    if (site < 0) return setText(this.chosen, "Choose a call in the text, or a task.");
    const at = this.calls[site].indexOf(node) + 1;
    setText(this.chosen, `${this.view.calls.text[node]}: call ${node}, ${at} of ${this.calls[site].length} in line ${this.view.sites[site]}`);
    this.marks[site][0].scrollIntoView({ block: "nearest" });
    this.pane?.reveal(this.view.sites[site]);
  }
}
