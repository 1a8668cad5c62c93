// Points of an output in pixels of the picture: its rows, or the peaks of its heat maps.

import { inSlices } from "../../src/export/slices.js";
import type { Pose } from "../../src/index.js";
import { drawSkeleton } from "../drawing/draw-skeleton.js";
import { paintedSize } from "../drawing/sliced-painter.js";
import { make } from "../util/elements.js";
import type { Planes, Rows } from "./axes.js";
import { numberAt, type Values } from "./behaviour.js";
import { onPicture, type Placement, type Point } from "./placement.js";
import type { Unit } from "./units.js";

type Marks = Pose["keypoints"];

/** At most this many points are drawn. */
export const mostPoints = 500;

/** Returns points from columns x, y or y, x; a third column is a score if all its values are in 0..1. */
export function rowPoints(
  data: Values,
  { count, columns }: Rows,
  unit: Unit,
  placement: Placement,
  flipped = false,
): Marks {
  const rows = Array.from({ length: Math.min(count, mostPoints) }, (_, row) => {
    const [first = 0, second = 0, third = 0] = [0, 1, 2].map((column) =>
      numberAt(data, row * columns + column),
    );
    const [x, y] = flipped ? [second, first] : [first, second];
    return { point: onPicture(placement, { x, y }, unit), third };
  });
  const sure = columns > 2 && rows.every(({ third }) => third >= 0 && third <= 1);
  return rows.map(({ point, third }, index) => mark(point, index, sure ? third : 1));
}

/** Returns the maximum of each map; null if another output is shown meanwhile. */
export async function peakPoints(
  data: Values,
  { width, height, channels, step, stride }: Planes,
  placement: Placement,
  stopped: () => boolean,
): Promise<Marks | null> {
  const area = width * height;
  const cells = new Int32Array(Math.min(channels, mostPoints));
  const largest = new Float64Array(cells.length).fill(Number.NEGATIVE_INFINITY);
  const work = (from: number, end: number): void => {
    for (let at = from; at < end; at += 1) {
      const [channel, cell] = [Math.floor(at / area), at % area];
      const value = numberAt(data, cell * step + channel * stride);
      if (value <= (largest[channel] ?? 0)) continue;
      largest[channel] = value;
      cells[channel] = cell;
    }
  };
  if (!(await inSlices(cells.length * area, 100_000, work, stopped))) return null;
  return Array.from(cells, (cell, index) => {
    const x = ((cell % width) + 0.5) / width;
    const y = (Math.floor(cell / width) + 0.5) / height;
    return mark(onPicture(placement, { x, y }, "parts"), index, 1);
  });
}

export function mark({ x, y }: Point, index: number, confidence: number): Marks[number] {
  return { name: `point ${index}`, x, y, confidence };
}

/** Paints points on a transparent bitmap with the picture's aspect ratio, with lines between pairs of them. */
export function paintPoints(
  marks: Marks,
  { geometry }: Placement,
  pairs: [number, number][] = [],
): Promise<ImageBitmap> {
  const { source } = geometry;
  const canvas = make("canvas");
  const { width, height } = paintedSize(scaledUp(source));
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const [scale, pen] = [width / source.width, Math.max(width, height) / 640];
  const fit = { left: 0, top: 0, width, height, scale, mirrored: false };
  const names = marks.map(({ name }) => ({ name, side: "left" as const }));
  const widths = { limb: 2.5 * pen, joint: 5 * pen, halo: 1.25 * pen };
  if (context)
    drawSkeleton(context, { keypoints: marks }, { keypoints: names, skeleton: pairs }, fit, widths, 1);
  return createImageBitmap(canvas);
}

/** Enlarges a small picture's size, so that points look round. */
function scaledUp({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const scale = Math.max(1, 1280 / Math.max(width, height));
  return { width: width * scale, height: height * scale };
}
