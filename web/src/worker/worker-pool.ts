// The workers of this page. Models share one where runtime and engine are the same to the byte, whatever bundle
// they come from: one download, one WebAssembly, one GPU device.

import type { EngineBuild, Manifest } from "../manifest/manifest.js";

/** Plain data: the copies of this runtime that other bundles bring read and write it too. */
interface PooledWorker {
  worker: Worker;
  users: number;
}

/** Counts up when the meaning of what lies there changes. */
const REGISTRY = Symbol.for("webbuild.workers.1");
/** The event of a worker that was terminated: the browser has none, and calls to it never end. */
const STOPPED = "webbuild-stopped";
const RUNTIME = ["runtime/webbuild.js", "runtime/worker.js"];

/** Returns what two bundles must have in common to share a worker, null for one whose manifest does not say. */
export function workerKey({ engine, files }: Manifest, build: EngineBuild): string | null {
  const paths = [...RUNTIME, build.entry, build.glue, build.wasm];
  const hashes = paths.map(
    (path) => files.find((file) => withoutSitePrefix(file.path) === withoutSitePrefix(path))?.sha256,
  );
  return hashes.includes(undefined) ? null : [engine.name, engine.version, build.build, ...hashes].join(" ");
}

/** A site of several bundles has the runtime beside their folders. */
function withoutSitePrefix(path: string): string {
  return path.replace(/^\.\.\//, "");
}

/** A model's place in a worker. */
export class WorkerLease {
  readonly worker: Worker;
  /** Whether others were in the worker before. */
  readonly isShared: boolean;
  readonly #shared: PooledWorker;

  private constructor(shared: PooledWorker) {
    this.isShared = shared.users > 0;
    shared.users++;
    this.#shared = shared;
    this.worker = shared.worker;
  }

  /** Joins the worker of `key`; starts one where there is none, and always where `key` is null. */
  static acquire(key: string | null, start: () => Worker): WorkerLease {
    const known = key === null ? undefined : registry().get(key);
    if (known !== undefined) return new WorkerLease(known);
    const shared = { worker: start(), users: 0 };
    if (key !== null) registry().set(key, shared);
    return new WorkerLease(shared);
  }

  /** Nobody joins this worker any more. Who is in it stays. */
  close(): void {
    for (const [key, shared] of registry()) if (shared === this.#shared) registry().delete(key);
  }

  /** Stops the worker after the last. Returns whether it was the last. Call it once. */
  release(): boolean {
    this.#shared.users--;
    if (this.#shared.users > 0) return false;
    this.close();
    this.worker.terminate();
    this.worker.dispatchEvent(new Event(STOPPED));
    return true;
  }

  /** Resolves when the last has left. */
  stopped(): Promise<void> {
    return new Promise((resolve) => this.worker.addEventListener(STOPPED, () => resolve(), { once: true }));
  }
}

function registry(): Map<string, PooledWorker> {
  const page = globalThis as { [REGISTRY]?: Map<string, PooledWorker> };
  page[REGISTRY] ??= new Map();
  return page[REGISTRY];
}
