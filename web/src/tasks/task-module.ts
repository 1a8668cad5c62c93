// The interface of a task: everything that the runtime needs to decode a model's outputs. Code outside of
// tasks/ does not switch on a kind. To add a task, add a folder with a task.ts; tasks/detect/ is the shortest
// example.

import type { PictureSize, RunOptions, Tensors, Warning } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ReadStats } from "../postprocess/degenerate-outputs.js";
import type { Geometry, Size } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import type { Tolerance } from "../self-test/tolerance.js";
import type { SceneView } from "../stages/scene-view.js";
import type { Downloads } from "../storage/download.js";
import type { AnyTensors, GpuTensor } from "../tensors/gpu-tensor.js";
import type { TiledTask } from "../tiles/tiled-task.js";
import type { EverythingSettings } from "./mask-generation/everything/settings.js";

/** The options of a run: the caller's, or the settings of `scene.everything()`. */
export type TaskRunOptions = RunOptions & { everything?: EverythingSettings };

export interface TaskSpec {
  kind: string;
}

export type ManifestOf<Spec> = Omit<Manifest, "task"> & { task: Spec };

/** The fields that every task's result has. */
export interface TaskFields {
  kind: string;
  /** The size of the upright picture. */
  width: number;
  height: number;
}

/**
 * The fields of a result `R` that the task decodes: all except those that the run adds, such as timings and
 * warnings.
 */
export type FieldsOf<R> = R extends unknown
  ? Omit<R, "size" | "timings" | "backend" | "preprocess" | "postprocess" | "fallback" | "warnings">
  : never;

/**
 * A task; `tasks/<kind>/task.ts` exports it as `task`. `Spec` is the task in the manifest, `R` the decoded
 * result. `Context` is a run's options in the form that `feeds` and `decode` read. `Tools` are loaded once by
 * `load`, such as a tokenizer.
 */
export interface TaskModule<Spec extends TaskSpec, R extends TaskFields, Context = null, Tools = null> {
  readonly kind: Spec["kind"];
  /** Loads files of the bundle that the task needs besides the graph. */
  load?(spec: Spec, downloads: Downloads): Promise<Tools>;
  /**
   * Returns the context of a run. Throws "invalid-option" for an option that the model does not support.
   * Without this method the context is null. `scene` is set in a later stage; null in a first stage, and in
   * the warm-up run.
   */
  context?(
    manifest: ManifestOf<Spec>,
    options: TaskRunOptions,
    tools: Tools,
    scene: SceneView | null,
  ): Context;
  /** The options of the warm-up run. Default: {}. */
  warmUpOptions?(spec: Spec): RunOptions;
  /** Returns the tensors of inputs that depend on the context, such as a prompt. */
  feeds?(manifest: ManifestOf<Spec>, context: Context): Tensors;
  /** The names of the outputs that `decode` reads. No other output is read back from the GPU. */
  neededOutputs(manifest: ManifestOf<Spec>, context: Context): string[];
  /**
   * Makes the result of a picture from the graph's outputs. `geometry` maps the model's input to the source
   * picture. `source` is that picture, for a stack the first one; do not close it. A later stage gets both
   * from its scene.
   */
  decode(
    manifest: ManifestOf<Spec>,
    outputs: Tensors,
    geometry: Geometry,
    context: Context,
    source: Picture,
  ): R | Promise<R>;
  /** Whether `decode` reads `source`. A file is then decoded once, for the input and for `decode`. */
  readonly readsPicture?: boolean;
  /**
   * Throws for a picture that is too large for a result. Needs `readsPicture`: before, the size of a file is
   * unknown.
   */
  checkPicture?(spec: Spec, size: Size): void;
  /** Returns the parts of a result that are transferred to the page instead of copied. */
  transfer?(result: R): { arrays: ArrayBufferView<ArrayBuffer>[]; others?: Transferable[] };
  warnings?(result: R): Warning[];
  /** Whether the result is the output tensors. As a first stage, such a task makes no result. */
  readonly resultIsOutputs?: boolean;
  /** Whether a constant output is a valid result, without the warning "flat-output". */
  readonly flatOutputsAllowed?: boolean;
  /** For an output with rows of detections: x1 y1 x2 y2, score, class index, then the task's own columns. */
  readonly rows?: RowRules<Spec>;
  /**
   * Compares a float32 output in reduced precision with the expected one. Returns the difference in words,
   * null if it is within the tolerance. Default: compares the largest difference of any element.
   */
  difference?(
    spec: Spec,
    name: string,
    want: Float32Array,
    got: Float32Array,
    tolerance: Tolerance,
  ): string | null;
  /** Decoding on the GPU, for outputs that are slow to read back, such as masks and depth maps. */
  readonly gpu?: GpuDecoder<Spec, R, Context>;
  /** For a later stage that runs on parts of the picture, in batches. `decode` is then not called. */
  readonly parts?: PartRules<Spec, R, Context>;
  /** For a task whose large pictures can run in tiles. */
  readonly tiles?: TiledTask<Spec, R>;
}

export interface RowRules<Spec> {
  output(spec: Spec): string;
  isEmptyBox(row: Float32Array): boolean;
  /** Whether the task's own columns of two rows agree. Default: up to a share of their largest magnitude. */
  ownColumnsMatch?(spec: Spec, row: Float32Array, other: Float32Array, tolerance: Tolerance): boolean;
}

/**
 * A later stage that runs on parts of the picture: a crop around each person of an earlier stage
 * (`scene.results`), or a point of a grid. Parts run in batches of the size of a variant's graph
 * (`pictureBatch`). `feeds` makes the tensors of a batch, `decode` one `Piece` per part, `join` the result
 * from all pieces. A `Piece` is plain data: it is posted between threads.
 */
export interface PartRules<Spec extends TaskSpec, R extends TaskFields, Context, Piece = unknown> {
  /**
   * Returns an element for each part: the [width, height] of its text line, which runs at the narrowest input
   * that fits, or null for a part that runs at any size. If there are no parts, the graph does not run, and
   * `join` gets no pieces.
   */
  lines(manifest: ManifestOf<Spec>, scene: SceneView, context: Context): (PictureSize | null)[];
  /**
   * Returns the input tensors of these parts, a full batch of the graph. With a `device`, the engine's, they
   * may be GPU tensors; they are released after the run.
   */
  feeds(
    manifest: ManifestOf<Spec>,
    scene: SceneView,
    parts: readonly number[],
    context: Context,
    device: GPUDevice | null,
  ): Promise<AnyTensors>;
  /** Decodes the outputs of a batch into one piece per part, in their order. */
  decode(
    manifest: ManifestOf<Spec>,
    outputs: Tensors,
    scene: SceneView,
    parts: readonly number[],
    context: Context,
  ): Piece[];
  /** Makes the result from all pieces, in the order of the parts. */
  join(manifest: ManifestOf<Spec>, pieces: readonly Piece[], scene: SceneView, context: Context): R;
  /** Warnings about the scene, besides those of the result. `sizes` are the [width, height] that a part may run at. */
  warnings?(manifest: ManifestOf<Spec>, scene: SceneView, sizes: readonly PictureSize[]): Warning[];
}

/**
 * Decodes a task's outputs on the GPU, if a self-check shows that it gives the same result as `decode` on the
 * CPU.
 */
export interface GpuDecoder<Spec extends TaskSpec, R extends TaskFields, Context> {
  /** Returns why this run is decoded on the CPU, null if it is decoded on the GPU. */
  refusal?(spec: Spec, context: Context): string | null;
  /** The names of the outputs that stay on the GPU in this run; with null, in any run. */
  outputs(spec: Spec, context: Context | null): string[];
  open(device: GPUDevice, spec: Spec): Promise<CheckedGpuDecoder<Spec, R, Context>>;
}

/**
 * A GPU decoder after its self-check. `matches` says in words what is equal; `mismatch` what differs, null if
 * nothing does.
 */
export interface CheckedGpuDecoder<Spec extends TaskSpec, R extends TaskFields, Context> {
  matches: string;
  mismatch: string | null;
  run(
    manifest: ManifestOf<Spec>,
    gpuOutputs: Readonly<Record<string, GpuTensor>>,
    cpuOutputs: Tensors,
    geometry: Geometry,
    context: Context,
    source: Picture,
  ): Promise<GpuDecoded<R>>;
}

/** The decoded result, the outputs that were read back, and statistics of the others, by name. */
export interface GpuDecoded<R extends TaskFields> {
  decoded: R;
  outputs: Tensors;
  stats: Readonly<Record<string, ReadStats>>;
}
