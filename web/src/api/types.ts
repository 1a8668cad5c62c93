// The public types: what goes into a model, and what it says of itself. What comes out is in results.ts.

import type { Graph, ImageSegmentationTask, Manifest, Output } from "../manifest/manifest.js";
import type { Model } from "./model.js";
import type { Box, MaskLogits, Point, PreprocessRoute, Route } from "./results.js";
import type { ModelState } from "./state.js";

/** Where a graph runs. */
export type Backend = "webgpu" | "wasm";

/** "fp32" is as the model was exported; "mixed" is half precision in part. */
export type Precision = Graph["precision"];

/** Width and height of a picture, in pixels. */
export type PictureSize = readonly [width: number, height: number];

/** The size of a picture; a number is a square. */
export type SizeOption = number | PictureSize;

/** An option of all stages, or of each by its name; a stage that is left out has "auto". */
export type StageOption<T extends string> = T | Readonly<Record<string, T>>;

/** Options of `load()`. All may be left out. */
export interface LoadOptions {
  /**
   * Only "auto" may choose: WebGPU first, WASM where that cannot work. A named backend never falls back. A model of
   * several stages may have a backend for each: `{ encoder: "webgpu", decoder: "wasm" }`.
   */
  backend?: StageOption<"auto" | Backend> | undefined;
  /**
   * Of a bundle that holds the model in several precisions, "auto" takes the best that the adapter can run and that is
   * right there. A named one never becomes another: "fp32" is the model as it was exported.
   */
  precision?: StageOption<"auto" | Precision> | undefined;
  /** Of a bundle for several sizes of picture, the only one that the model is to run at. Default: all of them. */
  size?: SizeOption | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Run the bundle's known sample on a GPU that it never ran on. On by default; "webgpu" then fails where it must. */
  selfTest?: boolean | undefined;
  /** Keep the model and the engine for the next visit. On by default. */
  cache?: boolean | undefined;
  /**
   * Let the pages in the bundle's folder open without a network, by a service worker. Off by default. Elsewhere, the
   * page's own service worker has to keep the page, the loader and the runtime; the model and the engine are kept anyhow.
   * A string is the address of a service worker that lies elsewhere than beside the manifest.
   */
  offline?: boolean | string | undefined;
  /** Where the bundle's files lie, by their paths in it, when a bundler has moved them: the package's entry knows. */
  addresses?: Readonly<Record<string, string>> | undefined;
  /** Starts runtime/worker.js, when a bundler has moved it, or to start it from the page's own origin. */
  worker?: (() => Worker) | undefined;
  /** Where pictures become tensors, masks regions, and depth maps colours: "auto" is the GPU wherever the result is the same. */
  processing?: "auto" | "cpu" | undefined;
  /** Record which provider runs which node (`info().placement`). Slower to load. */
  trace?: boolean | undefined;
}

/** What the loader of a bundle exports, whichever model it is of; each bundle's own types say more. */
export interface BundleModule {
  load(options?: LoadOptions): Promise<Model>;
}

/** Bytes as they are stored in the stages engine and weights; 0 or 1 of 1 in session and warmup. */
export interface Progress {
  stage: "engine" | "weights" | "session" | "warmup";
  loaded: number;
  total: number;
  /** The bytes of all stages: those that are there, from this visit or an earlier one, and those that are needed. */
  bytesDone: number;
  bytesTotal: number;
}

/** A picture. It stays the caller's: nothing is closed or detached. */
export type ImageSource =
  | Blob
  | ImageBitmap
  | ImageData
  | HTMLImageElement
  | HTMLVideoElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | VideoFrame;

/** What goes into a run: a picture or, for a model that takes a stack, an array of as many as it has. */
export type RunSource = ImageSource | readonly ImageSource[];

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

/**
 * The default export of a glue module, which makes inputs of a stage from outputs of earlier ones, in the worker. `tensors`
 * are those that it reads, by the stage's name and the output's: `tensors.encoder.embedding`.
 */
export type GlueFunction = (
  tensors: Readonly<Record<string, Tensors>>,
  context: GlueContext,
) => Tensors | Promise<Tensors>;

/** What a glue module may know of the picture that was looked at. */
export interface GlueContext {
  /**
   * The size of the upright picture; where it lies in the first stage's input, in pixels of that; and the size of the
   * input.
   */
  picture: {
    width: number;
    height: number;
    placed: { left: number; top: number; width: number; height: number };
    input: { width: number; height: number };
  };
  /** The results of earlier stages, by the stages' names. A stage of the task `tensor` has none. */
  results: Readonly<Record<string, unknown>>;
}

/** Options of `scene.runTensors()`. */
export type SceneRunOptions = Pick<RunOptions, "signal">;

/** Which pixels of a picture are to be filled in. `run()` does not close it. */
export type MaskSource = ImageBitmap | ImageData | Uint8Array;

/** A part of a depth result. */
export type DepthPart = "values" | "map" | "colors";

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

/** The frame of a video that a result of `stream()` is of. */
export interface StreamedFrame {
  /** Its place in the video, in seconds. */
  time: number;
  /** How many frames were shown since the one before, and not run. */
  dropped: number;
  /** Milliseconds from its being shown to its result. */
  latency: number;
}

/** The element type of a tensor. */
export type DType = Output["dtype"];

/** The typed array of each element type. `bool` is one byte, 0 or 1. */
export interface DTypeArray {
  float32: Float32Array<ArrayBuffer>;
  int32: Int32Array<ArrayBuffer>;
  int64: BigInt64Array<ArrayBuffer>;
  uint8: Uint8Array<ArrayBuffer>;
  bool: Uint8Array<ArrayBuffer>;
}

/** A tensor, its elements in row-major order. */
export type TensorData = { [T in DType]: { type: T; dims: number[]; data: DTypeArray[T] } }[DType];

/** Tensors by the names of inputs or outputs. */
export type Tensors = Record<string, TensorData>;

/**
 * The state of a model after some run, from `snapshot()` for `restore()`. Plain data: it can be cloned, posted, or stored
 * in IndexedDB.
 */
export interface StateSnapshot {
  /** How many runs there were since the state was zeros. */
  readonly steps: number;
  /** The size of the last picture, null where there was none. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** The state's tensors, by the names of their inputs. */
  readonly tensors: Readonly<Tensors>;
}

/** What went wrong without ending in an error, and what can be done about it. */
export interface Warning {
  code: string;
  message: string;
  fix: string;
}

/** What `model.info()` says about a loaded model. */
export interface ModelInfo {
  engine: { name: string; version: string; build: "jspi" | "asyncify" | "wasm"; threads: number };
  /** The graphics adapter in use, null on WASM. */
  adapter: AdapterInfo | null;
  /** What the model computes in, and why. */
  precision: { used: Precision; reason: string };
  /** The run with known answers that this GPU passed; null on WASM, and where there was none to compare. */
  selfTest: SelfTest | null;
  /** Milliseconds of each stage of loading. */
  timings: { engine: number; weights: number; session: number; warmup: number; total: number };
  /** Where the last picture was made into a tensor, before the first run where pictures are going to be. */
  preprocess: PreprocessRoute;
  /** Where the last result was made of the model's outputs, or the first is going to be. */
  postprocess: Route;
  /** Whether the commands of a run are recorded once and replayed, and why. */
  graphCapture: { used: boolean; reason: string };
  /** Which provider runs which nodes; null unless loaded with `trace`. */
  placement: Placement[] | null;
  /** Of a model of several stages, each one in their order. What is said above is said of the first. */
  stages?: StageInfo[];
}

/** What `model.info()` says about a stage. */
export interface StageInfo extends Omit<ModelInfo, "stages"> {
  name: string;
  backend: Backend;
  /** Why this backend, in one sentence. */
  reason: string;
}

/** `fromCache`: it was passed on an earlier visit, and not run again. */
export interface SelfTest {
  sample: string;
  fromCache: boolean;
}

/** The graphics adapter, as the browser names it; fields may be empty. */
export interface AdapterInfo {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
}

/** The nodes of a provider. Their names are known only where the graph is split between providers. */
export interface Placement {
  provider: string;
  count: number;
  nodes: { op: string; name: string }[];
}

export type * from "./results.js";
export type { Manifest };
