// The page driven by `webbuild bench`: it loads the bundle like a visitor's page, runs it, and returns the times.

import { ARRAYS } from "./arrays.js";
import { answer, pictures, runOptions, tensors } from "./calls.js";
import { counted, countingWorker } from "./counters.js";
import { heap, MemoryPeak } from "./memory.js";

/** @type {any} */
let model = null;
/** A function per sample that runs it on decoded pixels, like a camera's frame. */
const runs = [];
/** The decoded pictures of each sample, null for tensors. */
const sources = [];

const peak = new MemoryPeak(heap);

const commands = {
  /** Loads; returns milliseconds since the import began: loader imported, session created, `load()` resolved. */
  async load({ entry, backend, precision, worker, trace, watched }) {
    if (watched) peak.watch();
    const start = performance.now();
    const bundle = await import(new URL(entry, document.baseURI).href);
    const imported = performance.now() - start;
    let session = 0;
    const onProgress = ({ stage, loaded, total }) => {
      if (stage === "session" && loaded === total) session = performance.now() - start;
    };
    const counting = worker ? { worker: () => countingWorker(worker) } : {};
    model = await bundle.load({ backend, precision, trace, onProgress, ...counting });
    const loaded = performance.now() - start;
    const { reason, warnings } = model;
    return { imported, session, loaded, backend: model.backend, reason, warnings, info: model.info() };
  },

  /** Times the first run of a visitor: from a picture file. */
  async first({ urls, feeds, options, second }) {
    if (feeds !== null) return timed(async () => model.runTensors(await tensors(feeds)));
    const all = await runOptions(options, second);
    return timed(async () => runAll(await pictures(urls), all));
  },

  async hold({ urls, feeds, options, second }) {
    if (feeds !== null) {
      const inputs = await tensors(feeds);
      runs.push(() => model.runTensors(inputs));
      sources.push(null);
      return;
    }
    const blobs = [await pictures(urls)].flat();
    const bitmaps = await Promise.all(blobs.map((blob) => createImageBitmap(blob)));
    const source = bitmaps.length === 1 ? bitmaps[0] : bitmaps;
    const all = await runOptions(options, second);
    runs.push(() => runAll(source, all));
    sources.push(source);
  },

  /** Bytes that the first of several stages reads back from the GPU; null for a single stage, and for tensors. */
  async between({ sample }) {
    if (model.info().stages === undefined || sources[sample] === null) return null;
    const before = await counted();
    const scene = await model.look(sources[sample]);
    const after = await counted();
    await scene.release();
    return after.readBytes - before.readBytes;
  },

  async run({ sample }) {
    return timed(runs[sample]);
  },

  /** The result of a decoded sample; not for masks and maps, which are too large. */
  async answer({ sample }) {
    return runs[sample]();
  },

  /** Bytes of JavaScript of this page and its workers; null if the browser does not report it in time. */
  heap,

  /** The peak of these bytes since a `watched` load. */
  async peak() {
    return peak.stop();
  },

  counted,

  async dispose() {
    await model?.dispose();
    model = null;
  },
};

/** Runs every stage. A required prompt is a click in the middle; other required tensors are zeros. */
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

/** Times a run. The stages are all numbers in `timings` of the runtime's result. */
async function timed(work) {
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  const stages = Object.entries(result.timings ?? {}).filter(([name, value]) => name !== "total" && Number.isFinite(value));
  return { ms, backend: result.backend ?? model.backend, stages: Object.fromEntries(stages) };
}

answer(commands);
