// Matting: cuts the foreground out of the picture.

import { internalError } from "../../api/errors.js";
import type { MatteResult, Tensors } from "../../api/types.js";
import type { MatteTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize, type Size } from "../../preprocess/letterbox.js";
import { readPixels } from "../../preprocess/pixels.js";
import { takePixels } from "../../tiles/run-tiles.js";
import type { TiledTask } from "../../tiles/tiled-task.js";
import type { DepthMap } from "../depth/depth-map.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, GpuDecoder, ManifestOf, TaskModule } from "../task-module.js";
import { type AlphaLayout, alphaCells, alphaLayout, alphaLevels } from "./alpha.js";
import { cutOut, takeEdges, withAlpha } from "./cutout.js";
import { GpuCutter } from "./gpu/gpu-matte.js";
import { cutoutDifference } from "./gpu/matte-self-check.js";
import { matteDifference } from "./matte-difference.js";
import { type Background, backgroundOf } from "./options.js";
import { withBackground, withTexture } from "./with-background.js";

type Fields = FieldsOf<MatteResult>;
type Context = Background | null;

const gpu: GpuDecoder<MatteTask, Fields, Context> = {
  refusal: ({ foreground }) => (foreground === null ? null : "the model has an output of foreground colours"),
  outputs: ({ output, foreground }) => (foreground === null ? [output] : []),
  async open(device) {
    const cutter = await GpuCutter.open(device);
    const reason = await cutoutDifference(device, cutter);
    return {
      matches: "cuts the same out of a picture",
      mismatch: reason && `does not cut a picture out as the CPU does: ${reason}`,
      async run(manifest, gpuOutputs, _, geometry, background, source) {
        const { task } = manifest;
        const output = gpuOutputs[task.output];
        if (output === undefined) throw internalError(`${task.output} is not on the GPU`);
        const map = { values: output.buffer, ...layoutOf(manifest, task.output) };
        const found = await withTexture(source, (picture) => cutter.cut(task, geometry, map, picture));
        const { alpha, hasNan } = found;
        const cut = await createImageBitmap(found.cutout);
        const cutout = await withBackground(background, cut, alpha, source);
        const decoded: Fields = { kind: "matte", ...geometry.source, alpha, cutout };
        return { decoded, outputs: {}, stats: { [task.output]: { hasNan, isFlat: false } } };
      },
    };
  },
};

const tiles: TiledTask<MatteTask, Fields> = {
  plan: ({ tiles }) => tiles && { plan: tiles, scale: 1 },
  tileOptions: ({ background: _, ...options }) => options,
  async pixels({ alpha, cutout }) {
    const pixels = await takePixels(cutout);
    for (const [at, level] of alpha.entries()) pixels.data[at * 4 + 3] = level;
    return pixels;
  },
  async join({ foreground }, { picture, source, joined }, options) {
    const alpha = Uint8Array.from(
      { length: source.width * source.height },
      (_, at) => joined.data[at * 4 + 3] ?? 0,
    );
    const cut = withAlpha(source, alpha);
    if (foreground !== null) takeEdges(cut, alpha, joined);
    const cutout = await withBackground(backgroundOf(options), await createImageBitmap(cut), alpha, picture);
    return { kind: "matte", width: source.width, height: source.height, alpha, cutout };
  },
};

export const task: TaskModule<MatteTask, Fields, Context> = {
  kind: "matte",
  readsPicture: true,
  context: (_, options) => backgroundOf(options),
  neededOutputs: ({ task: { output, foreground } }) =>
    foreground === null ? [output] : [output, foreground],
  async decode(manifest, outputs, geometry, background, source) {
    const alpha = alphaLevels(geometry, alphaMap(manifest, outputs));
    const pixels = await readPixels(source);
    const cut = await createImageBitmap(cutOut(pixels, alpha, geometry, foregroundMaps(manifest, outputs)));
    const cutout = await withBackground(background, cut, alpha, source);
    return { kind: "matte", ...geometry.source, alpha, cutout };
  },
  tiles,
  transfer: ({ alpha, cutout }) => ({ arrays: [alpha], others: [cutout] }),
  flatOutputsAllowed: true,
  difference: matteDifference,
  gpu,
};

/** Returns alpha over the model's input. */
function alphaMap(manifest: ManifestOf<MatteTask>, outputs: Tensors): DepthMap {
  const { task } = manifest;
  const { dims, layout, input } = layoutOf(manifest, task.output);
  const values = alphaCells(task, readFloats(outputs, task.output, dims), layout);
  return { values, grid: layout.grid, input };
}

/** Returns the foreground's colours, each channel a map over the model's input. */
function foregroundMaps(manifest: ManifestOf<MatteTask>, outputs: Tensors): DepthMap[] | null {
  const { foreground } = manifest.task;
  if (foreground === null) return null;
  const { dims, layout, input } = layoutOf(manifest, foreground);
  const { grid, channels, cellStep, channelStep } = layout;
  const values = readFloats(outputs, foreground, dims);
  return Array.from({ length: channels }, (_, channel) => {
    const plane = new Float32Array(grid.width * grid.height);
    for (const cell of plane.keys()) plane[cell] = values[cell * cellStep + channel * channelStep] ?? 0;
    return { values: plane, grid, input };
  });
}

/** Returns the shape of an output, the layout of its channels, and the size of the input it covers. */
function layoutOf(
  { task, inputs, outputs }: ManifestOf<MatteTask>,
  name: string,
): { dims: readonly number[]; layout: AlphaLayout; input: Size } {
  const dims = outputs.find((spec) => spec.name === name)?.shape ?? [];
  return { dims, layout: alphaLayout(task, dims), input: planeSize(runInput(inputs).image) };
}
