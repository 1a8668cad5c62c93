// The page driven by `webbuild verify`: it calls the bundle's own runtime like a visitor's page.
// Input tensors are files of the local server, outputs go back as base64 in pieces; Python compares them.

import { features } from "./worker-rpc.js";
import { base64 } from "./base64.js";
import { answer, pictures, runOptions, tensors } from "./calls.js";
import { counted, countingWorker } from "./counters.js";

/** @type {Map<number, Uint8Array>} outputs to be fetched, by handle */
const stored = new Map();
let handles = 0;
/** @type {any} */
let model = null;
let Tracker = null;
/** The tracker of the current video. */
let tracker = null;
/** The current scene, and the logits of its first result. */
let looked = null;

const commands = {
  adapter: features,

  async load({ entry, backend, precision, size, selfTest, stage, worker }) {
    const bundle = await import(new URL(entry, document.baseURI).href);
    const start = performance.now();
    const of = (option) => (stage === undefined ? option : { [stage]: option });
    const chosen = { backend: of(backend), precision: of(precision), size };
    const counting = worker ? { worker: () => countingWorker(worker) } : {};
    Tracker = bundle.Tracker;
    model = await bundle.load({ ...chosen, ...counting, trace: true, selfTest, cache: false });
    const isText = stage !== undefined && stage === model.manifest.textEncoder?.name;
    if (isText) await model.loadText();
    const ms = performance.now() - start;
    const info = await model.info();
    const stageInfo = isText ? info.text : info.stages?.find(({ name }) => name === stage);
    const { backend: used, reason } = stageInfo ?? model;
    return { ms, backend: used, reason, warnings: model.warnings, info: stageInfo ?? info };
  },

  async tensors({ feeds, stage }) {
    const inputs = await tensors(feeds);
    const start = performance.now();
    const outputs = await model.runTensors(inputs, stage === undefined ? {} : { stage });
    const ms = performance.now() - start;
    return { ms, outputs: named(outputs) };
  },

  async look({ urls, feeds }) {
    const [inputs, images] = [await tensors(feeds), await pictures(urls)];
    const start = performance.now();
    const scene = await model.look(images);
    const outputs = await scene.runTensors(inputs);
    const ms = performance.now() - start;
    await scene.release();
    return { ms, outputs: named(outputs) };
  },

  async glue({ file, name, reads, feeds, picture, urls }) {
    const [flat, byStage] = [await tensors(feeds), {}];
    for (const [stage, output] of reads) byStage[stage] = { ...byStage[stage], [output]: flat[`${stage}.${output}`] };
    const scene = await model?.look(await pictures(urls));
    const results = (await scene?.results()) ?? {};
    try {
      const { default: make } = await import(new URL(file, document.baseURI).href);
      return { ms: 0, outputs: named(await make(byStage, { picture, results })) };
    } catch (error) {
      throw { code: "glue-failed", message: `${name}: ${error?.message ?? error}`, fix: "correct the module, and pack it again" };
    } finally {
      await scene?.release();
    }
  },

  /** Looks at a picture for the prompts that follow; the previous scene is released. */
  async open({ urls }) {
    await looked?.scene.release();
    const images = await pictures(urls);
    const start = performance.now();
    const scene = await model.look(images);
    looked = { scene, logits: null };
    return performance.now() - start;
  },

  /** Runs a prompt on the picture; also returns the runs of earlier stages meanwhile, and the bytes read from the GPU. */
  async ask({ prompt, refines }) {
    const before = [runsOfEarlierStages(), await counted()];
    const found = await looked.scene.segment(refines ? { ...prompt, mask: looked.logits } : prompt);
    const after = [runsOfEarlierStages(), await counted()];
    looked.logits ??= found.logits;
    const { path } = found.postprocess;
    const readBytes = before[1] && after[1] ? after[1].readBytes - before[1].readBytes : null;
    const result = await resultOf(found);
    return { ...result, cost: { earlierRuns: after[0] - before[0], readBytes, onGpu: path === "gpu" } };
  },

  async preprocess({ urls }) {
    return store(await model.preprocess(await pictures(urls)));
  },

  async picture({ urls, options, place, second, track }) {
    const found = await model.run(await pictures(urls), await runOptions(options, second));
    if (track === "begin") tracker = new Tracker();
    if (track !== null) found.tracks = tracked(found);
    return resultOf(place === null ? found : found[place]);
  },

  async words({ text }) {
    return store({ type: "float32", dims: [model.manifest.textEncoder.task.size], data: await model.embedText(text) });
  },

  async reset() {
    await model.reset();
  },

  async states() {
    const { tensors } = await model.snapshot();
    return named(tensors);
  },

  async take({ handle, offset, length }) {
    const part = stored.get(handle).subarray(offset, offset + length);
    return await base64(part);
  },

  async release({ handle }) {
    stored.delete(handle);
  },

  async dispose() {
    await model?.dispose();
    model = null;
  },
};

/** Returns a result without its arrays, and a handle to their concatenated bytes. */
async function resultOf(found) {
  const arrays = [];
  const result = withoutArrays(withPixels(found), arrays);
  const bytes = new Uint8Array(await new Blob(arrays).arrayBuffer());
  return { result, arrays: store({ type: "uint8", dims: [bytes.length], data: bytes }) };
}

/** Tracks the objects of a result, and returns their ids. */
function tracked(found) {
  tracker.update(found);
  const objects = found.detections ?? found.poses ?? found.segments ?? found.objects;
  return objects.map(({ track }) => track ?? null);
}

function runsOfEarlierStages() {
  return (model.info().stages ?? []).slice(0, -1).reduce((sum, { runs }) => sum + runs, 0);
}

/** Replaces each bitmap of a result by its pixels, for the comparison. */
function withPixels(result) {
  const pixels = ([name, value]) => [name, value instanceof ImageBitmap ? readBitmap(value) : value];
  return Object.fromEntries(Object.entries(result).map(pixels));
}

/** Returns RGBA, 8 bits each. The canvas has float16, so that translucent colours survive. */
function readBitmap(bitmap) {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { colorType: "float16" });
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height, { pixelFormat: "rgba-unorm8" });
  bitmap.close();
  return { width, height, data };
}

/** Copies a result; each typed array goes to `arrays`, and is replaced by its type and length. */
function withoutArrays(value, arrays) {
  if (ArrayBuffer.isView(value)) {
    arrays.push(value);
    return { $array: value.constructor.name, length: value.length };
  }
  if (Array.isArray(value)) return value.map((each) => withoutArrays(each, arrays));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutArrays(each, arrays)]));
}

function named(outputs) {
  return Object.entries(outputs).map(([name, tensor]) => ({ name, ...store(tensor) }));
}

function store({ type, dims, data }) {
  const handle = handles++;
  stored.set(handle, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return { type, dims: Array.from(dims), handle, bytes: data.byteLength };
}

answer(commands);
