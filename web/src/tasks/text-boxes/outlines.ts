// Finds the outlines of a bitmap: of set cells, and of holes. Each is the convex hull of its pixels.

import { connectedRuns, type Run } from "../connected-runs.js";
import type { Corner } from "./result.js";

/** Bytes, row by row: 1 where a cell is set, else 0. */
export interface Bitmap {
  width: number;
  height: number;
  cells: Uint8Array;
}

/** The minimum and maximum column of each row from `top` on, and where the outline is found first. */
interface Outline {
  first: Corner;
  top: number;
  lefts: number[];
  rights: number[];
}

/**
 * Returns the convex hull of each outline, `most` at most. Outlines are those of OpenCV's `findContours` with
 * `RETR_LIST`, in its order, the last one found first: of set cells that touch at edges or corners, and of
 * holes, whose cells touch at edges. The outline of a hole is the set cells around it.
 */
export function outlineHulls(bitmap: Bitmap, most: number): Corner[][] {
  const { width, height } = bitmap;
  const set = connectedRuns(runsOf(bitmap, 1), true).map(outlineOf);
  const holes = connectedRuns(runsOf(bitmap, 0), false)
    .filter((runs) =>
      runs.every(({ line, begin, end }) => line > 0 && line < height - 1 && begin > 0 && end < width),
    )
    .map(outlineAround);
  return [...set, ...holes]
    .sort(({ first: [x1, y1] }, { first: [x2, y2] }) => y2 - y1 || x2 - x1)
    .slice(0, most)
    .map(hullOf);
}

function runsOf({ width, cells }: Bitmap, value: 0 | 1): Run[] {
  const runs: Run[] = [];
  for (let at = cells.indexOf(value); at >= 0; at = cells.indexOf(value, at)) {
    const line = Math.floor(at / width);
    const start = line * width;
    const change = cells.indexOf(1 - value, at);
    const stop = change < 0 ? start + width : Math.min(change, start + width);
    runs.push({ line, begin: at - start, end: stop - start });
    at = stop;
  }
  return runs;
}

function outlineOf(runs: readonly Run[]): Outline {
  const outline = emptyOutline(runs, 0);
  for (const { line, begin, end } of runs) widen(outline, line, begin, end - 1);
  return outline;
}

/** Returns the outline of a hole: its hull is that of the hole's cells and their neighbours at edges. */
function outlineAround(runs: readonly Run[]): Outline {
  const outline = emptyOutline(runs, 1);
  for (const { line, begin, end } of runs) {
    widen(outline, line - 1, begin, end - 1);
    widen(outline, line, begin - 1, end);
    widen(outline, line + 1, begin, end - 1);
  }
  return outline;
}

function emptyOutline(runs: readonly Run[], border: number): Outline {
  const { line = 0, begin = 0 } = runs[0] ?? {};
  return { first: [begin - border, line], top: line - border, lefts: [], rights: [] };
}

function widen({ top, lefts, rights }: Outline, line: number, left: number, right: number): void {
  const at = line - top;
  lefts[at] = Math.min(lefts[at] ?? left, left);
  rights[at] = Math.max(rights[at] ?? right, right);
}

/** Returns the convex hull by Andrew's monotone chain over the ends of rows, from the top down and back. */
function hullOf({ top, lefts, rights }: Outline): Corner[] {
  const points = lefts.flatMap((left, at): Corner[] => {
    const right = rights[at] ?? left;
    return left === right
      ? [[left, top + at]]
      : [
          [left, top + at],
          [right, top + at],
        ];
  });
  if (points.length < 3) return points;
  return [...chainOf(points).slice(0, -1), ...chainOf(points.reverse()).slice(0, -1)];
}

function chainOf(points: readonly Corner[]): Corner[] {
  const chain: Corner[] = [];
  for (const point of points) {
    while (chain.length > 1 && !turnsRight(chain.at(-2), chain.at(-1), point)) chain.pop();
    chain.push(point);
  }
  return chain;
}

function turnsRight([x1, y1]: Corner = [0, 0], [x2, y2]: Corner = [0, 0], [x, y]: Corner): boolean {
  return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0;
}
