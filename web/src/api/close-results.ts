// Closes the ImageBitmaps of results that are not returned: garbage collection would free their memory late.

import type { WebbuildError } from "./errors.js";

/** Returns the result. If it was aborted or `ended` is set, closes its pictures: the run has rejected. */
export function closedIfDropped<T>(
  answer: T,
  signal: AbortSignal | undefined,
  ended: WebbuildError | null = null,
): T {
  if (signal?.aborted || ended !== null) closeResults(answer);
  return answer;
}

/** Closes the pictures of one result or of several. */
export function closeResults(results: unknown): void {
  for (const result of [results].flat())
    for (const part of Object.values(Object(result))) if (part instanceof ImageBitmap) part.close();
}
