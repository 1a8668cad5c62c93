// Options of a run, and what it reports on the way.

import type { ImageSegmentationTask } from "../manifest/manifest.js";
import type { DepthPart } from "../tasks/depth/result.js";
import type { MaskLogits } from "../tasks/mask-generation/result.js";
import type { Box, Point } from "./geometry.js";
import type { ImageSource, SizeOption } from "./picture.js";
import type { ModelState } from "./state.js";

/** Options of `run()`. A model takes those that fit its task. */
export interface RunOptions {
  /** Detections scored below this are left out. Default: the model's own. */
  confidence?: number | undefined;
  /** Of two detections that overlap more than this, the weaker is left out. Default: the model's own. */
  iou?: number | undefined;
  /** For a stack: the distance that each picture is focused at, in their order. Default: the model's own. */
  focusDistances?: readonly number[] | undefined;
  /** Numbers that the model takes beside a picture, by the names of its inputs. Default: the bundle's own. */
  numbers?: Readonly<Record<string, number | undefined>> | undefined;
  /**
   * For an inpainting model: the pixels to fill in. An ImageBitmap or ImageData of the picture's size, white and opaque
   * at those pixels, or a Uint8Array with 1 for each of them, row by row. For a model that takes clicks: the `logits` of
   * an earlier answer, to be refined.
   */
  mask?: MaskSource | MaskLogits | undefined;
  /** For a model that takes two pictures: the second one, such as a style, a reference or the next frame. */
  reference?: ImageSource | undefined;
  /** For a model that takes clicks: where they are, in pixels of the picture. */
  points?: readonly Point[] | undefined;
  /** 1 for a click on the object, 0 for one beside it, as many as `points`. Default: all are on the object. */
  labels?: readonly (0 | 1)[] | undefined;
  /** For a model that takes clicks: a box around the object, in pixels of the picture. */
  box?: Box | undefined;
  /** Whether the answer is all masks that an ambiguous prompt may mean, or the best one. Default: false. */
  multimask?: boolean | undefined;
  /** For a model that takes a prompt: phrases with full stops between them, or a list of phrases. */
  prompt?: string | readonly string[] | undefined;
  /** For such a model: words scored below this are not part of what was found. Default: the model's own. */
  textThreshold?: number | undefined;
  /** How a picture is divided into regions, where the model can do it in several ways. Default: the model's own. */
  mode?: ImageSegmentationTask["mode"] | undefined;
  /**
   * Of a depth map, which parts the result holds, one or several: "values", a number for each pixel of the picture;
   * "map", as small as the model gives it; "colors", a picture of it. Default: "values". On a GPU "colors" alone are
   * all that is read back.
   */
  depth?: DepthPart | readonly DepthPart[] | undefined;
  /** The less sure the model is, the more transparent are the colours of its depth map. Default: false. */
  confidenceAlpha?: boolean | undefined;
  /**
   * For a matting model: the background of the cutout. A color such as "#1f4fe0", a picture, scaled to cover it, or "blur",
   * the blurred source picture without its foreground. Default: none, the cutout is transparent.
   */
  background?: string | ImageSource | undefined;
  /**
   * For an image-to-image or a matting model: "auto" runs a picture of another size than the model's input in tiles, if
   * the bundle has a plan for tiles; false resizes the picture. Default: "auto". A model with state always resizes it, and
   * refuses "auto".
   */
  tiles?: "auto" | false | undefined;
  /** Called with each finished tile, while the others run. The run does not wait for a promise that it returns. */
  onTile?: ((tile: TileResult) => unknown) | undefined;
  /**
   * For a model that finds boxes, rotated boxes, masks of objects or poses: runs a large picture in overlapping slices, so
   * that small objects are found too. Without it the picture is resized.
   */
  slices?: SliceOptions | undefined;
  /**
   * With `slices`, and for a model that looks at crops of what an earlier stage found: called after each batch of them.
   * The run does not wait for a promise that it returns.
   */
  onProgress?: ((progress: PartProgress) => unknown) | undefined;
  /** The size to run the picture at, one of the model's `sizes`. Default: the one with the least waste. */
  size?: SizeOption | undefined;
  /** For a model with state: the state to read and write. Default: `model.state`. */
  state?: ModelState | undefined;
  /** Drops the run. One that the GPU has begun is finished there, and its result is thrown away. */
  signal?: AbortSignal | undefined;
}

/** Options of `runTensors()` and `streamTensors()`, as in `run()`. */
export interface TensorRunOptions extends Pick<RunOptions, "state" | "signal"> {
  /** Of a model of several stages, the one to run alone; all its inputs are given then. Default: the first. */
  stage?: string | undefined;
}

/** Options of `preprocess()`, as in `run()`. */
export type PreprocessOptions = Pick<RunOptions, "size" | "signal">;

/** Options of `scene.runTensors()`. */
export type SceneRunOptions = Pick<RunOptions, "signal">;

/** Which pixels of a picture are to be filled in. `run()` does not close it. */
export type MaskSource = ImageBitmap | ImageData | Uint8Array;

/**
 * How a picture is cut into slices, and how what is found in them is put together: as SAHI does it, each class by itself, with
 * its defaults.
 */
export interface SliceOptions {
  /** The size of a slice, in pixels of the picture. */
  size: SizeOption;
  /** How much of its side a slice shares with the next: from 0 to below 1. Default: 0.2. */
  overlap?: number | undefined;
  /** Whether the whole picture is run too, for the objects that are larger than a slice. Default: true. */
  whole?: boolean | undefined;
  /**
   * What becomes of objects that match: "greedy-nmm", one box around the best and those that match it, and one mask of
   * theirs; "nms", the best. Keypoints are those of the best. Default: "greedy-nmm"; of rotated boxes "nms", which is all
   * that there is.
   */
  merge?: "greedy-nmm" | "nms" | undefined;
  /**
   * What is compared: "ios", intersection over the smaller box; "iou", over the union. Rotated boxes are compared as they
   * lie, masks by the boxes around them. Default: "ios".
   */
  metric?: "ios" | "iou" | undefined;
  /** From how much on two objects match: above 0, up to 1. Default: 0.5. */
  threshold?: number | undefined;
}

/** How many parts of a picture are done, such as slices, crops, or points of a grid. */
export interface PartProgress {
  done: number;
  total: number;
}

/**
 * A finished tile: its place in the result, in pixels of the result, and its picture: of a matting model the cutout, without
 * a background. Draw tiles in their order.
 */
export interface TileResult {
  index: number;
  /** The number of all tiles. */
  count: number;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Close it when you are done. */
  picture: ImageBitmap;
}
