// The page `webbuild bisect` drives. One model at a time goes to a worker; a worker in which something failed, or that
// does not answer in time, is ended, and the next model gets a new one. Nothing is judged here.

import { base64 } from "./base64.js";
import { answer } from "./calls.js";
import { WorkerRpc, adapter, features } from "./worker-rpc.js";

const worker = new WorkerRpc((message) => ({ ending: "crash", message, log: [] }));
/** @type {Map<string, Uint8Array>} outputs that wait to be fetched */
let held = new Map();

answer({
  adapter,
  features,

  async attempt({ engine, job, seconds }) {
    held = new Map();
    if (!worker.isRunning) await worker.start(engine, 120);
    const reply = await worker.ask({ job }, seconds);
    if (reply?.ending !== "ran") worker.end();
    if (reply === null) return { ending: "hang", message: `no answer in ${seconds} s`, log: [], outputs: [] };
    const outputs = (reply.outputs ?? []).map(({ data, ...output }) => {
      held.set(output.name, data);
      return { ...output, bytes: data.byteLength };
    });
    return { ...reply, outputs };
  },

  async take({ name, offset, length }) {
    return base64(held.get(name).subarray(offset, offset + length));
  },

  async drop({ name }) {
    held.delete(name);
  },
});
