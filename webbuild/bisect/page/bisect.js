// The page `webbuild bisect` drives. One model at a time goes to a worker; a worker in which something failed, or that
// does not answer in time, is ended, and the next model gets a new one. Nothing is judged here.

/** @type {Worker | null} */
let worker = null;
/** @type {Map<string, Uint8Array>} outputs that wait to be fetched */
let held = new Map();

function end() {
  worker?.terminate();
  worker = null;
}

/** The worker's answer to one message. `null`: it did not come in time. */
function ask(message, seconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), seconds * 1000);
    const done = (answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => done({ ending: "crash", message: event.message || "the worker failed", log: [] });
    worker.postMessage(message);
  });
}

const commands = {
  async adapter() {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const { vendor, architecture, device, description } = adapter.info;
    return { vendor, architecture, device, description };
  },

  async attempt({ engine, job, seconds }) {
    held = new Map();
    if (worker === null) {
      worker = new Worker("worker.js", { type: "module" });
      const started = await ask({ engine }, 120);
      if (!started?.ready) {
        end();
        throw new Error(`the engine did not start: ${started?.message ?? "no answer"}`);
      }
    }
    const answer = await ask({ job }, seconds);
    if (answer?.ending !== "ran") end();
    if (answer === null) return { ending: "hang", message: `no answer in ${seconds} s`, log: [], outputs: [] };
    const outputs = (answer.outputs ?? []).map(({ data, ...output }) => {
      held.set(output.name, data);
      return { ...output, bytes: data.byteLength };
    });
    return { ...answer, outputs };
  },

  async take({ name, offset, length }) {
    const reader = new FileReader();
    await new Promise((resolve, reject) => {
      reader.onload = resolve;
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(new Blob([held.get(name).subarray(offset, offset + length)]));
    });
    return reader.result.slice(reader.result.indexOf(",") + 1);
  },

  async drop({ name }) {
    held.delete(name);
  },
};

/** Called by Python. */
globalThis.bisect = ({ command, ...request }) => commands[command](request);
