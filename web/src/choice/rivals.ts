// The graphs of a stage on the other backend, opened to be compared.

import { abortedError } from "../api/errors.js";
import type { Candidate } from "../fallback/candidates.js";
import { type LoadedModel, type LoadRequest, loadFirstWorking } from "../fallback/fallback-chain.js";
import type { Manifest } from "../manifest/manifest.js";

/** They have a worker of their own, where they hold nobody up. */
export class Rivals {
  readonly #request: LoadRequest;
  readonly #signal: AbortSignal;
  readonly #load: typeof loadFirstWorking;
  readonly #open = new Map<Manifest, LoadedModel>();
  readonly #end = (): void => this.end();

  /** `signal` ends all that are not kept. */
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

  /** Lets go of one: it is ended by whoever keeps it. */
  keep(kept: LoadedModel): void {
    for (const [manifest, loaded] of this.#open) if (loaded === kept) this.#open.delete(manifest);
  }

  end(): void {
    this.#signal.removeEventListener("abort", this.#end);
    for (const { connection } of this.#open.values()) connection.end(abortedError());
    this.#open.clear();
  }
}
