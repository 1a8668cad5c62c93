// The page `webbuild bench` drives: it loads the bundle as a visitor's page does, runs it, and tells the times.

import { answer, pictures, runOptions, tensors } from "./calls.js";
import { counted, countingWorker } from "./counters.js";
import { heap, MemoryPeak } from "./memory.js";

/** @type {any} */
let model = null;
/** What each sample is run with, decoded before: a frame of a camera comes as pixels too. */
const held = [];
/** The pictures of each sample, null for tensors. */
const looked = [];

const peak = new MemoryPeak(heap);

const commands = {
  /** Milliseconds since the loader was asked for: it was imported, there was a session, `load()` came back. */
  async load({ entry, backend, precision, worker, trace, watched }) {
    if (watched) peak.watch();
    const start = performance.now();
    const bundle = await import(new URL(entry, document.baseURI).href);
    const imported = performance.now() - start;
    let session = 0;
    const onProgress = ({ stage, loaded, total }) => {
      if (stage === "session" && loaded === total) session = performance.now() - start;
    };
    const own = worker ? { worker: () => countingWorker(worker) } : {};
    model = await bundle.load({ backend, precision, trace, onProgress, ...own });
    const loaded = performance.now() - start;
    const { reason, warnings } = model;
    return { imported, session, loaded, backend: model.backend, reason, warnings, info: model.info() };
  },

  /** The first answer that a visitor gets: of a picture's file. */
  async first({ urls, feeds, options, second }) {
    if (feeds !== null) return timed(async () => model.runTensors(await tensors(feeds)));
    const given = await runOptions(options, second);
    return timed(async () => runAll(await pictures(urls), given));
  },

  async hold({ urls, feeds, options, second }) {
    if (feeds !== null) {
      const given = await tensors(feeds);
      held.push(() => model.runTensors(given));
      looked.push(null);
      return;
    }
    const blobs = [await pictures(urls)].flat();
    const bitmaps = await Promise.all(blobs.map((blob) => createImageBitmap(blob)));
    const source = bitmaps.length === 1 ? bitmaps[0] : bitmaps;
    const own = await runOptions(options, second);
    held.push(() => runAll(source, own));
    looked.push(source);
  },

  /** Bytes that the first stage of several reads back from the GPU; null for a model of one stage, and of tensors. */
  async between({ sample }) {
    if (model.info().stages === undefined || looked[sample] === null) return null;
    const before = await counted();
    const scene = await model.look(looked[sample]);
    const after = await counted();
    await scene.release();
    return after.readBytes - before.readBytes;
  },

  async run({ sample }) {
    return timed(held[sample]);
  },

  /** What a held sample comes to; masks and maps are too much to hand out as they are. */
  async answer({ sample }) {
    return held[sample]();
  },

  /** Bytes of JavaScript, this page's and its workers'; null where the browser does not tell soon. */
  heap,

  /** The most of that since the load, which was watched. */
  async peak() {
    return peak.stop();
  },

  counted,

  async dispose() {
    await model?.dispose();
    model = null;
  },
};

const ARRAYS = { float32: Float32Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, bool: Uint8Array };

/** Runs every stage. The last is asked what it cannot do without: about a click on the middle, or about zeros. */
async function runAll(source, options) {
  const inputs = model.manifest.stages?.at(-1)?.inputs ?? [];
  const tensorInputs = inputs.filter(({ kind }) => kind === "tensor");
  if (tensorInputs.length === 0) {
    const clicked = inputs.some(({ kind }) => kind === "point-prompt") && options.points === undefined;
    return model.run(source, clicked ? { ...options, points: [await middle(source)] } : options);
  }
  const zeros = tensorInputs.map(({ name, dtype, shape }) => {
    const length = shape.reduce((product, size) => product * size, 1);
    return [name, { type: dtype, dims: shape, data: new ARRAYS[dtype](length) }];
  });
  const scene = await model.look(source);
  try {
    return await scene.runTensors(Object.fromEntries(zeros));
  } finally {
    await scene.release();
  }
}

async function middle(source) {
  const { width, height } = source instanceof Blob ? await createImageBitmap(source) : source;
  return { x: width / 2, y: height / 2 };
}

/** The stages are whatever numbers the runtime's result has under `timings`. */
async function timed(work) {
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  const stages = Object.entries(result.timings ?? {}).filter(([name, value]) => name !== "total" && Number.isFinite(value));
  return { ms, backend: result.backend ?? model.backend, stages: Object.fromEntries(stages) };
}

answer(commands);
