// Sliced inference (SAHI): runs overlapping slices of a large picture, and merges their detections.

import { internalError } from "../api/errors.js";
import type { Detection, ImageSource, Result, RunOptions, SliceOptions } from "../api/types.js";
import { sizeOf } from "../preprocess/canvas-pixels.js";
import { packImages } from "../preprocess/image-source.js";
import type { Size } from "../preprocess/letterbox.js";
import { closePictures, drawnIfFrame } from "../preprocess/pixels.js";
import { DECODE_OPTIONS } from "../preprocess/wrapped-picture.js";
import { type Slice, sliceGrid } from "../slices/grid.js";
import { type MergeRules, mergeDetections } from "../slices/merge.js";
import type { SlicedTask } from "../slices/sliced-task.js";
import { mergedMetadata, metadataOf, type RunMetadata } from "../tiles/run-metadata.js";
import { cutOut } from "../tiles/tile-pixels.js";
import { reportingListener } from "./reporting-listener.js";

type DecodedPicture = ImageBitmap | ImageData;

/** Runs pictures, each with its own result. */
export interface SliceRunner {
  /** Returns the batch size for the remaining pictures. */
  batchOf(left: number): number;
  run(pictures: readonly ImageSource[]): Promise<Result[]>;
}

/** How the picture is cut into slices, and how their detections are merged. */
export interface SlicedRequest {
  task: SlicedTask;
  slices: SliceOptions;
  onProgress: RunOptions["onProgress"];
}

/**
 * Runs a picture in slices; one no larger than a slice runs whole. Memory has the picture and the slices of
 * one batch.
 */
export async function runInSlices(
  source: ImageSource,
  request: SlicedRequest,
  runner: SliceRunner,
): Promise<Result> {
  const packing = { asFrames: false, decodesFiles: true, wraps: false } as const;
  const [packed] = (await packImages([source], packing)).pictures;
  if (packed === undefined || packed instanceof Blob) throw internalError("a picture that is not decoded");
  const picture = drawnIfFrame(packed);
  try {
    return await runDecoded(picture, request, runner);
  } finally {
    closePictures([picture]);
  }
}

async function runDecoded(
  picture: DecodedPicture,
  { task, slices, onProgress = () => {} }: SlicedRequest,
  runner: SliceRunner,
): Promise<Result> {
  const source = sizeOf(picture);
  const grid = sliceGrid(source, sliceSize(slices), slices.overlap ?? 0.2);
  const batches = sliceBatches(grid, runner);
  if (grid.length > 1 && slices.whole !== false) batches.push([{ left: 0, top: 0, ...source }]);
  const report = reportingListener(onProgress);
  const total = batches.flat().length;
  const results: Result[] = [];
  const metadata: RunMetadata[] = [];
  for (const batch of batches) {
    const found = await runBatch(picture, batch, runner);
    results.push(...found);
    metadata.push(...batchMetadata(found));
    report({ done: results.length, total });
  }
  const [first] = results;
  if (first === undefined) throw internalError("slices without a result");
  if (grid.length === 1) return first;
  const objects = batches.flat().flatMap((slice, at) => {
    const found: readonly Detection[] = Object(results[at])[task.field];
    return found.map((each) => task.move(each, slice, source));
  });
  const merged = mergeDetections(objects, mergeRules(slices), task);
  // TypeScript does not know the task of the result.
  return { ...first, ...mergedMetadata(metadata), ...source, [task.field]: merged } as unknown as Result;
}

function sliceBatches(grid: readonly Slice[], { batchOf }: SliceRunner): Slice[][] {
  const batches: Slice[][] = [];
  for (let begin = 0; begin < grid.length; begin += batches.at(-1)?.length ?? 1)
    batches.push(grid.slice(begin, begin + batchOf(grid.length - begin)));
  return batches;
}

async function runBatch(
  picture: DecodedPicture,
  batch: readonly Slice[],
  runner: SliceRunner,
): Promise<Result[]> {
  const cuts: DecodedPicture[] = [];
  try {
    for (const slice of batch) cuts.push(await cropSlice(picture, slice));
    return await runner.run(cuts);
  } finally {
    closePictures(cuts.filter((each) => each !== picture));
  }
}

/** Cuts a slice out of the picture; the slice of the whole picture is the picture itself. */
async function cropSlice(picture: DecodedPicture, slice: Slice): Promise<DecodedPicture> {
  const { left, top, width, height } = slice;
  const { width: whole, height: tall } = sizeOf(picture);
  if (width === whole && height === tall) return picture;
  if (picture instanceof ImageData) return cutOut(picture, left, top, slice);
  return createImageBitmap(picture, left, top, width, height, DECODE_OPTIONS);
}

/** Every result of a batch has the timings of the whole batch, so only the first one's are counted. */
function batchMetadata([first, ...others]: readonly Result[]): RunMetadata[] {
  if (first === undefined) return [];
  const timings = { preprocess: 0, inference: 0, postprocess: 0, total: 0 };
  return [metadataOf(first), ...others.map((each) => ({ ...metadataOf(each), timings }))];
}

function sliceSize({ size }: SliceOptions): Size {
  const [width, height] = typeof size === "number" ? [size, size] : size;
  return { width, height };
}

function mergeRules({ merge = "greedy-nmm", metric = "ios", threshold = 0.5 }: SliceOptions): MergeRules {
  return { merge, metric, threshold };
}
