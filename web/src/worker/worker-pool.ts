// The workers of this page. Models of all bundles share a worker if their runtime and engine files have the
// same hashes: one download, one WebAssembly instance, one GPU device.

import type { EngineBuild, Manifest } from "../manifest/manifest.js";

/**
 * Plain data, without methods: copies of this runtime in other bundles, maybe of other versions, read and
 * write it too.
 */
interface PooledWorker {
  worker: Worker;
  users: number;
}

/** The key of the registry on `globalThis`. Increase its number when `PooledWorker` changes. */
const REGISTRY = Symbol.for("webbuild.workers.1");
/**
 * The event that `release()` dispatches on a terminated worker: browsers have none, and calls to the worker
 * never settle.
 */
const STOPPED = "webbuild-stopped";
const RUNTIME = ["runtime/webbuild.js", "runtime/worker.js"];

/**
 * Returns the key of the worker that bundles share: the hashes of runtime and engine. Null if the manifest
 * lacks one.
 */
export function workerKey({ engine, files }: Manifest, build: EngineBuild): string | null {
  const paths = [...RUNTIME, build.entry, build.glue, build.wasm];
  const hashes = paths.map(
    (path) => files.find((file) => withoutSitePrefix(file.path) === withoutSitePrefix(path))?.sha256,
  );
  return hashes.includes(undefined) ? null : [engine.name, engine.version, build.build, ...hashes].join(" ");
}

/**
 * `../runtime/x.js` and `runtime/x.js` are the same file: a site of several bundles has one `runtime` folder
 * next to them.
 */
function withoutSitePrefix(path: string): string {
  return path.replace(/^\.\.\//, "");
}

/** One model's use of a shared worker, counted so that the last one terminates it. */
export class WorkerLease {
  readonly worker: Worker;
  /** Whether another model was in the worker before this one. */
  readonly isShared: boolean;
  readonly #shared: PooledWorker;

  private constructor(shared: PooledWorker) {
    this.isShared = shared.users > 0;
    shared.users++;
    this.#shared = shared;
    this.worker = shared.worker;
  }

  /** Joins the worker of this key, or starts one. With null, always starts one that no other model joins. */
  static acquire(key: string | null, start: () => Worker): WorkerLease {
    const known = key === null ? undefined : registry().get(key);
    if (known !== undefined) return new WorkerLease(known);
    const shared = { worker: start(), users: 0 };
    if (key !== null) registry().set(key, shared);
    return new WorkerLease(shared);
  }

  /** Lets no other model join the worker. Models in it stay. */
  retire(): void {
    for (const [key, shared] of registry()) if (shared === this.#shared) registry().delete(key);
  }

  /** Terminates the worker if this was its last model, and returns whether it did. Call it once. */
  release(): boolean {
    this.#shared.users--;
    if (this.#shared.users > 0) return false;
    this.retire();
    this.worker.terminate();
    this.worker.dispatchEvent(new Event(STOPPED));
    return true;
  }

  /** Resolves when the worker was terminated. */
  stopped(): Promise<void> {
    return new Promise((resolve) => this.worker.addEventListener(STOPPED, () => resolve(), { once: true }));
  }
}

function registry(): Map<string, PooledWorker> {
  const page = globalThis as { [REGISTRY]?: Map<string, PooledWorker> };
  page[REGISTRY] ??= new Map();
  return page[REGISTRY];
}
