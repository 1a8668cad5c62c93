// Interprets an output: how to draw it, and the alternatives, from its shape, then from its values.

import type { TensorData, Tensors } from "../../src/index.js";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { planeSize } from "../../src/preprocess/letterbox.js";
import { lengthOf, type Planes, planesOf, type Rows, rowsOf } from "./axes.js";
import {
  areClassNumbers,
  areLandmarks,
  areScores,
  isEmbedding,
  type Levels,
  pictureLevels,
  roughLevels,
} from "./behaviour.js";
import { areEnds, linesInField, smallMaps } from "./line-reading.js";
import type { Segments } from "./lines.js";
import { type Steps, stepsOf } from "./sequence.js";
import { areIndependent, even, heatMaps } from "./several-maps.js";
import { boxUnit, cellsOf, pointUnit, type Unit } from "./units.js";

export type Reading =
  | { form: "picture"; planes: Planes; levels: Levels; color: ImageInput["color"] }
  | { form: "map"; planes: Planes }
  | { form: "points" | "boxes"; rows: Rows; unit: Unit; flipped?: boolean }
  | ({ form: "lines" } & Segments)
  | { form: "points"; peaks: Planes }
  | { form: "classes"; planes: Planes; least?: number }
  | { form: "embedding"; length: number }
  | { form: "characters"; steps: Steps }
  | { form: "bars"; length: number; scores?: boolean }
  | { form: "table" };

export type Form = Reading["form"];

/** The least aspect ratio of the input of a text recognizer. */
const lineRatio = 2;
/** The landmark counts of common face and hand models, and the most other numbers that may follow. */
const usualLandmarks = [21, 29, 68, 98, 106, 194, 468, 478];
const mostFollowing = 16;

/** In the order of preference for drawing. */
export const forms: readonly Form[] = [
  "picture",
  "map",
  "lines",
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
  /** All readings that the shape allows, one per form, in the order of `forms`. */
  possible: Reading[];
}

/** A reading that the shape allows, and whether shape and values make it likely. */
interface Candidate {
  reading: Reading;
  likely: boolean;
}

/** Interprets an output. `outputs` are all outputs of the model: points may be cells of another output. */
export function readOutput(tensor: TensorData, input: ImageInput, outputs: Tensors = {}): OutputReadings {
  const planes = planesOf(tensor.dims, planeSize(input));
  const maps = planes === null ? [] : planeCandidates(tensor, planes, input);
  // The values of boxes and of smooth maps may look alike, so a tensor with the shape of a map is a map.
  const rows = planes?.explicit ? [] : rowCandidates(tensor, input, outputs);
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

function rowCandidates({ dims, data }: TensorData, input: ImageInput, outputs: Tensors): Candidate[] {
  const rows = rowsOf(dims);
  if (rows === null) return [];
  const size = planeSize(input);
  if (rows.columns < 4) {
    const cells = cellsOf(data, rows, smallMaps(outputs, size));
    const unit = cells?.map ?? pointUnit(data, rows, size);
    const lines = cells && linesInField(data, rows, cells.map, outputs, size);
    const flipped = lines?.flipped ?? cells?.flipped ?? false;
    const points: Reading = { form: "points", rows, unit: unit ?? "pixels", flipped };
    const found: Candidate[] = [{ reading: points, likely: unit !== null }];
    return lines ? [{ reading: { form: "lines", ...lines }, likely: true }, ...found] : found;
  }
  const unit = boxUnit(data, rows, size);
  const found: Candidate[] = [
    { reading: { form: "boxes", rows, unit: unit ?? "pixels" }, likely: unit !== null },
  ];
  if (rows.columns > 5) return found;
  const lines: Reading = { form: "lines", rows, unit: "pixels", field: null, flipped: false };
  return [...found, { reading: lines, likely: areEnds(data, rows, size) }];
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

/** Characters, if the input has the aspect ratio of a text line. */
function characterCandidates({ dims, data }: TensorData, input: ImageInput): Candidate[] {
  const { width, height } = planeSize(input);
  const [count, columns, ...more] = dims.filter((size) => size !== 1);
  if (width < lineRatio * height || count === undefined || columns === undefined || more.length > 0)
    return [];
  const steps = stepsOf(data, { count, columns });
  return steps ? [{ reading: { form: "characters", steps }, likely: true }] : [];
}

/**
 * A line of numbers is scores, unless its pairs or triples are points in pixels or landmarks in fractions of the input,
 * or it is an embedding.
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

/** Returns a usual number of landmarks at the beginning, followed by a few other numbers: head angles, scores. */
function landmarksThatBegin(data: TensorData["data"], length: number): Rows | undefined {
  return usualLandmarks
    .flatMap((count) => [2, 3].map((columns) => ({ count, columns })))
    .filter(({ count, columns }) => count * columns < length && length <= count * columns + mostFollowing)
    .find((rows) => areLandmarks(data, rows));
}
