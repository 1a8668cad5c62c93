// Calls a listener of the caller without letting its errors stop a load or a run.

/** Wraps a listener: its errors and rejections go to `reportError`, and its promise is not awaited. */
export function reportingListener<T>(listener: (event: T) => unknown): (event: T) => void {
  const call = async (event: T): Promise<void> => {
    await listener(event);
  };
  return (event) => void call(event).catch(reportError);
}
