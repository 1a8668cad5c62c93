// The page that `webbuild bisect` controls. A worker runs one model at a time. After a failure or a timeout the worker
// is ended, and the next model gets a new one. Python judges the results.

import { base64 } from "./base64.js";
import { answer } from "./calls.js";
import { WorkerRpc, adapter, features } from "./worker-rpc.js";

const worker = new WorkerRpc((message) => ({ ending: "crash", message, log: [] }));
/** @type {Map<string, Uint8Array>} outputs that Python has not fetched yet */
let pending = new Map();

answer({
  adapter,
  features,

  async attempt({ engine, job, seconds }) {
    pending = new Map();
    if (!worker.isRunning) await worker.start(engine, 120);
    const reply = await worker.ask({ job }, seconds);
    if (reply?.ending !== "ran") worker.end();
    if (reply === null) return { ending: "hang", message: `no answer in ${seconds} s`, log: [], outputs: [] };
    const outputs = (reply.outputs ?? []).map(({ data, ...output }) => {
      pending.set(output.name, data);
      return { ...output, bytes: data.byteLength };
    });
    return { ...reply, outputs };
  },

  async take({ name, offset, length }) {
    return base64(pending.get(name).subarray(offset, offset + length));
  },

  async drop({ name }) {
    pending.delete(name);
  },
});
