// Whether pictures go by the GPU: a picture of every kind of pixel is made both ways first, and compared.

import { deviceOf, type Engine } from "../engine.js";
import { Feeder } from "../feeding.js";
import type { ImageInput, Manifest } from "../manifest.js";
import { type Pictured, picturedInput } from "../pictured.js";
import { DECODING } from "../pixels.js";
import { differenceOf, everyPixel } from "./comparing.js";
import { Frames } from "./frames.js";
import { GpuFeed } from "./gpu-feed.js";

/** Where a model's pictures are wanted: `engine` is null where that does not compute on a GPU. */
export interface FeedRequest {
  inputs: Manifest["inputs"];
  engine: Engine | null;
  pixels: "auto" | "cpu";
  /** Why VideoFrames are copied, null where the GPU may read them where they lie. */
  copied: string | null;
}

/** Returns the feeder of a model that has a session. Never rejects: where the GPU cannot, the CPU does, and says why. */
export async function openFeeder({ inputs, engine, pixels, copied }: FeedRequest): Promise<Feeder> {
  if (engine === null) return new Feeder(inputs, null, "the model runs on WASM");
  if (pixels === "cpu") return new Feeder(inputs, null, 'pixels "cpu" was asked for');
  const pictured = takesPictures(inputs);
  if (pictured === null) return new Feeder(inputs, null, "the model takes no picture that run() could make");
  const gpu = await deviceOf(engine)
    .then((device) => GpuFeed.open(device, pictured, copied === null))
    .catch(String);
  if (typeof gpu === "string") return new Feeder(inputs, null, `the GPU does not have the shader: ${gpu}`);
  const why = await difference(gpu, pictured.picture).catch(String);
  const frames = new Frames(gpu, pictured.picture, copied);
  if (why === null)
    return new Feeder(inputs, { input: gpu, frames }, "the GPU makes the same of a picture as the CPU");
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
