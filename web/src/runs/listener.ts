// Calls the caller's listeners so that an error in one is reported and ends no work.

/** An error that the listener throws is reported and ends no work. Nobody waits for what it returns. */
export function reportingListener<T>(listener: (said: T) => unknown): (said: T) => void {
  const call = async (said: T): Promise<void> => {
    await listener(said);
  };
  return (said) => void call(said).catch(reportError);
}
