// Creates the preprocessor of a model: on the GPU if its self-check agrees with the CPU, else on the CPU.

import { gpuDevice, type OrtWeb } from "../../engine/engine.js";
import type { ImageInput, Manifest } from "../../manifest/manifest.js";
import { type RunInput, runInput } from "../image-input.js";
import { Preprocessor } from "../preprocess.js";
import { testPicture } from "../test-picture.js";
import { DECODE_OPTIONS } from "../wrapped-picture.js";
import { ExternalTextures } from "./external-textures.js";
import { GpuPreprocess } from "./gpu-preprocess.js";
import { differenceFromCpu } from "./preprocess-self-check.js";

export interface PreprocessorRequest {
  inputs: Manifest["inputs"];
  /** Null if the model does not run on the GPU. */
  engine: OrtWeb | null;
  processing: "auto" | "cpu";
  /** Why VideoFrames are copied, null where they may be imported as external textures. */
  copyFrames: string | null;
}

/** Returns the preprocessor, after the model's session is created. Never rejects: if the GPU cannot, the CPU preprocesses. */
export async function createPreprocessor({
  inputs,
  engine,
  processing,
  copyFrames,
}: PreprocessorRequest): Promise<Preprocessor> {
  if (engine === null) return new Preprocessor(inputs, null, "the model runs on WASM");
  if (processing === "cpu") return new Preprocessor(inputs, null, 'processing "cpu" was asked for');
  const input = runInputOrNull(inputs);
  if (input === null)
    return new Preprocessor(inputs, null, "the model takes no picture that run() could make");
  if (input.image.dtype !== "float32")
    return new Preprocessor(inputs, null, "the model takes a picture as bytes, which the CPU makes");
  if (input.crop !== undefined)
    return new Preprocessor(inputs, null, "the model takes a crop of the picture, which the CPU makes");
  const gpu = await gpuDevice(engine)
    .then((device) => GpuPreprocess.open(device, input, copyFrames === null))
    .catch(String);
  if (typeof gpu === "string")
    return new Preprocessor(inputs, null, `the GPU does not have the shader: ${gpu}`);
  const reason = await difference(gpu, input.image).catch(String);
  const externalTextures = new ExternalTextures(gpu, input.image, copyFrames);
  if (reason === null)
    return new Preprocessor(
      inputs,
      { input: gpu, frames: externalTextures },
      "the GPU makes the same of a picture as the CPU",
    );
  gpu.destroy();
  return new Preprocessor(inputs, null, `the GPU does not make the same of a picture as the CPU: ${reason}`);
}

function runInputOrNull(inputs: Manifest["inputs"]): RunInput | null {
  try {
    return runInput(inputs);
  } catch {
    return null;
  }
}

async function difference(gpu: GpuPreprocess, input: ImageInput): Promise<string | null> {
  const frame = await createImageBitmap(testPicture(), DECODE_OPTIONS);
  try {
    return await differenceFromCpu(frame, gpu, input);
  } finally {
    frame.close();
  }
}
