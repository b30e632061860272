// Stepping through a chart: in the order of the scheduler's decisions if known, otherwise in order of start.

import { Boxes, GanttView } from "./data";

/// Describes the order of a chart's steps.
export function orderOfSteps(view: GanttView): string {
  return view.steps ? "in the order of the scheduler's decisions" : "in order of start";
}

export class Steps {
  readonly count: number;
  /// Number of displayed steps; `count` at the end. Undefined outside of stepping.
  private shown: number | undefined;
  /// By box: the step with which it appears, and the one with which it disappears.
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

  /// Returns the box of the new step; -1 at the beginning, where everything is displayed again.
  take(by: number): number {
    const next = Math.min(this.count, Math.max(0, (this.shown ?? 0) + by));
    this.shown = next === 0 ? undefined : next;
    return next === 0 ? -1 : this.boxOf[next - 1];
  }

  /// The text of the current step.
  get says(): string {
    if (this.shown === undefined) return "all operations";
    const reason = this.view.steps?.says[this.shown - 1] ?? "";
    return `step ${this.shown} of ${this.count}${reason ? ` (${reason})` : ""}: `;
  }
}
