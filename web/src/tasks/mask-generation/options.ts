// The prompt of a run: clicks, a box, and the logits of an earlier result.

import { WebbuildError } from "../../api/errors.js";
import type { Box, MaskLogits, Point, RunOptions } from "../../api/types.js";
import type { MaskGenerationTask, PointPromptInput } from "../../manifest/manifest.js";
import type { ManifestOf } from "../task-module.js";
import type { TaskOptions } from "../task-options.js";
import { graphPoints, pointCount, promptInputs, takesPrompt } from "./prompt-length.js";

/** A valid prompt, in pixels of the picture. */
export interface PointPrompt {
  points: readonly Point[];
  labels: readonly number[];
  box: Box | null;
  mask: MaskLogits | null;
  multimask: boolean;
}

export const options: TaskOptions<MaskGenerationTask> = {
  kind: "mask-generation",
  names: ["points", "labels", "box", "multimask"],
  alsoTakes: ["mask"],
  refusal: "the model takes no clicks",
  check: promptOf,
  variant(variants, runOptions) {
    const [first] = variants;
    const prompt = first && promptOf(first, runOptions);
    const found = variants.findIndex((each) => prompt && takesPrompt(each, prompt));
    if (found >= 0 || first === undefined || prompt === undefined) return Math.max(0, found);
    const counts = variants.map((each) => graphPoints(each));
    checkBoxInput(first, prompt, Math.min(...counts));
    const what = `the prompt has ${pointCount(first.task, prompt)} points with the corners of its box and its padding`;
    throw promptError(
      `${what}, the model takes ${Math.min(...counts)} to ${Math.max(...counts)}`,
      "give fewer points, or pack the model for that count",
    );
  },
};

/** Labels of a click on the background and on the object. */
const BACKGROUND = 0;
export const FOREGROUND = 1;

/** Throws "invalid-prompt" for a prompt that is empty, or that the model does not take. */
export function promptOf(
  { task, inputs }: Pick<ManifestOf<MaskGenerationTask>, "task" | "inputs">,
  { points = [], labels, box, mask, multimask = false }: RunOptions,
): PointPrompt {
  const wanted = promptInputs({ inputs });
  const takes = (role: PointPromptInput["role"]) => wanted.find((input) => input.role === role);
  checkPoints(points);
  if (points.length === 0 && box === undefined)
    throw promptError("the prompt is empty", "give at least one point or a box");
  const given = labels ?? points.map(() => FOREGROUND);
  checkLabels(given, points.length, takes("labels") !== undefined);
  checkBox(box, task);
  return { points, labels: given, box: box ?? null, mask: logitsOf(mask, takes("mask")), multimask };
}

/** Throws "invalid-prompt" for a point outside of the picture. */
export function checkInside(
  { points, box }: PointPrompt,
  { width, height }: { width: number; height: number },
): void {
  const corners = box === null ? [] : [box.x1, box.x2].map((x, at) => ({ x, y: at === 0 ? box.y1 : box.y2 }));
  for (const { x, y } of [...points, ...corners])
    if (!(x >= 0 && x <= width && y >= 0 && y <= height))
      throw promptError(
        `${x}, ${y} is outside of the picture of ${width} x ${height}`,
        "give coordinates in pixels of this picture",
      );
}

function checkPoints(points: unknown): void {
  const fix = "give points as [{ x: 120, y: 80 }], in pixels of the picture";
  if (!Array.isArray(points)) throw promptError(`points: wanted a list, got ${typeof points}`, fix);
  for (const [index, point] of points.entries())
    if (!Number.isFinite(Object(point).x) || !Number.isFinite(Object(point).y))
      throw promptError(`points: number ${index} has no finite x and y`, fix);
}

function checkLabels(labels: unknown, count: number, takes: boolean): void {
  const fix =
    "give each point a label: 1 on the object, 0 on the background; or leave labels out if all are on the object";
  if (!Array.isArray(labels)) throw promptError(`labels: wanted a list, got ${typeof labels}`, fix);
  if (labels.length !== count) throw promptError(`${count} points have ${labels.length} labels`, fix);
  const bad = labels.find((label) => label !== FOREGROUND && label !== BACKGROUND);
  if (bad !== undefined) throw promptError(`a label is ${bad}`, fix);
  if (!takes && labels.includes(BACKGROUND))
    throw promptError(
      "the decoder takes no labels",
      "give points on the object only, or export the decoder with labels",
    );
}

function checkBox(box: unknown, task: MaskGenerationTask): void {
  if (box === undefined) return;
  if (task.box === "none")
    throw promptError("the decoder takes no box", "give points, or export the decoder with a box input");
  if (Array.isArray(box) && typeof box[0] === "object")
    throw promptError(
      `box: got a list of ${box.length}; a prompt is for one object`,
      "call segment() for the box of each object: the picture is encoded only once",
    );
  const { x1, y1, x2, y2 } = Object(box) as Partial<Record<keyof Box, unknown>>;
  const sides = [x1, y1, x2, y2];
  if (!sides.every(Number.isFinite) || !(Number(x1) < Number(x2) && Number(y1) < Number(y2)))
    throw promptError(
      `the box ${sides.join(", ")} has no area`,
      "give { x1, y1, x2, y2 } with x1 < x2 and y1 < y2",
    );
}

/**
 * Throws if every graph has a box input besides the points, and the prompt is a box without a click or a
 * click without a box.
 */
function checkBoxInput(
  { task, inputs }: Pick<ManifestOf<MaskGenerationTask>, "task" | "inputs">,
  { points, box }: PointPrompt,
  fewest: number,
): void {
  if (task.box !== "input") return;
  const room = promptInputs({ inputs }).find(({ role }) => role === "box")?.shape[1] ?? 0;
  if (box === null && room !== 0)
    throw promptError(
      "the decoder takes a box with every prompt",
      "give a box, or export the decoder without a box input",
    );
  if (box !== null && points.length < fewest)
    throw promptError(
      `the decoder takes ${fewest === 1 ? "a point" : `${fewest} points`} with every box`,
      "give a point on the object too, or export the decoder with a free number of points",
    );
}

function logitsOf(mask: unknown, input: PointPromptInput | undefined): MaskLogits | null {
  if (mask === undefined) return null;
  if (input === undefined) throw promptError("the decoder takes no mask", "leave mask out");
  const [rows = 0, columns = 0] = input.shape.slice(-2);
  const given = Object(mask) as Partial<Record<keyof MaskLogits, unknown>>;
  const fits = given.rows === rows && given.columns === columns && given.data instanceof Float32Array;
  if (fits && (given.data as Float32Array).length === rows * columns) return mask as MaskLogits;
  const got = `${given.columns ?? "?"} x ${given.rows ?? "?"}`;
  throw promptError(`a mask of ${got}, wanted ${columns} x ${rows}`, "give the logits of an earlier result");
}

export function promptError(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-prompt", what, fix);
}
