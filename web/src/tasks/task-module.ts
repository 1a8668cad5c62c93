// A task: everything that the runtime knows of it. Nothing outside of tasks/ switches on a kind.

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

/** What a run is asked for: the caller's options, or what scene.everything() makes of its own. */
export type TaskRunOptions = RunOptions & { everything?: EverythingSettings };

export interface TaskSpec {
  kind: string;
}

export type ManifestOf<Spec> = Omit<Manifest, "task"> & { task: Spec };

/** What every task's result has. */
export interface TaskFields {
  kind: string;
  /** The size of the upright picture. */
  width: number;
  height: number;
}

/** A result of type `R` without what only the run can say of it. */
export type FieldsOf<R> = R extends unknown
  ? Omit<R, "size" | "timings" | "backend" | "preprocess" | "postprocess" | "fallback" | "warnings">
  : never;

/**
 * Lies in `tasks/<kind>/task.ts` as `task`. `Context` is what a run was asked for that the graph does not compute, `Tools`
 * what is loaded once beside the graph.
 */
export interface TaskModule<Spec extends TaskSpec, R extends TaskFields, Context = null, Tools = null> {
  readonly kind: Spec["kind"];
  load?(spec: Spec, downloads: Downloads): Promise<Tools>;
  /**
   * Throws "invalid-option" for what the model cannot do. Null without it. `scene` is the picture that the first stage
   * looked at, for a later stage; null for a first stage, and when the session is warmed up.
   */
  context?(
    manifest: ManifestOf<Spec>,
    options: TaskRunOptions,
    tools: Tools,
    scene: SceneView | null,
  ): Context;
  /** The options of the run that warms the session up, {} without it. */
  warmUpOptions?(spec: Spec): RunOptions;
  /** Tensors of inputs that come of the context, such as a prompt's. */
  feeds?(manifest: ManifestOf<Spec>, context: Context): Tensors;
  /** Nothing else is read back from the GPU. */
  neededOutputs(manifest: ManifestOf<Spec>, context: Context): string[];
  /**
   * `source` is the picture that the outputs are of, the first of a stack. It stays open. For a later stage, it and
   * `geometry` are those of the scene.
   */
  decode(
    manifest: ManifestOf<Spec>,
    outputs: Tensors,
    geometry: Geometry,
    context: Context,
    source: Picture,
  ): R | Promise<R>;
  /** The result is made of the picture too: files are decoded once, for the input and for that. */
  readonly readsPicture?: boolean;
  /** Throws for a picture of a size that no result can be made of. With `readsPicture` alone: files have no size. */
  checkPicture?(spec: Spec, size: Size): void;
  /** The parts of a result that are too large to be copied to the page. */
  transfer?(result: R): { arrays: ArrayBufferView<ArrayBuffer>[]; others?: Transferable[] };
  warnings?(result: R): Warning[];
  /** The result is the outputs as they are: a first stage whose outputs go to a later one makes none. */
  readonly resultIsOutputs?: boolean;
  /** A flat output is no warning by itself: `warnings` looks at what came of it. */
  readonly flatOutputsAllowed?: boolean;
  /** Where the rows of `output` are detections: box, score and class index first. */
  readonly rows?: RowRules<Spec>;
  /**
   * Returns in words how a float32 output in reduced precision differs, null where it does not. Without it: by the
   * largest difference of any element.
   */
  difference?(
    spec: Spec,
    name: string,
    want: Float32Array,
    got: Float32Array,
    tolerance: Tolerance,
  ): string | null;
  readonly gpu?: GpuHalf<Spec, R, Context>;
  /** For a later stage that runs on parts of the picture, in batches: `decode` is not called then. */
  readonly parts?: PartRules<Spec, R, Context>;
  /** Of a task whose pictures may be run in tiles. */
  readonly tiles?: TiledTask<Spec, R>;
}

export interface RowRules<Spec> {
  output(spec: Spec): string;
  isEmptyBox(row: Float32Array): boolean;
  /** Whether the task's own columns agree. Without it: up to a part of the largest magnitude among them. */
  ownColumnsMatch?(spec: Spec, row: Float32Array, other: Float32Array, tolerance: Tolerance): boolean;
}

/**
 * A later stage that runs on parts of the picture, such as a box around each person that an earlier stage found
 * (`scene.results`). The parts are run in batches, as many together as a variant of the stage takes pictures
 * (`pictureBatch`), each in that variant's session; `join` makes the answer. `Piece` is plain data: it crosses threads.
 */
export interface PartRules<Spec extends TaskSpec, R extends TaskFields, Context, Piece = unknown> {
  /**
   * For each part the width and height of the line in it, which runs at the narrowest width that holds it; null where any
   * size does. With no parts, the graph does not run, and `join` makes the answer of no pieces.
   */
  lines(manifest: ManifestOf<Spec>, scene: SceneView, context: Context): (PictureSize | null)[];
  /**
   * The tensors of these parts, as many as the manifest's graph takes. With a `device`, which is the engine's, they may
   * lie there, and are released after the run.
   */
  feeds(
    manifest: ManifestOf<Spec>,
    scene: SceneView,
    parts: readonly number[],
    context: Context,
    device: GPUDevice | null,
  ): Promise<AnyTensors>;
  /** What the outputs of a batch say of each of its parts, in their order. */
  decode(
    manifest: ManifestOf<Spec>,
    outputs: Tensors,
    scene: SceneView,
    parts: readonly number[],
    context: Context,
  ): Piece[];
  /** All pieces, in the order of the parts, into the result. */
  join(manifest: ManifestOf<Spec>, pieces: readonly Piece[], scene: SceneView, context: Context): R;
  /** Of the scene, beside those of the result. `sizes` are those that a part may run at. */
  warnings?(manifest: ManifestOf<Spec>, scene: SceneView, sizes: readonly PictureSize[]): Warning[];
}

/** Post-processing on the GPU. */
export interface GpuHalf<Spec extends TaskSpec, R extends TaskFields, Context> {
  /** Why a run goes to the CPU, null where it does not. */
  refusal?(spec: Spec, context: Context): string | null;
  /** The outputs that stay on the GPU; without a context those that do in any run. */
  outputs(spec: Spec, context: Context | null): string[];
  open(device: GPUDevice, spec: Spec): Promise<CheckedGpuHalf<Spec, R, Context>>;
}

/** A GPU half, what its result should be equal in, and in words how it is not: null where it is. */
export interface CheckedGpuHalf<Spec extends TaskSpec, R extends TaskFields, Context> {
  matches: string;
  differs: string | null;
  run(
    manifest: ManifestOf<Spec>,
    gpuOutputs: Readonly<Record<string, GpuTensor>>,
    cpuOutputs: Tensors,
    geometry: Geometry,
    context: Context,
    source: Picture,
  ): Promise<GpuDecoded<R>>;
}

/** The outputs that were read, and by their names what those that only the GPU read are like. */
export interface GpuDecoded<R extends TaskFields> {
  decoded: R;
  outputs: Tensors;
  stats: Readonly<Record<string, ReadStats>>;
}
