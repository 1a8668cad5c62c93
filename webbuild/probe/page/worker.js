// Creates and runs a session for each model it receives, and replies with the outputs and the placement log.

import { ARRAYS } from "./arrays.js";
import { forgetShaders, shaderErrors, usesSubgroups } from "./shaders.js";

const PLACED = /VerifyEachNodeIsAssignedToAnEp/;

let log = [];
for (const level of ["debug", "log", "info", "warn", "error"]) {
  console[level] = (...words) => {
    for (const line of words.join(" ").split("\n")) if (PLACED.test(line)) log.push(line);
  };
}

let ort = null;
let provider = "";

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function text(array) {
  const all = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let letters = "";
  for (let start = 0; start < all.length; start += 32768) {
    letters += String.fromCharCode.apply(null, all.subarray(start, start + 32768));
  }
  return btoa(letters);
}

async function start(engine) {
  ort = await import(engine.entry);
  provider = engine.provider;
  ort.env.logLevel = "verbose";
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { mjs: engine.glue, wasm: engine.wasm };
}

async function run(session, feeds) {
  const inputs = feeds.map(({ name, type, dims, data }) => [
    name,
    new ort.Tensor(type, new ARRAYS[type](bytes(data).buffer), dims),
  ]);
  const outputs = {};
  for (const [name, tensor] of Object.entries(await session.run(Object.fromEntries(inputs)))) {
    outputs[name] = { type: tensor.type, dims: [...tensor.dims], data: text(await tensor.getData()) };
  }
  return outputs;
}

async function measure({ model, feeds, optimize }) {
  log = [];
  forgetShaders();
  let stage = "create";
  let session = null;
  try {
    session = await ort.InferenceSession.create(bytes(model), {
      executionProviders: [provider],
      graphOptimizationLevel: optimize ? "all" : "disabled",
      logSeverityLevel: 0,
      logVerbosityLevel: 0,
    });
    stage = "run";
    const outputs = feeds === null ? {} : await run(session, feeds);
    stage = "release";
    await session.release();
    return { stage: "", error: "", outputs, log, subgroups: usesSubgroups() };
  } catch (error) {
    const { message: shader } = await shaderErrors();
    return { stage, error: String(error?.message ?? error), shader, outputs: {}, log, subgroups: usesSubgroups() };
  }
}

onmessage = async ({ data }) => {
  if (data.probe) {
    postMessage(await measure(data.probe));
    return;
  }
  try {
    await start(data.engine);
    postMessage({ ready: true });
  } catch (error) {
    postMessage({ ready: false, message: String(error?.message ?? error) });
  }
};
