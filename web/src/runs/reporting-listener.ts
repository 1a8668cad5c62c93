// A listener of the caller's whose errors are reported to the console and end no work.

/** Wraps a listener: what it throws or rejects with goes to `reportError`, and a promise it returns is not awaited. */
export function reportingListener<T>(listener: (event: T) => unknown): (event: T) => void {
  const call = async (event: T): Promise<void> => {
    await listener(event);
  };
  return (event) => void call(event).catch(reportError);
}
