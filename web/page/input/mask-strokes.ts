// The strokes of a painted mask, so that the last one can be undone.

/** The colour of painted pixels. */
const color = "#ff4060";

export interface StrokePoint {
  x: number;
  y: number;
}

/** A brush stroke through points of the picture, `size` picture pixels wide. */
interface Stroke {
  points: StrokePoint[];
  size: number;
  erases: boolean;
}

export class MaskStrokes {
  readonly #canvas: OffscreenCanvas;
  #strokes: Stroke[] = [];

  constructor({ width, height }: { width: number; height: number }) {
    this.#canvas = new OffscreenCanvas(width, height);
  }

  /** The canvas: painted pixels are opaque, others transparent. */
  get canvas(): OffscreenCanvas {
    return this.#canvas;
  }

  get isEmpty(): boolean {
    return this.#strokes.length === 0;
  }

  begin(stroke: Stroke): void {
    this.#strokes.push(stroke);
    this.#paint(stroke);
  }

  /** Continues the last stroke. */
  extend(point: StrokePoint): void {
    const stroke = this.#strokes.at(-1);
    if (!stroke) return;
    stroke.points.push(point);
    this.#paint({ ...stroke, points: stroke.points.slice(-2) });
  }

  undo(): void {
    this.#strokes.pop();
    this.#repaint();
  }

  clear(): void {
    this.#strokes = [];
    this.#repaint();
  }

  /** Returns 1 for each painted pixel, row by row. */
  mask(): Uint8Array {
    const { width, height } = this.#canvas;
    const { data } = this.#context().getImageData(0, 0, width, height);
    const mask = new Uint8Array(width * height);
    for (let at = 0; at < mask.length; at += 1) mask[at] = (data[at * 4 + 3] ?? 0) >= 128 ? 1 : 0;
    return mask;
  }

  #repaint(): void {
    this.#context().clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const stroke of this.#strokes) this.#paint(stroke);
  }

  #paint({ points, size, erases }: Stroke): void {
    const [first, ...rest] = points;
    if (!first) return;
    const context = this.#context();
    context.globalCompositeOperation = erases ? "destination-out" : "source-over";
    context.fillStyle = context.strokeStyle = color;
    context.lineWidth = size;
    context.lineCap = context.lineJoin = "round";
    // A line back to its start draws nothing.
    context.beginPath();
    context.arc(first.x, first.y, size / 2, 0, 2 * Math.PI);
    context.fill();
    context.beginPath();
    context.moveTo(first.x, first.y);
    for (const { x, y } of rest) context.lineTo(x, y);
    context.stroke();
  }

  #context(): OffscreenCanvasRenderingContext2D {
    const context = this.#canvas.getContext("2d", { willReadFrequently: true });
    if (context === null) throw new Error("This browser has no canvas for the mask.");
    return context;
  }
}
