import { expect, test } from "vitest";
import type { Tensors } from "../../src/api/types.js";
import type { EmbedTask, Manifest } from "../../src/manifest/manifest.js";
import { task as embed } from "../../src/tasks/embed/task.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: EmbedTask;
  dims: number[];
  values: number[];
  want: number[];
  tolerance: number;
}

function decode({ task, dims, values }: Case): Float32Array {
  const outputs: Tensors = { [task.output]: { type: "float32", dims, data: Float32Array.from(values) } };
  const geometry = { source: { width: 3, height: 2 }, left: 0, top: 0, width: 3, height: 2 };
  const manifest = { task } as Manifest & { task: EmbedTask };
  const result = embed.decode(manifest, outputs, geometry, null, new ImageData(3, 2));
  if (result instanceof Promise) throw new Error("it is decoded at once");
  expect(result).toMatchObject({ kind: "embed", width: 3, height: 2 });
  return result.embedding;
}

test.each(casesOf<Case>("embed"))("%s", (_, given) => {
  expectClose(Array.from(decode(given)), given.want, given.tolerance);
});

test("an output of another shape is an error", () => {
  const [, given] = casesOf<Case>("embed").find(([name]) => name === "mean") ?? [];
  if (given === undefined) throw new Error("no case");
  expect(() => decode({ ...given, dims: [1, 2, 3] })).toThrow(/wanted float32 \[1, 3, 2\]/);
});

test("the images of a batch are compared one by one", () => {
  const task: EmbedTask = { kind: "embed", output: "e", size: 2, tokens: 2, pooling: "mean" };
  const want = Float32Array.of(1, 0, 1, 0, 0, 1, 0, 1);
  const swapped = Float32Array.of(1, 0, 1, 0, 1, 0, 1, 0);
  const tolerance = { cosine: 1e-4 } as Parameters<NonNullable<typeof embed.difference>>[4];
  expect(
    embed.difference?.(
      task,
      "e",
      want,
      want.map((value) => 2 * value),
      tolerance,
    ),
  ).toBeNull();
  expect(embed.difference?.(task, "e", want, swapped, tolerance)).toMatch(/differs by 1/);
});
