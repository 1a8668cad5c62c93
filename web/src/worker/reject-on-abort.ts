// Lets an AbortSignal stop the wait for a promise.

import { abortedError } from "../api/errors.js";

/** Settles as `promise` does, or rejects with "aborted" when the signal fires first. The work itself goes on. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortedError(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
