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
  const onCpu = (reason: string): Preprocessor => new Preprocessor(inputs, null, reason);
  if (engine === null) return onCpu("the model runs on WASM");
  if (processing === "cpu") return onCpu('processing "cpu" was requested');
  const input = runInputOrNull(inputs);
  if (input === null) return onCpu("the model has no picture input that run() can fill in");
  if (input.image.dtype !== "float32")
    return onCpu("the model takes a picture as bytes, which the CPU preprocesses");
  if (input.crop !== undefined) return onCpu("the model takes a crop of the picture, which the CPU cuts out");
  const gpu = await gpuDevice(engine)
    .then((device) => GpuPreprocess.open(device, input, copyFrames === null))
    .catch(String);
  if (typeof gpu === "string") return onCpu(`the GPU does not compile the shader: ${gpu}`);
  const differs = await difference(gpu, input.image).catch(String);
  if (differs !== null) {
    gpu.destroy();
    return onCpu(`the GPU preprocesses a picture differently from the CPU: ${differs}`);
  }
  const frames = new ExternalTextures(gpu, input.image, copyFrames);
  return new Preprocessor(
    inputs,
    { input: gpu, frames },
    "GPU and CPU preprocess a picture to the same tensor",
  );
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
