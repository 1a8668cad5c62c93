// What the device says of some work, kept from those who listen for errors that nobody foresaw.

const KINDS = ["out-of-memory", "validation"] as const;

/** Does the work, all of which is begun when it returns. Rejects with what the device has against it. */
export async function scoped<T>(device: GPUDevice, work: () => T): Promise<T> {
  for (const kind of KINDS) device.pushErrorScope(kind);
  const done = attempted(work);
  const told = await Promise.all(KINDS.map(() => device.popErrorScope()));
  const error = told.find((each) => each !== null);
  if (error) throw new Error(error.message);
  return done();
}

function attempted<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
