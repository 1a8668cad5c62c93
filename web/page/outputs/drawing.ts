// The drawing of an output: a bitmap over the picture, boxes, and rows of a list.

import type { Detection, TensorData, Tensors } from "../../src/index.js";
import type { ResultRow } from "../results/result-list.js";
import { short } from "../util/format.js";
import { type Levels, mostNumbers, numberAt } from "./behaviour.js";
import { boxRows, rowBoxes } from "./boxes.js";
import { classAt, classMap } from "./class-map.js";
import { ClassRegions } from "./class-regions.js";
import { counted } from "./describe-reading.js";
import { largestRows, numberRows } from "./largest.js";
import { paintLines, segments } from "./lines.js";
import { cellOf, type Placement, type Point } from "./placement.js";
import { levelsOf, mapColors, paintPlanes, pictureColors } from "./planes-bitmap.js";
import { paintPoints, peakPoints, rowPoints } from "./points.js";
import type { Reading } from "./reading.js";
import { readSteps } from "./sequence.js";
import { type Before, similarity } from "./similarity.js";

export interface Drawing {
  /** Drawn over the picture. The caller has to close it. */
  map: ImageBitmap | null;
  boxes?: Detection[];
  rows: ResultRow[];
  /** The noun for the rows, or the whole text if there are none. */
  words: string;
  /** The values of the darkest and the brightest colour. */
  levels?: Levels;
  regions?: ClassRegions;
}

/** The same output of the previous picture, and all outputs of this picture. */
interface DrawingContext {
  before?: Before | null;
  outputs?: Tensors;
}

/** Draws an output; null if another output is drawn meanwhile. */
export async function drawOutput(
  { data }: TensorData,
  reading: Reading,
  placement: Placement,
  stopped: () => boolean,
  { before = null, outputs = {} }: DrawingContext = {},
): Promise<Drawing | null> {
  switch (reading.form) {
    case "picture": {
      const { planes } = reading;
      const words = `${planes.width} × ${planes.height} pixels`;
      return { map: await paintPlanes(planes, placement, pictureColors(data, reading)), rows: [], words };
    }
    case "map": {
      const levels = await levelsOf(data, stopped);
      if (levels === null) return null;
      const words = levels.low < levels.high ? "" : `${short(levels.low)} everywhere`;
      const map = await paintPlanes(reading.planes, placement, mapColors(data, levels));
      return { map, rows: [], words, levels };
    }
    case "classes": {
      const map = await classMap(data, reading.planes, placement, stopped, reading.least);
      if (map === null) return null;
      const regions = new ClassRegions(map);
      const { rows } = regions;
      return {
        map: await regions.paint(null),
        rows,
        words: rows.length === 1 ? "class" : "classes",
        regions,
      };
    }
    case "points": {
      const marks =
        "peaks" in reading
          ? await peakPoints(data, reading.peaks, placement, stopped)
          : rowPoints(data, reading.rows, reading.unit, placement, reading.flipped);
      return (
        marks && { map: await paintPoints(marks, placement), rows: [], words: counted(marks.length, "point") }
      );
    }
    case "lines": {
      const lines = segments(data, reading, outputs, placement);
      const words = lines.length === 1 ? "1 line" : `${lines.length} lines`;
      return { map: await paintLines(lines, placement), rows: [], words };
    }
    case "boxes": {
      const boxes = rowBoxes(data, reading.rows, reading.unit, placement);
      return { map: null, boxes, rows: boxRows(boxes), words: boxes.length === 1 ? "box" : "boxes" };
    }
    case "embedding":
      return { map: null, ...similarity(data, before) };
    case "characters": {
      const rows = readSteps(data, reading.steps);
      return { map: null, rows, words: rows.length === 1 ? "character" : "characters" };
    }
    case "bars": {
      if (data.length === 1 || (data.length <= mostNumbers && reading.scores === false))
        return { map: null, rows: numberRows(data), words: data.length === 1 ? "number" : "numbers" };
      const rows = await largestRows(data, stopped);
      return rows && { map: null, rows, words: `largest of ${data.length} numbers` };
    }
    case "table":
      return { map: null, rows: [], words: "" };
  }
}

/** Returns the value of a map, or the class, at a point of the picture. */
export function valueAt(
  { data }: TensorData,
  reading: Reading,
  placement: Placement,
  place: Point,
): number | null {
  if (reading.form !== "map" && reading.form !== "classes") return null;
  const cell = cellOf(reading.planes, placement, place);
  if (cell === null) return null;
  if (reading.form === "map") return numberAt(data, cell * reading.planes.step);
  const found = classAt(data, reading.planes, cell, reading.least);
  return found < 0 ? null : found;
}
