// The outlines of a mask as polygons, along the edges of its pixels.

import type { PixelTest } from "./rle.js";

/** x and y alternating, in pixels of the picture. */
export type Polygon = number[];

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** An edge from a pixel's corner to the next, clockwise on a screen around the pixels inside. */
interface Edge {
  x: number;
  y: number;
  dx: number;
  dy: number;
  used: boolean;
}

/**
 * Returns the outer outlines of the pixels inside an area, one polygon for each 4-connected group. Holes are
 * left out: COCO's polygons have none.
 */
export function outlines(area: Area, inside: PixelTest): Polygon[] {
  const edges = boundary(area, inside);
  const polygons: Polygon[] = [];
  for (const group of edges.values())
    for (const edge of group) {
      if (edge.used) continue;
      const corners = follow(edge, edges);
      if (signedArea(corners) > 0) polygons.push(corners);
    }
  return polygons;
}

/** Returns the area of a polygon: positive if its corners are clockwise on a screen. */
export function signedArea(polygon: Polygon): number {
  let double = 0;
  for (let i = 0; i < polygon.length; i += 2) {
    const j = (i + 2) % polygon.length;
    double += (polygon[i] ?? 0) * (polygon[j + 1] ?? 0) - (polygon[j] ?? 0) * (polygon[i + 1] ?? 0);
  }
  return double / 2;
}

/** Returns all edges between a pixel inside and one outside, by the corner that they start at. */
function boundary({ left, top, right, bottom }: Area, inside: PixelTest): Map<string, Edge[]> {
  const edges = new Map<string, Edge[]>();
  const within: PixelTest = (x, y) => x >= left && x < right && y >= top && y < bottom && inside(x, y);
  const add = (x: number, y: number, dx: number, dy: number): void => {
    const group = edges.get(`${x},${y}`);
    const edge = { x, y, dx, dy, used: false };
    if (group) group.push(edge);
    else edges.set(`${x},${y}`, [edge]);
  };
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      if (!within(x, y)) continue;
      if (!within(x, y - 1)) add(x, y, 1, 0);
      if (!within(x + 1, y)) add(x + 1, y, 0, 1);
      if (!within(x, y + 1)) add(x + 1, y + 1, -1, 0);
      if (!within(x - 1, y)) add(x, y + 1, 0, -1);
    }
  return edges;
}

/** Returns the corners of the closed outline that an edge is part of, without those on a straight line. */
function follow(start: Edge, edges: Map<string, Edge[]>): Polygon {
  const corners: Polygon = [];
  let edge: Edge | undefined = start;
  let before: Edge = start;
  while (edge) {
    edge.used = true;
    if (edge === start || edge.dx !== before.dx || edge.dy !== before.dy) corners.push(edge.x, edge.y);
    before = edge;
    edge = next(edge, edges);
  }
  // If the outline was entered in the middle of a side, the first corner is on a straight line.
  if (before.dx === start.dx && before.dy === start.dy) corners.splice(0, 2);
  return corners;
}

/**
 * Returns the next edge. Where two pixels touch only at a corner, the outline turns right and stays with its
 * own pixel.
 */
function next({ x, y, dx, dy }: Edge, edges: Map<string, Edge[]>): Edge | undefined {
  const free = (edges.get(`${x + dx},${y + dy}`) ?? []).filter((edge) => !edge.used);
  return free.find((edge) => edge.dx === -dy && edge.dy === dx) ?? free[0];
}
