// Many small boxes, painted pixel by pixel: the cost of a canvas rectangle depends on its area only.

export class Pixels {
  private readonly canvas = document.createElement("canvas");
  private image?: ImageData;
  private words = new Uint32Array(0);
  private isEmpty = true;

  /// Makes all pixels transparent.
  clear(width: number, height: number): void {
    if (this.image?.width !== width || this.image.height !== height) {
      this.canvas.width = Math.max(1, width);
      this.canvas.height = Math.max(1, height);
      this.image = new ImageData(this.canvas.width, this.canvas.height);
      this.words = new Uint32Array(this.image.data.buffer);
    } else if (!this.isEmpty) this.words.fill(0);
    this.isEmpty = true;
  }

  /// Fills from and to whole pixels, the latter exclusive.
  fill(x: number, y: number, toX: number, toY: number, word: number): void {
    const { width, height } = this.image!;
    const left = Math.max(0, x), right = Math.min(width, toX), low = Math.min(height, toY);
    for (let row = Math.max(0, y); row < low; ++row) this.words.fill(word, row * width + left, row * width + Math.max(left, right));
    this.isEmpty = false;
  }

  draw(context: CanvasRenderingContext2D): void {
    if (this.isEmpty) return;
    this.canvas.getContext("2d")!.putImageData(this.image!, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.canvas, 0, 0);
  }
}

/// Converts `#rrggbb` or `#rgb` to a pixel.
export function pixel(css: string, alpha: number): number {
  const long = css.length === 4 ? "#" + [...css.slice(1)].map((each) => each + each).join("") : css;
  const part = (at: number): number => parseInt(long.slice(at, at + 2), 16);
  const bytes = Uint8Array.of(part(1), part(3), part(5), Math.round(255 * alpha));
  return new Uint32Array(bytes.buffer)[0];
}
