// The page `webbuild probe` drives. A batch of models goes to a worker one by one; a worker in which a run threw, or
// that does not answer in time, is ended, and the next model gets a new one. Nothing is judged here.

/** @type {Worker | null} */
let worker = null;
let engine = null;

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
    worker.onerror = (event) => done({ stage: "crash", error: event.message || "the worker failed", log: [] });
    worker.postMessage(message);
  });
}

async function start(seconds) {
  worker = new Worker("worker.js", { type: "module" });
  const answer = await ask({ engine }, seconds);
  if (answer?.ready) return;
  end();
  throw new Error(`the engine did not start: ${answer?.error ?? "no answer"}`);
}

/** Waits until the GPU has done what it was given: what a worker left behind would be taken for the next one's. */
async function idle(seconds) {
  const adapter = await navigator.gpu?.requestAdapter();
  const device = await adapter?.requestDevice();
  if (!device) return;
  const timer = new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  await Promise.race([device.queue.onSubmittedWorkDone(), timer]);
  device.destroy();
}

async function one(probe, seconds) {
  if (worker === null) await start(120);
  const answer = await ask({ probe }, seconds);
  if (answer === null || !["", "create"].includes(answer.stage)) end();
  if (answer === null) await idle(5 * seconds);
  return answer ?? { stage: "hang", error: `no answer in ${seconds} s`, log: [] };
}

/** Called by Python: JSON in, JSON out. `fresh` begins with a new worker. */
globalThis.probe = async (request) => {
  const { batch, seconds, fresh, ...rest } = JSON.parse(request);
  if (fresh) end();
  engine = rest.engine;
  const answers = [];
  for (const each of batch) answers.push(await one(each, seconds));
  return JSON.stringify(answers);
};

globalThis.adapter = async () => {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return null;
  const { vendor, architecture, device, description } = adapter.info;
  return { vendor, architecture, device, description };
};
