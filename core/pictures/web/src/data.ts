// The data of a page: columns, since 10^5 objects take ten times the memory and parsing time.

export interface Page {
  format: "takt-view/1";
  title: string;
  says: string;
  /// Displayed figures: name, value, meaning.
  facts: [string, string, string][];
  views: View[];
}

export type View = GanttView | GraphView | LevelsView | ChartView | WaterfallView | TableView | PartitionsView | MeshView | ReplayView | SourceView | UnitsView;

interface Named {
  name: string;
  says: string;
}

/// The meaning of a box in a Gantt chart.
export const enum BoxKind { compute, send, receive, transfer, wait }
export const boxKinds = ["compute", "send", "receive", "transfer", "wait"];

export interface GanttView extends Named {
  kind: "gantt";
  unit: "ns" | "ticks";
  /// Schedules, above one another, with the period of each (0: not repeated) and the frames in it.
  groups: { name: string[]; repetition: number[]; replicas: number[] };
  /// Processors and links; `boxes` counts each row's boxes in the columns below, in order of start.
  rows: { name: string[]; group: number[]; boxes: number[] };
  tasks: { name: string[]; layer: number[]; stream: number[] };
  streams: string[];
  /// A list of the idle processors; rows without boxes are omitted.
  idle?: string;
  /// `gap` is the time since the end of the previous box (for the first one: since 0); `subject` a task, or a
  /// message; `instance` a frame, negative for frames of earlier iterations of a pipelined schedule.
  box: { gap: number[]; len: number[]; kind: number[]; subject: number[]; instance: number[] };
  /// Boxes at their ends (-1: none) and their contents.
  messages: { send: number[]; receive: number[]; bytes: number[]; name: string[]; id: number[] };
  /// For a placement: the step with which each box appears, and the one with which it disappears (possibly beyond the
  /// last one), counted from 0; the reason of each step.
  steps?: { from: number[]; to: number[]; says: string[] };
}

/// A task graph, an interaction graph, or a network.
export interface GraphView extends Named {
  kind: "graph";
  what: "tasks" | "network" | "interactions";
  /// Of interactions: the file has no directions, and is edited without them.
  undirected?: boolean;
  /// For a network: a large complete graph.
  complete?: boolean;
  unit: "ns" | "ticks";
  nodes: {
    name: string[]; x: number[]; y: number[]; width: number[]; work: number[]; layer: number[];
    /// -1: unknown.
    processor: number[]; critical: number[];
    /// All processors of each, if some have several.
    group?: number[][];
  };
  /// `load` is the fraction of the time in which a link is busy, -1 if unknown. For a network, `bytes` is a
  /// link's cost per byte, and `fixed` its cost per message.
  edges: { from: number[]; to: number[]; bytes: number[]; fixed: number[]; critical: number[]; load: number[]; bends: number[] };
  /// If nodes are tasks of several streams (`stream#frame/task`): their names, in the order of their colours.
  streams?: string[];
  /// Properties that YAML written by the page would lack; empty if there are none.
  loses: string;
  /// x and y of the bends of all edges, edge after edge. At most one per link of a network: the top of its arc.
  bends: number[];
}

/// Nested boxes: the structure of a machine.
export interface LevelsView extends Named {
  kind: "levels";
  /// `inside` is the enclosing box, -1 if there is none.
  boxes: { name: string[]; detail: string[]; inside: number[] };
}

export interface Series {
  name: string;
  style: "line" | "dots" | "steps" | "bars";
  x: number[];
  /// Null, in a file, or NaN for missing values.
  y: number[];
  /// Points that are 0 on a decibel axis: far below all others.
  zeros?: number[];
  says?: string[];
  /// The series whose colour and marks it uses: measurements next to a line.
  of?: number;
}

export interface ChartView extends Named {
  kind: "chart";
  x: string;
  y: string;
  series: Series[];
  /// Names of the places 0, 1, 2, ... along x, if they have any: bars, below each other.
  names?: string[];
  /// The series are parts of a whole, and are stacked.
  stacked?: boolean;
  /// Both axes are logarithmic: values that are not above 0 are omitted.
  log?: boolean;
}

export interface WaterfallView extends Named {
  kind: "waterfall";
  x: string;
  y: string;
  rows: number;
  columns: number;
  /// Unit of the values; may be empty.
  unit: string;
  /// Row after row, a byte each, base64; 0 is `least`, 253 is `most`, 254 a power of 0 in decibels, 255 missing.
  cells: string;
  least: number;
  most: number;
  first_x: number;
  last_x: number;
  first_y: number;
  last_y: number;
}

export const enum ColumnKind { text, number, ns, hz, bytes, seconds, share }

export interface TableView extends Named {
  kind: "table";
  columns: string[];
  /// The contents of the columns (ColumnKind): cells are numbers in that unit.
  numbers: ColumnKind[];
  rows: string[][];
}

/// The distribution of tasks' output: equal blocks on the processors in `group`, in order.
export interface PartitionsView extends Named {
  kind: "partitions";
  unit: "ns" | "ticks";
  parts: { task: string[]; frame: number[]; bytes: number[]; group: number[][] };
}

/// Polygons in a plane, and their partitions onto processors.
export interface MeshView extends Named {
  kind: "mesh";
  corners: { x: number[]; y: number[] };
  /// Corners of the cells, cell after cell; `count` of each.
  cells: { count: number[]; corners: number[] };
  /// Sides of two cells, with their corners.
  sides: { a: number[]; b: number[]; from: number[]; to: number[] };
  /// Of a structured mesh, row by row from the top; 0 if unstructured.
  columns: number;
  /// `owner` by cell; by processor, its cells, cut sides, values sent, and partners.
  partitions: { name: string; says: string; owner: number[]; load: number[]; cut: number[]; sent: number[]; partners: number[] }[];
}

/// A recorded run: a graph whose tasks change their states.
export interface ReplayView extends Named {
  kind: "replay";
  graph: GraphView;
  gantt: GanttView;
  /// Planned and measured (mean) time of each task, in ns.
  planned: number[];
  measured: number[];
}

/// A program's text next to its task graph, whose nodes are its calls in order.
export interface SourceView extends Named {
  kind: "source";
  /// Lines of the calls in the text.
  sites: number[];
  /// The text in order; `site` is the call that a part belongs to (-1: none), `access` 1: a section that it reads, 2:
  /// writes, 3: updates, 4: the procedure's name.
  parts: { text: string[]; site: number[]; access: number[] };
  /// By node: the call in the text, and the call as C with numbers.
  calls: { site: number[]; text: string[] };
  graph: GraphView;
}

/// States of a unit, as UnitState of pipeline/pages/unit_replay.hpp; a waiting one is a clear one, too.
export const enum UnitState { absent, clear, lined, hashed, black, waiting }

/// A path by its units from the bottom, the children in it, and its length: seconds or units.
export interface UnitPath { units: number[]; children: number[]; length: number }

/// The trace of one sched; y grows downwards.
export interface UnitRun {
  name: string;
  /// `parent` is the unit that has spawned it, -1 for a static one.
  nodes: { tag: number[]; parent: number[]; x: number[]; y: number[]; width: number[]; seconds: number[] };
  /// `child`: 1 from a child to its parent, 0 for a dependency; `bends`: how many points of the column below.
  edges: { below: number[]; above: number[]; child: number[]; bends: number[] };
  bends: number[];
  /// Events before the graph is shown.
  described: number;
  events: string[];
  /// `count` changes of states for each event.
  changes: { count: number[]; unit: number[]; state: number[] };
  /// Executing units after each event; events for each number of executing units.
  active: number[];
  histogram: number[];
  by_time: UnitPath;
  by_units: UnitPath;
  findings: string[];
}

/// Traces of units of computation.
export interface UnitsView extends Named {
  kind: "units";
  runs: UnitRun[];
}

/// The boxes of a Gantt chart with their times and rows.
export class Boxes {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly row: Int32Array;
  readonly first: Int32Array;
  readonly kind: Uint8Array;
  readonly subject: Int32Array;
  readonly instance: Int32Array;
  /// The index in the view: copies in further iterations share it.
  readonly origin: Int32Array;
  least = Infinity;
  most = -Infinity;

  constructor(view: GanttView, repetitions: number) {
    const own = view.box.gap.length;
    const times = view.groups.repetition.map((time) => (time > 0 ? repetitions : 1));
    const copiesOf = (row: number): number => times[view.rows.group[row]];
    let count = 0;
    view.rows.boxes.forEach((boxes, row) => (count += boxes * copiesOf(row)));
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    this.row = new Int32Array(count);
    this.kind = new Uint8Array(count);
    this.subject = new Int32Array(count);
    this.instance = new Int32Array(count);
    this.origin = new Int32Array(count);
    this.first = new Int32Array(view.rows.boxes.length + 1);
    const starts = new Float64Array(own), ends = new Float64Array(own);
    let at = 0, to = 0;
    view.rows.boxes.forEach((boxes, row) => {
      let time = 0;
      const from = at;
      for (; at < from + boxes; ++at) {
        starts[at] = time + view.box.gap[at];
        time = ends[at] = starts[at] + view.box.len[at];
      }
      const group = view.rows.group[row], repetition = view.groups.repetition[group];
      const order: [number, number][] = [];
      for (let k = 0; k < copiesOf(row); ++k)
        for (let box = from; box < at; ++box) order.push([box, k]);
      if (copiesOf(row) > 1) order.sort((a, b) => starts[a[0]] + a[1] * repetition - starts[b[0]] - b[1] * repetition);
      for (const [box, k] of order) {
        this.start[to] = starts[box] + k * repetition;
        this.end[to] = ends[box] + k * repetition;
        this.row[to] = row;
        this.kind[to] = view.box.kind[box];
        this.subject[to] = view.box.subject[box];
        this.instance[to] = view.box.instance[box] + k * view.groups.replicas[group];
        this.origin[to] = box;
        this.least = Math.min(this.least, this.start[to]);
        this.most = Math.max(this.most, this.end[to]);
        ++to;
      }
      this.first[row + 1] = to;
    });
    if (count === 0) this.least = this.most = 0;
  }

  get count(): number { return this.start.length; }

  /// Returns the predecessor of a row's first box that begins after a time: the last one that may contain it.
  lastBefore(row: number, time: number): number {
    let low = this.first[row], high = this.first[row + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /// Returns the box with an origin and an instance; -1 if there is none.
  find(origin: number, shift: number, view: GanttView): number {
    const from = this.byOrigin(view).get(origin);
    return from?.[shift] ?? -1;
  }
  private index?: Map<number, number[]>;
  private byOrigin(view: GanttView): Map<number, number[]> {
    if (this.index) return this.index;
    this.index = new Map();
    for (let i = 0; i < this.count; ++i) {
      const group = view.rows.group[this.row[i]];
      const k = Math.round((this.instance[i] - view.box.instance[this.origin[i]]) / view.groups.replicas[group]);
      const list = this.index.get(this.origin[i]) ?? [];
      list[k] = i;
      this.index.set(this.origin[i], list);
    }
    return this.index;
  }
  /// Returns the number of iterations between the first one and a box.
  shiftOf(box: number, view: GanttView): number {
    const group = view.rows.group[this.row[box]];
    return Math.round((this.instance[box] - view.box.instance[this.origin[box]]) / view.groups.replicas[group]);
  }
}
