// Creates a session for a model, runs it once, and returns its outputs or its error.

import { ARRAYS } from "./arrays.js";
import { forgetShaders, shaderErrors } from "./shaders.js";

const PLACED = /VerifyEachNodeIsAssignedToAnEp/;
/** Errors that the GPU or the engine logs without failing the run: its outputs are invalid. */
const BAD = /WebGPU.*(error|invalid|lost)|Uncaptured|\[Invalid \w+|[Dd]evice (was|is) lost|Error while parsing WGSL/;

let log = [];
for (const level of ["debug", "log", "info", "warn", "error"]) {
  console[level] = (...words) => {
    for (const line of words.join(" ").split("\n")) if (PLACED.test(line) || BAD.test(line)) log.push(line);
  };
}

let ort = null;

async function start(engine) {
  ort = await import(engine.entry);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { mjs: engine.glue, wasm: engine.wasm };
}

async function bytes(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function feed({ name, type, dims, url }) {
  return [name, new ort.Tensor(type, new ARRAYS[type]((await bytes(url)).buffer), dims)];
}

async function output([name, tensor]) {
  const view = await tensor.getData();
  const data = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
  return { name, type: tensor.type, dims: [...tensor.dims], data };
}

async function attempt({ model, feeds, options, verbose }) {
  log = [];
  forgetShaders();
  ort.env.logLevel = verbose ? "verbose" : "warning";
  const result = (ending, message, outputs = [], shader = "") => ({ ending, message, outputs, log, shader });
  const thrown = async (message) => {
    const errors = await shaderErrors(); // on separate lines
    return result("throws", [message.trim(), errors.message].filter(Boolean).join("\n"), [], errors.source);
  };
  const inputs = Object.fromEntries(await Promise.all(feeds.map(feed)));
  let session;
  try {
    session = await ort.InferenceSession.create(await bytes(model), {
      ...options,
      logSeverityLevel: verbose ? 0 : 2,
      logVerbosityLevel: 0,
    });
  } catch (error) {
    return result("no-session", String(error?.message ?? error));
  }
  try {
    const outputs = await Promise.all(Object.entries(await session.run(inputs)).map(output));
    await new Promise((done) => setTimeout(done, 0)); // device errors arrive late
    const deviceError = log.find((line) => BAD.test(line));
    await session.release();
    return deviceError ? thrown(deviceError) : result("ran", "", outputs);
  } catch (error) {
    return thrown(String(error?.message ?? error));
  }
}

onmessage = async ({ data }) => {
  try {
    if (data.job) {
      const answer = await attempt(data.job);
      postMessage(answer, [...new Set(answer.outputs.map(({ data }) => data.buffer))]);
      return;
    }
    await start(data.engine);
    postMessage({ ready: true });
  } catch (error) {
    postMessage({ ready: false, ending: "crash", message: String(error?.message ?? error), log: [], outputs: [] });
  }
};
