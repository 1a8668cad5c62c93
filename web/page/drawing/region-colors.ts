// Colours of regions: one per class; further regions of the same class are lighter or darker.

import type { Region } from "../../src/index.js";
import { classColor } from "./drawing-style.js";

export type Color = readonly [red: number, green: number, blue: number];

/** How much white (above 0) or black (below 0) is mixed into the class's colour for its n-th region. */
const steps = [0, 0.45, -0.3, 0.25, -0.45, 0.6, -0.15];

/** Returns the colours of regions, always the same for a class, so that pictures can be compared. */
export function regionColors(regions: readonly Pick<Region, "classIndex">[]): Color[] {
  const seen = new Map<number, number>();
  return regions.map(({ classIndex }) => {
    const rank = seen.get(classIndex) ?? 0;
    seen.set(classIndex, rank + 1);
    return mixToward(classRgb(classIndex), steps[rank % steps.length] ?? 0);
  });
}

export function cssColor([red, green, blue]: Color): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** Returns the colour of detections of that class, slightly changed when the palette repeats. */
function classRgb(index: number): Color {
  const text = classColor(["", ""], index) ?? "#ffffff";
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  return mixToward([red, green, blue], steps[Math.floor(index / 8) % steps.length] ?? 0);
}

function mixToward(color: Color, step: number): Color {
  const to = step > 0 ? 255 : 0;
  const [red, green, blue] = color.map((part) => Math.round(part + (to - part) * Math.abs(step)));
  return [red ?? 0, green ?? 0, blue ?? 0];
}
