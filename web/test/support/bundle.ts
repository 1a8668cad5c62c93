// The built runtime of a bundle, and helpers that load the tiny models.

import { afterAll, afterEach, beforeAll, inject } from "vitest";
import type { Backend, LoadOptions, Model } from "../../src/index.js";

declare module "vitest" {
  interface ProvidedContext {
    required: string;
    /** How often a test with varying outcomes repeats. */
    times: number;
  }
}

type Runtime = typeof import("../../src/index.js");

export const bundle = (path: string): URL => new URL(`/bundle/${path}`, location.origin);

/** The same with the engine as it is stored, which a script decompresses. */
export const stored = (path: string): URL => new URL(`/stored/${path}`, location.origin);

export const runtime: Runtime = await import(/* @vite-ignore */ bundle("runtime/webbuild.js").href);

const adapter = (await navigator.gpu?.requestAdapter()) ?? null;

/** Whether WebGPU tests run: with WEBBUILD_REQUIRE=webgpu they do, and fail without an adapter. */
export const hasWebgpu = adapter !== null || inject("required").includes("webgpu");

/** The backends that can be tested here. */
export const backends: Backend[] = hasWebgpu ? ["webgpu", "wasm"] : ["wasm"];

const models: Model[] = [];

afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.dispose()));
});

/** Loads a manifest of the tiny bundle, without caching. The model is disposed of after the test. */
export async function loadTiny(options: LoadOptions = {}, manifest = "manifest.json"): Promise<Model> {
  const model = await runtime.load(bundle(manifest), { cache: false, ...options });
  models.push(model);
  return model;
}

/** Loads the tiny bundle once for all tests of the describe block it is called in. */
export function sharedTiny(options: LoadOptions, manifest = "manifest.json"): () => Model {
  let model: Model | undefined;
  beforeAll(async () => {
    model = await runtime.load(bundle(manifest), { cache: false, ...options });
  });
  afterAll(() => model?.dispose());
  return () => {
    if (model === undefined) throw new Error("the shared model did not load");
    return model;
  };
}

/** Keeps an engine loaded for all tests of the describe block: their models share its worker, started from `script`. */
export function keepEngine(backend: Backend, script = "worker.js"): void {
  let model: Model | undefined;
  beforeAll(async () => {
    model = await withWorker(script, () => runtime.load(bundle("conv.json"), { backend, cache: false }));
  });
  afterAll(() => model?.dispose());
}

export async function picture(name: string): Promise<Blob> {
  const response = await fetch(new URL(`../fixture/pictures/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.blob();
}

/** Starts another script as the worker while `work` runs. */
export function withWorker<T>(script: string, work: () => Promise<T>): Promise<T> {
  return withWorkers([script], work);
}

/** Starts these scripts as the workers, the last one for all that follow. `work` gets the number of started workers. */
export async function withWorkers<T>(
  scripts: readonly string[],
  work: (started: () => number) => Promise<T>,
): Promise<T> {
  const original = globalThis.Worker;
  let started = 0;
  globalThis.Worker = class extends original {
    constructor(url: string | URL, options?: WorkerOptions) {
      const script = scripts[Math.min(started++, scripts.length - 1)] ?? "worker.js";
      super(String(url).replace("worker.js", script), options);
    }
  };
  try {
    return await work(() => started);
  } finally {
    globalThis.Worker = original;
  }
}
