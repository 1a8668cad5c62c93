import { describe, expect, test } from "vitest";
import type { TensorData, Tensors } from "../../src/api/types.js";
import type { ClassifyTask, Manifest } from "../../src/manifest/manifest.js";
import { decode, neededOutputs } from "../../src/postprocess/decode.js";
import { variants } from "../fixture/manifests.js";

const MANIFESTS = variants([]) as Record<string, Manifest>;
const SQUARE = { source: { width: 32, height: 32 }, left: 0, top: 0, width: 32, height: 32 };

function manifest(name: string): Manifest {
  const found = MANIFESTS[name];
  if (found === undefined) throw new Error(`the fixture has no ${name}`);
  return found;
}

function zeros(...dims: number[]): TensorData {
  return { type: "float32", dims, data: new Float32Array(dims.reduce((product, size) => product * size, 1)) };
}

test.each([
  ["manifest.json", ["detections"]],
  ["detect.json", ["boxes"]],
  ["tensor.json", ["detections"]],
])("for %s only the outputs of its task are read back", (name, want) => {
  expect(neededOutputs(manifest(name))).toEqual(want);
});

test("scores are decoded into all classes, the best first", () => {
  const task: ClassifyTask = { kind: "classify", output: "scores", classes: ["cup", "plate"], logits: false };
  const classifier: Manifest = { ...manifest("tensor.json"), task };
  expect(neededOutputs(classifier)).toEqual(["scores"]);
  const scores: TensorData = { type: "float32", dims: [1, 2], data: Float32Array.from([0.25, 0.75]) };
  expect(decode(classifier, { scores }, SQUARE)).toEqual({
    kind: "classify",
    width: 32,
    height: 32,
    classes: [
      { classIndex: 1, label: "plate", score: 0.75 },
      { classIndex: 0, label: "cup", score: 0.25 },
    ],
  });
  expect(() => decode(classifier, { scores: zeros(1, 3) }, SQUARE)).toThrow("wanted float32 [1, 2]");
});

test("padding alone is an empty result", () => {
  const boxes = decode(manifest("detect.json"), { boxes: zeros(1, 4, 6) }, SQUARE);
  expect(boxes).toEqual({ kind: "detect", width: 32, height: 32, detections: [] });
  const poses = decode(manifest("manifest.json"), { detections: zeros(1, 4, 12) }, SQUARE);
  expect(poses).toEqual({ kind: "pose", width: 32, height: 32, poses: [] });
});

describe("an output whose shape is not the manifest's", () => {
  const cases: [string, string, Tensors, string][] = [
    ["is missing", "detect.json", {}, "boxes: wanted float32 [1, 4, 6], the graph gave nothing"],
    [
      "has a pose's columns",
      "detect.json",
      { boxes: zeros(1, 4, 12) },
      "boxes: wanted float32 [1, 4, 6], the graph gave float32 [1, 4, 12]",
    ],
    [
      "has fewer rows",
      "detect.json",
      { boxes: zeros(1, 3, 6) },
      "boxes: wanted float32 [1, 4, 6], the graph gave float32 [1, 3, 6]",
    ],
    [
      "has another type",
      "detect.json",
      { boxes: { type: "int32", dims: [1, 4, 6], data: new Int32Array(24) } },
      "boxes: wanted float32 [1, 4, 6], the graph gave int32 [1, 4, 6]",
    ],
    [
      "has no keypoints",
      "manifest.json",
      { detections: zeros(1, 4, 6) },
      "detections: wanted float32 [1, 4, 12], the graph gave float32 [1, 4, 6]",
    ],
  ];
  test.each(cases)("%s", (_, name, outputs, message) => {
    const refused = expect.objectContaining({ code: "run-failed", message, fix: "pack the model again" });
    expect(() => decode(manifest(name), outputs, SQUARE)).toThrow(refused);
  });
});
