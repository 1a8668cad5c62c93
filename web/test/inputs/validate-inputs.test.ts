import { describe, expect, test } from "vitest";
import { WebbuildError } from "../../src/api/errors.js";
import type { DType, TensorData, Tensors } from "../../src/api/types.js";
import { sizeFeeds } from "../../src/inputs/size-inputs.js";
import { completeFeeds, copiedFeeds, optionFeeds } from "../../src/inputs/validate-inputs.js";
import type { ImageInput, Manifest, OptionInput, TensorInput } from "../../src/manifest/manifest.js";
import { runInput } from "../../src/preprocess/image-input.js";
import { toTensor } from "../../src/tensors/typed-arrays.js";
import { casesOf } from "../support/conformance.js";

interface Feed {
  type: DType;
  dims: number[];
  data: (number | "NaN")[];
}

interface Case {
  inputs: Manifest["inputs"];
  feeds: Record<string, Feed>;
  want: { error: null; filled: Record<string, Feed> } | { error: string; says: string[] };
}

test.each(casesOf<Case>("input-validation"))("%s", (_, { inputs, feeds, want }) => {
  const given = tensors(feeds);
  if (want.error === null) {
    expect(completeFeeds(inputs, given)).toEqual({ ...given, ...tensors(want.filled) });
    return;
  }
  const error = failure(() => completeFeeds(inputs, given));
  expect(error.code).toBe(want.error);
  for (const said of want.says) expect(`${error.message} | ${error.fix}`).toContain(said);
  expect(error.fix).not.toBe("");
});

interface SizeCase {
  inputs: Manifest["inputs"];
  source: { width: number; height: number };
  want: Record<string, Feed>;
}

test.each(casesOf<SizeCase>("size-inputs"))("size: %s", (_, { inputs, source, want }) => {
  expect(sizeFeeds(inputs, source)).toEqual(tensors(want));
});

test("a view of a large buffer is copied alone", () => {
  const input: TensorInput = { kind: "tensor", name: "x", dtype: "float32", shape: [2] };
  const data = new Float32Array(new WebAssembly.Memory({ initial: 1 }).buffer, 64, 2).fill(3);
  const { x } = copiedFeeds([input], { x: { type: "float32", dims: [2], data } });
  expect(x?.data).toEqual(Float32Array.of(3, 3));
  expect(x?.data.buffer.byteLength).toBe(8);
});

describe("errors that only TypeScript callers can make", () => {
  const x: TensorInput = { kind: "tensor", name: "x", dtype: "float32", shape: [2] };

  test("data in the wrong kind of array", () => {
    const feeds = { x: { type: "float32", dims: [2], data: new Float64Array(2) } } as unknown as Tensors;
    expect(failure(() => completeFeeds([x], feeds))).toMatchObject({ code: "invalid-input" });
  });

  test("data that is a plain array", () => {
    const feeds = { x: { type: "float32", dims: [2], data: [1, 2] } } as unknown as Tensors;
    expect(failure(() => completeFeeds([x], feeds)).message).toContain("Array");
  });
});

describe("options", () => {
  const confidence: OptionInput = {
    kind: "option",
    name: "conf",
    dtype: "float32",
    shape: [1],
    option: "confidence",
    default: 0.25,
    minimum: 0.125,
    maximum: 0.75,
  };

  test("a given option is fed under the input's name", () => {
    const fed = optionFeeds([confidence], { confidence: 0.5 });
    expect(fed).toEqual({ conf: { type: "float32", dims: [1], data: Float32Array.of(0.5) } });
  });

  test("a missing option has its default", () => {
    expect(optionFeeds([confidence], {}).conf?.data).toEqual(Float32Array.of(0.25));
  });

  test.each([0.1, 0.8, Number.NaN, Number.POSITIVE_INFINITY])("%d is out of range", (value) => {
    expect(failure(() => optionFeeds([confidence], { confidence: value })).code).toBe("invalid-option");
  });

  test("an option that the model does not have", () => {
    expect(failure(() => optionFeeds([confidence], { iou: 0.5 })).message).toContain("iou");
  });
});

describe("models for which an image is not enough", () => {
  const image = { kind: "image", name: "images" } as ImageInput;
  const tokens: TensorInput = { kind: "tensor", name: "tokens", dtype: "int64", shape: [1, 4] };

  test("one image is enough", () => expect(runInput([image]).image).toBe(image));
  test("no image", () => expect(failure(() => runInput([tokens])).code).toBe("invalid-image"));
  test("two images", () => expect(failure(() => runInput([image, image])).code).toBe("invalid-image"));
  test("a tensor too", () => {
    expect(failure(() => runInput([image, tokens]))).toMatchObject({ code: "missing-input" });
  });
});

function tensors(feeds: Record<string, Feed>): Tensors {
  return Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, tensor(feed)]));
}

function tensor({ type, dims, data }: Feed): TensorData {
  return toTensor({ dtype: type, shape: dims }, data.map(Number));
}

function failure(work: () => unknown): WebbuildError {
  try {
    work();
  } catch (error) {
    if (error instanceof WebbuildError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
