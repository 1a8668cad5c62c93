// Preprocesses the pictures of a run into the input tensor.

import type { TensorData } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { forOnePicture } from "../manifest/variants.js";
import { type CpuPreprocessedInput, preprocessOnCpu } from "../preprocess/cpu-preprocess.js";
import { runInput } from "../preprocess/image-input.js";
import type { Geometry } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import type { PreprocessedInput } from "../preprocess/preprocess.js";
import { concatenated } from "../tensors/batch.js";
import { isOnGpu } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";

type PreprocessingModel = Pick<HostedModel, "manifest" | "preprocessor">;

/** The preprocessed input, with the place of each picture in it. */
type PreparedInput = Omit<PreprocessedInput, "geometry"> & { geometries: Geometry[] };

/** Preprocesses the picture or stack, or each picture of a batch. The pictures stay open. */
export async function preparePictures(
  { manifest, preprocessor }: PreprocessingModel,
  pictures: readonly Picture[],
  batch: number,
): Promise<PreparedInput> {
  if (batch === 1) {
    const { geometry, ...prepared } = await preprocessor.preprocess(pictures);
    return { ...prepared, geometries: [geometry] };
  }
  const { inputs } = forOnePicture(manifest);
  const prepared: CpuPreprocessedInput[] = [];
  for (const picture of pictures) prepared.push(await preprocessOnCpu(inputs, [picture]));
  return {
    name: prepared[0]?.name ?? "",
    tensor: concatenated(prepared.map(({ tensor }) => tensor)),
    geometries: prepared.map(({ geometry }) => geometry),
    route: preprocessor.defaultRoute,
  };
}

/** Returns the tensor after `change`, uploaded again if it was on the GPU. */
export async function changedPicture(
  { manifest, preprocessor }: PreprocessingModel,
  { gpu }: Pick<SharedEngine, "gpu">,
  tensor: PreparedInput["tensor"],
  change: (tensor: TensorData) => void,
): Promise<PreparedInput["tensor"]> {
  const read = isOnGpu(tensor) ? await gpu.guard(tensor.read) : tensor;
  change(read);
  const { name } = runInput(manifest.inputs);
  return preprocessor.upload({ [name]: read })[name] ?? read;
}
