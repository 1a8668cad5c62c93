// Combines two AbortSignals. Not with `AbortSignal.any`: Safari has it only since 17.4.

/** Does work with a signal that aborts when either of them does, for the same reason. */
export async function withEitherSignal<T>(
  one: AbortSignal | undefined,
  other: AbortSignal,
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const listeners = [one ?? [], other].flat().map((signal) => {
    const end = (): void => ending.abort(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end);
    return () => signal.removeEventListener("abort", end);
  });
  try {
    return await work(ending.signal);
  } finally {
    for (const remove of listeners) remove();
  }
}
