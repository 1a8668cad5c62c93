// The workers of this page. Models share one where runtime and engine are the same to the byte, whatever bundle
// they come from: one download, one WebAssembly, one GPU device.

import type { EngineBuild, Manifest } from "./manifest.js";

/** Plain data: the copies of this runtime that other bundles bring read and write it too. */
interface Shared {
  worker: Worker;
  users: number;
}

/** Counts up when the meaning of what lies there changes. */
const REGISTRY = Symbol.for("webbuild.workers.1");
const RUNTIME = ["runtime/webbuild.js", "runtime/worker.js"];

/** Returns what two bundles must have in common to share a worker, null for one whose manifest does not say. */
export function engineKey({ engine, files }: Manifest, build: EngineBuild): string | null {
  const paths = [...RUNTIME, build.entry, build.glue, build.wasm];
  const hashes = paths.map((path) => files.find((file) => inSite(file.path) === inSite(path))?.sha256);
  return hashes.includes(undefined) ? null : [engine.name, engine.version, build.build, ...hashes].join(" ");
}

/** A site of several bundles has the runtime beside their folders. */
function inSite(path: string): string {
  return path.replace(/^\.\.\//, "");
}

/** A model's place in a worker. */
export class Seat {
  readonly worker: Worker;
  /** Whether others were in the worker before. */
  readonly joined: boolean;
  readonly #shared: Shared;

  private constructor(shared: Shared) {
    this.joined = shared.users > 0;
    shared.users++;
    this.#shared = shared;
    this.worker = shared.worker;
  }

  /** Joins the worker of `key`; starts one where there is none, and always where `key` is null. */
  static take(key: string | null, start: () => Worker): Seat {
    const known = key === null ? undefined : registry().get(key);
    if (known !== undefined) return new Seat(known);
    const shared = { worker: start(), users: 0 };
    if (key !== null) registry().set(key, shared);
    return new Seat(shared);
  }

  /** Nobody joins this worker any more. Who is in it stays. */
  retire(): void {
    for (const [key, shared] of registry()) if (shared === this.#shared) registry().delete(key);
  }

  /** Stops the worker behind the last. Returns whether it was the last. Call it once. */
  leave(): boolean {
    this.#shared.users--;
    if (this.#shared.users > 0) return false;
    this.retire();
    this.worker.terminate();
    return true;
  }
}

function registry(): Map<string, Shared> {
  const page = globalThis as { [REGISTRY]?: Map<string, Shared> };
  page[REGISTRY] ??= new Map();
  return page[REGISTRY];
}
