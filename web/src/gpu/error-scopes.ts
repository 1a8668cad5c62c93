// GPU error scopes around some work, so that its errors do not reach the global listener.

const FILTERS = ["out-of-memory", "validation"] as const;

/** Does the work, all of which is begun when it returns. Rejects with what the device has against it. */
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
