import { expect, test } from "vitest";
import type { TensorData, Tensors } from "../../src/api/types.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { degenerateWarnings } from "../../src/postprocess/degenerate-outputs.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: Manifest["task"];
  outputs: Record<string, { type: "float32" | "int64"; dims: number[]; data: (number | "NaN")[] }>;
  want: { code: string; output: string; says: string }[];
}

test.each(casesOf<Case>("degenerate-outputs"))("%s", (_, { task, outputs, want }) => {
  const got = degenerateWarnings(task, tensors(outputs));
  expect(got.map(({ code }) => code)).toEqual(want.map(({ code }) => code));
  for (const [index, { output, says }] of want.entries()) {
    expect(got[index]?.message).toContain(output);
    expect(got[index]?.message).toContain(says);
    expect(got[index]?.fix).not.toBe("");
  }
});

test("an output too large to check in every run is only searched for NaN", () => {
  const data = new Float32Array((1 << 18) + 1);
  const outputs: Tensors = { y: { type: "float32", dims: [data.length], data } };
  expect(degenerateWarnings({ kind: "tensor" }, outputs)).toEqual([]);
  data[7] = Number.NaN;
  expect(degenerateWarnings({ kind: "tensor" }, outputs)).toHaveLength(1);
});

function tensors(outputs: Case["outputs"]): Tensors {
  return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, tensor(output)]));
}

function tensor({ type, dims, data }: Case["outputs"][string]): TensorData {
  return type === "int64"
    ? { type, dims, data: BigInt64Array.from(data.map(Number), BigInt) }
    : { type, dims, data: Float32Array.from(data.map(Number)) };
}
