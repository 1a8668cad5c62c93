import { expect, test } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.js";
import { checkTaskOptions, taskOptionNames } from "../../src/tasks/task-options.js";

const plain = { task: { kind: "tensor" } } as Manifest;

test.each([
  [{ prompt: "star" }, "prompt: the model takes none"],
  [{ textThreshold: 0.5 }, "textThreshold: the model takes none"],
  [{ mode: "semantic" }, "mode: the model takes none"],
  [{ depth: "map" }, "depth: the model makes no depth map"],
  [{ confidenceAlpha: true }, "confidenceAlpha: the model makes no depth map"],
] as const)("%j is no option of a model of another task", (options, message) => {
  expect(() => checkTaskOptions(plain, options)).toThrow(
    expect.objectContaining({ code: "invalid-option", message }),
  );
});

test("an option that is a graph input is not checked by the task", () => {
  expect(() => checkTaskOptions(plain, { confidence: 0.5 })).not.toThrow();
  expect(taskOptionNames(plain)).toEqual([]);
});

test("a task checks its own options", () => {
  const depth = { task: { kind: "depth", confidence: null } } as Manifest;
  expect(taskOptionNames(depth)).toEqual(["depth", "confidenceAlpha"]);
  expect(() => checkTaskOptions(depth, { depth: "map" })).not.toThrow();
  expect(() => checkTaskOptions(depth, { confidenceAlpha: true })).toThrow("no confidence output");
});

test("tiles are refused for a model with state", () => {
  const state = { kind: "state", name: "h0", dtype: "float32", shape: [1], output: "hn" };
  const image = { task: { kind: "image", tiles: { halo: 2 } }, inputs: [state] } as unknown as Manifest;
  expect(() => checkTaskOptions({ ...image, inputs: [] }, { tiles: "auto" })).not.toThrow();
  expect(() => checkTaskOptions(image, { tiles: false })).not.toThrow();
  expect(() => checkTaskOptions(image, {})).not.toThrow();
  expect(() => checkTaskOptions(image, { tiles: "auto" })).toThrow(
    expect.objectContaining({ code: "invalid-option", message: expect.stringContaining("model with state") }),
  );
});

test("a text detector takes a confidence from 0 to 1 that is no graph input", () => {
  const manifest = { task: { kind: "text-boxes", confidence: 0.6 } } as Manifest;
  expect(taskOptionNames(manifest)).toEqual(["confidence"]);
  expect(() => checkTaskOptions(manifest, { confidence: 0.3 })).not.toThrow();
  expect(() => checkTaskOptions(manifest, { confidence: 1.5 })).toThrow("wanted 0 to 1, got 1.5");
  const text = "0.5" as unknown as number; // the value of a slider
  expect(() => checkTaskOptions(manifest, { confidence: text })).toThrow('wanted 0 to 1, got "0.5"');
  expect(() => checkTaskOptions(manifest, { confidence: Number.NaN })).toThrow("confidence");
});

test("a grounding model takes a confidence that is no graph input", () => {
  expect(taskOptionNames({ task: { kind: "grounding" } })).toContain("confidence");
});

test("progress counts crops from an earlier stage, not the whole image", () => {
  const listening = { onProgress: () => {} };
  for (const kind of ["keypoints", "crop-classes", "crop-embeddings"]) {
    const stage = { stageName: "look", task: { kind } } as Manifest;
    expect(taskOptionNames(stage)).toEqual(["onProgress"]);
    expect(() => checkTaskOptions(stage, listening)).not.toThrow();
  }
  const alone = { task: { kind: "keypoints" } } as Manifest;
  expect(() => checkTaskOptions(alone, {})).not.toThrow();
  expect(() => checkTaskOptions(alone, listening)).toThrow("onProgress: the model runs on the whole picture");
  expect(() => checkTaskOptions(plain, listening)).toThrow("onProgress: the model takes no crops");
});

const IMAGE = { kind: "image", name: "image" };

test.each([
  ["detect", [IMAGE], null],
  ["pose", [IMAGE], null],
  ["detect", [IMAGE, { kind: "state", name: "h0" }], "a model with state"],
  ["detect", [{ kind: "stack", name: "images" }], "the model takes several pictures at once"],
  ["pose", [IMAGE, { kind: "mask", name: "mask" }], "the model takes a mask"],
  ["obb", [IMAGE], null],
  ["segment", [IMAGE], null],
  ["segment", [IMAGE, { kind: "state", name: "h0" }], "a model with state"],
  ["image-segmentation", [IMAGE], "cannot be merged from slices"],
  ["keypoints", [IMAGE], "cannot be merged from slices"],
] as const)("slices of a model of task %s with the inputs %j", (kind, inputs, refusal) => {
  const manifest = { task: { kind }, inputs } as unknown as Manifest;
  const check = (): void => checkTaskOptions(manifest, { slices: { size: 640 } });
  expect(() => checkTaskOptions(manifest, {})).not.toThrow();
  if (refusal === null) expect(check).not.toThrow();
  else
    expect(check).toThrow(
      expect.objectContaining({
        code: "invalid-option",
        message: expect.stringMatching(`^slices: .*${refusal}`),
        fix: expect.stringContaining("leave slices out"),
      }),
    );
});

test("rotated boxes cannot be merged", () => {
  const turned = { task: { kind: "obb" }, inputs: [IMAGE] } as unknown as Manifest;
  expect(() => checkTaskOptions(turned, { slices: { size: 640, merge: "nms" } })).not.toThrow();
  expect(() => checkTaskOptions(turned, { slices: { size: 640, merge: "greedy-nmm" } })).toThrow(
    expect.objectContaining({
      code: "invalid-option",
      message: expect.stringContaining("slices.merge: "),
      fix: expect.stringContaining('"nms"'),
    }),
  );
});

test("without slices there is no progress", () => {
  const detector = { task: { kind: "detect" }, inputs: [IMAGE] } as unknown as Manifest;
  expect(() => checkTaskOptions(detector, { slices: { size: 9 }, onProgress: () => {} })).not.toThrow();
  expect(() => checkTaskOptions(detector, { onProgress: () => {} })).toThrow(
    expect.objectContaining({ code: "invalid-option", fix: expect.stringContaining("give slices") }),
  );
});
