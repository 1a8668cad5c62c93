// Image-to-image: a picture computed from a picture.

import { internalError } from "../../api/errors.js";
import type { ImageResult, Tensors } from "../../api/types.js";
import type { ImageTask, Manifest } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { type Geometry, planeSize, type Size } from "../../preprocess/letterbox.js";
import { type Picture, readPixels } from "../../preprocess/pixels.js";
import { checkResultSize, takePixels } from "../../tiles/run-tiles.js";
import { putAlpha } from "../../tiles/tile-pixels.js";
import type { TiledTask } from "../../tiles/tiled-task.js";
import { readNumbers } from "../read-output.js";
import type { FieldsOf, GpuDecoder, ManifestOf, TaskModule } from "../task-module.js";
import { GpuPicture } from "./gpu/gpu-picture.js";
import { pictureDifference } from "./gpu/picture-self-check.js";
import { keepOutside, paintPicture } from "./picture-pixels.js";

type Fields = FieldsOf<ImageResult>;

/** The pixels to fill in: 1 for each of them; null for a model that takes no mask. */
type Mask = Uint8Array | null;

const gpu: GpuDecoder<ImageTask, Fields, Mask> = {
  outputs: ({ output }) => [output],
  async open(device) {
    const painter = await GpuPicture.open(device);
    const reason = await pictureDifference(device, painter);
    return {
      matches: "paints the same picture",
      mismatch: reason && `does not paint a picture as the CPU does: ${reason}`,
      async run(manifest, gpuOutputs, _, geometry, mask, source) {
        const { task } = manifest;
        const planes = gpuOutputs[task.output];
        if (planes === undefined) throw internalError(`${task.output} is not on the GPU`);
        const sizes = pictureSizes(manifest);
        const colors = task.luma ? await readPixels(source) : null;
        const output = { values: planes.buffer, ...sizes };
        const { picture, hasNan, isOneColor } = await painter.paint(task, geometry, output, colors);
        const stats = { [task.output]: { hasNan, isFlat: isOneColor } };
        return { decoded: await resultOf(manifest, picture, mask, source, geometry), outputs: {}, stats };
      },
    };
  },
};

const tiles: TiledTask<ImageTask, Fields> = {
  plan: ({ tiles, scale }) => tiles && { plan: tiles, scale },
  takesAlphaApart: true,
  pixels: ({ picture }) => takePixels(picture),
  keepsOutside: ({ scale }) => scale === 1,
  async join({ scale }, { source, hole, joined }) {
    putAlpha(joined, source);
    if (hole !== null && scale === 1) showHole(joined, hole.data);
    const { width, height } = source;
    return {
      kind: "image",
      width,
      height,
      picture: await createImageBitmap(joined, { premultiplyAlpha: "none" }),
    };
  },
};

export const task: TaskModule<ImageTask, Fields, Mask> = {
  kind: "image",
  context: (_, { mask }) => (mask instanceof Uint8Array ? mask : null),
  neededOutputs: ({ task: { output } }) => [output],
  async decode(manifest, outputs, geometry, mask, source) {
    const planes = { values: picturePlanes(manifest, outputs), ...pictureSizes(manifest) };
    const colors = manifest.task.luma ? await readPixels(source) : null;
    const picture = paintPicture(geometry, manifest.task, planes, colors);
    return resultOf(manifest, picture, mask, source, geometry);
  },
  readsPicture: true,
  checkPicture: ({ scale }, size) => checkResultSize(size, scale),
  tiles,
  transfer: ({ picture }) => ({ arrays: [], others: [picture] }),
  gpu,
};

/** Makes filled-in pixels opaque, even if the picture is transparent there. */
function showHole({ data }: ImageData, hole: Uint8Array): void {
  for (const [at, value] of hole.entries()) if (value !== 0) data[at * 4 + 3] = 255;
}

/** Returns the result. Pixels that are not filled in keep the source's colours. */
async function resultOf(
  { task: { scale } }: ManifestOf<ImageTask>,
  painted: ImageData,
  mask: Mask,
  source: Picture,
  { source: size }: Geometry,
): Promise<Fields> {
  if (mask !== null && scale === 1) keepOutside(painted, mask, await readPixels(source));
  return { kind: "image", ...size, picture: await createImageBitmap(painted) };
}

function picturePlanes({ task, outputs: specs }: ManifestOf<ImageTask>, outputs: Tensors): ArrayLike<number> {
  const dims = specs.find(({ name }) => name === task.output)?.shape ?? [];
  return readNumbers(outputs, task.output, dims);
}

/** Returns the size of the output's planes, and the size of the input they cover. */
function pictureSizes({ inputs, task: { scale } }: Pick<Manifest, "inputs"> & { task: ImageTask }): {
  grid: Size;
  input: Size;
} {
  const input = planeSize(runInput(inputs).image);
  return { grid: { width: input.width * scale, height: input.height * scale }, input };
}
