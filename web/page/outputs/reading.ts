// What an output is taken for, and what else it can be drawn as: by its shape first, then by how its numbers behave.

import type { TensorData } from "../../src/index.js";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { planeSize } from "../../src/preprocess/letterbox.js";
import { short } from "../util/format.js";
import { lengthOf, type Planes, planesOf, type Rows, rowsOf } from "./axes.js";
import {
  areClassNumbers,
  areLandmarks,
  areScores,
  boxUnit,
  isEmbedding,
  type Levels,
  pictureLevels,
  pointUnit,
  roughLevels,
  type Unit,
} from "./behaviour.js";
import { type Steps, stepsOf } from "./sequence.js";
import { areIndependent, even, heatMaps } from "./several-maps.js";

export type Reading =
  | { form: "picture"; planes: Planes; levels: Levels; color: ImageInput["color"] }
  | { form: "map"; planes: Planes }
  | { form: "points" | "boxes"; rows: Rows; unit: Unit }
  | { form: "points"; peaks: Planes }
  | { form: "classes"; planes: Planes; least?: number }
  | { form: "embedding"; length: number }
  | { form: "characters"; steps: Steps }
  | { form: "bars"; length: number; scores?: boolean }
  | { form: "table" };

export type Form = Reading["form"];

/** The least ratio of an input that takes a line of text. */
const lineRatio = 2;
/** How many points the usual models of faces and hands have, and numbers that may lie behind them. */
const usualLandmarks = [21, 29, 68, 98, 106, 194, 468, 478];
const mostBeside = 16;

/** The most drawable first. */
export const forms: readonly Form[] = [
  "picture",
  "map",
  "points",
  "boxes",
  "classes",
  "embedding",
  "characters",
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
    ...characterCandidates(tensor, input),
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
  const peaks = heatMaps(data, planes);
  if (channels === 3) {
    const levels = pictureLevels(data, planes);
    const reading = {
      form: "picture",
      planes,
      levels: levels ?? roughLevels(data),
      color: input.color,
    } as const;
    found.push({ reading, likely: fits && levels !== null && peaks === null });
  }
  if (channels >= 4 || peaks !== null)
    found.push({ reading: { form: "points", peaks: peaks ?? planes }, likely: peaks !== null });
  if (channels > 1 || whole) {
    const likely = channels > 1 ? explicit || fits : fits && areClassNumbers(data);
    const least = areIndependent(data, planes) ? { least: even } : {};
    found.push({ reading: { form: "classes", planes, ...least }, likely });
  }
  if (channels === 1) {
    const levels = input.color === "gray" ? pictureLevels(data, planes) : null;
    const reading = { form: "picture", planes, levels: levels ?? roughLevels(data), color: "gray" } as const;
    found.push({ reading, likely: levels !== null && explicit });
    found.push({ reading: { form: "map", planes }, likely: explicit || fits });
  }
  return found;
}

/** A model that takes a line of text reads it. */
function characterCandidates({ dims, data }: TensorData, input: ImageInput): Candidate[] {
  const { width, height } = planeSize(input);
  const [count, columns, ...more] = dims.filter((size) => size !== 1);
  if (width < lineRatio * height || count === undefined || columns === undefined || more.length > 0)
    return [];
  const steps = stepsOf(data, { count, columns });
  return steps ? [{ reading: { form: "characters", steps }, likely: true }] : [];
}

/**
 * A line of numbers is one of scores, unless pairs or triples of it lie all over the input as points do, or in parts of
 * it as landmarks, or it is an embedding.
 */
function lineCandidates({ dims, data }: TensorData, input: ImageInput): Candidate[] {
  const length = dims.every((size) => size === 1) ? 1 : lengthOf(dims);
  if (length < 1) return [];
  const lines = [2, 3]
    .filter((columns) => length % columns === 0 && length / columns >= 4)
    .map((columns) => ({ count: length / columns, columns }));
  const size = planeSize(input);
  const pixels = lines.find((rows) => pointUnit(data, rows, size) === "pixels");
  const parts = lines.find((rows) => areLandmarks(data, rows));
  const begun = (pixels ?? parts) ? undefined : landmarksThatBegin(data, length);
  const rows = pixels ?? parts ?? begun ?? lines.at(-1);
  const unit = pixels === undefined && (parts ?? begun) !== undefined ? "parts" : "pixels";
  const found: Candidate[] = [];
  const likely = (pixels ?? parts ?? begun) !== undefined;
  if (rows) found.push({ reading: { form: "points", rows, unit }, likely });
  if (length >= 32) found.push({ reading: { form: "embedding", length }, likely: isEmbedding(data) });
  return [...found, { reading: { form: "bars", length, scores: areScores(data) }, likely: true }];
}

/** Landmarks of a usual number at the beginning of a line, before a few other numbers: angles of the head, scores. */
function landmarksThatBegin(data: TensorData["data"], length: number): Rows | undefined {
  return usualLandmarks
    .flatMap((count) => [2, 3].map((columns) => ({ count, columns })))
    .filter(({ count, columns }) => count * columns < length && length <= count * columns + mostBeside)
    .find((rows) => areLandmarks(data, rows));
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
    case "characters": {
      const { count, classes, blank } = reading.steps;
      return [`${classes} characters at ${count} steps, ${blank} the blank`, "by its numbers"];
    }
    case "bars":
      if (reading.length === 1) return ["a number", "by its shape"];
      return [`${reading.length} ${reading.scores === false ? "numbers" : "scores"}`, "by its shape"];
    case "table":
      return ["numbers in the table", "its shape and numbers fit no drawing"];
  }
}
