// transformers.js: it has no pipeline for poses, so its AutoModel runs the graph, and the page does the rest by hand.

import { letterboxed, SIDE, suppressed } from "./by-hand.js";
import { posePage } from "./pose-page.js";

let Tensor = null;
let model = null;

async function load({ entry, engine, model: folder, backend }) {
  const library = await import(entry);
  ({ Tensor } = library);
  const { env, AutoModel } = library;
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  // An address with a scheme is looked up, but never found to be there.
  const { pathname } = new URL(folder);
  const parts = pathname.replace(/\/$/, "").split("/");
  const name = parts.pop();
  env.localModelPath = `${parts.join("/")}/`;
  const part = `${engine}ort-wasm-simd-threaded.asyncify`;
  env.backends.onnx.wasm.wasmPaths = { mjs: `${part}.mjs`, wasm: `${part}.wasm` };
  model = await AutoModel.from_pretrained(name, { device: backend, dtype: "fp32" });
}

async function detect(picture) {
  const { tensor, back } = letterboxed(picture);
  const outputs = await model({ images: new Tensor("float32", tensor, [1, 3, SIDE, SIDE]) });
  const [output] = Object.values(outputs);
  return suppressed(output.data, output.dims[2]).map(back);
}

posePage(load, detect);
