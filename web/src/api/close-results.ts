// Results that nobody waits for any more: their pictures are closed, because the browser frees their memory late.

import type { WebbuildError } from "./errors.js";

/** Returns a result as it is. After an abort or the end of the model it closes its pictures: the run has rejected by then. */
export function unlessDropped<T>(
  answer: T,
  signal: AbortSignal | undefined,
  ended: WebbuildError | null = null,
): T {
  if (signal?.aborted || ended !== null) closeResults(answer);
  return answer;
}

/** Closes the pictures of a result, or of several. */
export function closeResults(results: unknown): void {
  for (const result of [results].flat())
    for (const part of Object.values(Object(result))) if (part instanceof ImageBitmap) part.close();
}
