// Validates a caller's feeds against the model's inputs. Every message names the input and the fix.

import { shown, WebbuildError } from "../api/errors.js";
import type { RunOptions, TensorData, Tensors } from "../api/types.js";
import type { Manifest, OptionInput } from "../manifest/manifest.js";
import { classNameOf } from "../preprocess/class-name.js";
import { elementCount } from "../tensors/element-count.js";
import { TYPED_ARRAYS } from "../tensors/typed-arrays.js";
import { focusTensor } from "./focus-distances.js";
import { numberTensor } from "./number-inputs.js";
import { checkSize, inputSize } from "./size-inputs.js";
import { firstState } from "./state-inputs.js";

type Input = Manifest["inputs"][number];

/** Returns the feeds, with missing inputs filled in if possible. Throws for the first that does not fit. */
export function completeFeeds(inputs: readonly Input[], feeds: Tensors): Tensors {
  if (typeof feeds !== "object" || feeds === null) {
    const fix = `give an object of tensors by the names of the inputs: ${inputs.map(({ name }) => name).join(", ")}`;
    throw new WebbuildError("invalid-input", `feeds: wanted an object, got ${String(feeds)}`, fix);
  }
  for (const name of Object.keys(feeds))
    if (!inputs.some((input) => input.name === name)) throw unknownInput(inputs, name);
  return Object.fromEntries(inputs.map((input) => [input.name, validated(inputs, input, feeds[input.name])]));
}

/**
 * Like completeFeeds(), with copies of the data. The caller may overwrite it before the run begins, and a view
 * is sent to the worker with its whole buffer, such as the memory of a WebAssembly module.
 */
export function copiedFeeds(inputs: readonly Input[], feeds: Tensors): Tensors {
  const complete = completeFeeds(inputs, feeds);
  for (const [name, { type, dims, data }] of Object.entries(complete))
    if (feeds[name] !== undefined)
      complete[name] = { type, dims: [...dims], data: data.slice() } as TensorData;
  return complete;
}

/** Throws "invalid-input" for frames that are not a sequence, such as the tensors of one frame. */
export function requireFrames(frames: unknown): void {
  if (Symbol.iterator in Object(frames) || Symbol.asyncIterator in Object(frames)) return;
  const what = `frames: wanted an iterable of objects of tensors, got ${shown(frames)}`;
  throw new WebbuildError(
    "invalid-input",
    what,
    "give a list or a generator; for one frame call runTensors()",
  );
}

/**
 * Returns the tensors of the model's option inputs. Throws for an option that the model does not have or a
 * value out of its range. `own` are options of the task that are not inputs.
 */
export function optionFeeds(
  inputs: readonly Input[],
  options: RunOptions,
  taskOptions: readonly string[] = [],
): Tensors {
  const optionInputs = inputs.filter((input) => input.kind === "option");
  for (const option of ["confidence", "iou"] as const) {
    const isKnown = taskOptions.includes(option) || optionInputs.some((input) => input.option === option);
    if (options[option] !== undefined && !isKnown) throw noOption(option);
  }
  return Object.fromEntries(
    optionInputs.map((input) => [input.name, optionTensor(input, options[input.option])]),
  );
}

function validated(inputs: readonly Input[], input: Input, given: TensorData | undefined): TensorData {
  if (given === undefined) {
    if (input.kind === "option") return optionTensor(input, undefined);
    if (input.kind === "focus") return focusTensor(input, input.default);
    if (input.kind === "number") return numberTensor(input);
    if (input.kind === "state") return firstState(input);
    const size = input.kind === "size" ? inputSize(inputs, input) : null;
    if (size !== null) return size;
    throw new WebbuildError(
      "missing-input",
      `${input.name}: not given, wanted ${wanted(input)}`,
      fixFor(input),
    );
  }
  const tensor = narrowed(input, given);
  const difference = differs(input, tensor);
  if (difference !== null) {
    throw new WebbuildError(
      "invalid-input",
      `${input.name}: wanted ${wanted(input)}, got ${difference}`,
      fixFor(input),
    );
  }
  if (input.kind === "option") checkRange(input, Number(tensor.data[0]));
  if (input.kind === "size") checkSize(input, tensor);
  const { type, dims, data } = tensor;
  return { type, dims, data } as TensorData;
}

/**
 * Returns int64 as int32 if the input takes int32 and every number fits: the graph was cast, its callers need
 * not be.
 */
function narrowed(input: Input, tensor: TensorData): TensorData {
  if (input.dtype !== "int32" || tensor?.type !== "int64") return tensor;
  if (classNameOf(tensor.data) !== "BigInt64Array") return tensor;
  if (tensor.data.some((value) => BigInt.asIntN(32, value) !== value)) return tensor;
  return { type: "int32", dims: tensor.dims, data: Int32Array.from(tensor.data, Number) };
}

/** Returns in words how the tensor differs from the input, null if it fits. */
function differs(input: Input, tensor: TensorData): string | null {
  if (typeof tensor !== "object" || tensor === null) return String(tensor);
  const { type, dims, data } = tensor;
  const tooLarge = input.dtype === "int32" && type === "int64" ? " with numbers beyond 32 bits" : "";
  if (type !== input.dtype || !Array.isArray(dims) || dims.join() !== input.shape.join())
    return `${type} [${[dims].flat().join(", ")}]${tooLarge}`;
  if (classNameOf(data) !== TYPED_ARRAYS[type].name) return `data in ${kindOf(data)}`;
  const length = elementCount(input.shape);
  return data.length === length ? null : `${data.length} elements`;
}

function kindOf(data: unknown): string {
  return typeof data === "object" && data !== null
    ? `a ${data.constructor?.name ?? "plain object"}`
    : `${data}`;
}

function optionTensor(input: OptionInput, given: number | undefined): TensorData {
  const value = given ?? input.default;
  checkRange(input, value);
  const length = elementCount(input.shape);
  return { type: "float32", dims: [...input.shape], data: new Float32Array(length).fill(value) };
}

/** The condition also fails for NaN. */
function checkRange({ option, minimum, maximum }: OptionInput, value: unknown): void {
  if (typeof value === "number" && value >= minimum && value <= maximum) return;
  const fix = `give a number from ${minimum} to ${maximum}, or leave ${option} out for the default`;
  throw new WebbuildError(
    "invalid-option",
    `${option}: wanted ${minimum} to ${maximum}, got ${shown(value)}`,
    fix,
  );
}

function wanted({ dtype, shape }: Input): string {
  const length = elementCount(shape);
  return `${dtype} [${shape.join(", ")}], ${length} elements in a ${TYPED_ARRAYS[dtype].name}`;
}

function fixFor(input: Input): string {
  const example = `{ type: "${input.dtype}", dims: [${input.shape.join(", ")}], data: new ${TYPED_ARRAYS[input.dtype].name}(...) }`;
  return `give ${example}`;
}

function unknownInput(inputs: readonly Input[], name: string): WebbuildError {
  const names = inputs.map((input) => input.name).join(", ");
  return new WebbuildError(
    "unknown-input",
    `${name}: the model has no such input`,
    `its inputs are: ${names}`,
  );
}

function noOption(option: string): WebbuildError {
  const what = `${option}: the model has no such option`;
  return new WebbuildError("invalid-option", what, `leave ${option} out`);
}
