// The page of `webbuild probe`. It sends the models of a batch to a worker one by one. If a run throws or
// times out, the worker is terminated, and the next model gets a new one. Results are not compared here.

import { answer } from "./calls.js";
import { WorkerRpc, adapter, features } from "./worker-rpc.js";

const worker = new WorkerRpc((error) => ({ stage: "crash", error, log: [] }));

/** Waits until the GPU is idle, so that work of a terminated worker is not attributed to the next one. */
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

/** Runs a batch and returns JSON. `fresh` starts a new worker first. */
async function measure({ batch, seconds, fresh, engine }) {
  if (fresh) worker.end();
  const answers = [];
  for (const each of batch) answers.push(await one(engine, each, seconds));
  return JSON.stringify(answers);
}

answer({ adapter, features, measure });
