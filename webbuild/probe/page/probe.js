// The page `webbuild probe` drives. A batch of models goes to a worker one by one; a worker in which a run threw, or
// that does not answer in time, is ended, and the next model gets a new one. Nothing is judged here.

import { answer } from "./calls.js";
import { WorkerRpc, adapter, features } from "./worker-rpc.js";

const worker = new WorkerRpc((error) => ({ stage: "crash", error, log: [] }));

/** Waits until the GPU has done what it was given: what a worker left behind would be taken for the next one's. */
async function idle(seconds) {
  const device = await (await navigator.gpu?.requestAdapter())?.requestDevice();
  if (!device) return;
  const timer = new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  await Promise.race([device.queue.onSubmittedWorkDone(), timer]);
  device.destroy();
}

async function one(engine, probe, seconds) {
  if (!worker.isRunning) await worker.start(engine, 120);
  const reply = await worker.ask({ probe }, seconds);
  if (reply === null || !["", "create"].includes(reply.stage)) worker.end();
  if (reply === null) await idle(5 * seconds);
  return reply ?? { stage: "hang", error: `no answer in ${seconds} s`, log: [] };
}

/** Answers with JSON. `fresh` begins with a new worker. */
async function measure({ batch, seconds, fresh, engine }) {
  if (fresh) worker.end();
  const answers = [];
  for (const each of batch) answers.push(await one(engine, each, seconds));
  return JSON.stringify(answers);
}

answer({ adapter, features, measure });
