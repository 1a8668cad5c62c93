// An output of the graph as numbers of the shape that the manifest promises.

import { WebbuildError } from "../api/errors.js";
import type { Tensors } from "../api/types.js";

/** Throws "run-failed" where the graph gave anything else. */
export function readFloats(outputs: Tensors, name: string, dims: readonly number[]): Float32Array {
  const tensor = outputs[name];
  if (tensor?.type === "float32" && tensor.dims.join() === dims.join()) return tensor.data;
  throw otherOutput("float32", outputs, name, dims);
}

/** The same of an output that may be of bytes. */
export function readNumbers(
  outputs: Tensors,
  name: string,
  dims: readonly number[],
): Float32Array | Uint8Array {
  const tensor = outputs[name];
  const fits = tensor?.dims.join() === dims.join();
  if (fits && (tensor.type === "float32" || tensor.type === "uint8")) return tensor.data;
  throw otherOutput("float32 or uint8", outputs, name, dims);
}

function otherOutput(type: string, outputs: Tensors, name: string, dims: readonly number[]): WebbuildError {
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
