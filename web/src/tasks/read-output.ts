// An output of the graph as numbers of the shape that the manifest promises.

import { WebbuildError } from "../api/errors.js";
import type { Tensors } from "../api/types.js";

/** Throws "run-failed" where the graph gave anything else. */
export function readFloats(outputs: Tensors, name: string, dims: readonly number[]): Float32Array {
  const tensor = outputs[name];
  if (tensor?.type === "float32" && tensor.dims.join() === dims.join()) return tensor.data;
  const got = tensor === undefined ? "nothing" : `${tensor.type} [${tensor.dims.join(", ")}]`;
  const what = `${name}: wanted float32 [${dims.join(", ")}], the graph gave ${got}`;
  throw new WebbuildError("run-failed", what, "pack the model again");
}

/** The rows of a detection head, [1, rows, columns]. */
export function readRows(
  { output, rows }: { output: string; rows: number },
  outputs: Tensors,
  columns: number,
): Float32Array {
  return readFloats(outputs, output, [1, rows, columns]);
}
