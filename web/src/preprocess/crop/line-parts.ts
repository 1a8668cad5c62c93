// Splits a line of text that is too wide for the input into overlapping parts, as webbuild/preprocess/line_parts.py.

import type { CropInput } from "../../manifest/manifest.js";
import { type Corner, type CropBox, distance, lineSides } from "./place-crop.js";

/** Returns the boxes of the parts in reading order; the line itself if it is not split. */
export function lineParts(cropBox: CropBox, { split }: CropInput): CropBox[] {
  const [first, second, last] = lineSides(cropBox);
  const wide = distance(first, second);
  const high = distance(first, last);
  if (split === undefined || !(wide > Math.max(split.above, split.part) * high)) return [cropBox];
  const width = split.part * Math.max(high, 1);
  const step = width * (1 - split.overlap);
  const whole = Math.max(0, Math.floor((wide - width) / step) + 1);
  const begins = Array.from({ length: whole }, (_, at) => at * step);
  const end = begins.at(-1);
  if (end === undefined) return [cropBox];
  if (end + width < wide) begins.push(wide - width);
  return begins.map((begin, at): CropBox => {
    const before = begins[at - 1];
    const overlap = before === undefined ? 0 : (before + width - begin) / width;
    const [left, right] = [begin / wide, begin / wide + width / wide];
    const along = (share: number): Corner => [
      first[0] + (second[0] - first[0]) * share,
      first[1] + (second[1] - first[1]) * share,
    ];
    const below = ([x, y]: Corner): Corner => [x + (last[0] - first[0]), y + (last[1] - first[1])];
    const [a, b] = [along(left), along(right)];
    return { ...cropBox, polygon: [a, b, below(b), below(a)], part: { line: cropBox, begin, overlap } };
  });
}
