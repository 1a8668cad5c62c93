// Moves a stage to the other backend, on which its graphs are already open.

import { abortedError } from "../api/errors.js";
import type { Candidate } from "../fallback/candidates.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import type { OtherBackend } from "./other-backend.js";

/** Moves every graph on the backend of `loaded` to the other backend. Returns whether one was moved. */
export async function moveStage(
  sessions: Pick<VariantSessions, "opened">,
  { candidate: { backend } }: LoadedModel,
  otherBackend: Pick<OtherBackend, "open" | "keep">,
  reason: string,
): Promise<boolean> {
  const moves: [ResilientSession, LoadedModel, LoadedModel][] = [];
  for (const [variant, session] of await sessions.opened()) {
    const { loaded: from } = session;
    const other = otherCandidate(from);
    if (from.candidate.backend !== backend || other === undefined) continue;
    moves.push([session, from, await otherBackend.open(variant, other)]);
  }
  let went = false;
  for (const [session, from, to] of moves) {
    // Keep it now: a call that begins now must not end what the model is about to run on.
    otherBackend.keep(to);
    if (await session.moveTo(from, inPlaceOf(from, to, reason))) went = true;
    else to.connection.end(abortedError());
  }
  return went;
}

/** Returns the candidate of the other backend, if there is one. */
export function otherCandidate({ candidate, remaining }: LoadedModel): Candidate | undefined {
  return remaining.find(({ backend }) => backend !== candidate.backend);
}

/** Keeps the old backend as a candidate: the model falls back to it if the new one fails. */
function inPlaceOf({ candidate, remaining }: LoadedModel, to: LoadedModel, reason: string): LoadedModel {
  const same = remaining.filter(({ backend }) => backend === candidate.backend);
  return { ...to, candidate: { ...to.candidate, reason }, remaining: [candidate, ...same] };
}
