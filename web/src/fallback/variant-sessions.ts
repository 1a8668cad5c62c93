// The sessions of a model that is packed for several sizes, one per variant. load() opens the first; a run opens the one
// that it needs. They share a worker, its engine and the downloaded weights.

import type { WebbuildError } from "../api/errors.js";
import type { Warning } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import { type FallbackChain, fallbackChain, withBackendFirst } from "./candidates.js";
import { loadFirstWorking } from "./load-first-working.js";
import type { LoadRequest } from "./load-request.js";
import type { LoadedModel } from "./loaded-model.js";
import { ResilientSession } from "./resilient-session.js";

export class VariantSessions {
  /** The session that load() opened. */
  readonly first: ResilientSession;
  readonly #request: LoadRequest;
  readonly #variants: readonly Manifest[];
  readonly #sessions = new Map<Manifest, Promise<ResilientSession>>();
  readonly #closing = new AbortController();
  #ended: WebbuildError | null = null;

  /** `variants` are the manifests of all variants, that of `first` among them; `request` is the one `first` was opened with. */
  constructor(request: LoadRequest, first: ResilientSession, variants: readonly Manifest[]) {
    this.#request = request;
    this.#variants = variants;
    this.first = first;
    this.#sessions.set(request.manifest, Promise.resolve(first));
  }

  get variants(): readonly Manifest[] {
    return this.#variants;
  }

  /** Returns the session of a variant. If opening fails, the next call tries again. */
  open(variant: Manifest): Promise<ResilientSession> {
    const known = this.#sessions.get(variant);
    if (known !== undefined) return known;
    const opening = this.#open(variant);
    this.#sessions.set(variant, opening);
    opening.catch(() => this.#sessions.delete(variant));
    return opening;
  }

  /** Returns the open sessions with their variants. */
  async opened(): Promise<[Manifest, ResilientSession][]> {
    const all = [...this.#sessions].map(async ([variant, opening]) => {
      const session = await opening.catch(() => null);
      return session === null ? [] : [[variant, session] as [Manifest, ResilientSession]];
    });
    return (await Promise.all(all)).flat();
  }

  /** Ends all sessions, also those that are loading. Later calls reject with `error`. Resolves when their memory is released. */
  async end(error: WebbuildError): Promise<void> {
    this.#ended ??= error;
    this.#closing.abort();
    const others = [...this.#sessions.values()].map((session) => session.then((open) => open.end(error)));
    await Promise.allSettled([this.first.end(error), ...others]);
  }

  async #open(variant: Manifest): Promise<ResilientSession> {
    this.first.check();
    const warn = (warning: Warning): void => this.first.warn([warning]);
    const request = { ...this.#request, manifest: variant, warn };
    const observer = { signal: this.#closing.signal };
    try {
      const chain = withoutFailedCandidates(await fallbackChain(request), this.first.loaded);
      const loaded = await loadFirstWorking(request, observer, chain);
      this.first.warn(loaded.warnings);
      const session = new ResilientSession(request, loaded, loaded.warnings);
      session.activity = this.first.activity;
      session.listener = { onWarning: warn, onChange: () => this.first.listener?.onChange() };
      return session;
    } catch (error) {
      throw this.#ended ?? error;
    }
  }
}

/**
 * Returns the chain without the candidates that failed in the first session, and with its backend first. Only
 * the first session has a self-test, so they would not fail here.
 */
function withoutFailedCandidates(chain: FallbackChain, { candidate, remaining }: LoadedModel): FallbackChain {
  const tried = [candidate, ...remaining];
  const candidates = chain.candidates.filter(({ backend, graph }) =>
    tried.some((each) => each.backend === backend && each.graph.precision === graph.precision),
  );
  if (candidates.length === 0) return chain;
  return withBackendFirst({ ...chain, candidates }, candidate.backend, candidate.reason);
}
