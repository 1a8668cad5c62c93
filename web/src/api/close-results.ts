// Results that arrive after an abort: their pictures are closed, because the browser frees their memory late.

/** Returns a result as it is. After an abort it closes its pictures: the run has rejected by then. */
export function unlessDropped<T>(answer: T, signal: AbortSignal | undefined): T {
  if (signal?.aborted) closeResults(answer);
  return answer;
}

/** Closes the pictures of a result, or of several. */
export function closeResults(results: unknown): void {
  for (const result of [results].flat())
    for (const part of Object.values(Object(result))) if (part instanceof ImageBitmap) part.close();
}
