// The structure of a machine: nested boxes, as many in a row as fit.

import { LevelsView } from "./data";
import { element } from "./text";

export function levels(view: LevelsView): HTMLElement {
  const { name, detail, inside } = view.boxes, roots: number[] = [], held: number[][] = name.map(() => []);
  inside.forEach((holder, box) => (holder < 0 ? roots : held[holder]).push(box));
  const show = (boxes: number[]): HTMLElement => element("ul", { class: "levels" }, ...boxes.map((box) =>
    element("li", { class: held[box].length > 0 ? "holder" : "leaf" }, element("strong", {}, name[box]),
            ...(detail[box] ? [element("span", {}, detail[box])] : []), ...(held[box].length > 0 ? [show(held[box])] : []))));
  return show(roots);
}
