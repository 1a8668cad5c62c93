// Calls a listener of the caller without letting its errors stop a load or a run.

/** Wraps a listener: what it throws or rejects with goes to `reportError`, and a promise it returns is not awaited. */
export function reportingListener<T>(listener: (event: T) => unknown): (event: T) => void {
  const call = async (event: T): Promise<void> => {
    await listener(event);
  };
  return (event) => void call(event).catch(reportError);
}
