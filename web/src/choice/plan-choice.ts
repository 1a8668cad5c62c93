// The backend that a model is opened on first: the one that was faster on an earlier visit.

import type { LoadOptions } from "../api/load-options.js";
import { notComparedReason } from "../engine/webkit-policy.js";
import { type FallbackChain, fallbackChain, withBackendFirst } from "../fallback/candidates.js";
import type { LoadRequest } from "../fallback/load-request.js";
import { type ChoiceMemory, readChoice } from "./choice-memory.js";
import { ONLY_ONE } from "./reasons.js";
import type { Preference } from "./timed-runs.js";

/** `memory` is null if the backends are not compared; `reason` says why. */
export interface PlannedChoice {
  chain: FallbackChain;
  memory: ChoiceMemory | null;
  reason: string;
}

/** `option` is the `backend` option, for all stages: a stored choice is valid only for the same option. */
export async function planChoice(
  request: LoadRequest,
  prefer: Preference,
  option: LoadOptions["backend"],
): Promise<PlannedChoice> {
  const chain = await fallbackChain(request);
  const reason = notCompared(request, chain);
  const { manifest, base, precision, warn } = request;
  const memory =
    reason === null ? await readChoice(manifest, base, { prefer, precision, backend: option }, warn) : null;
  const known = memory?.known ?? null;
  const first = known === null ? chain : withBackendFirst(chain, known.backend, known.reason);
  return { chain: first, memory, reason: reason ?? ONLY_ONE };
}

function notCompared({ backend, trace, cache }: LoadRequest, { candidates }: FallbackChain): string | null {
  if (backend !== "auto") return `backend "${backend}" was requested`;
  if (new Set(candidates.map((each) => each.backend)).size < 2) return ONLY_ONE;
  const notCompared = notComparedReason();
  if (notCompared !== null) return notCompared;
  if (trace) return "a traced model stays on its backend";
  if (!isSecureContext)
    return "the measurement could not be stored: this page is neither https nor localhost";
  return cache ? null : "the measurement could not be stored: cache is false";
}
