import { afterEach, describe, expect, test } from "vitest";
import type {
  Detection,
  DetectResult,
  ImageSource,
  Model,
  ObbResult,
  PartProgress,
  PoseResult,
  SegmentResult,
  SliceOptions,
} from "../../src/index.js";
import { sliceGrid } from "../../src/slices/grid.js";
import { mergeDetections } from "../../src/slices/merge.js";
import { slicedTask } from "../../src/tasks/task-options.js";
import { backends, keepEngine, loadTiny } from "../support/bundle.js";
import { type Film, film } from "../support/playing-video.js";

for (const backend of backends) keepEngine(backend);

const films: Film[] = [];

afterEach(() => {
  for (const each of films.splice(0)) each.end();
});

const PICTURE = { width: 50, height: 34 };
const SLICE = { width: 20, height: 16 };
const SLICES: SliceOptions = { size: [20, 16], overlap: 0.25 };

/** An image whose slices all differ. */
function drawn(): OffscreenCanvas {
  const canvas = new OffscreenCanvas(PICTURE.width, PICTURE.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  for (let at = 0; at < 40; at++) {
    context.fillStyle = `hsl(${(at * 67) % 360} 80% ${30 + at}%)`;
    context.fillRect((at * 13) % 50, (at * 7) % 34, 9, 6);
  }
  return canvas;
}

/** The same image in a frame that is stored on its side, as phones record upright videos. */
function turned(): VideoFrame {
  const canvas = new OffscreenCanvas(PICTURE.height, PICTURE.width);
  const context = canvas.getContext("2d");
  context?.translate(0, PICTURE.width);
  context?.rotate(-Math.PI / 2);
  context?.drawImage(drawn(), 0, 0);
  return new VideoFrame(canvas, { timestamp: 0, rotation: 90 } as VideoFrameInit);
}

function cutOf(canvas: OffscreenCanvas, left: number, top: number, width: number, height: number): ImageData {
  const pixels = canvas.getContext("2d")?.getImageData(left, top, width, height);
  if (pixels === undefined) throw new Error("no canvas");
  return pixels;
}

type Found = DetectResult | PoseResult | ObbResult | SegmentResult;

const run = async (model: Model, source: ImageSource, slices?: SliceOptions): Promise<Found> =>
  (await model.run(source, { slices })) as Found;

function objects(result: Found): Detection[] {
  if ("detections" in result) return result.detections;
  if ("poses" in result) return result.poses;
  return "objects" in result ? result.objects : result.segments;
}

/** Returns the results of the image and each slice, run separately, with the objects' positions shifted. */
async function byHand(model: Model, canvas: OffscreenCanvas): Promise<Detection[]> {
  const found: Detection[] = [];
  for (const slice of sliceGrid(PICTURE, SLICE, 0.25)) {
    const { left, top, width, height } = slice;
    const own = objects(await run(model, cutOf(canvas, left, top, width, height)));
    found.push(...own.map((each) => slicedTask(model.manifest).move(each, slice, PICTURE)));
  }
  return [...found, ...objects(await run(model, canvas))];
}

describe.each(backends)("%s", (backend) => {
  test.each(["manifest.json", "suppressed.json", "obb.json", "segments.json"])(
    "slices of %s equal separate runs",
    async (manifest) => {
      const model = await loadTiny({ backend }, manifest);
      const canvas = drawn();
      const found = await byHand(model, canvas);
      const whole = await run(model, canvas);
      expect(found.length).toBeGreaterThan(objects(whole).length);
      const result = await run(model, canvas, SLICES);
      const rules = { merge: "greedy-nmm", metric: "ios", threshold: 0.5 } as const;
      const wanted = mergeDetections(found, rules, slicedTask(model.manifest));
      expect(wanted.length).toBeLessThan(found.length);
      expect(objects(result)).toEqual(wanted);
      expect(Object.keys(result).sort()).toEqual(Object.keys(whole).sort());
      expect(result).toMatchObject({ kind: whole.kind, ...PICTURE, backend, warnings: [] });
      expect(model.info().preprocess).toEqual(result.preprocess);
    },
  );
});

test.each([
  ["an ImageData", () => cutOf(drawn(), 0, 0, 50, 34)],
  ["an ImageBitmap", () => createImageBitmap(drawn())],
  ["a VideoFrame", () => new VideoFrame(drawn(), { timestamp: 0 })],
  ["a VideoFrame on its side", turned],
  ["a file", () => drawn().convertToBlob()],
] as const)("%s is cut like a canvas", async (_, source) => {
  const model = await loadTiny({ backend: "wasm" }, "suppressed.json");
  const wanted = objects(await run(model, drawn(), SLICES));
  expect(wanted.length).toBeGreaterThan(0);
  expect(objects(await run(model, await source(), SLICES))).toEqual(wanted);
});

test("an image no larger than a slice runs without slices", async () => {
  const model = await loadTiny({ backend: "wasm" });
  const done: PartProgress[] = [];
  const onProgress = (progress: PartProgress): number => done.push(progress);
  const result = await model.run(drawn(), { slices: { size: 640, threshold: 0.01 }, onProgress });
  const { timings: _, ...wanted } = await model.run(drawn());
  expect(result).toMatchObject(wanted);
  expect(done).toEqual([{ done: 1, total: 1 }]);
});

test("progress is reported after each slice; the whole image is left out on request", async () => {
  const model = await loadTiny({ backend: "wasm" });
  const done: number[] = [];
  const onProgress = (progress: PartProgress): void => {
    done.push(progress.done, progress.total);
    throw new Error("ignored");
  };
  const errors: unknown[] = [];
  const heard = (event: ErrorEvent): void => {
    errors.push(event.error);
    event.preventDefault();
  };
  addEventListener("error", heard);
  await model.run(drawn(), { slices: { size: [25, 34], overlap: 0, whole: false }, onProgress });
  expect(done).toEqual([1, 2, 2, 2]);
  await expect.poll(() => errors.length).toBe(2);
  removeEventListener("error", heard);
});

test.each([
  [0, 2],
  [0.5, 3],
  [0.99, 21],
])("an overlap of %d gives %i slices and the whole image, each reported once", async (overlap, count) => {
  const model = await loadTiny({ backend: "wasm" }, "suppressed.json");
  const done: number[] = [];
  const totals = new Set<number>();
  const onProgress = ({ done: parts, total }: PartProgress): void => {
    done.push(parts);
    totals.add(total);
  };
  const picture = cutOf(drawn(), 0, 0, 40, 16);
  const result = (await model.run(picture, { slices: { size: [20, 16], overlap }, onProgress })) as Found;
  expect(done).toEqual(Array.from({ length: count + 1 }, (_, at) => at + 1));
  expect([...totals]).toEqual([count + 1]);
  expect(objects(result).length).toBeGreaterThan(0);
});

test("a signal stops the run between two slices, and the model can run again", async () => {
  const model = await loadTiny({ backend: "wasm" });
  const stopping = new AbortController();
  const done: number[] = [];
  const onProgress = (progress: PartProgress): void => {
    done.push(progress.done);
    if (progress.done === 2) stopping.abort();
  };
  const stopped = model.run(drawn(), { slices: SLICES, signal: stopping.signal, onProgress });
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  expect(done).toEqual([1, 2]);
  expect(objects(await run(model, drawn(), SLICES)).length).toBeGreaterThan(0);
});

test("video frames run in slices too", async () => {
  const made = await film();
  films.push(made);
  const model = await loadTiny({ backend: "wasm" });
  const totals: number[] = [];
  const slices = { size: [40, 48], overlap: 0 } as const;
  const onProgress = ({ done, total }: PartProgress): number => totals.push(done, total);
  const stream = model.stream(
    made.video,
    (result) => {
      expect(result).toMatchObject({ kind: "pose", width: 64, height: 48 });
      stream.stop();
    },
    { slices, onProgress },
  );
  await stream.finished;
  expect(totals).toEqual([1, 3, 2, 3, 3, 3]);
});

test.each([
  [{}, "slices: wanted an object with a size"],
  [640, "slices: wanted an object with a size"],
  [{ size: 0 }, "slices.size: wanted a whole number from 1 on, or two of them, got 0"],
  [{ size: 20.5 }, "slices.size"],
  [{ size: "640" }, 'slices.size: wanted a whole number from 1 on, or two of them, got "640"'],
  [{ size: [20] }, "slices.size"],
  [{ size: 20, overlap: 1 }, "slices.overlap: wanted a number from 0 to below 1, got 1"],
  [{ size: 20, overlap: -0.1 }, "slices.overlap"],
  [{ size: 20, overlap: Number.NaN }, "slices.overlap"],
  [{ size: 20, whole: 1 }, "slices.whole: wanted true or false"],
  [{ size: 20, merge: "nmm" }, 'slices.merge: wanted "greedy-nmm" or "nms", got "nmm"'],
  [{ size: 20, metric: "giou" }, "slices.metric"],
  [{ size: 20, threshold: 0 }, "slices.threshold: wanted a number above 0, up to 1, got 0"],
  [{ size: 20, overlaps: 0.2 }, "slices.overlaps: there is no such option"],
  [{ size: 1 }, "slices: a picture of 200 x 100 would be cut into 20000"],
])("slices of %j are refused", async (slices, message) => {
  const model = await loadTiny({ backend: "wasm" });
  const asked = model.run(new ImageData(200, 100), { slices: slices as unknown as SliceOptions });
  await expect(asked).rejects.toMatchObject({
    code: "invalid-option",
    message: expect.stringContaining(message),
    fix: expect.stringMatching(/^(give|leave) /),
  });
});

test("several images, unreadable images and models of other tasks are refused", async () => {
  const model = await loadTiny({ backend: "wasm" });
  const options = { slices: SLICES };
  await expect(model.run([drawn(), drawn()], options)).rejects.toMatchObject({ code: "invalid-image" });
  await expect(model.run(new Blob(["no picture"]), options)).rejects.toMatchObject({
    code: "unreadable-image",
  });
  const tensors = await loadTiny({ backend: "wasm" }, "batches.json");
  await expect(tensors.run(drawn(), options)).rejects.toMatchObject({
    code: "invalid-option",
    message: expect.stringContaining("slices: "),
    fix: "leave slices out",
  });
});
