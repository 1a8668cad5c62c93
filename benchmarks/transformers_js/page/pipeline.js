// transformers.js as its documentation has it: a pipeline, a picture, and a caption where the model takes one.

import { answer, pictures } from "./calls.js";

let RawImage = null;
let pipe = null;
const samples = [];

const commands = {
  async load({ entry, engine, models, name, task, backend, tokens }) {
    const start = performance.now();
    const library = await import(entry);
    const imported = performance.now() - start;
    ({ RawImage } = library);
    const { env, pipeline } = library;
    env.allowRemoteModels = false;
    env.allowLocalModels = true;
    // An address with a scheme is looked up, but never found to be there.
    env.localModelPath = new URL(models).pathname;
    const part = `${engine}ort-wasm-simd-threaded.asyncify`;
    env.backends.onnx.wasm.wasmPaths = { mjs: `${part}.mjs`, wasm: `${part}.wasm` };
    pipe = await pipeline(task, name, { device: backend, dtype: "fp32" });
    if (tokens !== null) pad(tokens);
    const loaded = performance.now() - start;
    return { imported, session: loaded, loaded };
  },

  async first({ urls, caption, threshold }) {
    const start = performance.now();
    await detect(await RawImage.fromBlob(await pictures(urls)), caption, threshold);
    return performance.now() - start;
  },

  async hold({ urls, caption }) {
    samples.push({ picture: await RawImage.fromBlob(await pictures(urls)), caption });
  },

  async run({ sample, threshold }) {
    const { picture, caption } = samples[sample];
    const start = performance.now();
    await detect(picture, caption, threshold);
    return performance.now() - start;
  },

  async found({ sample, threshold }) {
    const { picture, caption } = samples[sample];
    return detect(picture, caption, threshold);
  },

  async dispose() {
    await pipe?.dispose();
  },
};

/** Gives the model as many tokens as its input has, where a pipeline pads to the longest of its prompts. */
function pad(tokens) {
  const { tokenizer } = pipe;
  pipe.tokenizer = (texts, options) => tokenizer(texts, { ...options, padding: "max_length", max_length: tokens });
}

/** Boxes in pixels of the picture: x1, y1, x2, y2, score. */
async function detect(picture, caption, threshold) {
  const found = await (caption === null
    ? pipe(picture, { threshold })
    : pipe(picture, [caption], { threshold }));
  return found.map(({ box, score }) => [box.xmin, box.ymin, box.xmax, box.ymax, score]);
}

answer(commands);
