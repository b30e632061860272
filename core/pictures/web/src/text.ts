// Numbers and elements for people.

export type Child = Node | string;

/// An element with attributes (class, type, ...) and children; texts are never read as markup.
export function element<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const name of Object.keys(attributes)) made.setAttribute(name, attributes[name]);
  made.append(...children);
  return made;
}

/// Changes an element's text where it is another one: its text node stays, which browsers lay out in less time than a new one.
export function setText(where: Element, text: string): void {
  const node = where.firstChild as Text | null;
  if (!node) where.textContent = text;
  else if (node.data !== text) node.data = text;
}

export function button(text: string, says: string, does: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title: says }, text);
  made.addEventListener("click", does);
  return made;
}

export function choice(label: string, options: string[], does: (chosen: string) => void): HTMLLabelElement {
  const select = element("select", {}, ...options.map((each) => element("option", {}, each)));
  select.addEventListener("change", () => does(select.value));
  return element("label", {}, label + " ", select);
}

export function field(label: string, says: string, does: (text: string) => void): HTMLLabelElement {
  const input = element("input", { type: "search", size: "13", placeholder: says, title: says });
  input.addEventListener("input", () => does(input.value));
  return element("label", {}, label + " ", input);
}

/// The text, or as much of it as has room with an ellipsis in place of the rest: of its middle where room is not short, since
/// ends tell names apart as often as beginnings. Nothing where a letter and the ellipsis have no room. O(log letters).
export function shortened(context: CanvasRenderingContext2D, text: string, room: number, keepsEnd = true): string {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  const cut = (kept: number): string => {
    const last = keepsEnd && kept >= 7 ? Math.floor(kept / 2) : 0;
    return letters.slice(0, kept - last).join("") + "…" + letters.slice(letters.length - last).join("");
  };
  let low = 0, high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(cut(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? cut(low) : "";
}

/// Three significant digits; whole numbers below a million as they are.
export function number(value: number): string {
  if (!isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return value.toString();
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return value.toExponential(2);
  return Number(value.toPrecision(4)).toString();
}

export function time(value: number, unit: "ns" | "ticks"): string {
  if (unit === "ticks") return number(value);
  const scale: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]];
  for (const [size, name] of scale)
    if (Math.abs(value) >= size) return Number((value / size).toPrecision(6)) + " " + name;
  return number(value) + " ns";
}

/// `0-3,7`: whether a number is meant; everything where the text is empty; nothing where it is none of this.
export function ranges(text: string): ((value: number) => boolean) | undefined {
  if (text.trim() === "") return () => true;
  const parts = text.split(",").map((part) => /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part));
  if (parts.some((part) => !part)) return undefined;
  return (value) => parts.some((part) => value >= Number(part![1]) && value <= Number(part![2] ?? part![1]));
}

/// Gives a text to keep as a file.
export function save(name: string, text: string | Blob, type = "text/plain"): void {
  const address = URL.createObjectURL(typeof text === "string" ? new Blob([text], { type }) : text);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
