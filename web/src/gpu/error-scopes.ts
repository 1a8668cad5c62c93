// GPU error scopes around work, so that its errors do not reach the listener for uncaptured errors.

const FILTERS = ["out-of-memory", "validation"] as const;

/** Does work that issues all its GPU calls before it returns. Rejects with the device's error if one is refused. */
export async function withErrorScopes<T>(device: GPUDevice, work: () => T): Promise<T> {
  for (const kind of FILTERS) device.pushErrorScope(kind);
  const done = settled(work);
  const errors = await Promise.all(FILTERS.map(() => device.popErrorScope()));
  const error = errors.find((each) => each !== null);
  if (error) throw new Error(error.message);
  return done();
}

function settled<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
