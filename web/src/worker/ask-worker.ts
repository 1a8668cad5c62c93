// One request to a worker that answers each with one message.

/** Returns the answer. Rejects where the worker fails or its script does not load. Call it again after that, not before. */
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
