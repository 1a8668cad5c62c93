// The graphs of a stage, opened on the backend that is not in use, to time both.

import { abortedError } from "../api/errors.js";
import type { Candidate } from "../fallback/candidates.js";
import { loadFirstWorking } from "../fallback/load-first-working.js";
import type { LoadRequest } from "../fallback/load-request.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { Manifest } from "../manifest/manifest.js";

/** The graphs run in their own worker, so that they do not delay the visitor's runs. */
export class OtherBackend {
  readonly #request: LoadRequest;
  readonly #signal: AbortSignal;
  readonly #load: typeof loadFirstWorking;
  readonly #open = new Map<Manifest, LoadedModel>();
  readonly #end = (): void => this.end();

  /** `signal` ends all graphs that are not kept. */
  constructor(request: LoadRequest, signal: AbortSignal, load = loadFirstWorking) {
    this.#load = load;
    this.#request = { ...request, ownWorker: `choice ${performance.now()} ${Math.random()}` };
    this.#signal = signal;
    signal.addEventListener("abort", this.#end);
  }

  async open(manifest: Manifest, candidate: Candidate): Promise<LoadedModel> {
    const known = this.#open.get(manifest);
    if (known !== undefined) return known;
    const chain = { candidates: [candidate], warnings: [] };
    const loaded = await this.#load({ ...this.#request, manifest }, { signal: this.#signal }, chain);
    this.#open.set(manifest, loaded);
    return loaded;
  }

  /** Gives a graph to the caller: `end()` leaves it open, and the caller has to end it. */
  keep(kept: LoadedModel): void {
    for (const [manifest, loaded] of this.#open) if (loaded === kept) this.#open.delete(manifest);
  }

  end(): void {
    this.#signal.removeEventListener("abort", this.#end);
    for (const { connection } of this.#open.values()) connection.end(abortedError());
    this.#open.clear();
  }
}
