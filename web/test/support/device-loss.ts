// Workers that lose their GPU device at a chosen call to it, and how many calls there are to choose from.

const original = globalThis.Worker;

/** For the length of `work`: the first worker loses its device at call `at`, null for never; the others as `later` says. */
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

/** Lets the device that is in use now be lost at call `at` from here on. */
export async function loseAt(at: number): Promise<void> {
  await told({ at }, "armed");
}

/** Returns the calls since this was last asked. */
export function countCalls(): Promise<number> {
  return told({ count: true }, "calls");
}

function told(message: object, field: string): Promise<number> {
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
