// Image: a picture made of the picture.

import { internalError } from "../../api/errors.js";
import type { ImageResult, Tensors } from "../../api/types.js";
import type { ImageTask, Manifest } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize, type Size } from "../../preprocess/letterbox.js";
import { readNumbers } from "../read-output.js";
import type { FieldsOf, GpuHalf, ManifestOf, TaskModule } from "../task-module.js";
import { GpuPicture } from "./gpu/gpu-picture.js";
import { pictureDifference } from "./gpu/picture-self-check.js";
import { paintPicture } from "./picture-pixels.js";

type Fields = FieldsOf<ImageResult>;

const gpu: GpuHalf<ImageTask, Fields, null> = {
  outputs: ({ output }) => [output],
  async open(device) {
    const painter = await GpuPicture.open(device);
    const reason = await pictureDifference(device, painter);
    return {
      matches: "paints the same picture",
      differs: reason && `does not paint a picture as the CPU does: ${reason}`,
      async run(manifest, gpuOutputs, _, geometry) {
        const { task } = manifest;
        const planes = gpuOutputs[task.output];
        if (planes === undefined) throw internalError(`${task.output} is not on the GPU`);
        const sizes = pictureSizes(manifest);
        const { picture, hasNan, isOneColor } = await painter.paint(task, geometry, {
          values: planes.buffer,
          ...sizes,
        });
        const stats = { [task.output]: { hasNan, isFlat: isOneColor } };
        return { decoded: await resultOf(geometry.source, picture), outputs: {}, stats };
      },
    };
  },
};

export const task: TaskModule<ImageTask, Fields> = {
  kind: "image",
  neededOutputs: ({ task: { output } }) => [output],
  decode(manifest, outputs, geometry) {
    const { task } = manifest;
    const values = picturePlanes(manifest, outputs);
    return resultOf(geometry.source, paintPicture(geometry, task, { values, ...pictureSizes(manifest) }));
  },
  transfer: ({ picture }) => ({ arrays: [], others: [picture] }),
  gpu,
};

async function resultOf(source: Size, pixels: ImageData): Promise<Fields> {
  return { kind: "image", ...source, picture: await createImageBitmap(pixels) };
}

function picturePlanes({ task, outputs: specs }: ManifestOf<ImageTask>, outputs: Tensors): ArrayLike<number> {
  const dims = specs.find(({ name }) => name === task.output)?.shape ?? [];
  return readNumbers(outputs, task.output, dims);
}

/** The size of the output's planes, and of the input that they are over. */
function pictureSizes({ inputs, task: { scale } }: Pick<Manifest, "inputs"> & { task: ImageTask }): {
  grid: Size;
  input: Size;
} {
  const input = planeSize(runInput(inputs).image);
  return { grid: { width: input.width * scale, height: input.height * scale }, input };
}
