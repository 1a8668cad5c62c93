// Finds the detection at a point of the stage.

import type { AnyDetection } from "../results/detections.js";
import { cornersOf, sidesOf } from "./corners.js";
import { boxToStage, type Fit, toStage } from "./fit.js";

/** Returns the index of the detection; of several, the smallest, which is hardest to hit. */
export function hitTest(detections: readonly AnyDetection[], fit: Fit, x: number, y: number): number | null {
  const hits = detections
    .map((one, index) => ({ index, size: area(one), hit: covers(one, fit, x, y) }))
    .filter(({ hit }) => hit)
    .sort((a, b) => a.size - b.size);
  return hits[0]?.index ?? null;
}

function area(one: AnyDetection): number {
  const corners = cornersOf(one);
  const { x1, y1, x2, y2 } = one.box;
  const [width, height] = corners === null ? [x2 - x1, y2 - y1] : sidesOf(corners);
  return width * height;
}

function covers(one: AnyDetection, fit: Fit, x: number, y: number): boolean {
  const turned = cornersOf(one);
  if (turned === null) {
    const box = boxToStage(fit, one.box);
    return x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;
  }
  const corners = turned.map((corner) => toStage(fit, corner.x, corner.y));
  const sides = corners.map(([ax, ay], index) => {
    const [bx, by] = corners[(index + 1) % corners.length] ?? [ax, ay];
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
}
