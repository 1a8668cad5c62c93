// The options of the public calls. Unknown names throw: ignoring `{ threshold: 0.9 }` would hide a mistake.

import { takesMask } from "../inputs/mask-input.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureSize } from "../manifest/variants.js";
import type { EverythingOptions } from "../tasks/mask-generation/everything/settings.js";
import { taskOptionNames } from "../tasks/task-options.js";
import { shown, WebbuildError } from "./errors.js";
import type {
  LoadOptions,
  PreprocessOptions,
  RunOptions,
  SceneRunOptions,
  SliceOptions,
  TensorRunOptions,
  TextOptions,
} from "./types.js";

/** Whether the option takes a value, and the valid values in words. */
type Rule = readonly [takes: (value: unknown) => boolean, wanted: string];

const ANY: Rule = [() => true, ""];
const FUNCTION: Rule = [(value) => typeof value === "function", "a function"];
const BOOLEAN: Rule = [(value) => typeof value === "boolean", "true or false"];
const SIGNAL: Rule = [
  (value) =>
    typeof Object(value).aborted === "boolean" && typeof Object(value).addEventListener === "function",
  "an AbortSignal",
];
const ADDRESS: Rule = [
  (value) => typeof value === "boolean" || typeof value === "string",
  "true, false or a URL",
];
const ADDRESSES: Rule = [
  (value) => isObject(value) && Object.values(value).every((address) => typeof address === "string"),
  "an object of URLs",
];

const LOAD: Readonly<Record<keyof LoadOptions, Rule>> = {
  backend: byStage(oneOf("auto", "webgpu", "wasm")),
  precision: byStage(oneOf("auto", "fp32", "fp16", "mixed")),
  prefer: oneOf("latency", "battery"),
  size: ANY,
  signal: SIGNAL,
  onProgress: FUNCTION,
  selfTest: BOOLEAN,
  cache: BOOLEAN,
  offline: ADDRESS,
  addresses: ADDRESSES,
  worker: FUNCTION,
  processing: oneOf("auto", "cpu"),
  trace: BOOLEAN,
};

/** Values with the rule ANY are checked later, against what the model takes. */
const RUN: Readonly<Record<keyof RunOptions, Rule>> = {
  confidence: ANY,
  iou: ANY,
  focusDistances: ANY,
  numbers: [isObject, "an object of numbers by name"],
  mask: ANY,
  reference: ANY,
  points: ANY,
  labels: ANY,
  box: ANY,
  multimask: BOOLEAN,
  prompt: ANY,
  textThreshold: ANY,
  mode: ANY,
  depth: ANY,
  background: ANY,
  confidenceAlpha: BOOLEAN,
  tiles: [(value) => value === "auto" || value === false, '"auto" or false'],
  onTile: FUNCTION,
  slices: [(value) => Object(value).size !== undefined, "an object with a size, such as { size: 640 }"],
  onProgress: FUNCTION,
  size: ANY,
  state: ANY,
  signal: SIGNAL,
};

const TEXT: Readonly<Record<keyof TextOptions, Rule>> = { templates: ANY, signal: SIGNAL };

const OBSERVER: Readonly<Record<"signal" | "onProgress", Rule>> = { signal: SIGNAL, onProgress: FUNCTION };

const PREPROCESS: Readonly<Record<keyof PreprocessOptions, Rule>> = { size: ANY, signal: SIGNAL };

const RUN_TENSORS: Readonly<Record<keyof TensorRunOptions, Rule>> = {
  state: ANY,
  stage: ANY,
  signal: SIGNAL,
};

const SLICES: Readonly<Record<keyof SliceOptions, Rule>> = {
  size: [
    (value) => isSide(value) || (Array.isArray(value) && value.length === 2 && value.every(isSide)),
    "a whole number from 1 on, or two of them",
  ],
  overlap: [(value) => isNumber(value) && value >= 0 && value < 1, "a number from 0 to below 1"],
  whole: BOOLEAN,
  merge: oneOf("greedy-nmm", "nms"),
  metric: oneOf("ios", "iou"),
  threshold: [(value) => isNumber(value) && value > 0 && value <= 1, "a number above 0, up to 1"],
};

const EVERYTHING: Readonly<Record<keyof EverythingOptions, Rule>> = {
  pointsPerSide: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 256,
    "a whole number from 1 to 256",
  ],
  scoreThreshold: numberUpTo(1),
  stabilityThreshold: numberUpTo(1),
  stabilityOffset: numberUpTo(Number.MAX_VALUE),
  overlapThreshold: numberUpTo(1),
  minArea: numberUpTo(Number.MAX_VALUE),
  signal: SIGNAL,
  onProgress: FUNCTION,
};

/** Throws "invalid-option" for a name that load() does not have, or a value that its option does not take. */
export function checkLoadOptions(options: LoadOptions): void {
  check(options, LOAD, "load()", Object.keys(LOAD));
}

/** Throws "invalid-option" for a name that is not an option of `caller`: embedText() or classify(). */
export function checkTextOptions(options: TextOptions, caller: string): void {
  check(options, TEXT, caller, Object.keys(TEXT));
}

/** Throws "invalid-option" for a name that is not in `names`, one of signal and onProgress. */
export function checkObserver(
  options: unknown,
  caller: string,
  names: readonly (keyof typeof OBSERVER)[],
): void {
  check(options, Object.fromEntries(names.map((name) => [name, OBSERVER[name]])), caller, names);
}

/** Throws "invalid-option" for a name that is not in `names`, or a value that its option does not take. */
export function checkRunOptions(names: readonly string[], options: RunOptions, owner = "the model"): void {
  check(options, RUN, owner, names);
  if (options.slices !== undefined) check(options.slices, SLICES, "slices", Object.keys(SLICES), "slices.");
}

/** Throws "invalid-option" for a name that is not an option of preprocess(). */
export function checkPreprocessOptions(options: PreprocessOptions): void {
  check(options, PREPROCESS, "preprocess()", Object.keys(PREPROCESS));
}

/** Like checkRunOptions(), and also throws for options that only a model of one stage takes. */
export function checkStageRunOptions(names: readonly string[], options: RunOptions, owner: string): void {
  checkRunOptions(names, options, owner);
  const name = REFUSED.later.find((each) => Object(options)[each] !== undefined && !names.includes(each));
  if (name !== undefined) throw wrong(`${name}: ${owner} takes no such option`, `leave ${name} out`);
}

/** Throws "invalid-option" for what everything() does not take, and for a model that takes no clicks. */
export function checkEverythingOptions(manifest: Manifest, options: EverythingOptions): void {
  if (!taskOptionNames(manifest).includes("points"))
    throw wrong("everything(): the model takes no clicks", "call run()");
  check(options, EVERYTHING, "everything()", Object.keys(EVERYTHING));
}

/** Returns the options that have these names. */
export function optionsOf(names: readonly string[], options: RunOptions): RunOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

/** Throws "invalid-option" for a name that is not an option of a scene's runTensors(). */
export function checkSceneRunOptions(options: SceneRunOptions): void {
  check(options, RUN_TENSORS, "runTensors()", ["signal"]);
}

/** Throws "invalid-option" for a name that is not an option of runTensors(). */
export function checkTensorRunOptions(manifest: Manifest, options: TensorRunOptions): void {
  const several = manifest.stages ?? manifest.textEncoder;
  const stage = several === undefined ? [] : ["stage"];
  check(options, RUN_TENSORS, "runTensors()", [...stateOption(manifest), ...stage, "signal"]);
}

function check(
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  owner: string,
  names: readonly string[],
  place = "",
): void {
  const all = `${owner} takes the options ${names.join(", ")}`;
  if (!isObject(options)) throw wrong(`options: wanted an object, got ${String(options)}`, all);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (value === undefined) continue;
    if (rule === undefined)
      throw wrong(`${place}${name}: there is no such option`, `leave ${name} out: ${all}`);
    const [takes, wanted] = rule;
    if (takes(value)) continue;
    throw wrong(
      `${place}${name}: wanted ${wanted}, got ${shown(value)}`,
      `give ${wanted}, or leave ${name} out for the default`,
    );
  }
}

/**
 * Options that a stage does not take: the first of several runs on a whole picture, a later one at the first
 * one's size.
 */
const REFUSED: Readonly<Record<"only" | "first" | "later", readonly string[]>> = {
  only: [],
  first: ["tiles", "onTile", "slices", "onProgress"],
  later: ["tiles", "onTile", "slices", "size", "state"],
};

/** Returns the names of the options that a stage takes, by its place in the model. */
export function optionNames(manifest: Manifest, place: keyof typeof REFUSED): string[] {
  const fed = manifest.inputs.flatMap((input) => {
    if (input.kind === "option") return [input.option];
    if (input.kind === "number") return ["numbers"];
    return input.kind === "focus" ? ["focusDistances"] : [];
  });
  const mask = takesMask(manifest.inputs) ? ["mask"] : [];
  const size = manifest.variants === undefined || pictureSize(manifest) === null ? [] : ["size"];
  const names = [...fed, ...mask, ...taskOptionNames(manifest), ...size, ...stateOption(manifest), "signal"];
  return [...new Set(names)].filter((name) => !REFUSED[place].includes(name));
}

function stateOption({ inputs }: Manifest): string[] {
  return stateInputs(inputs).length > 0 ? ["state"] : [];
}

/** Returns the rule for one value, or one for each stage by its name. */
function byStage([takes, wanted]: Rule): Rule {
  return [(value) => takes(value) || (isObject(value) && Object.values(value).every(takes)), wanted];
}

function oneOf(...values: readonly string[]): Rule {
  const wanted = values.map((value) => JSON.stringify(value)).join(" or ");
  return [(value) => values.some((known) => known === value), wanted];
}

function numberUpTo(most: number): Rule {
  const wanted = most === 1 ? "a number from 0 to 1" : "a number from 0 on";
  return [(value) => typeof value === "number" && value >= 0 && value <= most, wanted];
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isSide(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function wrong(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-option", what, fix);
}
