// Whether pictures go by the GPU: a picture of every kind of pixel is made both ways first, and compared.

import { deviceOf, type Engine } from "../engine.js";
import { Feeder } from "../feeding.js";
import { letterbox } from "../letterbox.js";
import type { ImageInput, Manifest } from "../manifest.js";
import { type Pictured, picturedInput } from "../pictured.js";
import { DECODING, readPixels } from "../pixels.js";
import { GpuFeed } from "./gpu-feed.js";

/** Levels of 255 by which a pixel may differ. */
const LEVELS = 1;

/** Where a model's pictures are wanted: `engine` is null where that does not compute on a GPU. */
export interface FeedRequest {
  inputs: Manifest["inputs"];
  engine: Engine | null;
  pixels: "auto" | "cpu";
}

/** Returns the feeder of a model that has a session. Never rejects: where the GPU cannot, the CPU does, and says why. */
export async function openFeeder({ inputs, engine, pixels }: FeedRequest): Promise<Feeder> {
  if (engine === null) return new Feeder(inputs, null, "the model runs on WASM");
  if (pixels === "cpu") return new Feeder(inputs, null, 'pixels "cpu" was asked for');
  const pictured = takesPictures(inputs);
  if (pictured === null) return new Feeder(inputs, null, "the model takes no picture that run() could make");
  const gpu = await deviceOf(engine)
    .then((device) => GpuFeed.open(device, pictured))
    .catch(String);
  if (typeof gpu === "string") return new Feeder(inputs, null, `the GPU does not have the shader: ${gpu}`);
  const why = await difference(gpu, pictured.picture).catch(String);
  if (why === null) return new Feeder(inputs, gpu, "the GPU makes the same of a picture as the CPU");
  gpu.destroy();
  return new Feeder(inputs, null, `the GPU does not make the same of a picture as the CPU: ${why}`);
}

function takesPictures(inputs: Manifest["inputs"]): Pictured | null {
  try {
    return picturedInput(inputs);
  } catch {
    return null;
  }
}

async function difference(gpu: GpuFeed, input: ImageInput): Promise<string | null> {
  const frame = await createImageBitmap(everyPixel(), DECODING);
  try {
    return await differenceOf(frame, gpu, input);
  } finally {
    frame.close();
  }
}

async function differenceOf(frame: ImageBitmap, gpu: GpuFeed, input: ImageInput): Promise<string | null> {
  const refused = await gpu.refusal(frame);
  if (refused !== null) return refused;
  const geometry = gpu.write(frame);
  const want = letterbox(await readPixels(frame), input, geometry);
  const got = await gpu.read();
  const level = input.scale / Math.max(...input.std);
  const off = want.reduce(
    (worst, value, at) => Math.max(worst, Math.abs(value - (got[at] ?? Number.NaN))),
    0,
  );
  return off <= LEVELS * level ? null : `a pixel differs by ${(off / level).toFixed(1)} levels of 255`;
}

/** Small, of odd sides, every colour and alpha in it, the upper half opaque. */
function everyPixel(): ImageData {
  const picture = new ImageData(61, 47);
  const { data } = picture;
  for (let at = 0, seed = 1; at < data.length; at++) {
    seed = (seed * 48271) % 2147483647;
    data[at] = at % 4 === 3 && at < data.length / 2 ? 255 : seed % 256;
  }
  return picture;
}
