// Firefox checks ten times a second whether a GPU is done, and at every submit(). Empty submits make it check more often: a
// run that reads an output back would take 100 ms otherwise, on any GPU.

/** Milliseconds between two submissions. */
const INTERVAL = 2;

/** Does work that waits for devices; in Firefox, polls them meanwhile. */
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
