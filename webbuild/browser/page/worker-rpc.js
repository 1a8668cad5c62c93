// A worker that is asked one thing at a time, and ended when it fails or does not answer.

/** The page's worker, `worker.js` beside it. `onCrash` makes an answer of the message of a worker that crashes. */
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

  /** Starts a worker with an engine. Throws where that does not start. */
  async start(engine, seconds) {
    this.#worker = new Worker("worker.js", { type: "module" });
    const answer = await this.ask({ engine }, seconds);
    if (answer?.ready) return;
    this.end();
    throw new Error(`the engine did not start: ${answer?.message ?? answer?.error ?? "no answer"}`);
  }

  /** The worker's answer to one message. `null`: it did not come in time. */
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

/** Which features of WebGPU the GPU has that the engine takes, null where there is none. */
export async function features() {
  const found = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  return found ? [...found.features] : null;
}

/** What the browser says of its GPU, null where it has none. */
export async function adapter() {
  const found = await navigator.gpu?.requestAdapter();
  if (!found) return null;
  const { vendor, architecture, device, description } = found.info;
  return { vendor, architecture, device, description };
}
