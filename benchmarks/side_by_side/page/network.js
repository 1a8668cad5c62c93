// A page by hand for any network that takes pictures: a canvas makes the tensor, and the outputs are read as they come.

import { answer, pictures, tensors } from "./calls.js";

let ort = null;
let session = null;
let input = null;
let others = {};
const samples = [];

/** `input` says how a picture becomes its tensor; `feeds` are the other inputs, `weights` the URLs of external data. */
async function load(given) {
  ort = await import(given.entry);
  ort.env.wasm.wasmPaths = new URL("./", given.entry).href;
  const externalData = given.weights.map((data) => ({ path: data.split("/").pop(), data }));
  session = await ort.InferenceSession.create(given.model, { executionProviders: [given.backend], externalData });
  input = given.input;
  const wanted = Object.entries(await tensors(given.feeds)).filter(([name]) => session.inputNames.includes(name));
  others = Object.fromEntries(wanted.map(([name, tensor]) => [name, asTaken(name, tensor)]));
}

/** The export may take int64 where the graph of the bundle takes int32. */
function asTaken(name, { type, dims, data }) {
  const { type: taken } = session.inputMetadata.find((each) => each.name === name);
  if (taken === type || taken !== "int64") return new ort.Tensor(type, data, dims);
  return new ort.Tensor(taken, BigInt64Array.from(data, (value) => BigInt(value)), dims);
}

function tensorOf(stack) {
  const [height, width] = input.shape.slice(-2);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const area = width * height;
  const tensor = new Float32Array(3 * area * stack.length);
  for (const [index, picture] of stack.entries()) {
    const scale = Math.min(width / picture.width, height / picture.height);
    const [wide, high] = input.stretch ? [width, height] : [picture.width * scale, picture.height * scale].map(Math.round);
    context.fillStyle = "rgb(114, 114, 114)";
    context.fillRect(0, 0, width, height);
    context.drawImage(picture, Math.floor((width - wide) / 2), Math.floor((height - high) / 2), wide, high);
    const { data } = context.getImageData(0, 0, width, height);
    for (let channel = 0, at = 3 * area * index; channel < 3; channel++) {
      const [mean, std] = [input.mean[channel], input.std[channel]];
      for (let from = channel; from < data.length; from += 4) tensor[at++] = (data[from] * input.scale - mean) / std;
    }
  }
  return new ort.Tensor("float32", tensor, input.shape);
}

async function run({ sample }) {
  const start = performance.now();
  const outputs = await session.run({ ...others, [input.name]: tensorOf(samples[sample]) });
  for (const name of session.outputNames) outputs[name].data;
  return performance.now() - start;
}

answer({
  load,
  run,
  hold: async ({ urls }) => void samples.push(await Promise.all([await pictures(urls)].flat().map((one) => createImageBitmap(one)))),
});
