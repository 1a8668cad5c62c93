// The scenes of a worker: pictures, and the tensors that later stages read. On WebGPU the tensors stay in the
// engine's buffers.

import { closeResults } from "../api/close-results.js";
import { internalError, WebbuildError } from "../api/errors.js";
import type { PictureSize, PreprocessRoute, TensorData, Tensors } from "../api/types.js";
import type { StageInput, StageOutput } from "../manifest/manifest.js";
import { releaseCrops } from "../preprocess/crop/scene-crops.js";
import { closePictures, decodeBlob } from "../preprocess/pixels.js";
import type { TaskFields } from "../tasks/task-module.js";
import { type AnyTensors, copyOf, copyTensors, isOnGpu, releaseTensors } from "../tensors/gpu-tensor.js";
import type { SceneView } from "./scene-view.js";

/** A scene in a worker: by the model's number there, and the scene's number in the model. */
export interface SceneRef {
  modelId: number;
  scene: number;
}

/** The data of a scene that is copied to another worker. */
export interface SavedScene {
  view: SceneView;
  /** The outputs that later stages read, by stage name. */
  tensors: Record<string, Tensors>;
  size: PictureSize;
  route: PreprocessRoute;
}

/** A scene in the worker. Its tensors may be on the GPU. */
export interface Scene extends Omit<SavedScene, "tensors"> {
  tensors: Record<string, AnyTensors>;
}

export class SceneStore {
  readonly #scenes = new Map<string, Scene>();

  /** Stores a scene until it is released. The store now owns the picture and the tensors. */
  keep(ref: SceneRef, scene: Scene): void {
    this.release(ref);
    this.#scenes.set(key(ref), scene);
  }

  /** Adds a later stage's outputs that other stages read, and its result if it has one. */
  add(ref: SceneRef, stage: string, outputs: AnyTensors, result: TaskFields | null): void {
    const scene = this.find(ref);
    releaseTensors(scene.tensors[stage] ?? {});
    scene.tensors[stage] = outputs;
    closeResults(scene.view.results.get(stage));
    if (result !== null) scene.view.results = new Map([...scene.view.results, [stage, result]]);
  }

  find(ref: SceneRef): Scene {
    const found = this.#scenes.get(key(ref));
    if (found === undefined) throw internalError(`the worker has no scene ${key(ref)}`);
    return found;
  }

  /** Returns the view with its picture decoded. A picture is decoded only once. */
  async decoded(ref: SceneRef): Promise<SceneView> {
    const scene = this.find(ref);
    if (scene.view.picture instanceof Blob) scene.view.picture = await decodeBlob(scene.view.picture);
    return scene.view;
  }

  /**
   * Returns the tensors that a stage reads of earlier stages. A stage that does not run on the GPU gets them
   * in memory: a tensor on the GPU is read back once, and stays in memory.
   */
  async feeds(ref: SceneRef, inputs: readonly StageInput[], onGpu: boolean): Promise<AnyTensors> {
    const { tensors } = this.find(ref);
    const feeds: AnyTensors = {};
    for (const input of inputs) {
      const outputs = tensors[input.stage];
      const tensor = outputs?.[input.output];
      if (outputs === undefined || tensor === undefined) throw unfit(input, "was not kept");
      const got = `${tensor.type} [${tensor.dims.join(", ")}]`;
      if (got !== `${input.dtype} [${input.shape.join(", ")}]`) throw unfit(input, `is ${got}`);
      feeds[input.name] = tensor;
      if (onGpu || !isOnGpu(tensor)) continue;
      const read = await tensor.read();
      outputs[input.output] = read;
      feeds[input.name] = read;
    }
    return feeds;
  }

  /** Returns copies of outputs in memory, by stage and name. */
  async read(ref: SceneRef, outputs: readonly StageOutput[]): Promise<Record<string, Tensors>> {
    const { tensors } = this.find(ref);
    const copies: Record<string, Tensors> = {};
    for (const { stage, output } of outputs) {
      const tensor = tensors[stage]?.[output];
      if (tensor === undefined) throw internalError(`${stage}.${output} was not kept`);
      copies[stage] = { ...copies[stage], [output]: (await copyOf(tensor, false)) as TensorData };
    }
    return copies;
  }

  /** Returns a copy of the scene in memory. */
  async copy(ref: SceneRef): Promise<SavedScene> {
    const { tensors, ...scene } = this.find(ref);
    const copied: Record<string, Tensors> = {};
    for (const [stage, outputs] of Object.entries(tensors)) copied[stage] = await copyTensors(outputs);
    return { ...scene, tensors: copied };
  }

  /** Whether reading the scene needs the GPU. */
  isOnGpu(ref: SceneRef): boolean {
    return Object.values(this.find(ref).tensors).some((outputs) => Object.values(outputs).some(isOnGpu));
  }

  release(ref: SceneRef): void {
    const scene = this.#scenes.get(key(ref));
    if (scene === undefined) return;
    this.#scenes.delete(key(ref));
    void releaseCrops(scene.view.picture);
    closePictures([scene.view.picture]);
    closeResults([...scene.view.results.values()]);
    for (const outputs of Object.values(scene.tensors)) releaseTensors(outputs);
  }

  /** Releases all scenes of a model. */
  releaseAll(modelId: number): void {
    for (const name of [...this.#scenes.keys()]) {
      const [owner, scene] = name.split("/").map(Number);
      if (owner === modelId && scene !== undefined) this.release({ modelId, scene });
    }
  }
}

function key({ modelId, scene }: SceneRef): string {
  return `${modelId}/${scene}`;
}

function unfit({ name, dtype, shape, stage, output }: StageInput, why: string): WebbuildError {
  const what = `${name}: wanted ${stage}.${output} as ${dtype} [${shape.join(", ")}], which ${why}`;
  const fix = "pack the model again: the stages of this bundle do not fit together";
  return new WebbuildError("invalid-manifest", what, fix);
}
