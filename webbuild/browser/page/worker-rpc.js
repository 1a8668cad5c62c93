// A worker that handles one message at a time, and is ended if it fails or does not answer.

/** The worker `worker.js` next to the page. `onCrash` turns the error message of a crashed worker into a reply. */
export class WorkerRpc {
  /** @type {Worker | null} */
  #worker = null;
  #onCrash;

  constructor(onCrash) {
    this.#onCrash = onCrash;
  }

  get isRunning() {
    return this.#worker !== null;
  }

  end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  /** Starts a worker with an engine. Throws if the engine does not start. */
  async start(engine, seconds) {
    this.#worker = new Worker("worker.js", { type: "module" });
    const answer = await this.ask({ engine }, seconds);
    if (answer?.ready) return;
    this.end();
    throw new Error(`the engine did not start: ${answer?.message ?? answer?.error ?? "no answer"}`);
  }

  /** Sends a message and returns the worker's reply; `null` if it did not come in time. */
  ask(message, seconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), seconds * 1000);
      const done = (answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      this.#worker.onmessage = ({ data }) => done(data);
      this.#worker.onerror = (event) => done(this.#onCrash(event.message || "the worker failed"));
      this.#worker.postMessage(message);
    });
  }
}

/** The WebGPU features of the adapter that the engine uses; null if there is none. */
export async function features() {
  const found = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  return found ? [...found.features] : null;
}

/** The adapter info of the browser's GPU; null if there is none. */
export async function adapter() {
  const found = await navigator.gpu?.requestAdapter();
  if (!found) return null;
  const { vendor, architecture, device, description } = found.info;
  return { vendor, architecture, device, description };
}
