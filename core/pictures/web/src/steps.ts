// Stepping through a chart: in the order in which a scheduler decided where that is known, otherwise in order of start.

import { Boxes, GanttView } from "./data";

/// How the steps of a chart follow each other, in words.
export function orderOfSteps(view: GanttView): string {
  return view.steps ? "in the order of the scheduler's decisions" : "in order of start";
}

export class Steps {
  readonly count: number;
  /// How many steps are shown; `count` at the end. Nothing is stepped through while undefined.
  private shown: number | undefined;
  /// By box: the step that it appears with, and the one that it goes with.
  private readonly from: ArrayLike<number>;
  private readonly to: ArrayLike<number> | undefined;
  /// By step.
  private readonly boxOf: Int32Array;

  constructor(private readonly view: GanttView, boxes: Boxes) {
    const { steps } = view;
    this.count = steps ? steps.says.length : boxes.count;
    this.boxOf = new Int32Array(this.count).fill(-1);
    if (steps) {
      this.from = steps.from;
      this.to = steps.to;
      steps.from.forEach((step, box) => (this.boxOf[step] = box));
      return;
    }
    for (let box = 0; box < boxes.count; ++box) this.boxOf[box] = box;
    this.boxOf.sort((a, b) => boxes.start[a] - boxes.start[b] || a - b);
    const from = new Int32Array(boxes.count);
    this.boxOf.forEach((box, step) => (from[box] = step));
    this.from = from;
  }

  get isOn(): boolean { return this.shown !== undefined; }

  shows(box: number): boolean {
    const shown = this.shown ?? this.count;
    return this.from[box] < shown && (this.to === undefined || this.to[box] >= shown);
  }

  /// The box of the step that is come to; -1 at the beginning, where everything is shown again.
  take(by: number): number {
    const next = Math.min(this.count, Math.max(0, (this.shown ?? 0) + by));
    this.shown = next === 0 ? undefined : next;
    return next === 0 ? -1 : this.boxOf[next - 1];
  }

  /// Of the step that is shown.
  get says(): string {
    if (this.shown === undefined) return "all operations";
    const reason = this.view.steps?.says[this.shown - 1] ?? "";
    return `step ${this.shown} of ${this.count}${reason ? ` (${reason})` : ""}: `;
  }
}
