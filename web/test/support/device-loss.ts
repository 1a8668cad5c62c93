// Workers that lose their GPU device at a chosen GPU call, and the number of calls to choose from.

const original = globalThis.Worker;

/** While `work` runs, the first worker loses its device at call `at`, null for never; the others as `later` says. */
export async function losing<T>(
  { at = null, later = null }: { at?: number | null; later?: number | null },
  work: (started: () => number) => Promise<T>,
): Promise<T> {
  let started = 0;
  globalThis.Worker = class extends original {
    constructor(url: string | URL, options?: WorkerOptions) {
      const when = started++ === 0 ? at : later;
      super(
        String(url).replace("worker.js", `worker-losing.js${when === null ? "" : `?at=${when}`}`),
        options,
      );
    }
  };
  try {
    return await work(() => started);
  } finally {
    globalThis.Worker = original;
  }
}

/** Makes the device in use be lost at call `at` from now on. */
export async function loseAt(at: number): Promise<void> {
  await request({ at }, "armed");
}

/** Returns the number of calls since the last query. */
export function countCalls(): Promise<number> {
  return request({ count: true }, "calls");
}

function request(message: object, field: string): Promise<number> {
  const channel = new BroadcastChannel("losing");
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (!(field in data)) return;
      channel.close();
      resolve(Number(data[field]));
    };
    channel.postMessage(message);
  });
}
