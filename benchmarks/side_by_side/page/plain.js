// Plain onnxruntime-web/webgpu as its examples have it.

import { letterboxed, SIDE, suppressed } from "./by-hand.js";
import { posePage } from "./pose-page.js";

let ort = null;
let session = null;

async function load({ entry, model, backend }) {
  ort = await import(entry);
  ort.env.wasm.wasmPaths = new URL("./", entry).href;
  session = await ort.InferenceSession.create(model, { executionProviders: [backend] });
}

async function detect(picture) {
  const { tensor, back } = letterboxed(picture);
  const feeds = { [session.inputNames[0]]: new ort.Tensor("float32", tensor, [1, 3, SIDE, SIDE]) };
  const output = (await session.run(feeds))[session.outputNames[0]];
  return suppressed(output.data, output.dims[2]).map(back);
}

posePage(load, detect);
