import { expect, test } from "vitest";
import type { TextLineResult } from "../../src/api/types.js";
import type { Manifest, TextLineTask } from "../../src/manifest/manifest.js";
import { decode, neededOutputs } from "../../src/postprocess/decode.js";
import { fittingLine } from "../../src/preprocess/fitting-size.js";
import type { Geometry, Size } from "../../src/preprocess/letterbox.js";
import { variants } from "../fixture/manifests.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: TextLineTask;
  letterbox: Geometry;
  input: Size;
  columns: (number | "NaN")[][];
  want: Pick<TextLineResult, "text" | "score" | "words">;
  tolerance: number;
}

const LINE = variants([])["text-line.json"] as Manifest;

function ofCase({ task, input, columns }: Case): Manifest {
  const shape = task.layout === "ntc" ? [1, columns.length] : [columns.length, 1];
  const [output] = LINE.outputs;
  const [image] = LINE.inputs;
  if (output === undefined || image === undefined) throw new Error("the fixture has no line");
  return {
    ...LINE,
    task,
    inputs: [{ ...image, shape: [1, 3, input.height, input.width] } as typeof image],
    outputs: [{ ...output, name: task.output, shape: [...shape, columns[0]?.length ?? 0] }],
  };
}

test.each(casesOf<Case>("text-line"))("%s", (_, given) => {
  const { task, letterbox, columns, want, tolerance } = given;
  const manifest = ofCase(given);
  expect(neededOutputs(manifest)).toEqual([task.output]);
  const dims = manifest.outputs[0]?.shape ?? [];
  const data = Float32Array.from(columns.flat().map(Number));
  const found = decode(manifest, { [task.output]: { type: "float32", dims, data } }, letterbox);
  const { words, ...got } = found as unknown as TextLineResult;
  expect(got).toMatchObject({ kind: "text-line", ...letterbox.source, text: want.text });
  expect(words.map(({ text }) => text)).toEqual(want.words.map(({ text }) => text));
  const numbers = (line: Case["want"]): number[] => [
    line.score,
    ...line.words.flatMap(({ score, from, to }) => [score, from, to]),
  ];
  expectClose(numbers({ ...got, words }), numbers(want), tolerance);
});

test.each([
  [
    [100, 20],
    [320, 48],
  ],
  [
    [134, 20],
    [480, 48],
  ],
  [
    [400, 60],
    [320, 48],
  ],
  [
    [3000, 48],
    [640, 48],
  ],
  [
    [20, 4],
    [320, 48],
  ],
])("a line of %s pixels runs at the narrowest size that fits, else the widest", ([width, height], want) => {
  const sizes = [
    [640, 48],
    [320, 48],
    [480, 48],
  ] as const;
  expect(fittingLine(sizes, width ?? 0, height ?? 0)).toEqual(want);
});
