// The public types: what goes into a model and what comes out.

import type { DepthTask, Manifest, Output, PanopticTask } from "./manifest.js";

export type Backend = "webgpu" | "wasm";

export interface LoadOptions {
  /** Only "auto" may choose: WebGPU first, WASM where that cannot work. A named backend never falls back. */
  backend?: "auto" | Backend | undefined;
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
  /** Record which provider runs which node (`info().placement`). Slower to load. */
  trace?: boolean | undefined;
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

export interface RunOptions {
  /** Detections scored below this are left out. Default: the model's own. */
  confidence?: number | undefined;
  /** Of two detections that overlap more than this, the weaker is left out. Default: the model's own. */
  iou?: number | undefined;
  /** For a stack: the distance that each picture is focused at, in their order. Default: the model's own. */
  focusDistances?: readonly number[] | undefined;
  /** For a model that is told what to look for: phrases with full stops between them, or a list of phrases. */
  prompt?: string | readonly string[] | undefined;
  /** For such a model: words scored below this are not part of what was found. Default: the model's own. */
  textThreshold?: number | undefined;
  /** How a picture is divided into regions, where the model can do it in several ways. Default: the model's own. */
  mode?: PanopticTask["mode"] | undefined;
  /** Drops the run. One that the GPU has begun is finished there, and its result is thrown away. */
  signal?: AbortSignal | undefined;
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

export type Tensors = Record<string, TensorData>;

export interface Warning {
  code: string;
  message: string;
  fix: string;
}

/** Milliseconds in the worker. */
export interface Timings {
  preprocess: number;
  inference: number;
  decode: number;
  total: number;
}

interface Answer {
  /** The size of the upright picture, which all coordinates are in. */
  width: number;
  height: number;
  timings: Timings;
  /** The graph that answered. */
  backend: Backend;
  /** Not null: the first graph could not be exact on this picture, so the run was repeated on another. */
  repeated: { target: Backend; why: string } | null;
  warnings: Warning[];
}

export interface DetectResult extends Answer {
  kind: "detect";
  detections: Detection[];
}

export interface PoseResult extends Answer {
  kind: "pose";
  poses: Pose[];
}

export interface SegmentResult extends Answer {
  kind: "segment";
  segments: Segment[];
}

export interface ObbResult extends Answer {
  kind: "obb";
  objects: OrientedObject[];
}

export interface ClassifyResult extends Answer {
  kind: "classify";
  /** All of them, the most probable first. */
  classes: ClassScore[];
}

export interface DepthResult extends Answer {
  kind: "depth";
  /** Row by row, one value for each pixel of the source picture. NaN where the model saw nothing of it. */
  depth: Float32Array<ArrayBuffer>;
  /** As large; the larger, the surer. Null where the model gives none. */
  confidence: Float32Array<ArrayBuffer> | null;
  /** The least and the largest value in `depth`, NaN where it has none. */
  min: number;
  max: number;
  /** What grows: the distance, or its inverse. */
  quantity: DepthTask["quantity"];
  unit: DepthTask["unit"];
}

export interface PhrasesResult extends Answer {
  kind: "phrases";
  /** The best first. */
  detections: PhraseDetection[];
  /** Those of the prompt, in their order, as the model read them. */
  phrases: string[];
}

export interface PanopticResult extends Answer {
  kind: "panoptic";
  mode: PanopticTask["mode"];
  regions: Region[];
  /** Row by row, for each pixel of the source picture the number of its region, from 1; 0 where there is none. */
  map: Uint16Array<ArrayBuffer>;
}

export interface TensorResult extends Answer {
  kind: "tensor";
  outputs: Tensors;
}

export type Result =
  | DetectResult
  | PoseResult
  | SegmentResult
  | ObbResult
  | ClassifyResult
  | DepthResult
  | PhrasesResult
  | PanopticResult
  | TensorResult;

/** An object that was found, in pixels of the upright source picture. */
export interface Detection {
  box: Box;
  score: number;
  classIndex: number;
  /** The class's name in the manifest; "class 7" for an index that has none. */
  label: string;
}

/** An object that the prompt names: `label` are the words it was found by, `classIndex` is its phrase, from 0 on. */
export type PhraseDetection = Detection;

/** A person, or another object that has keypoints. */
export interface Pose extends Detection {
  /** In the order of the manifest's keypoints. */
  keypoints: KeypointPosition[];
}

/** An object and the pixels that it covers. */
export interface Segment extends Detection {
  mask: Mask;
}

/** A grid over a rectangle of the source picture, one cell for each pixel of the model's input. */
export interface Mask {
  /** The rectangle, in source pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
  rows: number;
  /** Row by row: 1 where the object is, 0 where it is not. */
  data: Uint8Array<ArrayBuffer>;
}

/** An object in a rotated box. Its `box` is the upright one around that, as far as it lies in the picture. */
export interface OrientedObject extends Detection {
  center: Point;
  /** The lengths of the sides. */
  width: number;
  height: number;
  /** Radians from the x axis to the side of the width, towards y: clockwise on a screen. */
  angle: number;
  /** The upper left one at angle 0, then clockwise. They may lie outside of the picture. */
  corners: [Point, Point, Point, Point];
}

export interface Point {
  x: number;
  y: number;
}

export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface KeypointPosition {
  name: string;
  x: number;
  y: number;
  /** 1 where the model gives none. */
  confidence: number;
}

/** A thing, or all that there is of a class. */
export interface Region {
  classIndex: number;
  label: string;
  /** Null in a semantic result, where every pixel is decided by itself. */
  score: number | null;
  /** How many pixels of the source picture it has, and which part of the picture that is. */
  pixels: number;
  share: number;
  /** The least box around them. */
  box: Box;
}

/** A class, and how probable it is. */
export interface ClassScore {
  classIndex: number;
  label: string;
  score: number;
}

export interface ModelInfo {
  engine: { name: string; version: string; build: "jspi" | "asyncify" | "wasm"; threads: number };
  /** The graphics adapter in use, null on WASM. */
  adapter: AdapterInfo | null;
  /** The run with known answers that this GPU passed; null on WASM, and where there was none to compare. */
  selfTest: SelfTest | null;
  /** Milliseconds of each stage of loading. */
  timings: { engine: number; weights: number; session: number; warmup: number; total: number };
  /** Which provider runs which nodes; null unless loaded with `trace`. */
  placement: Placement[] | null;
}

/** `before`: it was passed on an earlier visit, and not run again. */
export interface SelfTest {
  sample: string;
  before: boolean;
}

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

export type { Manifest };
