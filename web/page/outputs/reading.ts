// What an output is taken for, and what else it can be drawn as: by its shape first, then by how its numbers behave.

import type { TensorData } from "../../src/index.js";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { planeSize } from "../../src/preprocess/letterbox.js";
import { short } from "../util/format.js";
import { lengthOf, type Planes, planesOf, type Rows, rowsOf } from "./axes.js";
import {
  areClassNumbers,
  areLandmarks,
  boxUnit,
  hasPeaks,
  isEmbedding,
  type Levels,
  pictureLevels,
  pointUnit,
  roughLevels,
  type Unit,
} from "./behaviour.js";

export type Reading =
  | { form: "picture"; planes: Planes; levels: Levels; color: ImageInput["color"] }
  | { form: "map"; planes: Planes }
  | { form: "points" | "boxes"; rows: Rows; unit: Unit }
  | { form: "points"; peaks: Planes }
  | { form: "classes"; planes: Planes }
  | { form: "embedding"; length: number }
  | { form: "bars"; length: number }
  | { form: "table" };

export type Form = Reading["form"];

/** The most drawable first. */
export const forms: readonly Form[] = [
  "picture",
  "map",
  "points",
  "boxes",
  "classes",
  "embedding",
  "bars",
  "table",
];

export interface OutputReadings {
  guess: Reading;
  /** All that its shape allows, one of a form, in the order of `forms`. */
  possible: Reading[];
}

/** A reading, and whether shape and numbers speak for it. A shape alone may speak for several. */
interface Candidate {
  reading: Reading;
  likely: boolean;
}

export function readOutput(tensor: TensorData, input: ImageInput): OutputReadings {
  const planes = planesOf(tensor.dims, planeSize(input));
  const maps = planes === null ? [] : planeCandidates(tensor, planes, input);
  // The corners of boxes and the smooth numbers of a map may behave alike: what has the shape of a map is one.
  const rows = planes?.explicit ? [] : rowCandidates(tensor, input);
  const found = [
    ...(planes?.fits ? [...maps, ...rows] : [...rows, ...maps]),
    ...lineCandidates(tensor, input),
  ];
  const guess = found.find(({ likely }) => likely)?.reading ?? { form: "table" };
  const possible = forms.flatMap((form): Reading[] => {
    if (form === guess.form) return [guess];
    const other = found.find(({ reading }) => reading.form === form)?.reading;
    return other ? [other] : form === "table" ? [{ form }] : [];
  });
  return { guess, possible };
}

function rowCandidates({ dims, data }: TensorData, input: ImageInput): Candidate[] {
  const rows = rowsOf(dims);
  if (rows === null) return [];
  const form = rows.columns < 4 ? "points" : "boxes";
  const unit = (form === "points" ? pointUnit : boxUnit)(data, rows, planeSize(input));
  return [{ reading: { form, rows, unit: unit ?? "pixels" }, likely: unit !== null }];
}

function planeCandidates({ data, type }: TensorData, planes: Planes, input: ImageInput): Candidate[] {
  const { channels, fits, explicit } = planes;
  const found: Candidate[] = [];
  const whole = type !== "float32" && type !== "bool";
  if (channels === 3) {
    const levels = pictureLevels(data, planes);
    const reading = {
      form: "picture",
      planes,
      levels: levels ?? roughLevels(data),
      color: input.color,
    } as const;
    found.push({ reading, likely: fits && levels !== null });
  }
  if (channels >= 4)
    found.push({ reading: { form: "points", peaks: planes }, likely: hasPeaks(data, planes) });
  if (channels > 1 || whole) {
    const likely = channels > 1 ? explicit || fits : fits && areClassNumbers(data);
    found.push({ reading: { form: "classes", planes }, likely });
  }
  if (channels === 1) {
    const levels = input.color === "gray" ? pictureLevels(data, planes) : null;
    const reading = { form: "picture", planes, levels: levels ?? roughLevels(data), color: "gray" } as const;
    found.push({ reading, likely: levels !== null && explicit });
    found.push({ reading: { form: "map", planes }, likely: explicit || fits });
  }
  return found;
}

/**
 * A line of numbers is one of scores, unless pairs or triples of it lie all over the input as points do, or in parts of
 * it as landmarks, or it is an embedding.
 */
function lineCandidates({ dims, data }: TensorData, input: ImageInput): Candidate[] {
  const length = lengthOf(dims);
  if (length < 2) return [];
  const lines = [2, 3]
    .filter((columns) => length % columns === 0 && length / columns >= 4)
    .map((columns) => ({ count: length / columns, columns }));
  const size = planeSize(input);
  const pixels = lines.find((rows) => pointUnit(data, rows, size) === "pixels");
  const parts = lines.find((rows) => areLandmarks(data, rows));
  const rows = pixels ?? parts ?? lines.at(-1);
  const unit = pixels === undefined && parts !== undefined ? "parts" : "pixels";
  const found: Candidate[] = [];
  if (rows) found.push({ reading: { form: "points", rows, unit }, likely: (pixels ?? parts) !== undefined });
  if (length >= 32) found.push({ reading: { form: "embedding", length }, likely: isEmbedding(data) });
  return [...found, { reading: { form: "bars", length }, likely: true }];
}

const nouns: Record<Unit, string> = {
  pixels: "in pixels of the input",
  parts: "in parts of the input, 0..1",
};

/** What a reading takes the output for, and what speaks for it. */
export function describeReading(reading: Reading): [what: string, why: string] {
  switch (reading.form) {
    case "picture": {
      const { low, high } = reading.levels;
      const order = reading.color === "bgr" ? ", BGR as the input" : "";
      const grey = reading.planes.channels === 1 ? "grey " : "";
      return [`a ${grey}picture of ${short(low)}..${short(high)}${order}`, "by its shape and range"];
    }
    case "map":
      return ["a map", "by its shape"];
    case "points":
      return "peaks" in reading
        ? [`heat maps of ${reading.peaks.channels} points`, "by its shape and peaks"]
        : [`${reading.rows.count} points ${nouns[reading.unit]}`, "by its numbers"];
    case "boxes":
      return [`boxes x1, y1, x2, y2 ${nouns[reading.unit]}`, "by its numbers"];
    case "classes": {
      const { channels } = reading.planes;
      return [channels > 1 ? `maps of ${channels} classes` : "a map of class numbers", "by its shape"];
    }
    case "embedding":
      return [`an embedding of ${reading.length} numbers`, "by its length and numbers"];
    case "bars":
      return [`${reading.length} scores`, "by its shape"];
    case "table":
      return ["numbers in the table", "its shape and numbers fit no drawing"];
  }
}
