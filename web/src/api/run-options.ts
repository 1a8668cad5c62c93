// The options of a run, and its progress events.

import type { ImageSegmentationTask } from "../manifest/manifest.js";
import type { DepthPart } from "../tasks/depth/result.js";
import type { MaskLogits } from "../tasks/mask-generation/result.js";
import type { Box, Point } from "./geometry.js";
import type { ImageSource, SizeOption } from "./picture.js";
import type { ModelState } from "./state.js";

/** Options of `run()`. A model takes those of its task. */
export interface RunOptions {
  /** The confidence threshold: detections with a lower score are left out. Default: the model's own. */
  confidence?: number | undefined;
  /**
   * The IoU threshold of NMS: of two detections that overlap more, the weaker is left out. Default: the
   * model's own.
   */
  iou?: number | undefined;
  /** For a stack: the focus distance of each picture, in their order. Default: the model's own. */
  focusDistances?: readonly number[] | undefined;
  /** Numbers that the model takes besides a picture, by input name. Default: the bundle's. */
  numbers?: Readonly<Record<string, number | undefined>> | undefined;
  /**
   * For an inpainting model: the pixels to fill in. An ImageBitmap or ImageData of the picture's size, white
   * and opaque at those pixels, or a Uint8Array with 1 for each of them, row by row. For a model that takes
   * clicks: the `logits` of an earlier result, to refine.
   */
  mask?: MaskSource | MaskLogits | undefined;
  /** For a model that takes two pictures: the second one, such as a style, a reference or the next frame. */
  reference?: ImageSource | undefined;
  /** For a model that takes clicks: their positions, in pixels of the picture. */
  points?: readonly Point[] | undefined;
  /** 1 for a click on the object, 0 for one on the background, as many as `points`. Default: all 1. */
  labels?: readonly (0 | 1)[] | undefined;
  /** For a model that takes clicks: a box around the object, in pixels of the picture. */
  box?: Box | undefined;
  /** Return all masks that an ambiguous prompt may mean, not only the best one. Default: false. */
  multimask?: boolean | undefined;
  /** For a model that takes a prompt: phrases with full stops between them, or a list of phrases. */
  prompt?: string | readonly string[] | undefined;
  /** For such a model: words with a lower score are left out of a label. Default: the model's own. */
  textThreshold?: number | undefined;
  /** Which segmentation to return, if the model has several modes. Default: the model's own. */
  mode?: ImageSegmentationTask["mode"] | undefined;
  /**
   * For a depth model: the parts of the result, one or several. "values" is a number for each pixel of the
   * picture; "map" is the map at the model's output size; "colors" is an image of it. Default: "values". With
   * "colors" alone, nothing else is read back from the GPU.
   */
  depth?: DepthPart | readonly DepthPart[] | undefined;
  /** Make the colours of a depth map more transparent where the confidence is lower. Default: false. */
  confidenceAlpha?: boolean | undefined;
  /**
   * For a matting model: the background of the cutout. A color such as "#1f4fe0", a picture, scaled to cover
   * it, or "blur", the source picture blurred and without its foreground. Default: none, the cutout is
   * transparent.
   */
  background?: string | ImageSource | undefined;
  /**
   * For an image-to-image or a matting model: "auto" runs a picture of another size than the model's input in
   * tiles, if the bundle has a plan for tiles; false resizes the picture. Default: "auto". A model with state
   * always resizes the picture and rejects "auto".
   */
  tiles?: "auto" | false | undefined;
  /** Called with each finished tile while the others run. A promise that it returns is not awaited. */
  onTile?: ((tile: TileResult) => unknown) | undefined;
  /**
   * For a model that finds boxes, rotated boxes, instance masks or poses: run a large picture in overlapping
   * slices (SAHI), so that small objects are found too. Without it the picture is resized.
   */
  slices?: SliceOptions | undefined;
  /**
   * With `slices`, or for a model that runs on crops of what an earlier stage found: called after each batch.
   * The run does not await a promise that it returns.
   */
  onProgress?: ((progress: PartProgress) => unknown) | undefined;
  /** The size to run at, one of the model's `sizes`. Default: the one that loses and pads the fewest pixels. */
  size?: SizeOption | undefined;
  /** For a model with state: the state to read and write. Default: `model.state`. */
  state?: ModelState | undefined;
  /** Aborts the run. A run that the GPU has started finishes there, and its result is dropped. */
  signal?: AbortSignal | undefined;
}

/** Options of `runTensors()` and `streamTensors()`, as in `run()`. */
export interface TensorRunOptions extends Pick<RunOptions, "state" | "signal"> {
  /**
   * For a model of several stages: the stage to run alone, with all its inputs in the tensors. Default: the
   * first.
   */
  stage?: string | undefined;
}

/** Options of `preprocess()`, as in `run()`. */
export type PreprocessOptions = Pick<RunOptions, "size" | "signal">;

/** Options of `scene.runTensors()`. */
export type SceneRunOptions = Pick<RunOptions, "signal">;

/** The mask of the pixels to fill in. `run()` does not close it. */
export type MaskSource = ImageBitmap | ImageData | Uint8Array;

/**
 * How a picture is cut into slices, and how their objects are merged: as in SAHI, each class separately, with
 * SAHI's defaults.
 */
export interface SliceOptions {
  /** The size of a slice, in pixels of the picture. */
  size: SizeOption;
  /** The share of its side that a slice overlaps with the next: from 0 to below 1. Default: 0.2. */
  overlap?: number | undefined;
  /** Also run the whole picture, for objects that are larger than a slice. Default: true. */
  whole?: boolean | undefined;
  /**
   * How matching objects are merged. "greedy-nmm": one box around the best and all that match it, and one
   * mask of all. "nms": only the best. Keypoints are always those of the best. Default: "greedy-nmm"; for
   * rotated boxes "nms", the only choice.
   */
  merge?: "greedy-nmm" | "nms" | undefined;
  /**
   * The overlap metric. "ios": intersection over the smaller box; "iou": intersection over union. Rotated
   * boxes are compared as rotated boxes, masks by their bounding boxes. Default: "ios".
   */
  metric?: "ios" | "iou" | undefined;
  /** The overlap from which on two objects match: above 0, up to 1. Default: 0.5. */
  threshold?: number | undefined;
}

/** How many parts of a picture are done: slices, crops, or points of a grid. */
export interface PartProgress {
  done: number;
  total: number;
}

/**
 * A finished tile: its place in the result, in pixels of the result, and its picture; for a matting model the
 * cutout, without a background. Draw tiles in the order of the calls.
 */
export interface TileResult {
  index: number;
  /** The number of all tiles. */
  count: number;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Close it after use. */
  picture: ImageBitmap;
}
