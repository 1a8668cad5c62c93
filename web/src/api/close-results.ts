// Results that nobody gets any more: their pictures hold memory that the browser frees late.

/** Returns an answer as it is. Where it comes after the abort its pictures are closed: the run has rejected by then. */
export function unlessDropped<T>(answer: T, signal: AbortSignal | undefined): T {
  if (signal?.aborted) closeResults(answer);
  return answer;
}

/** Closes the pictures of a result, or of several. */
export function closeResults(results: unknown): void {
  for (const result of [results].flat())
    for (const part of Object.values(Object(result))) if (part instanceof ImageBitmap) part.close();
}
