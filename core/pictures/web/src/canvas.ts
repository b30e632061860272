// The common canvas of all views: pan, zoom, print, keyboard control.

import { forgetColours } from "./colours";
import { axisUnit, element, markText, plainTitle, withUnitOf } from "./text";

/// Position of the window in world coordinates: screen = (world - offset) * scale.
export interface Camera {
  x: number; y: number;
  kx: number; ky: number;
}

export interface Scene {
  /// A description for screen readers.
  readonly label: string;
  /// How the world zooms: x and y alike, x only, or not at all.
  readonly zooms: "both" | "x" | "none";
  /// Returns the camera that shows everything.
  everything(width: number, height: number): Camera;
  /// Returns the initial camera, if it differs.
  start?(width: number, height: number): Camera;
  /// Returns the bounds of the contents in world coordinates, if a camera could move outside them.
  extent?(): { left: number; top: number; right: number; bottom: number };
  draw(context: CanvasRenderingContext2D, width: number, height: number): void;
  /// Describes the object at a screen position; undefined if there is none.
  tell(x: number, y: number): string | undefined;
  /// Returns whether the key was handled.
  key?(event: KeyboardEvent): boolean;
  click?(x: number, y: number, event: MouseEvent): void;
  /// Returns whether a drag from here moves something other than the camera.
  drag?(x: number, y: number, phase: "begin" | "move" | "end", event: PointerEvent): boolean;
}

const least = 1e-12, most = 1e12;
/// Width of an A4 page between its margins, in pixels.
const paper = 700;

export class Surface {
  readonly root: HTMLElement;
  readonly camera: Camera = { x: 0, y: 0, kx: 1, ky: 1 };
  private readonly canvas: HTMLCanvasElement;
  private readonly tip: HTMLElement;
  private readonly live: HTMLElement;
  private width = 0;
  private height = 0;
  private isWaiting = false;
  /// Whether it is visible: elsewhere only the first picture is drawn, until it becomes visible.
  private isInView = true;
  private isStale = false;
  /// Whether the user has chosen the camera position, or the view of everything.
  private isMoved = false;
  private isWhole = false;
  /// The screen's state during printing.
  private screen?: { width: number; height: number; camera: Camera };
  private drags = false;
  private takes = false;
  private last = { x: 0, y: 0 };
  /// A click may move a little: a drag begins some pixels from its start.
  private hasLeft = false;
  /// Touch points by number.
  private readonly fingers = new Map<number, { x: number; y: number }>();
  /// Drawing time of the last picture, for tests and diagnostics.
  lastDraw = 0;

  constructor(private readonly scene: Scene, className = "") {
    this.canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": scene.label });
    this.tip = element("div", { class: "tip", role: "tooltip" });
    this.tip.hidden = true;
    this.live = element("p", { class: "live", "aria-live": "polite" });
    this.root = element("div", { class: "surface " + className }, this.canvas, this.tip, this.live);
    new ResizeObserver(() => this.resize()).observe(this.root);
    new IntersectionObserver((entries) => {
      this.isInView = entries[entries.length - 1].isIntersecting;
      if (this.isInView && this.isStale) this.redraw();
    }, { rootMargin: "100px" }).observe(this.root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      forgetColours();
      this.redraw();
    });
    // Graphics memory may be lost, and is restored empty.
    this.canvas.addEventListener("contextrestored", () => this.redraw());
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    this.listen();
  }

  redraw(): void {
    if (this.isWaiting) return;
    // A requested frame costs time, even without painting.
    this.isStale = !this.isInView && this.lastDraw > 0;
    if (this.isStale) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.paint(devicePixelRatio || 1);
    });
  }

  /// Displays a text in the line below, and announces it to screen readers.
  say(text: string): void {
    if (this.live.textContent !== text) this.live.textContent = text;
  }

  seeEverything(): void {
    this.isMoved = false;
    this.isWhole = true;
    Object.assign(this.camera, this.scene.everything(this.width, this.height));
    this.redraw();
  }

  /// The scene has grown: shows all of it, unless the user looks at a part.
  grow(): void {
    if (this.isMoved) this.redraw();
    else this.seeEverything();
  }

  /// The scene's bounds have changed during drawing: shows everything again, unless the user looks at a part.
  showAllAgain(): void {
    if (!this.isMoved) Object.assign(this.camera, this.scene.everything(this.width, this.height));
  }

  /// Zooms around a screen position, by default the centre.
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    if (this.scene.zooms === "none") return;
    this.isMoved = true;
    const camera = this.camera, kx = Math.min(most, Math.max(least, camera.kx * factor));
    camera.x += x / camera.kx - x / kx;
    camera.kx = kx;
    if (this.scene.zooms === "both") {
      camera.y += y / camera.ky - y / kx;
      camera.ky = kx;
    }
    this.stayNear();
    this.redraw();
  }

  move(dx: number, dy: number): void {
    this.isMoved = true;
    this.camera.x += dx / this.camera.kx;
    this.camera.y += dy / this.camera.ky;
    this.stayNear();
    this.redraw();
  }

  /// Centres the screen on a world position.
  centre(x: number, y: number): void {
    this.isMoved = true;
    this.camera.x = x - this.width / 2 / this.camera.kx;
    this.camera.y = y - this.height / 2 / this.camera.ky;
    this.stayNear();
    this.redraw();
  }

  /// Keeps a part of the contents visible, however far the camera moves.
  private stayNear(): void {
    const all = this.scene.extent?.(), { camera } = this, kept = 40;
    if (!all) return;
    const within = (at: number, from: number, to: number, size: number, k: number): number => Math.min(to - kept / k, Math.max(from - (size - kept) / k, at));
    camera.x = within(camera.x, all.left, all.right, this.width, camera.kx);
    camera.y = within(camera.y, all.top, all.bottom, this.height, camera.ky);
  }

  get size(): { width: number; height: number } { return { width: this.width, height: this.height }; }
  /// Returns the picture as a file.
  picture(done: (blob: Blob | null) => void): void {
    this.paint(2);
    this.canvas.toBlob(done);
    this.redraw();
  }
  focus(): void { this.canvas.focus(); }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (this.screen || clientWidth === 0 || clientHeight === 0 || (clientWidth === this.width && clientHeight === this.height)) return;
    this.fit(clientWidth, clientHeight);
    this.redraw();
  }

  /// Adapts to a resized window, a rotated phone, or paper: keeps everything in view, or the centre of the part that the user has
  /// chosen.
  private fit(width: number, height: number): void {
    const ratio = this.width > 0 ? width / this.width : 1, { camera } = this;
    const middle = { x: camera.x + this.width / 2 / camera.kx, y: camera.y + this.height / 2 / camera.ky };
    this.width = width;
    this.height = height;
    if (!this.isMoved) Object.assign(camera, (this.isWhole ? undefined : this.scene.start?.(this.width, this.height)) ?? this.scene.everything(this.width, this.height));
    else if (this.scene.zooms === "x") camera.kx *= ratio;
    else this.centre(middle.x, middle.y);
  }

  private paint(ratio: number): void {
    if (this.width === 0) return;
    const begin = performance.now();
    const width = Math.round(this.width * ratio), height = Math.round(this.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    // Scenes fill the whole canvas: opaque canvases are composed faster.
    const context = this.canvas.getContext("2d", { alpha: false })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    this.scene.draw(context, this.width, this.height);
    this.lastDraw = performance.now() - begin;
    this.canvas.dataset.drawn = this.lastDraw.toFixed(2);
  }

  private print(begins: boolean): void {
    document.documentElement.classList.toggle("printing", begins);
    forgetColours();
    // Pictures wider than paper would be scaled down, including their text.
    if (begins && !this.screen) {
      this.screen = { width: this.width, height: this.height, camera: { ...this.camera } };
      if (this.width > paper) this.fit(paper, this.height);
    } else if (!begins && this.screen) {
      if (this.width !== this.screen.width) this.fit(this.screen.width, this.screen.height);
      if (this.isMoved) Object.assign(this.camera, this.screen.camera);
      this.screen = undefined;
    }
    this.paint(begins ? 2 : devicePixelRatio || 1);
  }

  private listen(): void {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      // The wheel scrolls the page until the picture has the focus.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.move(event.deltaX || event.deltaY, 0);
      else this.zoom(Math.exp(-event.deltaY * 0.002), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (this.fingers.size > 1) return;
      this.last = { x: event.offsetX, y: event.offsetY };
      this.drags = true;
      this.hasLeft = false;
      this.takes = this.scene.drag?.(event.offsetX, event.offsetY, "begin", event) ?? false;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.fingers.size > 1) return this.pinch(event);
      if (!this.drags) return this.hover(event.offsetX, event.offsetY);
      if (!this.hasLeft && Math.hypot(event.offsetX - this.last.x, event.offsetY - this.last.y) < 4) return;
      this.hasLeft = true;
      if (this.takes) this.scene.drag!(event.offsetX, event.offsetY, "move", event);
      else this.move(this.last.x - event.offsetX, this.last.y - event.offsetY);
      this.last = { x: event.offsetX, y: event.offsetY };
    });
    const release = (event: PointerEvent): void => {
      this.fingers.delete(event.pointerId);
      if (this.takes) this.scene.drag!(event.offsetX, event.offsetY, "end", event);
      this.drags = this.takes = false;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("click", (event) => {
      if (!this.hasLeft) this.scene.click?.(event.offsetX, event.offsetY, event);
    });
    canvas.addEventListener("dblclick", (event) => {
      if (this.scene.click) this.scene.click(event.offsetX, event.offsetY, event);
      else this.zoom(2, event.offsetX, event.offsetY);
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.altKey || event.metaKey || event.ctrlKey) return;
      if (this.scene.key?.(event) || this.cameraKey(event)) event.preventDefault();
    });
  }

  /// Two touch points: their distance zooms, around their centre.
  private pinch(event: PointerEvent): void {
    const [a, b] = [...this.fingers.values()], before = Math.hypot(a.x - b.x, a.y - b.y) || 1;
    this.fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    const [c, d] = [...this.fingers.values()];
    this.hasLeft = true;
    this.zoom(Math.hypot(c.x - d.x, c.y - d.y) / before || 1, (c.x + d.x) / 2, (c.y + d.y) / 2);
    this.last = { x: event.offsetX, y: event.offsetY };
  }

  private cameraKey(event: KeyboardEvent): boolean {
    const step = 80;
    switch (event.key) {
      case "+": case "=": this.zoom(1.5); return true;
      case "-": case "_": this.zoom(1 / 1.5); return true;
      case "0": this.seeEverything(); return true;
      case "ArrowLeft": this.move(-step, 0); return true;
      case "ArrowRight": this.move(step, 0); return true;
      case "ArrowUp": this.move(0, -step); return true;
      case "ArrowDown": this.move(0, step); return true;
    }
    return false;
  }

  private hover(x: number, y: number): void {
    const text = this.scene.tell(x, y);
    this.tip.hidden = text === undefined;
    if (text === undefined) return;
    this.tip.textContent = text;
    const width = this.tip.offsetWidth, height = this.tip.offsetHeight;
    this.tip.style.left = `${Math.max(0, Math.min(x + 14, this.width - width - 4))}px`;
    this.tip.style.top = `${y + 18 + height > this.height ? Math.max(0, y - height - 8) : y + 18}px`;
  }
}

/// Relative rounding error: no marks can be placed between values with a smaller difference.
export const rounding = 1e-12;

/// Returns round steps for about `wanted` marks; at least two, since one mark defines no scale.
export function marks(from: number, to: number, wanted: number): number[] {
  if (!(to - from > rounding * Math.max(Math.abs(from), Math.abs(to))) || !isFinite(to - from)) return [];
  let found: number[] = [];
  for (let count = Math.max(1, wanted); found.length < 2 && count < 16 * Math.max(1, wanted); count *= 1.5) {
    const rough = (to - from) / count, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
    found = [];
    for (let i = Math.ceil(from / step); i * step <= to; ++i) found.push(i * step);
  }
  return found;
}

/// Returns an axis in the fitting unit of its values: its title, and marks with their texts.
export function axis(title: string, from: number, to: number, wanted: number): { title: string; marks: [at: number, text: string][] } {
  const unit = axisUnit(title, Math.max(Math.abs(from), Math.abs(to))), found = marks(from / unit.size, to / unit.size, wanted);
  const step = found.length > 1 ? found[1] - found[0] : 1;
  // Cells around whole numbers have no marks between them.
  if (from === -0.5 && step < 1) return { title, marks: marks(from, to, to - from).map((mark) => [mark, String(mark)]) };
  return { title: unit.title, marks: found.map((mark) => [mark * unit.size, markText(mark, step)]) };
}

/// The equivalent for a logarithmic axis, whose ends are logarithms to base ten: sizes in bytes have marks at powers of two, others at powers of ten, with 2 and 5
/// times those if there are few. Each mark has its unit.
export function logAxis(title: string, from: number, to: number, wanted: number): { title: string; marks: [at: number, text: string][] } {
  const made: [number, string][] = [], isOfBytes = title.endsWith("(B)"), base = isOfBytes ? 2 : 10;
  const low = from / Math.log10(base), high = to / Math.log10(base), fits = (high - low) / Math.max(1, wanted);
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => each >= fits) ?? Math.ceil(fits);
  const factors = !isOfBytes && high - low < 2.5 ? [1, 2, 5] : [1];
  for (let power = Math.floor(low / step) * step; power <= high; power += step)
    for (const factor of factors) {
      const value = factor * Math.pow(base, power);
      if (Math.log10(value) >= from && Math.log10(value) <= to) made.push([value, withUnitOf(title, value)]);
    }
  return { title: plainTitle(title), marks: made };
}
