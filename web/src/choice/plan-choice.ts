// The backend that a model is opened on first: the one that was faster on an earlier visit.

import type { LoadOptions } from "../api/load-options.js";
import { notComparedReason } from "../engine/webkit-policy.js";
import { type FallbackChain, fallbackChain, withBackendFirst } from "../fallback/candidates.js";
import type { LoadRequest } from "../fallback/load-request.js";
import { type ChoiceMemory, readChoice } from "./choice-memory.js";
import { ONLY_ONE } from "./reasons.js";
import type { Preference } from "./timed-runs.js";

/** `memory` is null where the backends are not compared, for that reason. */
export interface PlannedChoice {
  chain: FallbackChain;
  memory: ChoiceMemory | null;
  reason: string;
}

/** `beside` is the backend asked for, of each stage where there are several: a choice is right beside these alone. */
export async function planChoice(
  request: LoadRequest,
  prefer: Preference,
  beside: LoadOptions["backend"],
): Promise<PlannedChoice> {
  const chain = await fallbackChain(request);
  const reason = notCompared(request, chain);
  const { manifest, base, precision, warn } = request;
  const memory =
    reason === null ? await readChoice(manifest, base, { prefer, precision, beside }, warn) : null;
  const known = memory?.known ?? null;
  const first = known === null ? chain : withBackendFirst(chain, known.backend, known.reason);
  return { chain: first, memory, reason: reason ?? ONLY_ONE };
}

function notCompared({ backend, trace, cache }: LoadRequest, { candidates }: FallbackChain): string | null {
  if (backend !== "auto") return `backend "${backend}" was asked for`;
  if (new Set(candidates.map((each) => each.backend)).size < 2) return ONLY_ONE;
  const notCompared = notComparedReason();
  if (notCompared !== null) return notCompared;
  if (trace) return "a model that is traced stays where it is";
  return cache ? null : "nothing is kept for the next visit, as was asked for";
}
