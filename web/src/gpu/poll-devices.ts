// Firefox asks a GPU ten times a second whether it is done, and whenever commands are submitted, be they none: without
// that, a run that reads something back would take 100 ms, however fast the GPU is.

/** Milliseconds between two submissions. */
const INTERVAL = 2;

/** Does work that waits for devices; in Firefox they are asked meanwhile. */
export async function whilePolling<T>(devices: Iterable<GPUDevice>, work: () => Promise<T>): Promise<T> {
  if (!navigator.userAgent.includes("Firefox/")) return work();
  const polling = setInterval(() => {
    for (const { queue } of devices) queue.submit([]);
  }, INTERVAL);
  try {
    return await work();
  } finally {
    clearInterval(polling);
  }
}
