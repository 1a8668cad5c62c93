// Reads an output of the graph, checked against the manifest's shape and element type.

import { WebbuildError } from "../api/errors.js";
import type { Tensors } from "../api/types.js";

/** Returns the elements of a float32 output in row-major order. Throws "run-failed" for another type or shape. */
export function readFloats(outputs: Tensors, name: string, dims: readonly number[]): Float32Array {
  const tensor = outputs[name];
  if (tensor?.type === "float32" && tensor.dims.join() === dims.join()) return tensor.data;
  throw outputMismatch("float32", outputs, name, dims);
}

/** Like readFloats(), for an output of float32 or uint8. */
export function readNumbers(
  outputs: Tensors,
  name: string,
  dims: readonly number[],
): Float32Array | Uint8Array {
  const tensor = outputs[name];
  const fits = tensor?.dims.join() === dims.join();
  if (fits && (tensor.type === "float32" || tensor.type === "uint8")) return tensor.data;
  throw outputMismatch("float32 or uint8", outputs, name, dims);
}

function outputMismatch(
  type: string,
  outputs: Tensors,
  name: string,
  dims: readonly number[],
): WebbuildError {
  const tensor = outputs[name];
  const got = tensor === undefined ? "nothing" : `${tensor.type} [${tensor.dims.join(", ")}]`;
  const what = `${name}: wanted ${type} [${dims.join(", ")}], the graph gave ${got}`;
  return new WebbuildError("run-failed", what, "pack the model again");
}

/** The rows of a detection head, [1, rows, columns]. */
export function readRows(
  { output, rows }: { output: string; rows: number },
  outputs: Tensors,
  columns: number,
): Float32Array {
  return readFloats(outputs, output, [1, rows, columns]);
}
