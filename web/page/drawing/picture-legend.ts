// Draws the legend below a saved picture: a colour scale, or rows of colour, label and value.

import { stops } from "../../src/tasks/depth/colormap/viridis.js";
import { cssColor } from "./region-colors.js";
import { truncateText } from "./truncate-text.js";

/** `scale` has the labels of the dark end, the middle and the bright end. */
export interface PictureLegend {
  scale?: readonly string[];
  rows?: readonly LegendRow[];
}

interface LegendRow {
  label: string;
  value: string;
  color?: string | null;
}

/** Further rows are only counted. */
const MAX_ROWS = 16;
/** Narrower pictures get a margin, so that text fits below them. */
const MIN_WIDTH = 360;

/** Returns the picture with the legend below it, on white. */
export function withLegend(picture: HTMLCanvasElement, legend: PictureLegend): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(MIN_WIDTH, picture.width);
  const size = Math.min(36, Math.max(14, Math.round(canvas.width / 45)));
  const rows = limitRows(legend.rows ?? []);
  const lines = rows.length + (legend.scale ? 2 : 0);
  canvas.height = picture.height + Math.round((lines * 1.6 + 1.4) * size);
  const context = canvas.getContext("2d");
  if (!context) return picture;
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, Math.floor((canvas.width - picture.width) / 2), 0);
  context.font = `${size}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  let top = picture.height + 0.7 * size;
  if (legend.scale) top = drawScale(context, legend.scale, size, top);
  for (const row of rows) top = drawRow(context, row, size, top);
  return canvas;
}

function limitRows(rows: readonly LegendRow[]): LegendRow[] {
  if (rows.length <= MAX_ROWS) return [...rows];
  const more = `and ${rows.length - MAX_ROWS + 1} more`;
  return [...rows.slice(0, MAX_ROWS - 1), { label: more, value: "" }];
}

/** Draws the scale, and returns the top of the next line, like `drawRow`. */
function drawScale(
  context: CanvasRenderingContext2D,
  words: readonly string[],
  size: number,
  top: number,
): number {
  const width = context.canvas.width - 2 * size;
  const colors = context.createLinearGradient(size, 0, size + width, 0);
  for (const [index, stop] of stops.entries())
    colors.addColorStop(index / (stops.length - 1), cssColor(stop));
  context.fillStyle = colors;
  context.fillRect(size, top + 0.4 * size, width, 0.9 * size);
  context.fillStyle = "#12151a";
  for (const [index, text] of words.entries()) {
    context.textAlign = index === 0 ? "left" : index === words.length - 1 ? "right" : "center";
    context.fillText(
      text,
      size + (index / (words.length - 1)) * width,
      top + 2.4 * size,
      width / words.length,
    );
  }
  return top + 3.2 * size;
}

function drawRow(context: CanvasRenderingContext2D, row: LegendRow, size: number, top: number): number {
  const { width } = context.canvas;
  const middle = top + 0.8 * size;
  let left = size;
  if (row.color) {
    context.fillStyle = row.color;
    context.fillRect(left, middle - 0.45 * size, 0.9 * size, 0.9 * size);
    left += 1.5 * size;
  }
  context.fillStyle = "#12151a";
  context.textAlign = "right";
  context.fillText(row.value, width - size, middle);
  const room = width - size - left - context.measureText(row.value).width - size;
  context.textAlign = "left";
  context.fillText(truncateText(context, row.label, room), left, middle);
  return top + 1.6 * size;
}
