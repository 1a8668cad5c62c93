// Sends one request to a worker that answers each request with one message.

/** Returns the answer. Rejects if the worker fails or its script does not load. One request at a time. */
export function askWorker<Answer>(
  worker: Worker,
  request: unknown,
  moved: Transferable[] = [],
): Promise<Answer> {
  const answered = new Promise<Answer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message ?? "no script"));
  });
  worker.postMessage(request, moved);
  return answered;
}
