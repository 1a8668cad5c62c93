// Plain onnxruntime-web/webgpu as its examples have it: a canvas makes the tensor, a loop suppresses what overlaps.

import { answer, pictures } from "./calls.js";

const SIDE = 192;
const GREY = "rgb(114, 114, 114)";
const CONFIDENCE = 0.25;
const IOU = 0.7;

let ort = null;
let session = null;
const held = [];

const commands = {
  async load({ entry, model, backend }) {
    const start = performance.now();
    ort = await import(entry);
    ort.env.wasm.wasmPaths = new URL("./", entry).href;
    const imported = performance.now() - start;
    session = await ort.InferenceSession.create(model, { executionProviders: [backend] });
    const loaded = performance.now() - start;
    return { imported, session: loaded, loaded };
  },

  async first({ urls }) {
    const start = performance.now();
    await detect(await createImageBitmap(await pictures(urls)));
    return performance.now() - start;
  },

  async hold({ urls }) {
    held.push(await createImageBitmap(await pictures(urls)));
  },

  async run({ sample }) {
    const start = performance.now();
    await detect(held[sample]);
    return performance.now() - start;
  },

  async found({ sample }) {
    return detect(held[sample]);
  },

  async dispose() {
    await session?.release();
  },
};

const canvas = document.createElement("canvas");
canvas.width = canvas.height = SIDE;
const context = canvas.getContext("2d", { willReadFrequently: true });

/** Boxes in pixels of the picture, the best first: x1, y1, x2, y2, score. */
async function detect(picture) {
  const scale = Math.min(SIDE / picture.width, SIDE / picture.height);
  const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  const [left, top] = [Math.floor((SIDE - width) / 2), Math.floor((SIDE - height) / 2)];
  context.fillStyle = GREY;
  context.fillRect(0, 0, SIDE, SIDE);
  context.drawImage(picture, left, top, width, height);
  const { data } = context.getImageData(0, 0, SIDE, SIDE);
  const area = SIDE * SIDE;
  const tensor = new Float32Array(3 * area);
  for (let pixel = 0; pixel < area; pixel++)
    for (let channel = 0; channel < 3; channel++) tensor[channel * area + pixel] = data[4 * pixel + channel] / 255;
  const feeds = { [session.inputNames[0]]: new ort.Tensor("float32", tensor, [1, 3, SIDE, SIDE]) };
  const output = (await session.run(feeds))[session.outputNames[0]];
  return suppressed(output.data, output.dims[2]).map(([x1, y1, x2, y2, score]) => {
    const [x, y] = [(value) => (value - left) / scale, (value) => (value - top) / scale];
    return [x(x1), y(y1), x(x2), y(y2), score];
  });
}

/** `rows` is [4 + 1 + 51, count], corners first. */
function suppressed(rows, count) {
  const candidates = [];
  for (let index = 0; index < count; index++) {
    const score = rows[4 * count + index];
    if (score > CONFIDENCE) candidates.push([0, 1, 2, 3].map((row) => rows[row * count + index]).concat(score));
  }
  candidates.sort((a, b) => b[4] - a[4]);
  const kept = [];
  for (const candidate of candidates) if (kept.every((other) => overlap(other, candidate) <= IOU)) kept.push(candidate);
  return kept;
}

function overlap(a, b) {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (width <= 0 || height <= 0) return 0;
  const area = (box) => (box[2] - box[0]) * (box[3] - box[1]);
  return (width * height) / (area(a) + area(b) - width * height);
}

answer(commands);
