// A text that can be edited, with numbered lines and the errors of its reader.

import { button, element, setText } from "./text";

/// Returns the position of a column that counts bytes of UTF-8 from 1.
function letterOf(line: string, column: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(line).slice(0, Math.max(0, column - 1))).length;
}

export class TextPane {
  readonly root: HTMLElement;
  /// Whether a view that can show the text in another form shows the editor.
  isShown = true;
  onInput?: () => void;
  /// The line of the caret has changed.
  onLine?: (line: number) => void;
  onErrors?: () => void;
  private readonly area = element("textarea", { class: "source", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "text of the file" });
  private readonly numbers = element("pre", { class: "source numbers", "aria-hidden": "true" });
  private readonly place = element("p", { class: "legend" });
  private readonly errors = element("pre", { class: "errors", role: "alert" });
  private saved = "";
  private line = 0;

  constructor() {
    this.area.addEventListener("input", () => {
      this.count();
      this.onInput?.();
    });
    this.area.addEventListener("scroll", () => (this.numbers.scrollTop = this.area.scrollTop));
    for (const each of ["keyup", "click", "input"]) this.area.addEventListener(each, () => this.follow());
    this.errors.hidden = true;
    this.root = element("div", { class: "text-pane" }, this.errors, element("div", { class: "numbered" }, this.numbers, this.area), this.place);
    this.count();
    this.follow();
  }

  get text(): string { return this.area.value; }
  get isChanged(): boolean { return this.text !== this.saved; }

  /// The file has this text; the pane shows it, unless the user has typed meanwhile.
  keep(text: string, isShown: boolean): void {
    this.saved = text;
    if (isShown) this.replace(text);
  }
  /// Shows another text, which is not saved yet.
  replace(text: string): void {
    if (this.area.value === text) return;
    const at = this.area.scrollTop;
    this.area.value = text;
    this.area.scrollTop = at;
    this.count();
    this.onInput?.();
  }

  /// Moves the editor to another place of the page by `action`, which takes away its scroll position and focus.
  move(action: () => void): void {
    const at = this.area.scrollTop, hasFocus = document.activeElement === this.area;
    action();
    if (hasFocus) this.area.focus({ preventScroll: true });
    this.area.scrollTop = at;
  }

  /// Shows what the reader says of the file; a line that begins with a place in the file leads there.
  report(file: string, text: string): void {
    this.errors.hidden = text === "";
    this.errors.replaceChildren();
    for (const line of text === "" ? [] : text.split("\n")) {
      const place = line.startsWith(file + ":") ? /^(\d+)(?::(\d+))?: /.exec(line.slice(file.length + 1)) : null;
      this.errors.append(place ? button(line, "Go there", () => this.go(Number(place[1]), Number(place[2] ?? 1))) : line, "\n");
    }
    if (text !== "") this.onErrors?.();
  }

  /// Scrolls to a line.
  reveal(line: number): void {
    const height = parseFloat(getComputedStyle(this.area).lineHeight), top = (line - 1) * height;
    if (top < this.area.scrollTop || top + 2 * height > this.area.scrollTop + this.area.clientHeight) this.area.scrollTop = top - 4 * height;
  }

  private go(line: number, column: number): void {
    const lines = this.text.split("\n"), own = lines[line - 1] ?? "", letter = letterOf(own, column);
    const begin = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + letter;
    const word = /^\w+|^./.exec(own.slice(letter));
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(begin, begin + (word?.[0].length ?? 0));
    this.reveal(line);
    this.follow();
  }

  private count(): void {
    const lines = this.text.split("\n").length;
    setText(this.numbers, Array.from({ length: lines }, (_, i) => i + 1).join("\n"));
    this.numbers.scrollTop = this.area.scrollTop;
  }
  private follow(): void {
    const before = this.text.slice(0, this.area.selectionStart).split("\n"), line = before.length;
    setText(this.place, `line ${line}, column ${new TextEncoder().encode(before[line - 1]).length + 1}`);
    if (line !== this.line && !this.isChanged) this.onLine?.(line);
    this.line = line;
  }
}
